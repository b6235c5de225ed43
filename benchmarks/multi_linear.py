"""The linear pipeline of each language beside the model of many languages.

    python benchmarks/multi_linear.py --scores scores.json -o benchmarks/results/multi_linear.json
    python benchmarks/multi_linear.py --scores scores.json -o few.json --only da hr

A pipeline is trained for each language on the words of its treebanks that `multi` learned from
(`caesura train pipeline`, four epochs and folds), and scored on the same first words of the dev
files of its main treebanks, from raw text, as `multi_scores.py` does (`--scores` is its output).
Languages with fewer training words than `--least`, and those whose files do not say where blanks
are, are left out; the smallest come first. Rows that are there are not made anew.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from build_multi import treebanks_of
from distilling import NAMES, SETTINGS
from multi_scores import rows_of, some, wanted
from multi_study.examples import documents

import caesura
from caesura.document import Document
from caesura.evaluate import conll18
from caesura.learn.pipeline import train_pipeline
from caesura.learn.run import Data, Run
from caesura.learn.several_tokenizers import Treebank


def scores_of(
    code: str, docs: list[Document], dev: list[Treebank], words: int
) -> dict[str, dict[str, Any]]:
    """Train on documents, and score on the first words of some dev files."""
    rows: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        train, model = Path(folder) / f"{code}_all-train.conllu", Path(folder) / "linear.caesura"
        train.write_text("".join(doc.to_conllu() for doc in docs), encoding="utf-8")
        train_pipeline(Run(str(model), Data([str(train)]), settings=SETTINGS))
        nlp = caesura.load(str(model)).unwatched()
        for treebank in dev:
            assert treebank.dev is not None
            gold = some(treebank.dev, words)
            scores = conll18(gold, [nlp(doc.text) for doc in gold])
            rows[treebank.name] = {name: round(float(scores[name].f1), 2) for name in NAMES}
            rows[treebank.name] |= {
                "language": code, "training words": sum(doc.n_words for doc in docs)
            }  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scores", type=Path, required=True, help="of multi_scores.py")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="CODE")
    parser.add_argument("--words", type=int, default=800, help="of each dev file, as scored")
    parser.add_argument("--least", type=int, default=15_000, help="training words of a language")
    parser.add_argument("--most", type=int, default=10**9, help="training words of a language")
    given = parser.parse_args()
    many, rows = rows_of(given.scores), rows_of(given.output)
    texts = documents(treebanks_of(given.only))
    size = {code: sum(doc.n_words for doc in docs) for code, docs in texts.items()}
    for code in sorted(texts, key=size.__getitem__):
        dev = [one for one in wanted([code]) if many.get(one.name, {}).get("raw")]
        left = [one for one in dev if one.name not in rows]
        if left and given.least <= size[code] <= given.most:
            rows |= scores_of(code, texts[code], left, given.words)
            given.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            for one in left:
                print(f"{one.name}: LAS {rows[one.name]['LAS']:.2f}", flush=True)
    both = [(name, many[name]["LAS"], row["LAS"]) for name, row in rows.items() if name in many]
    gains = [one - other for _, one, other in both]
    print(f"mean LAS of {len(both)}: {np.mean([other for *_, other in both]):.2f}", end=" ")
    print(f"and {np.mean([one for _, one, _ in both]):.2f} with the model of many languages")
    for (name, one, other), gain in sorted(zip(both, gains, strict=True), key=lambda r: r[1]):
        print(f"{name}: {gain:+.1f} ({other:.1f} to {one:.1f})")


if __name__ == "__main__":
    main()
