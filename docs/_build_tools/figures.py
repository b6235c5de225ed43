"""Draw the figures of the documentation: `python -m docs._build_tools.figures`.

Trees are parsed and drawn by the package. `bias.svg` shows the counts of
`benchmarks/accuracy/bias.py`. Other plots in `docs/figures` come from the benchmarks that their
pages name.
"""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path
from typing import Any

from caesura import Document, load, read
from caesura.render import LayoutOptions, lay_out, tree_of
from caesura.render.svg import stacked_svg, tree_svg

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "figures"
HARBOUR = DOCS.parent / "examples" / "harbour.conllu"

#: A stretch of speech with a boundary that only its syntax shows.
SPEECH = "they did not tell me where they were going we waited all night"


def spoken() -> Document:
    """What the bundled model makes of it."""
    return load("en")(SPEECH, confidence=True)


TITLE = "Sentence boundaries by bias, against none"
#: Scorer and text: what the legend says, and the style of the line.
LINES = {
    ("linear", "edited"): ("linear, edited text", "a"),
    ("linear", "unedited"): ("linear, transcripts", "a dashed"),
    ("neural", "edited"): ("neural, edited text", "b"),
    ("neural", "unedited"): ("neural, transcripts", "b dashed"),
}
WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 60, 200, 16, 48
STYLE = """
.bias{--a:#2f6f9f;--b:#a14f1a;--grid:#d0d5db;--ink:#3b424a;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.bias{--a:#79b8e8;--b:#e39a63;--grid:#40474f;--ink:#c9d1d9}}
.bias text{font:12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;fill:var(--ink)}
.bias .grid{stroke:var(--grid)}.bias .wanted{stroke:var(--ink);stroke-dasharray:1 4}
.bias .line{fill:none;stroke-width:2}.bias .dashed{stroke-dasharray:6 4}
.bias .a{stroke:var(--a)}.bias .b{stroke:var(--b)}
"""


def bias_results() -> list[dict[str, Any]]:
    """What the benchmark printed."""
    return [
        json.loads(line)
        for line in (FOLDER / "bias.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def counts(scorer: str, text: str) -> dict[float, int]:
    """Boundaries by bias."""
    return {
        row["bias"]: row["boundaries"]
        for row in bias_results()
        if "bias" in row and (row["scorer"], row["text"]) == (scorer, text)
    }


def _x(bias: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (bias + 2) / 4


def _y(times: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (2 - math.log2(times)) / 4


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def bias() -> str:
    """The picture: a logarithmic axis, on which a bias that keeps its word is the diagonal."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bias" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="{TITLE}">',
        f"<title>{TITLE}</title><style>{STYLE.strip()}</style>",
    ]
    for name, times in (("¼", 0.25), ("½", 0.5), ("1", 1.0), ("2", 2.0), ("4", 4.0)):
        parts.append(_line(_x(-2), _y(times), _x(2), _y(times), "grid"))
        parts.append(_text(LEFT - 8, _y(times) + 4, f"{name} ×", "end"))
    for bias in (-2, -1, 0, 1, 2):
        parts.append(_line(_x(bias), _y(4), _x(bias), _y(0.25), "grid"))
        parts.append(_text(_x(bias), HEIGHT - BOTTOM + 18, str(bias).replace("-", "−"), "middle"))
    parts.append(_text(_x(0), HEIGHT - BOTTOM + 38, "bias", "middle"))
    parts.append(_line(_x(-2), _y(0.25), _x(2), _y(4), "wanted"))
    for place, ((scorer, text), (name, style)) in enumerate(LINES.items()):
        found = counts(scorer, text)
        points = " ".join(
            f"{_x(bias):.1f},{_y(number / found[0.0]):.1f}" for bias, number in found.items()
        )
        parts.append(f'<polyline points="{points}" class="line {style}"/>')
        y = TOP + 14 + 20 * place
        parts.append(_line(_x(2) + 20, y - 4, _x(2) + 46, y - 4, f"line {style}"))
        parts.append(_text(_x(2) + 52, y, name, "start"))
    y = TOP + 14 + 20 * len(LINES)
    parts.append(_line(_x(2) + 20, y - 4, _x(2) + 46, y - 4, "wanted"))
    parts.append(_text(_x(2) + 52, y, "as asked for", "start"))
    return "\n".join([*parts, "</svg>", ""])


def figures() -> dict[str, str]:
    """All figures by name."""
    harbour = next(read(HARBOUR))
    pictures = [lay_out(tree_of(sentence)) for sentence in spoken().sentences]
    long = tree_of(harbour.sentences[3])
    return {
        "speech.svg": stacked_svg(pictures, "Two sentences of speech", alone=True),
        "wrapped.svg": tree_svg(long, LayoutOptions(width=600), alone=True),
        "bias.svg": bias(),
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in figures().items():
        (FOLDER / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
