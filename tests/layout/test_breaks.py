"""What the layout says about gaps: examples, the slow twin, texts in blocks, and odd texts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import Document
from caesura.document.characters import code_points
from caesura.layout import (
    BLANK,
    INSIDE,
    N_BREAKS,
    NAMES,
    OPENED,
    SAME,
    SHORT,
    WRAP,
    LayoutReader,
    breaks,
    learned,
)
from tests.reference import layout as twin

PROSE = (
    "The keeper of the lighthouse had not spoken to anyone since the supply boat left in early "
    "spring. He wrote down the weather every morning. Then he made tea, fed the gulls and sat "
    "by the window until the lamp had to be lit again."
)


def spans_of(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


def document(text: str) -> Document:
    spans = spans_of(text)
    return Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])


def names(text: str) -> list[str]:
    """The gaps that are no ordinary ones, of words and marks."""
    return [NAMES[code] for code in breaks(document(text)).tolist() if 1 < code < OPENED]


def wrapped(text: str, width: int, indent: str = "") -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, indent + line])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see you at nine\nok\nbring the map", ["line", "line"]),
        ("We need:\n- rope\n- a lamp", ["list item", "list item"]),
        ("1. Open it.\n2. Look.\n   a. Closely.", ["list item", "list item"]),
        ("- Water the ferns before you leave for\n  the station.\n- Lock up.", ["wrapped"]),
        ("A Quiet Harbour\nNobody had seen the boats leave that day.", ["heading"]),
        ("THE END\n\nNobody clapped.", ["blank line"]),
        ("from: ann\nto: bob\nre: keys", ["field", "field"]),
        ("Results\n=======\nNone so far.", ["indentation", "indentation"]),
        ("Name\tAge", ["wide gap"]),
        ("https://boats.example/harbour/a\nhttps://boats.example/harbour/b", ["line"]),
        ("Nobody had seen any of the boats leave the old harbour and\nI was asleep.", ["line"]),
        (
            "Nobody had seen any of the boats leave the old harbour today and\nI was asleep.",
            ["wrapped"],
        ),
        (
            "The tide goes slowly out,\nThe tide comes in.\n\n"
            "Nobody was on the pier\nBefore sunrise came.",
            ["verse", "blank line", "verse"],
        ),
        ("The lamp went out above the bay\nWhen all the boats were home", ["line"]),
        ("The lamp went out above the bay\nWhen all the boats were home.", ["verse"]),
        ("Tea    two cups", ["wide gap"]),
        ("Over the hill and down the lane,\nThe cart came home through wind and rain.", ["verse"]),
        ("x" * 500 + "\nand then", ["paragraph a line"]),
        ("One more.\r\n\r\nAnd another.", ["blank line"]),
        ("One more.\n \t \nAnd another.", ["blank line"]),
        ("One.\fTwo three four.", ["line"]),
        # A hyphenated word makes a narrow column of what would be lines.
        ("The lamp is an import-\nant thing for the\nkeeper.", ["wrapped", "wrapped"]),
        ("The lamp is an important\nthing for the\nkeeper.", ["line", "line"]),
        ("anti-\nbio-\nco-", ["line", "line"]),
        ("eggs\na bag of sugar-\nflour\ntea\nhoney", ["line", "line", "line", "line"]),
    ],
)
def test_examples(text: str, expected: list[str]) -> None:
    assert names(text)[: len(expected)] == expected


@pytest.mark.parametrize("width", range(40, 101, 5))
@pytest.mark.parametrize("indent", ["", "    ", "> "])
def test_wrapped_prose_is_known_at_any_width(width: int, indent: str) -> None:
    text = wrapped(PROSE + " " + PROSE, width, indent)
    assert {*names(text)} <= {"wrapped"}


def test_titles_and_capitals_are_wrapped_too() -> None:
    title = PROSE.title().replace(".", "")
    for text in (wrapped(title, 44), wrapped(title.upper(), 44)):
        assert {*names("\n".join(text.split("\n")[:5]))} == {"wrapped"}


def test_names_are_wrapped_where_the_text_around_them_is() -> None:
    team = "Ann Roe, Bea Hall, Cy Moor, Dan Okafor, Eve Lund, Flo Hart"
    text = "\n\n".join([wrapped(team, 44), wrapped(PROSE, 44)])
    assert {*names(text)} == {"wrapped", "blank line"}
    assert {*names(wrapped(team, 44))} == {"heading"}


def test_a_bracket_that_closes_on_the_next_line_is_no_margin() -> None:
    text = (
        PROSE
        + " He kept the plans in one file << File: plans.doc >> that nobody was allowed to see."
    )
    texts = [wrapped(text, width) for width in range(40, 80)]
    texts = [text for text in texts if "\n>>" in text]
    assert texts
    for text in texts:
        assert {*names(text)} == {"wrapped"}
        assert OPENED not in breaks(document(text))
    quoted = "Ann wrote to him on the next day:\n> Can we look at it?\n\nNo."
    assert names(quoted) == ["indentation", "blank line"]


def test_a_word_that_is_hyphenated_goes_on_whatever_room_there_was() -> None:
    rest = "known man, and the keeper did not know him at all, nor his\nwife."
    for end, expected in (("well-", WRAP), ("well", SHORT)):
        doc = document(f"{wrapped(PROSE, 60)}\nHe was a {end}\n{rest}")
        at = doc.token_start.searchsorted(doc.text.index("known"))
        assert breaks(doc)[at] == expected


def test_paragraphs_of_one_long_line_are_not_double_spaced() -> None:
    line = "and " * 30 + "so on"
    assert {*names("\n\n".join([line] * 4))} == {"blank line"}


@pytest.mark.parametrize("width", [50, 70, 90])
def test_double_spaced_prose_has_no_blank_lines_that_count(width: int) -> None:
    text = wrapped(PROSE, width).replace("\n", "\n\n")
    assert {*names(text)} == {"double-spaced"}
    # A paragraph that ends in a short line ends all the same.
    two = f"{text}\n\nThe storm came in the night, and nobody on the coast was ready for any of it."
    assert names(two)[-1] == "blank line"


def test_the_first_line_of_a_paragraph_may_be_indented() -> None:
    paragraph = wrapped("###" + PROSE, 60).replace("###", "   ")
    text = f"{paragraph}\n{paragraph}"
    assert [name for name in names(text) if name != "wrapped"] == ["indentation"]


def test_what_a_document_says_of_paragraphs_counts() -> None:
    doc = document("One two\nthree four")
    doc.paragraph_start = np.array([0, 8])
    assert breaks(doc)[2] == BLANK


def test_codes_that_a_document_has_are_kept_when_it_is_cut() -> None:
    doc = document(wrapped(PROSE, 50))
    whole = doc.token_break = breaks(doc)
    piece = doc.cut(12, 30)
    assert breaks(piece).tolist() == whole[12:30].tolist()


LINES = st.sampled_from(
    [
        "",
        "  ",
        "ok then",
        "Fine, thanks.",
        "- rope and a lamp",
        "  a. inner",
        "3) third thing",
        "J. Smith wrote it,",
        "Subject: keys",
        "[00:12] ANN: so",
        "-----",
        "A Long Road Home",
        "NEWS",
        "> quoted line here",
        ">",
        "    and this one is indented by four blanks, which may go on",
        "the gate was open and nobody in the yard had seen who came thr-",
        "ough it before the rain began, said the man with the ladder and",
        "the lamp. He had waited by the wall since noon, as he was told.",
        "Nothing was taken but the old clock; the police were not called",
        "x" * 401,
        " " * 420,
        "w" * 170,
        "مرحبا بالعالم",
        "• عنصر",
        "‏• عنصر آخر",
        "tab\there",
        "(iv) fourth:",
        "„Why?“",
        "this is it :)",
        "中文没有空格。",
    ]
)
NEWLINES = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r", "\f", "\u2028"])
TEXTS = st.lists(st.tuples(LINES, NEWLINES), max_size=24).map(
    lambda parts: "".join(line + newline for line, newline in parts)
)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_codes_equal_those_of_the_twin(text: str) -> None:
    found = [NAMES[code] for code in breaks(document(text))]
    assert found == twin.breaks(text, spans_of(text))


@given(st.text(alphabet="aB1. -:()[]\n\t>#", max_size=200))
@settings(max_examples=200, deadline=None)
def test_codes_of_any_text_equal_those_of_the_twin(text: str) -> None:
    found = [NAMES[code] for code in breaks(document(text))]
    assert found == twin.breaks(text, spans_of(text))


@given(TEXTS, st.lists(st.integers(1, 300), min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_a_text_in_blocks_gets_the_codes_of_the_whole(text: str, sizes: list[int]) -> None:
    doc = document(text)
    reader = LayoutReader()
    found: list[int] = []
    at, turn = 0, 0
    while at < len(text):
        end = min(at + sizes[turn % len(sizes)], len(text))
        reader.feed(code_points(text[at:end]))
        at, turn = end, turn + 1
        begins, ends = doc.token_start[len(found) :], doc.token_end[len(found) :]
        known = ends <= at
        found += reader.take(begins[known], ends[known]).tolist()
    reader.feed(code_points(""), last=True)
    found += reader.take(doc.token_start[len(found) :], doc.token_end[len(found) :]).tolist()
    assert found == breaks(doc).tolist()


def test_what_is_undecided_in_a_stream_is_bounded() -> None:
    """No more than eight lines are waited for, and of a long line no more than its beginning."""
    reader = LayoutReader()
    reader.feed(code_points("first line\nsecond " + "x" * 500))
    assert len(reader.take(np.array([0, 6, 11]), np.array([5, 10, 17]))) == 3
    reader = LayoutReader()
    reader.feed(code_points("first line\nsecond\n" + "more\n" * 6))
    spans = np.array([0, 6, 11]), np.array([5, 10, 17])
    assert len(reader.take(*spans)) == 2
    reader.feed(code_points("more\n"))
    assert len(reader.take(spans[0][2:], spans[1][2:])) == 1


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("1. Open it. Then look.", [".", "Open"]),
        ("- rope\n- a lamp", ["rope", "a"]),
        ("Q1. What is it?\nA1. A boat.", [".", "What", ".", "A"]),
        ("Q: Is it far?\nA: Yes. Very.", [":", "Is", ":", "Yes"]),
        ("ANNA: (laughing) No. I said so.\nMS. ROE: Thank you. Go on.",
         [":", "(", "laughing", ")", "No", ".", "ROE", ":", "Thank"]),
        ("Ann wrote:\n> Can we move it?\n> Ten is early.", ["Can", "Ten"]),
        ("> * rope", ["*", "rope"]),
        ("• \trope", ["rope"]),
        ("• 10. The rope", ["10", ".", "The"]),
        ("[12] See p. 4. It is there.", ["12", "]", "See"]),
        ("[1234] See p. 4.", []),
        # No item, no label: an initial, a year, a signature, a label alone, a line of prose.
        ("J. Roe came. He left.", []),
        ("1987. A good year.", []),
        ("-- Ann", []),
        ("Dear Ann: thank you.", []),
        ("Nobody had seen the boats leave the old harbour on that day before\n5. Then they came "
         "back and went into the harbour at once, all of\nthem without a light.", []),
    ],
)  # fmt: skip
def test_what_opens_a_line(text: str, behind: list[str]) -> None:
    doc = document(text)
    at = np.flatnonzero(breaks(doc) == OPENED)
    assert [text[doc.token_start[t] : doc.token_end[t]] for t in at] == behind


def test_inside_lines_that_stand_for_themselves() -> None:
    doc = document("hey are you up\ncant sleep\nsame lol\n\nIt was late. Nobody came.")
    at = np.flatnonzero(breaks(doc) == INSIDE)
    inside = ["are", "you", "up", "sleep", "lol"]
    assert [doc.text[doc.token_start[t] : doc.token_end[t]] for t in at] == inside


def test_one_line_of_ten_megabytes() -> None:
    text = "word " * 2_000_000
    starts = np.arange(0, len(text), 5)
    codes = breaks(Document.from_spans(text, starts[:4], starts[:4] + 4))
    assert codes.tolist() == [1, 0, 0, 0]


def test_a_million_lines_of_one_word() -> None:
    text = "word\n" * 1_000_000
    reader = LayoutReader()
    reader.feed(code_points(text), last=True)
    starts = np.arange(0, len(text), 5)
    codes = reader.take(starts, starts + 4)
    assert len(codes) == 1_000_000
    assert {NAMES[code] for code in codes[1:].tolist()} == {"line"}


def test_bullets_of_text_from_right_to_left() -> None:
    assert names("القائمة:\n• عنصر أول\n\u200f• عنصر ثان") == ["list item", "list item"]


def test_the_codes_have_names() -> None:
    assert len(NAMES) == len({*NAMES})
    assert N_BREAKS == OPENED == len(NAMES) - 4  # the last four are not for models
    assert learned(np.array([OPENED, BLANK, INSIDE], np.uint8)).tolist() == [SAME, BLANK, SAME]
    assert learned(np.array([WRAP, SHORT], np.uint8)).tolist() == [SAME, SHORT]
