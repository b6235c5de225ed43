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
from caesura.learn.stages import PipelineOptions

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


def _licence(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse what is no licence before anything is trained."""
    from caesura.models.licence import check_licence

    return None if value is None else check_licence(value)


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
    metavar="FOLDER",
    help="Train a network over this encoder (Hugging Face layout).",
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
    "--licence",
    metavar="SPDX",
    callback=_licence,
    help="The licence of the model, which its card names: CC-BY-SA-4.0, CC0-1.0, MIT.",
)
@click.option(
    "--encoding", default="utf-8", show_default=True, help="Encoding of the treebank and --not-in."
)
@click.option(
    "--text-encoding", default="utf-8", show_default=True, help="Encoding of the raw text."
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
    licence: str | None,
    text_encoding: str,
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
    from caesura.learn.network.training import is_network
    from caesura.learn.pipeline import train_pipeline
    from caesura.learn.silver import Lessons

    if encoder is not None:
        refuse("--encoder", "init", remedy="A network starts from its encoder; leave --init out.")
        refuse("--encoder", "freeze", remedy="It is for --init with a network, such as multi.")
        refuse("--encoder", "relaid", remedy="It is for linear parsers; leave --relaid out.")
    elif init is not None and is_network(init):
        why = "a network that is gone on from"
        refuse(why, "relaid", remedy="It is for linear parsers; leave it out.")
        refuse(why, "speech", remedy="It learns that in any case (finetune.speech); leave it out.")
        raw = ("texts", "teachers", "folder", "not_in", "text_encoding")
        refuse(why, *raw, remedy="Train it on a treebank alone.")
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
        if not texts and not teachers:
            refuse("labels that were kept", "text_encoding", remedy="It goes with --text.")
        sources = find_sources(texts, None) if texts else []
        lessons = Lessons(
            Path(folder if folder is not None else f"{run.output}.silver"),
            [source.path for source, _ in sources],
            teachers,
            not_in,
            encoding=text_encoding,
            held_encoding=run.data.encoding,
        )
    else:
        ways = ("silver_weight", "least_confidence", "gold_last", "overlap")
        flags = ("not_in", "text_encoding", *ways)
        refuse("a treebank alone", *flags, remedy="It goes with --text and --teacher.")
    return train_pipeline(run, init=init, encoder=encoder, lessons=lessons, licence=licence)
