"""The k likeliest labels of each word with all that goes with them, for a parser to choose from.

The first is always the label that the word got, even where another one is likelier by itself, so
that a document and its options agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, KBestTags
from caesura.stages.tag_columns import Posteriors
from caesura.stages.tag_corpus import distinct

__all__ = ["alternatives", "together", "with_right", "write_readings", "write_values"]

Ints = NDArray[np.int32]
#: Columns that tell labels apart, and columns that follow from the label and the word.
LABEL_COLUMNS: Final = ("upos", "xpos")


def alternatives(found: Posteriors, path: Ints, k: int) -> Posteriors:
    """The labels that words got, and the k - 1 likeliest others; -1 where there are no more."""
    labels, masses = found.labels.copy(), found.masses.copy()
    lost = ~np.any(labels == path[:, None], axis=1)
    labels[lost, -1], masses[lost, -1] = path[lost], 0.0
    rank = np.where(labels == path[:, None], np.float32(2), masses)
    order = np.argsort(-np.where(labels >= 0, rank, np.float32(-1)), axis=1, kind="stable")
    order = order[:, : min(k, labels.shape[1])]
    return Posteriors(
        np.take_along_axis(labels, order, axis=1), np.take_along_axis(masses, order, axis=1)
    )


def _obeying(options: KBestTags, given: Mapping[str, Ints]) -> KBestTags:
    """The same options without those that contradict a given tag; what follows from it is kept."""
    columns = options.columns
    sure = options.probabilities.copy()
    for name, values in given.items():
        if name not in columns:
            continue
        known = values[:, None] != 0
        if name in LABEL_COLUMNS:
            sure[known & (columns[name] != values[:, None])] = 0.0
        columns[name] = np.where(known, values[:, None], columns[name]).astype(np.int32)
    ids = columns.pop(options.column)
    return replace(options, ids=ids, probabilities=sure, others=columns)


def write_values(
    docs: Sequence[Document],
    offsets: list[int],
    column: str,
    values: list[str],
    found: Ints,
    masses: NDArray[np.float32],
    chosen: Ints,
) -> None:
    """The likeliest values of one column as options, and how sure the chosen one is."""
    conf = np.where(found == chosen[:, None], masses, 0.0).sum(axis=1).astype(np.float32)
    for doc, low, high in zip(docs, offsets, offsets[1:], strict=False):
        names = doc.strings.ids(values)
        own = found[low:high]
        ids = np.where(own >= 0, names[np.maximum(own, 0)], 0).astype(np.int32)
        doc.tag_options = KBestTags(column, ids, masses[low:high].copy())
        doc.tag_conf = conf[low:high].copy()


def write_readings(
    docs: Sequence[Document],
    offsets: list[int],
    columns: Mapping[str, Sequence[tuple[list[str], Ints]]],
    masses: NDArray[np.float32],
    known: Sequence[Mapping[str, Ints]],
) -> None:
    """Whole readings as options, the first of which was chosen: by column, values and choices."""
    for n, doc in enumerate(docs):
        rows = slice(offsets[n], offsets[n + 1])
        ids = {
            name: np.stack([_ids(doc, values, own[rows]) for values, own in options], axis=1)
            for name, options in columns.items()
        }
        first = next(iter(ids))
        options = KBestTags(first, ids.pop(first), masses[rows].copy(), ids)
        doc.tag_options = _obeying(options, known[n])
        doc.tag_conf = masses[rows, 0].copy()


def _ids(doc: Document, values: list[str], chosen: Ints) -> Ints:
    kinds, where = distinct(chosen + np.int32(1))
    ids = doc.strings.ids([values[n - 1] if n else "" for n in kinds.tolist()])
    return ids[where].astype(np.int32) if len(ids) else np.zeros(0, np.int32)


def with_right(options: KBestTags, gold: Document) -> KBestTags:
    """The same options, told which of them has the gold tags; the strings are shared."""
    columns = options.columns
    same: Any = options.probabilities > 0
    same[:, :1] = True
    for name in LABEL_COLUMNS:
        if name in columns:
            same = same & (columns[name] == getattr(gold, name)[:, None])
    found = same.any(axis=1) if same.shape[1] else np.zeros(len(same), np.bool_)
    right = np.where(found, same.argmax(axis=1) if same.shape[1] else 0, -1)
    return replace(options, right=right.astype(np.int32))


def together(parts: Sequence[KBestTags]) -> KBestTags:
    """The options of pieces of one document, one after the other; the strings are shared."""
    width = max(part.ids.shape[1] for part in parts)

    def joined(get: Callable[[KBestTags], NDArray[Any]]) -> Any:
        return np.concatenate(
            [np.pad(get(part), ((0, 0), (0, width - part.ids.shape[1]))) for part in parts]
        )

    first = parts[0]
    others = {name: joined(lambda part, name=name: part.others[name]) for name in first.others}  # type: ignore[misc]
    return KBestTags(
        first.column, joined(lambda part: part.ids), joined(lambda part: part.probabilities), others
    )
