"""`caesura train parser --system branching`: selectional branching over single sentences.

Tuning is that of the paper (Choi & McCallum 2013, 5.2).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from caesura.cluster.classes import load_classes
from caesura.document import Document
from caesura.errors import WarningSink
from caesura.learn.branching_trainer import BranchingLoop, BranchingTrainer
from caesura.learn.card import card, score_table
from caesura.learn.fingerprint import digest, file_digest, fingerprint
from caesura.learn.joint_parser import next_command
from caesura.learn.report import follow, say_some
from caesura.learn.run import Result, Run
from caesura.stages.branching_options import BranchTraining
from caesura.stages.branching_parser import BranchingParser
from caesura.stages.parse_confidence import calibrate
from caesura.stages.parse_scores import scores

__all__ = [
    "BEAMS",
    "MARGINS",
    "branching_loop",
    "calibrated",
    "train_branching",
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


def train_branching(
    run: Run,
    *,
    tune: Sequence[str] = (),
    classes: str | None = None,
    patience: int | None = None,
) -> Result:
    """Train all rounds and write the model.

    With files to `tune` on, the steps of AdaGrad, the margin and the beam are searched on them.
    """
    run.kept.check()
    train, dev = run.read()
    held_out = list(run.data.read(tune, run.report))
    options = run.options(BranchTraining(), "parser")
    run.kept.begin()
    warnings: list[str] = []
    word_classes = dict(load_classes(classes)) if classes else None
    if held_out:
        options = tune_steps(train, held_out, options, word_classes=word_classes)
    loop = branching_loop(
        train,
        dev,
        options,
        word_classes=word_classes,
        patience=patience,
        checkpoint=run.checkpoint("parser"),
        resume=run.kept.resume,
        fingerprint=fingerprint(digest((*train, *dev)), options, file_digest(classes)),
        warn=lambda warning: warnings.append(str(warning)),
    )
    follow(loop, "Branching", run.report)
    parser = BranchingParser.from_part(loop.best["parser"])
    if held_out:
        parser = tune_search(parser, held_out)[0]
    parser = calibrated(parser, held_out or dev)
    say_some(warnings, run.report)
    best = loop.best_scores
    meta = {
        "trained_on": run.sources(),
        "system": "branching",
        "words": sum(doc.n_words for doc in train),
        "rate": options.rate,
        "offset": options.offset,
        "beam": parser.search.beam,
        "margin": parser.search.margin,
        "best_epoch": loop.best_epoch,
        "scores": best,
    }
    told = f"Selectional branching, trained on {meta['words']} words."
    parts = {"parser": parser.to_part()}
    run.save(parts, meta, card("Parser", told, score_table(("parser", "dev"), best)))
    loop.finish()
    about = {"model": run.output, "warnings": len(warnings), "epochs": len(loop.history), **meta}
    return Result(run.output, about, best, next=next_command(run.output, tags=True, sentences=True))
