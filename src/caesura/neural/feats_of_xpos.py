"""Which features a fine tag may have: a network that is nearly sure of both may still mix them up.

XPOS and FEATS are chosen one by one; among the features of a word only those count that its tag
was seen with in training: often, or with a word that never had others, as `ours`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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
#: Features that a tag was seen with less often are likely errors of annotation, unless a word with
#: this tag was seen so often and always has them. Where it has none, it is part of another word.
_LEAST: Final = 5
_LEAST_ALONE: Final = 2


def features_of(docs: Iterable[Document], labels: Labels) -> NDArray[np.bool_]:
    """A row for each XPOS: which FEATS it may have; all where none was seen often."""
    seen: Counter[tuple[str, str]] = Counter()
    words: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for doc in docs:
        forms, tags, values = (doc.column(name) for name in ("form", "xpos", "feats"))
        seen.update(zip(tags, values, strict=True))
        for form, tag, features in zip(forms, tags, values, strict=True):
            words[form.lower(), tag][features] += 1
    for (_, tag), ways in words.items():
        features = next(iter(ways))
        if features and len(ways) == 1 and ways.total() >= _LEAST_ALONE:
            seen[tag, features] += _LEAST
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
