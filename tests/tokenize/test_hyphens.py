"""Words hyphenated at the end of a line: one token over both parts, the form of the whole word."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura import formats
from caesura.document import Document
from caesura.layout import breaks
from caesura.paths import bundled_models
from caesura.stages.token_knowledge import known_words, without_hyphen
from caesura.tokenize import Tokenizer


@pytest.fixture(scope="module")
def english() -> Tokenizer:
    if not (bundled_models() / "en.caesura").exists():
        pytest.skip("the model en is not bundled")
    return Tokenizer.load("en")


PROSE = (
    "The keeper of the old lighthouse did not know the sailors, but some-\n"
    "times he left a lamp in the window for them. It was a well-\n"
    "known custom on that coast, and nobody could remember how the cus-\n"
    "tom had begun or who was the first to keep it there."
)


def surfaces(doc: Document) -> list[str]:
    return [doc.text[token.start : token.end] for token in doc.tokens]


def test_a_token_spans_both_parts_and_its_form_is_whole(english: Tokenizer) -> None:
    doc = english.tokenize(PROSE)
    doc.check()
    forms = doc.column("form")
    assert "sometimes" in forms
    assert surfaces(doc)[forms.index("sometimes")] == "some-\ntimes"
    assert "custom" in forms[forms.index("how") :]
    # Two words that are known stay two.
    at = forms.index("well")
    assert forms[at : at + 3] == ["well", "-", "known"]
    # Whatever the form, text and spans agree.
    kept = "".join(surfaces(doc)).replace("\n", "")
    assert kept == "".join(PROSE.split())


def test_the_lines_must_be_wrapped_prose(english: Tokenizer) -> None:
    chat = "i said some-\ntimes ok\nsee you\nbring the map"
    assert "sometimes" not in english.tokenize(chat).column("form")
    parted = PROSE.replace("some-\n", "some-\n\n")
    assert "sometimes" not in english.tokenize(parted).column("form")


def test_in_a_narrow_column_no_sentence_ends_at_a_hyphen(english: Tokenizer) -> None:
    column = "The keeper had import-\nant news, and no-\nbody asked him for\nhis old stor-\nies."
    forms = english.tokenize(column).column("form")
    assert {"important", "nobody", "stories"} <= {*forms}
    for text in (column, "This is an import-\nant matter."):
        assert sum(english.tokenize(text).sent_start == 1) == 1


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_text_in_blocks_gets_the_same_words(english: Tokenizer, size: int) -> None:
    text = "\n\n".join([PROSE] * 40)
    stream = english.stream()
    pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)]
    pieces.append(stream.feed("", last=True))
    found = Document.join([piece for piece in pieces if piece.text])
    whole = english.tokenize(text)
    assert found.text == text
    assert found.column("form") == whole.column("form")
    assert found.token_end.tolist() == whole.token_end.tolist()
    assert found.sent_start.tolist()[1:] == whole.sent_start.tolist()[1:]


def test_conllu_has_the_whole_form_and_the_span(english: Tokenizer, tmp_path: Path) -> None:
    doc = english.tokenize(PROSE)
    formats.write([doc], tmp_path / "a.conllu", token_range=True)
    written = (tmp_path / "a.conllu").read_text(encoding="utf-8")
    row = next(line for line in written.splitlines() if "\tsometimes\t" in line).split("\t")
    start = PROSE.index("some-")
    assert f"TokenRange={start}:{start + 11}" in row[9]
    assert "SpacesInToken=some-\\ntimes" in row[9]
    again = next(iter(formats.read(tmp_path / "a.conllu")))
    assert again.text.strip() == doc.text
    assert again.column("form") == doc.column("form")
    assert surfaces(again) == surfaces(doc)


def test_parts_and_what_is_known() -> None:
    assert without_hyphen("some-\n  times") == "sometimes"
    assert known_words(["Don\t't", "Boat"]) == {"don", "boat"}


@pytest.mark.parametrize(
    "text",
    ["One line. No more.", "One  line, two blanks.", "One \x1c line.", "Wide\xa0\xa0\xa0gap."],
)
def test_a_text_of_one_line_has_the_layout_that_is_read_off_it(
    english: Tokenizer, text: str
) -> None:
    doc = english.tokenize(text)
    found = doc.token_break
    doc.token_break = None
    assert found is not None
    assert found.tolist() == breaks(doc).tolist()
