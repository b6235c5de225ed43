"""Placement of a tree: words in rows, arcs in levels, labels in gaps.

Words stand in rows that are no wider than requested. An arc is cut where its row ends and goes on
at the edge of the next one, so in each row there are segments: a horizontal line on some level with
one leg, two or none. A longer segment runs above all shorter ones that it overlaps. A label stands
on its line between the legs of higher segments; where no gap is wide enough, words move apart and
everything is placed again. So nothing overlaps, whatever the tree. A `Picture` has all coordinates;
`svg` and `image` draw it.

Text widths are estimated without a font, on the wide side: those of a wide sans serif (DejaVu Sans)
in parts of the font size, so that a narrower font leaves some space and no font makes labels touch.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final

from caesura.document import ROOT, UNKNOWN
from caesura.render.tree import Tree

#: How much wider bold letters are.
BOLD: Final = 1.13
_WIDTHS: Final = {
    **dict.fromkeys("ijl'|", 0.3),
    **dict.fromkeys(".,:;!/\\ I[]()", 0.42),
    **dict.fromkeys("ftrs-{}", 0.53),
    **dict.fromkeys('J?"_*', 0.55),
    **dict.fromkeys("mMW%@", 1.02),
    **dict.fromkeys("w+=<>~^#&", 0.86),
    **dict.fromkeys("CDGHNOQUVAKRXY", 0.79),
    "…": 1.0,
    "—": 1.0,
}


@lru_cache(1 << 14)
def _char_width(char: str) -> float:
    known = _WIDTHS.get(char)
    if known is not None:
        return known
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return 1.3 if category == "So" else 1.05
    if char.isascii():
        return 0.66 if char.islower() or char.isdigit() else 0.72
    if category.startswith("L"):
        return 0.85 if category in ("Lu", "Lo") else 0.76
    return 0.9


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in a font of some size, rather too much than too little."""
    width = sum(map(_char_width, text)) * size
    return width * BOLD if bold else width


def runs_right_to_left(texts: Iterable[str]) -> bool:
    """Whether most letters belong to a script that runs from right to left."""
    balance = 0
    for text in texts:
        for char in text:
            kind = unicodedata.bidirectional(char)
            if kind in ("R", "AL"):
                balance += 1
            elif kind == "L":
                balance -= 1
    return balance > 0


@dataclass(frozen=True, slots=True)
class Box:
    """A text and the rectangle that it keeps for itself; `x` is its middle, `y` its base line."""

    text: str
    x: float
    y: float
    width: float
    size: float

    @property
    def left(self) -> float:
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        return self.y - 0.8 * self.size

    @property
    def bottom(self) -> float:
        return self.y + 0.22 * self.size


@dataclass(slots=True)
class Segment:
    """A part of an arc in one row, from `a` to `b`; a side that is open has no leg."""

    word: int
    a: float
    b: float
    reach: float
    #: Which leg is the dependent's: "a", "b", or "" if it is in another row.
    arrow: str
    open_a: bool = False
    open_b: bool = False
    #: A leg alone, of a root or of a word whose head is unknown.
    stub: bool = False
    level: int = 0
    label: Box | None = None
    y: float = 0.0

    @property
    def extent(self) -> float:
        return self.b - self.a

    @property
    def legs(self) -> list[float]:
        if self.stub:
            return [(self.a + self.b) / 2]
        return [x for x, open_ in ((self.a, self.open_a), (self.b, self.open_b)) if not open_]


@dataclass(slots=True)
class Row:
    """One row: its words with their tags, its segments, the brackets of multi-word tokens."""

    first: int
    last: int
    right: float = 0.0
    segments: list[Segment] = field(default_factory=list)
    forms: list[Box] = field(default_factory=list)
    tags: list[Box] = field(default_factory=list)
    groups: list[tuple[float, float, float, Box]] = field(default_factory=list)
    #: The line on which legs stand.
    floor: float = 0.0


@dataclass(slots=True)
class Picture:
    """A tree with every coordinate decided."""

    tree: Tree
    rows: list[Row]
    width: float
    height: float
    right_to_left: bool


