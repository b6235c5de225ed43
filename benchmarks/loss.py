"""Where the loss comes from: raw text, gold sentences, gold tokens, gold tags, and cross tables.

    python benchmarks/loss.py
    python benchmarks/loss.py --model my.caesura --treebank DEV.conllu --json

The pipeline parses the same documents from ever better input; the difference between two columns
is what the layer that was mended costs those above it. The cross table (Dridan & Oepen 2013)
combines sentences and tokens of one system with the parser of Caesura; peers come in with the
outputs NAME_TREEBANK_dev.conllu.gz in the folder CAESURA_PEERS.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from data import PEERS, file_of

#: What of the gold document each stage starts from.
STAGES = {
    "raw": (),
    "sentences": ("sentences",),
    "tokens": ("sentences", "tokens"),
    "tags": ("sentences", "tokens", "tags", "lemmas"),
}
METRICS = ("Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--mode", default="accurate", choices=["fast", "accurate"])
    parser.add_argument("--treebank", default="EWT", help="EWT, GUM, or a file")
    parser.add_argument("--metric", default="LAS", help="of the cross table")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def stages(nlp: Any, gold: Sequence[Any], threads: int) -> dict[str, list[Any]]:
    """The output of the pipeline for every stage."""
    found = {}
    for stage, keep in STAGES.items():
        sources = [doc.text for doc in gold] if stage == "raw" else gold
        found[stage] = list(nlp.pipe(sources, keep=keep, threads=threads))
    return found


def cross(
    nlp: Any, gold: Sequence[Any], peers: dict[str, list[Any]], threads: int
) -> dict[tuple[str, ...], list[Any]]:
    """Segmenter + tokeniser + parser: the parser is Caesura, or the peer on its own output."""

    def parse(docs: Sequence[Any], *keep: str) -> list[Any]:
        return list(nlp.pipe(docs, keep=keep, threads=threads))

    raw = [doc.text for doc in gold]
    found = {
        ("caesura", "caesura", "caesura"): list(nlp.pipe(raw, threads=threads)),
        ("gold", "caesura", "caesura"): parse(gold, "sentences"),
        ("caesura", "gold", "caesura"): parse(gold, "tokens"),
        ("gold", "gold", "caesura"): parse(gold, "sentences", "tokens"),
    }
    for name, docs in peers.items():
        found[name, name, name] = docs
        found[name, name, "caesura"] = parse(docs, "sentences", "tokens")
        found["caesura", name, "caesura"] = parse(docs, "tokens")
    return found


def main() -> None:
    from caesura import formats
    from caesura.evaluate.loss import cross_table, stage_losses
    from caesura.pipeline import load

    args = arguments()
    path = Path(args.treebank)
    if not path.is_file():
        path = file_of(args.treebank, "dev")
    gold = list(formats.read(path))
    peers = {
        file.name.split("_")[0]: list(formats.read(file))
        for file in sorted(PEERS.glob(f"*_{args.treebank}_dev.conllu.gz"))
    }
    nlp = load(args.model, mode=args.mode)
    losses = stage_losses(gold, stages(nlp, gold, args.threads), METRICS)
    columns, rows = cross_table(gold, cross(nlp, gold, peers, args.threads), args.metric)
    if args.json:
        table = [{"from": list(name), "cells": cells} for name, cells in rows]
        said = {"stages": losses.as_dict(), "cross": {"columns": columns, "rows": table}}
        print(json.dumps(said, indent=2))
        return
    show(args.treebank, losses, args.metric, columns, rows)


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
