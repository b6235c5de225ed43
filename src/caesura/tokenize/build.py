"""From decided tokens to a document: surface forms, words of multi-word tokens, sentence starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura._core import distinct_spans
from caesura.document import MAYBE, NO, YES, Document, Strings
from caesura.document.characters import code_points
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
    kinds, firsts = distinct_spans(code_points(text), decided.starts, decided.ends)
    spans = zip(decided.starts[firsts].tolist(), decided.ends[firsts].tolist(), strict=True)
    forms = [text[start:end] for start, end in spans]
    for kind in np.flatnonzero(decided.hyphenated[firsts]).tolist():
        forms[kind] = without_hyphen(forms[kind])
    doc.token_misc = np.zeros(n, dtype=np.int32)
    doc.token_break = decided.breaks
    if weighed:
        doc.start_evidence = decided.evidence
    if sentences:
        doc.sent_start = np.where(decided.evidence > threshold, YES, NO).astype(np.int8)
    else:
        doc.sent_start = np.full(n, MAYBE, dtype=np.int8)
    doc.word_token = np.arange(n, dtype=np.int32)
    doc.form = strings.ids(forms)[kinds]
    expand(doc, forms, kinds, cache, before, after)
    doc.blank_words()
    return doc


def expand(
    doc: Document,
    forms: Sequence[str],
    kinds: NDArray[np.int32],
    cache: SplitCache,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> None:
    """Give multi-word tokens their words, in a document of one word a token.

    `kinds` tells which of the forms each token has.
    """
    splitter = cache.splitter
    if not splitter:
        return
    several = np.array([cache[form] is not None for form in forms], np.bool_)
    found: dict[int, Words] = {}
    for i in np.flatnonzero(several[kinds]).tolist():
        form = forms[kinds[i]]
        words = cache[form]
        if words is None:
            continue
        if splitter.is_doubtful(form):
            around = [forms[kind] for kind in kinds[max(0, i - 2) : i + 3].tolist()]
            at = min(i, 2)
            left = [*before, *around[:at]] if i < 2 else around[:at]
            right = [*around[at + 1 :], *after]
            if not splitter.agrees(form, left[-2:], right[:2]):
                continue
        found[i] = words
    if not found:
        return
    sizes = np.ones(len(kinds), dtype=np.int64)
    for i, words in found.items():
        sizes[i] = len(words)
    first = np.cumsum(sizes) - sizes
    ids = np.repeat(doc.form, sizes)
    for i, words in found.items():
        at = int(first[i])
        ids[at : at + len(words)] = doc.strings.ids(words)
    doc.form = ids
    doc.word_token = np.repeat(np.arange(len(kinds), dtype=np.int32), sizes)
