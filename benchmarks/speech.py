"""Sentence starts and trees of text without case and punctuation, tokens given.

python benchmarks/speech.py                    # the bundled models on EWT-speech dev
python benchmarks/speech.py --model my.caesura --treebank GUM-speech
"""

from __future__ import annotations

import argparse
import json

from data import file_of

from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries
from caesura.formats import read
from caesura.pipeline import load


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help="a model; may be repeated")
    parser.add_argument("--treebank", default="EWT-speech")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    gold = list(read(file_of(arguments.treebank, "dev")))
    if not arguments.json:
        print("| model | starts, not of documents | all starts | UPOS | LAS |")
        print("|---|---:|---:|---:|---:|")
    for model in arguments.model or ["en", "en-fast"]:
        system = list(load(model).pipe(gold, keep=("tokens",)))
        starts, scores = boundaries(gold, system), conll18(gold, system)
        row = {
            "Starts": starts["Starts"].f1,
            "StartsAll": starts["StartsAll"].f1,
            "UPOS": scores["UPOS"].f1,
            "LAS": scores["LAS"].f1,
        }
        if arguments.json:
            print(json.dumps({"model": model, **row}))
        else:
            print(f"| {model} | " + " | ".join(f"{value:.2f}" for value in row.values()) + " |")


if __name__ == "__main__":
    main()
