"""Time of `import caesura` and `caesura --help` against `import numpy`; start-up of models.

    python -m benchmarks.speed.start [--runs N] [--json]
    python -m benchmarks.speed.start --models --write

Each is run in a new Python, in turns, and the fastest of each counts.

With --models a model parses two short sentences (the best of five): CPU seconds of a process from
its start to its end. Memory is the peak above that of a bare Python, after the two sentences and
after ten thousand words of EWT dev (`--text` takes another text). `before_after.py` compares two
states of the code.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from benchmarks.common import RESULTS, environment, keep_json, machine, options, show, text_of

CODE = {
    "python": "pass",
    "import numpy": "import numpy",
    "import caesura": "import numpy, caesura",
    "caesura.Document": "import numpy, caesura; caesura.Document()",
    "caesura --help": "import numpy; from caesura.cli import run; run(['--help'])",
}
#: Prints the CPU seconds of a process and the peak of its memory (Linux) in megabytes.
TOLD = """
import time
def told():
    peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
    print(time.process_time(), int(peak) / 1024)
"""
PARSE = """
import io, os, sys
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # as the program `caesura` does
from caesura.formats import conllu
from caesura.formats.options import WriteOptions
from caesura.pipeline import load
nlp = load(sys.argv[1])
for path in sys.argv[2:]:
    text = open(path, encoding="utf-8").read()
    blocks = (text[at : at + 65536] for at in range(0, len(text), 65536))
    conllu.write_conllu(nlp.stream(blocks), io.BytesIO(), WriteOptions())
    told()
"""


def measure(runs: int) -> dict[str, float]:
    """The fastest of so many runs, in seconds."""
    best = dict.fromkeys(CODE, float("inf"))
    for _ in range(runs):
        for name, code in CODE.items():
            clock = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - clock)
    return best


def run(code: str, *args: str) -> list[tuple[float, float]]:
    """Seconds and megabytes at each call of `told` in some code."""
    command = [sys.executable, "-c", TOLD + code, *args]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(float(seconds), float(peak)) for seconds, peak in rows]


def start_ups(given: Namespace) -> dict[str, Any]:
    """Start-up and memory of each model."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        hello, text = Path(folder, "hello.txt"), Path(folder, "text.txt")
        hello.write_text("They didn't come. Did you?\n", encoding="utf-8")
        long = given.text.read_text(encoding="utf-8") if given.text else text_of(10_000)
        text.write_text(long, encoding="utf-8")
        bare = run("told()")[0][1]
        for _ in range(given.runs or 2):
            for name in given.model or ["en", "en-fast"]:
                (seconds, _), *_ = min(run(PARSE, name, str(hello)) for _ in range(5))
                (_, small), (_, large) = run(PARSE, name, str(hello), str(text))
                row = {
                    "start-up, CPU s": seconds,
                    "MB after two sentences": small - bare,
                    "MB after ten thousand words": large - bare,
                }
                best = found.setdefault(name, row)
                found[name] = {key: round(min(best[key], value), 2) for key, value in row.items()}
    return found


def main() -> None:
    parser = options(__doc__, "--model", "--json", "--write")
    parser.add_argument("--runs", type=int, help="10, or 2 of models")
    parser.add_argument("--models", action="store_true", help="start-up and memory of models")
    parser.add_argument("--text", type=Path)
    given = parser.parse_args()
    if given.models:
        found = {**machine(), "models": start_ups(given)}
        print(json.dumps(found, indent=1))
        if given.write:
            keep_json(RESULTS / "start.json", found)
        return
    best = measure(given.runs or 10)
    numpy = best["import numpy"]
    rows = [{"": n, "seconds": s, "more than numpy": s - numpy} for n, s in best.items()]
    show([{k: f"{v:.3f}" if k else v for k, v in row.items()} for row in rows], given.json)


if __name__ == "__main__":
    main()