FORM: Final = 15.0
TAG: Final = 10.5
LABEL: Final = 11.0
LEVEL: Final = 19.0
#: Between legs on one word, between words, beside labels, at the edges of a row.
SLOT: Final = 7.0
GAP: Final = 12.0
PAD: Final = 4.0
EDGE: Final = 14.0
_ROUNDS: Final = 60


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """How wide a picture may be, and what stands below the words."""

    width: float = 940.0
    tags: bool = True


class Layout:
    """One attempt after the other to place a tree; `extra` is air added before words."""

    def __init__(self, tree: Tree, options: LayoutOptions) -> None:
        self.tree = tree
        self.options = options
        n = len(tree)
        self.heads = tree.drawn_heads
        #: Nothing is known of the tree: draw words alone, not a question mark on each.
        self.bare = all(head == UNKNOWN for head in self.heads)
        self.texts = ["" if self.bare else self._label(word) for word in range(n)]
        self.label_width = [text_width(text, LABEL) for text in self.texts]
        self.left, self.rightward = self._attached()
        self.widths = [self._word_width(word) for word in range(n)]
        self.extra = [0.0] * n
        #: Where each token ends, which may have a wider surface than its words.
        self.ends: list[float] = [0.0] * n
        #: Air after a word that is the last of its row.
        self.overhang = [0.0] * n
        self.x: list[float] = [0.0] * n

    def _label(self, word: int) -> str:
        head, label = self.heads[word], self.tree.labels[word]
        if head == ROOT:
            return label or "root"
        return "?" if head == UNKNOWN else label

    def _attached(self) -> tuple[list[list[int]], list[list[int]]]:
        """The arcs that leave each word to the left and to the right, the shortest first."""
        n = len(self.tree)
        left: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        right: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        for word, head in enumerate(self.heads):
            if head < 0:
                continue
            a, b = min(word, head), max(word, head)
            right[a].append((b - a, word))
            left[b].append((b - a, word))
        return (
            [[word for _, word in sorted(arcs)] for arcs in left],
            [[word for _, word in sorted(arcs)] for arcs in right],
        )

    def _word_width(self, word: int) -> float:
        tree = self.tree
        wide = text_width(tree.forms[word], FORM, bold=True)
        if self.options.tags:
            wide = max(wide, text_width(tree.tags[word], TAG))
        if self.heads[word] < 0 and not self.bare:
            wide = max(wide, self.label_width[word] + PAD)
        slots = max(len(self.left[word]), len(self.rightward[word]))
        return max(wide, 2 * SLOT * (slots + 1), 12.0)

    # -------------------------------------------------------------- words

    def rows(self) -> list[Row]:
        """Words in rows, with space for the labels between them; sets `x`."""
        limit = self.options.width - EDGE
        rows: list[Row] = []
        start = 0
        n = len(self.tree)
        groups = {first: (last, text) for first, last, text in self.tree.groups}
        word = 0
        while word < n:
            last, surface = groups.get(word, (word + 1, ""))
            at = self._place(start, word, last, surface)
            if at > limit and word > start:
                rows.append(Row(start, word))
                start = word
                self._place(start, word, last, surface)
            word = last
        if n:
            rows.append(Row(start, n))
        for row in rows:
            end = self.ends[row.last - 1]
            row.right = max(end + EDGE, self.options.width if len(rows) > 1 else 0.0)
            row.right += self.overhang[row.last - 1]
        return rows

    def _place(self, start: int, first: int, last: int, surface: str) -> float:
        """Place the words of one token; returns where the last of them ends."""
        x, widths = self.x, self.widths
        air = 0.0
        if surface:
            room = sum(widths[first:last]) + GAP * (last - first - 1)
            air = max(0.0, text_width(surface, TAG + 1) + 8 - room)
        for word in range(first, last):
            if word == start:
                at = EDGE + widths[word] / 2 + air / 2
            else:
                # A token before it may be wider than its last word.
                before = x[word - 1] + widths[word - 1] / 2
                before = self.ends[word - 1] + air / 2 if word == first else before
                at = before + GAP + self.extra[word] + widths[word] / 2
            for arc in self.left[word]:
                other = self.heads[arc] if arc == word else arc
                if other >= start:
                    spread = self._slot(other, arc, right=True) - self._slot(word, arc, right=False)
                    at = max(at, x[other] + spread + self.label_width[arc] + 2 * PAD)
            x[word] = at
        self.ends[last - 1] = x[last - 1] + widths[last - 1] / 2 + air / 2
        return self.ends[last - 1]

    def _slot(self, word: int, arc: int, *, right: bool) -> float:
        """Where an arc leaves a word, from its middle: the shortest arc farthest out."""
        arcs = self.rightward[word] if right else self.left[word]
        place = len(arcs) - arcs.index(arc)
        # A leg alone, of a root, stands in the middle.
        return (place if right else -place) * SLOT

    # ----------------------------------------------------------- segments

    def segments(self, rows: Sequence[Row]) -> None:
        """Cut arcs into segments, row by row, and give each arc's label to its widest one."""
        row_of = [number for number, row in enumerate(rows) for _ in range(row.first, row.last)]
        for row in rows:
            row.segments = []
        for word, head in enumerate(self.heads):
            if head < 0:
                if not self.bare:
                    half = self.label_width[word] / 2 + 1
                    x = self.x[word]
                    rows[row_of[word]].segments.append(
                        Segment(word, x - half, x + half, 0.0, "a", stub=True)
                    )
                continue
            a, b = min(word, head), max(word, head)
            xa = self.x[a] + self._slot(a, word, right=True)
            xb = self.x[b] + self._slot(b, word, right=False)
            side = "a" if word == a else "b"
            reach = float(b - a)
            ra, rb = row_of[a], row_of[b]
            if ra == rb:
                rows[ra].segments.append(Segment(word, xa, xb, reach, side))
                continue
            parts = [Segment(word, xa, rows[ra].right, reach, side if side == "a" else "")]
            parts[0].open_b = True
            for between in range(ra + 1, rb):
                through = Segment(word, 0.0, rows[between].right, reach, "")
                through.open_a = through.open_b = True
                parts.append(through)
                rows[between].segments.append(through)
            end = Segment(word, 0.0, xb, reach, side if side == "b" else "", open_a=True)
            parts.append(end)
            rows[ra].segments.append(parts[0])
            rows[rb].segments.append(end)

    def levels(self, row: Row) -> None:
        """A segment runs above all shorter ones that it overlaps; stubs above all."""
        order = sorted(row.segments, key=lambda s: (s.stub, s.extent, s.reach, s.word))
        placed: list[Segment] = []
        for segment in order:
            below = [
                other.level
                for other in placed
                if other.a < segment.b + 3 and segment.a < other.b + 3
            ]
            segment.level = max(below, default=0) + 1
            placed.append(segment)

    # ------------------------------------------------------------- labels

    def gaps(self, row: Row, segment: Segment) -> list[tuple[float, float]]:
        """The free stretches of a segment's line, between the legs of higher segments."""
        legs = sorted(
            x
            for other in row.segments
            if other.level > segment.level
            for x in other.legs
            if segment.a < x < segment.b
        )
        ends = [segment.a, *legs, segment.b]
        return list(pairwise(ends))

    def best_gap(self, row: Row, segment: Segment) -> tuple[float, float]:
        """The free stretch nearest to the middle of those that are wide enough, else the widest."""
        need = self.label_width[segment.word] + 2 * PAD
        middle = (segment.a + segment.b) / 2

        def rank(gap: tuple[float, float]) -> tuple[bool, float]:
            wide = gap[1] - gap[0]
            off = max(gap[0] + need / 2 - middle, middle - gap[1] + need / 2, 0.0)
            return (wide < need, off if wide >= need else -wide)

        return min(self.gaps(row, segment), key=rank)

    def labels(self, rows: Sequence[Row]) -> bool:
        """Place all labels; False if words had to be moved apart and all must be placed again."""
        found: dict[int, list[tuple[Row, Segment]]] = {}
        for row in rows:
            for segment in row.segments:
                segment.label = None
                found.setdefault(segment.word, []).append((row, segment))
        moved = False
        for word, parts in found.items():
            text, wide = self.texts[word], self.label_width[word]
            if not text:
                continue
            row, segment = parts[0]
            if len(parts) > 1:
                row, segment = max(parts, key=lambda part: self._room(*part))
            if segment.stub:
                segment.label = Box(text, (segment.a + segment.b) / 2, 0.0, wide, LABEL)
                continue
            left, right = self.best_gap(row, segment)
            need = wide + 2 * PAD - (right - left)
            if need > 0.01:
                self._widen(parts, row, (left, right), need)
                moved = True
                continue
            middle = (segment.a + segment.b) / 2
            half = wide / 2 + PAD
            x = min(max(middle, left + half), right - half)
            segment.label = Box(text, x, 0.0, wide, LABEL)
        return not moved

    def _room(self, row: Row, segment: Segment) -> tuple[bool, bool, float]:
        left, right = self.best_gap(row, segment)
        fits = right - left >= self.label_width[segment.word] + 2 * PAD
        # The label is best near the dependent.
        return (fits, bool(segment.arrow), right - left)

    def _widen(
        self, parts: Sequence[tuple[Row, Segment]], row: Row, gap: tuple[float, float], need: float
    ) -> None:
        """Make space: beyond the row if the arc leaves it, else between two words in the gap."""
        for other, segment in parts:
            if segment.open_b and not segment.open_a:
                left, right = self.gaps(other, segment)[-1]
                wide = self.label_width[segment.word] + 2 * PAD
                self.overhang[other.last - 1] += wide - (right - left) + 1
                return
        middle = (gap[0] + gap[1]) / 2
        after = next(word for word in range(row.first, row.last) if self.x[word] > middle)
        self.extra[after] += need + 1


