"""Grammar induction over treebanks: the papers' tables, with their figures beside ours.

    python -m benchmarks.papers.induction        # every treebank of a language of the papers
    python -m benchmarks.papers.induction --treebanks WSJ CDT-Danish --table spread
    python -m benchmarks.papers.induction --table speed --plot cubic.svg

Trees are looked at for scoring only. Without a dev split the last tenth of the training data is
held out; without training data the grammar is induced on dev and marked with *. Accuracy is
directed, the root counted, marks left out, all lengths (and up to ten words). In means over
treebanks every language weighs the same.

Tables: rules (universal tags with rules), function (fine tags, function words as heads), joined
(restarts), chosen (the default or restarts joined; unseen and turned: the same over universal tags,
and with function words as heads), s11, table6 (of S11), vote, raw and context (no tags), predicates
(what nearly every sentence has), models, baselines, factorial, spread, untagged, granularity (of
WSJ) and constraints by treebank; speed, million (a user's run from raw text) and markup (against
punctuation).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import DATA, RESULTS, keep_json, read_json, show
from benchmarks.common import options as parser_of
from benchmarks.papers.induction import kept, roots, tables
from benchmarks.papers.induction.published import weighted_mean
from benchmarks.papers.induction.raw_text import million
from benchmarks.papers.induction.speed import draw, speed
from benchmarks.papers.induction.treebanks import TREEBANKS, Bench

NAMED = ("WSJ", "CDT-Danish", "CoNLL-Spanish", "CoNLL2007-Basque", "English-EWT")
#: What each table measures on a treebank, and its treebanks: names, or a style of heads.
BY_TREEBANK: dict[str, tuple[Callable[[Bench], Any], str | tuple[str, ...] | None]] = {
    "rules": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["rules"]), "content"),
    "function": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["function"]), "any"),
    "joined": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["joined"]), "any"),
    "chosen": (kept.chosen, "any"),
    "unseen": (kept.unseen, "content"),
    "turned": (kept.turned, "content"),
    "s11": (tables.s11, "any"),
    "table6": (tables.table6, "any"),
    "vote": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["vote"]), None),
    "raw": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["raw"]), None),
    "context": (partial(tables.beside_chains, columns=tables.BESIDE_CHAINS["context"]), None),
    "predicates": (roots.predicates, None),
    "models": (tables.models, None),
    "baselines": (tables.baselines, NAMED),
    "factorial": (tables.factorial, "any"),
    "spread": (tables.spread, "any"),
    "untagged": (tables.untagged, ("WSJ", "English-EWT")),
    "granularity": (tables.granularity, ("WSJ",)),
    "constraints": (tables.constraints, NAMED),
}
OTHERS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "speed": speed,
    "million": million,
    "markup": tables.markup,
}


def mean(names: Sequence[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
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


def main() -> None:
    parser = parser_of(__doc__, "--json", "--write")
    parser.add_argument("--treebanks", nargs="+", choices=list(TREEBANKS), help="else all that fit")
    parser.add_argument("--table", default="models", choices=[*BY_TREEBANK, *OTHERS])
    parser.add_argument("--column", choices=["upos", "xpos"], help="classes; else the treebank's")
    parser.add_argument("--seeds", type=int, default=tables.SEEDS, help="for the table spread")
    parser.add_argument("--only", nargs="+", default=tables.ROWS, help="rows of the table spread")
    parser.add_argument("--plot", metavar="FILE", help="with --table speed: draw it, too")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    tables.SEEDS, tables.ROWS = options.seeds, tuple(options.only)
    rows: list[dict[str, Any]] = []
    if options.table in OTHERS:
        rows = OTHERS[options.table]()
        if options.plot:
            draw(rows, options.plot)
    else:
        measure, wanted = BY_TREEBANK[options.table]
        fitting = [n for n, bank in TREEBANKS.items() if wanted in (None, bank.heads)]
        names = options.treebanks or (wanted if isinstance(wanted, tuple) else fitting)
        for name in names:
            bench = Bench(name, options.data, options.column)
            found = measure(bench)
            several = found if isinstance(found, list) else [found]
            rows += [{"treebank": name + ("*" if bench.same else ""), **row} for row in several]
            if not options.json:
                show(rows[-len(several) :])
        if len(rows) == len(names) > 1 and options.table not in ("factorial", "baselines"):
            rows.append(mean(names, rows))
    if options.write:
        path = RESULTS / "induction.json"
        keep_json(path, dict(sorted((read_json(path) | {options.table: rows}).items())))
    show(rows, options.json)


if __name__ == "__main__":
    main()
