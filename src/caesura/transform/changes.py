"""Several changes between reading and writing, and documents dealt to several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from caesura.document import Document
from caesura.document.punctuation import Marks
from caesura.errors import CaesuraWarning, WarningSink
from caesura.transform.columns import drop, keep
from caesura.transform.spoken import drop_punct, lower, speech
from caesura.transform.trees import percolate, projectivise


@dataclass(frozen=True, slots=True)
class Changes:
    """What to do to every document on the way."""

    lower: bool = False
    drop_punct: bool = False
    marks: Marks = Marks()
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    projectivise: bool = False
    heads: str | None = None

    def functions(self) -> list[Callable[[Document], Document]]:
        steps: list[Callable[[Document], Document]] = []
        table = self.heads
        if table is not None:
            steps.append(lambda doc: percolate(doc, table))
        if self.drop_punct:
            spoken = speech if self.lower else drop_punct
            steps.append(lambda doc: spoken(doc, marks=self.marks))
        elif self.lower:
            steps.append(lower)
        if self.projectivise:
            steps.append(projectivise)
        if self.keep:
            steps.append(lambda doc: keep(doc, self.keep))
        if self.drop:
            steps.append(lambda doc: drop(doc, self.drop))
        return steps


def change(
    documents: Iterable[Document], changes: Changes, *, warn: WarningSink | None = None
) -> Iterator[Document]:
    """The documents changed; one that has lost all its words is left out."""
    steps = changes.functions()
    if not steps:
        yield from documents
        return
    previous: Document | None = None
    opened = False
    before = after = 0
    for doc in documents:
        opened = opened and doc.continues
        new = doc
        for step in steps:
            new = step(new)
        before, after = before + doc.n_words, after + new.n_words
        if doc.n_tokens and not new.n_tokens:
            continue
        if doc.continues and not opened:
            new = replace(new, continues=False)
        opened = True
        if previous is not None:
            yield _spaced(previous) if new.continues else previous
        previous = new
    if previous is not None:
        yield previous
    if warn is not None and changes.drop_punct and 0 < before == after:
        warn(
            CaesuraWarning(
                "no word is punctuation, so none was dropped",
                remedy="Choose another definition with --marks.",
            )
        )


def _spaced(piece: Document) -> Document:
    """A piece that another one follows, with the space between the two at its end."""
    if len(piece.token_end) and int(piece.token_end[-1]) == len(piece.text):
        return replace(piece, text=piece.text + " ")
    return piece


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
