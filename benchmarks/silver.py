"""What raw text that a teacher has labelled is worth to a linear student, by its words.

    python benchmarks/silver.py --text TEXTS --work build/silver --jobs 4 --json silver.json
    python benchmarks/silver.py --text TEXTS --work build/few --words 0 5000 --share 0.02 --epochs 1

The teacher labels so many words of the raw texts in the folder `--text`, of each text as many. A
student for each number of words learns from a share of UD_English-EWT's training documents and from
the first of those words, as `caesura train pipeline --speech` does. What is done is not made again.
Scores are of dev: from raw text, and with given tokens of copies without case and punctuation.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from curve import accuracy
from data import file_of
from learners import Told

from caesura.document import Document
from caesura.formats import read
from caesura.learn.config import configure
from caesura.learn.raw_text import read_raw
from caesura.learn.run import Report
from caesura.learn.silver import Lessons, SilverOptions, label, load_silver
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.models.file import save
from caesura.pipeline import load

SETS = ("EWT", "EWT-speech", "GUM", "GUM-speech")


def text_of(folder: Path, path: Path, words: int) -> Path:
    """Documents of all texts in turn, until there are so many words."""
    sources = sorted(str(one) for one in folder.glob("*.txt*"))
    waiting = [docs[::-1] for docs in read_raw(sources, Report()).values()]
    each, found, total = words // 200, list[str](), 0
    while total < words and any(waiting):
        for docs in (some for some in waiting if some):
            kept = docs.pop().text.split("\n\n")
            while kept and len(" ".join(kept).split()) > 2 * each:
                kept.pop()
            found.append(f"# newdoc id = raw-{len(found)}\n" + "\n\n".join(kept) + "\n\n")
            total += len(" ".join(kept).split())
    path.write_text("".join(found), encoding="utf-8")
    return path


def gold(options: Any) -> tuple[list[Document], list[Document]]:
    """A share of the training documents, evenly taken, and dev."""
    train, dev = (list(read(file_of("UD_English-EWT", split))) for split in ("train", "dev"))
    return train[:: round(1 / options.share)], dev


def lessons(options: Any) -> None:
    """Let the teacher label the text."""
    folder = options.work / "silver"
    text = options.work / "raw.txt"
    if not text.exists():
        text_of(options.text, text, max(options.words))
    train, dev = gold(options)
    task = Lessons(folder, [str(text)], [options.teacher])
    label(task, [*dev, *train], {"dev": dev}, SilverOptions(overlap="drop"), Told("labels"), "en")


def make(words: int, options: Any) -> None:
    """Train a student and score it."""
    train, dev = gold(options)
    docs: list[Document] = []
    for doc in load_silver(options.work / "silver").docs if words else ():
        if sum(one.n_words for one in docs) < words:
            docs.append(doc)
    chosen = {"speech": 0.35, "folds": options.folds}
    chosen |= {"parser.epochs": options.epochs} if options.epochs else {}
    report, began = Told(f"{words} words"), time.monotonic()
    trainer = PipelineTrainer(
        train,
        dev,
        configure(PipelineOptions(), flags=chosen),
        silver=docs,
        folder=options.work / f"{words}.parts",
        resume=True,
        report=report,
    )
    model = options.work / f"{words}.caesura"
    save(model, trainer.run(), meta={"name": f"silver-{words}"}, kind="pipeline")
    scores = accuracy(load(model), {name: list(read(file_of(name, "dev"))) for name in SETS})
    found = {
        "silver": sum(doc.n_words for doc in docs),
        "gold": sum(doc.n_words for doc in train),
        "minutes": round((time.monotonic() - began) / 60, 1),
        "scores": {key: round(value, 2) for key, value in scores.items()},
        "epochs": report.epochs,
    }
    (options.work / f"{words}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    trainer.finish()


def results(options: Any) -> list[dict[str, Any]]:
    paths = [options.work / f"{words}.json" for words in sorted(options.words)]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def run(words: int, options: Any) -> None:
    """A process for a student, unless it was made before."""
    if not (options.work / f"{words}.json").exists():
        call = [sys.executable, __file__, *sys.argv[1:], "--one", str(words)]
        if subprocess.run(call).returncode:
            print(f"the student of {words} words failed", file=sys.stderr)
    if options.json and (found := results(options)):
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True, help="a folder of raw texts")
    parser.add_argument("--work", type=Path, required=True, help="a folder for models and labels")
    parser.add_argument("--teacher", default="en")
    parser.add_argument("--words", type=int, nargs="+", default=[0, 50_000, 200_000])
    parser.add_argument("--share", type=float, default=0.25, help="of the training documents")
    parser.add_argument("--epochs", type=int, default=0, help="of the parser, not the command's")
    parser.add_argument("--folds", type=int, default=4, help="for tags and evidence")
    parser.add_argument("--jobs", type=int, default=1, help="students at once")
    parser.add_argument("--json", type=Path, help="write results here, too, as they come")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.one is not None:
        make(options.one, options)
        return
    with ThreadPoolExecutor(options.jobs) as pool:
        first = [pool.submit(run, words, options) for words in options.words if not words]
        if any(options.words):
            lessons(options)
        rest = [pool.submit(run, words, options) for words in sorted(options.words)[::-1] if words]
        for one in (*first, *rest):
            one.result()
    columns = list((rows := results(options))[0]["scores"])
    print(f"| silver words | {' | '.join(columns)} |")
    print("|---:|" + "---:|" * len(columns))
    for row in rows:
        scores = " | ".join(f"{row['scores'][column]:.2f}" for column in columns)
        print(f"| {row['silver']:,} | {scores} |")


if __name__ == "__main__":
    main()
