"""The old path of `python -m benchmarks.accuracy.speech`."""

import runpy
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])
if __name__ == "__main__":
    runpy.run_module("benchmarks.accuracy.speech", run_name="__main__", alter_sys=True)
