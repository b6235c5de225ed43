"""Documents that share a table of strings."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.document.document import Document


def runs(docs: Sequence[Document]) -> list[list[Document]]:
    """Neighbouring documents that share a table of strings, which are worked on together."""
    found: list[list[Document]] = []
    for doc in docs:
        if found and doc.strings is found[-1][0].strings:
            found[-1].append(doc)
        else:
            found.append([doc])
    return found
