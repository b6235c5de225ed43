"""Grammar induction over treebanks: the papers' tables, with their figures beside ours.

    python benchmarks/induction.py        # every treebank of a language of the papers
    python benchmarks/induction.py --treebanks WSJ CDT-Danish --table spread
    python benchmarks/induction.py --table speed --plot cubic.svg

Trees are looked at for scoring only. Without a dev split the last tenth of the training data is
held out; without training data the grammar is induced on dev and marked with *. Accuracy is
directed, the root counted, marks left out, all lengths (and up to ten words). In means over
treebanks every language weighs the same.

Tables: rules and free (universal tags with and without rules), function (fine tags, function words
as heads), joined (restarts), chosen (the default or restarts joined; unseen and turned: the same
over universal tags, and with function words as heads), s11, table6 (of S11), vote, raw and context
(no tags), tutorial (its commands without tags, beside vote), predicates (what nearly every sentence
has), models, baselines, factorial, spread, untagged, granularity (of WSJ) and constraints by
treebank; speed, million (a user's run from raw text), elsewhere (induced on EWT, scored on GUM),
phrases (fragments against brackets) and markup (against HTML).
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from data import DATA
from induction_study import kept, roots, tables
from induction_study.published import weighted_mean
from induction_study.raw_text import million, tutorial
from induction_study.speed import draw, speed
from induction_study.treebanks import TREEBANKS, Bench

BY_TREEBANK = {
    "rules": tables.rules,
    "free": tables.free,
    "function": tables.function,
    "joined": tables.joined,
    "chosen": kept.chosen,
    "unseen": kept.unseen,
    "turned": kept.turned,
    "s11": tables.s11,
    "table6": tables.table6,
    "vote": tables.vote,
    "tutorial": tutorial,
    "raw": tables.raw,
    "context": tables.context,
    "predicates": roots.predicates,
    "models": tables.models,
    "baselines": tables.baselines,
    "factorial": tables.factorial,
    "spread": tables.spread,
    "untagged": tables.untagged,
    "granularity": tables.granularity,
    "constraints": tables.constraints,
}
RESULTS = Path(__file__).parent / "results" / "induction.json"
#: The treebanks of a table, where none are named: the papers' sets have heads of another style.
STYLES = {
    "rules": "content",
    "free": "content",
    "function": "any",
    "joined": "any",
    "chosen": "any",
    "unseen": "content",
    "turned": "content",
    "s11": "any",
    "table6": "any",
    "spread": "any",
    "factorial": "any",
}
#: Tables of treebanks that are named.
CHOSEN = {
    "baselines": ("WSJ", "CDT-Danish", "CoNLL-Spanish", "CoNLL2007-Basque", "English-EWT"),
    "constraints": ("WSJ", "CDT-Danish", "CoNLL-Spanish", "CoNLL2007-Basque", "English-EWT"),
    "untagged": ("WSJ", "English-EWT"),
    "granularity": ("WSJ",),
}
OTHERS = ("speed", "million", "elsewhere", "phrases", "markup")


def show(rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([str(row.get(c, "")) for c in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def mean(names: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Means of the columns that hold a number, or a number and its spread, in every row."""
    languages = [TREEBANKS[name].language for name in names]
    found: dict[str, Any] = {"treebank": "mean"}
    for key in rows[0]:
        cells = [row.get(key) for row in rows]
        heads = [c.partition("±")[0] if isinstance(c, str) else c for c in cells]
        try:
            values = [float(head) for head in heads]  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        found[key] = round(weighted_mean(languages, values), 1)
    return found


def write(table: str, rows: list[dict[str, Any]]) -> None:
    """Keep the rows of a table, from which `induction_pages.py` writes those of the docs."""
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    known[table] = rows
    RESULTS.parent.mkdir(exist_ok=True)
    text = json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True)
    RESULTS.write_text(text + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--treebanks", nargs="+", choices=list(TREEBANKS), help="else all that fit")
    parser.add_argument("--table", default="models", choices=[*BY_TREEBANK, *OTHERS])
    parser.add_argument("--column", choices=["upos", "xpos"], help="classes; else the treebank's")
    parser.add_argument("--seeds", type=int, default=tables.SEEDS, help="for the table spread")
    parser.add_argument("--only", nargs="+", default=tables.ROWS, help="rows of the table spread")
    parser.add_argument("--plot", metavar="FILE", help="with --table speed: draw it, too")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--write", action="store_true", help="write the rows into results/induction.json, too"
    )
    options = parser.parse_args()
    tables.SEEDS, tables.ROWS = options.seeds, tuple(options.only)
    rows: list[dict[str, Any]] = []
    if options.table == "speed":
        rows = speed()
        if options.plot:
            draw(rows, options.plot)
    elif options.table == "million":
        rows = million()
    elif options.table == "markup":
        rows = tables.markup()
    elif options.table in OTHERS:
        rows = getattr(tables, options.table)(options.data)
    else:
        style = STYLES.get(options.table)
        fitting = [n for n, bank in TREEBANKS.items() if style in (None, bank.heads)]
        names = options.treebanks or list(CHOSEN.get(options.table, fitting))
        for name in names:
            bench = Bench(name, options.data, options.column)
            found: Any = BY_TREEBANK[options.table](bench)
            several = found if isinstance(found, list) else [found]
            rows += [{"treebank": name + ("*" if bench.same else ""), **row} for row in several]
            if not options.json:
                show(rows[-len(several) :])
                sys.stdout.flush()
        if len(rows) == len(names) > 1 and options.table not in ("factorial", "baselines"):
            rows.append(mean(names, rows))
    if options.write:
        write(options.table, rows)
    if options.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        print()
        show(rows)


if __name__ == "__main__":
    main()
