"""Calibration of the confidences of sentence boundaries.

    python -m benchmarks.accuracy.calibration                             # bundled models
    python -m benchmarks.accuracy.calibration --model my.caesura --quick
    python -m benchmarks.accuracy.calibration --model my.caesura --fit   # write the map

Tokens are given. A decision is correct if the treebank agrees; its confidence is that of the start
where a boundary was predicted, and one minus that elsewhere. The table has the expected calibration
error in points, the worst bin of at least 100 decisions, and exceptions: predicted boundaries with
a confidence below 0.5, and other places with 0.5 or more, in per cent of all predicted boundaries.
`--fit` fits on the dev text of treebanks (`--on`) and on the same text as transcripts, as
`caesura train pipeline --dev` does at its end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import dev_docs, options, show

from caesura.document import YES
from caesura.evaluate.calibration import calibrate
from caesura.learn.pipeline import dev_confidences
from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.models.store import find
from caesura.pipeline import load
from caesura.pipeline.confidence import META
from caesura.pipeline.core import Pipeline

SETS = ("UD_English-EWT", "UD_English-GUM", "EWT-speech", "GUM-speech")


def measure(nlp: Pipeline, treebank: str, limit: int | None) -> dict[str, Any]:
    """Calibration of the boundaries of a treebank's dev documents."""
    gold = dev_docs(treebank, limit)
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
    parser = options(__doc__, "--model", "--treebank", "--limit", "--json")
    parser.add_argument("--quick", action="store_true", help="the boundary scorers alone")
    parser.add_argument("--raw", action="store_true", help="confidences without the model's map")
    parser.add_argument("--fit", action="store_true", help="fit a map and write the model again")
    parser.add_argument("--on", nargs="+", default=["UD_English-EWT"], help="treebanks to fit on")
    parser.add_argument("-o", "--output", type=Path, help="with --fit: write to this file instead")
    given = parser.parse_args()
    rows = []
    for model in given.model or ["en", "en-fast"]:
        path = find(model)
        if given.fit:
            dev = [doc for one in given.on for doc in dev_docs(one, given.limit)]
            file = load_file(path)
            meta = file.meta | {META: dev_confidences(str(path), dev)}
            path = given.output or path
            save(path, file.parts, meta=meta, card=file.card, kind=file.kind)
        nlp = load(path)
        nlp = nlp.quick() if given.quick else nlp
        nlp = nlp.uncalibrated() if given.raw else nlp
        for treebank in given.treebank or SETS:
            rows.append({"model": str(model), **measure(nlp, treebank, given.limit)})
    show(rows, given.json)


if __name__ == "__main__":
    main()
