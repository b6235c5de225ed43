"""The linear pipeline of each language beside the model of many languages.

    python -m modelling.multi.linear --scores scores.json --write
    python -m modelling.multi.linear --scores scores.json --output few.json --only da hr

A pipeline is trained for each language on the words of its treebanks that `multi` learned from
(`caesura train pipeline`, four epochs and folds), and scored on the same first words of the dev
files of its main treebanks, from raw text, as in `scores.py` (`--scores` is its output). Languages
with fewer training words than `--least`, and those whose files do not say where blanks are, are
left out; the smallest come first. Rows that the output has are not computed again.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import RESULTS, conll, first_words, keep_json, options, read_json
from modelling.multi.examples import documents
from modelling.multi.tokenizers import Treebank
from modelling.multi.treebanks import main_treebanks, treebanks_of

import caesura
from caesura.document import Document
from caesura.formats import write
from caesura.learn.pipeline import train_pipeline
from caesura.learn.run import Data, Run

#: Four epochs, so that a training takes minutes.
SETTINGS = ("folds=4", "parser.epochs=4", "tagger.epochs=4")


def scores_of(
    code: str, docs: list[Document], dev: list[Treebank], words: int
) -> dict[str, dict[str, Any]]:
    """Train on documents, and score on the first words of some dev files."""
    rows: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        train, model = Path(folder) / f"{code}_all-train.conllu", Path(folder) / "linear.caesura"
        write(docs, train)
        train_pipeline(Run(str(model), Data([str(train)]), settings=SETTINGS))
        nlp = caesura.load(str(model)).unwatched()
        about = {"language": code, "training words": sum(doc.n_words for doc in docs)}
        for treebank in dev:
            assert treebank.dev is not None
            gold = first_words(treebank.dev, words)
            rows[treebank.name] = conll(gold, [nlp(doc.text) for doc in gold]) | about
    return rows


def main() -> None:
    parser = options(__doc__, "--output", "--write")
    parser.add_argument("--scores", type=Path, required=True, help="of scores.py")
    parser.add_argument("--only", nargs="+", metavar="CODE")
    parser.add_argument("--words", type=int, default=800, help="of each dev file, as scored")
    parser.add_argument("--least", type=int, default=15_000, help="training words of a language")
    given = parser.parse_args()
    output = given.output or (RESULTS / "multi_linear.json" if given.write else Path("linear.json"))
    many, rows = read_json(given.scores), read_json(output)
    texts = documents(treebanks_of(given.only))
    size = {code: sum(doc.n_words for doc in docs) for code, docs in texts.items()}
    for code in sorted(texts, key=size.__getitem__):
        own = [t for t in main_treebanks() if t.language == code and t.name not in rows]
        left = [one for one in own if many.get(one.name, {}).get("raw")]
        if left and size[code] >= given.least:
            rows |= scores_of(code, texts[code], left, given.words)
            keep_json(output, rows)
            for one in left:
                print(f"{one.name}: LAS {rows[one.name]['LAS']:.2f}", flush=True)
    gains = {name: many[name]["LAS"] - row["LAS"] for name, row in rows.items() if name in many}
    for name, gain in sorted(gains.items(), key=lambda item: item[1]):
        print(f"{name}: {gain:+.1f} ({rows[name]['LAS']:.1f} to {many[name]['LAS']:.1f})")
    print(f"mean gain of {len(gains)} treebanks: {np.mean([*gains.values()]):.2f}")


if __name__ == "__main__":
    main()
