"""What each group of templates is worth to a linear parser, and what its search reads and costs.

    python benchmarks/templates.py                        # en-fast
    python benchmarks/templates.py --model my.caesura --repeat 5 --write

Groups are the paragraphs of the table in `caesura/stages/joint_features.py`. One after the other
is left out of a trained model, which is not trained anew, and the dev documents are parsed with
given tokens and the model's own tags: LAS, F1 of the starts inside documents, microseconds a word
of parsing alone (CPU, best of --repeat rounds in which all take turns). The same for points of the
search (beam:margin, and what else is named), with the states that are scored, the rows that
are added up and the bytes that are read for each of them. `--write` keeps the result in
benchmarks/results/templates.json, from which `docs/templates_tables.py` makes tables of the docs.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from data import ROOT, file_of
from numpy.typing import NDArray
from parsing_speed import search_of, table_of

from caesura.document import YES
from caesura.formats import read
from caesura.pipeline import Pipeline, load
from caesura.stages.joint_features import DEFAULT_TABLE
from caesura.stages.joint_parser import Parser, Result, result_of
from caesura.stages.parse_constraints import no_limits
from caesura.stages.templates import parse_table
from caesura.stages.word_table import Words

RESULTS = ROOT / "benchmarks" / "results" / "templates.json"
POINTS = (
    "1",
    "8:0.1",
    "8:0.15,labels=0,starts=2.667,behind=2.667",
    "8:0.2,labels=0",
    "8:0.2",
    "8",
)
TREEBANKS = ("EWT", "GUM", "EWT-speech", "GUM-speech")
#: What the lookup of a row reads, and what a short row has.
ENTRY, SHORT = 8, 16
Row = dict[str, Any]


class Dev(NamedTuple):
    """Documents ready to be parsed, and what is right."""

    words: Words
    bounds: NDArray[np.int64]
    heads: NDArray[np.int32]
    labels: NDArray[np.int64]
    starts: NDArray[np.bool_]


def groups() -> dict[str, tuple[str, ...]]:
    """The paragraphs of the table by what their first lines say."""
    found: dict[str, tuple[str, ...]] = {}
    for paragraph in DEFAULT_TABLE.split("#")[1:]:
        name, _, lines = paragraph.partition("\n")
        found[name.strip()] = parse_table(lines)
    return found


def dev_of(nlp: Pipeline, parser: Parser, treebank: str) -> Dev:
    gold = [doc for doc in read(file_of(treebank, "dev")) if doc.n_words]
    tagged = list(nlp.pipe(gold, keep=("tokens",)))
    number = {name: k for k, name in enumerate(parser.inventory.labels)}
    words, bounds = parser.batch(tagged)
    return Dev(
        words,
        bounds,
        np.concatenate([doc.head for doc in gold]),
        np.concatenate([[number.get(name, -2) for name in doc.column("deprel")] for doc in gold]),
        np.concatenate([doc.word_sent_start == YES for doc in gold]),
    )


def scores(result: Result, dev: Dev) -> tuple[float, float]:
    """LAS, and F1 of starts inside documents."""
    right = (result.heads == dev.heads) & (result.labels == dev.labels)
    inner = np.ones(len(dev.starts), bool)
    inner[dev.bounds[:-1]] = False
    found, gold = result.starts.astype(bool) & inner, dev.starts & inner
    both = int((found & gold).sum())
    return 100 * float(right.mean()), 200 * both / max(1, int(found.sum()) + int(gold.sum()))


def accuracy(parser: Parser, devs: dict[str, Dev]) -> Row:
    row: Row = {}
    for name, dev in devs.items():
        found = parser.decoder.decode(*dev.words, dev.bounds, no_limits())
        result = result_of(found, no_limits())
        assert result is not None, "nothing was given"
        las, starts = scores(result, dev)
        row[f"{name} LAS"] = round(las, 2)
        row[f"{name} starts"] = round(starts, 2)
    return row


def times(parsers: dict[str, Parser], dev: Dev, repeat: int) -> dict[str, float]:
    """Microseconds a word, interleaved."""
    decoders = {name: parser.decoder for name, parser in parsers.items()}
    best = dict.fromkeys(decoders, float("inf"))
    for _ in range(repeat):
        for name, decoder in decoders.items():
            clock = time.process_time()
            decoder.decode(*dev.words, dev.bounds, no_limits())
            best[name] = min(best[name], time.process_time() - clock)
    return {name: round(1e6 * seconds / int(dev.bounds[-1]), 2) for name, seconds in best.items()}


def counts(parser: Parser, dev: Dev) -> Row:
    """What the search reads for a word and for a state that it scores."""
    report = parser.decoder.decode(*dev.words, dev.bounds, no_limits())[1]
    steps, states = report.all_steps, report.scored
    sums, full, short, held = report.reads
    rows, words = full + short + held, int(dev.bounds[-1])
    read_ = rows * ENTRY + full * parser.rows.width + short * SHORT
    return {
        "steps/word": round(steps / words, 2),
        "states/word": round(states / words, 2),
        "sums/state": round(sums / states, 2),
        "rows/state": round(rows / states, 1),
        "full rows": round(full / rows, 3),
        "bytes/state": round(read_ / states),
    }


def point_of(point: str) -> dict[str, Any]:
    beam, *more = point.split(",")
    return search_of(beam) | {
        name: float(value) for name, _, value in (one.partition("=") for one in more)
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--treebanks", default=",".join(TREEBANKS))
    parser.add_argument("--write", action="store_true", help=f"keep the result in {RESULTS.name}")
    args = parser.parse_args()
    nlp = load(args.model)
    whole = next(stage for stage in nlp.stages if isinstance(stage, Parser))
    devs = {name: dev_of(nlp, whole, name) for name in args.treebanks.split(",")}
    first = next(iter(devs.values()))
    points = {point: whole.with_search(**point_of(point)) for point in POINTS}
    fewer = {"all templates": whole}
    for name, templates in groups().items():
        left = tuple(t for t in whole.templates if t not in templates)
        if len(left) < len(whole.templates):
            fewer[name] = replace(whole, templates=left)
    found: dict[str, list[Row]] = {}
    for title, parsers in (("search", points), ("templates", fewer)):
        took = times(parsers, first, args.repeat)
        found[title] = []
        for name, one in parsers.items():
            row: Row = {"what": name}
            if title == "search":
                row |= counts(one, first)
            else:
                row["templates"] = len(whole.templates) - len(one.templates)
            row["µs/word"] = took[name]
            found[title].append(row | accuracy(one, devs))
        print(f"\n{title}\n{table_of(found[title])}", flush=True)
    if args.write:
        told = {"model": args.model, "words": int(first.bounds[-1]), **found}
        RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
