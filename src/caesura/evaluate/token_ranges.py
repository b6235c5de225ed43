"""The place of every token of a treebank in a raw text, written as TokenRange into MISC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from caesura.document import Document, Strings
from caesura.errors import InputError
from caesura.evaluate.align import lay, loose_notes
from caesura.evaluate.flat_columns import Longs, flatten, spaceless
from caesura.evaluate.reference import Looseness, Reference

__all__ = ["Ranges", "align_to_text"]


@dataclass(frozen=True)
class Ranges:
    """Documents with TokenRange, and how many of their tokens were found."""

    docs: list[Document]
    start: Longs
    end: Longs
    tokens: int
    lost: int
    #: Forms of the first lost tokens.
    examples: tuple[str, ...]
    loose: Looseness = field(default_factory=Looseness)

    @property
    def summary(self) -> str:
        text = f"{self.tokens - self.lost:,} of {self.tokens:,} tokens are in the text."
        if self.lost:
            shown = ", ".join(repr(form) for form in self.examples)
            text += f" The others have no width (the first: {shown})."
        notes = "; ".join(loose_notes(self.loose))
        return f"{text} {notes[0].upper()}{notes[1:]}." if notes else text

    def as_dict(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "unaligned": self.lost,
            "examples": list(self.examples),
            "matched_loosely": self.loose.as_dict(),
        }


def align_to_text(docs: Sequence[Document], text: str) -> Ranges:
    """Copies of the documents whose tokens say where they are in the text."""
    side = flatten(docs, Strings())
    if not side.n_tokens:
        raise InputError("the treebank has no tokens", remedy="Give an annotated file.")
    points, kept = spaceless(text)
    loose = lay(side, text, Reference(points[kept]), kept, "the treebank", True)
    at = np.append(np.flatnonzero(kept), len(text)).astype(np.int64)
    end = np.where(side.token_end > 0, at[np.maximum(side.token_end, 1) - 1] + 1, 0)
    start = np.where(side.token_start == side.token_end, end, at[side.token_start])
    placed = []
    for number, doc in enumerate(docs):
        first, last = side.doc_first_token[number : number + 2].tolist()
        placed.append(_with_ranges(doc, start[first:last], end[first:last]))
    lost = np.flatnonzero(side.lost)
    forms = side.first_word[lost[:5]]
    return Ranges(
        placed,
        start,
        end,
        side.n_tokens,
        len(lost),
        tuple(side.strings[side.form[word]] for word in forms.tolist()),
        loose,
    )


def _with_ranges(doc: Document, start: Longs, end: Longs) -> Document:
    """The document with TokenRange in the MISC of its tokens."""
    strings = doc.strings
    token_misc, misc = doc.token_misc.copy(), doc.misc.copy()
    first = doc.first_word
    sizes = np.diff(first).tolist()
    rows = zip(start.tolist(), end.tolist(), sizes, first.tolist(), strict=False)
    for token, (low, high, size, word) in enumerate(rows):
        value = f"TokenRange={low}:{high}"
        if size > 1:
            token_misc[token] = strings.add(_added(strings[token_misc[token]], value))
        else:
            misc[word] = strings.add(_added(strings[misc[word]], value))
    return replace(doc, token_misc=token_misc, misc=misc)


def _added(misc: str, value: str) -> str:
    kept = [item for item in misc.split("|") if item and not item.startswith("TokenRange=")]
    return "|".join([*kept, value])
