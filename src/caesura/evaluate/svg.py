"""Plots as SVG of our own: they take their colours from the page, light or dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

__all__ = ["lines_plot", "reliability_plot", "stacked_bars"]

WIDTH = 640
LEFT = 110


def _open(width: int, height: int, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(title, quote=True)}"><title>{escape(title)}</title>'
    )


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def lines_plot(
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    sizes: Sequence[int] | None = None,
) -> str:
    """One line a series over named groups, in per cent; grey bars show how large a group is."""
    height, top, bottom = 300, 20, 60
    left, right = 45, 130
    width = WIDTH
    span = max(len(names) - 1, 1)
    lowest = min((value for values in series.values() for value in values), default=0.0)
    floor = max(0, int(lowest // 10) * 10)

    def x(place: int) -> float:
        return left + 18 + (width - left - right - 36) * (place / span)

    def y(value: float) -> float:
        return top + (height - top - bottom) * (1 - (value - floor) / max(100 - floor, 1))

    parts = [_open(width, height, title)]
    for tick in range(floor, 101, 10 if 100 - floor <= 60 else 20):
        parts.append(
            f'<line x1="{left}" x2="{width - right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" '
            'class="grid"/>'
        )
        parts.append(_text(left - 6, y(tick) + 4, str(tick), "end"))
    if sizes:
        largest = max(max(sizes), 1)
        for place, size in enumerate(sizes):
            tall = 0.35 * (height - top - bottom) * size / largest
            parts.append(
                f'<rect x="{x(place) - 12:.1f}" y="{height - bottom - tall:.1f}" width="24" '
                f'height="{tall:.1f}" class="size"><title>{size} words</title></rect>'
            )
    for place, name in enumerate(names):
        parts.append(_text(x(place), height - bottom + 18, name, "middle"))
    taken: list[float] = []
    for number, (name, values) in enumerate(series.items()):
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
        parts.append(f'<polyline points="{points}" class="line s{number % 6}"/>')
        for place, value in enumerate(values):
            parts.append(
                f'<circle cx="{x(place):.1f}" cy="{y(value):.1f}" r="3" class="dot s{number % 6}">'
                f"<title>{escape(name)}, {escape(names[place])}: {value:.2f}</title></circle>"
            )
        if values:
            # Names stand at the right end and give way to each other.
            at = y(values[-1]) + 4
            while any(abs(at - other) < 14 for other in taken):
                at += 14
            taken.append(at)
            parts.append(_text(width - right + 10, at, name, kind=f"name s{number % 6}"))
    parts.append("</svg>")
    return "".join(parts)


def stacked_bars(
    title: str, rows: Mapping[str, Mapping[str, float]], largest: float = 100.0
) -> str:
    """A horizontal bar a row, cut into named parts; the first part is what was reached."""
    kinds = list(dict.fromkeys(kind for parts in rows.values() for kind in parts))
    height = 24 * len(rows) + 60
    scale = (WIDTH - LEFT - 20) / largest
    parts = [_open(WIDTH, height, title)]
    for row, (name, values) in enumerate(rows.items()):
        top = 10 + 24 * row
        parts.append(_text(LEFT - 8, top + 14, name, "end"))
        at = float(LEFT)
        for kind, value in values.items():
            wide = max(value, 0.0) * scale
            number = kinds.index(kind)
            parts.append(
                f'<rect x="{at:.1f}" y="{top}" width="{wide:.1f}" height="18" '
                f'class="p{number % 6}">'
                f"<title>{escape(name)}, {escape(kind)}: {value:.2f}</title></rect>"
            )
            if wide > 38:
                parts.append(_text(at + wide / 2, top + 13, f"{value:.1f}", "middle", "inside"))
            at += wide
    at = float(LEFT)
    base = 10 + 24 * len(rows) + 22
    for number, kind in enumerate(kinds):
        parts.append(
            f'<rect x="{at:.1f}" y="{base - 10}" width="12" height="12" class="p{number % 6}"/>'
        )
        parts.append(_text(at + 17, base, kind))
        at += 28 + 7.2 * len(kind)
    parts.append("</svg>")
    return "".join(parts)


def reliability_plot(title: str, points: Sequence[tuple[float, float, int]]) -> str:
    """Confidence against the share that is right; the diagonal is perfect calibration."""
    size, edge = 260, 40

    def x(value: float) -> float:
        return edge + (size - edge - 10) * value

    def y(value: float) -> float:
        return 10 + (size - edge - 10) * (1 - value)

    largest = max((count for _, _, count in points), default=1)
    parts = [_open(size, size, title)]
    for tick in (0.0, 0.5, 1.0):
        parts.append(
            f'<line x1="{x(0):.1f}" x2="{x(1):.1f}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" '
            'class="grid"/>'
        )
        parts.append(_text(edge - 6, y(tick) + 4, f"{tick:g}", "end"))
        parts.append(_text(x(tick), size - edge + 18, f"{tick:g}", "middle"))
    parts.append(
        f'<line x1="{x(0):.1f}" y1="{y(0):.1f}" x2="{x(1):.1f}" y2="{y(1):.1f}" class="diagonal"/>'
    )
    for confidence, accuracy, count in points:
        radius = 3 + 7 * (count / largest) ** 0.5
        parts.append(
            f'<circle cx="{x(confidence):.1f}" cy="{y(accuracy):.1f}" r="{radius:.1f}" '
            f'class="dot s0"><title>confidence {confidence:.2f}, right {accuracy:.2f}, {count} '
            "of them</title></circle>"
        )
    parts.append(_text(x(0.5), size - 6, "confidence", "middle"))
    parts.append("</svg>")
    return "".join(parts)
