"""Make the guideline tables of the shipped models, which lie beside them until they are retrained.

    python -m modelling.guidelines                 # src/caesura/models and packages/*/src/*
    python -m modelling.guidelines --languages de pl -o /tmp/guidelines.json

A table is learned from the training files of the openly licensed treebanks of a language
(`open`, `more`, and UD_English-EWT); dev files are left out.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from benchmarks.common import DATA, ROOT, options

from caesura.durable import replacing
from caesura.formats import read
from caesura.guidelines import Guidelines, learn
from caesura.guidelines.table import encoded

ENGLISH = ("src/caesura/models", "packages/en-large/src/caesura_en_large")
ALL = "packages/multi/src/caesura_multi"


def files() -> dict[str, list[Path]]:
    """The training files of each language, by its code."""
    found = defaultdict(list)
    places = ("open/UD_*/*.conllu*", "more/UD_*/*.conllu*", "UD_English-EWT/*.conllu*")
    for path in sorted(path for place in places for path in DATA.glob(place)):
        if "-dev." not in path.name:
            found[path.name.partition("_")[0]].append(path)
    return found


def write(tables: dict[str, Guidelines], path: Path) -> None:
    with replacing(path) as stream:
        stream.write(encoded(tables))
    print(f"{path}: {len(tables)} languages, {path.stat().st_size:,} bytes")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--languages", nargs="*", help="codes of languages; else all")
    parser.add_argument("-o", "--output", type=Path, help="one file instead of those of the models")
    chosen = parser.parse_args()
    tables: dict[str, Guidelines] = {}
    for code, paths in sorted(files().items()):
        if not chosen.languages or code in chosen.languages:
            tables[code] = learn(doc for path in paths for doc in read(path))
    if chosen.output:
        write(tables, chosen.output)
        return
    for folder in ENGLISH if "en" in tables else ():
        write({"en": tables["en"]}, ROOT / folder / "guidelines.json")
    if not chosen.languages:
        write(tables, ROOT / ALL / "guidelines.json")


if __name__ == "__main__":
    main()
