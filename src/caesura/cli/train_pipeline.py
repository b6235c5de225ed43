"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.inputs import find_sources
from caesura.cli.refuse import refuse
from caesura.train.options import PipelineOptions

if TYPE_CHECKING:
    from caesura.train import Result, Run

__all__ = ["command"]


@click.command()
@treebank_arguments
@click.option(
    "--init", metavar="MODEL", help="Go on from this model; multi fits a treebank of any language."
)
@click.option(
    "--freeze",
    type=click.IntRange(min=0),
    metavar="N",
    help="Leave the N lowest layers of a network as they are [0]; for --init with one.",
)
@click.option("--no-spaces", is_flag=True, help="The language is written without spaces.")
@click.option(
    "--encoder",
    metavar="FOLDER|scratch",
    help="Train a network over this encoder (Hugging Face layout), or over characters.",
)
@click.option(
    "--text",
    "texts",
    metavar="RAW",
    multiple=True,
    help="Also learn from this raw text, a file or a folder; may be repeated. Needs --teacher.",
)
@click.option(
    "--teacher",
    "teachers",
    metavar="MODEL",
    multiple=True,
    help="A model that labels the raw text; several decide together.",
)
@click.option(
    "--silver",
    "folder",
    metavar="DIR",
    help="Keep what teachers say of the raw text here, or take it from here [MODEL.silver].",
)
@click.option(
    "--not-in",
    metavar="FILE",
    multiple=True,
    help="Held-out data besides --dev that the raw text must not hold.",
)
@click.option(
    "--encoding", default="utf-8", show_default=True, help="Encoding of the treebank and the text."
)
@experiment(
    PipelineOptions(), example="parser.search.beam=16", kept=["{output}.parts"], headings=True
)
def command(
    run: Run,
    init: str | None,
    freeze: int | None,
    encoder: str | None,
    texts: Sequence[str],
    teachers: Sequence[str],
    folder: str | None,
    not_in: Sequence[str],
) -> Result:
    """Train everything from raw text to trees on the treebank TRAIN.

    What the treebank does not have is left out and named. Stages and epochs that are done are kept
    in MODEL.parts until the model is written: an interrupted run goes on with --resume to the same
    result.

    With --text and --teacher it also learns from raw text: the teacher labels it once, which is
    kept and goes on after an interruption, and the model learns from treebank and labels.

    With --init multi (or another neural model) a network that knows other treebanks learns from
    this one, on a CPU in minutes if it is small.
    """
    from caesura.train import Lessons, train_pipeline
    from caesura.train.finetune import is_network

    if encoder is not None:
        refuse("--encoder", "init", remedy="A network starts from its encoder; leave --init out.")
        refuse("--encoder", "freeze", remedy="It is for --init with a network, such as multi.")
        refuse("--encoder", "relaid", remedy="It is for linear parsers; leave --relaid out.")
        refuse("--encoder", "tags", remedy="A network chooses its tags itself; leave --tags out.")
    elif init is not None and is_network(init):
        why = "a network that is gone on from"
        refuse(why, "relaid", "tags", remedy="It is for linear parsers; leave it out.")
        refuse(why, "speech", remedy="It learns that in any case (finetune.speech); leave it out.")
        refuse(why, "texts", "teachers", "folder", "not_in", remedy="Train it on a treebank alone.")
        if freeze is not None:
            run = replace(run, flags={**run.flags, "frozen": freeze})
    else:
        refuse(
            "a linear model" if init else "a training from nothing",
            "freeze",
            remedy="It is for --init with a network, such as multi.",
        )
    lessons = None
    if texts or teachers or folder is not None:
        sources = find_sources(texts, None) if texts else []
        lessons = Lessons(
            Path(folder if folder is not None else f"{run.output}.silver"),
            [source.path for source, _ in sources],
            teachers,
            not_in,
            run.data.encoding,
        )
    else:
        flags = ("not_in", "silver_weight", "least_confidence", "gold_last", "overlap")
        refuse("a treebank alone", *flags, remedy="It goes with --text and --teacher.")
    return train_pipeline(run, init=init, encoder=encoder, lessons=lessons)
