"""Treebanks of several languages in a folder, and a tokeniser of all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from modelling.multi.recogniser_training import RecogniserOptions, train_recogniser
from modelling.multi.tokenizers import (
    ManyOptions,
    by_language,
    find_treebanks,
    has_spaces,
    train_tokenizer,
    train_tokenizers,
)

from caesura.document import Document
from caesura.errors import InputError
from caesura.formats import write
from caesura.stages.tokenizer import TokenizerOptions
from tests.tokenize.corpus import documents, unspaced_document

OPTIONS = ManyOptions(
    TokenizerOptions(bits=14, epochs=2, rare_cut=2, rare_start=2),
    RecogniserOptions(bits=10, pieces=300, epochs=1, prune=0.0),
)


def put(folder: Path, name: str, docs: list[Document]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write(docs, folder / name)


@pytest.fixture
def treebanks(tmp_path: Path) -> Path:
    english, chinese = documents(12), [unspaced_document(seed) for seed in range(6)]
    put(tmp_path / "UD_English-Main", "en_main-ud-train.conllu", english[:6])
    put(tmp_path / "UD_English-Main", "en_main-ud-dev.conllu", english[6:8])
    put(tmp_path / "UD_English-More", "en_more-ud-train.conllu", english[8:])
    put(tmp_path / "UD_Chinese-Small", "zh_small-ud-train.conllu", chinese)
    put(tmp_path / "UD_Norwegian-Nynorsk", "no_nynorsk-ud-train.conllu", [spaced()])
    (tmp_path / "README.md").write_text("no treebank")
    return tmp_path


def spaced() -> Document:
    """A text whose marks have blanks before them: it does not say where blanks are."""
    text = "båten kjem ikkje i dag , og ingen veit kvifor . " * 10
    starts, ends, at = [], [], 0
    for word in text.split():
        starts.append(at)
        ends.append(at + len(word))
        at += len(word) + 1
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start[:] = [n % 11 == 0 for n in range(doc.n_tokens)]
    return doc


def hyphenated(whole: bool) -> Document:
    """Sentences with words with hyphens, which are one token or three."""
    starts, ends, text, first = [], [], "", []
    for n in range(40):
        first.append(len(starts))
        for token in ("ann", "bob-cid" if n % 2 else "dan-eva", "ran", "."):
            parts = [token] if whole or "-" not in token else [token[:3], "-", token[4:]]
            text += " " if text and token != "." else ""
            for part in parts:
                starts.append(len(text))
                text += part
                ends.append(len(text))
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = np.isin(np.arange(doc.n_tokens), first).astype(np.int8)
    return doc


def test_words_are_those_of_the_main_treebank(tmp_path: Path) -> None:
    """Another may tell of sentences, and no more than that."""
    put(tmp_path / "UD_English-A", "en_a-ud-train.conllu", [hyphenated(True)])
    put(tmp_path / "UD_English-A", "en_a-ud-dev.conllu", [hyphenated(True)])
    put(tmp_path / "UD_English-B", "en_b-ud-train.conllu", [hyphenated(False)] * 4)
    tokenizer, scores = train_tokenizer("en", find_treebanks([tmp_path]), OPTIONS)
    assert tokenizer is not None
    assert scores["Words"] == 100
    doc = tokenizer.tokenize("ann bob-cid ran.")
    assert doc.column("form") == ["ann", "bob-cid", "ran", "."]


def test_treebanks_are_found_by_the_names_of_their_files(treebanks: Path) -> None:
    found = find_treebanks([treebanks])
    assert [(t.name, t.language, t.dev is not None) for t in found] == [
        ("UD_Chinese-Small", "zh", False),
        ("UD_English-Main", "en", True),
        ("UD_English-More", "en", False),
        ("UD_Norwegian-Nynorsk", "nn", False),
    ]
    docs = by_language(found)
    assert sorted(docs) == ["en", "nn", "zh"]
    assert len(by_language(found, most=1)["en"]) == 2
    assert list(by_language(found, "dev")) == ["en"]
    with pytest.raises(InputError, match="no such folder"):
        find_treebanks([treebanks / "nowhere"])


def test_a_file_says_where_blanks_are_or_it_does_not() -> None:
    assert has_spaces(documents(2))
    assert has_spaces([unspaced_document(1)])
    assert not has_spaces([spaced()])


def test_every_language_gets_its_tokeniser(treebanks: Path) -> None:
    told = {}
    many = train_tokenizers(
        find_treebanks([treebanks]),
        OPTIONS,
        report=lambda code, scores: told.update({code: scores}),
    )
    assert sorted(many.tokenizers) == ["en", "zh"]
    bare = train_recogniser(by_language(find_treebanks([treebanks])), OPTIONS.recogniser)
    assert all(map(np.array_equal, many.recogniser.weights, bare.weights))
    assert many.recogniser.scale != bare.scale  # chosen on the dev file
    assert many.languages == ("en", "nn", "zh")
    assert told["nn"] == told["zh"] == {}
    assert told["en"]["Words"] > 80
    cut = ManyOptions(OPTIONS.tokenizer, OPTIONS.recogniser, most=60)
    few = train_tokenizers(find_treebanks([treebanks]), cut)
    assert sorted(few.tokenizers) == ["en", "zh"]


def test_a_language_is_measured_on_its_main_treebanks(treebanks: Path) -> None:
    put(treebanks / "UD_English-More", "en_more-ud-dev.conllu", documents(2, first=40))
    found = [t._replace(main=t.language == "en") for t in find_treebanks([treebanks])]
    told = {}
    both = train_tokenizers(
        found,
        OPTIONS,
        named={"zh": ["图书馆"], "en": ["boat"]},
        report=lambda code, scores: told.update({code: scores}),
    )
    assert told["en"]["Words"] > 80
    assert both.tokenizers["zh"].named == ["图书馆"]
    assert not both.tokenizers["zh"].options.speech  # which would put blanks between words
    assert both.tokenizers["en"].options.speech
