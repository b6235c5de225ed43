"""Trees as text for a terminal: a word a line in the order of the sentence, arcs drawn in boxes.

Heads are placed from the root outwards; the line that joins a head to its dependents takes the
first column that is free in all rows it passes, so crossing arcs are drawn as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from caesura.document import ROOT, UNKNOWN, Document
from caesura.render.svg import tint
from caesura.render.tree import Mark, Tree, tree_of

if TYPE_CHECKING:
    from caesura.document import Sentence


_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOX: Final = {
    0: " ",
    _UP | _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _LEFT: "─",
    _RIGHT: "─",
    _UP | _RIGHT: "╰",
    _DOWN | _RIGHT: "╭",
    _UP | _LEFT: "╯",
    _DOWN | _LEFT: "╮",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT: "┤",
    _LEFT | _RIGHT | _UP: "┴",
    _LEFT | _RIGHT | _DOWN: "┬",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
    _UP: "╵",
    _DOWN: "╷",
}
_PAINT: Final = {
    "line": "2",
    "form": "1",
    "tag": "32",
    "label": "36",
    "root": "33",
    "differs": "31",
    "soft": "2",
    "unsure": "35",
}
#: Terminals act on these; a tree must not.
_CONTROL: Final = dict.fromkeys((*range(32), *range(127, 160)), "�")


def _painter(color: bool) -> Mapping[str, tuple[str, str]]:
    return {
        kind: (f"\x1b[{code}m", "\x1b[0m") if color else ("", "") for kind, code in _PAINT.items()
    }


def tree_text(tree: Tree, *, color: bool = False) -> str:
    """A tree as lines of text."""
    paint = _painter(color)

    def painted(kind: str, text: str) -> str:
        before, after = paint[kind]
        return f"{before}{text}{after}" if text else ""

    cells = _draw(tree)
    surfaces = {first: (last, text) for first, last, text in tree.groups}
    lines = []
    for word, row in enumerate(cells):
        drawing = "".join(_BOX[mask] + ("─" if mask & _RIGHT else " ") for mask in row)
        drawing = drawing[:-1] + "─╼"
        parts = [painted("line", drawing), painted("form", _plain(tree.forms[word]))]
        parts.append(painted("tag", _plain(tree.tags[word])))
        head = tree.drawn_heads[word]
        label = tree.labels[word] or ("root" if head == ROOT else "")
        if head == UNKNOWN:
            parts.append(painted("soft", "head unknown" if any(tree.labels) else ""))
        else:
            parts.append(painted("root" if head == ROOT else "label", _plain(label)))
        confidence = tree.arc_conf[word] if tree.arc_conf is not None else None
        if tint(confidence) is not None:
            parts.append(painted("unsure", f"{100 * (confidence or 0):.0f}%"))
        if word in surfaces:
            last, text = surfaces[word]
            parts.append(painted("soft", f"[{_plain(text)}, {last - word} words]"))
        mark = tree.mark(word)
        if mark is not None:
            parts.append(painted("differs", f"≠ {_plain(str(mark))}"))
        lines.append(" ".join(part for part in parts if part))
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.translate(_CONTROL)


def _draw(tree: Tree) -> list[list[int]]:
    """The boxes of each row, as sets of the four directions in which lines leave them."""
    n = len(tree)
    heads = tree.drawn_heads
    children: list[list[int]] = [[] for _ in range(n)]
    for word, head in enumerate(heads):
        if head >= 0:
            children[head].append(word)
    grid: list[list[int]] = [[] for _ in range(n)]

    def put(row: int, column: int, mask: int) -> None:
        cells = grid[row]
        cells.extend([0] * (column + 1 - len(cells)))
        cells[column] |= mask

    def free(row: int, column: int) -> bool:
        return column >= len(grid[row]) or grid[row][column] == 0

    seen = [False] * n
    queue: deque[int] = deque()
    #: Where the line that leads to each word ends.
    column = [0] * n

    def visit(word: int) -> None:
        """Draw the line from a word to its dependents."""
        below = [child for child in children[word] if not seen[child]]
        if not below:
            return
        first, last = min(word, *below), max(word, *below)
        at = column[word]
        while not all(
            free(row, at) for row in range(first, last + 1) if row != word or at > column[word]
        ):
            at += 1
        for between in range(column[word], at):
            put(word, between, _LEFT | _RIGHT)
        put(word, at, _LEFT)
        for row in range(first, last + 1):
            put(row, at, (_UP if row > first else 0) | (_DOWN if row < last else 0))
        for child in below:
            put(child, at, _RIGHT)
            seen[child] = True
            column[child] = at + 1
            queue.append(child)

    roots = [word for word in range(n) if heads[word] < 0]
    # Words of a cycle have no root above them: start with the first that is left.
    for start in [*roots, *range(n)]:
        if seen[start]:
            continue
        seen[start] = True
        queue.append(start)
        put(start, 0, _LEFT | _RIGHT)
        column[start] = 1
        while queue:
            visit(queue.popleft())
    for row in range(n):
        # Lines that pass before a word's own end are crossed by the line to its text.
        for at in range(column[row], len(grid[row])):
            put(row, at, _LEFT | _RIGHT)
    return grid


def sentence_text(
    sentence: Sentence, *, color: bool = False, marks: Mapping[int, Mark] | None = None
) -> str:
    """A sentence: its text, then its tree."""
    before, after = _painter(color)["soft"]
    name = f"{sentence.id}: " if sentence.id else ""
    title = f"{before}# {_plain(name + ' '.join(sentence.text.split()))}{after}"
    return f"{title}\n{tree_text(tree_of(sentence, marks), color=color)}\n"


def document_text(
    doc: Document, *, color: bool = False, marks: Mapping[int, Mark] | None = None
) -> Iterable[str]:
    """The sentences of a document, one after the other."""
    for sentence in doc.sentences:
        yield sentence_text(sentence, color=color, marks=marks)
