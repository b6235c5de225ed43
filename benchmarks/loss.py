"""Where the loss comes from: raw text, gold sentences, gold tokens, gold tags, and cross tables.

    python benchmarks/loss.py
    python benchmarks/loss.py --model my.caesura --treebank DEV.conllu --json
    python benchmarks/loss.py --model en --treebank GUM --write
    python benchmarks/loss.py --model FOLDER/en-large.caesura --treebank EWT --write

--write keeps the result in results/loss.json, from which `papers_pages.py` writes the tables of
docs/explanation/evaluation.md; outputs of peers are left out of it.

The pipeline parses the same documents from ever better input; the difference between two columns
is what the layer that was mended costs those above it. The cross table (Dridan & Oepen 2013)
combines sentences and tokens of one system with the parser of Caesura; peers come in with the
outputs NAME_TREEBANK_dev.conllu.gz in the folder CAESURA_PEERS. Whether a step could be chance is
told by `caesura.evaluate.compare` over documents.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from data import PEERS, file_of
from papers_study.store import dumped

RESULTS = Path(__file__).parent / "results" / "loss.json"
#: What of the gold document each stage starts from.
STAGES = {
    "raw": (),
    "sentences": ("sentences",),
    "tokens": ("sentences", "tokens"),
    "tags": ("sentences", "tokens", "tags", "lemmas"),
}
#: What each output is compared with: the one whose input was better by one layer.
STEPS = (("raw", "sentences"), ("sentences", "tokens"), ("tokens", "tags"))
TESTED = ("Sentences", "UPOS", "LAS")
METRICS = ("Sentences", "Tokens", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--treebank", default="EWT", help="EWT, GUM, or a file")
    parser.add_argument("--metric", default="LAS", help="of the cross table")
    parser.add_argument("--share", type=int, default=1, help="every so many documents only")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="keep the result for the docs")
    return parser.parse_args()


def stages(nlp: Any, gold: Sequence[Any], threads: int) -> dict[str, list[Any]]:
    """The output of the pipeline for every stage."""
    found = {}
    for stage, keep in STAGES.items():
        sources = [doc.text for doc in gold] if stage == "raw" else gold
        found[stage] = list(nlp.pipe(sources, keep=keep, threads=threads))
    return found


def cross(
    nlp: Any,
    gold: Sequence[Any],
    found: dict[str, list[Any]],
    peers: dict[str, list[Any]],
    threads: int,
) -> dict[tuple[str, ...], list[Any]]:
    """Segmenter + tokeniser + parser: the parser is Caesura, or the peer on its own output.

    `found` has what the stages gave, three of which are combinations of the table.
    """

    def parse(docs: Sequence[Any], *keep: str) -> list[Any]:
        return list(nlp.pipe(docs, keep=keep, threads=threads))

    table = {
        ("caesura", "caesura", "caesura"): found["raw"],
        ("gold", "caesura", "caesura"): found["sentences"],
        ("caesura", "gold", "caesura"): parse(gold, "tokens"),
        ("gold", "gold", "caesura"): found["tokens"],
    }
    for name, docs in peers.items():
        table[name, name, name] = docs
        table[name, name, "caesura"] = parse(docs, "sentences", "tokens")
        table["caesura", name, "caesura"] = parse(docs, "tokens")
    return table


def levels(reports: dict[str, Any]) -> dict[str, Any]:
    """By output: F1 of the levels of the paper, and the sentences whose tokens are all right."""
    rows = {}
    for name, report in reports.items():
        found = report.levels
        rows[name] = {level: found[level].score.f1 for level in ("SENT", "TOK", "POS", "DEP")}
        rows[name]["TOK exact"] = found["TOK"].exact.recall
    return rows


def tested(tests: dict[tuple[str, str], Any]) -> list[dict[str, Any]]:
    """The steps from one stage to the next, tested over documents."""
    return [
        {
            "from": step[0],
            "to": step[1],
            "metric": test.metric,
            "difference": test.difference,
            "p": test.wilcoxon,
            "low": test.low,
            "high": test.high,
        }
        for step in STEPS
        for test in tests[step]
    ]


def by_document(report: Any) -> dict[str, list[float]]:
    """F1 of each document, from which models can be tested against each other."""
    from caesura.evaluate.breakdown import unit_counts

    pairs = report.comparison.pairs
    counts = {metric: unit_counts(pairs, metric, "document")[1] for metric in TESTED}
    return {metric: [round(score.f1, 2) for score in own] for metric, own in counts.items()}


def main() -> None:
    from caesura import formats
    from caesura.evaluate import compare
    from caesura.evaluate.loss import cross_table, stage_losses
    from caesura.pipeline import load

    args = arguments()
    path = Path(args.treebank)
    if not path.is_file():
        path = file_of(args.treebank, "dev")
    gold = list(formats.read(path))[:: args.share]
    peers = {
        file.name.split("_")[0]: list(formats.read(file))
        for file in sorted(PEERS.glob(f"*_{args.treebank}_dev.conllu.gz"))
        if not args.write
    }
    nlp = load(args.model)
    found = stages(nlp, gold, args.threads)
    losses = stage_losses(gold, found, METRICS)
    mixed = cross(nlp, gold, found, peers, args.threads)
    columns, rows = cross_table(gold, mixed, args.metric)
    table = [{"from": list(name), "cells": cells} for name, cells in rows]
    said = {
        "documents": len(gold),
        "stages": losses.as_dict(),
        "cross": {"columns": columns, "rows": table},
    }
    if args.write:
        outputs = found | {"own sentences, gold tokens": mixed["caesura", "gold", "caesura"]}
        reports, tests = compare(gold, outputs, metrics=TESTED)
        more = {"levels": levels(reports), "tests": tested(tests)}
        more |= {"raw": by_document(reports["raw"])}
        kept = {"share": args.share} | {key: said[key] for key in ("documents", "stages")}
        keep(Path(args.model).stem, args.treebank, kept | more)
    if args.json:
        print(json.dumps(said, indent=2))
        return
    show(args.treebank, losses, args.metric, columns, rows)


def keep(model: str, treebank: str, said: dict[str, Any]) -> None:
    """Put a result beside those of other models and treebanks."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results.setdefault(model, {})[treebank] = said
    RESULTS.write_text(dumped(results), encoding="utf-8")


def show(treebank: str, losses: Any, metric: str, columns: list[str], rows: Any) -> None:
    cell: Callable[[float | None], str] = lambda f1: "–" if f1 is None else f"{f1:.2f}"  # noqa: E731
    heads = [f"gold {stage}" if stage != "raw" else "raw text" for stage in losses.stages]
    print("| " + " | ".join([f"{treebank}, F1 from", *heads]) + " |")
    print("|---" + "|---:" * len(heads) + "|")
    for name, values in losses.reached.items():
        print("| " + " | ".join([name, *map(cell, values)]) + " |")
    layers = list(losses.lost[metric])
    print(f"\n| {metric} lost to | " + " | ".join(layers) + " |")
    print("|---" + "|---:" * len(layers) + "|")
    print("| points | " + " | ".join(cell(losses.lost[metric][layer]) for layer in layers) + " |")
    print(
        f"\n| {metric}: sentences + tokens | " + " | ".join(f"{c} parser" for c in columns) + " |"
    )
    print("|---" + "|---:" * len(columns) + "|")
    for name, cells in rows:
        print("| " + " | ".join([" + ".join(name), *map(cell, cells)]) + " |")


if __name__ == "__main__":
    main()
