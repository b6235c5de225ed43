"""One thread's share of training: weights, working memory, and the pass over its instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import JointSystem, LearnedWeights, ParserLearner, oracle
from caesura.document import UNKNOWN
from caesura.learn.gold_trees import Instance
from caesura.learn.loop import Report, silent
from caesura.stages.joint_decode import settings_of
from caesura.stages.joint_inventory import SB, SHIFT, SWAP
from caesura.stages.parse_constraints import WordConstraints, limits_of
from caesura.stages.parse_limits import MUST, NEVER
from caesura.stages.parser_options import DELAYED, TrainOptions
from caesura.stages.templates import Templates
from caesura.stages.word_table import EVIDENCE_ODDS, LAYOUT_ODDS

__all__ = ["Learner", "Tally"]

#: The numbers of the updates in the core.
_UPDATES: Final = {"laso": 0, "greedy": 0, "early": 1, "max-violation": 2, "dlaso": 3}
#: Features of an update, as a power of two. So many take 400 MB; only the updates of documents of
#: more than ten thousand words, accumulated, have more.
_MOST_BITS: Final = 24


@dataclass
class Tally:
    """What happened in a pass: steps of the gold derivations, steps used, updates, and so on.

    `dropped` are features of updates for which there was no room.
    """

    instances: int = 0
    steps: int = 0
    used: int = 0
    updates: int = 0
    clean: int = 0
    skipped: int = 0
    dropped: int = 0

    def __iadd__(self, other: Tally) -> Tally:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def as_stats(self) -> dict[str, float]:
        rare = {"skipped": float(self.skipped), "dropped": float(self.dropped)}
        return {
            "share": self.used / max(1, self.steps),
            "updates": float(self.updates),
            "clean": self.clean / max(1, self.instances),
        } | {name: value for name, value in rare.items() if value}


class Learner:
    """Weights and working memory; `run` learns from instances in the order given."""

    def __init__(
        self, options: TrainOptions, system: JointSystem, templates: Templates, width: int
    ) -> None:
        self.options = options
        self.system = system
        self.weights = LearnedWeights(options.bits, width)
        self.ticks = 0
        patient = replace(options.search, bias=0.0, bonus=0.0, patience=1 << 30)
        self.core = ParserLearner(
            system,
            *templates,
            settings_of(options.in_use(patient)),
            EVIDENCE_ODDS,
            LAYOUT_ODDS,
            update=_UPDATES[options.update],
            delayed=DELAYED.index(options.dlaso_pa),
            passive_aggressive=options.step == "pa",
            cap=min(options.cap, 1e30),
            plus=float(options.err_plus_one),
            delta_bits=_MOST_BITS,
        )

    def run(self, instances: Sequence[Instance], report: Report = silent) -> Tally:
        """Learn from instances, one tick of the averaging each."""
        tally = Tally()
        for done, instance in enumerate(instances):
            report(done / len(instances))
            actions = self.derivation(instance)
            self.ticks += 1
            if actions is None:
                tally.skipped += 1
                continue
            heads, labels, starts = _gold(instance)
            used, updates, dropped = self.core.learn(
                self.weights, self.ticks, *instance.words, actions, heads, labels, starts
            )
            tally.instances += 1
            tally.steps += len(actions)
            tally.used += used
            tally.updates += updates
            tally.clean += int(updates == 0)
            tally.dropped += dropped
        return tally

    def derivation(self, instance: Instance) -> NDArray[np.int32] | None:
        """The gold transitions: the oracle's, or of several right ones those that score highest."""
        options = self.options
        if instance.complete and options.boundaries != "latent":
            late, eager = options.boundaries == "late", options.swap == "eager"
            actions: NDArray[np.int32] = oracle(
                self.system, instance.heads, instance.labels, instance.starts, late, eager
            )
            if actions[0] < 0:
                return None
            if instance.ahead:
                actions = _closed(actions, len(instance.heads))
            return actions
        return self._constrained(instance)

    def _constrained(self, instance: Instance) -> NDArray[np.int32] | None:
        starts = np.where(instance.starts, MUST, NEVER).astype(np.int8)
        starts[0] = 0
        if self.options.boundaries == "none":
            starts[:] = 0
        labels = np.where(instance.heads == UNKNOWN, -1, instance.labels).astype(np.int32)
        limits = limits_of(
            WordConstraints(starts, instance.heads, labels),
            single_root=self.options.single_root,
            patient=self.options.boundaries in ("late", "latent"),
        )
        return self.core.derive(self.weights, *instance.words, limits)


def _gold(
    instance: Instance,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Heads, labels and starts; words ahead begin a sentence, of which nothing else is known."""
    heads, labels, starts = instance.heads, instance.labels, instance.starts
    if instance.ahead:
        nothing = np.full(instance.ahead, UNKNOWN, np.int32)
        heads, labels = np.concatenate([heads, nothing]), np.concatenate([labels, nothing])
        starts = np.concatenate([starts, np.arange(instance.ahead) == 0])
    return heads, labels, starts


def _closed(actions: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """The transitions with the boundary after so many words, as soon as all are shifted."""
    taken = np.cumsum((actions == SHIFT).astype(np.int64) - (actions == SWAP))
    return np.insert(actions, int(np.argmax(taken == words)) + 1, SB)
