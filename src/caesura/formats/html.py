"""HTML: the text that a reader of the page sees, with inline elements as spans.

Block elements make paragraphs, runs of blanks become one space (not in `pre`), `br` is a line end;
scripts, styles and the head are left out. A file is one document, unless it has elements
`<article class="document">`, which are one each.

`Tokens` splits a page into tags and text in linear time. Its states are those of the HTML standard
(13.2.5, "Tokenization"), as far as they matter for text: attributes are kept only of wanted tags.
Nothing is an error; what has not ended at the end of the page is left out, as browsers do.
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
from caesura.formats.build import encoded, set_markup
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions

#: Elements whose content holds no tags but their own end, and those of them with references in it.
RAW: Final = frozenset(
    "iframe noembed noframes plaintext script style textarea title xmp".split()  # noqa: SIM905
)
_WITH_REFERENCES: Final = frozenset(("textarea", "title"))

_TAG: Final = re.compile(r"<(/?)([A-Za-z][^\s/>]*)")
_NAMES_END: Final = re.compile(r"[=>]")
_BLANKS: Final = re.compile(r"\s*")
_ATTRIBUTE: Final = re.compile(
    r"([^\s/>=\"'][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+)))?"
)
#: What ends each state in which text is left out, and each kind of value.
_SKIPPED_ENDS: Final = {
    "comment": re.compile(r"--!?>"),
    "section": re.compile(r"\]\]>"),
    "bogus": re.compile(">"),
}
_VALUE_ENDS: Final = {
    "bare": re.compile(r"[\s>]"),
    "double": re.compile('"'),
    "single": re.compile("'"),
}
#: A comment that ends as soon as it starts.
_NO_COMMENT: Final = re.compile(r"<!--(?:-?>)")
_RAW_END: Final = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW}
#: A number with more digits than any character has; reading it would cost more than its length.
_LONG_NUMBER: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9A-Fa-f]{8,});?")


def unescape(text: str) -> str:
    """Text with its character references resolved; one that is no character becomes U+FFFD."""
    if "&" not in text:
        return text
    return html.unescape(_LONG_NUMBER.sub(_shorter, text))


def _shorter(match: re.Match[str]) -> str:
    """A long number without its leading zeros, or what stands for one that is no character."""
    digits = match[0].rstrip(";")[2:]
    x = "x" if digits[0] in "xX" else ""
    short = digits[len(x) :].lstrip("0") or "0"
    return f"&#{x}{short};" if len(short) < 8 else "\ufffd"


class Tokens:
    """Calls `handle_starttag`, `handle_endtag` and `handle_data` for what it is fed.

    A piece that is fed ends where a line ends, unless it is the last one: then no mark of one
    kind (`-->`, `&amp;`, the name of a tag) lies across two pieces.
    """

    #: Tags whose attributes are wanted.
    wanted: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._state = "text"
        self._states = {
            "text": self._in_text,
            "raw": self._in_raw,
            "names": self._in_names,
            "value": self._in_value,
            **dict.fromkeys(_SKIPPED_ENDS, self._skip),
            **dict.fromkeys(_VALUE_ENDS, self._in_value_end),
        }
        self._name = ""
        self._closing = False
        self._slash = False
        #: The source of the present tag, if its attributes are wanted.
        self._source: list[str] | None = None
        self._raw = ""

    # What a subclass makes of it.

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that opens an element."""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that opens an element and closes it."""

    def handle_endtag(self, tag: str) -> None:
        """A tag that closes an element."""

    def handle_data(self, data: str) -> None:
        """Text."""

    # The states.

    def feed(self, text: str) -> None:
        """Take a piece of the page."""
        at, size = 0, len(text)
        while at < size:
            at = self._states[self._state](text, at)

    def flush(self) -> None:
        """Take what was fed for all there is: a tag or comment that has not ended is left out."""
        self._state, self._raw, self._source = "text", "", None

    def close(self) -> None:
        """The page ends."""
        self.flush()

    def _in_text(self, text: str, at: int) -> int:
        end = text.find("<", at)
        if end < 0:
            self.handle_data(unescape(text[at:]))
            return len(text)
        if end > at:
            self.handle_data(unescape(text[at:end]))
        tag = _TAG.match(text, end)
        if tag is not None:
            return self._open(tag)
        follows = text[end + 1 : end + 2]
        if follows in ("!", "?") or (follows == "/" and len(text) > end + 2):
            return self._declaration(text, end)
        self.handle_data("<")
        return end + 1

    def _open(self, tag: re.Match[str]) -> int:
        self._state, self._slash = "names", False
        self._closing, self._name = bool(tag[1]), tag[2].lower()
        self._source = [] if self._name in self.wanted else None
        return tag.end()

    def _declaration(self, text: str, at: int) -> int:
        """A comment, or what a browser takes for one."""
        if text.startswith("<!--", at):
            nothing = _NO_COMMENT.match(text, at)
            if nothing is not None:
                return nothing.end()
            self._state = "comment"
            return at + 4
        if text.startswith("<![CDATA[", at):
            self._state = "section"
            return at + 9
        self._state = "bogus"
        return at + 2

    def _skip(self, text: str, at: int) -> int:
        """Leave out a comment, a section or a declaration."""
        end = _SKIPPED_ENDS[self._state].search(text, at)
        if end is None:
            return len(text)
        self._state = "text"
        return end.end()

    def _in_raw(self, text: str, at: int) -> int:
        end = None if self._raw == "plaintext" else _RAW_END[self._raw].search(text, at)
        data = text[at:] if end is None else text[at : end.start()]
        if data:
            self.handle_data(unescape(data) if self._raw in _WITH_REFERENCES else data)
        if end is None:
            return len(text)
        self._raw = ""
        tag = _TAG.match(text, end.start())
        assert tag is not None
        return self._open(tag)

    # Within a tag.

    def _in_names(self, text: str, at: int) -> int:
        end = _NAMES_END.search(text, at)
        if end is None:
            if at < len(text):
                self._slash = text[-1] == "/"
            return self._keep(text, at, len(text))
        if end.start() > at:
            self._slash = text[end.start() - 1] == "/"
        self._keep(text, at, end.end())
        if end[0] == "=":
            self._state, self._slash = "value", False
        else:
            self._end_tag()
        return end.end()

    def _in_value(self, text: str, at: int) -> int:
        begin = at
        blanks = _BLANKS.match(text, at)
        at = at if blanks is None else blanks.end()
        first = text[at : at + 1]
        if first in ('"', "'"):
            self._state = "double" if first == '"' else "single"
            at += 1
        elif first:
            self._state = "bare"
        return self._keep(text, begin, at)

    def _in_value_end(self, text: str, at: int) -> int:
        end = _VALUE_ENDS[self._state].search(text, at)
        if end is None:
            return self._keep(text, at, len(text))
        self._keep(text, at, end.end())
        self._state = "names"
        if end[0] == ">":
            self._end_tag()
        return end.end()

    def _keep(self, text: str, at: int, end: int) -> int:
        if self._source is not None:
            self._source.append(text[at:end])
        return end

    def _end_tag(self) -> None:
        self._state = "text"
        attrs: list[tuple[str, str | None]] = []
        if self._source:
            for match in _ATTRIBUTE.finditer("".join(self._source)):
                value = next((part for part in match.groups()[1:] if part is not None), None)
                attrs.append((match[1].lower(), None if value is None else unescape(value)))
        if self._closing:
            self.handle_endtag(self._name)
        elif self._slash:
            self.handle_startendtag(self._name, attrs)
        else:
            if self._name in RAW:
                self._state, self._raw = "raw", self._name
            self.handle_starttag(self._name, attrs)


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
        set_markup(doc, ((begin, end, label) for begin, end, _, label in spans))
        self.done.append(doc)

    def close(self) -> None:
        super().close()
        if not self.skipping:
            for tag, elements in self.open.items():
                for _ in range(len(elements)):
                    self.handle_endtag(tag)
        self._finish()


def read_html(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a page."""
    parser = Page(options)
    for text, _ in blocks(stream, options):
        parser.feed(text)
        yield from parser.done[:-1]
        parser.done = parser.done[-1:]
    parser.close()
    yield from parser.done or [Document(source=options.file)]


def write_html(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
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
