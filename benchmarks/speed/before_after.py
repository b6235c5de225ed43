"""Another state of the code and this one, task by task, by turns, in one run.

    git worktree add ../before COMMIT && python -m venv ../before/.venv
    ../before/.venv/bin/pip install -e ../before
    python -m benchmarks.speed.before_after --before ../before --rounds 10 --write

A state is a checkout; it runs with the Python of its `.venv`, or with `--before-python`. The two
take turns, the other one first in every second round, and the median of the ratios counts (this
state / the other; below 1: faster). Times are CPU seconds, of threads also seconds of a clock.
`--tasks` selects tasks by name:

    parse/MODEL   raw text to CoNLL-U in a process that has loaded the model, with its start-up (to
                  the end of two short sentences) and its peak of memory above a bare Python
    pipe/MODEL    one-sentence texts through `nlp.pipe`, against the same words as one text
    threads/MODEL `nlp.pipe` with two threads: seconds of a clock with one thread / with two
    others        whole commands: split, train, induce, evaluate, find, convert, help, and to_pandas

Each task is run once by both states before it is measured; `first` is that run of this state
divided by the median of the later ones.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.common import RESULTS, ROOT, Worker, file_of, keep_json, options, processor

MODELS: Final = ("en-fast", "en", "en-large", "multi")
SENTENCES: Final = 10_000

#: The most memory that a process used, in MB. `ru_maxrss` counts the process that started it, too.
PEAK: Final = """
def peak():
    lines = open("/proc/self/status")
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
"""
#: A process with a loaded model: a line `ACTION PATH` on its input, a line of JSON on its output.
WORKER: Final = (
    PEAK
    + """
import json, sys, time
began = time.process_time()
import caesura
nlp = caesura.load(sys.argv[1])
nlp("They didn't come. Did you?")
print(json.dumps({"start": time.process_time() - began}), flush=True)
from caesura.formats import write
for line in sys.stdin:
    action, path = line.split()
    text = open(path, encoding="utf-8").read()
    texts = text.split("\\n") if action == "pipe" else [text] * 8
    cpu, clock = time.process_time(), time.perf_counter()
    if action == "parse":
        write([nlp(text)], path + ".conllu")
    else:
        for doc in nlp.pipe(texts, threads=2 if action == "two" else 1):
            pass
    cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    print(json.dumps({"cpu": cpu, "clock": clock, "peak": peak()}), flush=True)
