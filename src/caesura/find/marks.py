"""Documents with their matches marked in MISC, and cut down to the sentences that have some.

`Match=3:x` at a word says that it is the word x of the third match, `Match=3` that it has no name
there; a word of several matches has them all, `Match=3:x,4`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from caesura.document import Document
from caesura.find.results import Matches

__all__ = ["KEY", "matching_sentences", "with_marks"]

KEY: Final = "Match"


def with_marks(found: Matches, first: int = 1) -> Document:
    """The document with its matches in MISC, numbered from `first` on; the own one stays."""
    doc = found.doc
    marks: dict[int, list[str]] = {}
    for number, match in enumerate(found, first):
        names = {index: name for name, index in match.named.items()}
        for index in match.indices:
            said = f"{number}:{names[index]}" if index in names else str(number)
            marks.setdefault(index, []).append(said)
    misc = doc.misc.copy()
    stale = [
        word
        for code in np.unique(misc).tolist()
        if f"{KEY}=" in doc.strings[code]
        for word in np.flatnonzero(misc == code).tolist()
    ]
    for word in {*marks, *stale}:
        items = [item for item in doc.strings[misc[word]].split("|") if item]
        items = [item for item in items if item.partition("=")[0] != KEY]
        if word in marks:
            items.append(f"{KEY}={','.join(marks[word])}")
        misc[word] = doc.strings.add("|".join(items))
    return replace(doc, misc=misc)


def matching_sentences(doc: Document, sentences: Iterable[int]) -> Document:
    """The sentences of these numbers alone, as one document; at least one."""
    bounds = doc.sentence_bounds.tolist()
    starts = {int(token) for token in np.flatnonzero(doc.token_paragraph_start)}
    numbers = list(sentences)
    pieces = []
    for number, after in zip(numbers, [*numbers[1:], None], strict=True):
        first, last = bounds[number], bounds[number + 1]
        piece = doc.cut(first, last)
        # What stood behind the sentence need not stand behind it here.
        end = int(piece.token_end[-1])
        gap = ""
        if after is not None and after != number + 1:
            gap = "\n\n" if bounds[after] in starts else " "
        elif after is not None:
            gap = piece.text[end:]
        piece.text = piece.text[:end] + gap
        for name in ("turn_start", "turn_end", "markup_start", "markup_end"):
            setattr(piece, name, np.minimum(getattr(piece, name), len(piece.text)))
        pieces.append(piece)
    found = Document.join(pieces)
    found.id, found.source, found.continues = doc.id, doc.source, doc.continues
    own = found.comments.get(0)
    if own is not None and doc.id and not doc.continues and not any("newdoc" in c for c in own):
        found.comments[0] = (f"# newdoc id = {doc.id}", *own)
    return found
