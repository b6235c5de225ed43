"""What can be chosen when a parser is trained and when it parses."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from caesura.errors import UsageError
from caesura.learn.flags import EPOCHS, SEED, THREADS, flag, inner
from caesura.stages.bias import check_bias, refuse_bias
from caesura.stages.joint_features import DEFAULT_TEMPLATES

__all__ = ["DELAYED", "SearchOptions", "TrainOptions"]

Update = Literal["dlaso", "max-violation", "early", "laso", "greedy"]
UPDATES: Final = ("dlaso", "max-violation", "early", "laso", "greedy")
#: Beams wider than this gain nothing and cost memory without end; more words than any text has.
MOST_BEAM: Final = 1024
MOST_PATIENCE: Final = 1 << 30
DELAYED: Final = ("accumulated", "per-update", "in-turn", "in-turn-loss")
BOUNDARIES: Final = ("early", "late", "latent", "none")


@dataclass(frozen=True)
class SearchOptions:
    """How to search.

    With a `margin` the beam is narrow where the choice is clear: a state offers only transitions
    that score less than the margin below its best one, states that are farther behind the best are
    dropped, and so is a state with the same future as a better one. How many margins a boundary may
    score below the best transition is `starts` (often only what follows proves it right), another
    label of the same arc `labels` (what follows rarely depends on it), and how many a state may be
    behind is `behind`. A `bias`
    of 1 asks for about twice as many sentence boundaries, one of -1 for half as many; what it is
    worth in scores the parser knows. `bonus` is in scores: it is added to that of a boundary, and
    is what is tuned on held-out documents; in a text without capitals and punctuation `unedited` is
    added to it. In edited text the log-odds of the tokeniser's
    evidence for a sentence start count `evidence` times at a boundary, and everywhere those of the
    layout `layout` times, beside what the parser has learned of them. After `patience` words on
    which the beam does not agree, the best item decides.
    """

    beam: int = flag(8, "Width of the beam.", least=1, most=MOST_BEAM)
    margin: float = flag(
        math.inf, "Open the beam where the best choice leads by no more than this."
    )
    labels: float = 1.0
    starts: float = 2.0
    behind: float = 2.0
    bias: float = 0.0
    bonus: float = 0.0
    unedited: float = 0.0
    evidence: float = 0.0
    layout: float = 0.0
    patience: int = 400

    def __post_init__(self) -> None:
        _at_least("beam", self.beam, 1)
        _at_most("beam", self.beam, MOST_BEAM)
        _at_least("patience", self.patience, 8)
        _at_most("patience", self.patience, MOST_PATIENCE)
        if not self.margin >= 0:
            raise UsageError(f"margin is {self.margin}, but must not be negative")
        check_bias(self.bias)
        for name in ("bonus", "unedited"):
            if not math.isfinite(value := getattr(self, name)):
                raise UsageError(f"{name} is {value}, but must be a finite number")
        for name in ("evidence", "layout", "labels", "starts", "behind"):
            if not ((value := getattr(self, name)) >= 0 and math.isfinite(value)):
                raise UsageError(f"{name} is {value}, but must be a number from 0 on")


@dataclass(frozen=True)
class TrainOptions:
    """How to train. The defaults are those of the recipe `joint`."""

    search: SearchOptions = inner(SearchOptions, {"beam": "", "margin": ""})
    epochs: int = flag(10, **EPOCHS)
    update: Update = "dlaso"
    #: Perceptron or passive-aggressive steps, the latter with their cap C and with 1 added to the
    #: loss or not. The delayed updates of an instance are made as one step, as one step each, or in
    #: turn, where those that an earlier one has set right are left out: gold is ahead, or, with
    #: `in-turn-loss`, ahead by the errors, as the passive-aggressive rule has it.
    step: Literal["perceptron", "pa"] = "perceptron"
    cap: float = math.inf
    err_plus_one: bool = False
    dlaso_pa: Literal["accumulated", "per-update", "in-turn", "in-turn-loss"] = "in-turn"
    #: When SB is announced; `none` trains on single sentences.
    boundaries: Literal["early", "late", "latent", "none"] = "early"
    swap: Literal["lazy", "eager"] = "lazy"
    single_root: bool = True
    #: Sentences of a training instance, about; 0 for whole documents.
    chunk: int = 10
    #: Words after such a run that are seen and not parsed, as those after a sentence are in use;
    #: with early boundaries alone, as a later one is decided when they are parsed already.
    ahead: int = 0
    #: Whether chains of words stand for the trees (the recipe `nosyntax`).
    chains: bool = False
    tags: bool = True
    breaks: bool = True
    bits: int = 20
    templates: tuple[str, ...] = DEFAULT_TEMPLATES
    #: Share of the instances that are seen lower-cased and without punctuation.
    dropout: float = flag(
        0.0, "Share of documents seen lower-cased and without punctuation.", least=0, most=1
    )
    #: Share of the documents that are seen laid out anew: wrapped, a sentence a line and so on.
    relaid: float = flag(0.0, "Share of documents seen with other line breaks.", least=0, most=1)
    #: Parts of the data that are learned side by side and then averaged.
    shards: int = flag(1, "Learn in parts that are then averaged.", least=1)
    threads: int = flag(1, **THREADS)
    seed: int = flag(1, **SEED)

    def in_use(self, search: SearchOptions | None = None) -> SearchOptions:
        """How the parser searches once it is trained: one that learned greedily decides greedily.

        Its scores compare the transitions of one state, and those of a beam make it worse.
        """
        search = search or self.search
        return replace(search, beam=1) if self.update == "greedy" else search

    def __post_init__(self) -> None:
        refuse_bias(self.search.bias)
        _at_least("epochs", self.epochs, 1)
        _at_least("chunk", self.chunk, 0)
        _at_least("ahead", self.ahead, 0)
        if self.ahead and self.boundaries != "early":
            raise UsageError(f"words ahead are seen with early boundaries, not {self.boundaries}")
        _at_least("shards", self.shards, 1)
        _at_least("threads", self.threads, 1)
        _one_of("update", self.update, UPDATES)
        _one_of("step", self.step, ("perceptron", "pa"))
        _one_of("dlaso_pa", self.dlaso_pa, DELAYED)
        _one_of("boundaries", self.boundaries, BOUNDARIES)
        _one_of("swap", self.swap, ("lazy", "eager"))
        if not 10 <= self.bits <= 26:
            raise UsageError(f"bits is {self.bits}, but must be 10 to 26")
        if not 0 <= self.dropout <= 1:
            raise UsageError(f"dropout is {self.dropout}, but must be 0 to 1")
        if not 0 <= self.relaid <= 1:
            raise UsageError(f"relaid is {self.relaid}, but must be 0 to 1")
        if not self.cap > 0:
            raise UsageError(f"cap is {self.cap}, but must be positive")
        if (self.update, self.step, self.dlaso_pa) == ("dlaso", "pa", "per-update") and (
            math.isinf(self.cap)
        ):
            raise UsageError(
                "passive-aggressive steps for every delayed update grow without bound",
                remedy="Set a cap (--set cap=1), or another dlaso_pa (in-turn, accumulated).",
            )
        if not self.templates:
            raise UsageError("there are no templates")
        if self.single_root and self.boundaries in ("late", "latent"):
            raise UsageError(
                f"a single root cannot be guaranteed with {self.boundaries} boundaries",
                remedy="Use early boundaries, or allow several roots (single_root=False).",
            )


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise UsageError(f"{name} is {value}, but must be at least {least}")


def _at_most(name: str, value: int, most: int) -> None:
    if value > most:
        raise UsageError(f"{name} is {value}, but must be at most {most:,}")


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name} is {value!r}", remedy=f"It can be: {', '.join(known)}.")
