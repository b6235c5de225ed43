"""Learning a grammar by a recipe: stages with their sentences, their start and their EM.

What a recipe needs besides its rows is here: the sentences of a stage, how a stage begins from the
one before, and the place at which an interrupted run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from caesura.errors import InputError, UsageError
from caesura.induce import em
from caesura.induce.em import Demand
from caesura.induce.inference import best, count, draw
from caesura.induce.initialise import TRANSFORMS, from_grammar, initialise, nudged, transformed
from caesura.induce.parameters import (
    Floats,
    Ints,
    Model,
    Parameters,
    add,
    find_model,
    normalise,
    widen,
)
from caesura.induce.priors import Pull, lexical, prior_counts, to_the
from caesura.induce.recipes import TrainingStage
from caesura.induce.selection import bits_per_word
from caesura.induce.sentences import Sentences
from caesura.induce.word_classes import lexicalise


@dataclass(frozen=True, slots=True)
class Learnt:
    """The result of a recipe."""

    parameters: Parameters
    model: str
    #: Names of the classes, and for words with a class of their own the class by (word, class).
    names: tuple[str, ...]
    lexicon: dict[tuple[int, int], int]
    #: Sentences of the last stage that a constraint left without a tree.
    lifted: int


@dataclass(frozen=True, slots=True)
class Place:
    """The state of a recipe: the stage, the length in a growing stage, and the state of EM."""

    stage: int
    limit: int
    state: em.State
    #: The results of earlier stages that later ones use, by name.
    found: Mapping[str, Parameters] = field(default_factory=dict)


Learning = Generator[em.Step, None, Learnt]


def _data(words: Sentences, stage: TrainingStage, limit: int) -> Sentences:
    if stage.data == "pieces":
        split = words.inner
        both = words.followed_by(words.select(split).cut())
        return both.select(both.up_to(limit))
    chosen = words.up_to(limit)
    if stage.data == "simple":
        chosen &= ~words.inner & (words.comps > 0)
    return words.select(chosen)


def learn(
    plain: View,
    stages: tuple[TrainingStage, ...],
    *,
    forms: Ints | None = None,
    spelling: tuple[str, ...] = (),
    seed: int = 0,
    workers: int = 1,
    begin: Ints | None = None,
    nudge: float = 0.0,
    place: Place | None = None,
    keep: Callable[[Place], None] | None = None,
    earlier: Mapping[str, tuple[Parameters, int]] | None = None,
) -> Learning:
    """Run the stages; yield every step of EM and return the grammar.

    Lexicalised stages need the words, as `forms` and `spelling`. The first stage starts from the
    trees of `begin`, if any, and from probabilities with noise of size `nudge`, so that restarts of
    deterministic recipes differ. With a `place` the recipe continues from there; `keep` receives
    the places on the way. Stages may start from `earlier` grammars by name, given with the number
    of occurrences from which on words are classes of their own in them.
    """
    parameters: Parameters | None = None
    view = views_of(plain, forms, spelling)
    lifted = 0 if place is None else place.state.lifted
    found: dict[str, Parameters] = {} if place is None else dict(place.found)
    found |= {name: grammar for name, (grammar, _) in (earlier or {}).items()}
    wanted = {name for stage in stages for name in (*stage.of, *stage.best_of)}
    lexical = {name: least for name, (_, least) in (earlier or {}).items()}
    lexical |= {stage.name: stage.lexical for stage in stages}
    for number, stage in enumerate(stages):
        model = find_model(stage.model)
        mine = view(stage.lexical)
        data = _data(mine.words, stage, stage.limit)
        if not len(data):
            raise InputError(
                f"no sentence is left for stage {stage.name!r} (at most {stage.limit} words"
                + (", final punctuation, none inside)" if stage.data == "simple" else ")"),
                remedy="Give more text or shorter sentences, or let longer ones in: --max-length "
                f"{_next(stage.limit, mine.words)} --set limit={_next(stage.limit, mine.words)}.",
            )
        if place is not None and number < place.stage:
            continue
        state = place.state if place is not None and number == place.stage else None
        if state is not None:
            start = state.parameters
        elif number == 0 and begin is not None:
            trees = count(mine.words, begin, model, len(mine.names), workers)
            start = normalise(trees, model, max(stage.regime.smoothing, 0.1))
        else:
            last = [] if parameters is None else [parameters]
            grammars = [found[name] for name in stage.of] or last
            origins = stage.of or [one.name for one in stages[max(0, number - 1) : number]]
            before = [
                (grammar, _data(view(lexical[name]).words, stage, stage.limit))
                for grammar, name in zip(grammars, origins, strict=True)
            ]
            start = _start(data, stage, before, len(mine.names), seed, workers, mine.pull)
        if number == 0 and nudge and state is None:
            start = nudged(start, nudge, seed)
        lengths = range(stage.grow_from, stage.limit + 1) if stage.grow_from else (stage.limit,)
        for limit in lengths:
            part = data if limit == stage.limit else data.select(data.up_to(limit))
            if not len(part) or (state is not None and place is not None and limit < place.limit):
                continue
            prior = mine.prior(model)
            task = em.Task(
                part, model, stage.regime, stage.name, workers, mine.pull, mine.demand, prior
            )
            told = None if keep is None else partial(_tell, keep, number, limit, dict(found))
            steps: list[em.Step] = []
            run = em.run(task, start, state=state, keep=told)
            start = yield from em.recorded(run, steps)
            lifted = steps[-1].lifted if steps else lifted
            state = None
        parameters = start
        if stage.best_of:
            rivals = [*(found[name] for name in stage.best_of), start]
            bits = [bits_per_word(data, rival, workers) for rival in rivals]
            parameters = rivals[int(np.argmin(bits))]
        if stage.name in wanted:
            found[stage.name] = parameters
    assert parameters is not None
    end_view = view(stages[-1].lexical)
    return Learnt(parameters, stages[-1].model, end_view.names, end_view.lexicon, lifted)


def _next(limit: int, words: Sentences) -> int:
    """The length of the shortest sentence that is longer than the limit, or a longer limit."""
    longer = words.lengths[words.lengths > limit]
    return int(longer.min()) if len(longer) else 2 * limit


def _tell(
    keep: Callable[[Place], None],
    stage: int,
    limit: int,
    found: Mapping[str, Parameters],
    state: em.State,
) -> None:
    keep(Place(stage, limit, state, found))


def _start(
    data: Sentences,
    stage: TrainingStage,
    before: Sequence[tuple[Parameters, Sentences]],
    classes: int,
    seed: int,
    workers: int,
    pull: Pull | None,
) -> Parameters:
    """How a stage begins; `before` are grammars, and its sentences as they see them."""
    model = find_model(stage.model)
    constraint = stage.regime.constraint
    smoothing = stage.regime.smoothing
    if stage.start not in ("parse", "widen", "mixed", *TRANSFORMS):
        return initialise(
            stage.start,
            data,
            model,
            classes,
            seed=seed,
            smoothing=max(smoothing, 0.1),
            pull=None if pull is None else to_the(2.0, pull),
        )
    if not before:
        raise UsageError(f"stage {stage.name!r} starts from another stage and is the first")
    parameters, seen = before[-1]
    if stage.start in TRANSFORMS:
        return transformed(
            stage.start,
            data,
            [grammar for grammar, _ in before],
            model,
            classes,
            seen=[words for _, words in before],
            constraint=constraint,
            smoothing=max(smoothing, 0.1),
            seed=seed,
            workers=workers,
        )
    if stage.start == "widen":
        return widen(parameters, model)
    if stage.start == "parse":
        # S11 begins its lexicalised EM, which is not smoothed, from smoothed counts of free parses.
        free = stage.lexical > 0
        return from_grammar(
            seen,
            parameters,
            model,
            classes,
            relabelled=data.classes,
            constraint=None if free else constraint,
            smoothing=smoothing or 1.0 if free else smoothing,
            workers=workers,
        )
    simple = ~data.inner & (data.comps > 0)
    easy, other = data.select(simple), data.select(~simple)
    parts = []
    if len(easy):
        heads = best(seen.select(simple), parameters, workers=workers).heads
        parts.append(count(easy, heads, model, classes, workers))
    if len(other):
        heads = draw(other, None, constraint, seed=seed, workers=workers)
        parts.append(count(other, heads, model, classes, workers))
    return normalise(add(parts), model, max(smoothing, 0.1))


def openness(words: Sentences, forms: Ints, classes: int, power: float = 0.5) -> Floats:
    """How open each class is: its number of different words, relative to the most, to a power.

    Classes with few words are closed: articles, prepositions, auxiliaries. Where a treebank makes
    content words heads, as Universal Dependencies do, closed classes are seldom heads. This selects
    that convention without tags or trees.
    """
    pairs = np.unique(np.stack((words.classes, forms)), axis=1)
    types = np.maximum(np.bincount(pairs[0], minlength=classes), 1.0)
    return np.asarray((types / types.max()) ** power)


@dataclass(frozen=True, slots=True)
class View:
    """Sentences over classes, the names of the classes, and priors."""

    words: Sentences
    names: tuple[str, ...]
    #: The class of each (word, plain class) that is a class of its own.
    lexicon: dict[tuple[int, int], int] = field(default_factory=dict)
    pull: Pull | None = None
    demand: Demand | None = None
    #: The probability of a stop by side and class, and the number of counts of this prior.
    stops: tuple[Floats, float] | None = None

    def prior(self, model: Model) -> Parameters | None:
        """The counts of stops that are added to those of the text."""
        return None if self.stops is None else prior_counts(self.stops[0], model, self.stops[1])


def views_of(plain: View, forms: Ints | None, spelling: tuple[str, ...]) -> Callable[[int], View]:
    """Gives the view in which words seen at least so often are classes of their own; 0: none."""

    @cache
    def view(least: int) -> View:
        if not least or forms is None:
            return plain
        new, names, lexicon = lexicalise(plain.words.classes, forms, plain.names, spelling, least)
        # A word with a class of its own is as much a head as its class.
        old = np.array([*range(len(plain.names)), *(old for _, old in lexicon)])
        seen = replace(plain, words=plain.words.with_classes(new), names=names, lexicon=lexicon)
        if plain.pull is not None:
            seen = replace(seen, pull=lexical(plain.pull, old))
        if plain.demand is not None:
            follows = lexical(plain.demand.follows, old)
            seen = replace(seen, demand=plain.demand._replace(follows=follows))
        if plain.stops is not None:
            stops = np.ascontiguousarray(plain.stops[0][:, old]), plain.stops[1]
            seen = replace(seen, stops=stops)
        return seen

    return view
