"""The tables of a tagger: keyed weights and label transitions, and their sums by word type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import Chain, LinearTable
from caesura.document.characters import is_picture
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import (
    DAMAGED,
    SparseRows,
    packed_in,
    refusing,
    unpack_dense,
    unpack_keys,
    unpack_sparse,
)
from caesura.models.tensors import pages
from caesura.stages.tagger_features import attributes_of, edge_attributes, plain_form

#: Columns into which a hashed table of trigrams is folded for packing.
FOLD = 128
#: Up to this many labels, every label trigram has a weight of its own; beyond, they are hashed to
#: so many places.
_DENSE: Final = 128
_HASHED: Final = 1 << 21


class Transitions(NamedTuple):
    """Weights of label bigrams and trigrams; without trigrams the chain is of first order."""

    pairs: NDArray[np.float32]
    triples: NDArray[np.float32]


def transition_sizes(classes: int, order: int) -> tuple[tuple[int, int], int]:
    """The shape of a table of bigrams and the length of one of trigrams."""
    size = (classes + 1) ** 3 if classes <= _DENSE else _HASHED
    return (classes + 1, classes), size if order == 2 else 0


def table_of(part: Part, prefix: str, classes: int) -> tuple[NDArray[np.uint32], SparseRows]:
    """The keys and rows of a table in a part."""
    keys = unpack_keys(part.array(f"{prefix}.gaps", np.uint32, (None,)))
    rows = unpack_sparse(packed_in(part, f"{prefix}."), classes)
    if len(keys) != len(rows.counts):
        raise ModelError(
            f"the model's {part.kind}: table {prefix} has {len(keys)} keys "
            f"for {len(rows.counts)} rows",
            remedy=DAMAGED,
        )
    return keys, rows


def part_table(part: Part, prefix: str, classes: int) -> LinearTable:
    """A table ready for looking up features."""
    keys, rows = table_of(part, prefix, classes)
    with refusing():
        return LinearTable(keys, *rows, classes)


def part_moves(part: Part, classes: int, order: int) -> Transitions:
    shape, size = transition_sizes(classes, order)
    pairs = unpack_dense(packed_in(part, "pairs."), classes)
    _same(part, "pairs", len(pairs), shape[0])
    triples = np.zeros(0, np.float32)
    if order == 2:
        triples = unpack_dense(packed_in(part, "triples."), FOLD).ravel()
        _same(part, "triples", len(triples), -(-size // FOLD) * FOLD)
    return Transitions(pairs, triples[:size])


def _same(part: Part, name: str, have: int, want: int) -> None:
    if have != want:
        raise ModelError(
            f"the model's {part.kind}: table {name} has {have} rows, not {want}", remedy=DAMAGED
        )


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
