"""Documents from lists of tokens, and pieces from documents: what several formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from caesura.document import NO, YES, Document, Strings

__all__ = ["from_tokens", "in_pieces"]


def from_tokens(
    sentences: Sequence[Sequence[str]],
    *,
    strings: Strings | None = None,
    space: str = " ",
    gap: str = "\n",
    gaps: dict[int, str] | None = None,
    final: str = "",
) -> Document:
    """A document whose text is the tokens joined by `space` and the sentences by `gap`.

    `gaps` holds what stands before a sentence where it is not `gap`.
    """
    parts: list[str] = []
    starts: list[int] = []
    special = gaps or {}
    for number, sentence in enumerate(sentences):
        if parts:
            parts[-1] = special.get(number, gap)
        starts.append(len(parts) // 2)
        for token in sentence:
            parts += (token, space)
    if parts:
        parts[-1] = final
    lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    ends = np.cumsum(lengths)[0::2]
    doc = Document.from_spans("".join(parts), ends - lengths[0::2], ends, strings=strings)
    doc.sent_start = np.full(doc.n_tokens, NO, dtype=np.int8)
    doc.sent_start[starts] = YES
    return doc


def in_pieces(documents: Iterable[Document], size: int) -> Iterator[Document]:
    """Cut documents between sentences into pieces of about so many tokens."""
    for doc in documents:
        bounds = doc.sentence_bounds.tolist()
        if doc.n_tokens <= size or len(bounds) <= 2:
            yield doc
            continue
        first = 0
        for end in bounds[1:]:
            if end - first >= size or end == doc.n_tokens:
                yield doc.cut(first, end)
                first = end
