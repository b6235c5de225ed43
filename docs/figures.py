"""Figures of the documentation, as our own code parses and draws them: `python docs/figures.py`.

The plots of `docs/figures` that are not made here come from the benchmarks that their pages name.
"""

from __future__ import annotations

from pathlib import Path

from caesura import Document, load, read
from caesura.render import LayoutOptions, lay_out, tree_of
from caesura.render.svg import stacked_svg, tree_svg

DOCS = Path(__file__).parent
FOLDER = DOCS / "figures"
HARBOUR = DOCS.parent / "examples" / "harbour.conllu"

#: A stretch of speech with a boundary that only its syntax shows.
SPEECH = "they did not tell me where they were going we waited all night"


def spoken() -> Document:
    """What the bundled model makes of it."""
    return load("en")(SPEECH, confidence=True)


def figures() -> dict[str, str]:
    """All figures by name."""
    harbour = next(read(HARBOUR))
    pictures = [lay_out(tree_of(sentence)) for sentence in spoken().sentences]
    long = tree_of(harbour.sentences[3])
    return {
        "speech.svg": stacked_svg(pictures, "Two sentences of speech", alone=True),
        "wrapped.svg": tree_svg(long, LayoutOptions(width=600), alone=True),
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in figures().items():
        (FOLDER / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
