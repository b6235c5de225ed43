"""Whether what a teacher says is what a treebank has: labels of both, compared by their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from caesura.document import Document
from caesura.errors import InputError

__all__ = ["ENOUGH", "compare_labels"]

#: Words that show what labels somebody uses.
ENOUGH: Final = 3000
#: Words whose labels may be unknown to the treebank, or to the teacher.
_THEIRS: Final = 0.1
_OURS: Final = 0.25


def compare_labels(
    gold: Sequence[Document],
    said: Sequence[Document],
    column: str,
    *,
    declared: Iterable[str] | None,
    file: str,
    remedy: str,
) -> None:
    """Refuse a teacher whose labels are not those of the treebank.

    `declared` are labels that it knows besides; None if nobody can tell what it knows.
    """
    ours, theirs = _counts(gold, column), _counts(said, column)
    if not ours:
        return
    strange = Counter({label: n for label, n in theirs.items() if label not in ours})
    missing: Counter[str] = Counter()
    if declared is not None:
        known = {*declared, *theirs}
        missing.update({label: n for label, n in ours.items() if label not in known})
    what = ""
    if strange.total() > _THEIRS * max(1, theirs.total()):
        what = f"it says {strange.most_common(1)[0][0]!r}, which the treebank never does"
    elif missing.total() > _OURS * ours.total():
        what = f"it does not know {missing.most_common(1)[0][0]!r}, which the treebank has"
    if what:
        raise InputError(
            f"the teacher's {column.upper()} labels are not those of the treebank: {what}",
            file=file,
            remedy=remedy,
        )


def _counts(docs: Sequence[Document], column: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for doc in docs:
        numbers, times = np.unique(getattr(doc, column), return_counts=True)
        for number, n in zip(numbers.tolist(), times.tolist(), strict=True):
            if number:
                found[doc.strings[number]] += n
    return found
