"""Turns in plain text: labels at line starts that recur name speakers, and other labels do not."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.document import Document
from caesura.turns import HEAD, TurnReader, changes, find_turns, take_turns

TALK = "ANNA: Did it rain?\nBEN: It did,\nall night.\n\nANNA: I see\nBEN: Yes.\n"


def said(text: str) -> list[tuple[str, str]]:
    return [(turn.speaker, text[turn.start : turn.end]) for turn in find_turns(text)]


def test_labels_that_recur_name_speakers_and_belong_to_their_turns() -> None:
    assert said(TALK) == [
        ("ANNA", "ANNA: Did it rain?"),
        ("BEN", "BEN: It did,\nall night."),
        ("ANNA", "ANNA: I see"),
        ("BEN", "BEN: Yes."),
    ]


@pytest.mark.parametrize(
    "labels",
    ["anna ben", "Anna Ben", "OZ_74 limpet", "Q A", "Dr. Ruiz|The Court", "Speaker 1|Speaker 2"],
)
@pytest.mark.parametrize("form", ["{}: yes", "[00:01] {}: yes", "(1:02:03) {}: yes", ">> {}: yes"])
def test_labels_of_many_forms(labels: str, form: str) -> None:
    names = labels.split("|") if "|" in labels else labels.split()
    text = "\n".join(form.format(name) for name in names * 2)
    assert [speaker for speaker, _ in said(text)] == names * 2


@pytest.mark.parametrize(
    "text",
    [
        "Note: wet paint.\nNote: no smoking.\n",
        "From: a\nTo: b\nSubject: c\n\nhello\n\nFrom: b\nTo: a\nSubject: c\n\nhi\n",
        "Size: 10\nPrice: 4\n\nSize: 12\nPrice: 5\n",
        "Bread: white\nFilling: cheese\nSauce: none\nBread: rye\nFilling: ham\nSauce: red\n",
        "ANNA: I said this: go.\nBEN: He said: no.\n",
        "I told him: go.\nI told him: stay.\nYou told me: run.\nYou told me: wait.\n",
        "http://a.example\nhttps://b.example\nhttp://c.example\nhttps://d.example\n",
        "10:30: bus\n10:40: train\n10:30: bus\n10:40: train\n",
        "",
        ":\n:\n",
    ],
)
def test_fields_remarks_and_records_name_nobody(text: str) -> None:
    assert find_turns(text) == []


def test_a_few_labels_in_long_prose_make_no_transcript() -> None:
    prose = "It rained and nobody went out.\n" * 60
    assert find_turns(prose + TALK) == []


def test_a_title_before_the_first_label_is_in_no_turn() -> None:
    doc = Document(text=f"A talk\n\n{TALK}")
    assert take_turns(doc)
    assert doc.text[int(doc.turn_start[0]) :].startswith("ANNA")


def test_times_are_seconds_and_unknown_without() -> None:
    text = "[00:01 - 00:03.5] Ann: so\nBo: yes\n[1:00:01] Ann: well\nBo: no\n"
    times = np.array([turn[3:] for turn in find_turns(text)])
    np.testing.assert_array_equal(times, [[1, 3.5], [np.nan] * 2, [3601, np.nan], [np.nan, np.nan]])


def test_one_who_speaks_once_counts_if_all_labels_are_in_capitals_or_there_is_a_time() -> None:
    assert "CLERK" in dict(said(TALK + "CLERK: Order.\n"))
    assert "Clerk" not in dict(said(TALK + "Clerk: Order.\n"))
    assert "Clerk" in dict(said(TALK + "[00:09] Clerk: Order.\n"))


def test_a_change_is_where_another_name_begins() -> None:
    doc = Document(text="one\ntwo\nthree\nfour\nfive")
    doc.turn_start = np.array([0, 4, 8, 14, 19])
    doc.turn_end = np.array([3, 7, 13, 18, 23])
    doc.turn_speaker = doc.strings.ids(["A", "", "A", "B", ""])
    doc.turn_time = np.full((5, 2), np.nan)
    assert changes(doc).tolist() == [0, 14]


def test_a_document_of_a_format_says_itself_what_it_has() -> None:
    doc = Document(text=TALK)
    doc.markup_start, doc.markup_end = np.array([0]), np.array([4])
    doc.markup_label = doc.strings.ids(["b"])
    assert not take_turns(doc)


# ----------------------------------------------------------------- streams


def long_talk(size: int) -> str:
    rng = np.random.default_rng(3)
    names = ["Ann", "Bo Lee", "Cy"]
    parts = ["The minutes\n\n"]
    while sum(map(len, parts)) < size:
        if len(parts) == 900:
            names.append("Dee")  # who comes late
        words = " ".join(["so"] * int(rng.integers(0, 40)))
        parts.append(f"{rng.choice(names)}: {words}" + str(rng.choice(["\n", "\n\n", "\nand\n"])))
    return "".join(parts)


@pytest.mark.parametrize("size", [1, 7, 777, 50_000, 10**9])
def test_blocks_say_what_the_whole_says(size: int) -> None:
    text = long_talk(HEAD + 40_000) if size > 100 else long_talk(5000)
    whole = find_turns(text)
    assert len(whole) > 50
    reader = TurnReader()
    blocks = (text[at : at + size] for at in range(0, len(text), size))
    pieces: list[tuple[Document, int]] = []
    starts: list[int] = []
    base = 0
    for block in reader.blocks(blocks):  # a piece is made when it is known what comes next
        starts += reader.starts(base, base + len(block))
        for piece, at in pieces[-1:]:
            reader.put(piece, at)
        pieces.append((Document(text=block, continues=base > 0), base))
        base += len(block)
    reader.put(*pieces[-1])
    joined = Document.join([piece for piece, _ in pieces])
    assert joined.text == text
    doc = Document(text=text)
    assert take_turns(doc)
    assert starts == changes(doc).tolist()
    assert joined.turn_start.tolist() == doc.turn_start.tolist()
    assert joined.strings.take(joined.turn_speaker) == doc.strings.take(doc.turn_speaker)


def test_an_endless_text_is_not_kept() -> None:
    reader = TurnReader()
    blocks = (f"Ann: {n}\nBo: {n}\n" for n in range(20_000))
    base = 0
    for block in reader.blocks(blocks):
        reader.put(Document(text=block), base)
        base += len(block)
    assert len(reader.turns) < 12_000


def test_a_million_lines_of_one_word() -> None:
    assert find_turns("word\n" * 1_000_000) == []
    assert len(find_turns("Ann: a\nBo:\n" * 100_000)) == 200_000
