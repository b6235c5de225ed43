"""The updates of the core against their twin, feature by feature."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caesura.learn.joint_parser import DELAYED, ParserTrainer, TrainOptions
from caesura.stages.joint_features import COLUMNS, vocabulary
from caesura.stages.joint_parser import SearchOptions
from caesura.stages.templates import in_order
from tests.parse.toy import corpus
from tests.reference import parse as naive
from tests.reference.parse_learning import Gold, Learner, Step

SMALL = TrainOptions(search=SearchOptions(beam=3), bits=12)


def twin_of(trainer: ParserTrainer, options: TrainOptions) -> Learner:
    kinds = [name.partition(":") for name in trainer.inventory.names()]
    return Learner(
        [(kind, label) for kind, _, label in kinds],
        lambda step: [],
        options.update,
        options.search.beam,
        options.step == "pa",
        options.dlaso_pa,
    )


def features_of(trainer: ParserTrainer, instance):
    labels = {name: number for number, name in enumerate(trainer.inventory.labels)}
    table, context = (array.tolist() for array in instance.words[:2])
    seeds = trainer.templates.seeds.tolist()
    templates, _ = in_order(trainer.chosen, vocabulary())

    def rows(step: Step) -> list[int]:
        found = naive.atoms(step.configuration, step.history, labels, table, context, COLUMNS)
        return [
            naive.row(t, seed, found, 1 << 12) for t, seed in zip(templates, seeds, strict=True)
        ]

    return rows


@pytest.mark.parametrize("step", ["perceptron", "pa"])
@pytest.mark.parametrize(
    ("update", "delayed"),
    [("laso", "in-turn"), ("early", "in-turn"), ("max-violation", "in-turn")]
    + [("dlaso", delayed) for delayed in DELAYED],
)
def test_updates_are_those_of_the_twin(update: str, delayed: str, step: str) -> None:
    cap = 1e6 if (delayed, step) == ("per-update", "pa") else np.inf
    options = replace(SMALL, update=update, step=step, dlaso_pa=delayed, cap=cap)
    trainer = ParserTrainer(corpus(4, 2, 2), (), options)
    twin = twin_of(trainer, options)
    close = (lambda x: x) if step == "perceptron" else (lambda x: pytest.approx(x, abs=1e-4))
    learner, seen = trainer.learner, 0
    for tick, instance in enumerate([*trainer.instances(1), *trainer.instances(2)], 1):
        actions = learner.derivation(instance)
        twin.rows = features_of(trainer, instance)
        names = [trainer.inventory.labels[label] for label in instance.labels]
        gold = Gold(instance.heads.tolist(), names, np.flatnonzero(instance.starts).tolist())
        expected = twin.learn(actions.tolist(), gold, len(names), tick)
        learner.run([instance])
        found = learner.core.updates
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert one == close(other)
        seen += len(found)
    assert seen > 2
    entries = (array.tolist() for array in learner.weights.entries())
    learned = {place: (weight, total) for place, weight, total in zip(*entries, strict=True)}
    width = learner.weights.width
    total: dict[int, float] = {}
    for (row, action), change, tick in twin.changes:
        total[row * width + action] = total.get(row * width + action, 0.0) + change * tick
    for (row, action), weight in twin.weights.items():
        at = row * width + action
        assert learned.get(at, (0.0, 0.0)) == close((weight, total[at]))