def lay_out(tree: Tree, options: LayoutOptions | None = None) -> Picture:
    """Place a tree."""
    options = options or LayoutOptions()
    layout = Layout(tree, options)
    rows: list[Row] = []
    for _ in range(_ROUNDS):
        rows = layout.rows()
        layout.segments(rows)
        for row in rows:
            layout.levels(row)
        if layout.labels(rows):
            break
    return _finish(layout, rows)


def _finish(layout: Layout, rows: list[Row]) -> Picture:
    """Heights: levels above the words, tags and brackets below them; then mirror if need be."""
    tree, options = layout.tree, layout.options
    y = 0.0
    has_tags = options.tags and any(tree.tags)
    for row in rows:
        top = max((segment.level for segment in row.segments), default=0)
        row.floor = y + 8 + top * LEVEL + (8 if top else 0)
        for segment in row.segments:
            segment.y = row.floor - 6 - segment.level * LEVEL + (LEVEL - 12)
            if segment.label is not None:
                old = segment.label
                segment.label = Box(old.text, old.x, segment.y - 3.5, old.width, LABEL)
        base = row.floor + FORM + 2
        for word in range(row.first, row.last):
            x, form = layout.x[word], tree.forms[word]
            row.forms.append(Box(form, x, base, text_width(form, FORM, bold=True), FORM))
            if has_tags:
                tag = tree.tags[word]
                row.tags.append(Box(tag, x, base + TAG + 5, text_width(tag, TAG), TAG))
        below = base + (TAG + 5 if has_tags else 0)
        for first, last, surface in tree.groups:
            if row.first <= first < row.last:
                a = layout.x[first] - layout.widths[first] / 2
                b = layout.x[last - 1] + layout.widths[last - 1] / 2
                size = TAG + 1
                box = Box(surface, (a + b) / 2, below + size + 10, text_width(surface, size), size)
                row.groups.append((a, b, below + 7, box))
        y = below + (TAG + 16 if row.groups else 0) + 12
    width = max((row.right for row in rows), default=0.0)
    mirrored = runs_right_to_left(tree.forms)
    if mirrored:
        for row in rows:
            _mirror(row, width)
    return Picture(tree, rows, width, y, mirrored)


def _mirror(row: Row, width: float) -> None:
    def flip(box: Box) -> Box:
        return Box(box.text, width - box.x, box.y, box.width, box.size)

    row.forms = [flip(box) for box in row.forms]
    row.tags = [flip(box) for box in row.tags]
    row.groups = [(width - b, width - a, y, flip(box)) for a, b, y, box in row.groups]
    for segment in row.segments:
        segment.a, segment.b = width - segment.b, width - segment.a
        segment.open_a, segment.open_b = segment.open_b, segment.open_a
        segment.arrow = {"a": "b", "b": "a", "": ""}[segment.arrow]
        if segment.label is not None:
            segment.label = flip(segment.label)
