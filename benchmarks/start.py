"""How long `import caesura` and `caesura --help` take, against `import numpy` alone.

    python benchmarks/start.py [--runs N] [--json]

Each is run in a fresh Python, in turns, and the fastest of each is taken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

CODE = {
    "python": "pass",
    "import numpy": "import numpy",
    "import caesura": "import numpy, caesura",
    "caesura.Document": "import numpy, caesura; caesura.Document()",
    "caesura --help": "import numpy; from caesura.cli import run; run(['--help'])",
}


def measure(runs: int) -> dict[str, float]:
    """The fastest of so many runs, in seconds."""
    best = dict.fromkeys(CODE, float("inf"))
    for _ in range(runs):
        for name, code in CODE.items():
            clock = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - clock)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    best = measure(arguments.runs)
    if arguments.json:
        print(json.dumps(best, indent=2))
        return
    print(f"{'':20} {'seconds':>8} {'more than numpy':>16}")
    for name, seconds in best.items():
        print(f"{name:20} {seconds:8.3f} {seconds - best['import numpy']:16.3f}")


if __name__ == "__main__":
    main()
