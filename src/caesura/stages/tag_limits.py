"""The labels that words may get, if their tags are fixed: `Constraints` for the tagger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import Document

__all__ = ["AllowedLabels", "allowed_labels", "as_symbols", "labels_with"]


class AllowedLabels(NamedTuple):
    """The group of labels that a word is restricted to (-1: none), and the groups."""

    group: NDArray[np.int32]
    allowed: NDArray[np.bool_]


def allowed_labels(
    docs: Sequence[Document], chain: Sequence[str], labels: Sequence[tuple[str, ...]]
) -> AllowedLabels:
    """Words whose columns are fixed get labels that agree with them, if there is such a label."""
    fixed = [Constraints.of(doc).columns for doc in docs]
    columns = [column for column in chain if any(column in known for known in fixed)]
    if not columns:
        return AllowedLabels(np.zeros(0, np.int32), np.zeros((1, len(labels)), np.bool_))
    numbers: dict[tuple[str, ...], int] = {}
    masks: list[list[bool]] = []
    groups = []
    for doc, known in zip(docs, fixed, strict=True):
        group = np.full(doc.n_words, -1, np.int32)
        if known:
            open_column = np.zeros(doc.n_words, np.int32)
            rows = np.stack([known.get(column, open_column) for column in columns], axis=1)
            kinds, where = np.unique(rows, axis=0, return_inverse=True)
            own = np.full(len(kinds), -1, np.int32)
            for n, row in enumerate(kinds.tolist()):
                wanted = tuple(doc.strings[value] for value in row)
                if wanted not in numbers:
                    told = dict(zip(columns, wanted, strict=True))
                    mask = [_agrees(dict(zip(chain, label, strict=True)), told) for label in labels]
                    numbers[wanted] = len(masks) if any(wanted) and any(mask) else -1
                    if numbers[wanted] >= 0:
                        masks.append(mask)
                own[n] = numbers[wanted]
            group = own[where.ravel()]
        groups.append(group)
    allowed = np.array(masks or [[True] * len(labels)], np.bool_)
    return AllowedLabels(np.concatenate(groups), allowed)


def labels_with(
    told: Mapping[str, str], chain: Sequence[str], labels: Sequence[tuple[str, ...]]
) -> NDArray[np.bool_]:
    """Which labels have such values; none if they have no such columns."""
    there = told.keys() <= {*chain}
    rows = (dict(zip(chain, label, strict=True)) for label in labels)
    return np.array([there and _agrees(row, told) for row in rows], np.bool_)


def as_symbols(
    limits: AllowedLabels, words: NDArray[np.bool_], symbols: NDArray[np.bool_]
) -> AllowedLabels:
    """The same limits, and some words, unless they have others, are symbols."""
    group = limits.group if len(limits.group) else np.full(len(words), -1, np.int32)
    group = np.where(words & (group < 0), np.int32(len(limits.allowed)), group).astype(np.int32)
    return AllowedLabels(group, np.concatenate((limits.allowed, symbols[None, :])))


def _agrees(label: Mapping[str, str], told: Mapping[str, str]) -> bool:
    return all(not value or label[column] == value for column, value in told.items())
