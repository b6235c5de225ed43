"""Feature templates are data: `lower[-1]+lower[0]` names attributes of words by their distance.

Templates over one place depend on a word type only; their weights are summed once for each type
and place (`spot` templates). Templates over several places (`mixed`) are looked up for each token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.tag.names import ATTRIBUTES

__all__ = ["Templates", "parse_templates"]

_ATOM: Final = re.compile(r"([a-z]+\d*)\[([+-]?\d+)\]")
_MOST_ATOMS: Final = 3
_FARTHEST: Final = 16


@dataclass(frozen=True)
class Templates:
    """Templates as arrays: a row is number of atoms, then (attribute, distance) for each."""

    names: tuple[str, ...]
    spot: NDArray[np.int32]
    mixed: NDArray[np.int32]
    #: Distances that spot templates look at, rising; and the spot templates of each, as bounds.
    places: NDArray[np.int32]
    bounds: NDArray[np.int32]

    @property
    def all(self) -> NDArray[np.int32]:
        """All templates in the order of their numbers."""
        table = np.concatenate([self.spot, self.mixed])
        return np.ascontiguousarray(table[np.argsort(table[:, 0], kind="stable")])

    @property
    def own(self) -> NDArray[np.int32]:
        """Templates that look at the word itself only."""
        return np.ascontiguousarray(self.spot[self.spot[:, 3] == 0])

    @property
    def context(self) -> NDArray[np.int32]:
        """All other templates."""
        around = self.spot[self.spot[:, 3] != 0]
        return np.ascontiguousarray(np.concatenate([around, self.mixed]))

    @property
    def reach(self) -> int:
        """How many words to either side a template looks."""
        distances = [0]
        for table in (self.spot, self.mixed):
            for row in table:
                distances += [abs(int(row[3 + 2 * a])) for a in range(int(row[1]))]
        return max(distances)


def parse_templates(names: Sequence[str], labels: bool = False) -> Templates:
    """Read templates; the number of a template is its position, which salts its hash.

    With `labels`, templates may also look at the labels of words, as `tag[-1]`.
    """
    known = (*ATTRIBUTES, "tag") if labels else ATTRIBUTES
    spot: list[list[int]] = []
    mixed: list[list[int]] = []
    for number, name in enumerate(names):
        atoms = [_ATOM.fullmatch(part) for part in name.split("+")]
        far = any(atom is not None and abs(int(atom[2])) > _FARTHEST for atom in atoms)
        if not all(atoms) or len(atoms) > _MOST_ATOMS or far:
            raise ModelError(f"{name!r} is no feature template", remedy="Write it like lower[-1].")
        row = [number, len(atoms)]
        for atom in atoms:
            assert atom is not None
            if atom[1] not in known:
                raise ModelError(
                    f"template {name!r} asks for {atom[1]!r}",
                    remedy=f"Attributes are: {', '.join(known)}.",
                )
            row += [known.index(atom[1]), int(atom[2])]
        row += [0] * (2 + 2 * _MOST_ATOMS - len(row))
        one_place = len({row[3 + 2 * a] for a in range(len(atoms))}) == 1
        (spot if one_place else mixed).append(row)
    spot.sort(key=lambda row: (row[3], row[0]))
    width = 2 + 2 * _MOST_ATOMS
    spots = np.array(spot, np.int32).reshape(-1, width)
    places = np.unique(spots[:, 3]) if len(spots) else np.zeros(1, np.int32)
    bounds = np.searchsorted(spots[:, 3], np.append(places, places[-1] + 1)).astype(np.int32)
    return Templates(
        tuple(names),
        spots,
        np.array(mixed, np.int32).reshape(-1, width),
        places.astype(np.int32),
        bounds,
    )
