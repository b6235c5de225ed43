"""Lower case, with the offsets still right.

The lower case of a character may be longer than itself (İ), and that of a word may depend on its
end (Σ), so each token is folded on its own and the offsets are counted anew.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caesura.document import Document, Longs
from caesura.transform.comments import is_text
from caesura.transform.follow import moved_offsets
from caesura.transform.punctuation import lower_ids


def lower(doc: Document) -> Document:
    """The document with its text, forms and lemmas in lower case."""
    new = replace(
        doc,
        form=lower_ids(doc.strings, doc.form),
        lemma=lower_ids(doc.strings, doc.lemma),
        token_break=None,
        comments={
            token: tuple(c.lower() if is_text(c) else c for c in comments)
            for token, comments in doc.comments.items()
        },
    )
    if doc.text.isascii():
        return replace(new, text=doc.text.lower())
    return _fold_text(doc, new)


def _fold_text(doc: Document, new: Document) -> Document:
    text, parts, at = doc.text, [], 0
    for start, end in zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True):
        parts += [_same_length(text[at:start]), text[start:end].lower()]
        at = end
    parts.append(_same_length(text[at:]))
    ends = np.cumsum([len(part) for part in parts])
    # Old and new offsets of every place where a token starts or ends.
    old = np.empty(2 * doc.n_tokens + 2, dtype=np.int64)
    old[0], old[-1] = 0, len(text)
    old[1:-1:2], old[2:-1:2] = doc.token_start, doc.token_end
    fresh = np.concatenate(([0], ends)).astype(np.int64)

    def move(offsets: Longs) -> Longs:
        piece = np.clip(np.searchsorted(old, offsets, side="right") - 1, 0, len(fresh) - 1)
        limit = fresh[np.minimum(piece + 1, len(fresh) - 1)]
        return np.minimum(fresh[piece] + (offsets - old[piece]), limit)

    new = replace(new, text="".join(parts), token_start=fresh[1:-1:2], token_end=fresh[2:-1:2])
    return replace(new, **moved_offsets(doc, move))


def _same_length(text: str) -> str:
    """Lower case, but for characters that would grow."""
    folded = text.lower()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := char.lower()) == 1 else char for char in text)
