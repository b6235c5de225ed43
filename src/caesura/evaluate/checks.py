"""What is odd about the trees of a side: circles, several roots or none, missing columns.

The official scorer refuses such files; here they are scored as they are, and the report says so.
"""

from __future__ import annotations

import numpy as np

from caesura import _core
from caesura.document import ROOT
from caesura.evaluate.flat_columns import Side
from caesura.evaluate.order import sent_id

__all__ = ["columns_note", "tree_notes"]

#: Columns, and what is called missing without them.
COLUMNS = {
    "upos": "universal tags",
    "xpos": "language-specific tags",
    "feats": "features",
    "lemma": "lemmas",
    "head": "heads",
    "deprel": "relations",
}


def tree_notes(side: Side, name: str) -> list[str]:
    """Sentences with a circle, and with several roots or none, each in one sentence."""
    if not side.known("head"):
        return []
    bounds = side.sent_first_word
    head = side.head.astype(np.int64)
    circles = np.zeros(len(bounds) - 1, dtype=np.bool_)
    _core.find_circles(head, bounds, circles)
    roots = np.add.reduceat(head == ROOT, bounds[:-1]) if len(bounds) > 1 else np.zeros(0)
    notes = []
    for bad, what in (
        (circles, "a circle of heads"),
        (roots > 1, "more than one root"),
        ((roots == 0) & ~circles, "no root"),
    ):
        count = int(np.count_nonzero(bad))
        if count:
            plural = "s" if count > 1 else ""
            have = "have" if count > 1 else "has"
            first = sentence_name(side, int(np.flatnonzero(bad)[0]))
            notes.append(
                f"{count} sentence{plural} of {name} {have} {what} (the first: {first}); "
                "they are scored as they are, but the official scorer refuses them"
            )
    return notes


def sentence_name(side: Side, number: int) -> str:
    """The sent_id of a sentence, or its number and first words."""
    token = int(side.sent_first[number])
    doc_number = int(np.searchsorted(side.doc_first_token, token, side="right")) - 1
    doc = side.docs[doc_number]
    local = token - int(side.doc_first_token[doc_number])
    name = sent_id(doc.comments.get(local, ()))
    if name is not None:
        return f"sent_id {name}"
    last = min(int(side.sent_bounds[number + 1]), token + 5) - int(side.doc_first_token[doc_number])
    beginning = doc.text[int(doc.token_start[local]) : int(doc.token_end[last - 1])]
    return f"number {number + 1}, {beginning!r}"


def columns_note(gold: Side, system: Side) -> list[str]:
    """Columns that one side has and the other lacks altogether."""
    notes = []
    for column, what in COLUMNS.items():
        for side, other, name in ((gold, system, "gold"), (system, gold, "the system")):
            if other.known(column) and side.n_words and not side.known(column):
                notes.append(f"{name} has no {what}")
    return notes
