"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.refuse import refuse
from caesura.train.options import PipelineOptions

if TYPE_CHECKING:
    from caesura.train import Result, Run

__all__ = ["command"]


@click.command()
@treebank_arguments
@click.option("--init", metavar="MODEL", help="Go on from this model.")
@click.option("--no-spaces", is_flag=True, help="The language is written without spaces.")
@click.option(
    "--encoder",
    metavar="FOLDER|scratch",
    help="Train a network over this encoder (Hugging Face layout), or over characters.",
)
@experiment(
    PipelineOptions(), example="parser.search.beam=16", kept=["{output}.parts"], headings=True
)
def command(run: Run, init: str | None, encoder: str | None) -> Result:
    """Train everything from raw text to trees on the treebank TRAIN.

    What the treebank does not have is left out and named. Stages and epochs that are done are kept
    in MODEL.parts until the model is written: an interrupted run goes on with --resume to the same
    result.
    """
    from caesura.train import train_pipeline

    if encoder is not None:
        refuse("--encoder", "init", remedy="A network starts from its encoder; leave --init out.")
        refuse("--encoder", "relaid", remedy="It is for linear parsers; leave --relaid out.")
        refuse("--encoder", "tags", remedy="A network chooses its tags itself; leave --tags out.")
    return train_pipeline(run, init=init, encoder=encoder)
