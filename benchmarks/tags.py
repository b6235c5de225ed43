"""Tags chosen by the parser against tags taken from the tagger: LAS, sentence starts, tags.

    python benchmarks/tags.py EWT
    python benchmarks/tags.py EWT EWT-speech --system joint --tags 1 3 --epochs 8 --json
    python benchmarks/tags.py EWT --share 3 --trust 0 1 2

A parser is trained for each number of tags that SHIFT may choose from (1: the tagger's best),
on the same documents for the same epochs; the last is taken, and dev is parsed once. The tags of
the training documents come from taggers that have not seen them (five folds), those of dev from
a tagger that learned from all; with --share N the parsers learn from every N-th document.
JOINT parses whole documents, GOLD single sentences whose boundaries are given. --cache keeps the
taggers.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from data import DATA, file_of, find_folder

from caesura.document import Document
from caesura.formats import read
from caesura.learn.folds import deal
from caesura.models.file import save
from caesura.parse import Parser, ParserTrainer, SearchOptions, TrainOptions
from caesura.parse.recipes import recipe_options
from caesura.parse.scores import scores
from caesura.tag import Tagger, TaggerOptions, train_tagger
from caesura.train.tags import tagged

FOLDS = 5
Docs = list[Document]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", help="folders of --data, or paths")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--system", nargs="+", choices=("joint", "gold"), default=["joint", "gold"])
    parser.add_argument("--tags", nargs="+", type=int, default=[1, 3], metavar="K")
    parser.add_argument("--floor", type=float, default=TrainOptions().choice_floor)
    parser.add_argument("--trust", nargs="+", type=float, default=[SearchOptions().trust])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--beam", type=int, default=8)
    parser.add_argument("--share", type=int, default=1, metavar="N", help="every N-th document")
    parser.add_argument("--cache", type=Path, help="keep taggers here")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def say(message: str) -> None:
    print(f"{time.process_time():7.0f} s  {message}", file=sys.stderr, flush=True)


def files(name: str, data: Path) -> tuple[str, Docs, Docs]:
    train, dev = (list(read(file_of(name, part, data))) for part in ("train", "dev"))
    return find_folder(name, data).resolve().name.lower().removeprefix("ud_english-"), train, dev


def taggers(name: str, docs: Docs, cache: Path) -> tuple[list[Tagger], list[int]]:
    """A tagger for each fold that has not seen it, the one that has seen all, and the folds."""
    fold_of = deal([doc.n_words for doc in docs], FOLDS, 1)
    found = []
    for fold in range(FOLDS + 1):
        path = cache / f"{name}-{fold}.tagger"
        if not path.exists():
            rest = [doc for doc, own in zip(docs, fold_of, strict=True) if own != fold]
            say(f"{name}: tagger {fold + 1} of {FOLDS + 1}")
            save(path, {"tagger": train_tagger(rest, (), TaggerOptions(epochs=7, patience=0)).part})
        found.append(Tagger.load(path))
    return found, fold_of


def prepared(
    found: Sequence[Tagger], fold_of: Sequence[int], docs: Docs, k: int, regime: Any, share: int
) -> Docs:
    """Every N-th training document with the tags of the tagger that has not seen it."""
    made: dict[int, Document] = {}
    for fold in range(FOLDS):
        own = [n for n in range(0, len(docs), share) if fold_of[n] == fold]
        copies = tagged(found[fold], [docs[n] for n in own], k, regime=regime)
        made |= dict(zip(own, copies, strict=True))
    return [made[n] for n in sorted(made)]


def accuracy(docs: Docs, gold: Docs, column: str) -> float:
    pairs = list(zip(docs, gold, strict=True))
    right = sum(int((getattr(a, column) == getattr(b, column)).sum()) for a, b in pairs)
    return 100 * right / sum(doc.n_words for doc in gold)


def measured(parser: Parser, dev: Docs, gold: Docs) -> dict[str, float]:
    """Scores of one parser on dev."""
    copies = [replace(doc) for doc in dev]
    began = time.process_time()
    parses = parser.analyse(copies)
    seconds = time.process_time() - began
    for doc, parse in zip(copies, parses, strict=True):
        parser.write(doc, parse)
    told = scores(gold, parses, parser.inventory)
    row = {"LAS": told["LAS"], "UAS": told["UAS"], "Starts*": told["Starts"]}
    names = {"UPOS": "upos", "XPOS": "xpos", "UFeats": "feats", "Lemmas": "lemma"}
    row |= {name: accuracy(copies, gold, column) for name, column in names.items()}
    return row | {"words/s": sum(doc.n_words for doc in dev) / seconds}


def compare(name: str, args: argparse.Namespace, cache: Path) -> list[dict[str, Any]]:
    short, train, gold = files(name, args.data)
    found, fold_of = taggers(short, train, cache)
    rows = []
    for system in args.system:
        regime: Any = "sentences" if system == "gold" else "document"
        for k in args.tags:
            docs = prepared(found, fold_of, train, k, regime, args.share)
            dev = tagged(found[-1], gold, k, regime=regime)
            search = SearchOptions(beam=args.beam)
            options = TrainOptions(
                search=search, epochs=args.epochs, choices=k, choice_floor=args.floor
            )
            trainer = ParserTrainer(docs, (), recipe_options(system, options))
            for epoch in range(1, args.epochs + 1):
                trainer.epoch(epoch)
                say(f"{short} {system} {k}: epoch {epoch}")
            for trust in args.trust if k > 1 else args.trust[:1]:
                row = measured(trainer.parser().with_search(trust=trust), dev, gold)
                about = {"treebank": short, "system": system, "tags": k}
                rows.append(about | ({"trust": trust} if len(args.trust) > 1 else {}) | row)
                say(" ".join(f"{key}={value}" for key, value in rows[-1].items()))
    return rows


def table(rows: Sequence[dict[str, Any]]) -> str:
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for row in rows:
        cells = [
            (f"{value:.0f}" if name == "words/s" else f"{value:.2f}")
            if isinstance(value, float)
            else str(value)
            for name, value in row.items()
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        cache = args.cache or Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        rows = [row for name in args.treebanks for row in compare(name, args, cache)]
    print(json.dumps(rows) if args.json else table(rows))


if __name__ == "__main__":
    main()
