"""Sources of the loss: raw text, gold sentences, gold tokens, gold tags, and cross tables.

    python -m benchmarks.accuracy.loss
    python -m benchmarks.accuracy.loss --model my.caesura --treebank DEV.conllu --json
    python -m benchmarks.accuracy.loss --model FOLDER/en-large.caesura --treebank EWT --write

The pipeline parses the same documents from increasingly better input; the difference between two
columns is the cost of one layer. The cross table (Dridan & Oepen 2013) combines sentences and
tokens of one system with the parser of Caesura; outputs of other systems come from the folder
CAESURA_PEERS. `caesura.evaluate.compare` tests each step over documents. `--write` keeps the
result, without other systems, in results/loss.json for docs/explanation/evaluation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import PEERS, RESULTS, dumped, file_of, options, read_json, show

from caesura import formats
from caesura.evaluate import compare
from caesura.evaluate.breakdown import unit_counts
from caesura.evaluate.loss import cross_table, stage_losses
from caesura.pipeline import load

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
    pairs = report.comparison.pairs
    counts = {metric: unit_counts(pairs, metric, "document")[1] for metric in TESTED}
    return {metric: [round(score.f1, 2) for score in own] for metric, own in counts.items()}


def main() -> None:
    parser = options(__doc__, "--model", "--treebank", "--json", "--write")
    parser.add_argument("--metric", default="LAS", help="of the cross table")
    parser.add_argument("--share", type=int, default=1, help="use every so manieth document")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    for model in given.model or ["en"]:
        for treebank in given.treebank or ["EWT"]:
            measure(given, model, treebank)


def measure(given: Any, model: str, treebank: str) -> None:
    gold = list(formats.read(file_of(treebank, "dev")))[:: given.share]
    peers = {
        file.name.split("_")[0]: list(formats.read(file))
        for file in sorted(PEERS.glob(f"*_{treebank}_dev.conllu.gz"))
        if not given.write
    }
    nlp = load(model)
    found = stages(nlp, gold, given.threads)
    losses = stage_losses(gold, found, METRICS)
    mixed = cross(nlp, gold, found, peers, given.threads)
    if given.write:
        outputs = found | {"own sentences, gold tokens": mixed["caesura", "gold", "caesura"]}
        reports, tests = compare(gold, outputs, metrics=TESTED)
        kept = {"share": given.share, "documents": len(gold), "stages": losses.as_dict()}
        kept |= {"levels": levels(reports), "tests": tested(tests)}
        path = RESULTS / "loss.json"
        results = read_json(path)
        results.setdefault(Path(model).stem, {})[treebank] = kept | {
            "raw": by_document(reports["raw"])
        }
        path.write_text(dumped(results), encoding="utf-8")
    columns, rows = cross_table(gold, mixed, given.metric)
    inputs = [f"gold {stage}" if stage != "raw" else "raw text" for stage in losses.stages]
    tables: dict[str, list[dict[str, Any]]] = {
        f"{treebank}: F1 by input": [
            {"": name, **dict(zip(inputs, values, strict=True))}
            for name, values in losses.reached.items()
        ],
        f"{treebank}: {given.metric} lost to": [losses.lost[given.metric]],
        f"{treebank}: {given.metric} by sentences + tokens and parser": [
            {"": " + ".join(name)} | dict(zip(columns, map(_dash, cells), strict=True))
            for name, cells in rows
        ],
    }
    show(tables, given.json)


def _dash(value: float | None) -> float | str:
    return "–" if value is None else value


if __name__ == "__main__":
    main()
