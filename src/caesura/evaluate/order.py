"""Documents or sentences of the system put into the order of gold, by their names.

Where the texts of two files differ, one of them may only be in another order. Documents with the
same `newdoc id` on both sides are then moved to where gold has them, and after them sentences with
the same `sent_id`. What gold does not know stays behind what it stood behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from caesura.document import Document

__all__ = ["in_order_of_gold", "sent_id"]

#: A long document is first cut into chunks of so many sentences, since each cut looks at all of it.
CHUNK = 100


def in_order_of_gold(
    gold: Sequence[Document], system: Sequence[Document]
) -> tuple[list[Document], list[str]]:
    """The documents of the system in order, and what was moved, each in one sentence."""
    docs, notes = list(system), []
    groups = _groups(docs)
    order = _order([group[0].id for group in _groups(gold)], [group[0].id for group in groups])
    if order is not None:
        docs = [doc for place in order for doc in groups[place]]
        notes.append(_note("documents", "newdoc id"))
    order = _order(_sentence_ids(gold), _sentence_ids(docs))
    if order is not None:
        sentences = [piece for doc in docs for piece in _sentences(doc)]
        docs = [sentences[place] for place in order]
        notes.append(_note("sentences", "sent_id"))
    return docs, notes


def _note(what: str, name: str) -> str:
    return f"the {what} of the system are in another order than in gold and were matched by {name}"


def _order(gold: Sequence[str | None], system: Sequence[str | None]) -> list[int] | None:
    """The order in which the system has to be read, or None if it is right or cannot be known."""
    rank = _ranks(gold)
    if rank is None or _ranks(system) is None:
        return None
    shared = [rank[name] for name in system if name in rank]
    if all(one < other for one, other in pairwise(shared)):
        return None
    keys: list[int] = []
    for name in system:
        at = rank.get(name) if name is not None else None
        keys.append(at if at is not None else (keys[-1] if keys else -1))
    return sorted(range(len(keys)), key=keys.__getitem__)


def _ranks(names: Sequence[str | None]) -> dict[str | None, int] | None:
    """The place of each name; None if a name is there twice, which then tells nothing."""
    found: dict[str | None, int] = {}
    for place, name in enumerate(names):
        if name is None:
            continue
        if name in found:
            return None
        found[name] = place
    return found


def _groups(docs: Sequence[Document]) -> list[list[Document]]:
    """Documents with the pieces that continue them."""
    found: list[list[Document]] = []
    for doc in docs:
        if doc.continues and found:
            found[-1].append(doc)
        else:
            found.append([doc])
    return found


def _sentence_ids(docs: Sequence[Document]) -> list[str | None]:
    return [
        sent_id(doc.comments.get(first, ()))
        for doc in docs
        for first in doc.sentence_bounds[:-1].tolist()
    ]


def sent_id(comments: Sequence[str]) -> str | None:
    """The name that the comments of a sentence give it."""
    for comment in comments:
        key, sign, value = comment.lstrip("# ").partition("=")
        if sign and key.strip() == "sent_id":
            return value.strip() or None
    return None


def _sentences(doc: Document) -> list[Document]:
    """Every sentence as a document of its own."""
    bounds = doc.sentence_bounds.tolist()
    found: list[Document] = []
    for chunk in range(0, len(bounds) - 1, CHUNK):
        inner = bounds[chunk : chunk + CHUNK + 1]
        piece = doc.cut(inner[0], inner[-1])
        found += [piece.cut(a - inner[0], b - inner[0]) for a, b in pairwise(inner)]
    return found