"""
)
#: Memory of a Python that does nothing, in MB.
BARE: Final = PEAK + "print(peak())"
PANDAS: Final = """
import sys, time, caesura, pandas
documents = list(caesura.read(sys.argv[1]))
documents = (documents * (2000 // len(documents) + 1))[:2000]
began = time.process_time()
for doc in documents:
    doc.to_pandas()
print(time.process_time() - began)
"""


@dataclass(frozen=True)
class State:
    """A checkout and the Python that runs it."""

    folder: Path
    python: str

    def environment(self) -> dict[str, str]:
        # The bytecode of both states is kept elsewhere, so that none is written into their folders.
        cache = str(Path(tempfile.gettempdir()) / "before_after.bytecode")
        changed = {**os.environ, "PYTHONPATH": str(self.folder / "src")}
        changed.pop("PYTHONDONTWRITEBYTECODE", None)
        return changed | {"PYTHONPYCACHEPREFIX": cache}

    def run(self, arguments: list[str], folder: Path) -> str:
        """The output of a command of Python's, which must succeed."""
        found = subprocess.run(
            [self.python, *arguments],
            env=self.environment(),
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {found.stderr.strip()[-500:]}")
        return found.stdout

    def worker(self, model: str) -> Worker:
        """A process that has loaded a model."""
        return Worker([self.python, "-c", WORKER, model], self.environment())

    def cpu_of(self, arguments: list[str], folder: Path) -> float:
        """CPU seconds of a command of Python's, of its whole process."""
        before = os.times()
        self.run(arguments, folder)
        after = os.times()
        return (
            after.children_user
            - before.children_user
            + after.children_system
            - before.children_system
        )


Measure = Callable[[State], float]


def by_turns(states: tuple[State, State], rounds: int, measure: Measure) -> dict[str, float]:
    """The median, the lowest and the highest ratio, and the median of this state."""
    first = [measure(state) for state in states][1]
    ratios, own = [], []
    for number in range(rounds):
        order = states if number % 2 else states[::-1]
        took = {state: measure(state) for state in order}
        ratios.append(took[states[1]] / took[states[0]])
        own.append(took[states[1]])
    median = statistics.median(own)
    return {
        "ratio": round(statistics.median(ratios), 3),
        "lowest": round(min(ratios), 3),
        "highest": round(max(ratios), 3),
        "seconds": round(median, 3),
        "first": round(first / median, 2),
    }


def parse(states: tuple[State, State], model: str, text: Path, rounds: int) -> dict[str, Any]:
    """Speed, start-up and memory of a model on a text."""

    def start(state: State) -> float:
        worker = state.worker(model)
        worker.end()
        return worker.first["start"]

    found: dict[str, Any] = {"start": by_turns(states, rounds, start)}
    workers = {state: state.worker(model) for state in states}
    found |= by_turns(states, rounds, lambda state: workers[state].ask("parse", text)["cpu"])
    for state, name in zip(states, ("memory_before", "memory"), strict=True):
        bare = float(state.run(["-c", BARE], text.parent))
        found[name] = round(workers[state].ask("parse", text)["peak"] - bare)
    for worker in workers.values():
        worker.end()
    return found


def within(
    state: State, model: str, rounds: int, what: str, one: tuple[str, Path], other: tuple[str, Path]
) -> float:
    """The median ratio of two actions of this state."""
    worker, ratios = state.worker(model), []
    for number in range(rounds + 1):
        first, second = worker.ask(*one)[what], worker.ask(*other)[what]
        if number:
            ratios.append(first / second)
    worker.end()
    return round(statistics.median(ratios), 3)


def commands(folder: Path) -> dict[str, list[str]]:
    """The tasks that are whole commands."""
    gold, train = str(folder / "dev.conllu"), str(folder / "train.conllu")
    text, parsed = str(folder / "dev.txt"), str(folder / "parsed.conllu")
    small = str(ROOT / "examples" / "harbour.conllu")
    quick = ["--set", "tokenizer.epochs=2", "--set", "tagger.epochs=2", "--set", "parser.epochs=1"]
    made = str(folder / "made.caesura")
    split = ["split", "-q", "-m", "en-fast", text, "-o", str(folder / "split.txt")]
    return {
        "help": ["--help"],
        "convert": ["convert", small, "--to", "jsonl"],
        "split": split,
        "split/quick": [*split, "--quick"],
        "train": ["train", "pipeline", "-q", train, "-o", made, *quick],
        "train/small": ["train", "pipeline", "-q", small, "-o", made],
        "induce": ["induce", "-q", train, "-o", str(folder / "made.grammar")],
        "evaluate": ["evaluate", gold, parsed],
        "find": ["find", "[upos=NOUN] >nsubj []", train, "--count", "lemma"],
    }


def prepare(folder: Path, state: State, characters: int) -> None:
    """The files that the tasks read."""
    from caesura.formats import read, write

    documents = list(read(file_of("UD_English-EWT", "dev")))
    text = "\n\n".join(doc.text for doc in documents)
    (folder / "dev.txt").write_text(text, encoding="utf-8")
    (folder / "part.txt").write_text(text[:characters], encoding="utf-8")
    sentences = [" ".join(s.text.split()) for doc in documents for s in doc.sentences]
    several = (sentences * (SENTENCES // len(sentences) + 1))[:SENTENCES]
    (folder / "lines.txt").write_text("\n".join(several), encoding="utf-8")
    (folder / "joined.txt").write_text(" ".join(several), encoding="utf-8")
    write(documents, folder / "dev.conllu")
    some: list[Any] = []
    for doc in read(file_of("UD_English-EWT", "train")):
        some.append(doc)
        if sum(one.n_words for one in some) > 30_000:
            break
    write(some, folder / "train.conllu")
    state.run(
        ["-m", "caesura", "parse", "-q", "-m", "en-fast", "dev.txt", "-o", "parsed.conllu"], folder
    )


def measured(task: str, states: tuple[State, State], folder: Path, rounds: int) -> dict[str, Any]:
    """What a task gives."""
    kind, _, model = task.partition("/")
    if kind == "parse":
        return parse(states, model, folder / "part.txt", rounds)
    if kind == "pipe":
        actions = ("parse", folder / "joined.txt"), ("pipe", folder / "lines.txt")
        return {"share": within(states[1], model, rounds, "cpu", *actions)}
    if kind == "threads":
        actions = ("one", folder / "part.txt"), ("two", folder / "part.txt")
        return {"gain": within(states[1], model, rounds, "clock", *actions)}
    if kind == "pandas":
        script = ["-c", PANDAS, str(folder / "dev.conllu")]
        return by_turns(states, rounds, lambda state: float(state.run(script, folder)))
    command = ["-m", "caesura", *commands(folder)[task]]
    return by_turns(states, rounds, lambda state: state.cpu_of(command, folder))


def tasks() -> list[str]:
    kinds = [f"{kind}/{model}" for kind in ("parse", "pipe", "threads") for model in MODELS]
    return [*kinds, *commands(Path()), "pandas"]


def main() -> None:
    parser = options(__doc__, "--write")
    parser.add_argument("--before", type=Path, required=True, help="the other checkout")
    parser.add_argument("--before-python", help="its Python [default: that of its .venv]")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--tasks", default="", help="names or their beginnings, with commas")
    parser.add_argument("--characters", type=int, default=60_000, help="of EWT's dev text")
    given = parser.parse_args()
    before = given.before.resolve()
    own = before / ".venv" / "bin" / "python"
    python = given.before_python or (str(own) if own.exists() else sys.executable)
    states = State(before, python), State(ROOT, sys.executable)
    wanted = tuple(given.tasks.split(","))
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="before_after.") as place:
        folder = Path(place)
        prepare(folder, states[1], given.characters)
        for task in filter(lambda name: name.startswith(wanted), tasks()):
            try:
                results[task] = measured(task, states, folder, given.rounds)
            except RuntimeError as error:  # such as a model that is not installed
                results[task] = {"failed": str(error)}
            print(task, json.dumps(results[task]), flush=True)
    if given.write:
        about = {"processor": processor(), "date": time.strftime("%Y-%m-%d")}
        about |= {"rounds": given.rounds, "python": platform.python_version()}
        keep_json(RESULTS / "before_after.json", {**about, "tasks": results})


if __name__ == "__main__":
    main()
