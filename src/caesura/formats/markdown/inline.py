"""The inline part of Markdown: emphasis, links, code, escapes, as CommonMark 0.31 has them.

Delimiter runs are paired by the algorithm of its appendix ("process emphasis"); a link takes what
stands between its brackets, an image nothing, since a reader of the page sees no letters there.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final, Protocol

__all__ = ["Sink", "definition", "label_of", "render"]

_PUNCTUATION: Final = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,31});")
_AUTOLINK: Final = re.compile(
    r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?)*)>"
)
_TAG: Final = re.compile(
    r"<(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*"
    r"\s*/?|/[A-Za-z][A-Za-z0-9-]*\s*)>"
)
_NO_COMMENT: Final = re.compile(r"<!---?>")
#: What else stands in angles: how it starts, and how it ends.
_ANGLES: Final = (
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"<![A-Za-z]"), ">"),
)
_PLAIN: Final = re.compile(r"[^\\`*_~\[\]!<&\n]+")
_TICKS: Final = re.compile(r"`+")
_RUN: Final = re.compile(r"\*+|_+|~+")
_TITLE: Final = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))"
_DESTINATION: Final = re.compile(r"<(?:[^<>\n\\]|\\.)*>")
_BEHIND: Final = re.compile(rf"\s*(?:{_TITLE})?\s*\)", re.S)
_LABEL: Final = re.compile(r"\[((?:[^\\\[\]]|\\.){0,999})\]", re.S)
_DEFINED: Final = re.compile(r"\[((?:[^\\\[\]]|\\.){1,999})\]:[ \t]*\n?[ \t]*", re.S)
#: A title that does not end where the line ends is no part of a definition.
_REST: Final = (
    re.compile(rf"(?:[ \t]+|[ \t]*\n[ \t]*){_TITLE}[ \t]*(?:\n|$)", re.S),
    re.compile(r"[ \t]*(?:\n|$)"),
)


#: Parentheses within a destination that may be open at a time.
_PARENTHESES: Final = 32


class Sink(Protocol):
    """What takes text and elements: a reader of HTML."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None: ...
    def handle_endtag(self, tag: str) -> None: ...
    def handle_data(self, data: str) -> None: ...
    def feed(self, data: str) -> None: ...
    def flush(self) -> None: ...


def label_of(text: str) -> str:
    """A label as labels are compared."""
    return " ".join(text.split()).casefold()


def definition(text: str, at: int = 0) -> tuple[str, int] | None:
    """The label of the definition of a link that starts somewhere, and where it ends."""
    match = _DEFINED.match(text, at)
    end = None if match is None else _destination(text, match.end())
    if match is None or end is None or end == match.end() or not match[1].strip():
        return None
    rest = _REST[0].match(text, end) or _REST[1].match(text, end)
    return None if rest is None else (label_of(match[1]), rest.end())


@dataclass(slots=True)
class _Node:
    """A piece of text, code, HTML or a break; a run of delimiters also closes and opens."""

    kind: str
    text: str = ""
    #: Of a run: its character, how many are left, and what it may do.
    char: str = ""
    count: int = 0
    length: int = 0
    can_open: bool = False
    can_close: bool = False
    closes: list[str] = field(default_factory=list)
    opens: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Bracket:
    """A bracket that may open a link or an image."""

    node: int
    at: int
    image: bool


