"""A picture of a tree with every coordinate decided: boxes of text, segments of arcs, rows.

`layout` makes it; `svg` and `image` draw it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from caesura.render.tree import Tree


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
