"""Plots as SVG of our own: they take their colours from the page, light or dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.markup import element, safe, svg

if TYPE_CHECKING:
    from caesura.evaluate.report import Report

__all__ = ["lines_plot", "reliability_plot", "scores_svg", "stacked_bars"]

WIDTH = 640
LEFT = 110


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str | None = None) -> str:
    return element("text", safe(text), x=float(x), y=float(y), text_anchor=anchor, cls=kind)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return element("line", x1=x1, x2=x2, y1=y1, y2=y2, cls=kind)


def _title(text: str) -> str:
    return element("title", safe(text))


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

    parts = []
    for tick in range(floor, 101, 10 if 100 - floor <= 60 else 20):
        parts.append(_line(left, y(tick), width - right, y(tick), "grid"))
        parts.append(_text(left - 6, y(tick) + 4, str(tick), "end"))
    if sizes:
        largest = max(max(sizes), 1)
        for place, size in enumerate(sizes):
            tall = 0.35 * (height - top - bottom) * size / largest
            at, words = {"x": x(place) - 12, "y": height - bottom - tall}, _title(f"{size} words")
            parts.append(element("rect", words, **at, width=24, height=tall, cls="size"))
    for place, name in enumerate(names):
        parts.append(_text(x(place), height - bottom + 18, name, "middle"))
    taken: list[float] = []
    for number, (name, values) in enumerate(series.items()):
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
        colour = f"s{number % 6}"
        parts.append(element("polyline", points=points, cls=f"line {colour}"))
        for place, value in enumerate(values):
            told = _title(f"{name}, {names[place]}: {value:.2f}")
            parts.append(
                element("circle", told, cx=x(place), cy=y(value), r=3, cls=f"dot {colour}")
            )
        if values:
            # Names stand at the right end and give way to each other.
            low = y(values[-1]) + 4
            while any(abs(low - other) < 14 for other in taken):
                low += 14
            taken.append(low)
            parts.append(_text(width - right + 10, low, name, kind=f"name {colour}"))
    return svg(width, height, title, "".join(parts))


def stacked_bars(
    title: str, rows: Mapping[str, Mapping[str, float]], largest: float = 100.0
) -> str:
    """A horizontal bar a row, cut into named parts; the first part is what was reached."""
    kinds = list(dict.fromkeys(kind for parts in rows.values() for kind in parts))
    height = 24 * len(rows) + 60
    scale = (WIDTH - LEFT - 20) / largest
    parts = []
    for row, (name, values) in enumerate(rows.items()):
        top = 10 + 24 * row
        parts.append(_text(LEFT - 8, top + 14, name, "end"))
        at = float(LEFT)
        for kind, value in values.items():
            wide = max(value, 0.0) * scale
            told, colour = _title(f"{name}, {kind}: {value:.2f}"), f"p{kinds.index(kind) % 6}"
            parts.append(element("rect", told, x=at, y=top, width=wide, height=18, cls=colour))
            if wide > 38:
                parts.append(_text(at + wide / 2, top + 13, f"{value:.1f}", "middle", "inside"))
            at += wide
    at = float(LEFT)
    base = 10 + 24 * len(rows) + 22
    for number, kind in enumerate(kinds):
        colour = f"p{number % 6}"
        parts.append(element("rect", x=at, y=base - 10, width=12, height=12, cls=colour))
        parts.append(_text(at + 17, base, kind))
        at += 28 + 7.2 * len(kind)
    return svg(WIDTH, height, title, "".join(parts))


def reliability_plot(title: str, points: Sequence[tuple[float, float, int]]) -> str:
    """Confidence against the share that is right; the diagonal is perfect calibration."""
    size, edge = 260, 40

    def x(value: float) -> float:
        return edge + (size - edge - 10) * value

    def y(value: float) -> float:
        return 10 + (size - edge - 10) * (1 - value)

    largest = max((count for _, _, count in points), default=1)
    parts = []
    for tick in (0.0, 0.5, 1.0):
        parts.append(_line(x(0), y(tick), x(1), y(tick), "grid"))
        parts.append(_text(edge - 6, y(tick) + 4, f"{tick:g}", "end"))
        parts.append(_text(x(tick), size - edge + 18, f"{tick:g}", "middle"))
    parts.append(_line(x(0), y(0), x(1), y(1), "diagonal"))
    for confidence, accuracy, count in points:
        radius = 3 + 7 * (count / largest) ** 0.5
        told = _title(f"confidence {confidence:.2f}, right {accuracy:.2f}, {count} of them")
        place = {"cx": x(confidence), "cy": y(accuracy), "r": radius}
        parts.append(element("circle", told, **place, cls="dot s0"))
    parts.append(_text(x(0.5), size - 6, "confidence", "middle"))
    return svg(size, size, title, "".join(parts))


_BARS = (
    ".caesura-bars{color:#1c1e21}.caesura-bars text{font:12px system-ui,sans-serif;"
    "fill:currentColor}.caesura-bars .bar{fill:#4a7fb5}.caesura-bars .bed{fill:#8883}"
    "@media (prefers-color-scheme:dark){.caesura-bars{color:#e4e6ea}"
    ".caesura-bars .bar{fill:#6fa8dc}}"
)


def scores_svg(report: Report) -> str:
    """The scores of CoNLL 2018 as bars, a small picture for notebooks."""
    scores = report.conll or report.scores
    left, wide, step = 90, 300, 20
    parts = []
    for number, (metric, score) in enumerate(scores.items()):
        y = 4 + step * number
        parts += [
            element("text", safe(metric), x=left - 8, y=y + 13, text_anchor="end"),
            element("rect", cls="bed", x=left, y=y + 3, width=wide, height=13),
            element("rect", cls="bar", x=left, y=y + 3, width=wide * score.f1 / 100, height=13),
            element("text", f"{score.f1:.2f}", x=left + wide + 8, y=y + 13),
        ]
    size, title = (left + wide + 60, step * len(scores) + 8), f"F1 of {report.name}"
    return svg(*size, title, "".join(parts), style=_BARS, cls="caesura-bars")
