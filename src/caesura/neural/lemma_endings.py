"""How words that end alike made their lemmas: what helps where a word itself was never seen.

For each tag and each ending of up to five letters it is counted how many words took which lemma
rule. The chances of a longer ending are smoothed with those of the next shorter one (Brants 2000,
section 2.3), so that `staged` goes with `managed`, `engaged` and `damaged` and not with `ended`.
Endings are kept as 32-bit hashes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.errors import ModelError
from caesura.models.packing import pack_keys, unpack_keys

__all__ = ["LemmaEndings"]

#: The longest ending, and how many words one must have to be kept.
_LONGEST: Final = 5
_LEAST: Final = 2
_MOST: Final = 65535
#: The arrays of a model file.
_ARRAYS: Final = ("gaps", "sizes", "rules", "counts")
_DAMAGED: Final = "its lexicon of lemmas is damaged"


def _endings(form: str) -> Iterable[str]:
    """The endings of a word, none and the shortest first; never all of it."""
    lower = form.lower()
    for size in range(min(_LONGEST + 1, len(lower))):
        yield lower[len(lower) - size :]


@dataclass(frozen=True)
class LemmaEndings:
    """Counts of rules by tag and ending."""

    #: Hashes in order, and the rules of each with their counts, the first of them from `first[i]`.
    keys: NDArray[np.uint32]
    first: NDArray[np.int64]
    rules: NDArray[np.uint16]
    counts: NDArray[np.uint16]

    @classmethod
    def of(cls, words: Iterable[tuple[str, str, str, int]]) -> Self:
        """Counted over words, each with its language, tag and rule."""
        rows: dict[int, Counter[int]] = {}
        for language, form, upos, rule in words:
            for ending in _endings(form):
                rows.setdefault(cls.hash(language, upos, ending), Counter())[rule] += 1
        keys = sorted(key for key, row in rows.items() if row.total() >= _LEAST)
        told = [sorted(rows[key].items()) for key in keys]
        return cls(
            np.array(keys, np.uint32),
            np.concatenate(([0], np.cumsum([len(row) for row in told]))).astype(np.int64),
            np.array([rule for row in told for rule, _ in row], np.uint16),
            np.array([min(count, _MOST) for row in told for _, count in row], np.uint16),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = (pack_keys(self.keys), np.diff(self.first).astype(np.uint16))
        names = (f"endings-{name}" for name in _ARRAYS)
        return dict(zip(names, (*found, self.rules, self.counts), strict=True))

    @classmethod
    def from_arrays(cls, n_rules: int, arrays: Mapping[str, NDArray[Any]]) -> Self | None:
        """Those of a model file; older ones have none."""
        if f"endings-{_ARRAYS[0]}" not in arrays:
            return None
        found = []
        for name, kind in zip(_ARRAYS, (np.uint32, *3 * (np.uint16,)), strict=True):
            array = arrays.get(f"endings-{name}")
            if array is None or array.dtype != kind or array.ndim != 1:
                raise ModelError(_DAMAGED)
            found.append(array)
        gaps, sizes, rules, counts = found
        keys = unpack_keys(gaps)
        first = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
        if len(keys) != len(sizes) or not len(rules) == len(counts) == first[-1]:
            raise ModelError(_DAMAGED)
        if (rules >= n_rules).any() or not sizes.all() or not counts.all():
            raise ModelError(_DAMAGED)
        return cls(keys, first, rules, counts)

    @cached_property
    def core(self) -> _core.LemmaEndings:
        """The counts in the core, which computes chances and candidates."""
        first = self.first.astype(np.int64)
        return _core.LemmaEndings(self.keys, first, self.rules, self.counts)

    @staticmethod
    def hash(language: str, upos: str, ending: str) -> int:
        return crc32(f"{language}\t{upos}\t{ending}".encode())

    @classmethod
    def of_word(cls, form: str, upos: str, language: str = "") -> list[int]:
        """The hashes of the endings of a word, the shortest first."""
        return [cls.hash(language, upos, ending) for ending in _endings(form)]