class _Inline:
    def __init__(self, text: str, links: set[str], notes: set[str]) -> None:
        self.text = text
        self.links = links
        self.notes = notes
        self.nodes: list[_Node] = []
        self.brackets: list[_Bracket] = []
        #: How many of the brackets are behind a link, so that they open no other.
        self.passed = 0
        #: Where runs of backticks start, by their length.
        self.ticks: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self.ticks.setdefault(run.end() - run.start(), []).append(run.start())
        #: Marks that are known not to come any more.
        self.missing: set[str] = set()

    def parse(self) -> list[_Node]:
        text, at = self.text, 0
        while at < len(text):
            plain = _PLAIN.match(text, at)
            if plain is not None:
                self._add(plain[0])
                at = plain.end()
                continue
            at = self._special(at)
        _pair(self.nodes)
        return self.nodes

    def _add(self, text: str) -> None:
        self.nodes.append(_Node("text", text))

    def _special(self, at: int) -> int:
        text, char = self.text, self.text[at]
        if char == "\\":
            return self._escape(at)
        if char == "`":
            return self._code(at)
        if char in "*_~":
            return self._run(at)
        if char == "[" or text.startswith("![", at):
            return self._open(at)
        if char == "]":
            return self._close(at)
        if char == "<":
            return self._angle(at)
        if char == "&":
            entity = _ENTITY.match(text, at)
            self._add(html.unescape(entity[0]) if entity else "&")
            return entity.end() if entity else at + 1
        if char == "\n" and self.nodes and self.nodes[-1].text.endswith("  "):
            self.nodes.append(_Node("break"))
            return at + 1
        self._add(char)
        return at + 1

    def _escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "\n":
            self.nodes.append(_Node("break"))
        elif following and following in _PUNCTUATION:
            self._add(following)
        else:
            self._add("\\")
            return at + 1
        return at + 2

    def _code(self, at: int) -> int:
        text = self.text
        run = _TICKS.match(text, at)
        assert run is not None
        size = run.end() - at
        same = self.ticks.get(size, [])
        closing = bisect_left(same, at + size)
        if closing < len(same):
            inside = text[at + size : same[closing]].replace("\n", " ")
            if inside.startswith(" ") and inside.endswith(" ") and inside.strip(" "):
                inside = inside[1:-1]
            self.nodes.append(_Node("code", inside))
            return same[closing] + size
        self._add("`" * size)
        return at + size

    def _run(self, at: int) -> int:
        text = self.text
        match = _RUN.match(text, at)
        assert match is not None
        size, char = match.end() - at, text[at]
        before = text[at - 1] if at else "\n"
        after = text[match.end()] if match.end() < len(text) else "\n"
        left = not after.isspace() and (not _is_mark(after) or before.isspace() or _is_mark(before))
        right = not before.isspace() and (
            not _is_mark(before) or after.isspace() or _is_mark(after)
        )
        can_open, can_close = left, right
        if char == "_":
            can_open = left and (not right or _is_mark(before))
            can_close = right and (not left or _is_mark(after))
        if char == "~" and size != 2:
            self._add(match[0])
        else:
            self.nodes.append(_Node("run", "", char, size, size, can_open, can_close))
        return match.end()

    def _angle(self, at: int) -> int:
        link = _AUTOLINK.match(self.text, at)
        if link is not None:
            self.nodes += [_Node("open", "a"), _Node("text", link[1]), _Node("close", "a")]
            return link.end()
        end = self._angle_end(at)
        if end is not None:
            self.nodes.append(_Node("html", self.text[at:end]))
            return end
        self._add("<")
        return at + 1

    def _angle_end(self, at: int) -> int | None:
        """Where a tag, a comment or the like ends that starts here; None if there is none."""
        tag = _TAG.match(self.text, at) or _NO_COMMENT.match(self.text, at)
        if tag is not None:
            return tag.end()
        for start, mark in _ANGLES:
            begun = start.match(self.text, at)
            if begun is None or mark in self.missing:
                continue
            end = self.text.find(mark, begun.end())
            if end >= 0:
                return end + len(mark)
            self.missing.add(mark)
        return None

    # --------------------------------------------------------------- links

    def _open(self, at: int) -> int:
        image = self.text[at] == "!"
        size = 2 if image else 1
        note = _LABEL.match(self.text, at + size - 1)
        if not image and note and note[1][:1] == "^" and label_of(note[1][1:]) in self.notes:
            return note.end()
        self.brackets.append(_Bracket(len(self.nodes), at + size, image))
        self._add("![" if image else "[")
        return at + size

    def _close(self, at: int) -> int:
        if not self.brackets:
            self._add("]")
            return at + 1
        opener = self.brackets.pop()
        active = opener.image or len(self.brackets) >= self.passed
        self.passed = min(self.passed, len(self.brackets))
        end = self._target(opener, at) if active else None
        if end is None:
            self._add("]")
            return at + 1
        inside = self.nodes[opener.node + 1 :]
        _pair(inside)
        del self.nodes[opener.node :]
        if opener.image:
            return end
        self.nodes += [_Node("open", "a"), *map(_settled, inside), _Node("close", "a")]
        self.passed = len(self.brackets)  # a link holds no links
        return end

    def _target(self, opener: _Bracket, at: int) -> int | None:
        """Where a link ends whose text ends at a bracket; None if it is no link."""
        text = self.text
        if text.startswith("(", at + 1):
            end = _inline_target(text, at + 2)
            if end is not None:
                return end
        label = _LABEL.match(text, at + 1)
        if label is not None and label[1].strip():
            return label.end() if label_of(label[1]) in self.links else None
        own = text[opener.at : at] if at - opener.at <= 999 else ""
        if own.strip() and label_of(own) in self.links:
            return label.end() if label is not None else at + 1
        return None


