"""The scores of a report as one small picture for notebooks: a bar for each F1."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from caesura.evaluate.report import Report

__all__ = ["scores_svg"]

_STYLE = (
    ".caesura-bars{color:#1c1e21}.caesura-bars text{font:12px system-ui,sans-serif;"
    "fill:currentColor}.caesura-bars .bar{fill:#4a7fb5}.caesura-bars .bed{fill:#8883}"
    "@media (prefers-color-scheme:dark){.caesura-bars{color:#e4e6ea}"
    ".caesura-bars .bar{fill:#6fa8dc}}"
)
_LEFT, _WIDE, _STEP = 90, 300, 20


def scores_svg(report: Report) -> str:
    """The scores of CoNLL 2018 as bars."""
    scores = report.conll or report.scores
    height = _STEP * len(scores) + 8
    name = escape(f"F1 of {report.name}", quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="caesura-bars" role="img" '
        f'width="{_LEFT + _WIDE + 60}" height="{height}" '
        f'viewBox="0 0 {_LEFT + _WIDE + 60} {height}" aria-label="{name}">'
        f"<title>{name}</title><style>{_STYLE}</style>"
    ]
    for number, (metric, score) in enumerate(scores.items()):
        y = 4 + _STEP * number
        long = _WIDE * score.f1 / 100
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(metric)}</text>'
            f'<rect class="bed" x="{_LEFT}" y="{y + 3}" width="{_WIDE}" height="13"/>'
            f'<rect class="bar" x="{_LEFT}" y="{y + 3}" width="{long:.1f}" height="13"/>'
            f'<text x="{_LEFT + _WIDE + 8}" y="{y + 13}">{score.f1:.2f}</text>'
        )
    return "".join([*parts, "</svg>"])
