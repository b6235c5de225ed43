"""The words of a text under the classes of a stage: plain ones, or frequent words by themselves.

A recipe may go from plain classes to lexical ones and back; what is known by class (pull, demands,
stops) goes with the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from caesura.induce.em import Demand
from caesura.induce.lexicon import lexicalise
from caesura.induce.parameters import Floats, Ints
from caesura.induce.pull import Pull, lexical
from caesura.induce.sentences import Sentences

__all__ = ["View", "views_of"]


@dataclass(frozen=True, slots=True)
class View:
    """Sentences over classes, the names of the classes, and what is known of them."""

    words: Sentences
    names: tuple[str, ...]
    #: The class of each (word, plain class) that is a class of its own.
    lexicon: dict[tuple[int, int], int] = field(default_factory=dict)
    pull: Pull | None = None
    demand: Demand | None = None
    #: How probable stops are by side and class, and how many counts that is worth.
    stops: tuple[Floats, float] | None = None


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
