"""Training: oracle states, bootstraps, projective data, the model file."""

import numpy as np
import pytest

from caesura.errors import InputError, ModelError
from caesura.learn.branching_parser import BranchingLoop, BranchingTrainer, BranchTraining
from caesura.learn.tuning import scores
from caesura.models.file import load, save
from caesura.stages.branching_parser import KINDS, BranchingParser, BranchOptions
from tests.parse.toy import corpus


def test_the_toy_grammar_is_learned(toy_parser):
    docs = corpus(20, 5)
    assert scores(docs, toy_parser.analyse(docs), toy_parser.inventory)["LAS"] > 90


def test_a_model_of_projective_trees_knows_no_pass(toy_training):
    trainer, _ = toy_training
    kinds = {KINDS[kind] for kind, _ in trainer.inventory.actions}
    assert kinds == {"LEFT-REDUCE", "RIGHT-SHIFT", "NO-SHIFT", "NO-REDUCE"}


def test_oracle_sequences_have_at_most_2n_minus_1_steps(toy_training):
    trainer, _ = toy_training
    assert (trainer.steps <= 2 * np.diff(trainer.gold.bounds) - 1).all()


def test_a_bootstrap_learns_from_the_states_of_its_own_sequences(toy_training):
    trainer, loop = toy_training
    assert [event.stats["round"] for event in loop.history] == [0, 0, 1]
    # One sequence for each sentence at least, a second one where another has more right arcs.
    assert trainer.counters["sentences"] == len(trainer.steps)
    assert len(trainer.examples.gold) >= 0.9 * trainer.counters["steps"]


def test_parts_are_explored_by_models_of_the_other_parts():
    options = BranchTraining(search=BranchOptions(beam=4), rounds=(1, 1), bits=12, folds=2)
    trainer = BranchingTrainer(corpus(1, 4), corpus(2, 1), options)
    BranchingLoop(trainer, options.epochs, metric="LAS").run()
    sentences = trainer.examples.sentence
    # First all even sentences, then all odd ones, each of them there.
    assert sorted(set(sentences.tolist())) == list(range(len(trainer.steps)))
    assert np.flatnonzero(sentences % 2 == 0).max() < np.flatnonzero(sentences % 2 == 1).min()


def test_the_same_data_and_seed_give_the_same_parser():
    options = BranchTraining(search=BranchOptions(beam=4), rounds=(1, 1), bits=10)
    tables = []
    for _ in range(2):
        trainer = BranchingTrainer(corpus(1, 3), corpus(2, 1), options)
        loop = BranchingLoop(trainer, options.epochs, metric="LAS")
        loop.run()
        tables.append(trainer.parser().rows.table())
    assert np.array_equal(*tables)


def test_an_interrupted_run_goes_on_to_the_same_result(tmp_path):
    options = BranchTraining(search=BranchOptions(beam=4), rounds=(1, 2), bits=10)

    def loop(epochs, **more):
        trainer = BranchingTrainer(corpus(1, 3), corpus(2, 1), options)
        return BranchingLoop(trainer, epochs, metric="LAS", **more)

    whole = loop(3)
    whole.run()
    file = tmp_path / "run.checkpoint"
    loop(2, checkpoint=file).run()
    rest = loop(3, checkpoint=file, resume=True)
    rest.run()
    assert np.array_equal(whole.trainer.parser().rows.table(), rest.trainer.parser().rows.table())


def test_a_parser_survives_the_model_file(toy_parser, tmp_path):
    path = tmp_path / "toy.caesura"
    save(path, {"parser": toy_parser.to_part()})
    again = BranchingParser.load(path)
    docs = corpus(21, 3)
    for one, other in zip(toy_parser.analyse(docs), again.analyse(docs), strict=True):
        assert np.array_equal(one.heads, other.heads)
        assert np.array_equal(one.labels, other.labels)
    assert again.search == toy_parser.search


def test_a_damaged_part_is_refused(toy_parser, tmp_path):
    part = toy_parser.to_part()
    part.arrays["actions"] = part.arrays["actions"] + 90
    save(tmp_path / "bad.caesura", {"parser": part})
    with pytest.raises(ModelError, match="do not fit"):
        BranchingParser.from_part(load(tmp_path / "bad.caesura").part("parser"))


def test_training_without_dev_is_refused():
    with pytest.raises(InputError, match="no dev data"):
        BranchingTrainer(corpus(1, 1), [])


@pytest.mark.parametrize("learner", ["perceptron", "svm"])
def test_the_other_learners_learn_too(learner):
    options = BranchTraining(rounds=(3,), bits=12, learner=learner)
    docs = corpus(2, 3)
    trainer = BranchingTrainer(corpus(1, 12), docs, options)
    for epoch in (1, 2, 3):
        trainer.epoch(epoch)
    assert trainer.score()["LAS"] > 80


def test_weights_take_memory_for_rows_that_occur(toy_training):
    trainer, _ = toy_training
    wide = BranchingTrainer(
        corpus(1, 12), corpus(2, 1), BranchTraining(rounds=(1,), bits=24, search=BranchOptions(4))
    )
    wide.epoch(1)
    states = len(wide.examples.gold)
    assert len(wide.weights) == len(np.unique(wide.examples.rows)) < states * len(wide.templates)
    assert len(wide.weights) < 1 << 16
    assert len(trainer.weights) <= 1 << 12
