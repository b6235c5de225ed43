"""What the learner of a linear pipeline is worth: updates, rows, tags that the parser chooses.

    python benchmarks/learners.py --work build/learners --jobs 8 --json learners.json
    python benchmarks/learners.py --work /tmp/few --only laso dlaso --documents 40 --epochs 3

Each learner is one run of `caesura train pipeline --speech` on UD_English-EWT with the options of
that command and those named here, at its own number of epochs unless `--epochs` says otherwise. A
run that is done is not made again, and one that was interrupted goes on. Scores are of dev: from
raw text, and with given tokens of its copy without case and punctuation.
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

from caesura.formats import read, write
from caesura.pipeline import load

#: The learners, each by what it sets; the first is what the command does by itself.
LEARNERS: dict[str, dict[str, Any]] = {
    "default": {},
    "dlaso": {"parser.update": "dlaso", "parser.step": "pa", "parser.dlaso_pa": "in-turn"},
    "laso": {"parser.update": "laso", "parser.step": "pa"},
    "laso, perceptron": {"parser.update": "laso", "parser.step": "perceptron"},
    "laso, beam 8": {
        "parser.update": "laso",
        "parser.step": "pa",
        "parser.search.beam": 8,
        "parser.search.margin": 0.2,
    },
    "laso, 19 bits": {"parser.update": "laso", "parser.step": "pa", "parser.bits": 19},
    "laso, 21 bits": {"parser.update": "laso", "parser.step": "pa", "parser.bits": 21},
    "laso, 22 bits": {"parser.update": "laso", "parser.step": "pa", "parser.bits": 22},
    "laso, 3 tags": {"parser.update": "laso", "parser.step": "pa", "parser.choices": 3},
    "laso, chunks of 5": {"parser.update": "laso", "parser.step": "pa", "parser.chunk": 5},
    "laso, chunks of 20": {"parser.update": "laso", "parser.step": "pa", "parser.chunk": 20},
}


def command(learner: str, train: Path, dev: Path, model: Path, options: Any) -> list[str]:
    """How a learner is trained."""
    chosen = dict(LEARNERS[learner])
    if options.epochs:
        chosen["parser.epochs"] = options.epochs
    sets = [part for name, value in chosen.items() for part in ("--set", f"{name}={value}")]
    call = [sys.executable, "-m", "caesura", "train", "pipeline", str(train), "--dev", str(dev)]
    call += ["--speech", "-q", "--seed", str(options.seed), "-o", str(model), *sets]
    return [*call, "--resume"] if Path(f"{model}.parts").exists() else call


def run(learner: str, train: Path, dev: Path, options: Any) -> dict[str, Any]:
    """Train a learner, unless that is done, and score it."""
    name = learner.replace(", ", "-").replace(" ", "-")
    model = options.work / f"{name}-{options.seed}.caesura"
    told = model.with_suffix(".json")
    if told.exists():
        found: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
        return found
    began = time.monotonic()
    if not model.exists():
        subprocess.run(command(learner, train, dev, model, options), check=True)
    took = time.monotonic() - began
    sets = {"EWT": list(read(dev)), "EWT-speech": list(read(file_of("EWT-speech", "dev")))}
    if options.documents:
        sets.pop("EWT-speech")
    scores = accuracy(load(model), sets)
    found = {
        "learner": learner,
        "set": LEARNERS[learner],
        "seed": options.seed,
        "minutes": round(took / 60, 1),
        "megabytes": round(model.stat().st_size / 1e6, 1),
        "scores": {key: round(value, 2) for key, value in scores.items()},
    }
    told.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found


def cut(path: Path, documents: int, work: Path, name: str) -> Path:
    """The first documents of a file as one of their own; the file itself if all are taken."""
    if not documents:
        return path
    out = work / f"{name}.conllu"
    write(list(read(path))[:documents], out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="a folder for models")
    parser.add_argument("--only", nargs="+", default=list(LEARNERS), choices=list(LEARNERS))
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, help="of the parser, instead of the command's own")
    parser.add_argument("--documents", type=int, default=0, help="take so many of each split")
    parser.add_argument("--json", type=Path, help="write results here, too")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    train, dev = (
        cut(file_of("UD_English-EWT", split), options.documents, options.work, split)
        for split in ("train", "dev")
    )
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(lambda name: run(name, train, dev, options), options.only))
    columns = list(rows[0]["scores"])
    print(f"| learner | {' | '.join(columns)} | MB | minutes |")
    print("|---|" + "---:|" * (len(columns) + 2))
    for row in rows:
        scores = " | ".join(f"{row['scores'][column]:.2f}" for column in columns)
        print(f"| {row['learner']} | {scores} | {row['megabytes']} | {row['minutes']} |")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
