"""Recipes: the stages of learning a grammar, as rows of a table.

`standard` is one run on short sentences (Spitkovsky et al. 2012, section 4); `curriculum` their
three stages DBM-1, DBM-2, DBM-3; `basic` and `lexicalised` the two systems of Spitkovsky et al.
(2011); `scaffold` grows the sentences one word at a time. `short-first`, the default, is ours: it
learns from short sentences and from the fragments of long ones, then from whole sentences.
`recombine` forks it into transformed starts and joins what they find (Spitkovsky et al. 2013).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from caesura.errors import UsageError


@dataclass(frozen=True, slots=True)
class Regime:
    """How one run of EM goes."""

    objective: Literal["soft", "hard"] = "soft"
    #: `fixed`: all iterations; `converged`: until the objective stands still; `lateen`: until the
    #: other objective worsens; `alternate`: the two in turns; `patience`: see `em`.
    stop: Literal["fixed", "converged", "lateen", "alternate", "patience"] = "lateen"
    iterations: int = 200
    patience: int = 10
    constraint: str = "none"
    smoothing: float = 1.0
    #: Smoothing of the model that is returned, if it differs from that of the iterations.
    final_smoothing: float | None = None
    #: Soft counts are taken under probabilities raised to a power that grows from 1 to this one in
    #: `sharpening` iterations: between soft EM (1) and hard EM (unambiguity regularisation, Tu &
    #: Honavar 2012).
    sharpness: float = 1.0
    sharpening: int = 30
    #: Seed by which equally good trees are chosen; the leftmost without.
    ties: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingStage:
    """One row of a recipe."""

    name: str
    model: str
    #: Which sentences: `all`; `simple`, with a final mark and none inside; `pieces`, all and their
    #: fragments besides.
    data: Literal["all", "simple", "pieces"] = "all"
    limit: int = 15
    #: How the stage begins: the name of an initialiser; `parse`, by counting parses of the stage
    #: before; `widen`, by taking over its probabilities; `mixed`, by counting its parses of simple
    #: sentences and random trees, under the constraint, of the others; `symmetric`, `simple` or
    #: `join`, by a transform of parses (see `initialise`).
    start: str = "random"
    regime: Regime = Regime()
    #: Grow the sentences one word at a time from this length up to the limit.
    grow_from: int = 0
    #: Words seen at least so often become classes of their own.
    lexical: int = 0
    #: The stages before, by name, whose parses it starts from; the last one if none is named.
    of: tuple[str, ...] = ()
    #: Of these stages and of this one, the grammar with the fewest bits is handed on.
    best_of: tuple[str, ...] = ()


HARD = Regime("hard", "patience", iterations=100)


def recipe(
    name: str,
    *,
    model: str = "dbm3",
    constraint: str | None = None,
    initialiser: str | None = None,
    limit: int = 15,
    longest: int = 45,
    lexical: int = 100,
    constrained: str = "all",
) -> tuple[TrainingStage, ...]:
    """The stages of a recipe by name; the constraint is the recipe's own if none is named.

    `constrained` is for `basic`, whose paper imposes the constraint at every iteration: on `all`
    sentences, or only on the `long` ones of the second stage.
    """
    if constraint is not None and (
        name in ("standard", "fixed", "scaffold") or (name, model) == ("short-first", "gb")
    ):
        raise UsageError(
            f"--constraints {constraint}: the recipe {name} with {model} learns without any",
            remedy="Leave it out, or take another recipe, e.g. basic.",
        )
    if name == "curriculum" and model != "dbm3":
        raise UsageError(
            f"--model {model}: the recipe curriculum goes from dbm1 to dbm3",
            remedy="Leave it out, or take another recipe, e.g. standard.",
        )
    # Longer sentences are left out of every stage.
    limit = min(limit, longest)
    constraint = constraint or ("sprawl" if name in ("short-first", "recombine") else "loose")
    lateen = Regime("soft", "lateen", iterations=100)
    hard = Regime("hard", "lateen", iterations=100, constraint=constraint)
    first = replace(HARD, constraint=constraint) if constrained == "all" else HARD
    loose = replace(HARD, constraint=constraint)
    rows: dict[str, tuple[TrainingStage, ...]] = {
        "standard": (
            TrainingStage("standard", model, "all", limit, initialiser or "random", lateen),
        ),
        "fixed": (
            TrainingStage(
                "fixed",
                model,
                "all",
                limit,
                initialiser or "random",
                Regime("soft", "fixed", 40),
            ),
        ),
        "curriculum": (
            TrainingStage("dbm1", "dbm1", "simple", longest, initialiser or "random", lateen),
            TrainingStage("dbm2", "dbm2", "all", longest, "mixed", hard),
            TrainingStage("dbm3", "dbm3", "all", longest, "widen", hard),
        ),
        "basic": (
            TrainingStage("short", model, "all", limit, initialiser or "distance", first),
            TrainingStage("long", model, "all", longest, "parse", loose),
        ),
        "lexicalised": (
            TrainingStage("short", model, "all", limit, initialiser or "distance", HARD),
            TrainingStage(
                "lexical",
                model,
                "all",
                longest,
                "parse",
                replace(loose, smoothing=0.0, final_smoothing=1.0),
                lexical=lexical,
            ),
        ),
        "scaffold": (
            TrainingStage(
                "scaffold", model, "all", limit, initialiser or "uniform", lateen, grow_from=1
            ),
        ),
        "short-first": _short_first(model, constraint, initialiser or "harmonic", limit, longest),
    }
    if name == "recombine":
        return _recombine(model, constraint, initialiser or "harmonic", limit, longest, lexical)
    if name not in rows:
        raise UsageError(f"unknown recipe {name!r}", remedy=f"Recipes are: {', '.join(RECIPES)}.")
    return rows[name]


def _short_first(
    model: str, constraint: str, initialiser: str, limit: int, longest: int
) -> tuple[TrainingStage, ...]:
    narrow = "dbm1" if model in ("dbm2", "dbm3") else model
    sharp = Regime("soft", "fixed", 40, smoothing=0.1, sharpness=2.0)
    first = TrainingStage("short", narrow, "pieces", limit, initialiser, sharp)
    if model == "gb":
        return (first,)
    rest = Regime("soft", "fixed", 30, constraint=constraint, smoothing=0.1)
    return (first, TrainingStage("long", model, "all", longest, "parse", rest))


def _recombine(
    model: str, constraint: str, initialiser: str, limit: int, longest: int, lexical: int
) -> tuple[TrainingStage, ...]:
    """Forks and joins over the two stages of `short-first`: see `initialise`."""
    if model == "gb":
        raise UsageError(
            "--model gb: the recipe recombine goes on to whole sentences, and gb does not",
            remedy="Take another model, or the recipe short-first.",
        )
    short, long = _short_first(model, constraint, initialiser, limit, longest)
    again = replace(short, start="symmetric", of=("short",), name="symmetric")
    few = replace(short, start="simple", of=("short",), name="simple")
    joined = replace(short, start="join", of=("short", "symmetric", "simple"), name="joined")
    forks = (
        short,
        again,
        few,
        joined,
        replace(long, name="long", of=("short",)),
        replace(long, name="long symmetric", of=("symmetric",), best_of=("long",)),
        replace(long, name="long joined", of=("joined",), best_of=("long symmetric",)),
    )
    if not lexical:
        return forks
    words = replace(long.regime, iterations=15, smoothing=0.01, final_smoothing=0.1)
    return (*forks, replace(long, name="words", lexical=lexical, regime=words))


RECIPES = (
    "short-first",
    "recombine",
    "curriculum",
    "standard",
    "fixed",
    "basic",
    "lexicalised",
    "scaffold",
)
