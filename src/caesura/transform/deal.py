"""Documents dealt out over several files, whole, so that the files come out about equally long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from caesura.document import Document


def deal(documents: Iterable[Document], files: int) -> Iterator[tuple[int, Document]]:
    """Each document with the number of its file: the one with the fewest words so far.

    Further pieces of a document stay with the first one.
    """
    words = [0] * files
    chosen = 0
    for document in documents:
        if not document.continues:
            chosen = words.index(min(words))
        words[chosen] += document.n_words
        yield chosen, document
