"""Fuzz a reader or the pipeline with atheris, which looks for inputs that reach new code.

    pip install atheris
    python -m tests.fuzz.run conllu -max_total_time=300
    python -m tests.fuzz.run pipeline --model en -max_total_time=300

Targets are the formats that can be read, and `pipeline`; all other options are libFuzzer's. An
input that breaks a law is written to a file `crash-…`, which as only argument is tried again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    try:
        import atheris
    except ImportError:
        raise SystemExit("atheris is not installed: pip install atheris") from None

    with atheris.instrument_imports(include=["caesura"]):
        from tests.fuzz.targets import READERS, pipeline_target, reader_target, seeds
    arguments = sys.argv[1:]
    name = arguments.pop(0) if arguments else ""
    if name not in (*READERS, "pipeline"):
        raise SystemExit(f"{__doc__}\nTargets: {', '.join(READERS)}, pipeline")
    model = "en"
    if "--model" in arguments:
        at = arguments.index("--model")
        model = arguments[at + 1]
        del arguments[at : at + 2]
    target: Any
    if name == "pipeline":
        import caesura

        target = pipeline_target(caesura.load(model, mode="fast"))
    else:
        target = reader_target(name)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(seeds()):
            (Path(folder) / f"{number:03}").write_bytes(data)
        corpus = [] if any(not option.startswith("-") for option in arguments) else [folder]
        atheris.Setup([sys.argv[0], *arguments, *corpus], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
