"""Documents for a parser that chooses tags: the likeliest tags of every word, and the right ones.

Training documents get theirs from taggers that have not seen them (jackknifing), so that the parser
learns when to trust a tagger and when to overrule it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document, KBestTags
from caesura.models.file import Part
from caesura.tag.alternatives import with_right
from caesura.tag.jackknifing import jackknife
from caesura.tag.options import TaggerOptions
from caesura.tag.tagger import Regime, Tagger
from caesura.tag.trainer import train_tagger

__all__ = ["has_options", "jackknifed", "pack_options", "tagged", "unpack_options"]


def has_options(docs: Sequence[Document]) -> bool:
    """Whether all documents know the likeliest tags of their words, and which are right."""
    return all(doc.tag_options is not None and doc.tag_options.right is not None for doc in docs)


def tagged(
    tagger: Tagger, docs: Sequence[Document], k: int, *, regime: Regime = "document"
) -> list[Document]:
    """Copies with the tags of a tagger; for k above 1 also with options, told the right ones."""
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    tagger.tag(copies, regime=regime, k=k if k > 1 else 0, whole=k > 1)
    for copy, doc in zip(copies, docs, strict=True):
        if k > 1 and copy.tag_options is not None:
            copy.tag_options = with_right(copy.tag_options, doc)
    return copies


def jackknifed(
    train: Sequence[Document],
    dev: Sequence[Document],
    k: int,
    options: TaggerOptions,
    *,
    folds: int = 10,
    regime: Regime = "document",
    on_fold: Callable[[int, int], None] | None = None,
) -> tuple[list[Document], list[Document], Part]:
    """Training and dev documents with the k likeliest tags, and the tagger for later."""
    found = jackknife(train, options, folds, regime=regime, choices=k, on_fold=on_fold)
    tagger = train_tagger(train, (), replace(options, patience=0))
    return found, tagged(tagger, dev, k, regime=regime), tagger.part


def pack_options(docs: Sequence[Document], part: Part) -> None:
    """Keep the options of documents in a part of a model file."""
    options = [doc.tag_options for doc in docs if doc.tag_options is not None]
    if not options or len(options) < len(docs):
        return
    width = max(one.ids.shape[1] for one in options)

    def wide(table: NDArray[Any]) -> NDArray[Any]:
        return np.pad(table, ((0, 0), (0, width - table.shape[1])))

    for name in options[0].columns:
        numbers: dict[str, int] = {}
        rows = []
        for doc, one in zip(docs, options, strict=True):
            ids = one.columns[name]
            kinds, where = np.unique(ids, return_inverse=True)
            known = [numbers.setdefault(value, len(numbers)) for value in doc.strings.take(kinds)]
            rows.append(wide(np.array(known, np.int32)[where].reshape(ids.shape)))
        part.labels[f"options.{name}"] = list(numbers)
        part.arrays[f"options.{name}"] = np.concatenate(rows).astype(np.int32)
    part.arrays["probabilities"] = np.concatenate([wide(one.probabilities) for one in options])
    part.arrays["right"] = np.concatenate(
        [np.full(len(one.ids), -1) if one.right is None else one.right for one in options]
    ).astype(np.int32)


def unpack_options(part: Part, doc: Document, rows: slice) -> None:
    """Give a document its options, those of some rows of the part, if there are any."""
    names = [name.removeprefix("options.") for name in part.labels if name.startswith("options.")]
    if not names:
        return
    columns = {
        name: doc.strings.ids(part.labels[f"options.{name}"])[
            part.array(f"options.{name}", np.int32)[rows]
        ]
        for name in names
    }
    ids = columns.pop(names[0])
    sure = part.array("probabilities", np.float32)[rows].copy()
    right = part.array("right", np.int32)[rows].copy()
    doc.tag_options = KBestTags(names[0], ids, sure, columns, right)
