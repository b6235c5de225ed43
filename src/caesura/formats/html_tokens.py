"""HTML to tags and text in one pass: every character is looked at once, whatever they are.

The states are those of the HTML standard (13.2.5, "Tokenization"), as far as they make a difference
to a reader of text: attributes are kept only of the tags that ask for them. Nothing is an error;
what has not ended at the end of the page is left out, as browsers do.
"""

from __future__ import annotations

import html
import re
from typing import Final

__all__ = ["RAW", "Tokens", "unescape"]

#: Elements whose content holds no tags but their own end, and those of them with references in it.
RAW: Final = frozenset(
    "iframe noembed noframes plaintext script style textarea title xmp".split()  # noqa: SIM905
)
_WITH_REFERENCES: Final = frozenset(("textarea", "title"))

_TAG: Final = re.compile(r"<(/?)([A-Za-z][^\s/>]*)")
_NAMES_END: Final = re.compile(r"[=>]")
_BARE_END: Final = re.compile(r"[\s>]")
_BLANKS: Final = re.compile(r"\s*")
_ATTRIBUTE: Final = re.compile(
    r"([^\s/>=\"'][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+)))?"
)
_COMMENT_END: Final = re.compile(r"--!?>")
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
            at = getattr(self, f"_in_{self._state}")(text, at)

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

    def _in_comment(self, text: str, at: int) -> int:
        end = _COMMENT_END.search(text, at)
        return self._left(text, -1 if end is None else end.end())

    def _in_section(self, text: str, at: int) -> int:
        end = text.find("]]>", at)
        return self._left(text, end + 3 if end >= 0 else -1)

    def _in_bogus(self, text: str, at: int) -> int:
        end = text.find(">", at)
        return self._left(text, end + 1 if end >= 0 else -1)

    def _left(self, text: str, end: int) -> int:
        if end < 0:
            return len(text)
        self._state = "text"
        return end

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

    def _in_bare(self, text: str, at: int) -> int:
        end = _BARE_END.search(text, at)
        if end is None:
            return self._keep(text, at, len(text))
        self._keep(text, at, end.end())
        self._state = "names"
        if end[0] == ">":
            self._end_tag()
        return end.end()

    def _in_double(self, text: str, at: int) -> int:
        return self._quoted(text, at, '"')

    def _in_single(self, text: str, at: int) -> int:
        return self._quoted(text, at, "'")

    def _quoted(self, text: str, at: int, mark: str) -> int:
        end = text.find(mark, at)
        if end < 0:
            return self._keep(text, at, len(text))
        self._state = "names"
        return self._keep(text, at, end + 1)

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
