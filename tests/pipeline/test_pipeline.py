"""The pipeline by example: one text, many, streams, what is given, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura.document import NO, YES, Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.pipeline import Pipeline, load, split
from tests.pipeline.laws import check, said
from tests.pipeline.tiny import TEXT, treebank


def test_a_text_gets_every_column(tiny: Pipeline) -> None:
    doc = tiny(TEXT)
    check(doc, TEXT)
    assert doc.n_sentences > 1
    for column in ("form", "lemma", "upos", "xpos", "deprel"):
        assert all(doc.column(column)), column
    word = next(word for word in doc.words if word.form == "harbour")
    assert TEXT[word.token.start : word.token.end] == "harbour"


def test_a_multi_word_token_keeps_its_place(tiny: Pipeline) -> None:
    doc = tiny("She doesn't open at six.")
    token = next(token for token in doc.tokens if token.text == "doesn't")
    assert [word.form for word in token.words] == ["does", "n't"]


@pytest.mark.parametrize("text", ["", " ", "\n\n", "."])
def test_nearly_nothing(tiny: Pipeline, text: str) -> None:
    check(tiny(text), text)


def test_confidences_on_request(tiny: Pipeline) -> None:
    assert tiny(TEXT).arc_conf is None
    doc = tiny(TEXT, confidence=True)
    for column in (doc.sent_conf, doc.tag_conf, doc.arc_conf):
        assert column is not None
        assert np.all((column >= 0) & (column <= 1))


def test_the_best_of_k_is_the_best(tiny: Pipeline) -> None:
    found = tiny.k_best(TEXT[:200], 3)
    assert 1 <= len(found) <= 3
    for doc in found:
        check(doc, TEXT[:200])
    trees = {(tuple(doc.head), tuple(doc.deprel), tuple(doc.sent_start)) for doc in found}
    assert len(trees) == len(found)


# -------------------------------------------------------------------- given


def test_tokens_by_offset_are_taken(tiny: Pipeline) -> None:
    doc = tiny("New York is old.", tokens=[(0, 8), (9, 11), (12, 15), (15, 16)])
    assert [token.text for token in doc.tokens] == ["New York", "is", "old", "."]


def test_sentences_start_where_they_must_and_nowhere_else(tiny: Pipeline) -> None:
    text = "the fog came in you know like a wall"
    doc = tiny(text, sentence_starts=[16], no_boundary=[4, 8, 13, 20, 25, 30, 32])
    starts = doc.token_start[doc.sent_start == YES].tolist()
    assert starts == [0, 16]


def test_every_line_is_a_sentence_if_so_told(tiny: Pipeline) -> None:
    text = "fish prices today\nmackerel 3.20\n\n  crab ask Ines"
    doc = tiny(text, newline_is_boundary=True)
    starts = set(doc.token_start[doc.sent_start == YES].tolist())
    assert {0, 18, 35} <= starts


@pytest.mark.parametrize("keep", ["tokens", "sentences", "tags", "lemmas", "heads"])
def test_what_is_kept_of_a_document_stays(tiny: Pipeline, keep: str) -> None:
    gold = treebank()[0]
    doc = tiny(gold, keep=[keep])
    check(doc, gold.text)
    if keep != "sentences":
        assert doc.token_start.tolist() == gold.token_start.tolist()
        assert doc.column("form") == gold.column("form")
    if keep == "sentences":
        starts = gold.token_start[gold.sent_start == YES]
        assert doc.token_start[doc.sent_start == YES].tolist() == starts.tolist()
    if keep == "tags":
        assert doc.column("upos") == gold.column("upos")
        assert doc.column("xpos") == gold.column("xpos")
    if keep == "lemmas":
        assert doc.column("lemma") == gold.column("lemma")
    if keep == "heads":
        assert doc.head.tolist() == gold.head.tolist()
        assert doc.column("deprel") == gold.column("deprel")


def test_some_heads_are_kept_and_the_rest_is_found(tiny: Pipeline) -> None:
    gold = treebank()[0]
    some = gold.cut(0, gold.n_tokens)
    some.head = np.where(np.arange(gold.n_words) % 3 == 0, gold.head, -2).astype(np.int32)
    doc = tiny(some, keep=["heads"])
    check(doc, gold.text)
    known = some.head != -2
    assert np.array_equal(doc.head[known], some.head[known])


def test_a_boundary_that_is_ruled_out_is_not_found(tiny: Pipeline) -> None:
    gold = treebank()[0]
    one = gold.cut(0, gold.n_tokens)
    one.sent_start = np.full(one.n_tokens, NO, np.int8)
    one.sent_start[0] = YES
    one.head = np.full(one.n_words, -2, np.int32)
    assert tiny(one, keep=["tokens", "sentences"]).n_sentences == 1


def test_wrong_calls_are_told(tiny: Pipeline, tiny_model: Path) -> None:
    with pytest.raises(UsageError, match="cannot keep colours"):
        tiny(treebank()[0], keep=["colours"])
    with pytest.raises(UsageError, match="go with a text"):
        tiny(treebank()[0], tokens=[(0, 1)])
    with pytest.raises(InputError, match="no tokens to keep"):
        tiny(Document(text="a"), keep=["tokens"])
    with pytest.raises(UsageError, match=r"there is no mode= any more.*Load en-fast for speed"):
        load(tiny_model, mode="fast")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="0 threads"):
        list(tiny.pipe([TEXT], threads=0))
    with pytest.raises(ModelError, match="there is no model 'nowhere'"):
        load("nowhere")


def test_the_missing_stage_is_named(tmp_path: Path, tiny_model: Path) -> None:
    from caesura.models import load as load_file
    from caesura.models import save

    parts = load_file(tiny_model).parts
    save(tmp_path / "half.caesura", {"tokenizer": parts["tokenizer"]})
    half = load(tmp_path / "half.caesura")
    assert half(TEXT).n_sentences > 1
    with pytest.raises(UsageError, match="a tokeniser has one best analysis"):
        half.k_best(TEXT, 2)
    save(tmp_path / "rest.caesura", {"parser": parts["parser"], "tagger": parts["tagger"]})
    with pytest.raises(ModelError, match=r"no tokenizer \(it holds: parser, tagger\)"):
        load(tmp_path / "rest.caesura")(TEXT)


# --------------------------------------------------------------------- many


def test_many_texts_in_their_order_with_any_number_of_threads(tiny: Pipeline) -> None:
    texts = [TEXT[at : at + 150] for at in range(0, len(TEXT), 40)] * 3
    one = [said(doc) for doc in tiny.pipe(texts)]
    assert [doc["text"] for doc in one] == texts
    assert [said(doc) for doc in tiny.pipe(texts, threads=3)] == one
    assert one[0] == said(tiny(texts[0]))


def test_another_beam_shares_the_model(tiny: Pipeline) -> None:
    check(tiny.with_search(margin=0.1)(TEXT), TEXT)
    other = tiny.with_search(beam=2, bias=2.0)
    assert other.stages[-1].search.beam == 2
    assert other.stages[-1].rows is tiny.stages[-1].rows
    assert other(TEXT).n_sentences > tiny(TEXT).n_sentences


def test_split(tiny_model: Path) -> None:
    found = split(TEXT, tiny_model)
    assert len(found) > 1
    assert "".join("".join(found).split()) == "".join(TEXT.split())


# ------------------------------------------------------------------- stream

LONG = TEXT * 150


def test_the_first_sentences_of_a_stream_come_early(tiny: Pipeline) -> None:
    taken = 0

    def blocks():
        nonlocal taken
        for at in range(0, len(LONG), 5000):
            taken += 5000
            yield LONG[at : at + 5000]

    eager = tiny.with_search(bonus=30.0)
    first = next(iter(eager.stream(blocks())))
    assert first.n_words
    assert taken <= 10_000


def test_lines_of_a_stream_are_sentences_if_so_told(tiny: Pipeline) -> None:
    blocks = [LONG[at : at + 9000] for at in range(0, len(LONG), 9000)]
    pieces = list(tiny.stream(blocks, newline_is_boundary=True))
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces) == LONG
    lines = [line for line in LONG.split("\n") if line.strip()]
    assert sum(piece.n_sentences for piece in pieces) >= len(lines)


def test_the_name_of_the_package_finds_it(tiny_model: Path) -> None:
    assert isinstance(caesura.pipeline.load(tiny_model), Pipeline)
