"""`caesura train tokenizer`: learn tokens, words and sentence starts from a treebank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.options import options
from caesura.options import option
from caesura.stages.tokenizer import TokenizerOptions

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    init: str | None = option(None, "Go on from this model.", metavar="MODEL", reads=True)


@click.command()
@treebank_arguments
@options("train tokenizer", own=Options)
@experiment(
    "train tokenizer", TokenizerOptions(), example="threshold=0.4", kept=["{output}.checkpoint"]
)
def command(run: Run, own: Options) -> Result:
    """Train a tokeniser on treebanks that say where tokens, words and sentences are.

    With --dev the model of the best epoch is kept. After each epoch a checkpoint is written beside
    MODEL: an interrupted run goes on with --resume to the same result.
    """
    from caesura.learn.tokenizer import train_tokenizer

    return train_tokenizer(run, init=own.init)
