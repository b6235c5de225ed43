"""Feature templates are data: `lower[-1]+lower[0]` names attributes of words by their distance.

Templates over one place depend on a word type only; their weights are summed once for each type
and place (`spot` templates). Templates over several places (`mixed`) are looked up for each token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.stages.tag_default_templates import ATTRIBUTES
from caesura.stages.templates import Vocabulary, compile_templates

__all__ = ["Templates", "parse_templates"]

Ints = NDArray[np.int32]
_ARITY: Final = 3
_FARTHEST: Final = 16
_PLACES: Final = 2 * _FARTHEST + 1
_NONE: Final = -1


@dataclass(frozen=True)
class Templates:
    """Templates as arrays: a row is number of atoms, then (attribute, distance) for each."""

    names: tuple[str, ...]
    spot: Ints
    mixed: Ints
    #: Distances that spot templates look at, rising; and the spot templates of each, as bounds.
    places: Ints
    bounds: Ints

    @property
    def of_chain(self) -> tuple[Ints, Ints, Ints, Ints]:
        """What the core takes of a chain's templates."""
        return self.spot, self.places, self.bounds, self.mixed

    @property
    def all(self) -> Ints:
        """All templates in the order of their numbers."""
        table = np.concatenate([self.spot, self.mixed])
        return np.ascontiguousarray(table[np.argsort(table[:, 0], kind="stable")])

    @property
    def own(self) -> Ints:
        """Templates that look at the word itself only."""
        return np.ascontiguousarray(self.spot[self.spot[:, 3] == 0])

    @property
    def context(self) -> Ints:
        """All other templates."""
        around = self.spot[self.spot[:, 3] != 0]
        return np.ascontiguousarray(np.concatenate([around, self.mixed]))

    @property
    def breaks(self) -> bool:
        """Whether a template looks at what the layout says."""
        return any(atom.startswith("break[") for name in self.names for atom in name.split("+"))


@cache
def _vocabulary(labels: bool) -> Vocabulary:
    """Attributes by distance; with `labels` also those of words, as `tag[-1]`."""
    known = (*ATTRIBUTES, "tag") if labels else ATTRIBUTES
    atoms = {
        f"{name}[{distance}]": attribute * _PLACES + distance + _FARTHEST
        for attribute, name in enumerate(known)
        for distance in range(-_FARTHEST, _FARTHEST + 1)
    }
    remedy = (
        f"Write it like lower[-1]+lower[0], with words at most {_FARTHEST} away. "
        f"Attributes are: {', '.join(known)}."
    )
    return Vocabulary(atoms, _NONE, _ARITY, "+", remedy=remedy, error=ModelError)


def parse_templates(names: Sequence[str], labels: bool = False) -> Templates:
    """Read templates; the number of a template is its position, which salts its hash.

    With `labels`, templates may also look at the labels of words, as `tag[-1]`.
    """
    slots = compile_templates(names, _vocabulary(labels)).slots
    attribute, place = np.divmod(slots, _PLACES)
    there = slots != _NONE
    rows = np.zeros((len(names), 2 + 2 * _ARITY), np.int32)
    rows[:, 0] = np.arange(len(names))
    rows[:, 1] = there.sum(axis=1)
    rows[:, 2::2] = np.where(there, attribute, 0)
    rows[:, 3::2] = np.where(there, place - _FARTHEST, 0)
    one_place = np.all((rows[:, 3::2] == rows[:, 3:4]) | ~there, axis=1)
    spot = rows[one_place]
    spot = np.ascontiguousarray(spot[np.argsort(spot[:, 3], kind="stable")])
    places = sorted(set(spot[:, 3].tolist())) or [0]
    bounds = np.searchsorted(spot[:, 3], [*places, places[-1] + 1]).astype(np.int32)
    return Templates(
        tuple(names),
        spot,
        np.ascontiguousarray(rows[~one_place]),
        np.array(places, np.int32),
        bounds,
    )
