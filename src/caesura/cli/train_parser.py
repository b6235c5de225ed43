"""`caesura train parser`: learn to parse from a treebank, by one of the recipes of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.experiment import experiment, treebank_arguments
from caesura.cli.options import options
from caesura.cli.refuse import refuse
from caesura.learn.joint_parser import TrainOptions
from caesura.options import option

if TYPE_CHECKING:
    from caesura.learn.run import Result, Run

__all__ = ["RECIPES", "command"]

#: The recipes of `caesura.learn.joint_parser`, which takes longer to load.
RECIPES = ("joint", "gold", "nosyntax", "joint-reparsed", "pipeline:nosyntax")


@dataclass(frozen=True)
class Options:
    recipe: str = option(
        "joint",
        "What to train: boundaries and trees together, or one of the systems it is compared to.",
        choices=RECIPES,
        shown=True,
    )
    system: str = option(
        "joint",
        "Transitions over documents, or selectional branching over single sentences.",
        choices=("joint", "branching"),
        shown=True,
    )
    tune: tuple[str, ...] = option(
        (),
        "Tune the boundary bonus on these data (they may be the dev data); of a branching parser "
        "the steps of learning, the margin and the beam.",
        metavar="HELD-OUT",
    )
    patience: int | None = option(
        None, "Stop after this many epochs without a better dev score.", least=1
    )
    classes: str | None = option(None, "Word classes as features.", metavar="CLASSES", reads=True)


@click.command()
@treebank_arguments
@options("train parser", own=Options)
@experiment(
    "train parser",
    TrainOptions(),
    example="search.beam=16",
    kept=["{output}.boundaries.checkpoint", "{output}.parser.checkpoint"],
)
def command(run: Run, own: Options) -> Result:
    """Train a parser on TRAIN, whose documents have sentences, trees and (better predicted) tags.

    Tags should be predicted by taggers that have not seen the data: see
    `caesura train tagger --jackknife`. After each epoch a checkpoint is written beside MODEL: an
    interrupted run goes on with --resume to the same result.

    With --system branching the parser takes sentence boundaries as given; --dev is needed, since
    it learns from its own parses until dev stops improving. How many epochs each round has is
    --set rounds=[4,4,4].
    """
    from caesura.learn.branching_parser import train_branching
    from caesura.learn.joint_parser import train_parser

    if not run.data.dev:
        refuse(
            "training without --dev", "patience", remedy="Add --dev, which is what it waits for."
        )
    chosen: dict[str, Any] = {
        "tune": own.tune, "patience": own.patience, "classes": own.classes
    }  # fmt: skip
    if own.system == "branching":
        remedy = "Set the epochs of each round: --set rounds=[4,4,4]."
        refuse("--system branching", "epochs", remedy=remedy)
        joint = () if own.recipe == "joint" else ("recipe",)
        refuse("--system branching", *joint, "dropout", "relaid", "shards")
        return train_branching(run, **chosen)
    if own.recipe == "gold":
        refuse("--recipe gold", "tune", remedy="Its boundaries are given; there is no bias.")
        refuse("--recipe gold", "relaid", remedy="Its boundaries are given, whatever the lines.")
    return train_parser(run, recipe=own.recipe, **chosen)
