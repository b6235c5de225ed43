"""`caesura train tokenizer`: learn tokens, words and sentence starts from a treebank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.stages.tokenizer import TokenizerOptions

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@click.command()
@treebank_arguments
@click.option("--init", metavar="MODEL", help="Go on from this model.")
@click.option(
    "--no-spaces",
    is_flag=True,
    help="The language has no spaces: join the forms where the file does not say.",
)
@experiment(TokenizerOptions(), example="threshold=0.4", kept=["{output}.checkpoint"])
def command(run: Run, init: str | None) -> Result:
    """Train a tokeniser on treebanks that say where tokens, words and sentences are.

    With --dev the model of the best epoch is kept. After each epoch a checkpoint is written beside
    MODEL: an interrupted run goes on with --resume to the same result.
    """
    from caesura.learn.tokenizer import train_tokenizer

    return train_tokenizer(run, init=init)
