"""Which features a fine tag may have: a network that is nearly sure of both may still mix them up.

XPOS and FEATS are chosen one by one; among the features of a word only those count that its tag
was seen with in training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.neural.examples import Labels

__all__ = ["NAME", "features_of", "from_arrays", "packed"]

#: The array of a model file.
NAME: Final = "feats-of-xpos"
#: Features that a tag was seen with less often are likely errors of annotation.
_LEAST: Final = 5


def features_of(docs: Iterable[Document], labels: Labels) -> NDArray[np.bool_]:
    """A row for each XPOS: which FEATS it may have; all where none was seen often."""
    seen: Counter[tuple[str, str]] = Counter()
    for doc in docs:
        seen.update(zip(doc.column("xpos"), doc.column("feats"), strict=True))
    found = np.zeros((len(labels.xpos), len(labels.feats)), bool)
    xpos, feats = ({name: n for n, name in enumerate(some)} for some in (labels.xpos, labels.feats))
    for (tag, features), often in seen.items():
        if often >= _LEAST and tag in xpos and features in feats:
            found[xpos[tag], feats[features]] = True
    found[~found.any(axis=1)] = True
    return found


def packed(allowed: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The table as bits, a row after the other."""
    return np.packbits(allowed, axis=1)


def from_arrays(
    arrays: Mapping[str, NDArray[Any]], tags: int, features: int
) -> NDArray[np.bool_] | None:
    """The table of a model file; older files have none."""
    array = arrays.get(NAME)
    if array is None:
        return None
    if array.dtype != np.uint8 or array.shape != (tags, -(-features // 8)):
        raise ModelError("its table of tags and features is damaged")
    found = np.unpackbits(array, axis=1)[:, :features].astype(bool)
    if not found.any(axis=1).all():
        raise ModelError("its table of tags and features is damaged")
    return found
