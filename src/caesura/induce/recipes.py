"""Recipes: the stages through which a grammar is learnt, written down as rows.

`standard` is one run on short sentences (Spitkovsky et al. 2012, section 4); `curriculum` their
three stages DBM-1, DBM-2, DBM-3; `basic` and `lexicalised` the two systems of Spitkovsky et al.
(2011); `scaffold` grows the sentences one word at a time. `short-first`, the default, is ours: it
learns from short sentences and from the fragments of long ones, then from whole sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from caesura.errors import InputError, UsageError
from caesura.induce import em
from caesura.induce.charts import best, count, draw
from caesura.induce.contexts import contexts
from caesura.induce.initialise import from_grammar, initialise
from caesura.induce.lexicon import lexicalise
from caesura.induce.sentences import Sentences
from caesura.induce.tables import Floats, Ints, Tables, add, normalise, widen

__all__ = ["RECIPES", "Learnt", "Place", "Stage", "bits_per_word", "learn", "openness", "recipe"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One row of a recipe."""

    name: str
    model: str
    #: Which sentences: `all`; `simple`, with a final mark and none inside; `pieces`, all and their
    #: fragments besides.
    data: Literal["all", "simple", "pieces"] = "all"
    limit: int = 15
    #: How the stage begins: the name of an initialiser; `parse`, by counting parses of the stage
    #: before; `widen`, by taking over its probabilities; `mixed`, by counting its parses of simple
    #: sentences and random trees, under the constraint, of the others.
    start: str = "random"
    regime: em.Regime = em.Regime()
    #: Grow the sentences one word at a time from this length up to the limit.
    grow_from: int = 0
    #: Words seen at least so often become classes of their own.
    lexical: int = 0


