"""Which columns a tagger learns, and the labels of its chain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.stages.tag_corpus import column_values
from caesura.stages.tagger_options import COLUMNS, START, TaggerOptions

__all__ = ["boundary_chain", "check_documents", "choose_columns", "label_names"]

#: With more joint labels than this, XPOS is predicted given UPOS instead of with it.
_MOST_LABELS = 256


def check_documents(docs: Sequence[Document]) -> None:
    """Training data must have words."""
    if not any(doc.n_words for doc in docs):
        raise InputError(
            "there are no words to learn from",
            file=docs[0].source if docs else None,
            remedy="Give a file with annotated sentences.",
        )


def _there(docs: Sequence[Document], column: str) -> bool:
    if column == START:
        return any(doc.has_sentences for doc in docs)
    return any(bool(np.any(getattr(doc, column))) for doc in docs)


def boundary_chain(docs: Sequence[Document]) -> tuple[str, ...]:
    """The label of the boundary labeller: the finest tag there is, and the sentence start."""
    tag = next((column for column in ("xpos", "upos") if _there(docs, column)), None)
    return (tag, START) if tag else (START,)


def choose_columns(
    docs: Sequence[Document], options: TaggerOptions
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the chain and the columns given its label: those asked for, or those there."""
    for column in options.chain + options.given:
        if column not in COLUMNS:
            raise UsageError(
                f"no tagger learns {column!r}", remedy=f"Columns are: {', '.join(COLUMNS)}."
            )
        if not _there(docs, column):
            raise InputError(
                f"no word has a value in the column {column}",
                file=docs[0].source,
                remedy="Choose other columns, or give data that have it.",
            )
    given = options.given
    if options.chain:
        return options.chain, given
    tags = [column for column in ("upos", "xpos") if _there(docs, column)]
    rest = [column for column in ("feats", "lemma") if _there(docs, column)]
    if not tags:
        raise InputError(
            "the columns UPOS and XPOS are both empty",
            file=docs[0].source,
            remedy="Name the column to learn, e.g. --set chain='[\"feats\"]'.",
        )
    if len(tags) == 2 and len(label_names(docs, ("upos", "xpos"))[0]) > _MOST_LABELS:
        tags, rest = ["upos"], ["xpos", *rest]
    return tuple(tags), given or tuple(rest)


def label_names(
    docs: Sequence[Document],
    columns: Sequence[str],
    old: Sequence[tuple[str, ...]] = (),
) -> tuple[list[tuple[str, ...]], NDArray[np.int32]]:
    """The labels, most frequent first after the old ones, and the label of each word."""
    tables: list[dict[str, int]] = [{} for _ in columns]
    values = [
        column_values(docs, column, table) for column, table in zip(columns, tables, strict=True)
    ]
    kinds, where, counts = np.unique(
        np.stack(values, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    names = [list(table) for table in tables]
    spelled = [
        tuple(names[c][value].replace("\t", " ") for c, value in enumerate(row))
        for row in kinds.tolist()
    ]
    order = sorted(range(len(spelled)), key=lambda n: (-int(counts[n]), spelled[n]))
    known = {label: n for n, label in enumerate(old)}
    labels = list(old)
    number = np.zeros(len(spelled), np.int32)
    for n in order:
        if spelled[n] not in known:
            known[spelled[n]] = len(labels)
            labels.append(spelled[n])
        number[n] = known[spelled[n]]
    return labels, number[where.ravel()]
