"""From decided tokens to documents: surface forms, words of multi-word tokens, sentence starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura._core import distinct_spans
from caesura.document import MAYBE, NO, YES, Document, Ints, Longs, Strings
from caesura.document.characters import code_points
from caesura.stages.multiword_tokens import Splitter, Words
from caesura.stages.token_decoder import Decided
from caesura.stages.token_hyphens import without_hyphen

__all__ = ["SplitCache", "build", "split_forms"]

#: Forms that are remembered.
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
    docs: Sequence[Document],
    ends: Longs,
    decided: Decided,
    cache: SplitCache,
    *,
    sentences: bool,
    threshold: float,
    weighed: bool = True,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> None:
    """Give documents, which have the same strings, the tokens that were decided.

    `ends` tells where the tokens of each document end. `before` and `after` are forms beyond the
    ends of the only one. Unless starts were `weighed` there is no evidence of them.
    """
    n = len(decided.starts)
    strings = docs[0].strings
    text = docs[0].text if len(docs) == 1 else "".join(doc.text for doc in docs)
    begins, stops = decided.starts, decided.ends
    if len(docs) > 1:
        sizes = np.array([len(doc.text) for doc in docs])
        offsets = np.repeat(np.cumsum(sizes) - sizes, np.diff(ends, prepend=0))
        begins, stops = begins + offsets, stops + offsets
    kinds, firsts = distinct_spans(code_points(text), begins, stops)
    spans = zip(begins[firsts].tolist(), stops[firsts].tolist(), strict=True)
    forms = [text[start:end] for start, end in spans]
    for kind in np.flatnonzero(decided.hyphenated[firsts]).tolist():
        forms[kind] = without_hyphen(forms[kind])
    ids, counts = split_forms(
        strings.ids(forms)[kinds], forms, kinds, ends, strings, cache, before, after
    )
    tokens: dict[str, NDArray[Any]] = {
        "token_start": decided.starts,
        "token_end": decided.ends,
        "token_misc": np.zeros(n, np.int32),
        "token_break": decided.breaks,
        "sent_start": np.full(n, MAYBE, np.int8),
    }
    if weighed:
        tokens["start_evidence"] = decided.evidence
    if sentences:
        tokens["sent_start"] = np.where(decided.evidence > threshold, YES, NO).astype(np.int8)
    words: dict[str, NDArray[Any]] = {"form": ids}
    for column in docs[0].schema.at("word"):
        if column.unknown is not None and column.name not in words:
            words[column.name] = column.rows(len(ids))
    word_token = np.repeat(np.arange(n, dtype=np.int32), counts)
    word_ends = ends if len(ids) == n else np.cumsum(counts)[ends - 1] * (ends > 0)
    first = first_word = 0
    for doc, end, end_word in zip(docs, ends.tolist(), word_ends.tolist(), strict=True):
        columns = vars(doc)
        for name, rows in tokens.items():
            columns[name] = rows[first:end]
        for name, rows in words.items():
            columns[name] = rows[first_word:end_word]
        doc.word_token = word_token[first_word:end_word] - np.int32(first)
        first, first_word = end, end_word


def split_forms(
    ids: Ints,
    forms: Sequence[str],
    kinds: Ints,
    ends: Longs,
    strings: Strings,
    cache: SplitCache,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> tuple[Ints, Longs | int]:
    """The ids of the words of tokens with some ids, and how many words each token has.

    `kinds` tells which of the forms each token has, and `ends` where the tokens of a text end.
    """
    splitter = cache.splitter
    if not splitter:
        return ids, 1
    several = np.array([cache[form] is not None for form in forms], np.bool_)
    found: dict[int, Words] = {}
    for i in np.flatnonzero(several[kinds]).tolist():
        form = forms[kinds[i]]
        words = cache[form]
        if words is None:
            continue
        if splitter.is_doubtful(form):
            number = int(ends.searchsorted(i, "right"))
            first, last = int(ends[number - 1]) if number else 0, int(ends[number])
            left = [forms[kind] for kind in kinds[max(first, i - 2) : i].tolist()]
            right = [forms[kind] for kind in kinds[i + 1 : min(last, i + 3)].tolist()]
            if not splitter.agrees(form, [*before, *left][-2:], [*right, *after][:2]):
                continue
        found[i] = words
    if not found:
        return ids, 1
    sizes = np.ones(len(kinds), dtype=np.int64)
    for i, words in found.items():
        sizes[i] = len(words)
    starts = np.cumsum(sizes) - sizes
    ids = np.repeat(ids, sizes)
    for i, words in found.items():
        at = int(starts[i])
        ids[at : at + len(words)] = strings.ids(words)
    return ids, sizes
