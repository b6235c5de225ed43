"""Raw text to CoNLL-U with another state of the code and with this one, by turns, in one run.

    git worktree add ../before COMMIT
    python benchmarks/before_after.py --before ../before/src --rounds 10

Each state is a process of its own that loads its bundled model once; the two take turns, the other
one first in every second round, and the median of the rounds' ratios counts (new time / old time).
Start-up (to the end of the first sentence, bytecode and compiled code cached) and the peak of
memory are those of the processes. `--models OLD=NEW,…` names the models that are compared; an older
state of the code may have had modes, which are named after a colon.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from data import ROOT, file_of

WORKER = """
import json, os, resource, sys, time
began = time.process_time()
import caesura
name, _, mode = sys.argv[1].partition(":")
nlp = caesura.load(name, mode=mode) if mode else caesura.load(name)
nlp("They didn't come. Did you?")
start = time.process_time() - began
print(json.dumps({"start": start, "from": caesura.__file__}), flush=True)
from caesura.formats import write
for line in sys.stdin:
    path = line.strip()
    text = open(path, encoding="utf-8").read()
    clock = time.process_time()
    doc = nlp(text)
    write([doc], path + ".conllu")
    took = time.process_time() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"took": took, "words": doc.n_words, "peak": peak}), flush=True)
"""


#: Where the bytecode of both states is kept, so that none is written into their folders.
BYTECODE = str(Path(tempfile.gettempdir()) / "before_after.bytecode")


class State:
    """A process with one state of the code."""

    def __init__(self, source: Path, model: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONPYCACHEPREFIX": BYTECODE}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.start = self._line()

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def parse(self, path: Path) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        return self._line()

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def compare(before: Path, old: str, model: str, text: Path, rounds: int) -> dict[str, Any]:
    """Ratios new / old of time, start-up and memory."""

    def state_of(new: bool) -> State:
        return State(ROOT / "src", model) if new else State(before, old)

    for new in (False, True):  # compile what is not compiled yet
        state_of(new).end()
    starts = []
    for n in range(rounds):
        pair: dict[bool, float] = {}
        for new in (bool(n % 2), not n % 2):
            state = state_of(new)
            pair[new] = state.start["start"]
            state.end()
        starts.append(pair[True] / pair[False])
    states = {new: state_of(new) for new in (False, True)}
    times = []
    last: dict[bool, dict[str, Any]] = {}
    for n in range(rounds + 1):
        for new in (bool(n % 2), not n % 2):
            last[new] = states[new].parse(text)
        if n:
            times.append(last[True]["took"] / last[False]["took"])
    for state in states.values():
        state.end()
    return {
        "model": model if model == old else f"{model} (before: {old})",
        "words": last[True]["words"],
        "time": statistics.median(times),
        "lowest": min(times),
        "highest": max(times),
        "start": statistics.median(starts),
        "memory": last[True]["peak"] / last[False]["peak"],
        "words_a_second": last[True]["words"] / last[True]["took"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="the src folder to compare with")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--models", default="en-neural=en,en:fast=en-fast")
    parser.add_argument("--characters", type=int, default=60_000, help="of EWT's dev text")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    from caesura.formats import read

    whole = "\n\n".join(doc.text for doc in read(file_of("UD_English-EWT", "dev")))
    path = Path(tempfile.gettempdir()) / f"before_after.{os.getpid()}.txt"
    path.write_text(whole[: arguments.characters], encoding="utf-8")
    found = []
    try:
        for entry in arguments.models.split(","):
            old, _, model = entry.partition("=")
            before = arguments.before.resolve()
            found.append(compare(before, old, model or old, path, arguments.rounds))
            row = found[-1]
            if not arguments.json:
                print(
                    f"{row['model']}: time new/old {row['time']:.3f}"
                    f" ({row['lowest']:.3f}-{row['highest']:.3f}), start-up {row['start']:.3f},"
                    f" memory {row['memory']:.3f}, {row['words_a_second']:,.0f} words a second",
                    flush=True,
                )
    finally:
        path.unlink()
        path.with_name(path.name + ".conllu").unlink(missing_ok=True)
    if arguments.json:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
