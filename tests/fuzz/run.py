"""Fuzz a door with atheris, which looks for inputs that reach new code.

    pip install -e ".[fuzz]"
    python -m tests.fuzz.run conllu -max_total_time=300
    python -m tests.fuzz.run pipeline --model en -max_total_time=300

Doors are the formats that can be read, `pipeline`, `constraints` and `model`; all other options are
libFuzzer's. An input that breaks a law is written to a file `crash-…`, which as only argument is
tried again. `benchmarks/hardening/fuzz.py` needs no atheris and tries all doors in turn.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    try:
        import atheris
    except ImportError:
        raise SystemExit('atheris is not installed: pip install -e ".[fuzz]"') from None

    arguments = sys.argv[1:]
    name = arguments.pop(0) if arguments else ""
    with atheris.instrument_imports(include=["caesura"]):
        from caesura.formats import FORMATS
        from caesura.models.store import find
        from tests.fuzz.targets import DOORS, READERS, door, seeds

        if name in READERS:  # readers are imported when they are asked for, and would not be seen
            _ = FORMATS[name].code
    if name not in DOORS:
        raise SystemExit(f"{__doc__}\nDoors: {', '.join(DOORS)}")
    model = "en"
    if "--model" in arguments:
        at = arguments.index("--model")
        model = arguments[at + 1]
        del arguments[at : at + 2]
    target = door(name, find(model))
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds(name)):
            (Path(folder) / f"{number:03}").write_bytes(data)
        corpus = [] if any(not option.startswith("-") for option in arguments) else [folder]
        atheris.Setup([sys.argv[0], *arguments, *corpus], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
