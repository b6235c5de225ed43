"""`caesura train parser`: learn to parse from a treebank, by one of the recipes of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from caesura.cluster.classes import load_classes
from caesura.document import Document
from caesura.errors import UsageError, WarningSink
from caesura.learn.card import card, score_table
from caesura.learn.fingerprint import digest, file_digest, fingerprint
from caesura.learn.loop import Loop
from caesura.learn.parser_trainer import ParserTrainer
from caesura.learn.parser_tuning import measure_scale, tune_bonus
from caesura.learn.recipes import METRIC, Stage, stages
from caesura.learn.report import Report, follow, say_some
from caesura.learn.run import Result, Run
from caesura.models.file import Part
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_confidence import calibrate as fit_confidence
from caesura.stages.parser_options import SearchOptions, TrainOptions
from caesura.transform import some_relaid, speech

__all__ = [
    "Trained",
    "finish",
    "next_command",
    "parser_loop",
    "refuse_beam",
    "train_parser",
    "train_stages",
]


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


@dataclass(frozen=True)
class Trained:
    """One stage of a recipe that is trained: its loop, and the finished parser."""

    stage: Stage
    loop: Loop
    parser: Parser


def train_stages(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TrainOptions | None = None,
    *,
    recipe: str = "joint",
    held_out: Sequence[Document] = (),
    unedited: Sequence[Document] = (),
    word_classes: Mapping[str, int] | None = None,
    patience: int | None = None,
    keep: Callable[[Stage], Mapping[str, Any]] | None = None,
    report: Report | None = None,
    warn: WarningSink | None = None,
) -> list[Trained]:
    """Train all stages of a recipe.

    With `held_out` the boundary bonus is tuned on these documents, else it is 0. `keep` says where
    the loop of a stage is kept: its checkpoint, fingerprint, and whether it goes on.
    """
    found = []
    for stage in stages(recipe, options):
        loop = parser_loop(
            train,
            dev,
            stage.options,
            unedited=unedited,
            word_classes=word_classes,
            metric=stage.metric,
            patience=patience,
            warn=warn,
            **(keep(stage) if keep is not None else {}),
        )
        follow(loop, stage.system.capitalize(), report or Report())
        parser = Parser.from_part(loop.best["parser"])
        found.append(Trained(stage, loop, finish(parser, held_out or dev, tune=bool(held_out))))
    return found


def train_parser(
    run: Run,
    *,
    recipe: str = "joint",
    tune: Sequence[str] = (),
    classes: str | None = None,
    patience: int | None = None,
) -> Result:
    """Train all stages of a recipe and write the model."""
    run.kept.check()
    train, dev = run.read()
    held_out = list(run.data.read(tune, run.report))
    options = _options(run)
    run.kept.begin()
    parts: dict[str, Part] = {}
    data, warnings = digest((*train, *dev)), list[str]()

    def keep(stage: Stage) -> dict[str, Any]:
        told = (stage.options, file_digest(classes))
        return {
            "checkpoint": run.checkpoint(stage.part),
            "resume": run.kept.resume,
            "fingerprint": fingerprint(data, *told, free=("epochs",)),
        }

    trained = train_stages(
        some_relaid(train, options.relaid, options.seed),
        dev,
        options,
        recipe=recipe,
        held_out=held_out,
        unedited=[speech(doc) for doc in train] if options.dropout > 0 else (),
        word_classes=dict(load_classes(classes)) if classes else None,
        patience=patience,
        keep=keep,
        report=run.report,
        warn=lambda warning: warnings.append(str(warning)),
    )
    say_some(warnings, run.report)
    parts |= {one.stage.part: one.parser.to_part() for one in trained}
    told = {one.stage.part: _told(one) for one in trained}
    words = sum(doc.n_words for doc in train)
    meta = {"trained_on": run.sources(), "recipe": recipe, "words": words, "stages": told}
    tables = [
        score_table((f"{one.stage.part} ({one.stage.system})", "dev"), one.loop.best_scores)
        for one in trained
    ]
    run.save(parts, meta, card("Parser", f"Recipe {recipe}, trained on {words} words.", *tables))
    for one in trained:
        one.loop.finish()
    about = {"model": run.output, "recipe": recipe, "warnings": len(warnings), "stages": told}
    following = next_command(run.output, tags=True, sentences=recipe == "gold")
    return Result(run.output, about, told["parser"]["scores"], next=following)


def next_command(output: str, *, tags: bool, sentences: bool) -> tuple[str, ...]:
    """How a parser is tried, on a file that has what it needs."""
    keep = ["--keep-tokens"]
    keep += ["--keep-sentences"] if sentences else []
    keep += ["--keep-tags"] if tags else []
    return ("parse", "-m", output, *keep, "tagged.conllu")


def refuse_beam(beam: int) -> None:
    """A parser that learns greedily has no beam."""
    if beam > 1:
        raise UsageError(
            f"the update greedy searches without a beam, not with one of {beam}",
            remedy="Leave the beam out, or choose another update (laso steps at once, too).",
        )


def _options(run: Run) -> TrainOptions:
    """The options of training; a beam does not go with the greedy update."""
    options = run.options(TrainOptions(), "parser")
    if options.update != "greedy":
        return options
    # From a default of 1 it can be seen whether somebody has asked for more.
    options = run.options(TrainOptions(search=SearchOptions(beam=1)), "parser")
    refuse_beam(options.search.beam)
    return options


def _told(trained: Trained) -> dict[str, Any]:
    return {
        "system": trained.stage.system,
        "epochs": len(trained.loop.history),
        "best_epoch": trained.loop.best_epoch,
        "bonus": trained.parser.search.bonus,
        "scores": trained.loop.best_scores,
    }
