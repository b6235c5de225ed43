"""Cross-fitting and shuffling: folds of training data, and the order of an epoch.

A stage that learns from the output of another one must see in training what it will see in use.
Folds are made of whole documents; data in fewer documents than folds are cut between sentences. The
order of an epoch depends on the seed and the epoch only, so training that resumes at epoch 7 sees
the same order as training that never stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError, UsageError


def generator(seed: int, *stream: int) -> np.random.Generator:
    """A random generator for one purpose; different streams of one seed are independent."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *stream])))


def epoch_order(size: int, seed: int, epoch: int) -> NDArray[np.int64]:
    """The permutation of `size` instances for one epoch."""
    return generator(seed, epoch).permutation(size).astype(np.int64)


def pieces(order: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """An order piece by piece, so that progress can be reported after each."""
    for begin in range(0, len(order), size):
        yield order[begin : begin + size]


T = TypeVar("T")

_DEALT: Final = 0x6A61636B
_SHUFFLED: Final = 1


@dataclass(frozen=True)
class Folds:
    """Documents, or pieces of them, the document that each is of, and the fold that it is in."""

    pieces: list[Document]
    owners: list[int]
    fold_of: list[int]
    number: int

    def __iter__(self) -> Iterator[tuple[int, list[int], list[int]]]:
        """Each fold that is not empty: its number, the pieces in it, and all others."""
        for fold in range(self.number):
            held = [k for k, own in enumerate(self.fold_of) if own == fold]
            if held:
                yield fold, held, [k for k, own in enumerate(self.fold_of) if own != fold]

    def by_document(self, values: Sequence[T], documents: int) -> list[list[T]]:
        """What was found for the pieces of each document, in their order."""
        found: list[list[T]] = [[] for _ in range(documents)]
        for value, owner in zip(values, self.owners, strict=True):
            found[owner].append(value)
        return found


def of_equal_size(docs: Sequence[Document], folds: int, seed: int) -> Folds:
    """Folds with about the same number of words; the pieces are copies in which nothing is fixed.

    Where there are too few documents they are cut into blocks, two for each fold.
    """
    _check(folds)
    whole = [(replace(doc), n) for n, doc in enumerate(docs) if doc.n_words]
    if len(whole) >= folds:
        pieces = whole
    else:
        share = max(1, -(-sum(doc.n_sentences for doc in docs) // (2 * folds)))
        pieces = [
            (piece, n)
            for n, doc in enumerate(docs)
            for piece in _cut(doc, [*range(0, doc.n_sentences, share), doc.n_sentences])
        ]
    if len(pieces) < 2:
        raise InputError(
            "there is but one sentence to make folds of",
            file=docs[0].source if docs else None,
            remedy="Give more data.",
        )
    for piece, _ in pieces:
        piece.fixed = frozenset()
    fold_of = deal([piece.n_words for piece, _ in pieces], folds, seed)
    return Folds([piece for piece, _ in pieces], [n for _, n in pieces], fold_of, folds)


def at_random(
    docs: Sequence[Document], folds: int, seed: int, groups: Sequence[int] | None = None
) -> Folds:
    """Folds by chance; documents of one group (copies of the same text) are in one fold.

    Where there are too few groups, each document is cut into as many parts as there are folds.
    """
    _check(folds)
    pieces: list[Document] = []
    owners: list[int] = []
    group: list[int] = []
    names = list(range(len(docs))) if groups is None else list(groups)
    if len(set(names)) >= folds:
        pieces, owners, group = list(docs), list(range(len(docs))), names
    else:
        for number, doc in enumerate(docs):
            parts = min(folds, doc.n_sentences)
            at = np.unique(np.linspace(0, doc.n_sentences, parts + 1).astype(int))
            for piece in _cut(doc, at.tolist()):
                owners.append(number)
                group.append(len(pieces))
                pieces.append(piece)
    distinct = sorted(set(group))
    order = generator(seed, _SHUFFLED).permutation(len(distinct))
    fold = {name: int(order[i]) % folds for i, name in enumerate(distinct)}
    return Folds(pieces, owners, [fold[name] for name in group], folds)


def deal(sizes: Sequence[int], folds: int, seed: int) -> list[int]:
    """A fold for each item: in random order, always to the fold with the fewest words so far."""
    order = generator(seed, _DEALT).permutation(len(sizes)).tolist()
    # The largest come first, so that the folds end up about even.
    order.sort(key=lambda item: -sizes[item])
    loads = [0] * folds
    fold_of = [0] * len(sizes)
    for item in order:
        lightest = loads.index(min(loads))
        fold_of[item] = lightest
        loads[lightest] += sizes[item]
    return fold_of


def in_turn(items: int, folds: int) -> NDArray[np.int64]:
    """A fold for each item, one after the other."""
    return np.arange(items) % folds


def _check(folds: int) -> None:
    if folds < 2:
        raise UsageError(f"the data are in {folds} folds", remedy="Take two folds or more.")


def _cut(doc: Document, at: Sequence[int]) -> list[Document]:
    """The pieces of a document between these sentences."""
    bounds = doc.sentence_bounds
    return [doc.cut(int(bounds[a]), int(bounds[b])) for a, b in pairwise(at)]
