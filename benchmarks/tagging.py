"""How well and how fast the tagger tags: accuracies in both regimes, CPU time, size, speeds.

    python benchmarks/tagging.py                          # train on EWT, score on its dev set
    python benchmarks/tagging.py --treebank UD_Greek-GDT
    python benchmarks/tagging.py --model ewt.tagger --only speed
    python benchmarks/tagging.py --only boundaries --treebank EWT-speech

Speeds are words per CPU second from tokens in memory to all columns, best of several interleaved
runs; `cold` starts with empty caches. UDPipe (the package ufal.udpipe, if it is there) is trained
on a hundred sentences, which changes its accuracy and not its speed.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from data import DATA, file_of

from caesura.document import YES, Document
from caesura.evaluate import conll18
from caesura.formats import read
from caesura.learn.folds import deal
from caesura.learn.tagger_data import boundary_chain
from caesura.models.file import save
from caesura.tag import (
    Tagger,
    TaggerOptions,
    best_threshold,
    boundary_options,
    mark_starts,
    start_probabilities,
    train_tagger,
)

COLUMNS = ("UPOS", "XPOS", "UFeats", "AllTags", "Lemmas")


def tagged(tagger: Tagger, docs: Sequence[Document], regime: Any) -> list[Document]:
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    for doc in copies:
        for column in tagger.columns:
            if hasattr(doc, column):
                setattr(doc, column, np.zeros(doc.n_words, np.int32))
    tagger.tag(copies, regime=regime)
    return copies


def accuracy(tagger: Tagger, dev: Sequence[Document]) -> list[dict[str, Any]]:
    rows = []
    for regime in ("sentences", "document"):
        scores = conll18(list(dev), tagged(tagger, dev, regime))
        rows.append({"regime": regime} | {c: scores[c].f1 for c in COLUMNS if c in scores})
    return rows


def fastest(runs: dict[str, Callable[[], Any]], times: int) -> dict[str, float]:
    found: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(times + 1):
        for name, run in runs.items():
            start = time.process_time()
            run()
            if turn:
                found[name].append(time.process_time() - start)
    return {name: min(seconds) for name, seconds in found.items()}


def udpipe(train: Path, dev: Path) -> Callable[[], None] | None:
    """UDPipe's tagger over the dev sentences, or None if the package is not there."""
    try:
        from ufal import udpipe as ud
    except ImportError:
        return None

    def sentences(path: Path, most: int) -> Any:
        reader = ud.InputFormat.newConlluInputFormat()
        reader.setText(gzip.decompress(path.read_bytes()).decode())
        found, error = [], ud.ProcessingError()
        while len(found) < most:
            sentence = ud.Sentence()
            if not reader.nextSentence(sentence, error):
                break
            found.append(sentence)
        return found

    few = ud.Sentences()
    for sentence in sentences(train, 100):
        few.append(sentence)
    error = ud.ProcessingError()
    blob = ud.Trainer.train("morphodita_parsito", few, ud.Sentences(), "none", "", "none", error)
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(blob)
    model = ud.Model.load(file.name)
    os.unlink(file.name)
    words = sentences(dev, 10**9)

    def run() -> None:
        for sentence in words:
            model.tag(sentence, model.DEFAULT)

    return run


def speed(tagger: Tagger, dev: Sequence[Document], paths: tuple[Path, Path], times: int) -> Any:
    words = sum(doc.n_words for doc in dev)
    docs = [copy(doc) for doc in dev]

    def cold() -> None:
        tagger.forget()
        tagger.tag(docs)

    runs: dict[str, Callable[[], Any]] = {"cold": cold, "warm": lambda: tagger.tag(docs)}
    runs["warm, 3 best"] = lambda: tagger.tag(docs, k=3)
    rival = udpipe(*paths)
    if rival is not None:
        runs["UDPipe 1"] = rival
    seconds = fastest(runs, times)
    rows = [{"run": name, "words/CPU s": words / s} for name, s in seconds.items()]
    if rival is not None:
        for row in rows:
            row["times UDPipe 1"] = row["words/CPU s"] * seconds["UDPipe 1"] / words
    return rows


