"""Train a parser from documents: one function for scripts, benchmarks and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from caesura.document import Document
from caesura.errors import WarningSink
from caesura.learn.loop import Event, Loop
from caesura.parse.confidence import calibrate as fit_confidence
from caesura.parse.learning.trainer import ParserTrainer
from caesura.parse.learning.tune import measure_scale, tune_bonus
from caesura.parse.options import TrainOptions
from caesura.parse.parser import Parser
from caesura.parse.recipes import METRIC, Reparsed, stages

__all__ = ["finish", "parser_loop", "train_parser"]


def parser_loop(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TrainOptions | None = None,
    *,
    unedited: Sequence[Document] = (),
    word_classes: Mapping[str, int] | None = None,
    metric: str | None = None,
    patience: int | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    fingerprint: str = "",
    warn: WarningSink | None = None,
) -> Loop:
    """A training loop over one parser; iterate over it, then take `best`."""
    options = options or TrainOptions()
    trainer: ParserTrainer = ParserTrainer(
        train, dev, options, unedited=unedited, word_classes=word_classes, warn=warn
    )
    if metric is None:
        system = "nosyntax" if options.chains else "joint"
        metric = METRIC["gold" if options.boundaries == "none" else system]
    return Loop(
        trainer,
        options.epochs,
        metric=metric,
        patience=patience,
        checkpoint=checkpoint,
        resume=resume,
        fingerprint=fingerprint,
    )


def finish(
    parser: Parser,
    held_out: Sequence[Document],
    *,
    tune: bool = False,
    calibrate: bool = True,
    transcripts: Sequence[Document] = (),
) -> Parser:
    """Tune the boundary bonus if asked, and calibrate confidences, on held-out documents.

    What a bias is worth is measured on them too, and on the same documents as `transcripts`.
    """
    if not held_out:
        return parser
    if parser.inventory.sb:
        if tune:
            parser = parser.with_search(bonus=tune_bonus(parser, held_out)[0])
        parser = replace(parser, scale=measure_scale(parser, [*held_out, *transcripts]))
    if calibrate:
        parser = replace(parser, calibration=fit_confidence(parser, held_out))
    return parser


def train_parser(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TrainOptions | None = None,
    *,
    recipe: str = "joint",
    unedited: Sequence[Document] = (),
    word_classes: Mapping[str, int] | None = None,
    tune: bool = False,
    on_event: Callable[[Event], None] | None = None,
    warn: WarningSink | None = None,
) -> Parser | Reparsed:
    """Train a recipe to the end. With `tune` the boundary bonus is tuned on the dev documents."""
    found: dict[str, Parser] = {}
    for stage in stages(recipe, options):
        loop = parser_loop(
            train,
            dev,
            stage.options,
            unedited=unedited,
            word_classes=word_classes,
            metric=stage.metric,
            warn=warn,
        )
        for event in loop:
            if on_event is not None:
                on_event(event)
        found[stage.part] = finish(Parser.from_part(loop.best["parser"]), dev, tune=tune)
    if "boundaries" in found:
        return Reparsed(found["boundaries"], found["parser"])
    return found["parser"]
