"""What the learner of a linear pipeline is worth: updates, rows, tags that the parser chooses.

    python benchmarks/learners.py --work build/learners --jobs 10 --json learners.json
    python benchmarks/learners.py --work build/few --only laso dlaso --share 0.2

Each learner is what `caesura train pipeline --speech` makes of UD_English-EWT with the options
that are named here, at its own number of epochs unless `--epochs` says otherwise; `--share` takes
every so manieth of its training documents. Parsers that
differ in nothing that comes before them share tokeniser, tagger and jackknifed tags, which are made
once, in `--folds` folds. A run that is done is not made again, and one that was interrupted goes
on. Scores are of dev: from raw text, and with given tokens of its copy without case and
punctuation; those of each epoch are with the tokens of dev.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from curve import accuracy
from data import file_of

from caesura.formats import read
from caesura.learn.config import configure
from caesura.learn.run import Report
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.models.file import save
from caesura.pipeline import load

SETS = ("EWT", "EWT-speech", "GUM", "GUM-speech")
_LASO = {"parser.update": "laso", "parser.bits": 20}
_DLASO = {"parser.update": "dlaso", "parser.bits": 20}
#: The learners, each by what it sets. All have passive-aggressive steps, those of DLaSO in turn,
#: 2^20 rows, chunks of ten sentences and one tag a word, unless they say otherwise. The first ones
#: take longest or matter most.
LEARNERS: dict[str, dict[str, Any]] = {
    "laso": _LASO,
    "dlaso": _DLASO,
    "laso, 3 tags": _LASO | {"parser.choices": 3},
    "laso, 22 bits": _LASO | {"parser.bits": 22},
    "laso, 2 words ahead": _LASO | {"parser.ahead": 2},
    "laso, 3 tags, 22 bits, 2 words ahead": _LASO
    | {"parser.choices": 3, "parser.bits": 22, "parser.ahead": 2},
    "dlaso, 3 tags": _DLASO | {"parser.choices": 3},
    "dlaso, 22 bits": _DLASO | {"parser.bits": 22},
    "dlaso, 2 words ahead": _DLASO | {"parser.ahead": 2},
    "dlaso, 22 bits, 2 words ahead": _DLASO | {"parser.bits": 22, "parser.ahead": 2},
    "dlaso, 3 tags, 22 bits, 2 words ahead": _DLASO
    | {"parser.choices": 3, "parser.bits": 22, "parser.ahead": 2},
    "dlaso, 21 bits": _DLASO | {"parser.bits": 21},
    "dlaso, 19 bits": _DLASO | {"parser.bits": 19},
    "laso, 21 bits": _LASO | {"parser.bits": 21},
    "laso, 19 bits": _LASO | {"parser.bits": 19},
    "laso, seed 2": _LASO | {"seed": 2},
    "dlaso, seed 2": _DLASO | {"seed": 2},
    "max-violation": {"parser.update": "max-violation", "parser.bits": 20},
    "laso, perceptron": _LASO | {"parser.step": "perceptron"},
    "dlaso, accumulated": _DLASO | {"parser.dlaso_pa": "accumulated"},
    "laso, chunks of 5": _LASO | {"parser.chunk": 5},
    "laso, chunks of 20": _LASO | {"parser.chunk": 20},
    "laso, beam 8": _LASO | {"parser.search.beam": 8, "parser.search.margin": 0.2},
}
#: What decides all that comes before the parser, by its defaults.
_BEFORE = {"parser.choices": 1, "seed": 1}
#: Files of a run that do not depend on its parser.
_SHARED = ("tokenizer.part", "tagger.part", "prepared.part")


class Told(Report):
    """Keeps the scores of each epoch of the parser, and tells how far a run is."""

    def __init__(self, name: str) -> None:
        self.name, self.epochs, self.clock = name, list[dict[str, float]](), time.monotonic()

    def __call__(self, stage: str, event: Any) -> None:
        if isinstance(event, str):
            self.say(f"{stage}: {event}")
        elif event.kind == "epoch":
            self.say(f"{stage}: epoch {event.epoch} of {event.epochs}")
            if stage == "parser":
                self.epochs.append({key: round(x, 2) for key, x in event.scores.items()})

    def say(self, line: str) -> None:
        print(f"{time.monotonic() - self.clock:6.0f} s {self.name}: {line}", file=sys.stderr)


def shares(learner: str) -> bool:
    """Whether what comes before the parser is the same as for most."""
    chosen = LEARNERS[learner]
    return all(chosen.get(name, value) == value for name, value in _BEFORE.items())


def trainer(learner: str, folder: Path, report: Report, options: Any) -> PipelineTrainer:
    """A learner that goes on with what is in its folder; no name stands for all that share."""
    chosen = {"speech": 0.35, "folds": options.folds, **LEARNERS.get(learner, {})}
    if options.epochs:
        chosen["parser.epochs"] = options.epochs
    train, dev = (list(read(file_of("UD_English-EWT", split))) for split in ("train", "dev"))
    train = train[:: round(1 / options.share)]
    made = configure(PipelineOptions(), flags=chosen)
    return PipelineTrainer(train, dev, made, folder=folder, resume=True, report=report)


def make(learner: str, options: Any) -> None:
    """Train a learner, score it and write what was found; without a name what all share."""
    if not learner:
        trainer("", options.work / "shared.parts", Told("shared"), options).prepare()
        return
    model = options.work / f"{file_name(learner)}.caesura"
    folder = model.with_suffix(".parts")
    folder.mkdir(exist_ok=True)
    for name in _SHARED if shares(learner) else ():
        if not (folder / name).exists() and (options.work / "shared.parts" / name).exists():
            shutil.copy(options.work / "shared.parts" / name, folder / name)
    report, began = Told(learner), time.monotonic()
    one = trainer(learner, folder, report, options)
    save(model, one.run(), meta={"name": learner}, kind="pipeline")
    took = time.monotonic() - began
    sets = {name: list(read(file_of(name, "dev"))) for name in SETS}
    scores = accuracy(load(model), sets)
    found = {
        "learner": learner,
        "set": LEARNERS[learner],
        "words": sum(doc.n_words for doc in one.train),
        "folds": options.folds,
        "minutes": round(took / 60, 1),
        "megabytes": round(model.stat().st_size / 1e6, 1),
        "scores": {key: round(value, 2) for key, value in scores.items()},
        "epochs": report.epochs,
    }
    model.with_suffix(".json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    one.finish()


def file_name(learner: str) -> str:
    return learner.replace(", ", "-").replace(" ", "-")


def run(learner: str, options: Any) -> None:
    """A process for a learner, unless it was done before."""
    if learner and (options.work / f"{file_name(learner)}.json").exists():
        return
    call = [sys.executable, __file__, "--work", str(options.work), "--one", learner]
    call += ["--folds", str(options.folds), "--share", str(options.share)]
    call += ["--epochs", str(options.epochs)]
    if subprocess.run(call).returncode:
        print(f"{learner or 'what is shared'} failed", file=sys.stderr)


def results(options: Any) -> list[dict[str, Any]]:
    """What is there by now, in the order of the learners."""
    paths = [options.work / f"{file_name(name)}.json" for name in LEARNERS]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def table(rows: list[dict[str, Any]]) -> str:
    columns = list(rows[0]["scores"])
    lines = [f"| learner | {' | '.join(columns)} | MB | minutes |"]
    lines += ["|---|" + "---:|" * (len(columns) + 2)]
    for row in rows:
        scores = " | ".join(f"{row['scores'][column]:.2f}" for column in columns)
        lines += [f"| {row['learner']} | {scores} | {row['megabytes']} | {row['minutes']} |"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="a folder for models")
    parser.add_argument("--only", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--epochs", type=int, default=0, help="of the parser, not the command's")
    parser.add_argument("--folds", type=int, default=5, help="for tags and evidence")
    parser.add_argument("--share", type=float, default=1.0, help="of the training documents")
    parser.add_argument("--json", type=Path, help="write results here, too, as they come")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    if options.one is not None:
        make(options.one, options)
        return

    def work(learner: str) -> None:
        run(learner, options)
        if options.json and (found := results(options)):
            options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")

    # What shares nothing need not wait, and others need not wait for it.
    alone = [name for name in options.only if not shares(name) and options.jobs > 1]
    with ThreadPoolExecutor(options.jobs) as pool:
        before = pool.submit(run, "", options)
        first = [pool.submit(work, name) for name in alone]
        before.result()
        rest = [pool.submit(work, name) for name in options.only if name not in alone]
        for one in (*first, *rest):
            one.result()
    print(table(results(options)))


if __name__ == "__main__":
    main()
