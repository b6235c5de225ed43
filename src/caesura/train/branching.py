"""Train a branching parser from documents; tuning as in the paper (Choi & McCallum 2013, 5.2)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from caesura.document import Document
from caesura.errors import WarningSink
from caesura.parse.branching import BranchingParser
from caesura.parse.branching_options import BranchTraining
from caesura.parse.confidence import calibrate
from caesura.parse.learning.branching_trainer import BranchingLoop, BranchingTrainer
from caesura.parse.scores import scores

__all__ = [
    "BEAMS",
    "MARGINS",
    "branching_loop",
    "calibrated",
    "tune_search",
    "tune_steps",
]

#: What the paper searches: α and ρ of AdaGrad, margins, and beams.
RATES = (0.01, 0.02)
OFFSETS = (0.1, 0.2)
MARGINS = tuple(round(0.83 + 0.01 * k, 2) for k in range(10))
BEAMS = (16, 32, 64, 80)


def branching_loop(
    train: Sequence[Document],
    dev: Sequence[Document],
    options: BranchTraining | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    patience: int | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    fingerprint: str = "",
    warn: WarningSink | None = None,
) -> BranchingLoop:
    """A training loop over all rounds; iterate over it, then take `best`."""
    options = options or BranchTraining()
    trainer = BranchingTrainer(train, dev, options, word_classes=word_classes, warn=warn)
    return BranchingLoop(
        trainer,
        options.epochs,
        metric="LAS",
        patience=patience,
        checkpoint=checkpoint,
        resume=resume,
        fingerprint=fingerprint,
    )


def tune_steps(
    train: Sequence[Document],
    dev: Sequence[Document],
    options: BranchTraining,
    *,
    word_classes: Mapping[str, int] | None = None,
) -> BranchTraining:
    """Options with the α and ρ whose first model is best on dev."""
    best: tuple[float, BranchTraining] | None = None
    for rate, offset in itertools.product(RATES, OFFSETS):
        tried = replace(options, rate=rate, offset=offset)
        first = replace(tried, rounds=options.rounds[:1])
        loop = branching_loop(train, dev, first, word_classes=word_classes)
        loop.run()
        value = max(event.scores["LAS"] for event in loop.history)
        if best is None or value > best[0]:
            best = (value, tried)
    assert best is not None
    return best[1]


def tune_search(
    parser: BranchingParser,
    held_out: Sequence[Document],
    margins: Sequence[float] = MARGINS,
    beams: Sequence[int] = BEAMS,
) -> tuple[BranchingParser, dict[tuple[float, int], float]]:
    """The parser with the best margin and beam, smaller ones first, and the LAS of all of them."""
    found = {}
    for margin, beam in itertools.product(margins, beams):
        tried = parser.with_search(margin=margin, beam=beam)
        parses = tried.analyse(held_out)
        found[margin, beam] = scores(held_out, parses, parser.inventory)["LAS"]
    margin, beam = min(found, key=lambda key: (-found[key], key))
    return parser.with_search(margin=margin, beam=beam), found


def calibrated(parser: BranchingParser, held_out: Sequence[Document]) -> BranchingParser:
    """The parser with confidences of arcs that fit held-out documents."""
    return replace(parser, calibration=calibrate(parser, held_out))
