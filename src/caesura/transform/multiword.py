"""Multi-word tokens taken apart: every word a token of its own, with a space between."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from caesura.document import NO, Document, Longs
from caesura.transform.comments import is_text
from caesura.transform.follow import moved_offsets, rows_of

_MADE_ANEW: Final = ("token_start", "token_end", "sent_start", "token_misc")


def split_multiword(doc: Document) -> Document:
    """The document with one token a word; `don't` of the words `do` and `n't` reads `do n't`."""
    first = doc.first_word.tolist()
    multi = np.flatnonzero(np.diff(doc.first_word) > 1).tolist()
    parts, at, starts = [], 0, np.zeros(doc.n_words, dtype=np.int64)
    old, shifts, length = [0], [0], 0
    single = np.setdiff1d(np.arange(doc.n_tokens), multi)
    ends = np.zeros(doc.n_words, dtype=np.int64)
    for token in multi:
        start, end = int(doc.token_start[token]), int(doc.token_end[token])
        forms = doc.strings.take(doc.form[first[token] : first[token + 1]])
        before = doc.text[at:start]
        parts += [before, " ".join(forms)]
        length += len(before)
        for word, form in enumerate(forms, first[token]):
            starts[word], ends[word] = length, length + len(form)
            length += len(form) + 1
        length -= 1
        old.append(end)
        shifts.append(length - end)
        at = end
    parts.append(doc.text[at:])

    def move(offsets: Longs) -> Longs:
        at = np.searchsorted(np.array(old), offsets, side="right") - 1
        return offsets + np.array(shifts, dtype=np.int64)[at]

    words = doc.first_word[single]
    starts[words], ends[words] = move(doc.token_start[single]), move(doc.token_end[single])
    sent_start = np.full(doc.n_words, NO, dtype=np.int8)
    sent_start[doc.first_word[:-1]] = doc.sent_start
    return replace(
        doc,
        text="".join(parts),
        token_start=starts,
        token_end=ends,
        sent_start=sent_start,
        token_misc=np.zeros(doc.n_words, dtype=np.int32),
        token_columns={},
        word_token=np.arange(doc.n_words, dtype=np.int32),
        comments={
            first[token]: tuple(c for c in comments if not is_text(c))
            for token, comments in doc.comments.items()
        },
        **rows_of(doc, "token", doc.word_token, but=_MADE_ANEW),
        **moved_offsets(doc, move),
    )
