"""The blocks of Markdown: paragraphs, headings, lists, quotes, code, tables, footnotes, HTML.

They follow CommonMark 0.31 with the tables of GitHub; the text of a leaf is left to `inline`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from caesura.formats.markdown.inline import definition, label_of

__all__ = ["Block", "Parser"]

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
_TASK: Final = re.compile(r"\[[ xX]\][ \t]+(?=\S)")
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
_TAG_ALONE: Final = re.compile(
    r" {0,3}(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*"
    r"(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*$"
)


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
        inside: list[str] = []
        state = _Open()
        end = at
        while end < len(lines):
            match = _QUOTE.match(lines[end])
            if match is not None:
                inside.append(_dedent(lines[end][match.end() :], 1, column=match.end()))
            elif state.paragraph and lines[end].strip() and not _interrupts(lines[end]):
                inside.append(_lazy(lines[end]))
            else:
                break
            state.see(inside[-1])
            end += 1
        found.append(Block("quote", inside=self.parse(inside, depth + 1)))
        return end

    def _item(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _ITEM.match(lines[at])
        if match is None or depth >= _DEEPEST:
            return at
        marker = len(match[1]) + len(match[2])
        blanks = _width(match[4], marker)
        if not match[5]:
            offset = marker + 1
        else:
            offset = marker + (blanks if blanks <= 4 else 1)
        first = _dedent(match[4] + match[5], offset - marker, column=marker)
        inside = [_TASK.sub("", first, count=1) if _TASK.match(first) else first]
        state = _Open()
        state.see(inside[0])
        end = at + 1
        while end < len(lines):
            line = lines[end]
            if not line.strip():
                if not any(part.strip() for part in inside):
                    break  # an item that starts with a blank line has nothing behind a second one
                inside.append("")
            elif _indent(line) >= offset:
                inside.append(_dedent(line, offset))
            elif state.paragraph and not _interrupts(line):
                inside.append(_lazy(line))
            else:
                break
            state.see(inside[-1])
            end += 1
        found.append(Block("item", inside=self.parse(inside, depth + 1)))
        return end

    def _footnote(self, lines: list[str], at: int, depth: int, found: list[Block]) -> int:
        match = _FOOTNOTE.match(lines[at])
        if match is None or depth >= _DEEPEST:
            return at
        self.notes.add(label_of(match[1]))
        inside, end = [match[2]], at + 1
        state = _Open()
        state.see(match[2])
        while end < len(lines):
            line = lines[end]
            if not line.strip():
                inside.append("")
            elif _indent(line) >= 4:
                inside.append(_dedent(line, 4))
            elif state.paragraph and not _interrupts(line) and not _FOOTNOTE.match(line):
                inside.append(_lazy(line))
            else:
                break
            state.see(inside[-1])
            end += 1
        found.append(Block("note", inside=self.parse(inside, depth + 1)))
        return end


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
