"""`caesura train tagger`: learn to tag from a treebank, or re-tag the treebank by jackknifing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.refuse import refuse
from caesura.learn.tagger_data import TaggerOptions

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@click.command()
@treebank_arguments
@click.option("--init", metavar="MODEL", help="Go on from this model.")
@click.option("--classes", metavar="CLASSES", help="Word classes as features.")
@click.option(
    "--speech", is_flag=True, help="Learn also from copies in lower case without punctuation."
)
@click.option(
    "--boundaries",
    is_flag=True,
    help="Learn sentence starts together with the tag, over whole documents.",
)
@click.option(
    "--jackknife",
    "folds",
    type=click.IntRange(min=2),
    metavar="N",
    help="Train no model: write TRAIN to -o, tagged by N taggers that have not seen it.",
)
@click.option(
    "--regime",
    type=click.Choice(["auto", "sentences", "document"]),
    default="auto",
    show_default=True,
    help="Tag sentences or whole documents in jackknifing.",
)
@experiment(TaggerOptions(), example="width=16", kept=["{output}.checkpoint"])
def command(run: Run, folds: int | None, regime: Any, boundaries: bool, **own: Any) -> Result:
    """Train a tagger on TRAIN: UPOS, XPOS, FEATS and lemma, or those of them that TRAIN has.

    After each epoch a checkpoint is written beside MODEL: an interrupted run goes on with --resume
    to the same result.
    """
    from caesura.learn.tagger import jackknife_treebank, run_tagger

    if folds is not None:
        refuse("--jackknife", "dev", "init", "resume", "anew", "classes", "speech")
        return jackknife_treebank(run, folds, regime=regime, boundaries=boundaries)
    refuse("a run that trains a model", "regime", remedy="It is for --jackknife N.")
    return run_tagger(run, boundaries=boundaries, **own)
