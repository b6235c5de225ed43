"""HTML: the text that a reader of the page sees, with inline elements as spans.

Block elements make paragraphs, runs of blanks become one space (not in `pre`), `br` is a line end;
scripts, styles and the head are left out. A file is one document, unless it has elements
`<article class="document">`, which are one each.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from caesura.document import Document
from caesura.formats.build import encoded
from caesura.formats.html_tokens import Tokens
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions

__all__ = ["Page", "read", "write"]

_INLINE: Final = frozenset(
    "a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q ruby s samp small span "  # noqa: SIM905
    "strike strong sub sup time tt u var".split()
)
_SKIPPED: Final = frozenset(
    "head iframe noscript object script style svg template title".split()  # noqa: SIM905
)
_VOID: Final = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905
)
#: The attribute of a `span` with the label of mark-up that is no element of HTML.
_LABEL: Final = "data-label"


@dataclass(slots=True)
class _Element:
    """An inline element that is open; its place is known once it has text."""

    number: int
    label: str
    begin: int = -1


class Page(Tokens):
    """Gathers the text of one document after the other."""

    wanted = frozenset(("article", "span"))

    def __init__(self, options: ReadOptions) -> None:
        super().__init__()
        self.options = options
        self.done: list[Document] = []
        self.skipping: list[str] = []
        self.pre = 0
        self.articles = 0
        self._start(None)

    def _start(self, name: str | None) -> None:
        self.id = name
        self.parts: list[str] = []
        self.size = 0
        self.breaking = ""  # what stands before the next character, once there is one
        self.paragraphs: list[int] = []
        #: Elements that are open, by name, and those of all that wait for their first text: what a
        #: tag or a text costs does not depend on how many there are.
        self.open: dict[str, list[_Element]] = {}
        self.waiting: list[_Element] = []
        self.spans: list[tuple[int, int, int, str]] = []
        self.count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipping.append(tag)
        if self.skipping:
            return
        values = dict(attrs)
        if tag == "article" and "document" in (values.get("class") or "").split():
            self._finish()
            self._start(values.get("id"))
        elif tag == "br":
            self.breaking = "\n" if self.breaking in ("", " ") else self.breaking
        elif tag in _INLINE:
            element = _Element(self.count, values.get(_LABEL) or tag)
            self.open.setdefault(tag, []).append(element)
            self.waiting.append(element)
            self.count += 1
        elif tag not in _VOID or tag == "hr":
            self.breaking = "\n\n"
            self.pre += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.skipping:
            if tag == self.skipping[-1]:
                self.skipping.pop()
            return
        if tag in _INLINE:
            if self.open.get(tag):
                element = self.open[tag].pop()
                if 0 <= element.begin < self.size:
                    self.spans.append((element.begin, self.size, element.number, element.label))
        elif tag not in _VOID:
            self.breaking = "\n\n"
            if tag == "pre":
                self.pre = max(0, self.pre - 1)

    def handle_data(self, data: str) -> None:
        if self.skipping or not data:
            return
        if not self.pre:
            if not data.strip(" \t\n\r\f"):
                self.breaking = self.breaking or " "
                return
            core = re.sub(r"[ \t\n\r\f]+", " ", data)
            if core[0] == " ":
                self.breaking = self.breaking or " "
            self._append(core.strip(" "))
            if core[-1] == " ":
                self.breaking = " "
            return
        if self.breaking == "\n\n":
            data = data.lstrip("\n")
        core = data.rstrip("\n")
        if core:
            self._append(core)
        self.breaking = self.breaking or data[len(core) :]

    def _append(self, text: str) -> None:
        if self.breaking and self.size:
            self.parts.append(self.breaking)
            self.size += len(self.breaking)
        if self.breaking == "\n\n" or not self.size:
            self.paragraphs.append(self.size)
        self.breaking = ""
        for element in self.waiting:
            element.begin = self.size
        self.waiting.clear()
        self.parts.append(text)
        self.size += len(text)

    def _finish(self) -> None:
        if not self.size and self.id is None:
            return
        doc = Document(text="".join(self.parts), id=self.id, source=self.options.file)
        doc.paragraph_start = np.array(self.paragraphs, dtype=np.int64)
        spans = sorted(self.spans, key=lambda span: (span[0], -span[1], span[2]))
        doc.markup_start = np.array([span[0] for span in spans], dtype=np.int64)
        doc.markup_end = np.array([span[1] for span in spans], dtype=np.int64)
        doc.markup_label = doc.strings.ids([span[3] for span in spans])
        self.done.append(doc)

    def close(self) -> None:
        super().close()
        if not self.skipping:
            for tag, elements in self.open.items():
                for _ in range(len(elements)):
                    self.handle_endtag(tag)
        self._finish()


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a page."""
    parser = Page(options)
    for text, _ in blocks(stream, options):
        parser.feed(text)
        yield from parser.done[:-1]
        parser.done = parser.done[-1:]
    parser.close()
    yield from parser.done or [Document(source=options.file)]


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as a page: a paragraph each `p`, mark-up as elements."""
    stream.write(b'<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"></head>\n<body>\n')
    begun = False
    for doc in documents:
        if not doc.continues:
            name = f' id="{html.escape(doc.id)}"' if doc.id else ""
            close = "</article>\n" if begun else ""
            stream.write(encoded(f'{close}<article class="document"{name}>\n'))
            begun = True
        for paragraph in _paragraphs(doc):
            stream.write(encoded(paragraph) + b"\n")
    stream.write(b"</article>\n</body>\n</html>\n" if begun else b"</body>\n</html>\n")


def _paragraphs(doc: Document) -> Iterator[str]:
    starts = sorted({0, *doc.paragraph_start.tolist()})
    labels = doc.strings.take(doc.markup_label)
    rows = zip(doc.markup_start.tolist(), doc.markup_end.tolist(), labels, strict=True)
    spans = sorted(rows, key=lambda span: (span[0], -span[1]))
    at = 0
    begun: list[tuple[int, int, str]] = []  # spans of paragraphs before that go on
    for first, last in zip(starts, [*starts[1:], len(doc.text)], strict=True):
        text = doc.text[first:last].rstrip()
        while at < len(spans) and spans[at][0] < last:
            begun.append(spans[at])
            at += 1
        if text:
            end = first + len(text)
            inside = [
                (max(a, first), min(b, end), label)
                for a, b, label in begun
                if a < end and b > first
            ]
            yield f"<p>{_marked(doc.text, first, end, inside)}</p>"
        begun = [span for span in begun if span[1] > last]


def _marked(text: str, first: int, last: int, spans: list[tuple[int, int, str]]) -> str:
    """Text with elements; one that crosses another is closed and opened again."""
    out: list[str] = []
    open_spans: list[tuple[int, int, str]] = []
    waiting = sorted(spans, key=lambda span: (span[0], -span[1]))
    ends = Counter(b for _, b, _ in spans)  # how many end where
    places = sorted({first, last, *(a for a, _, _ in spans), *ends})
    at = 0
    for here, there in zip(places, [*places[1:], last], strict=True):
        keep: list[tuple[int, int, str]] = []
        left = ends[here]
        while left and open_spans:
            span = open_spans.pop()
            out.append("</" + _element(span[2])[1] + ">")
            if span[1] > here:
                keep.append(span)
            else:
                left -= 1
        for span in reversed(keep):
            out.append(f"<{_element(span[2])[0]}>")
            open_spans.append(span)
        while at < len(waiting) and waiting[at][0] <= here:
            span = waiting[at]
            at += 1
            if span[1] > here:
                out.append(f"<{_element(span[2])[0]}>")
                open_spans.append(span)
        out.append(html.escape(text[here:there], quote=False).replace("\n", "<br>"))
    return "".join(out) + "".join(f"</{_element(span[2])[1]}>" for span in reversed(open_spans))


def _element(label: str) -> tuple[str, str]:
    """The tag that opens an element and its name; a label that is none of HTML's is a value."""
    if label in _INLINE:
        return label, label
    return f'span {_LABEL}="{html.escape(label)}"', "span"
