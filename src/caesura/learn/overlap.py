"""Whether raw text holds what a model will be judged by: sequences of words in both.

A student that has read the dev or the test text, labelled by a good teacher, scores too well. Of
each held-out file the share of its sequences of eight words that also stand in the raw text is
measured, whatever their case and punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError
from caesura.learn.report import Report

__all__ = ["LENGTH", "sequences", "without_overlap"]

#: Words of a sequence.
LENGTH: Final = 8
#: Held-out sequences that a document may hold by chance.
_CHANCE: Final = 2
#: A word; characters of scripts without spaces are words of their own.
_WORD: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    "|[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


def sequences(text: str) -> Hashes:
    """A number for each sequence of words in a text, in order."""
    words = _WORD.findall(text.casefold())
    known = {word: crc32(word.encode("utf-8", "surrogatepass")) for word in {*words}}
    values = np.array([known[word] for word in words], np.uint64)
    n = max(0, len(values) - LENGTH + 1)
    found = np.zeros(n, np.uint64)
    with np.errstate(over="ignore"):
        for at in range(LENGTH):
            found = found * _FACTOR + values[at : at + n]
    return found


def without_overlap(
    raw: Mapping[str, Sequence[Document]],
    held: Mapping[str, Sequence[Document]],
    *,
    share: float,
    how: Literal["refuse", "drop"],
    report: Report,
) -> dict[str, list[Document]]:
    """The raw documents that may be learned from.

    If more than a `share` of the sequences of a held-out file stand in them, that is an error, or
    documents that hold several are dropped.
    """
    own = {
        name: np.unique(np.concatenate([sequences(doc.text) for doc in docs]))
        for name, docs in held.items()
        if docs
    }
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *own.values()]))
    seen = np.zeros(len(every), bool)
    kept: dict[str, list[Document]] = {path: [] for path in raw}
    dropped = 0
    first: tuple[str, Document] | None = None
    for path, docs in raw.items():
        for doc in docs:
            here = np.unique(sequences(doc.text))
            at = np.searchsorted(every, here)
            at = at[at < len(every)]
            hits = at[every[at] == here[: len(at)]] if len(every) else at
            if len(hits) > _CHANCE and first is None:
                first = path, doc
            if how == "drop" and len(hits) > _CHANCE:
                dropped += 1
                continue
            seen[hits] = True
            kept[path].append(doc)
    if dropped:
        report.say(f"{dropped} documents of raw text left out that hold held-out text")
    for name, mine in own.items():
        found = float(seen[np.searchsorted(every, mine)].mean()) if len(mine) else 0.0
        if found > share:
            path, doc = first or (next(iter(raw)), Document())
            where = f" (first in document {doc.id})" if doc.id else ""
            raise InputError(
                f"{found:.1%} of the sequences of {LENGTH} words of {name} stand in this text"
                + where,
                file=path,
                remedy="Leave that text out, or drop its documents with --overlap drop.",
            )
    return kept
