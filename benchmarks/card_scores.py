"""Scores models anew with the code as it is and writes that into their files, where cards are.

    python benchmarks/card_scores.py src/caesura/models/en.caesura
    python benchmarks/card_scores.py my.caesura --dev dev.conllu

Dev scores are those that `caesura train pipeline` writes: F1 by the CoNLL 2018 definition, from raw
text, on EWT dev unless a file is given. They take the places of those in the meta data of a file
and in the table of its card; nothing else changes, and a card without such a table is refused.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from card_speed import OWN, packing
from data import file_of

from caesura.formats import read
from caesura.learn.evaluation import dev_scores
from caesura.models.file import load, save


def rescored(card: str, scores: Mapping[str, float]) -> str:
    """A card with other figures in its table of scores."""
    for name, value in scores.items():
        card, found = re.subn(
            rf"^\| {name} \| [\d.]+ \|$", f"| {name} | {value:.2f} |", card, flags=re.M
        )
        if found != 1:
            raise SystemExit(f"the card has no row for {name}")
    return card


def note(path: Path, scores: Mapping[str, float]) -> None:
    """Write scores into a model file, in the place of those that it has."""
    file = load(path)
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    card = rescored(file.card, scores)
    meta |= {"scores": dict(scores)}
    save(path, file.parts, meta=meta, card=card, kind=file.kind, compress=packing(path))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--dev", type=Path, help="a treebank; else EWT dev")
    asked = parser.parse_args()
    dev = list(read(asked.dev or file_of("EWT", "dev")))
    for path in asked.models:
        scores = dev_scores(str(path), dev)
        note(path, scores)
        print(path, " ".join(f"{name} {value:.2f}" for name, value in scores.items()))


if __name__ == "__main__":
    main()
