"""Write measured dev scores and speeds into model files and their cards.

    python -m modelling.cards src/caesura/models/en.caesura --scores
    python -m modelling.cards src/caesura/models/en.caesura my.caesura --speed --rounds 5

`--scores`: F1 by the CoNLL 2018 definition from raw text, on EWT dev or the file of `--dev`, as
`caesura train pipeline` computes them. They replace those in the meta data and in the table of the
card; a card without such a table is refused. `--speed`: words per CPU second of one core, raw text
to CoNLL-U, measured as in `benchmarks/speed/peers.py` with all models and a small spaCy pipeline in
turns. A file gets `speed` and `speed_measured` in its meta data and a paragraph on its card.
Nothing else in a file changes. A package of a changed model must be made again: see `package.py`.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from benchmarks.common import file_of, options, processor
from benchmarks.speed import peers

from caesura.formats import read
from caesura.learn.pipeline import dev_scores
from caesura.models.file import load, save

HEAD = "## Speed\n\n"
_SECTION = re.compile(r"\n?## Speed\n.*?(?=\n## |\Z)", re.DOTALL)
#: Meta data that `save` writes itself.
OWN = frozenset({"format", "kind", "parts", "sha256"})


def rounded(value: float) -> float:
    """Three digits; more are noise."""
    return float(f"{value:.3g}")


def packing(path: Path) -> bool | Literal["all"]:
    """The compression of a file, for `save`."""
    with zipfile.ZipFile(path) as archive:
        packed = all(one.compress_type != zipfile.ZIP_STORED for one in archive.infolist())
    return "all" if packed else True


def note_speed(path: Path, words_a_second: float, on: str, against: float | None = None) -> None:
    """Write a speed into a model file, in place of an earlier one."""
    file = load(path)
    speed = rounded(words_a_second)
    measured: dict[str, Any] = {"what": "raw text to CoNLL-U, words a CPU second", "on": on}
    told = f"Raw text to CoNLL-U: {speed:,.0f} words a CPU second on {on}"
    if against is not None:
        measured["times spaCy"] = round(words_a_second / against, 2)
        told += f"; {measured['times spaCy']} times a small spaCy pipeline in the same run"
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    meta |= {"speed": speed, "speed_measured": measured}
    card = _SECTION.sub("", file.card).rstrip("\n")
    card = f"{card}\n\n{HEAD}{told}.\n" if card else f"{HEAD}{told}.\n"
    save(path, file.parts, meta=meta, card=card, kind=file.kind, compress=packing(path))


def rescored(card: str, scores: Mapping[str, float]) -> str:
    """A card with other figures in its table of scores."""
    for name, value in scores.items():
        card, found = re.subn(
            rf"^\| {name} \| [\d.]+ \|$", f"| {name} | {value:.2f} |", card, flags=re.M
        )
        if found != 1:
            raise SystemExit(f"the card has no row for {name}")
    return card


def note_scores(path: Path, scores: Mapping[str, float]) -> None:
    """Write scores into a model file, in place of earlier ones."""
    file = load(path)
    meta = {name: value for name, value in file.meta.items() if name not in OWN}
    card = rescored(file.card, scores)
    meta |= {"scores": dict(scores)}
    save(path, file.parts, meta=meta, card=card, kind=file.kind, compress=packing(path))


def measure_speed(models: list[Path], text: Path | None, rounds: int, spacy: bool) -> None:
    how = peers.arguments([])
    how.model, how.text, how.rounds = [str(path) for path in models], text, rounds
    how.only = ",".join([*(f"caesura {model}" for model in how.model), *(["spaCy"] * spacy)])
    with tempfile.TemporaryDirectory() as folder:
        found = peers.speed(how, Path(folder))
    against = found["spaCy"]["words/s"] if "spaCy" in found else None
    on = f"one core of {processor()}"
    for path in models:
        rate = found[f"caesura {path}"]["words/s"]
        note_speed(path, rate, on, against)
        beside = f", {rate / against:.2f} times spaCy" if against else ""
        print(f"{path}: {rounded(rate):,.0f} words a CPU second on {on}{beside}")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--scores", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--dev", type=Path, help="a treebank for --scores; else EWT dev")
    parser.add_argument("--text", type=Path, help="the text of --speed; else that of EWT dev")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-spacy", action="store_true")
    given = parser.parse_args()
    if not (given.scores or given.speed):
        parser.error("name --scores or --speed")
    if given.scores:
        dev = list(read(given.dev or file_of("EWT", "dev")))
        for path in given.models:
            scores = dev_scores(str(path), dev)
            note_scores(path, scores)
            print(path, " ".join(f"{name} {value:.2f}" for name, value in scores.items()))
    if given.speed:
        measure_speed(given.models, given.text, given.rounds, not given.no_spacy)


if __name__ == "__main__":
    main()
