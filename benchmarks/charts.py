"""The charts of grammar induction against another state of the code, round by round.

    git worktree add ../before COMMIT
    python benchmarks/charts.py --before ../before/src

Each of 36 cases (three models, three constraints, two lengths, E-step and best trees) is run in two
processes that take turns, with the processor's time and not the clock's; the ratio is new by old,
the median of the rounds. Sentences and probabilities are drawn at random from a seed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

MODELS: Final = ("dmv", "evg", "dbm3")
CONSTRAINTS: Final = (None, "strict", "loose")
LENGTHS: Final = (10, 40)
CASES: Final = [
    (work, model, constraint, length)
    for work in ("expect", "best")
    for model in MODELS
    for constraint in CONSTRAINTS
    for length in LENGTHS
]
_CLASSES: Final = 30
#: Words of a case, so that each takes about as long.
_WORDS: Final = {10: 100_000, 40: 20_000}


def prepared(work: str, name: str, constraint: str | None, length: int) -> Callable[[], Any]:
    """A call that does the work of one case."""
    from caesura.induce.inference import best, expect
    from caesura.induce.models import find_model
    from caesura.induce.parameters import Parameters, empty, normalise
    from caesura.induce.sentences import Sentences

    drawn = np.random.default_rng(7)
    model = find_model(name)
    tables = empty(model, _CLASSES)
    counts = Parameters(*(drawn.random(table.shape) for table in tables[:4]), tables.fringe)
    parameters = normalise(counts, model)
    number = _WORDS[length] // length
    classes = drawn.integers(0, _CLASSES, (number, length)).tolist()
    marks = np.cumsum(drawn.random((number, length)) < 0.1, axis=1).tolist()
    sentences = Sentences.of(classes, marks)
    if work == "expect":
        return lambda: expect(sentences, parameters, model, constraint)
    return lambda: best(sentences, parameters, constraint)


def serve() -> None:
    """Do the cases whose numbers come in, and say how long each took."""
    calls: dict[int, Callable[[], Any]] = {}
    for line in sys.stdin:
        number = int(line)
        if number not in calls:
            calls[number] = prepared(*CASES[number])
            calls[number]()
        began = time.process_time()
        calls[number]()
        print(time.process_time() - began, flush=True)


class Worker:
    """A process that runs one state of the code."""

    def __init__(self, source: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(source)},
        )

    def time(self, number: int) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--before", type=Path, help="the folder src of the other state")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        serve()
        return
    if options.before is None:
        parser.error("--before is missing")
    new = Worker(Path(__file__).parent.parent / "src")
    old = Worker(options.before)
    rows = []
    for number, case in enumerate(CASES):
        pairs = []
        for turn in range(options.rounds):  # each is first in half of the rounds
            times = {}
            for worker in (new, old) if turn % 2 else (old, new):
                times[worker] = worker.time(number)
            pairs.append((times[new], times[old]))
        ratio = statistics.median(a / b for a, b in pairs)
        rows.append((case, statistics.median(b for _, b in pairs), ratio))
    for worker in (new, old):
        worker.process.communicate()
    if options.json:
        print(json.dumps([[*case, old_time, ratio] for case, old_time, ratio in rows]))
        return
    print("| work | model | constraint | words | old, s | new / old |\n|---|---|---|---|---|---|")
    for (work, model, constraint, length), seconds, ratio in rows:
        told = constraint or "none"
        print(f"| {work} | {model} | {told} | {length} | {seconds:.3f} | {ratio:.3f} |")
    ratios = [ratio for *_, ratio in rows]
    above = sum(ratio > 1.03 for ratio in ratios)
    print(
        f"\nMedian {statistics.median(ratios):.3f}, highest {max(ratios):.3f}, {above} above 1.03."
    )


if __name__ == "__main__":
    main()
