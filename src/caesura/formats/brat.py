"""brat standoff (write only): `name.ann` with the annotation of `name.txt`, which is written too.

A word is a text-bound annotation whose type is its UPOS (or XPOS), a sentence one of type
`Sentence`, and a dependency a relation from the head to the word. Several documents become one
text, a blank line between them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from caesura.document import Document
from caesura.errors import UsageError
from caesura.formats.build import encoded, one_line, write_texts
from caesura.formats.io import open_write, text_beside
from caesura.formats.options import WriteOptions

__all__ = ["write_files"]


def write_files(
    documents: Iterable[Document], path: str | os.PathLike[str], options: WriteOptions
) -> None:
    """Write the annotation to `path` and the text beside it."""
    name = os.fspath(path)
    if name == "-" or not name.endswith(".ann"):
        raise UsageError(
            f"brat standoff needs two files and cannot go to {name!r}",
            remedy="Name the output NAME.ann; the text goes to NAME.txt.",
        )
    writer = _Numbers()
    with open_write(name) as annotation, open_write(text_beside(name)) as text:
        for doc, offset in write_texts(documents, text):
            annotation.write(encoded("".join(writer.lines(doc, offset))))


class _Numbers:
    """Counts annotations over the documents of a file."""

    def __init__(self) -> None:
        self.spans = 0
        self.relations = 0

    def _span(self, doc: Document, kind: str, start: int, end: int, offset: int) -> str:
        self.spans += 1
        # A span over a line end must be written as one fragment a line.
        pieces = [
            (start + m.start(), start + m.end())
            for m in re.finditer(r"[^\n]+", doc.text[start:end])
        ] or [(start, end)]
        places = ";".join(f"{a + offset} {b + offset}" for a, b in pieces)
        shown = one_line(" ".join(doc.text[a:b] for a, b in pieces))
        return f"T{self.spans}\t{kind} {places}\t{shown}\n"

    def lines(self, doc: Document, offset: int) -> Iterator[str]:
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        if doc.has_sentences:
            bounds = doc.sentence_bounds.tolist()
            for a, b in pairwise(bounds):
                yield self._span(doc, "Sentence", starts[a], ends[b - 1], offset)
        first = self.spans + 1
        upos, xpos = doc.column("upos"), doc.column("xpos")
        for word, token in enumerate(doc.word_token.tolist()):
            kind = _name(upos[word] or xpos[word]) or "Word"
            yield self._span(doc, kind, starts[token], ends[token], offset)
        for word, (head, deprel) in enumerate(
            zip(doc.head.tolist(), doc.column("deprel"), strict=True)
        ):
            if head >= 0:
                self.relations += 1
                kind = _name(deprel) or "dep"
                yield f"R{self.relations}\t{kind} Arg1:T{first + head} Arg2:T{first + word}\t\n"


def _name(label: str) -> str:
    """A label as brat allows it: letters, digits, hyphen and underscore."""
    return re.sub(r"[^\w-]", "_", label)
