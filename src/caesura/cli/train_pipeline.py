"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.files import find_sources
from caesura.cli.options import options
from caesura.cli.refuse import refuse
from caesura.learn.stages import PipelineOptions
from caesura.options import option

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    init: str | None = option(
        None,
        "Go on from this model; multi fits a treebank of any language.",
        metavar="MODEL",
        reads=True,
    )
    freeze: int | None = option(
        None,
        "Leave the N lowest layers of a network as they are [0]; for --init with one.",
        least=0,
        metavar="N",
    )
    encoder: str | None = option(
        None, "Train a network over this encoder (Hugging Face layout).", metavar="FOLDER"
    )
    texts: tuple[str, ...] = option(
        (),
        "Also learn from this raw text, a file or a folder; may be repeated. Needs --teacher.",
        name="--text",
        metavar="RAW",
    )
    teachers: tuple[str, ...] = option(
        (),
        "A model that labels the raw text; several decide together.",
        name="--teacher",
        metavar="MODEL",
    )
    folder: str | None = option(
        None,
        "Keep what teachers say of the raw text here, or take it from here [MODEL.silver].",
        name="--silver",
        metavar="DIR",
    )
    not_in: tuple[str, ...] = option(
        (), "Held-out data besides --dev that the raw text must not hold.", metavar="FILE"
    )
    licence: str | None = option(
        None,
        "The licence of the model, which its card names: CC-BY-SA-4.0, CC0-1.0, MIT.",
        metavar="SPDX",
        check="caesura.models.licence:check_licence",
    )
    text_encoding: str = option("utf-8", "Encoding of the raw text.", shown=True)


@click.command()
@treebank_arguments
@options("train pipeline", own=Options)
@experiment(
    "train pipeline",
    PipelineOptions(),
    example="parser.search.beam=16",
    kept=["{output}.parts"],
    headings=True,
)
def command(run: Run, own: Options) -> Result:
    """Train everything from raw text to trees on the treebank TRAIN.

    What the treebank does not have is left out and named. Stages and epochs that are done are kept
    in MODEL.parts until the model is written: an interrupted run goes on with --resume to the same
    result.

    With --text and --teacher it also learns from raw text: the teacher labels it once, which is
    kept and goes on after an interruption, and the model learns from treebank and labels.

    With --init multi (or another neural model) a network that knows other treebanks learns from
    this one, on a CPU in minutes if it is small.
    """
    from caesura.learn.network.training import is_network
    from caesura.learn.pipeline import train_pipeline
    from caesura.learn.silver import Lessons

    if own.encoder is not None:
        refuse("--encoder", "init", remedy="A network starts from its encoder; leave --init out.")
        refuse("--encoder", "freeze", remedy="It is for --init with a network, such as multi.")
        refuse("--encoder", "relaid", remedy="It is for linear parsers; leave --relaid out.")
    elif own.init is not None and is_network(own.init):
        why = "a network that is gone on from"
        refuse(why, "relaid", remedy="It is for linear parsers; leave it out.")
        refuse(why, "speech", remedy="It learns that in any case (finetune.speech); leave it out.")
        raw = ("texts", "teachers", "folder", "not_in", "text_encoding")
        refuse(why, *raw, remedy="Train it on a treebank alone.")
        if own.freeze is not None:
            run = replace(run, flags={**run.flags, "frozen": own.freeze})
    else:
        refuse(
            "a linear model" if own.init else "a training from nothing",
            "freeze",
            remedy="It is for --init with a network, such as multi.",
        )
    lessons = None
    if own.texts or own.teachers or own.folder is not None:
        if not own.texts and not own.teachers:
            refuse("labels that were kept", "text_encoding", remedy="It goes with --text.")
        sources = find_sources(own.texts, None) if own.texts else []
        lessons = Lessons(
            Path(own.folder if own.folder is not None else f"{run.output}.silver"),
            [source.path for source, _ in sources],
            own.teachers,
            own.not_in,
            encoding=own.text_encoding,
            held_encoding=run.data.encoding,
        )
    else:
        ways = ("silver_weight", "least_confidence", "gold_last", "overlap")
        flags = ("not_in", "text_encoding", *ways)
        refuse("a treebank alone", *flags, remedy="It goes with --text and --teacher.")
    return train_pipeline(
        run, init=own.init, encoder=own.encoder, lessons=lessons, licence=own.licence
    )
