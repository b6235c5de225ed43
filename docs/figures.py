"""Figures of the documentation, drawn by our own code: `python docs/figures.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from caesura.document import NO, ROOT, YES, Document
from caesura.formats import read
from caesura.render import LayoutOptions, lay_out, tree_of
from caesura.render.svg import stacked_svg, tree_svg

DOCS = Path(__file__).parent
FOLDER = DOCS / "figures"
HARBOUR = DOCS.parent / "examples" / "harbour.conllu"


def spoken() -> Document:
    """A stretch of speech with a boundary that only its syntax shows."""
    words = ["i", "asked", "the", "man", "when", "they", "had", "left", "he", "said", "at", "four"]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    starts = ends - [len(word) for word in words]
    doc = Document.from_spans(" ".join(words), starts, ends)
    heads = [1, ROOT, 3, 1, 7, 7, 7, 1, 9, ROOT, 11, 9]
    doc.head = np.array(heads, np.int32)
    labels = "nsubj root det obj advmod nsubj aux ccomp nsubj root case obl"
    doc.set_column("deprel", labels.split())
    tags = "PRON VERB DET NOUN ADV PRON AUX VERB PRON VERB ADP NUM"
    doc.set_column("upos", tags.split())
    doc.sent_start = np.full(doc.n_tokens, NO, np.int8)
    doc.sent_start[[0, 8]] = YES
    doc.arc_conf = np.array([1, 1, 1, 1, 0.9, 1, 1, 0.62, 1, 0.8, 1, 1], np.float32)
    return doc


def figures() -> dict[str, str]:
    """All figures by name."""
    harbour = next(read(HARBOUR))
    pictures = [lay_out(tree_of(sentence)) for sentence in spoken().sentences]
    long = tree_of(harbour.sentences[3])
    return {
        "speech.svg": stacked_svg(pictures, "Two sentences of speech", alone=True),
        "wrapped.svg": tree_svg(long, LayoutOptions(width=560), alone=True),
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in figures().items():
        (FOLDER / name).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
