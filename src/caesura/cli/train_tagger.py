"""`caesura train tagger`: learn to tag from a treebank, or re-tag the treebank by jackknifing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.options import options
from caesura.cli.refuse import refuse
from caesura.learn.tagger_data import TaggerOptions
from caesura.options import option

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    init: str | None = option(None, "Go on from this model.", metavar="MODEL", reads=True)
    classes: str | None = option(None, "Word classes as features.", metavar="CLASSES", reads=True)
    speech: bool = option(False, "Learn also from copies in lower case without punctuation.")
    boundaries: bool = option(
        False, "Learn sentence starts together with the tag, over whole documents."
    )
    folds: int | None = option(
        None,
        "Train no model: write TRAIN to -o, tagged by N taggers that have not seen it.",
        name="--jackknife",
        least=2,
        metavar="N",
    )
    regime: str = option(
        "auto",
        "Tag sentences or whole documents in jackknifing.",
        choices=("auto", "sentences", "document"),
        shown=True,
    )


@click.command()
@treebank_arguments
@options("train tagger", own=Options)
@experiment("train tagger", TaggerOptions(), example="width=16", kept=["{output}.checkpoint"])
def command(run: Run, own: Options) -> Result:
    """Train a tagger on TRAIN: UPOS, XPOS, FEATS and lemma, or those of them that TRAIN has.

    After each epoch a checkpoint is written beside MODEL: an interrupted run goes on with --resume
    to the same result.
    """
    from caesura.learn.tagger import jackknife_treebank, run_tagger

    if own.folds is not None:
        refuse("--jackknife", "dev", "init", "resume", "anew", "classes", "speech")
        regime: Any = own.regime
        return jackknife_treebank(run, own.folds, regime=regime, boundaries=own.boundaries)
    refuse("a run that trains a model", "regime", remedy="It is for --jackknife N.")
    return run_tagger(
        run, init=own.init, classes=own.classes, speech=own.speech, boundaries=own.boundaries
    )
