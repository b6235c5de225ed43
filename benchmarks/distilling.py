"""A small model of one language that learns from `multi`: `train pipeline --teacher multi --text`.

    python benchmarks/distilling.py --teacher multi -o benchmarks/results/distilling.json
    python benchmarks/distilling.py --teacher multi -o fi.json --only UD_Finnish-TDT

For each treebank: a linear model of its first words alone, one that also learns from the text of
another treebank of the language as the teacher labels it, and the teacher itself. F1 by the CoNLL
2018 definition on the dev file, from raw text, which no student saw in training; words a CPU second
of the same text, all models in turn in one run, the best of three. The teacher was trained on both
treebanks, and the labels are its own, not theirs. Rows that are there are not made anew.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from data import DATA, file_of
from multi_scores import some

import caesura
from caesura.document import Document
from caesura.evaluate import conll18
from caesura.learn.pipeline import train_pipeline
from caesura.learn.run import Data, Run
from caesura.learn.silver import Lessons

#: A treebank to learn from, and one whose text alone is read.
TREEBANKS = {
    "UD_German-GSD": "UD_German-PUD",
    "UD_Spanish-GSD": "UD_Spanish-PUD",
    "UD_Finnish-TDT": "UD_Finnish-PUD",
}
OPEN = DATA / "open"
WORDS = 10_000
NAMES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
#: Four epochs, so that it takes minutes.
SETTINGS = ("pipeline.folds=4", "pipeline.parser.epochs=4", "pipeline.tagger.epochs=4")


def compared(models: dict[str, tuple[str, str | None]], dev: list[Document]) -> dict[str, Any]:
    """Scores of models on a dev file, and how fast they are beside each other."""
    loaded = {name: caesura.load(path, lang=lang) for name, (path, lang) in models.items()}
    loaded = {name: nlp.unwatched() for name, nlp in loaded.items()}
    rows: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(3):
        for name, nlp in loaded.items():
            clock = time.process_time()
            system = [nlp(doc.text) for doc in dev]
            seconds[name].append(time.process_time() - clock)
            scores = conll18(dev, system)
            rows[name] = {one: round(float(scores[one].f1), 2) for one in NAMES}
    words = sum(doc.n_words for doc in dev)
    for name, row in rows.items():
        row["words a second"] = round(words / min(seconds[name]))
        row["megabytes"] = round(Path(loaded[name].file.path).stat().st_size / 1e6, 1)
    return rows


def distilled(treebank: str, words: int, teacher: str, folder: Path) -> dict[str, Any]:
    """Train with the teacher and without, and score the three."""
    train = file_of(treebank, "train", OPEN)
    language = train.name.split("_")[0]
    few = folder / train.name.removesuffix(".gz")
    docs = some(train, words)
    few.write_text("".join(doc.to_conllu() for doc in docs), encoding="utf-8")
    raw = folder / f"{language}.txt"
    other = some(file_of(TREEBANKS[treebank], "train", OPEN), 0)
    raw.write_text("\n\n".join(doc.text.strip() for doc in other) + "\n", encoding="utf-8")
    dev = some(file_of(treebank, "dev", OPEN), 0)
    models: dict[str, tuple[str, str | None]] = {}
    spent = {}
    for name in ("alone", "taught"):
        output = folder / f"{name}.caesura"
        lessons = None if name == "alone" else Lessons(folder / "silver", [str(raw)], [teacher])
        clock = time.process_time()
        train_pipeline(Run(str(output), Data([str(few)]), settings=SETTINGS), lessons=lessons)
        spent[name] = round(time.process_time() - clock)
        models[name] = (str(output), None)
    rows = compared(models | {"teacher": (teacher, language)}, dev)
    for name, seconds in spent.items():
        rows[name]["seconds of training"] = seconds
    about = {"text": TREEBANKS[treebank], "words": sum(doc.n_words for doc in docs)}
    return about | {"words of text": sum(doc.n_words for doc in other), **rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--teacher", default="multi", help="a model of many languages")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", default=list(TREEBANKS), choices=list(TREEBANKS))
    parser.add_argument("--words", type=int, default=WORDS)
    given = parser.parse_args()
    rows: dict[str, Any] = {}
    if given.output.exists():
        rows = json.loads(given.output.read_text("utf-8"))
    for treebank in given.only:
        if treebank in rows:
            continue
        with tempfile.TemporaryDirectory() as folder:
            rows[treebank] = distilled(treebank, given.words, given.teacher, Path(folder))
        given.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        print(treebank, json.dumps(rows[treebank], indent=1), flush=True)


if __name__ == "__main__":
    main()
