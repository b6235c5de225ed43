"""Markdown (read only): the text that a reader of the page sees, with inline elements as spans.

Blocks follow CommonMark 0.31 with the tables of GitHub, footnotes and a front matter, which is left
out. Headings, paragraphs, items, cells and code are paragraphs of the text; the HTML in the file
goes to the reader of HTML, which also folds blanks, so that a page reads alike in both formats.

Delimiter runs are paired by the algorithm of CommonMark's appendix ("process emphasis"); a link
takes what stands between its brackets, an image nothing. Every step takes linear time.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final, Protocol

from caesura.document import Document
from caesura.formats.html import Page
from caesura.formats.io import whole_text
from caesura.formats.options import ReadOptions

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


#: Quotes and lists deeper than this are text.
_DEEPEST: Final = 60
#: More columns than so many lists can take away.
_FAR: Final = 20 * _DEEPEST

_FENCE: Final = re.compile(r" {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$")
_HEADING: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_RULE: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_QUOTE: Final = re.compile(r" {0,3}>")
_ITEM: Final = re.compile(r"( {0,3})([-+*]|(\d{1,9})[.)])(?=[ \t]|$)([ \t]*)(.*)$")
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_DELIMITERS: Final = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_FOOTNOTE: Final = re.compile(r" {0,3}\[\^([^\]\s]+)\]:[ \t]*(.*)$")
_TASK: Final = re.compile(r"\A\[[ xX]\][ \t]+(?=\S)")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_BLOCK_TAGS: Final = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|"
    "dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|"
    "hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|"
    "section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
#: How a block of HTML starts, and what ends it (None: a blank line).
_HTML: Final[tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...]] = (
    (
        re.compile(r" {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf" {{0,3}}</?(?:{_BLOCK_TAGS})(?:[ \t>]|/>|$)", re.I), None),
)
#: A tag alone on its line, which cannot interrupt a paragraph.
_TAG_ALONE: Final = re.compile(rf" {{0,3}}{_TAG.pattern}[ \t]*$")


@dataclass
class Block:
    """A leaf with its text, or a container with blocks."""

    kind: str
    text: str = ""
    inside: list[Block] = field(default_factory=list)


@dataclass
class Parser:
    """Lines to blocks; definitions of links and footnotes are kept apart."""

    links: set[str] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)

    def parse(self, lines: list[str], depth: int = 0) -> list[Block]:
        found: list[Block] = []
        at = 0
        steps: tuple[Callable[[list[str], int, int, list[Block]], int], ...] = (
            self._code, self._fence, self._heading, self._rule, self._html,
            self._quote, self._item, self._footnote, self._table,
        )  # fmt: skip
        while at < len(lines):
            if not lines[at].strip():
                at += 1
                continue
            for step in steps:
                after = step(lines, at, depth, found)
                if after > at:
                    at = after
                    break
            else:
                at = self._paragraph(lines, at, found)
        return found

    # ------------------------------------------------------------- leaves

    def _code(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        end = at
        while end < len(lines) and (_indent(lines[end]) >= 4 or not lines[end].strip()):
            end += 1
        while end > at and not lines[end - 1].strip():
            end -= 1
        if end > at:
            found.append(Block("code", "\n".join(_dedent(line, 4) for line in lines[at:end])))
        return end

    def _fence(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _FENCE.match(lines[at])
        if match is None:
            return at
        mark, indent = match[1] or match[3], _indent(lines[at])
        closing = re.compile(rf" {{0,3}}{mark[0]}{{{len(mark)},}}[ \t]*$")
        end = at + 1
        while end < len(lines) and not closing.match(lines[end]):
            end += 1
        body = "\n".join(_dedent(line, indent) for line in lines[at + 1 : end])
        found.append(Block("code", _without_blank_end(body)))
        return min(end + 1, len(lines))

    def _heading(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _HEADING.match(lines[at])
        if match is None:
            return at
        found.append(Block("heading", _without_closing((match[1] or "").strip())))
        return at + 1

    def _rule(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        if not _RULE.match(lines[at]):
            return at
        found.append(Block("rule"))
        return at + 1

    def _html(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        for start, stop in (*_HTML, (_TAG_ALONE, None)):
            if not start.match(lines[at]):
                continue
            end = at
            if stop is None:
                while end < len(lines) and lines[end].strip():
                    end += 1
            else:
                while end < len(lines) and not stop.search(lines[end]):
                    end += 1
                end = min(end + 1, len(lines))
            found.append(Block("html", "\n".join(lines[at:end])))
            return end
        return at

    def _table(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        if not _starts_table(lines, at):
            return at
        width = len(_cells(lines[at]))
        end = at + 2
        while end < len(lines) and lines[end].strip() and not _interrupts(lines[end]):
            if _indent(lines[end]) >= 4:
                break
            end += 1
        rows = [lines[at], *lines[at + 2 : end]]
        cells = [Block("cell", cell) for row in rows for cell in _cells(row)[:width]]
        found.append(Block("table", inside=cells))
        return end

    def _paragraph(self, lines: list[str], at: int, found: list[Block]) -> int:
        end = at + 1
        kind = "paragraph"
        while end < len(lines) and lines[end].strip():
            if _UNDERLINE.match(lines[end]):
                if self._without_definitions(lines[at:end]):
                    kind = "heading"
                    break
            elif _interrupts(lines[end], after_text=True) or _starts_table(lines, end):
                break
            end += 1
        text = self._without_definitions(lines[at:end])
        if kind == "heading":
            end += 1
        if text:
            found.append(Block(kind, text))
        return end

    def _without_definitions(self, lines: list[str]) -> str:
        """The text of a paragraph behind the definitions of links that it starts with."""
        text = "\n".join(line.lstrip(" \t") for line in lines)
        at = 0
        while text.startswith("[", at) and (found := definition(text, at)) is not None:
            label, at = found
            self.links.add(label)
        return text[at:].rstrip()

    # --------------------------------------------------------- containers

    def _quote(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        if depth >= _DEEPEST or not _QUOTE.match(lines[at]):
            return at

        def own(line: str, inside: list[str]) -> str | None:
            match = _QUOTE.match(line)
            return match and _dedent(line[match.end() :], 1, column=match.end())

        return self._container("quote", lines, at, [], own, depth, found)

    def _item(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _ITEM.match(lines[at])
        if match is None or depth >= _DEEPEST:
            return at
        marker = len(match[1]) + len(match[2])
        blanks = _width(match[4], marker)
        offset = marker + (blanks if match[5] and blanks <= 4 else 1)
        first = _dedent(match[4] + match[5], offset - marker, column=marker)

        def own(line: str, inside: list[str]) -> str | None:
            if not line.strip():
                # An item that starts with a blank line has nothing behind a second one.
                return "" if any(part.strip() for part in inside) else None
            return _dedent(line, offset) if _indent(line) >= offset else None

        start = [_TASK.sub("", first, count=1)]
        return self._container("item", lines, at + 1, start, own, depth, found)

    def _footnote(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _FOOTNOTE.match(lines[at])
        if match is None or depth >= _DEEPEST:
            return at
        self.notes.add(label_of(match[1]))

        def own(line: str, inside: list[str]) -> str | None:
            if not line.strip():
                return ""
            return _dedent(line, 4) if _indent(line) >= 4 else None

        return self._container("note", lines, at + 1, [match[2]], own, depth, found)

    def _container(
        self,
        kind: str,
        lines: list[str],
        at: int,
        inside: list[str],
        own: Callable[[str, list[str]], str | None],
        depth: int,
        found: list[Block],
    ) -> int:
        """Add a container with the lines of its own, and those that continue a paragraph in it."""
        state = _Open()
        for line in inside:
            state.see(line)
        while at < len(lines):
            line, part = lines[at], own(lines[at], inside)
            if part is None:
                ends = _interrupts(line) or (kind == "note" and _FOOTNOTE.match(line))
                if not state.paragraph or not line.strip() or ends:
                    break
                part = _lazy(line)
            inside.append(part)
            state.see(part)
            at += 1
        found.append(Block(kind, inside=self.parse(inside, depth + 1)))
        return at


class _Open:
    """Whether the last line of a container belongs to a paragraph, which a line may go on."""

    def __init__(self) -> None:
        self.paragraph = False
        self.fence = ""

    def see(self, line: str) -> None:
        for _ in range(_DEEPEST):  # down to the leaf
            quote, item = _QUOTE.match(line), _ITEM.match(line)
            if self.fence or (not quote and not item) or _RULE.match(line):
                break
            line = line[quote.end() :].removeprefix(" ") if quote else item[5]  # type: ignore[index]
            self.paragraph = False
        fence = _FENCE.match(line.lstrip() if self.fence else line)
        if self.fence:
            if fence and (fence[1] or fence[3] or "").startswith(self.fence):
                self.fence = ""
            return
        if fence is not None and (not self.paragraph or _indent(line) < 4):
            self.fence, self.paragraph = fence[1] or fence[3], False
        elif not line.strip() or _HEADING.match(line) or _RULE.match(line):
            self.paragraph = False
        elif not self.paragraph:
            html = any(start.match(line) for start, _ in _HTML) or _TAG_ALONE.match(line)
            self.paragraph = _indent(line) < 4 and not html
        elif _UNDERLINE.match(line):
            self.paragraph = False


# ------------------------------------------------------------------- lines


def _without_closing(heading: str) -> str:
    """A heading without the marks that may close it."""
    core = heading.rstrip("#")
    if core and (core == heading or core[-1] not in " \t"):
        return heading
    return core.rstrip(" \t")


def _without_blank_end(body: str) -> str:
    """Lines without the blank ones at their end."""
    core = body.rstrip()
    tail = body[len(core) :]
    return core + tail.partition("\n")[0] if core else ""


def _indent(line: str) -> int:
    """The column of the first character that is no blank."""
    return _width(line[: len(line) - len(line.lstrip(" \t"))])


def _width(blanks: str, column: int = 0) -> int:
    if "\t" not in blanks:
        return len(blanks)
    begin = column
    for blank in blanks:
        column += 4 - column % 4 if blank == "\t" else 1
    return column - begin


def _dedent(line: str, wanted: int, *, column: int = 0) -> str:
    """A line without so many columns of blanks; what is left of a tab becomes spaces."""
    if line.startswith(" " * wanted):
        at, begin, column = wanted, column, column + wanted
    else:
        at, begin = 0, column
    while at < len(line) and line[at] in " \t" and column - begin < wanted:
        column += 4 - column % 4 if line[at] == "\t" else 1
        at += 1
    if column - begin < wanted:
        return line[at:]
    rest = line[at:]
    lead = rest[: len(rest) - len(rest.lstrip(" \t"))]
    if "\t" in lead and (begin + wanted) % 4:  # tabs behind count from the old column
        rest = " " * _width(lead, column) + rest[len(lead) :]
    return " " * (column - begin - wanted) + rest


def _lazy(line: str) -> str:
    """A line that goes on with a paragraph inside, so far in that nothing can start with it."""
    return " " * _FAR + line.lstrip(" \t")


def _interrupts(line: str, after_text: bool = False) -> bool:
    """Whether a block starts with this line that can end the one before."""
    if _indent(line) >= 4:
        return False
    item = _ITEM.match(line)
    if item is not None and after_text:  # in the middle of text, numbers are mostly just that
        item = item if item[5] and item[3] in (None, "1") else None
    return (
        item is not None
        or any(pattern.match(line) for pattern in (_FENCE, _HEADING, _RULE, _QUOTE))
        or any(start.match(line) for start, _ in _HTML)
    )


def _starts_table(lines: list[str], at: int) -> bool:
    if at + 1 >= len(lines) or "|" not in lines[at] or _indent(lines[at]) >= 4:
        return False
    rule = lines[at + 1]
    if not _DELIMITERS.match(rule) or _indent(rule) >= 4 or _ITEM.match(rule):
        return False
    return len(_cells(lines[at])) == len(_cells(rule))


def _cells(row: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELLS.split(row.strip())]
    if cells and not cells[0]:
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1]:
        cells = cells[:-1]
    return cells


def read_markdown(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The page as one document (or several, if its HTML says so)."""
    parser, page = Parser(), Page(options)
    lines = whole_text(stream, options).split("\n")
    for block in parser.parse(_without_front_matter(lines)):
        _write(block, page, parser)
    page.close()
    yield from page.done or [Document(source=options.file)]


def _without_front_matter(lines: list[str]) -> list[str]:
    """Lines without the settings in YAML or TOML that many files start with."""
    mark = lines[0].rstrip()
    if mark in ("---", "+++") and len(lines) > 2 and re.match(r"[\w\"']+\s*[:=]|#", lines[1]):
        for at in range(1, len(lines)):
            if lines[at].rstrip() == mark or (mark == "---" and lines[at].rstrip() == "..."):
                return lines[at + 1 :]
    return lines


def _write(block: Block, page: Page, parser: Parser) -> None:
    if block.kind == "html":
        page.feed(block.text + "\n")
        page.flush()
        return
    if block.kind == "code":
        page.handle_starttag("pre", [])
        page.handle_starttag("code", [])
        page.handle_data(block.text)
        page.handle_endtag("code")
        page.handle_endtag("pre")
        return
    page.handle_starttag("p", [])
    if block.text:
        render(block.text, page, parser.links, parser.notes)
    for inner in block.inside:
        _write(inner, page, parser)
    page.handle_endtag("p")
