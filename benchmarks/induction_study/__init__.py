"""What `benchmarks/induction.py` measures, a module a subject.

The papers' baselines are in `research/`, beside `benchmarks/`, which is found here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
