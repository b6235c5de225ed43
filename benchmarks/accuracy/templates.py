"""What each group of templates gains in a linear parser, and what its search reads and costs.

    python -m benchmarks.accuracy.templates
    python -m benchmarks.accuracy.templates --model my.caesura --repeat 5 --write

Groups are the paragraphs of the table in `caesura/stages/joint_features.py`. Each is left out of a
trained model in turn, without training it again, and the dev documents are parsed with given tokens
and the model's own tags: LAS, F1 of the starts inside documents, microseconds per word of parsing
alone. The same for points of the search (beam:margin and other options), with the states that are
scored and the rows and bytes that are read for each. `--write` keeps the result for
docs/explanation/joint-parsing.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from benchmarks.common import RESULTS, dev_docs, f1, fastest, keep_json, options, show
from numpy.typing import NDArray

from caesura.document import YES
from caesura.pipeline import Pipeline, load
from caesura.stages.joint_features import DEFAULT_TABLE
from caesura.stages.joint_parser import Parser, result_of
from caesura.stages.parse_constraints import no_limits
from caesura.stages.templates import parse_table
from caesura.stages.tree_parser import Parse
from caesura.stages.word_table import Words

POINTS = (
    "1",
    "8:0.1",
    "8:0.15,labels=0,starts=2.667,behind=2.667",
    "8:0.2,labels=0",
    "8:0.2",
    "8",
)
TREEBANKS = ("EWT", "GUM", "EWT-speech", "GUM-speech")
#: Bytes of the lookup of a row, and of a short row.
ENTRY, SHORT = 8, 16
Row = dict[str, Any]


class Dev(NamedTuple):
    """Documents ready to be parsed, and the gold analysis."""

    words: Words
    bounds: NDArray[np.int64]
    heads: NDArray[np.int32]
    labels: NDArray[np.int64]
    starts: NDArray[np.bool_]


def groups() -> dict[str, tuple[str, ...]]:
    """The paragraphs of the table of templates by their first lines."""
    found: dict[str, tuple[str, ...]] = {}
    for paragraph in DEFAULT_TABLE.split("#")[1:]:
        name, _, lines = paragraph.partition("\n")
        found[name.strip()] = parse_table(lines)
    return found


def dev_of(nlp: Pipeline, parser: Parser, treebank: str) -> Dev:
    gold = dev_docs(treebank)
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


def scores(result: Parse, dev: Dev) -> tuple[float, float]:
    """LAS, and F1 of starts inside documents."""
    right = (result.heads == dev.heads) & (result.labels == dev.labels)
    inner = np.ones(len(dev.starts), bool)
    inner[dev.bounds[:-1]] = False
    found, gold = result.starts.astype(bool) & inner, dev.starts & inner
    starts = f1(int((found & gold).sum()), int(found.sum()), int(gold.sum()))
    return 100 * float(right.mean()), starts


def accuracy(parser: Parser, devs: dict[str, Dev]) -> Row:
    row: Row = {}
    for name, dev in devs.items():
        found = parser.decoder.decode(*dev.words, dev.bounds, no_limits())
        result = result_of(found, no_limits())
        assert result is not None
        las, starts = scores(result, dev)
        row[f"{name} LAS"] = round(las, 2)
        row[f"{name} starts"] = round(starts, 2)
    return row


def counts(parser: Parser, dev: Dev) -> Row:
    """Rows and bytes that the search reads per word and per state."""
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
    """`16:0.3,labels=0` is a beam of 16 with a margin of 0.3 and other options of the search."""
    beam, *more = point.split(",")
    width, _, margin = beam.partition(":")
    found: dict[str, Any] = {"beam": int(width), "margin": float(margin or "inf")}
    return found | {n: float(v) for n, _, v in (one.partition("=") for one in more)}


def main() -> None:
    given = options(__doc__, "--model", "--treebank", "--repeat", "--write").parse_args()
    (model,) = given.model or ["en-fast"]
    nlp = load(model)
    whole = nlp.stage(Parser)
    assert whole is not None
    devs = {name: dev_of(nlp, whole, name) for name in given.treebank or TREEBANKS}
    first = next(iter(devs.values()))
    words = int(first.bounds[-1])
    points = {point: whole.with_search(**point_of(point)) for point in POINTS}
    fewer = {"all templates": whole}
    for name, templates in groups().items():
        left = tuple(t for t in whole.templates if t not in templates)
        if len(left) < len(whole.templates):
            fewer[name] = replace(whole, templates=left)
    found: dict[str, list[Row]] = {}
    for title, parsers in (("search", points), ("templates", fewer)):
        works = {
            name: partial(parser.decoder.decode, *first.words, first.bounds, no_limits())
            for name, parser in parsers.items()
        }
        seconds = fastest(works, given.repeat)
        found[title] = []
        for name, one in parsers.items():
            row: Row = {"what": name}
            if title == "search":
                row |= counts(one, first)
            else:
                row["templates"] = len(whole.templates) - len(one.templates)
            row["µs/word"] = round(1e6 * seconds[name] / words, 2)
            found[title].append(row | accuracy(one, devs))
    show(found)
    if given.write:
        keep_json(RESULTS / "templates.json", {"model": model, "words": words, **found})


if __name__ == "__main__":
    main()
