"""Whether confidences of sentence boundaries can be trusted, and a map that makes them so.

    python benchmarks/calibration.py                             # the bundled models
    python benchmarks/calibration.py --model my.caesura --quick
    python benchmarks/calibration.py --model my.caesura --fit    # put a new map into the file

Tokens are given. A decision is right if it is what the treebank has; its confidence is that of the
start where one was drawn, and what is left to 1 elsewhere. Shown are the expected calibration error
in points, the worst bin of at least 100 decisions, and exceptions: boundaries that were drawn with
a confidence below 0.5, and places that were left open with one of 0.5 or more, in hundredths of all
boundaries that were drawn. `--fit` measures on the dev text of treebanks (`--on`) and on the same
as transcripts, as `caesura train pipeline --dev` does at its end.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from data import file_of

from caesura.document import YES
from caesura.evaluate.calibration import calibrate
from caesura.formats import read
from caesura.learn.evaluation import dev_confidences
from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.models.store import find
from caesura.pipeline import load
from caesura.pipeline.confidence import META
from caesura.pipeline.core import Pipeline

SETS = ("UD_English-EWT", "UD_English-GUM", "EWT-speech", "GUM-speech")


def measure(nlp: Pipeline, treebank: str, limit: int | None) -> dict[str, Any]:
    """Calibration of the boundaries of a treebank's dev documents."""
    gold = list(read(file_of(treebank, "dev")))[:limit]
    sure, right, drawn = [], [], []
    for own, doc in zip(gold, nlp.pipe(gold, keep=("tokens",), confidence=True), strict=True):
        if doc.sent_conf is None:
            raise SystemExit(f"{nlp.name} has no confidences of boundaries")
        start = doc.sent_start == YES
        sure.append(np.where(start, doc.sent_conf, 1.0 - doc.sent_conf)[1:])
        right.append((start == (own.sent_start == YES))[1:])
        drawn.append(start[1:])
    confidence = np.concatenate(sure)
    found = calibrate(confidence, np.concatenate(right))
    large = [one for one in found.bins if one.count >= 100]
    below = confidence < 0.5
    boundaries = int(np.concatenate(drawn).sum())
    return {
        "treebank": treebank,
        "decisions": found.count,
        "boundaries": boundaries,
        "ece": round(100 * found.ece, 2),
        "worst": round(max((100 * abs(b.confidence - b.accuracy) for b in large), default=0.0), 1),
        "exceptions": round(100 * int(below.sum()) / max(boundaries, 1), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", action="append", help="a model; may be repeated")
    parser.add_argument("--treebank", action="append", help=f"by default {', '.join(SETS)}")
    parser.add_argument("--quick", action="store_true", help="the boundary scorers alone")
    parser.add_argument("--raw", action="store_true", help="confidences without the model's map")
    parser.add_argument("--limit", type=int, help="so many documents of each treebank, for a trial")
    parser.add_argument("--fit", action="store_true", help="fit a map and write the model again")
    parser.add_argument("--on", nargs="+", default=["UD_English-EWT"], help="treebanks to fit on")
    parser.add_argument("-o", "--output", type=Path, help="with --fit: write to this file instead")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.json:
        print("| model | treebank | decisions | ECE | worst bin | exceptions, % |")
        print("|---|---|---:|---:|---:|---:|")
    for model in arguments.model or ["en", "en-fast"]:
        path = find(model)
        if arguments.fit:
            held = [list(read(file_of(one, "dev")))[: arguments.limit] for one in arguments.on]
            dev = [doc for docs in held for doc in docs]
            file = load_file(path)
            meta = file.meta | {META: dev_confidences(str(path), dev)}
            path = arguments.output or path
            save(path, file.parts, meta=meta, card=file.card, kind=file.kind)
        nlp = load(path)
        nlp = nlp.quick() if arguments.quick else nlp
        nlp = nlp.uncalibrated() if arguments.raw else nlp
        for treebank in arguments.treebank or SETS:
            row = measure(nlp, treebank, arguments.limit)
            if arguments.json:
                print(json.dumps({"model": str(model), **row}), flush=True)
            else:
                cells = [model, *(str(row[key]) for key in ("treebank", "decisions"))]
                cells += [str(row[key]) for key in ("ece", "worst", "exceptions")]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
