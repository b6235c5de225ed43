"""Measures how fast models are and writes it into their files, where `caesura models` finds it.

    python benchmarks/card_speed.py src/caesura/models/en.caesura src/caesura/models/en-fast.caesura
    python benchmarks/card_speed.py my.caesura --rounds 5 --no-spacy

Words a CPU second of one core, raw text to CoNLL-U, as `peers.py` measures them: all models, and a
small spaCy pipeline beside them, take turns in one run, and the best round of each counts. A file
gets `speed` (a number of three digits) and `speed_measured` (how, on what, how many times spaCy)
into its meta data and a paragraph on its card; nothing else in it changes. What was there before is
replaced. A package of a model that was measured must be made again: see `package_model.py`.
"""

from __future__ import annotations

import argparse
import platform
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Literal

import peers

from caesura.models.file import load, save

HEAD = "## Speed\n\n"
_SECTION = re.compile(r"\n?## Speed\n.*?(?=\n## |\Z)", re.DOTALL)
#: What `save` writes itself.
OWN = frozenset({"format", "kind", "parts", "sha256"})


def machine() -> str:
    """The kind of machine: `one core of …`."""
    try:
        found = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = re.search(r"^model name\s*:\s*(.+)$", found, re.MULTILINE)
    except OSError:
        name = None
    return f"one core of {' '.join(name[1].split()) if name else platform.machine()}"


def rounded(value: float) -> float:
    """Three digits: more were noise."""
    return float(f"{value:.3g}")


def packing(path: Path) -> bool | Literal["all"]:
    """How `save` packs a file as it is packed: all of it, or what is worth it."""
    with zipfile.ZipFile(path) as archive:
        packed = all(one.compress_type != zipfile.ZIP_STORED for one in archive.infolist())
    return "all" if packed else True


def note(path: Path, words_a_second: float, on: str, against: float | None = None) -> None:
    """Write a speed into a model file, in the place of what it said before."""
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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("--text", type=Path, help="the text to time on; else that of EWT dev")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-spacy", action="store_true")
    asked = parser.parse_args()
    how = peers.arguments([])
    how.model, how.text, how.rounds = [str(path) for path in asked.models], asked.text, asked.rounds
    how.only = ",".join(f"caesura {model}" for model in how.model)
    how.only += "" if asked.no_spacy else ",spaCy"
    with tempfile.TemporaryDirectory() as folder:
        found = peers.speed(how, Path(folder))
    against = found["spaCy"]["words/s"] if "spaCy" in found else None
    on = machine()
    for path in asked.models:
        rate = found[f"caesura {path}"]["words/s"]
        note(path, rate, on, against)
        beside = f", {rate / against:.2f} times spaCy" if against else ""
        print(f"{path}: {rounded(rate):,.0f} words a CPU second on {on}{beside}")


if __name__ == "__main__":
    main()
