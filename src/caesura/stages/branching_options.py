"""What can be chosen when a branching parser is trained and when it parses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from caesura.errors import UsageError
from caesura.stages.branching_features import DEFAULT_TEMPLATES
from caesura.stages.parser_options import MOST_BEAM

__all__ = ["BranchOptions", "BranchTraining"]

_HEADLESS: Final = ("single-root", "root", "clearnlp")
_LEARNERS: Final = ("logistic", "perceptron", "svm")


@dataclass(frozen=True)
class BranchOptions:
    """How to search.

    A decision whose best label leads by no more than `margin` (0 to 1) may branch, into its `k`
    best labels; at most `beam` sequences are followed. The paper has k=2, a margin of 0.88 and a
    beam of 64 or 80.
    """

    beam: int = 64
    margin: float = 0.88
    k: int = 2
    #: A sequence is as good as the mean of its chances, or the sum of their logarithms.
    score: Literal["mean", "sum"] = "mean"
    #: What to do with words that have no head (see `core/parse/branching_trees.h`).
    headless: Literal["single-root", "root", "clearnlp"] = "single-root"
    #: Whether alternatives that differ from the best in the arc's label only do not branch.
    skip_labels: bool = False
    #: Whether a branch that attaches fewer words than the one-best sequence is refused.
    keep_attached: bool = True
    #: With more than 1 the best branch is branched from in turn while the beam has room, which the
    #: paper does not do.
    waves: int = 1
    #: Whether decisions are remembered, so that the same state is not evaluated twice.
    memory: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.beam <= MOST_BEAM:
            raise UsageError(f"beam is {self.beam}, but must be 1 to {MOST_BEAM}")
        if not 0 <= self.margin <= 1:
            raise UsageError(
                f"margin is {self.margin}, but must be 0 to 1",
                remedy="A margin is a difference of two chances; the paper uses 0.88.",
            )
        for name in ("k", "waves"):
            if not 1 <= getattr(self, name) <= MOST_BEAM:
                raise UsageError(f"{name} is {getattr(self, name)}, but must be 1 to {MOST_BEAM}")
        _one_of("score", self.score, ("mean", "sum"))
        _one_of("headless", self.headless, _HEADLESS)


@dataclass(frozen=True)
class BranchTraining:
    """How to train. `rounds` has the epochs of the first model and of each bootstrap."""

    search: BranchOptions = field(default_factory=BranchOptions)
    rounds: tuple[int, ...] = (4, 4, 4)
    learner: Literal["logistic", "perceptron", "svm"] = "logistic"
    #: The α and ρ of AdaGrad.
    rate: float = 0.02
    offset: float = 0.1
    #: Labels whose chance is off by no more than this are not updated; 0: all are.
    least: float = 0.01
    #: Whether states that the one-best and the best sequence share are learned twice.
    twice: bool = True
    #: With more than 1 the data are cut into so many parts for a bootstrap, and each is parsed by a
    #: model that learned from the others for `fold_epochs`. That is worse for branching, which
    #: finds wrong sequences by the doubts of a model that knows few.
    folds: int = 1
    fold_epochs: int = 2
    tags: bool = True
    bits: int = 21
    templates: tuple[str, ...] = DEFAULT_TEMPLATES
    threads: int = 1
    seed: int = 1

    @property
    def epochs(self) -> int:
        return sum(self.rounds)

    def __post_init__(self) -> None:
        if not self.rounds or min(self.rounds) < 1:
            raise UsageError(
                f"rounds is {list(self.rounds)}, but needs one epoch or more for each round"
            )
        _one_of("learner", self.learner, _LEARNERS)
        if not 10 <= self.bits <= 26:
            raise UsageError(f"bits is {self.bits}, but must be 10 to 26")
        if not self.rate > 0 or not self.offset > 0:
            raise UsageError("rate and offset must be positive")
        if self.folds < 1 or self.fold_epochs < 1:
            raise UsageError("folds and fold_epochs must be at least 1")
        if not 0 <= self.least < 1:
            raise UsageError(f"least is {self.least}, but must be from 0 to below 1")
        if not self.templates:
            raise UsageError("there are no templates")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name} is {value!r}", remedy=f"It can be: {', '.join(known)}.")
