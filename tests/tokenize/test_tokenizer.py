"""What the trained tokeniser does with text, tokens and sentences."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.document import MAYBE, NO, YES, Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.evaluate import conll18
from caesura.tokenize import Tokenizer, train
from tests.tokenize.conftest import SMALL
from tests.tokenize.corpus import documents, unspaced_document


def surfaces(doc: Document) -> list[str]:
    return [token.text for token in doc.tokens]


def test_learns_its_treebank(tokenizer: Tokenizer) -> None:
    gold = documents(10, first=100)
    scores = conll18(gold, [tokenizer.tokenize(doc.text) for doc in gold])
    assert scores["Tokens"].f1 > 99.0
    assert scores["Words"].f1 > 99.0
    assert scores["Sentences"].f1 > 95.0


def test_multi_word_tokens_have_words(tokenizer: Tokenizer) -> None:
    doc = tokenizer.tokenize("She won't buy it's box.")
    assert surfaces(doc) == ["She", "won't", "buy", "it's", "box", "."]
    assert doc.column("form") == ["She", "wo", "n't", "buy", "it", "'s", "box", "."]
    assert doc.word_token.tolist() == [0, 1, 1, 2, 3, 3, 4, 5]


def test_evidence_without_a_decision(tokenizer: Tokenizer) -> None:
    doc = tokenizer.tokenize("She reads 3.5 apples. He paints 3.5 apples.", sentences=False)
    assert set(doc.sent_start.tolist()) == {MAYBE}
    assert doc.start_evidence is not None
    assert doc.start_evidence[0] == 1.0
    assert doc.start_evidence[5] > 0.5 > doc.start_evidence[1]


def test_given_tokens_are_kept(tokenizer: Tokenizer) -> None:
    text = "She reads it.He reads"
    spans = [(0, 3), (4, 9), (10, 13), (13, 21)]
    doc = tokenizer.tokenize(text, tokens=spans)
    assert surfaces(doc) == ["She", "reads", "it.", "He reads"]
    assert doc.start_evidence is not None
    assert len(doc.start_evidence) == 4


def test_tokens_that_overlap_are_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(InputError, match="overlap"):
        tokenizer.tokenize("abc def", tokens=[(0, 3), (2, 5)])


def test_given_sentence_starts_are_obeyed_inside_a_chunk(tokenizer: Tokenizer) -> None:
    doc = tokenizer.tokenize("She reads. Hereads it", sentence_starts=[13], no_boundary=[11])
    starts = doc.token_start[doc.sent_start == YES].tolist()
    assert starts == [0, 13]


def test_an_offset_outside_the_text_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(UsageError, match="outside the text"):
        tokenizer.tokenize("abc", sentence_starts=[9])


@pytest.mark.parametrize("fixed", [{"tokens"}, {"sentences"}, {"tokens", "sentences"}])
def test_what_a_document_fixed_is_obeyed(tokenizer: Tokenizer, fixed: set[str]) -> None:
    gold = documents(1, first=200)[0]
    # Tokens and sentences that no tokeniser would choose.
    odd = gold.cut(0, gold.n_tokens)
    odd.sent_start = np.where(np.arange(odd.n_tokens) % 5 == 0, YES, NO).astype(np.int8)
    odd.fixed = frozenset(fixed)
    doc = tokenizer.tokenize(odd)
    doc.check()
    if "tokens" in fixed:
        assert doc.token_start.tolist() == odd.token_start.tolist()
        assert doc.column("form") == odd.column("form")
    if "sentences" in fixed:
        assert (
            doc.token_start[doc.sent_start == YES].tolist()
            == odd.token_start[odd.sent_start == YES].tolist()
        )


def test_partly_known_sentences(tokenizer: Tokenizer) -> None:
    doc = tokenizer.tokenize("She reads 3.5 apples. He paints 3.5 apples.")
    assert doc.sent_start[5] == YES
    part = replace(doc, fixed=frozenset({"tokens", "sentences"}))
    part.sent_start = np.full(doc.n_tokens, MAYBE, dtype=np.int8)
    part.sent_start[5] = NO
    assert tokenizer.tokenize(part).sent_start.tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]


def test_what_else_a_document_has_is_kept(tokenizer: Tokenizer) -> None:
    source = Document(text="She reads\nHe reads 3.5", id="d1", source="d1.txt")
    source.paragraph_start = np.array([0, 10], dtype=np.int64)
    doc = tokenizer.tokenize(source)
    assert (doc.id, doc.source) == ("d1", "d1.txt")
    assert doc.paragraph_start.tolist() == [0, 10]
    assert doc.token_start[doc.sent_start == YES].tolist() == [0, 10]


def test_empty_and_blank_texts(tokenizer: Tokenizer) -> None:
    for text in ("", " ", "\n\n\n"):
        doc = tokenizer.tokenize(text)
        doc.check()
        assert doc.n_tokens == 0
        assert doc.text == text


def test_two_spellings_of_case(tokenizer: Tokenizer) -> None:
    doc = tokenizer.tokenize("SHE WON'T READ.")
    assert doc.column("form")[:3] == ["SHE", "WO", "N'T"]


def test_a_language_without_spaces(unspaced: Tokenizer) -> None:
    assert "图书馆" in unspaced.lexicon
    gold = [unspaced_document(seed) for seed in range(100, 110)]
    scores = conll18(gold, [unspaced.tokenize(doc.text) for doc in gold])
    assert scores["Tokens"].f1 > 98.0
    assert scores["Sentences"].f1 > 98.0


def test_words_of_a_dictionary_are_cut_though_never_seen(
    unspaced: Tokenizer, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    """A word of six characters is longer than those that are looked up where it was seen."""
    seen = ["我们", "老师", "图书馆", "小猫", "喜欢", "电影", "小说"]
    named = [*seen, "天文学博物馆", "飞机场", "x" * 13]
    docs = [unspaced_document(seed) for seed in range(20)]
    told = train(docs, replace(SMALL, speech=False), named=named)
    assert told.named == sorted(named[:-1])
    text = "天文学博物馆飞机场。"
    assert surfaces(told.tokenize(text)) == ["天文学博物馆", "飞机场", "。"]
    assert surfaces(unspaced.tokenize(text)) != ["天文学博物馆", "飞机场", "。"]
    told.save(tmp_path / "told.caesura")
    again = Tokenizer.load(tmp_path / "told.caesura")
    assert again.named == told.named
    assert again.tokenize(text) == told.tokenize(text)
    part = told.to_part()
    part.labels["named"] = ["馆" * 13]
    with pytest.raises(ModelError, match="too long"):
        Tokenizer.from_part(part)
    assert train(documents(4), SMALL, named=named).named == []  # there are spaces
    assert "named" not in tokenizer.to_part().labels


def test_a_language_with_spaces_has_no_lexicon(tokenizer: Tokenizer) -> None:
    assert tokenizer.lexicon == []


def test_evidence_that_nobody_asks_for_is_not_looked_for(tokenizer: Tokenizer) -> None:
    quiet = copy(tokenizer)
    quiet.weighs = False
    text = "They came.  Nobody\nleft. Did you?\n\nNo."
    told, untold = (one.tokenize(text, sentences=False) for one in (tokenizer, quiet))
    assert untold.start_evidence is None
    assert untold.token_start.tolist() == told.token_start.tolist()
    assert untold.sent_start.tolist() == told.sent_start.tolist()
    assert untold.token_break is not None
    assert untold.token_break.tolist() == told.token_break.tolist()
    assert quiet.tokenize(text).sent_start.tolist() == tokenizer.tokenize(text).sent_start.tolist()
    stream = quiet.stream(sentences=False)
    pieces = [stream.feed(text[:15]), stream.feed(text[15:], last=True)]
    assert all(piece.start_evidence is None for piece in pieces)
    assert sum(piece.n_tokens for piece in pieces) == told.n_tokens
