"""How long `import caesura` and `caesura --help` take, against `import numpy`; models.

    python benchmarks/start.py [--runs N] [--json]
    python benchmarks/start.py --models --write
    python benchmarks/start.py --models --before ../before/src --before-model en-neural

Each is run in a fresh Python, in turns, and the fastest of each is taken.

With --models a model parses two short sentences (the best of five): CPU seconds of a process from
its start to its end. Memory is the peak above that of a Python that does nothing, after the two
sentences and after ten thousand words of EWT dev (`--text` takes another text). With --before the
package of another checkout takes turns with this.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "start.json"
CODE = {
    "python": "pass",
    "import numpy": "import numpy",
    "import caesura": "import numpy, caesura",
    "caesura.Document": "import numpy, caesura; caesura.Document()",
    "caesura --help": "import numpy; from caesura.cli import run; run(['--help'])",
}
#: Told at the end of a process: CPU seconds, and the peak of its memory (Linux) in megabytes.
TOLD = """
import time
def told():
    peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
    print(time.process_time(), int(peak) / 1024)
"""
PARSE = """
import io, sys
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


def run(source: str, code: str, *args: str) -> list[tuple[float, float]]:
    """Seconds and megabytes at every point at which some code tells them."""
    env = {**os.environ, "PYTHONPATH": source}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    command = [sys.executable, "-c", TOLD + code, *args]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(float(seconds), float(peak)) for seconds, peak in rows]


def start_ups(args: argparse.Namespace) -> dict[str, Any]:
    """Start-up and memory of each model."""
    here = str(ROOT / "src")
    models = [(name, here) for name in args.model or ["en", "en-fast"]]
    if args.before:
        models.append((args.before_model, str(Path(args.before).resolve())))
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        hello, text = Path(folder, "hello.txt"), Path(folder, "text.txt")
        hello.write_text("They didn't come. Did you?\n", encoding="utf-8")
        text.write_text(text_of(args), encoding="utf-8")
        bare = run(here, "told()")[0][1]
        for _ in range(args.runs):
            for model, source in models:
                name = model if source == here else f"{model} before"
                (seconds, _), *_ = min(run(source, PARSE, model, str(hello)) for _ in range(5))
                (_, small), (_, large) = run(source, PARSE, model, str(hello), str(text))
                row = {
                    "start-up, CPU s": seconds,
                    "MB after two sentences": small - bare,
                    "MB after ten thousand words": large - bare,
                }
                best = found.setdefault(name, row)
                found[name] = {key: round(min(best[key], value), 2) for key, value in row.items()}
                print(name, json.dumps(found[name]), file=sys.stderr)
    return found


def text_of(args: argparse.Namespace) -> str:
    if args.text:
        return str(args.text.read_text(encoding="utf-8"))
    import cost

    return cost.text_of(10_000)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=None, help="10, or 2 of models")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--models", action="store_true", help="start-up and memory of models")
    parser.add_argument("--model", action="append", help="may be repeated; else en and en-fast")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--before", type=Path, help="src/ of another checkout")
    parser.add_argument("--before-model", default="en-neural")
    parser.add_argument("--write", action="store_true", help="keep the figures of models")
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (2 if arguments.models else 10)
    if arguments.models:
        load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
        machine = f"{platform.machine()}, {os.cpu_count()} cores"
        told = {"machine": machine, "load": load, "models": start_ups(arguments)}
        print(json.dumps(told, indent=1))
        if arguments.write:
            RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        return
    best = measure(arguments.runs)
    if arguments.json:
        print(json.dumps(best, indent=2))
        return
    print(f"{'':20} {'seconds':>8} {'more than numpy':>16}")
    for name, seconds in best.items():
        print(f"{name:20} {seconds:8.3f} {seconds - best['import numpy']:16.3f}")


if __name__ == "__main__":
    main()
