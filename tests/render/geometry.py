"""Does anything in a picture lie on anything else? Boxes against boxes, lines against boxes."""

from __future__ import annotations

from itertools import combinations, pairwise

from caesura.render.layout import Box, Picture, Row

#: Less than this much of a pixel is rounding.
SLACK = 0.05


def boxes_overlap(a: Box, b: Box) -> bool:
    return (
        a.left < b.right - SLACK
        and b.left < a.right - SLACK
        and a.top < b.bottom - SLACK
        and b.top < a.bottom - SLACK
    )


def lines_of(row: Row) -> list[tuple[float, float, float, float]]:
    """Horizontal lines and legs as left, top, right, bottom."""
    found = []
    for segment in row.segments:
        if not segment.stub:
            found.append((segment.a, segment.y, segment.b, segment.y))
        found += [(x, segment.y, x, row.floor) for x in segment.legs]
    return found


def line_hits(line: tuple[float, float, float, float], box: Box) -> bool:
    left, top, right, bottom = line
    return (
        left < box.right - SLACK
        and box.left < right + SLACK
        and left - SLACK < box.right
        and box.left + SLACK < right + 2 * SLACK
        and top < box.bottom - SLACK
        and box.top + SLACK < bottom
    )


def problems(picture: Picture) -> list[str]:
    """Everything that overlaps or sticks out, in words."""
    found = []
    for number, row in enumerate(picture.rows):
        labels = [segment.label for segment in row.segments if segment.label is not None]
        texts = [*labels, *row.forms, *row.tags, *(box for *_, box in row.groups)]
        shown = [box for box in texts if box.text]
        for a, b in combinations(shown, 2):
            if boxes_overlap(a, b):
                found.append(f"row {number}: {a.text!r} lies on {b.text!r}")
        for line in lines_of(row):
            for box in shown:
                if line_hits(line, box):
                    found.append(f"row {number}: a line crosses {box.text!r}")
        levels = [s for s in row.segments if not s.stub]
        for one, two in combinations(levels, 2):
            if one.level == two.level and one.a < two.b and two.a < one.b:
                found.append(f"row {number}: two arcs share a line")
        legs = sorted(x for segment in row.segments for x in segment.legs)
        for x, y in pairwise(legs):
            if y - x < 1:
                found.append(f"row {number}: two legs share a line")
        for box in shown:
            if box.left < -SLACK or box.right > picture.width + SLACK or box.top < -SLACK:
                found.append(f"row {number}: {box.text!r} sticks out")
            if box.bottom > picture.height + SLACK:
                found.append(f"row {number}: {box.text!r} sticks out below")
    for above, below in pairwise(picture.rows):
        texts = [*above.forms, *above.tags, *(box for *_, box in above.groups)]
        lowest = max(box.bottom for box in texts)
        ys = [segment.y for segment in below.segments]
        tops = [segment.label.top for segment in below.segments if segment.label is not None]
        if min([*ys, *tops, below.floor]) < lowest - SLACK:
            found.append("two rows overlap")
    return found
