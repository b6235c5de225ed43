"""`caesura train parser --system branching`: selectional branching over single sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.errors import UsageError

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.parse.branching_options import BranchTraining

__all__ = ["refuse", "train_branching"]


def refuse(**options: Any) -> None:
    """Options of the joint parser that have no meaning here."""
    for name, value in options.items():
        if value is not None:
            remedy = "Set the epochs of each round: --set rounds=[4,4,4]."
            raise UsageError(
                f"--{name} does not go with --system branching",
                remedy=remedy if name == "epochs" else "Leave it out.",
            )


def train_branching(
    train: Sequence[Document],
    dev: Sequence[Document],
    output: str,
    options: BranchTraining,
    *,
    held_out: Sequence[Document] = (),
    classes: str | None = None,
    patience: int | None = None,
    resume: bool = False,
    quiet: bool = False,
    sources: Sequence[str] = (),
) -> dict[str, Any]:
    """Train all rounds, write the model, and say how it went.

    With `held_out` the steps of AdaGrad, the margin and the beam are searched on these documents.
    """
    from caesura.cli.train_parser import fingerprint, next_command, read_classes
    from caesura.cli.training import watch
    from caesura.models.file import save
    from caesura.parse.branching import BranchingParser
    from caesura.train.branching import branching_loop, calibrated, tune_search, tune_steps

    warnings: list[str] = []
    word_classes = read_classes(classes) if classes else None
    if held_out:
        options = tune_steps(train, held_out, options, word_classes=word_classes)
    loop = branching_loop(
        train,
        dev,
        options,
        word_classes=word_classes,
        patience=patience,
        checkpoint=Path(f"{output}.parser.checkpoint"),
        resume=resume,
        fingerprint=fingerprint((*train, *dev), options, classes),
        warn=lambda warning: warnings.append(str(warning)),
    )
    watch(loop, "Branching", quiet=quiet)
    parser = BranchingParser.from_part(loop.best["parser"])
    if held_out:
        parser = tune_search(parser, held_out)[0]
    parser = calibrated(parser, held_out or dev)
    if warnings and not quiet:
        for line in warnings[:10]:
            click.echo(line, err=True)
        if len(warnings) > 10:
            click.echo(f"… and {len(warnings) - 10} more warnings of this kind", err=True)
    best = loop.best_scores
    meta = {
        "trained_on": [Path(source).name for source in sources],
        "system": "branching",
        "words": sum(doc.n_words for doc in train),
        "rate": options.rate,
        "offset": options.offset,
        "beam": parser.search.beam,
        "margin": parser.search.margin,
        "best_epoch": loop.best_epoch,
        "scores": best,
    }
    lines = ["# Parser", "", f"Selectional branching, trained on {meta['words']} words."]
    lines += ["", "| parser | dev |", "|---|---|"]
    lines += [f"| {name} | {value:.2f} |" for name, value in best.items()]
    save(output, {"parser": parser.to_part()}, meta=meta, card="\n".join(lines) + "\n")
    loop.finish()
    told = {"model": output, "warnings": len(warnings), "epochs": len(loop.history), **meta}
    return told | {"next": next_command(output, tags=True, sentences=True)}
