"""Annotations in a file beside the text `NAME.txt`: character spans, and brat (write only).

`NAME.spans` has lines of start, end and label. The labels `token`, `sentence` and `paragraph` have
their meaning; every other label is mark-up. Offsets are code points, half open.

In `NAME.ann` a word is a text-bound annotation whose type is its UPOS (or XPOS), a sentence one of
type `Sentence`, and a dependency a relation from the head to the word. Several documents become one
text, a blank line between them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np

from caesura.document import MAYBE, NO, YES, Document
from caesura.errors import InputError, UsageError
from caesura.formats.build import encoded, one_line, set_markup, write_texts
from caesura.formats.io import lines, open_read, open_write, text_beside, whole_text
from caesura.formats.options import ReadOptions, WriteOptions

_LINE = re.compile(r"(\d{1,18})\s+(\d{1,18})(?:\s(.*))?$")


def _both(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The names of the file of spans and of its text."""
    name = os.fspath(path)
    if name == "-":
        raise UsageError("spans need a file, whose text is beside it", remedy="Name a file.")
    return name, text_beside(name)


def read_spans(path: str | os.PathLike[str], options: ReadOptions) -> Iterator[Document]:
    """The text beside the file as one document with its spans."""
    name, beside = _both(path)
    if not os.path.exists(beside):
        raise InputError(
            f"the text of the spans, {beside}, does not exist",
            file=name,
            remedy="Put the text beside the spans, under the same name with the extension .txt.",
        )
    with open_read(beside) as stream:
        text = whole_text(stream, options.with_file(beside), keep_crlf=True)
    spans: dict[str, list[tuple[int, int]]] = {"token": [], "sentence": [], "paragraph": []}
    markup: list[tuple[int, int, str]] = []
    with open_read(name) as stream:
        for number, line in lines(stream, options):
            if not line.strip() or line.startswith("#"):
                continue
            match = _LINE.match(line)
            if match is None:
                options.skip(options.error(f"{line[:40]!r} is not `start end label`", number))
                continue
            start, end, label = int(match[1]), int(match[2]), (match[3] or "").strip() or "sentence"
            if not 0 <= start <= end <= len(text):
                options.skip(
                    options.error(f"the span {start} {end} leaves the text ({len(text)})", number)
                )
            elif label in spans:
                spans[label].append((start, end))
            else:
                markup.append((start, end, label))
    yield _document(text, spans, markup, options)


def _document(
    text: str,
    spans: dict[str, list[tuple[int, int]]],
    markup: list[tuple[int, int, str]],
    options: ReadOptions,
) -> Document:
    tokens = sorted(spans["token"])
    if not tokens:  # sentences alone: runs of characters that are not blank stand for tokens
        cuts = sorted({place for span in spans["sentence"] for place in span})
        tokens = [
            (a, b)
            for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)
            for a, b in ((begin + m.start(), begin + m.end()) for m in _runs(text[begin:end]))
        ]
    starts = np.array([a for a, _ in tokens], dtype=np.int64)
    doc = Document.from_spans(text, starts, np.array([b for _, b in tokens], dtype=np.int64))
    doc.source = options.file
    if spans["sentence"] and len(tokens):
        doc.sent_start = np.full(len(tokens), NO, dtype=np.int8)
        at = np.searchsorted(starts, [a for a, _ in spans["sentence"]])
        doc.sent_start[at[at < len(tokens)]] = YES
        doc.sent_start[0] = YES
    elif len(tokens):
        doc.sent_start = np.full(len(tokens), MAYBE, dtype=np.int8)
    doc.paragraph_start = np.array(sorted(a for a, _ in spans["paragraph"]), dtype=np.int64)
    set_markup(doc, markup)
    try:
        doc.check()
    except InputError as error:
        raise options.error(error.what, remedy="Fix the spans of tokens.") from None
    return doc


def _runs(text: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"\S+", text)


def write_spans(
    documents: Iterable[Document], path: str | os.PathLike[str], options: WriteOptions
) -> None:
    """Write the spans to `path` and the text beside it; several documents become one text."""
    name, beside = _both(path)
    with open_write(name) as stream, open_write(beside) as text:
        for doc, offset in write_texts(documents, text):
            for start, end, label in _spans(doc):
                stream.write(encoded(f"{start + offset}\t{end + offset}\t{label}\n"))


def _spans(doc: Document) -> Iterator[tuple[int, int, str]]:
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    paragraphs = doc.paragraph_start.tolist()
    for a, b in pairwise([*paragraphs, len(doc.text)]):
        yield a, a + len(doc.text[a:b].rstrip()), "paragraph"
    if doc.has_sentences:
        bounds = doc.sentence_bounds.tolist()
        for a, b in pairwise(bounds):
            yield starts[a], ends[b - 1], "sentence"
    for a, b in zip(starts, ends, strict=True):
        yield a, b, "token"
    labels = doc.strings.take(doc.markup_label)
    for a, b, label in zip(doc.markup_start.tolist(), doc.markup_end.tolist(), labels, strict=True):
        label = one_line(label).strip()
        if label in ("", "token", "sentence", "paragraph"):
            raise InputError(
                f"the label {label!r} of mark-up means something else in this format",
                file=doc.source,
                remedy="Change the label, or write jsonl, which holds it.",
            )
        yield a, b, label


def write_brat(
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
