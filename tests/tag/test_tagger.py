"""The tagger: columns, regimes, fixed values, k best, streams, broken models."""

from __future__ import annotations

import random
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.models.file import Part, load, save
from caesura.stages.lemmas import LemmaCache
from caesura.stages.tagger import allowed_labels
from caesura.stages.tagger_tables import TypeCache
from caesura.tag import Tagger, accuracies
from tests.tag import toy


def bare(doc: Document) -> Document:
    """The words of a document and nothing else."""
    starts, ends = doc.token_start, doc.token_end
    return Document.from_spans(doc.text, starts, ends)


def columns(doc: Document) -> list[list[str]]:
    return [doc.column(name) for name in ("upos", "xpos", "feats", "lemma")]


def test_it_learns_the_toy_language(tagger: Tagger) -> None:
    held = toy.documents(5, seed=9)
    for regime in ("sentences", "document"):
        assert min(accuracies(tagger, held, regime).values()) == 100.0


def test_it_fills_the_columns_of_a_document(tagger: Tagger) -> None:
    doc = toy.document([toy.sentence(random.Random(4))])
    fresh = bare(doc)
    tagger.tag(fresh)
    assert columns(fresh) == columns(doc)
    assert fresh.tag_conf is None


def test_a_batch_gives_what_single_documents_give(tagger: Tagger) -> None:
    docs = [bare(doc) for doc in toy.documents(4, seed=3)]
    alone = [copy(doc) for doc in docs]
    tagger.tag(docs)
    for doc in alone:
        tagger.tag(doc)
    assert [columns(doc) for doc in docs] == [columns(doc) for doc in alone]


def test_empty_documents_are_left_alone(tagger: Tagger) -> None:
    docs = [Document(), bare(toy.documents(1)[0]), Document()]
    tagger.tag(docs, confidence=True)
    assert docs[0].n_words == 0
    assert all(docs[1].column("upos"))
    tagger.tag([])


@given(st.lists(st.text(min_size=1, max_size=6).filter(lambda t: t.strip()), max_size=8))
@settings(max_examples=40, deadline=None)
def test_any_text_can_be_tagged(tagger: Tagger, forms: list[str]) -> None:
    text = " ".join(forms)
    ends = np.cumsum([len(form) + 1 for form in forms], dtype=np.int64) - 1
    doc = Document.from_spans(text, ends - np.array([len(f) for f in forms], np.int64), ends)
    tagger.tag(doc, confidence=True)
    assert len(doc.column("upos")) == len(forms)
    assert all(doc.column("upos"))


def test_fixed_tags_are_obeyed(tagger: Tagger) -> None:
    doc = bare(toy.documents(1)[0])
    doc.set_column("upos", ["VERB" if i == 1 else "" for i in range(doc.n_words)])
    doc.set_column("xpos", ["ODD" if i == 2 else "" for i in range(doc.n_words)])
    doc.set_column("lemma", ["mine" if i == 3 else "" for i in range(doc.n_words)])
    doc.fixed = frozenset({"tags", "lemmas"})
    tagger.tag(doc)
    assert doc.column("upos")[1] == "VERB"
    assert doc.column("xpos")[1] == "VBZ"
    assert doc.column("xpos")[2] == "ODD"
    assert doc.column("lemma")[3] == "mine"
    assert all(doc.column("upos"))


def test_the_confidence_of_a_tag_is_its_posterior(tagger: Tagger) -> None:
    doc = bare(toy.documents(1)[0])
    tagger.tag(doc, confidence=True)
    values, number = tagger.label_values(tagger.chain[0])
    labels, masses = tagger.posteriors([doc])
    sums = np.zeros((doc.n_words, len(values) + 1), np.float64)
    for word, (own, mass) in enumerate(zip(labels, masses, strict=True)):
        np.add.at(sums[word], np.where(own < 0, -1, number[own]), mass)
    assert doc.tag_conf is not None
    np.testing.assert_allclose(doc.tag_conf, sums[:, :-1].max(axis=1), rtol=1e-5)
    assert [values[n] for n in sums[:, :-1].argmax(axis=1)] == doc.column(tagger.chain[0])
    with pytest.raises(UsageError, match="no labels for 'deprel'"):
        tagger.label_values("deprel")


def test_viterbi_with_little_room_gives_the_same(tagger: Tagger) -> None:
    doc = Document.join(toy.documents(10, seed=6))
    words, seen = tagger.encode([doc])
    begins = np.array([0, len(words)], np.int64)
    limits = allowed_labels([doc], tagger.chain, tagger.labels)
    paths = []
    for room in (8, 32, 1000):
        path = tagger.decoder.decode(
            seen.attributes, seen.vectors, words, begins, *limits, tagger.narrow_width,
            tagger.narrow_margin, room=room,
        )  # fmt: skip
        paths.append(path.tolist())
    assert paths[0] == paths[1] == paths[2]


def test_full_caches_start_again(tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = [bare(doc) for doc in toy.documents(6, seed=7)]
    tagger.tag(docs)
    want = [columns(doc) for doc in docs]
    monkeypatch.setattr(TypeCache, "full", property(lambda self: True))
    monkeypatch.setattr(LemmaCache, "full", property(lambda self: True))
    for doc in docs:
        tagger.tag(doc)
    assert [columns(doc) for doc in docs] == want


# ------------------------------------------------------------------- files


def test_a_saved_tagger_tags_the_same(tagger: Tagger, tmp_path: Path) -> None:
    save(tmp_path / "toy.model", {"tagger": tagger.part})
    again = Tagger.load(tmp_path / "toy.model")
    one, other = (bare(toy.documents(1, seed=8)[0]) for _ in range(2))
    tagger.tag(one)
    again.tag(other)
    assert columns(one) == columns(other)


def broken(part: Part, name: str) -> Part:
    config, labels, arrays = dict(part.config), dict(part.labels), dict(part.arrays)
    if name == "columns":
        config["chain"] = ["upos"]
    elif name == "order":
        config["order"] = 3
    elif name == "template":
        config["templates"] = ["lower"]
    elif name == "labels":
        labels["chain"] = labels["chain"][:-1]
    elif name == "values":
        labels["feats"] = labels["feats"][:1]
    elif name == "rules":
        labels["lemma"] = ["?", *labels["lemma"][1:]]
    elif name == "array":
        del arrays["chain.values"]
    elif name == "shape":
        arrays["chain.gaps"] = arrays["chain.gaps"][:-1]
    elif name == "pairs":
        arrays["pairs.counts"] = np.append(arrays["pairs.counts"], np.uint8(0))
        arrays["pairs.exponents"] = np.append(arrays["pairs.exponents"], np.int8(0))
    return Part(part.kind, config, labels, arrays)


@pytest.mark.parametrize(
    "name", ["columns", "order", "template", "labels", "values", "rules", "array", "shape", "pairs"]
)
def test_a_broken_tagger_is_refused(tagger: Tagger, name: str) -> None:
    with pytest.raises(ModelError):
        Tagger(broken(tagger.part, name))


def test_other_models_are_refused(tagger: Tagger, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a parser, not a tagger"):
        Tagger(Part("parser"))
    path = tmp_path / "other.model"
    save(path, {"parser": Part("parser")})
    with pytest.raises(ModelError, match="has no tagger"):
        Tagger.load(path)
    save(path, {"tagger": tagger.part})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelError):
        Tagger.load(path)
    part = broken(tagger.part, "none")
    part.arrays["x"] = np.array([np.nan], np.float32)
    save(path, {"tagger": part})
    with pytest.raises(ModelError, match="NaN"):
        load(path)
