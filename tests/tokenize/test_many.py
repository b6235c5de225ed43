"""One tokeniser of two languages: English of our own corpus, and Chinese without spaces."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelling.multi.recogniser_training import RecogniserOptions, train_recogniser
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.slicing import join
from caesura.errors import ModelError, UsageError
from caesura.models.file import Part, load, save
from caesura.pipeline.builder import wired
from caesura.stage import GivenText, stage_of
from caesura.stages.several_tokenizers import ManyTokenizer, _together
from caesura.tokenize import Tokenizer
from tests.tokenize.corpus import documents, unspaced_document

ENGLISH = "My aunt doesn't like the U.S. flag. Nobody reads a well-known song! She can't find it."
CHINESE = "我们喜欢图书馆。老师看书！小猫喜欢电影。他看小说。" * 3


@pytest.fixture(scope="module")
def many(tokenizer: Tokenizer, unspaced: Tokenizer) -> ManyTokenizer:
    docs = {"en": documents(20), "zh": [unspaced_document(seed) for seed in range(10)]}
    docs["fr"] = [_words("le bateau ne vient pas et personne ne sait pourquoi il est en retard")]
    options = RecogniserOptions(bits=10, pieces=600, epochs=1, prune=0.0)
    return ManyTokenizer(train_recogniser(docs, options), {"en": tokenizer, "zh": unspaced})


def _words(text: str) -> Document:
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    return Document.from_spans(text, np.concatenate(([0], ends[:-1] + 1)), ends)


def spans(doc: Document) -> list[str]:
    return [doc.text[a:b] for a, b in zip(doc.token_start, doc.token_end, strict=True)]


def languages(doc: Document) -> list[str]:
    assert doc.token_language is not None
    return [doc.strings[i] for i in doc.token_language.tolist()]


def test_a_text_in_one_language_is_as_its_tokeniser_has_it(
    many: ManyTokenizer, tokenizer: Tokenizer, unspaced: Tokenizer
) -> None:
    for text, own, code in ((ENGLISH, tokenizer, "en"), (CHINESE, unspaced, "zh")):
        doc, alone = many.tokens_of(text), own.tokens_of(text)
        assert doc == alone
        assert set(languages(doc)) == {code}


def everywhere(language: str) -> Callable[[str], NDArray[np.float32]] | None:
    """Says of Chinese that every character is a word."""
    return (lambda text: np.full(len(text), 99.0, np.float32)) if language == "zh" else None


def test_a_later_stage_is_asked_about_words(many: ManyTokenizer, unspaced: Tokenizer) -> None:
    own = replace(unspaced.options, language="zh")
    chinese = copy(unspaced)
    chinese.options = own
    others = {"en": many.tokenizers["en"], "zh": chinese}
    first = ManyTokenizer(many.recogniser, others).open(decided=True, reader_of=everywhere)
    assert spans(first.tokens_of(CHINESE)) == list(CHINESE)
    assert spans(first.tokens_of(ENGLISH)) == spans(many.tokens_of(ENGLISH))
    pieces = list(first.pieces([CHINESE[:20], CHINESE[20:]]))
    assert [one for piece in pieces for one in spans(piece)] == list(CHINESE)
    assert spans(many.tokens_of(CHINESE)) != list(CHINESE)


def test_paragraphs_in_other_languages_are_cut_by_their_own(many: ManyTokenizer) -> None:
    text = f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH}\n"
    doc = many.tokens_of(text)
    assert doc.text == text
    assert "n't" in doc.column("form")
    assert "图书馆" in spans(doc)
    assert [code for code, _ in _runs(languages(doc))] == ["en", "zh", "en"]
    doc.check()


def _runs(values: list[str]) -> list[tuple[str, int]]:
    changes = [0, *(n for n, (a, b) in enumerate(pairwise(values), 1) if a != b)]
    return [(values[at], at) for at in changes]


def test_a_language_that_is_named_is_obeyed(many: ManyTokenizer, unspaced: Tokenizer) -> None:
    fixed = many.with_options(language="zh-TW")
    doc = fixed.tokens_of(ENGLISH)
    assert spans(doc) == spans(unspaced.tokens_of(ENGLISH))
    assert set(languages(doc)) == {"zh"}
    assert fixed.with_options(language="").tokens_of(ENGLISH) == many.tokens_of(ENGLISH)
    with pytest.raises(UsageError, match=r"does not know Danish \(da\)"):
        many.with_options(language="da")
    with pytest.raises(UsageError, match="has no beam"):
        many.with_options(beam=3)


def test_a_language_without_a_tokeniser_is_cut_by_rule(many: ManyTokenizer) -> None:
    doc = many.with_options(language="fr").tokens_of("Il est tard. Personne ne vient.")
    assert spans(doc)[:4] == ["Il", "est", "tard", "."]
    assert doc.n_sentences == 2


def test_given_tokens_and_boundaries_are_obeyed(many: ManyTokenizer) -> None:
    text = f"{ENGLISH}\n\n{CHINESE}"
    at = text.index("Nobody") + 7
    doc = many.tokens_of(text, GivenText(None, [at], [text.index("She")]))
    starts = set(doc.token_start[doc.sent_start == 1].tolist())
    assert at in starts
    assert text.index("She") not in starts
    given = many.tokens_of(text, GivenText([(0, 2), (3, 7)]))
    assert spans(given) == ["My", "aunt"]


@pytest.mark.parametrize("size", [1, 7, 60, 10_000])
def test_a_stream_is_as_the_whole(many: ManyTokenizer, size: int) -> None:
    text = f"{ENGLISH}\n\n{CHINESE}\n\n{ENGLISH} {ENGLISH}\n\n{CHINESE}"
    blocks = [text[at : at + size] for at in range(0, len(text), size)]
    doc = join(list(many.pieces(blocks)))
    whole = many.tokens_of(text)
    assert doc.text == text
    assert spans(doc) == spans(whole)
    assert languages(doc) == languages(whole)
    assert doc.sent_start.tolist() == whole.sent_start.tolist()


def test_small_paragraphs_are_handed_on_together() -> None:
    parts = [f"{n} boats.\n" for n in range(1000)]
    together = list(_together(parts))
    assert "".join(together) == "".join(parts)
    assert all(len(part) >= 4096 for part in together[:-1])
    assert len(together) < 5
    assert list(_together([])) == []


@given(st.text(st.sampled_from("aThe .\n我们。é\u0301ا\u200d"), max_size=80))
def test_offsets_hold_whatever_the_text(many: ManyTokenizer, text: str) -> None:
    doc = many.tokens_of(text)
    doc.check()
    assert doc.text == text
    assert "".join(spans(doc)).split() == "".join(text.split()).split()


def test_a_parser_that_comes_later_decides_about_sentences(many: ManyTokenizer) -> None:
    class Later:
        kind = "later"
        adds = frozenset({"sentences"})
        needs = frozenset({"tokens"})

    first, _ = wired([many, Later()])  # type: ignore[list-item]
    assert first.adds == {"tokens"}
    assert first.offers == {"language"}
    assert wired([many]) == [many]


def test_it_survives_a_model_file(
    many: ManyTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("many") / "many.caesura"
    save(path, {"tokenizers": many.to_part()})
    again = stage_of(load(path).part("tokenizers"), "tokenizers")
    assert isinstance(again, ManyTokenizer)
    text = f"{ENGLISH}\n\n{CHINESE}"
    assert again.tokens_of(text) == many.tokens_of(text)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"codes": ["en"]}, "which languages"),
        ({"codes": [], "configs": ["{"]}, "cannot be read"),
        ({"codes": [], "configs": ["[]"]}, "cannot be read"),
    ],
)
def test_a_damaged_part_is_refused(labels: dict[str, list[str]], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        ManyTokenizer.from_part(Part("tokenizers", {}, labels))


def test_a_tokeniser_is_made_when_it_is_first_asked_for(many: ManyTokenizer) -> None:
    """That of a language takes megabytes, and a text has one or two."""
    again = ManyTokenizer.from_part(many.to_part())
    assert again.tokenizers._made == {}
    assert again.tokens_of(ENGLISH) == many.tokens_of(ENGLISH)
    assert list(again.tokenizers._made) == ["en"]
    assert again.tokenizers["en"] is again.tokenizers["en"]
    assert list(again.tokenizers) == list(many.tokenizers)
