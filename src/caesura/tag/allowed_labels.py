"""`Constraints` for the tagger's kernels: the labels that a word may get, if its tags are fixed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.constraints import Constraints
from caesura.document import Document
from caesura.tag.decode import AllowedLabels

__all__ = ["allowed_labels"]


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


def _agrees(label: dict[str, str], told: dict[str, str]) -> bool:
    return all(not value or label[column] == value for column, value in told.items())
