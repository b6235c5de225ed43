"""Word types that a tagger has met, with their attributes and summed scores; bounded.

A text repeats its words, so nearly all feature work is done once for each type. When the cache is
full it starts again, so memory stays flat over an endless stream; results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import Chain
from caesura.document.characters import is_picture
from caesura.models.tensors import pages
from caesura.stages.tag_attributes import attributes_of, edge_attributes, plain_form

__all__ = ["TypeCache"]

_MOST: Final = 16384


class TypeCache:
    """Numbers for word types; row n of `attributes` and `vectors` is type n, and 0 is the edge."""

    def __init__(self, chain: Chain, word_classes: Mapping[str, int] | None = None) -> None:
        self._chain = chain
        self._word_classes = word_classes
        self._numbers: dict[str, int] = {}
        self.types: list[str] = [""]
        #: The types that are emoji.
        self.pictures: list[int] = []
        self._size = 1
        self.attributes: NDArray[np.uint64] = _zeros(np.uint64, _MOST, edge_attributes().shape[1])
        self.vectors: NDArray[np.float32] = _zeros(np.float32, _MOST, chain.n_places, chain.classes)
        self._fill(edge_attributes(), 0)

    @property
    def full(self) -> bool:
        return self._size > _MOST

    def numbers(self, types: Sequence[str]) -> NDArray[np.int32]:
        """The numbers of types; new ones are taken in."""
        get = self._numbers.get
        found = np.array([get(word, -1) for word in types], np.int32)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            new = [types[at] for at in missing.tolist()]
            first = self._size
            found[missing] = np.arange(first, first + len(new), dtype=np.int32)
            self._numbers.update(zip(new, range(first, first + len(new)), strict=True))
            self.types += new
            seen = [n for n, word in enumerate(new, first) if is_picture(plain_form(word))]
            self.pictures = self.pictures + seen if seen else self.pictures
            self._size += len(new)
            self._grow()
            self._fill(attributes_of(new, self._word_classes), first)
        return found

    def _grow(self) -> None:
        room = len(self.attributes)
        if self._size <= room:
            return
        while room < self._size:
            room *= 2
        # New arrays: calls that run in other threads go on with the old ones.
        attributes = _zeros(np.uint64, room, self.attributes.shape[1])
        attributes[: len(self.attributes)] = self.attributes
        vectors = _zeros(np.float32, room, *self.vectors.shape[1:])
        vectors[: len(self.vectors)] = self.vectors
        self.attributes, self.vectors = attributes, vectors

    def _fill(self, attributes: NDArray[np.uint64], first: int) -> None:
        rows = slice(first, first + len(attributes))
        self.attributes[rows] = attributes
        self._chain.sum_types(attributes, self.vectors[rows])


def _zeros(dtype: Any, *shape: int) -> NDArray[Any]:
    """A table of zeros whose rows take memory when they are first written."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(pages(max(1, count)), dtype, int(np.prod(shape))).reshape(shape)
