"""Training: same again, resumed, from a model, by fold; and what it says to bad data."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.document import MAYBE, NO, YES, Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.models.file import Part
from caesura.stages.tagger import Tagger
from caesura.tag import (
    TaggerOptions,
    accuracies,
    boundary_options,
    jackknife,
    mark_starts,
    start_probabilities,
    tagger_loop,
    train_tagger,
)
from caesura.transform import lower
from tests.tag import toy

QUICK = TaggerOptions(epochs=2)


def same(one: Part, other: Part) -> bool:
    return (
        one.labels == other.labels
        and one.arrays.keys() == other.arrays.keys()
        and all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays)
    )


def test_same_seed_same_model() -> None:
    docs = toy.documents(6)
    one, other = (train_tagger(docs, (), QUICK).part for _ in range(2))
    assert same(one, other)


def test_events_tell_scores_and_the_best_epoch_is_kept() -> None:
    loop = tagger_loop(toy.documents(8), toy.documents(2, seed=2), QUICK)
    events = list(loop)
    tagger = Tagger(loop.best["tagger"])
    assert [event.kind for event in events] == ["start", "epoch", "epoch", "done"]
    assert set(events[1].scores) == {"upos", "xpos", "feats", "lemma", "mean"}
    assert set(events[1].stats) == {"loss", "feats loss", "lemma loss"}
    assert accuracies(tagger, toy.documents(2, seed=2))["mean"] > 95


def test_an_interrupted_run_resumes_to_the_same_result(tmp_path: Path) -> None:
    train, dev = toy.documents(8), toy.documents(2, seed=2)
    options = replace(QUICK, epochs=4)
    whole = tagger_loop(train, dev, options).run()["tagger"]
    checkpoint = tmp_path / "run.checkpoint"
    events = iter(tagger_loop(train, dev, options, checkpoint=checkpoint, fingerprint="x"))
    for event in events:
        if event.epoch == 2:
            break
    del events
    loop = tagger_loop(train, dev, options, checkpoint=checkpoint, resume=True, fingerprint="x")
    assert same(loop.run()["tagger"], whole)
    assert [event.epoch for event in loop.history] == [1, 2, 3, 4]
    loop.finish()
    assert not checkpoint.exists()
    tagger_loop(train, dev, QUICK, checkpoint=checkpoint, fingerprint="y").run()
    other = tagger_loop(train, dev, QUICK, checkpoint=checkpoint, resume=True, fingerprint="x")
    with pytest.raises(ModelError, match="other options or other data"):
        other.run()


@pytest.mark.parametrize("learner", ["crf", "perceptron"])
@pytest.mark.parametrize("order", [1, 2])
def test_learners_and_orders(learner: str, order: int) -> None:
    options = replace(QUICK, learner=learner, order=order)
    tagger = train_tagger(toy.documents(12), (), options)
    assert accuracies(tagger, toy.documents(2, seed=2))["mean"] > 97


def test_a_model_goes_on_with_new_labels() -> None:
    docs = toy.documents(8)
    old = train_tagger(docs, (), QUICK)
    for doc in docs:
        doc.set_column("upos", [tag.replace("NOUN", "NAME") for tag in doc.column("upos")])
    loop = tagger_loop(docs, (), QUICK, init=old.part)
    new = Tagger(loop.run()["tagger"])
    assert new.labels[: len(old.labels)] == old.labels
    assert accuracies(new, docs)["mean"] > 95
    with pytest.raises(UsageError, match="has columns"):
        tagger_loop(docs, (), replace(QUICK, chain=("xpos",)), init=old.part)


@pytest.mark.parametrize(
    ("missing", "columns"),
    [
        (("upos",), ("xpos", "feats", "lemma")),
        (("xpos", "feats"), ("upos", "lemma")),
        (("lemma", "feats"), ("upos", "xpos")),
    ],
)
def test_missing_columns_are_not_learned(
    missing: tuple[str, ...], columns: tuple[str, ...]
) -> None:
    docs = toy.documents(6)
    for doc in docs:
        for column in missing:
            doc.set_column(column, [""] * doc.n_words)
    tagger = train_tagger(docs, (), QUICK)
    assert tagger.columns == columns
    assert accuracies(tagger, docs)["mean"] > 95


def test_any_column_can_be_learned() -> None:
    docs = toy.documents(6)
    options = replace(QUICK, chain=("feats",), given=("xpos",))
    tagger = train_tagger(docs, (), options)
    assert tagger.columns == ("feats", "xpos")
    assert accuracies(tagger, docs)["mean"] > 95


def test_word_classes_are_features_and_travel_with_the_model() -> None:
    classes = {"cat": 1, "tree": 1, "boat": 2}
    tagger = train_tagger(toy.documents(4), (), QUICK, word_classes=classes)
    assert Tagger(tagger.part).word_classes == classes


# --------------------------------------------------------------- boundaries


def test_the_boundary_labeller_finds_sentences() -> None:
    tagger = train_tagger(toy.documents(20), (), replace(boundary_options(), epochs=3))
    docs = toy.documents(4, seed=3)
    gold = [doc.sent_start.copy() for doc in docs]
    assert accuracies(tagger, docs, "document")["start"] == 100.0
    for doc in docs:
        doc.sent_start = np.full(doc.n_tokens, MAYBE, np.int8)
    mark_starts(tagger, docs, 0.5)
    assert all(np.array_equal(doc.sent_start, want) for doc, want in zip(docs, gold, strict=True))
    probabilities = start_probabilities(tagger, docs)
    starts = np.concatenate(gold) == YES
    assert probabilities[starts].min() > probabilities[~starts].max()
    mark_starts(tagger, docs, 1.1)
    assert all(int((doc.sent_start == YES).sum()) == 1 for doc in docs)


def test_fixed_sentences_are_obeyed() -> None:
    tagger = train_tagger(toy.documents(8), (), replace(boundary_options(), epochs=1))
    doc = toy.documents(1, seed=4)[0]
    doc.sent_start = np.array([YES, NO, YES] + [MAYBE] * (doc.n_tokens - 3), np.int8)
    doc.fixed = frozenset({"sentences"})
    mark_starts(tagger, [doc])
    assert doc.sent_start[:3].tolist() == [YES, NO, YES]


# -------------------------------------------------------------- jackknifing


def test_jackknifing_tags_every_document_and_keeps_the_rest() -> None:
    docs = toy.documents(6)
    tagged = jackknife(docs, QUICK, folds=3)
    assert [doc.id for doc in tagged] == [doc.id for doc in docs]
    for new, old in zip(tagged, docs, strict=True):
        assert new.column("form") == old.column("form")
        assert np.mean(np.array(new.column("xpos")) == np.array(old.column("xpos"))) > 0.9
        assert np.array_equal(new.sent_start, old.sent_start)


def test_one_document_is_dealt_out_by_sentences() -> None:
    doc = Document.join(toy.documents(5))
    before = doc.column("upos")
    calls = []
    tagged = jackknife(
        [doc], QUICK, folds=2, variant=lower, on_fold=lambda *fold: calls.append(fold)
    )
    assert calls == [(1, 2), (2, 2)]
    assert [len(one.column("upos")) for one in tagged] == [doc.n_words] * 2
    assert tagged[1].column("form")[0] == "the"
    assert doc.column("upos") == before


def test_jackknifing_needs_folds_and_sentences() -> None:
    with pytest.raises(UsageError, match="two folds"):
        jackknife(toy.documents(3), QUICK, folds=1)
    one = toy.document([toy.sentence(random.Random(1))])
    with pytest.raises(InputError, match="one sentence"):
        jackknife([one], QUICK, folds=2)


# ----------------------------------------------------------------- bad data


def test_bad_data_get_one_sentence() -> None:
    with pytest.raises(InputError, match="no words to learn from"):
        train_tagger([], (), QUICK)
    with pytest.raises(InputError, match="no words to learn from"):
        train_tagger([Document()], (), QUICK)
    doc = toy.documents(1)[0]
    doc.set_column("upos", ["X"] * doc.n_words)
    with pytest.raises(InputError, match="one label"):
        train_tagger([doc], (), replace(QUICK, chain=("upos",)))
    doc.set_column("upos", [""] * doc.n_words)
    doc.set_column("xpos", [""] * doc.n_words)
    with pytest.raises(InputError, match="both empty"):
        train_tagger([doc], (), QUICK)
    with pytest.raises(InputError, match="no word has a value in the column deprel"):
        train_tagger([doc], (), replace(QUICK, chain=("deprel",)))
    with pytest.raises(UsageError, match="no tagger learns 'nose'"):
        train_tagger([doc], (), replace(QUICK, chain=("nose",)))


def test_labels_of_dev_that_training_lacks_count_as_wrong() -> None:
    dev = toy.documents(2, seed=2)
    for doc in dev:
        doc.set_column("upos", ["NEW" if tag == "PUNCT" else tag for tag in doc.column("upos")])
    loop = tagger_loop(toy.documents(6), dev, QUICK)
    loop.run()
    assert 50 < loop.history[-1].scores["upos"] < 95


KILLED = """
import sys
from caesura.tag import TaggerOptions, tagger_loop
from tests.tag import toy
from pathlib import Path
loop = tagger_loop(toy.documents(8), (), TaggerOptions(epochs=400), checkpoint=Path(sys.argv[1]))
for event in loop:
    print(event.epoch, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_leaves_its_last_checkpoint(tmp_path: Path) -> None:
    checkpoint = tmp_path / "run.checkpoint"
    root = Path(__file__).parent.parent.parent
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(checkpoint)], cwd=root, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= 3:
            break
    time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    loop = tagger_loop(
        toy.documents(8), (), TaggerOptions(epochs=3), checkpoint=checkpoint, resume=True
    )
    first = next(iter(loop))
    assert first.epoch >= 3


def in_lines(count: int, seed: int) -> list[Document]:
    """Words in any order, without case and marks: nothing but the lines tells sentences."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        rows = [[("la", "la", "X", "X", "")] * rng.randint(2, 6) for _ in range(8)]
        doc = toy.document(rows, f"lines-{number}")
        text = list(doc.text)
        for token in np.flatnonzero(doc.sent_start == YES).tolist()[1:]:
            text[int(doc.token_start[token]) - 1] = "\n"
        doc.text = "".join(text)
        doc.set_column("upos", [("A", "B")[k % 2] for k in range(doc.n_words)])
        found.append(doc)
    return found


def test_the_boundary_labeller_looks_at_the_layout() -> None:
    tagger = train_tagger(in_lines(20, 1), (), replace(boundary_options(), epochs=3))
    assert tagger.breaks
    for gold in in_lines(5, 2):
        doc = replace(gold, sent_start=np.full(gold.n_tokens, MAYBE, np.int8))
        mark_starts(tagger, [doc])
        assert doc.sent_start.tolist() == gold.sent_start.tolist()
    # A tagger of words as they are does not.
    assert not train_tagger(toy.documents(4), (), TaggerOptions(epochs=1)).breaks
