"""Accuracy, training time, size and speed of the tagger.

    python -m benchmarks.accuracy.tagging                          # train on EWT, score on dev
    python -m benchmarks.accuracy.tagging --treebank UD_Greek-GDT
    python -m benchmarks.accuracy.tagging --load ewt.tagger --only speed
    python -m benchmarks.accuracy.tagging --only boundaries --treebank EWT-speech

Speeds are words per CPU second from tokens in memory to all columns; `cold` starts with empty
caches. UDPipe (the package ufal.udpipe, if it is installed) is trained on a hundred sentences,
which affects its accuracy and not its speed.
"""

from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import conll, fastest, file_of, options, show
from benchmarks.speed.peers import make_udpipe

from caesura.document import YES, Document
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
        scores = conll(dev, tagged(tagger, dev, regime), COLUMNS)
        rows.append({"regime": regime, **scores})
    return rows


def udpipe(dev: Path) -> Callable[[], None] | None:
    """UDPipe's tagger over the dev sentences, or None without the package."""
    try:
        from ufal import udpipe as ud
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        model = ud.Model.load(make_udpipe(Path(folder)))
    reader = ud.InputFormat.newConlluInputFormat()
    reader.setText(gzip.decompress(dev.read_bytes()).decode())
    found, sentence = [], ud.Sentence()
    while reader.nextSentence(sentence, ud.ProcessingError()):
        found.append(sentence)
        sentence = ud.Sentence()

    def run() -> None:
        for one in found:
            model.tag(one, model.DEFAULT)

    return run


def speed(tagger: Tagger, dev: Sequence[Document], path: Path, rounds: int) -> Any:
    words = sum(doc.n_words for doc in dev)
    docs = [copy(doc) for doc in dev]

    def cold() -> None:
        tagger.forget()
        tagger.tag(docs)

    runs: dict[str, Callable[[], Any]] = {"cold": cold, "warm": lambda: tagger.tag(docs)}
    runs["warm, with confidence"] = lambda: tagger.tag(docs, confidence=True)
    if (other := udpipe(path)) is not None:
        runs["UDPipe 1"] = other
    seconds = fastest(runs, rounds)
    return [{"run": name, "words/CPU s": words / s} for name, s in seconds.items()]


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


def main() -> None:
    parser = options(__doc__, "--repeat", "--json")
    parser.add_argument("--treebank", default="UD_English-EWT")
    parser.add_argument("--load", type=Path, help="a tagger; without it one is trained")
    parser.add_argument("--save", type=Path, help="keep the trained tagger here")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--only", choices=["accuracy", "speed", "boundaries"])
    given = parser.parse_args()
    path = file_of(given.treebank, "dev")
    train, dev = list(read(file_of(given.treebank, "train"))), list(read(path))
    report: dict[str, list[dict[str, Any]]] = {}
    if given.only == "boundaries":
        own = replace(boundary_options(boundary_chain(train)), epochs=given.epochs)
        report["boundaries"] = boundaries(train, dev, own)
        show(report, given.json)
        return
    start = time.process_time()
    if given.load:
        tagger = Tagger.load(given.load)
    else:
        tagger = train_tagger(train, (), TaggerOptions(epochs=given.epochs))
    seconds = time.process_time() - start
    with tempfile.TemporaryDirectory() as folder:
        file = given.save or Path(folder) / "tagger"
        save(file, {"tagger": tagger.part})
        size = file.stat().st_size / 1e6
    report["model"] = [{"training or loading, CPU s": seconds, "MB": size}]
    if given.only != "speed":
        report["accuracy"] = accuracy(tagger, dev)
    if given.only != "accuracy":
        report["speed"] = speed(tagger, dev, path, given.repeat)
    show(report, given.json)


if __name__ == "__main__":
    main()
