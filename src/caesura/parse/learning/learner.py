"""One thread's share of training: weights, working memory, and the pass over its instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN
from caesura.learn.loop import Report, silent
from caesura.learn.templates import Templates
from caesura.parse.constraints import WordConstraints, limits_of
from caesura.parse.gold_trees import Instance
from caesura.parse.learning.updates import (
    ACCUMULATED,
    DLASO,
    EARLY,
    IN_TURN,
    IN_TURN_LOSS,
    LASO,
    MAX_VIOLATION,
    PER_UPDATE,
    Gold,
    Steps,
    learn,
    new_delta,
    new_pairs,
)
from caesura.parse.limits import MUST, NEVER, no_limits
from caesura.parse.options import TrainOptions
from caesura.parse.scorers.linear import Linear32, new_scratch
from caesura.parse.search.beam import DONE, FULL, advance
from caesura.parse.search.frontier import how_to, new_frontier
from caesura.parse.transitions.graph_stack import (
    ACTION,
    PARENT,
    grown,
    new_arena,
    reset,
)
from caesura.parse.transitions.inventory import SB, SHIFT, SWAP, System
from caesura.parse.transitions.oracle import oracle

__all__ = ["Learner", "Tally"]

_UPDATES = {
    "dlaso": DLASO,
    "max-violation": MAX_VIOLATION,
    "early": EARLY,
    "laso": LASO,
    "greedy": LASO,
}
_DELAYED = {
    "accumulated": ACCUMULATED,
    "per-update": PER_UPDATE,
    "in-turn": IN_TURN,
    "in-turn-loss": IN_TURN_LOSS,
}


#: Slots of the table of an update's features, as powers of two: at first, and at most. The largest
#: takes 340 MB; only the updates of documents of more than ten thousand words, added up, fill it.
_LEAST_BITS = 16
_MOST_BITS = 24


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
        self,
        options: TrainOptions,
        system: System,
        templates: Templates,
        width: int,
    ) -> None:
        self.options = options
        self.system = system
        rows = 1 << options.bits
        self.weights = np.zeros((rows, width), np.float32)
        self.summed = np.zeros((rows, width), np.float32)
        self.ticks = 0
        scratch = new_scratch(templates, width, np.float32)
        self.scorer = Linear32(self.weights, templates, scratch)
        self.beam = options.in_use().beam
        self.frontier = new_frontier(self.beam, width)
        self.arena = new_arena(1024 * self.beam, 2048 * self.beam)
        self.pairs = new_pairs(1024)
        self.delta = new_delta(_LEAST_BITS)
        self.steps = Steps(
            options.step == "pa",
            _DELAYED[options.dlaso_pa],
            min(options.cap, 1e30),
            float(options.err_plus_one),
        )
        patient = replace(options.search, bias=0.0, bonus=0.0, patience=1 << 30)
        self.how = how_to(patient, self.beam)

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
            self._make_room(len(actions))
            used = learn(
                self.scorer,
                self.summed,
                float(self.ticks),
                self.system,
                no_limits(),
                instance.words,
                _gold(instance, actions),
                self.arena,
                self.frontier,
                self.delta,
                self.pairs,
                _UPDATES[self.options.update],
                self.steps,
                self.how,
            )
            tally.instances += 1
            tally.steps += len(actions)
            tally.used += int(used)
            tally.updates += int(self.pairs.used[0])
            tally.clean += int(self.pairs.used[0] == 0)
            tally.dropped += int(self.delta.dropped[0])
            self.delta.dropped[0] = 0
        return tally

    def derivation(self, instance: Instance) -> NDArray[np.int32] | None:
        """The gold transitions: the oracle's, or of several right ones those that score highest."""
        options = self.options
        if instance.complete and options.boundaries != "latent":
            late, eager = options.boundaries == "late", options.swap == "eager"
            actions = oracle(
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
        if not self.system.sb:
            starts[:] = 0
        labels = np.where(instance.heads == UNKNOWN, -1, instance.labels).astype(np.int32)
        limits = limits_of(
            WordConstraints(starts, instance.heads, labels),
            single_root=bool(self.system.single_root),
            patient=self.options.boundaries in ("late", "latent"),
        )
        reset(self.arena)
        self.frontier.beam[0], self.frontier.counts[0] = 0, 1
        self.frontier.counts[4:] = 0
        while True:
            why = advance(
                self.scorer,
                self.system,
                limits,
                instance.words,
                self.arena,
                self.frontier,
                self.how,
                True,
            )
            if why != FULL:
                break
            self.arena = grown(self.arena)
        if why != DONE:
            return None
        actions = []
        item = int(self.frontier.beam[0])
        while item > 0:
            state = self.arena.items[item]
            action, item = int(state[ACTION]), int(state[PARENT])
            actions.append(action)
        return np.array(actions[::-1], np.int32)

    def _make_room(self, steps: int) -> None:
        """Arena, list of updates and difference table large enough for one derivation."""
        need = (steps + 2) * (self.beam + 1)
        if need > len(self.arena.items):
            size = 1 << math.ceil(math.log2(need))
            self.arena = new_arena(size, 2 * size)
        if steps > len(self.pairs.gold):
            self.pairs = new_pairs(2 * steps)
        keys = 4 * steps * len(self.scorer.templates.seeds)
        bits = min(_MOST_BITS, max(_LEAST_BITS, math.ceil(math.log2(keys))))
        if 1 << bits > len(self.delta.keys):
            self.delta = new_delta(bits)


def _gold(instance: Instance, actions: NDArray[np.int32]) -> Gold:
    """What is right; words ahead begin a sentence, of which nothing else is known."""
    heads, labels, starts = instance.heads, instance.labels, instance.starts
    if instance.ahead:
        nothing = np.full(instance.ahead, UNKNOWN, np.int32)
        heads, labels = np.concatenate([heads, nothing]), np.concatenate([labels, nothing])
        starts = np.concatenate([starts, np.arange(instance.ahead) == 0])
    return Gold(actions, heads, labels, starts)


def _closed(actions: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """The transitions with the boundary after so many words, as soon as all are shifted."""
    taken = np.cumsum((actions == SHIFT).astype(np.int64) - (actions == SWAP))
    return np.insert(actions, int(np.argmax(taken == words)) + 1, SB)