def _inline_target(text: str, at: int) -> int | None:
    """The end of `destination "title")`, from behind the bracket that opens it."""
    while at < len(text) and text[at] in " \t\n":
        at += 1
    end = _destination(text, at)
    behind = None if end is None else _BEHIND.match(text, end)
    if behind is None or (behind[0].strip() != ")" and not behind[0][0].isspace()):
        return None
    return behind.end()


def _destination(text: str, at: int) -> int | None:
    """The end of the destination of a link: in angles, or with balanced parentheses."""
    if text.startswith("<", at):
        angle = _DESTINATION.match(text, at)
        return None if angle is None else angle.end()
    depth = 0
    while at < len(text) and text[at] > " " and text[at] != "\x7f":
        if text[at] == "\\" and text[at + 1 : at + 2] in tuple(_PUNCTUATION):
            at += 1
        elif text[at] == "(":
            depth += 1
            if depth > _PARENTHESES:
                return None
        elif text[at] == ")":
            if not depth:
                break
            depth -= 1
        at += 1
    return None if depth else at


# ------------------------------------------------------------------ emphasis


def _is_mark(char: str) -> bool:
    """Punctuation and symbols, which CommonMark treats alike."""
    return unicodedata.category(char)[0] in "PS"


def _pair(nodes: list[_Node]) -> None:
    """Pair the runs of delimiters of a stretch of text."""
    runs = [node for node in nodes if node.kind == "run"]
    bottom: dict[tuple[str, bool, int], int] = {}
    alive = list(range(len(runs)))
    before = [i - 1 for i in range(len(runs))]  # the run before each that is still alive
    for i in alive:
        closer = runs[i]
        if not closer.can_close:
            continue
        key = (closer.char, closer.can_open, closer.length % 3)
        while closer.count:
            j, lowest = before[i], bottom.get(key, -1)
            while j > lowest and not _match(runs[j], closer):
                j = before[j]
            if j <= lowest:
                bottom[key] = before[i]
                break
            opener = runs[j]
            size = 2 if opener.count >= 2 and closer.count >= 2 else 1
            tag = "del" if closer.char == "~" else "strong" if size == 2 else "em"
            opener.opens.append(tag)
            closer.closes.append(tag)
            opener.count -= size
            closer.count -= size
            before[i] = j if opener.count else before[j]
    for run in runs:
        run.can_open = run.can_close = False


def _match(opener: _Node, closer: _Node) -> bool:
    if opener.char != closer.char or not opener.can_open or not opener.count:
        return False
    if opener.can_close or closer.can_open:
        total = opener.length + closer.length
        return total % 3 != 0 or (opener.length % 3 == 0 and closer.length % 3 == 0)
    return True


def _settled(node: _Node) -> _Node:
    """A node inside a link, whose delimiters have no part in what is outside."""
    if node.kind == "run":
        node.kind = "paired"
    return node


# ------------------------------------------------------------------- output


def render(text: str, sink: Sink, links: set[str], notes: set[str]) -> None:
    """Hand the text of a block on, with its elements."""
    for node in _Inline(text, links, notes).parse():
        if node.kind in ("run", "paired"):
            for tag in node.closes:
                sink.handle_endtag(tag)
            if node.count:
                sink.handle_data(node.char * node.count)
            for tag in reversed(node.opens):
                sink.handle_starttag(tag, [])
        elif node.kind == "break":
            sink.handle_starttag("br", [])
        elif node.kind == "code":
            sink.handle_starttag("code", [])
            sink.handle_data(node.text)
            sink.handle_endtag("code")
        elif node.kind == "html":
            sink.feed(node.text)
            sink.flush()
        elif node.kind == "open":
            sink.handle_starttag(node.text, [])
        elif node.kind == "close":
            sink.handle_endtag(node.text)
        else:
            sink.handle_data(node.text)
