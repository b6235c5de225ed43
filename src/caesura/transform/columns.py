"""Choosing the columns of a document: what is dropped becomes unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from caesura.document import MAYBE, UNKNOWN, Document
from caesura.errors import UsageError
from caesura.transform.multiword import split_multiword


def _blank(name: str) -> Callable[[Document], Document]:
    def blank(doc: Document) -> Document:
        nothing: dict[str, Any] = {name: doc.schema.by_name[name].rows(doc.n_words)}
        return replace(doc, **nothing)

    return blank


def _heads(doc: Document) -> Document:
    return replace(doc, head=np.full(doc.n_words, UNKNOWN, dtype=np.int32), arc_conf=None)


def _misc(doc: Document) -> Document:
    return replace(
        doc,
        misc=np.zeros(doc.n_words, dtype=np.int32),
        token_misc=np.zeros(doc.n_tokens, dtype=np.int32),
    )


def _sentences(doc: Document) -> Document:
    return replace(
        doc,
        sent_start=np.full(doc.n_tokens, MAYBE, dtype=np.int8),
        comments={},
        sent_conf=None,
    )


def _phrases(doc: Document) -> Document:
    none = np.zeros(0, dtype=np.int32)
    return replace(doc, node_label=none, node_parent=none, node_leaf=none)


def _empty_nodes(doc: Document) -> Document:
    if np.any(doc.node_leaf <= -2):
        doc = _phrases(doc)
    return replace(doc, empty_nodes=[])


def _multiword(doc: Document) -> Document:
    """Every word its own token; the words of a multi-word token are set apart by spaces."""
    if doc.n_words == doc.n_tokens:
        return doc
    return split_multiword(doc)


#: What can be dropped, and how.
COLUMNS: Final[dict[str, Callable[[Document], Document]]] = {
    "lemma": _blank("lemma"),
    "upos": lambda doc: replace(_blank("upos")(doc), tag_options=None, tag_conf=None),
    "xpos": lambda doc: replace(_blank("xpos")(doc), tag_options=None, tag_conf=None),
    "feats": _blank("feats"),
    "head": _heads,
    "deprel": _blank("deprel"),
    "deps": _blank("deps"),
    "misc": _misc,
    "comments": lambda doc: replace(doc, comments={}, trailer=()),
    "empty-nodes": _empty_nodes,
    "multiword": _multiword,
    "sentences": _sentences,
    "paragraphs": lambda doc: replace(doc, paragraph_start=np.zeros(0, dtype=np.int64)),
    "phrases": _phrases,
}


def _check(names: Iterable[str]) -> list[str]:
    names = list(names)
    for name in names:
        if name not in COLUMNS:
            raise UsageError(
                f"there is no column {name}", remedy=f"Columns are: {', '.join(COLUMNS)}."
            )
    return names


def drop(doc: Document, names: Iterable[str]) -> Document:
    """The document without the columns named."""
    for name in _check(names):
        doc = COLUMNS[name](doc)
    return doc


def keep(doc: Document, names: Iterable[str]) -> Document:
    """The document with its words, its sentences and tokens, and of the rest what is named."""
    kept = {*_check(names), "sentences", "multiword", "paragraphs"}
    return drop(doc, [name for name in COLUMNS if name not in kept])