def boundaries(train: list[Document], dev: list[Document], options: TaggerOptions) -> Any:
    """Start F1 without document-initial starts: as it is, and with a threshold tuned on train."""
    fold_of = deal([doc.n_words for doc in train], 10, 1)
    held = [doc for doc, fold in zip(train, fold_of, strict=True) if fold == 0]
    rest = [doc for doc, fold in zip(train, fold_of, strict=True) if fold != 0]
    threshold, _ = best_threshold(
        start_probabilities(train_tagger(rest, (), options), held), *starts(held)
    )
    tagger = train_tagger(train, (), options)
    gold, inner = starts(dev)
    rows = []
    viterbi = tagged(tagger, dev, "document")
    for name, docs in {
        "Viterbi": viterbi,
        "threshold 0.50": marked(tagger, dev, 0.5),
        f"threshold {threshold:.2f}, tuned on a tenth of train": marked(tagger, dev, threshold),
    }.items():
        said = starts(docs)[0] & inner
        right = int((said & gold).sum())
        rows.append(
            {
                "boundaries": name,
                "precision": 100 * right / max(1, int(said.sum())),
                "recall": 100 * right / max(1, int((gold & inner).sum())),
                "F1": 200 * right / max(1, int(said.sum() + (gold & inner).sum())),
            }
        )
    return rows


def starts(docs: Sequence[Document]) -> tuple[Any, Any]:
    gold = np.concatenate([doc.word_sent_start == YES for doc in docs])
    return gold, np.concatenate([np.arange(doc.n_words) > 0 for doc in docs])


def marked(tagger: Tagger, docs: Sequence[Document], threshold: float) -> list[Document]:
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    mark_starts(tagger, copies, threshold)
    return copies


def table(rows: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names] + [[_cell(row.get(name, "")) for name in names] for row in rows]
    widths = [max(len(line[n]) for line in cells) for n in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"
    return str(value)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of treebanks")
    parser.add_argument("--treebank", default="UD_English-EWT")
    parser.add_argument("--model", type=Path, help="a tagger; without it one is trained")
    parser.add_argument("--save", type=Path, help="keep the trained tagger here")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--times", type=int, default=5, help="timed runs")
    parser.add_argument("--only", choices=["accuracy", "speed", "boundaries"])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    paths = tuple(file_of(options.treebank, s, options.data) for s in ("train", "dev"))
    train, dev = (list(read(path)) for path in paths)
    report: dict[str, list[dict[str, Any]]] = {}
    if options.only == "boundaries":
        own = replace(boundary_options(boundary_chain(train)), epochs=options.epochs)
        report["boundaries"] = boundaries(train, dev, own)
    else:
        if options.model:
            tagger, cpu = Tagger.load(options.model), float("nan")
        else:
            start = time.process_time()
            tagger = train_tagger(train, (), TaggerOptions(epochs=options.epochs))
            cpu = time.process_time() - start
        with tempfile.TemporaryDirectory() as folder:
            path = options.save or Path(folder) / "tagger"
            save(path, {"tagger": tagger.part})
            start = time.process_time()
            tagger = Tagger.load(path)
            loading = time.process_time() - start
            size = path.stat().st_size / 1e6
        report["model"] = [{"training CPU s": cpu, "MB": size, "loading CPU s": loading}]
        if options.only != "speed":
            report["accuracy"] = accuracy(tagger, dev)
        if options.only != "accuracy":
            report["speed"] = speed(tagger, dev, (paths[0], paths[1]), options.times)
    if options.json:
        print(json.dumps({"treebank": options.treebank} | report))
    else:
        print("\n\n".join(table(rows) for rows in report.values()))


if __name__ == "__main__":
    main()
