"""A slow, obvious twin of the learner of the joint parser: beams of explicit derivations.

Transitions are numbers as in the core. Weights are a dictionary by row and transition, and a table
of every change with its tick for the average.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.reference import parse as naive

PERCEPTRON_STEP = 2.0**-8
Feature = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Step:
    """A state of the search, the transition that led to it, and what that got wrong."""

    before: Step | None
    configuration: naive.Configuration
    action: int = -1
    score: float = 0.0
    errors: int = 0

    @property
    def path(self) -> list[Step]:
        return [*self.before.path, self] if self.before is not None else []

    @property
    def history(self) -> list[int]:
        return [step.action for step in self.path]


@dataclass
class Learner:
    """`names` are the transitions as (kind, label), `rows` the features of a state."""

    names: Sequence[tuple[str, str]]
    rows: Callable[[Step], list[int]]
    update: str
    width: int
    passive: bool = False
    delayed: str = "in-turn"
    single_root: bool = True
    weights: dict[Feature, float] = field(default_factory=dict)
    changes: list[tuple[Feature, float, float]] = field(default_factory=list)

    def scores(self, step: Step) -> list[float]:
        rows = self.rows(step)
        return [
            sum(self.weights.get((row, action), 0.0) for row in rows)
            for action in range(len(self.names))
        ]

    def after(self, step: Step, action: int, score: float, gold: Gold) -> Step:
        kind, label = self.names[action]
        made = naive.apply(step.configuration, ("RA" if kind == "RA0" else kind, label))
        return Step(step, made, action, score, gold.errors(step.configuration, kind, made))

    def best(self, beam: list[Step], gold: Gold) -> list[Step]:
        found = []
        for step in beam:
            if step.configuration.terminal:
                found.append(step)
                continue
            kinds = naive.legal(step.configuration, single_root=self.single_root)
            for action, score in enumerate(self.scores(step)):
                if self.names[action][0] in kinds:
                    found.append(self.after(step, action, step.score + score, gold))
        return sorted(found, key=lambda step: -step.score)[: self.width]

    def learn(
        self, actions: Sequence[int], gold: Gold, n: int, tick: int
    ) -> list[tuple[float, float, int]]:
        """Update from one instance; returns the scores and the gold steps of each update."""
        right = Step(None, naive.Configuration.initial(n))
        beam, inside, worst = [right], True, 0.0
        pairs: list[tuple[Step, Step]] = []
        for k, action in enumerate(actions):
            beam = self.best(beam, gold)
            same = [s for s in beam if inside and s.before is right and s.action == action]
            inside = bool(same)
            score = right.score + self.scores(right)[action]
            right = same[0] if same else self.after(right, action, score, gold)
            best = beam[0]
            if self.update == "max-violation":
                if best is not right and best.score - right.score >= worst:
                    worst, pairs = best.score - right.score, [(right, best)]
                continue
            if inside and (k < len(actions) - 1 or best is right):
                continue
            pairs.append((right, best))
            if self.update == "early":
                break
            if self.update == "laso":
                self.step([pairs[-1]], tick, again=False)
            beam, inside = [right], True
        if self.update == "laso":
            pass
        elif self.delayed == "accumulated":
            self.step(pairs, tick, again=False)
        else:
            for k, pair in enumerate(pairs):
                self.step([pair], tick, again=self.delayed.startswith("in-turn") and k > 0)
        return [(one.score, other.score, len(one.path)) for one, other in pairs]

    def step(self, pairs: list[tuple[Step, Step]], tick: int, *, again: bool) -> None:
        delta: Counter[Feature] = Counter()
        errors, violation = 0, 0.0
        for right, wrong in pairs:
            shared = {id(step) for step in right.path} & {id(step) for step in wrong.path}
            for path, sign in ((right.path, 1), (wrong.path, -1)):
                for one in path:
                    if id(one) not in shared and one.before is not None:
                        for row in self.rows(one.before):
                            delta[row, one.action] += sign
                        errors += one.errors if sign < 0 else 0
            violation += wrong.score - right.score
        norm = sum(value * value for value in delta.values())
        margin = sum(value * self.weights.get(at, 0.0) for at, value in delta.items())
        if again:
            enough = errors if self.delayed == "in-turn-loss" else 0
            violation = -margin
            if margin > 0 and margin >= enough:
                return
        rate = PERCEPTRON_STEP
        if self.passive:
            rate = max(errors + violation, 0.0) / norm if norm else 0.0
        for at, value in delta.items():
            if value:
                self.weights[at] = self.weights.get(at, 0.0) + rate * value
                self.changes.append((at, rate * value, tick))


@dataclass(frozen=True)
class Gold:
    """The right heads, labels and sentence starts."""

    heads: Sequence[int]
    labels: Sequence[str]
    starts: Sequence[int]

    def errors(self, before: naive.Configuration, kind: str, after: naive.Configuration) -> int:
        """How many wrong arcs and boundary decisions a transition makes."""
        if kind == "SB":
            return int(before.buffer[0] not in self.starts)
        if kind == "SHIFT":
            b0 = before.buffer[0]
            return int(not before.swapped and b0 > max(before.starts) and b0 in self.starts)
        if kind == "SWAP":
            return 0
        head, label, word = after.arcs[-1]
        return int((head, label) != (self.heads[word], self.labels[word]))
