"""From decided tokens to a document: surface forms, words of multi-word tokens, sentence starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import MAYBE, NO, YES, Document, Strings
from caesura.tokenize.decoder import Decided
from caesura.tokenize.hyphens import without_hyphen
from caesura.tokenize.multiword import Splitter, Words

__all__ = ["SplitCache", "build", "expand"]

_MANY = 1 << 16


class SplitCache(dict[str, "Words | None"]):
    """Remembers what the splitter says about each form."""

    def __init__(self, splitter: Splitter) -> None:
        super().__init__()
        self.splitter = splitter

    def __missing__(self, form: str) -> Words | None:
        words = self.splitter.candidate(form)
        if len(self) < _MANY:
            self[form] = words
        return words


def build(
    text: str,
    decided: Decided,
    cache: SplitCache,
    *,
    sentences: bool,
    threshold: float,
    strings: Strings,
    weighed: bool = True,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    **columns: Any,
) -> Document:
    """A document of decided tokens; `before` and `after` are forms beyond its ends.

    Unless starts were `weighed` it has no evidence of them.
    """
    doc = Document(text=text, strings=strings, **columns)
    doc.token_start, doc.token_end = decided.starts, decided.ends
    n = doc.n_tokens
    spans = zip(decided.starts.tolist(), decided.ends.tolist(), strict=True)
    surfaces = [text[start:end] for start, end in spans]
    for t in np.flatnonzero(decided.hyphenated).tolist():
        surfaces[t] = without_hyphen(surfaces[t])
    doc.token_misc = np.zeros(n, dtype=np.int32)
    doc.token_break = decided.breaks
    if weighed:
        doc.start_evidence = decided.evidence
    if sentences:
        doc.sent_start = np.where(decided.evidence > threshold, YES, NO).astype(np.int8)
    else:
        doc.sent_start = np.full(n, MAYBE, dtype=np.int8)
    doc.word_token = np.arange(n, dtype=np.int32)
    doc.form = strings.ids(surfaces)
    expand(doc, surfaces, cache, before, after)
    doc.blank_words()
    return doc


def expand(
    doc: Document,
    surfaces: list[str],
    cache: SplitCache,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> None:
    """Give multi-word tokens their words, in a document of one word a token."""
    splitter = cache.splitter
    if not splitter:
        return
    found: dict[int, Words] = {}
    offset = len(before)
    line = [*before, *surfaces, *after] if splitter.doubtful else surfaces
    for i in np.flatnonzero(_several(doc, cache)[doc.form]).tolist():
        form = surfaces[i]
        words = cache[form]
        if words is None:
            continue
        if splitter.is_doubtful(form):
            j = i + offset
            if not splitter.agrees(form, line[max(0, j - 2) : j], line[j + 1 : j + 3]):
                continue
        found[i] = words
    if not found:
        return
    sizes = np.ones(len(surfaces), dtype=np.int64)
    for i, words in found.items():
        sizes[i] = len(words)
    first = np.cumsum(sizes) - sizes
    forms = np.repeat(doc.form, sizes)
    for i, words in found.items():
        at = int(first[i])
        forms[at : at + len(words)] = doc.strings.ids(words)
    doc.form = forms
    doc.word_token = np.repeat(np.arange(len(surfaces), dtype=np.int32), sizes)


def _several(doc: Document, cache: SplitCache) -> NDArray[np.bool_]:
    """Which strings are forms of a document that may be several words."""
    there = np.zeros(len(doc.strings), bool)
    there[doc.form] = True
    kinds = np.flatnonzero(there)
    forms = doc.strings.take(kinds.astype(np.int32))
    there[kinds] = [cache[form] is not None for form in forms]
    return there
