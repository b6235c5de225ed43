"""A pipeline of two languages: recogniser, tokens by paragraph, a network that knows the language.

The network has random weights: what it says is nonsense, and still has to keep the laws.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modelling.multi.recogniser_training import RecogniserOptions, train_recogniser

from caesura.document import Document
from caesura.learn.network.examples import Labels
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.file import load, save
from caesura.pipeline import Pipeline
from caesura.stages.network_labels import Attributes, Languages
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_subwords import Unigram
from caesura.stages.several_tokenizers import ManyTokenizer
from tests.pipeline.laws import check
from tests.reference.network import random_weights

ENGLISH = "Nobody came to the harbour that night. We waited, and the boats did not move at all."
RUSSIAN = "Никто не пришёл в порт той ночью. Мы ждали, и лодки совсем не двигались до утра."
LABELS = Labels(
    upos=("NOUN", "VERB", "PUNCT", "ADP", "PRON", "DET", "ADV"),
    xpos=("", *(f"X{n}" for n in range(8))),
    feats=("Case=Gen", "Case=Nom", "Gender=Fem", "Number=Plur", "Number=Sing", "Tense=Past"),
    lemma=("l0//0/", "l0//1/", *(f"l0//{n}/" for n in range(2, 13))),
    deprel=("root", "nsubj", "obj", "punct", "obl"),
)


def words(text: str) -> Document:
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    return Document.from_spans(text, np.concatenate(([0], ends[:-1] + 1)), ends)


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    from caesura.learn.network.export import finish

    docs = {"en": [words(ENGLISH)], "ru": [words(RUSSIAN)]}
    options = RecogniserOptions(bits=10, pieces=300, epochs=1, prune=0.0)
    tokens = ManyTokenizer(train_recogniser(docs, options), {})
    letters = sorted({*ENGLISH, *RUSSIAN} - {" "})
    pieces = ("<s>", "<pad>", "</s>", "<unk>", "▁", *letters)
    subwords = Unigram(pieces, (0.0,) * 4 + (-2.0,) * (len(pieces) - 4), -12.0)
    attributes = Attributes(LABELS.feats)
    shape = EncoderShape(len(pieces), 128, 1, 4, 256, 512)
    weights = random_weights(shape)
    random = np.random.default_rng(1)
    weights["features.3.weight"] = random.normal(size=(3, 128)).astype(np.float32)
    weights["manner.weight"] = random.normal(size=(3, 128)).astype(np.float32)
    weights["feats.weight"] = random.normal(size=(attributes.total, 128)).astype(np.float32)
    weights["feats.bias"] = np.zeros(attributes.total, np.float32)
    for code, own, relation in (("en", docs["en"][0], "obj"), ("ru", docs["ru"][0], "obl")):
        own.deprel = own.strings.ids(["root", relation] + ["punct"] * (own.n_words - 2)).astype(
            np.int32
        )
        said = "Number=Sing" if code == "en" else "Case=Gen"
        own.feats = own.strings.ids([said] * own.n_words).astype(np.int32)
    known = Languages.of(docs, attributes, LABELS.deprel, LABELS.lemma, {})
    network = finish(
        weights, shape, LABELS, subwords, SearchSettings(beam=2), limit=120,
        languages=known,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("many") / "two.caesura"
    save(path, {"tokenizers": tokens.to_part(), "neural": network.to_part()}, kind="pipeline")
    return Pipeline(load(path))


def test_each_paragraph_has_what_its_language_may_have(nlp: Pipeline) -> None:
    text = f"{ENGLISH}\n\n{RUSSIAN}\n"
    doc = nlp(text)
    check(doc, text)
    assert doc.token_language is not None
    codes = [doc.strings[i] for i in doc.token_language[doc.word_token].tolist()]
    assert set(codes) == {"en", "ru"}
    rows = zip(codes, doc.column("deprel"), doc.column("feats"), strict=True)
    for code, deprel, feats in rows:
        assert deprel in {"root", "punct", "obj" if code == "en" else "obl"}
        assert feats in {"", "Number=Sing" if code == "en" else "Case=Gen"}


def test_a_language_that_is_named_is_obeyed(nlp: Pipeline) -> None:
    fixed = nlp.with_search(language="ru")
    doc = fixed(ENGLISH)
    assert doc.token_language is not None
    assert {doc.strings[i] for i in doc.token_language.tolist()} == {"ru"}
    assert "obj" not in doc.column("deprel")


def test_a_long_text_is_one_analysis_however_it_comes(nlp: Pipeline, tmp_path: Path) -> None:
    text = f"{ENGLISH}\n\n{RUSSIAN}\n\n" * 60
    whole = nlp(text)
    check(whole, text)
    assert next(iter(nlp.pipe([text]))) == whole


@settings(max_examples=25, deadline=None)
@given(st.text(st.sampled_from("aThe .\nНикто我ا\u0301é\u200d"), max_size=60))
def test_laws_hold_whatever_the_text(nlp: Pipeline, text: str) -> None:
    check(nlp(text), text)
