"""Training a network on a page of our own: a test of the way, not of the result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.errors import InputError
from caesura.formats import read
from caesura.learn.network.examples import IGNORE, Examples, Soft, labels_of, prepare, targets
from caesura.stages.network_reading import word_features
from caesura.stages.word_table import SHAPES, shape
from caesura.transform import speech
from tests.encoders import character_pieces, save_encoder

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_shapes_have_names() -> None:
    told = {form: SHAPES[shape(form)] for form in ("cat", "Cat", "CAT", "I", "12", "a1", ".", "?")}
    assert told == {
        "cat": "lower",
        "Cat": "Title",
        "CAT": "UPPER",
        "I": "X",
        "12": "digits",
        "a1": "d1gits",
        ".": ".",
        "?": "!?",
    }


def test_a_transcript_hides_its_layout() -> None:
    doc = next(iter(read(EXAMPLES / "harbour.conllu")))
    assert word_features(doc).any()
    assert not word_features(speech(doc)).any()


def test_arrays_survive_the_disk(tmp_path: Path) -> None:
    docs = list(read(EXAMPLES / "harbour.conllu"))
    subwords = character_pieces(docs)
    labels = labels_of(docs)
    data = prepare(docs, labels, subwords)
    assert data.n_words == sum(doc.n_words for doc in docs)
    assert (data.head != IGNORE).all()
    doc = docs[0]
    pieces, pointer = subwords.pieces(doc)
    for n, form in enumerate(doc.column("form")):
        assert pointer[n + 1] - pointer[n] == len(form)
    data.save(tmp_path / "data.npz")
    again = Examples.load(tmp_path / "data.npz")
    assert np.array_equal(again.pieces[: len(pieces)], pieces)
    assert np.array_equal(again.head, data.head)


def test_where_a_teacher_answers_nothing_else_is_known() -> None:
    docs = list(read(EXAMPLES / "harbour.conllu"))
    subwords, labels = character_pieces(docs), labels_of(docs)
    gold = prepare(docs, labels, subwords)
    data = prepare(docs, labels, subwords, answers=False)
    for name in ("pieces", "piece_ptr", "features", "doc_ptr"):
        assert np.array_equal(getattr(data, name), getattr(gold, name))
    for name in ("start", "head", "upos", "xpos", "feats", "lemma", "deprel"):
        assert getattr(data, name).shape == getattr(gold, name).shape
        assert (getattr(data, name) == IGNORE).all()


def test_words_without_tags_teach_nothing_about_features() -> None:
    doc = next(iter(read(EXAMPLES / "harbour.conllu")))
    labels = labels_of([doc])
    tagged = targets(doc, labels, None)["feats"]
    assert (tagged != IGNORE).all()
    doc.upos[:5] = doc.xpos[:5] = doc.feats[:5] = 0
    assert (targets(doc, labels, None)["feats"][:5] == IGNORE).all()


def test_what_a_teacher_says_of_words_left_out_is_left_out() -> None:
    answers = {"upos": np.array([[1], [2], [3], [4]], np.int32),
               "head": np.array([[1, 2], [-1, 0], [1, -1], [2, 1]], np.int32)}  # fmt: skip
    chances = {
        "upos": np.ones((4, 1), np.float16),
        "head": np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]], np.float16),
    }
    soft = Soft(np.array([1, 0, 0.75, 0.5], np.float16), answers, chances)
    kept = soft.pick(np.array([True, True, False, True]))
    assert kept.answers["upos"][:, 0].tolist() == [1, 2, 4]
    # The head that is gone has no chance any more; the start goes over to the next word.
    assert kept.answers["head"].tolist() == [[1, -1], [-1, 0], [-1, 1]]
    assert kept.chances["head"][0, 1] == 0
    assert kept.chances["head"][2, 0] == 0
    assert kept.start.tolist() == [1, 0, 1]


def test_a_network_learns(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.loop import Event
    from caesura.learn.network.training import NeuralOptions, train_neural
    from caesura.learn.run import Report
    from caesura.models.file import load, save
    from caesura.pipeline import Pipeline

    events: list[str] = []

    class Stages(Report):
        def __call__(self, stage: str, event: Event | str) -> None:
            if isinstance(event, str) or event.kind != "inside":
                events.append(stage)

    docs = list(read(EXAMPLES / "harbour.conllu"))
    parts, _ = train_neural(
        docs,
        docs,
        save_encoder(tmp_path / "encoder", docs),
        NeuralOptions(epochs=2, batch_pieces=1024),
        report=Stages(),
    )
    assert events.count("network") == 4
    save(tmp_path / "m.caesura", parts)
    nlp = Pipeline(load(tmp_path / "m.caesura"))
    assert nlp("The boats came home.").n_words == 5
    long = " ".join(["The boats came home late and nobody spoke."] * 300)
    assert nlp(long).text == long


def test_an_encoder_without_files_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.net import load_encoder

    with pytest.raises(InputError, match=r"lacks config\.json, tokenizer\.json"):
        load_encoder(tmp_path, 2)