@dataclass(frozen=True, slots=True)
class Learnt:
    """What a recipe leaves behind."""

    tables: Tables
    model: str
    #: Names of the classes, and for words with a class of their own the class by (word, class).
    names: tuple[str, ...]
    lexicon: dict[tuple[int, int], int]
    #: Sentences of the last stage that a constraint left without a tree.
    lifted: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a recipe stands: the stage, the length in a stage that grows, and the state of EM."""

    stage: int
    limit: int
    state: em.State


HARD = em.Regime("hard", "patience", iterations=100)


def recipe(
    name: str,
    *,
    model: str = "dbm3",
    constraint: str | None = None,
    initialiser: str | None = None,
    limit: int = 15,
    longest: int = 45,
    lexical: int = 100,
) -> tuple[Stage, ...]:
    """The stages of a recipe by name; the constraint is the recipe's own if none is named."""
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
    constraint = constraint or ("sprawl" if name == "short-first" else "loose")
    lateen = em.Regime("soft", "lateen", iterations=100)
    hard = em.Regime("hard", "lateen", iterations=100, constraint=constraint)
    loose = replace(HARD, constraint=constraint)
    rows: dict[str, tuple[Stage, ...]] = {
        "standard": (Stage("standard", model, "all", limit, initialiser or "random", lateen),),
        "fixed": (
            Stage(
                "fixed",
                model,
                "all",
                limit,
                initialiser or "random",
                em.Regime("soft", "fixed", 40),
            ),
        ),
        "curriculum": (
            Stage("dbm1", "dbm1", "simple", longest, initialiser or "random", lateen),
            Stage("dbm2", "dbm2", "all", longest, "mixed", hard),
            Stage("dbm3", "dbm3", "all", longest, "widen", hard),
        ),
        "basic": (
            Stage("short", model, "all", limit, initialiser or "distance", HARD),
            Stage("long", model, "all", longest, "parse", loose),
        ),
        "lexicalised": (
            Stage("short", model, "all", limit, initialiser or "distance", HARD),
            Stage(
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
            Stage("scaffold", model, "all", limit, initialiser or "uniform", lateen, grow_from=1),
        ),
        "short-first": _short_first(model, constraint, initialiser or "harmonic", limit, longest),
    }
    if name not in rows:
        raise UsageError(f"unknown recipe {name!r}", remedy=f"Recipes are: {', '.join(rows)}.")
    return rows[name]


def _short_first(
    model: str, constraint: str, initialiser: str, limit: int, longest: int
) -> tuple[Stage, ...]:
    narrow = "dbm1" if model in ("dbm2", "dbm3") else model
    sharp = em.Regime("soft", "fixed", 40, smoothing=0.1, sharpness=2.0)
    first = Stage("short", narrow, "pieces", limit, initialiser, sharp)
    if model == "gb":
        return (first,)
    rest = em.Regime("soft", "fixed", 30, constraint=constraint, smoothing=0.1)
    return (first, Stage("long", model, "all", longest, "parse", rest))


RECIPES = ("short-first", "curriculum", "standard", "fixed", "basic", "lexicalised", "scaffold")

Learning = Generator[em.Step, None, Learnt]


def _data(words: Sentences, stage: Stage, limit: int) -> Sentences:
    if stage.data == "pieces":
        split = words.inner
        both = words.followed_by(words.select(split).cut())
        return both.select(both.up_to(limit))
    chosen = words.up_to(limit)
    if stage.data == "simple":
        chosen &= ~words.inner & (words.comps > 0)
    return words.select(chosen)


def learn(
    words: Sentences,
    names: tuple[str, ...],
    stages: tuple[Stage, ...],
    *,
    forms: Ints | None = None,
    spelling: tuple[str, ...] = (),
    seed: int = 0,
    workers: int = 1,
    pull: Floats | None = None,
    place: Place | None = None,
    keep: Callable[[Place], None] | None = None,
) -> Learning:
    """Go through the stages; yields every step of EM and returns the grammar.

    `forms` and `spelling` give the words themselves, which lexicalised stages need. `pull` says how
    strongly each class is drawn to be a head (see `openness`). With a `place` the recipe goes on
    from there; `keep` is told of the places on the way.
    """
    tables: Tables | None = None
    model = stages[0].model
    lexicon: dict[tuple[int, int], int] = {}
    lifted = 0 if place is None else place.state.lifted
    for number, stage in enumerate(stages):
        passed = place is not None and number < place.stage
        state = place.state if place is not None and number == place.stage else None
        row = contexts(stage.model)
        data = _data(words, stage, stage.limit)
        if not len(data):
            raise InputError(
                f"no sentence is left for stage {stage.name!r} (at most {stage.limit} words"
                + (", final punctuation, none inside)" if stage.data == "simple" else ")"),
                remedy="Give more text, a higher --max-length, or another --recipe.",
            )
        if stage.lexical and forms is not None and number > 0:
            new, names, lexicon = lexicalise(words.classes, forms, names, spelling, stage.lexical)
            if pull is not None:  # a word with a class of its own is as much a head as its class
                pull = np.concatenate((pull, [pull[old] for _, old in lexicon]))
            kept = words.words_of(words.up_to(stage.limit))
            if tables is not None:
                start = from_grammar(
                    data, tables, row, len(names), relabelled=new[kept], workers=workers
                )
            words, data = words.with_classes(new), data.with_classes(new[kept])
        elif state is None and not passed:
            start = _start(data, stage, tables, len(names), seed, workers, pull)
        if passed:
            continue
        if state is not None:
            start = state.tables
        lengths = range(stage.grow_from, stage.limit + 1) if stage.grow_from else (stage.limit,)
        for limit in lengths:
            part = data if limit == stage.limit else data.select(data.up_to(limit))
            if not len(part) or (state is not None and place is not None and limit < place.limit):
                continue
            runner = em.run(
                part,
                start,
                row,
                stage.regime,
                stage=stage.name,
                workers=workers,
                pull=pull,
                state=state,
                keep=None if keep is None else partial(_tell, keep, number, limit),
            )
            state = None
            while True:
                try:
                    step = next(runner)
                except StopIteration as end:
                    start = end.value
                    break
                lifted = step.lifted
                yield step
        tables, model = start, stage.model
    assert tables is not None
    return Learnt(tables, model, names, lexicon, lifted)


def _tell(keep: Callable[[Place], None], stage: int, limit: int, state: em.State) -> None:
    keep(Place(stage, limit, state))


def _start(
    data: Sentences,
    stage: Stage,
    tables: Tables | None,
    classes: int,
    seed: int,
    workers: int,
    pull: Floats | None,
) -> Tables:
    row = contexts(stage.model)
    constraint = stage.regime.constraint
    smoothing = stage.regime.smoothing
    if stage.start not in ("parse", "widen", "mixed"):
        return initialise(
            stage.start,
            data,
            row,
            classes,
            seed=seed,
            smoothing=max(smoothing, 0.1),
            pull=None if pull is None else pull**2,
        )
    if tables is None:
        raise UsageError(f"stage {stage.name!r} starts from another stage and is the first")
    if stage.start == "widen":
        return widen(tables, row)
    if stage.start == "parse":
        return from_grammar(
            data, tables, row, classes, constraint=constraint, smoothing=smoothing, workers=workers
        )
    simple = ~data.inner & (data.comps > 0)
    easy, other = data.select(simple), data.select(~simple)
    parts = []
    if len(easy):
        heads = best(easy, tables, workers=workers).heads
        parts.append(count(easy, heads, row, classes, workers))
    if len(other):
        heads = draw(other, None, constraint, seed=seed, workers=workers)
        parts.append(count(other, heads, row, classes, workers))
    return normalise(add(parts), row, max(smoothing, 0.1))


def bits_per_word(words: Sentences, tables: Tables, workers: int = 1) -> float:
    """Cross-entropy of sentences in bits a word, all trees together: how restarts are compared."""
    from caesura.induce.charts import likelihood

    scores = likelihood(words, tables, workers=workers)
    return float(-scores.sum() / (np.log(2.0) * max(1, words.n_words)))


def openness(words: Sentences, forms: Ints, classes: int, power: float = 0.5) -> Floats:
    """How open each class is: its number of different words, relative to the most, to a power.

    Classes with few words are closed: articles, prepositions, auxiliaries. Where a treebank makes
    content words heads, as Universal Dependencies do, closed classes are seldom heads; this is how
    that style can be asked for without naming a tag or seeing a tree.
    """
    pairs = np.unique(np.stack((words.classes, forms)), axis=1)
    types = np.maximum(np.bincount(pairs[0], minlength=classes), 1.0)
    return np.asarray((types / types.max()) ** power)
