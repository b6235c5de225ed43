"""Train a whole pipeline on treebanks of several languages, and score each on its dev split.

    python benchmarks/languages.py                       # the table of the docs
    python benchmarks/languages.py UD_Greek-GDT --json

A treebank without a dev split gives the last tenth of its documents. Scores are F1 by the CoNLL
2018 definition, from raw text where the treebank has text, else from gold tokens (marked so).
With --recognise it says instead how surely languages are told apart: see `recognising.py`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import recognising
from data import DATA, file_of, find_file

from caesura.document import Document
from caesura.formats import read
from caesura.learn.evaluation import dev_scores
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.models.file import save

TREEBANKS = (
    "UD_Greek-GDT",
    "UD_Hungarian-Szeged",
    "UD_Italian-ParTUT",
    "UD_Turkish-IMST",
    "UD_Swedish-LinES",
    "UD_French-ParisStories",
    "UD_Norwegian-NynorskLIA",
    "UD_Slovenian-SST",
    "UD_Chinese-GSD",
    "UD_Japanese-GSD",
)
#: Treebanks without SpaceAfter whose languages are written without spaces.
NO_SPACES = ("UD_Chinese-GSD", "UD_Japanese-GSD")
COLUMNS = ("Tokens", "Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")


def documents(treebank: str) -> tuple[list[Document], list[Document]]:
    spaces = treebank not in NO_SPACES
    train = list(read(file_of(treebank, "train"), space=spaces))
    path = find_file(treebank, "dev")
    dev = list(read(path, space=spaces)) if path else []
    if not dev:
        cut = max(1, len(train) // 10)
        train, dev = train[:-cut], train[-cut:]
    return train, dev


def measure(treebank: str, options: PipelineOptions) -> dict[str, Any]:
    train, dev = documents(treebank)
    clock = time.process_time()
    trainer = PipelineTrainer(train, dev, options)
    parts = trainer.run()
    seconds = time.process_time() - clock
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.caesura"
        save(path, parts, kind="pipeline")
        scores = dev_scores(str(path), dev)
        size = path.stat().st_size / 1e6
    return {
        "treebank": treebank,
        "words": sum(doc.n_words for doc in train),
        "from": "raw text" if "tokenizer" in parts else "gold tokens",
        "seconds": round(seconds),
        "megabytes": round(size, 1),
        **{name: scores[name] for name in COLUMNS},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", default=TREEBANKS)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--recognise", action="store_true")
    parser.add_argument("--model", help="take the recogniser of this model")
    arguments = parser.parse_args()
    if arguments.recognise:
        recognising.run(DATA / "open", arguments.model)
        return
    options = PipelineOptions(folds=arguments.folds)
    options = replace(options, parser=replace(options.parser, epochs=arguments.epochs))
    names = ("treebank", "words", "from", *COLUMNS, "seconds", "megabytes")
    if not arguments.json:
        print("| " + " | ".join(names) + " |")
        print("|" + "---|" * len(names), flush=True)
    for treebank in arguments.treebanks:
        row = measure(treebank, options)
        if arguments.json:
            print(json.dumps(row), flush=True)
        else:
            print("| " + " | ".join(str(row[name]) for name in names) + " |", flush=True)


if __name__ == "__main__":
    main()
