"""How much of a treebank a new language needs: `train pipeline --init multi` on 100 words and more.

    python benchmarks/finetuning.py --init multi -o results/finetuning.json
    python benchmarks/finetuning.py --init multi -o few.json --only UD_Basque-BDT --words 100 500

The languages are ones that `multi` was not trained on. For each number of words: the model that
goes on from the network, the linear pipeline trained on the same words from nothing, and, with 0
words, `multi` as it is, told that the language is unknown. F1 by the CoNLL 2018 definition on the
first words of the dev file, from raw text (from given tokens where the treebank does not say where
blanks are); neither saw the dev file in training. Seconds are CPU
seconds. Rows are written as they are found, and rows that are there are not made anew.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from data import file_of
from multi_scores import some

import caesura
from caesura.document import Document
from caesura.evaluate import conll18
from caesura.learn.pipeline import train_pipeline
from caesura.learn.run import Data, Run
from caesura.learn.several_tokenizers import has_spaces

TREEBANKS = ("UD_Hungarian-Szeged", "UD_Basque-BDT")
WORDS = (100, 500, 2000, 10_000)
NAMES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
#: Options of the linear pipeline for so few words; with the defaults it takes longer and is no
#: better.
LINEAR = ("pipeline.folds=4", "pipeline.parser.epochs=8")


def score(model: str, dev: list[Document], lang: str | None = None) -> dict[str, Any]:
    nlp = caesura.load(model, lang=lang) if lang else caesura.load(model)
    nlp = nlp.unwatched()
    raw = has_spaces(dev)
    system = [nlp(doc.text) if raw else nlp(doc, keep=("tokens",)) for doc in dev]
    scores = conll18(dev, system)
    return {"raw": raw} | {name: round(float(scores[name].f1), 2) for name in NAMES}


def trained(treebank: str, words: int, init: str | None, dev: list[Document]) -> dict[str, Any]:
    """Train on the first words of a treebank, and score."""
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / file_of(treebank, "train").name.removesuffix(".gz")
        docs = some(file_of(treebank, "train"), words)
        few.write_text("".join(doc.to_conllu() for doc in docs), encoding="utf-8")
        output = str(Path(folder) / "model.caesura")
        run = Run(output, Data([str(few)]), settings=() if init else LINEAR)
        clock = time.process_time()
        train_pipeline(run, init=init)
        row: dict[str, Any] = {"seconds": round(time.process_time() - clock)}
        row |= {"words": sum(doc.n_words for doc in docs), "treebank": treebank}
        row |= {"megabytes": round(Path(output).stat().st_size / 1e6, 1)}
        return row | score(output, dev)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--init", default="multi", help="a neural model")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=list(TREEBANKS), metavar="TREEBANK")
    parser.add_argument("--words", nargs="+", type=int, default=list(WORDS))
    parser.add_argument("--dev", type=int, default=2000, help="words of the dev file")
    given = parser.parse_args()
    rows: dict[str, Any] = {}
    if given.output.exists():
        rows = json.loads(given.output.read_text("utf-8"))
    for treebank in given.only:
        dev = some(file_of(treebank, "dev"), given.dev)
        for words in (0, *given.words):
            for how in ("network",) if words == 0 else ("network", "linear"):
                name = f"{treebank}/{words}/{how}"
                if name in rows:
                    continue
                if words == 0:
                    rows[name] = {"words": 0, **score(given.init, dev, "und")}
                else:
                    init = given.init if how == "network" else None
                    rows[name] = trained(treebank, words, init, dev)
                given.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
                print(name, rows[name], flush=True)


if __name__ == "__main__":
    main()
