"""Small documents for tests: words with spaces between them, `|` between sentences.

A multi-word token is written with its parts, `didn't=did+n't`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.document import NO, ROOT, UNKNOWN, YES, Document


def document(
    written: str,
    heads: Sequence[int] | None = None,
    *,
    id: str | None = None,
    **columns: Sequence[str],
) -> Document:
    """`heads` count from 1 within the sentence, 0 is the root, -1 unknown."""
    starts: list[int] = []
    ends: list[int] = []
    begins: list[int] = []
    word_token: list[int] = []
    forms: list[str] = []
    base: list[int] = []
    text = ""
    opening = True
    first = 0
    for piece in written.split():
        if piece == "|":
            opening = True
            continue
        surface, _, parts = piece.partition("=")
        text += " " if text else ""
        starts.append(len(text))
        text += surface
        ends.append(len(text))
        begins.append(YES if opening else NO)
        if opening:
            first = len(forms)
        opening = False
        for form in parts.split("+") if parts else [surface]:
            word_token.append(len(starts) - 1)
            forms.append(form)
            base.append(first)
    doc = Document(text=text, id=id)
    doc.token_start = np.array(starts, dtype=np.int64)
    doc.token_end = np.array(ends, dtype=np.int64)
    doc.sent_start = np.array(begins, dtype=np.int8)
    doc.token_misc = np.zeros(len(starts), dtype=np.int32)
    doc.word_token = np.array(word_token, dtype=np.int32)
    doc.form = doc.strings.ids(forms)
    doc.blank_words()
    for name, values in columns.items():
        doc.set_column(name, values)
    if heads is not None:
        special = {0: ROOT, -1: UNKNOWN}
        doc.head = np.array(
            [special.get(head, start + head - 1) for head, start in zip(heads, base, strict=True)],
            dtype=np.int32,
        )
    doc.check()
    return doc
