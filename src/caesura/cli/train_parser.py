"""`caesura train parser`: learn to parse from a treebank, by one of the recipes of the paper."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.config import configure
from caesura.cli.files import Inputs
from caesura.cli.kept import Kept, resumable
from caesura.cli.options import (
    config_options,
    json_option,
    reading_options,
    seed_option,
    threads_option,
)
from caesura.cli.refuse import refuse as refuse_given
from caesura.cli.training import quoted, tell_result
from caesura.errors import UsageError

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.models.file import Part
    from caesura.parse.options import TrainOptions

__all__ = ["command", "refuse_beam", "train_parser"]

_RECIPES = ("joint", "gold", "nosyntax", "joint-reparsed", "pipeline:nosyntax")


def train_parser(
    train: Sequence[Document],
    dev: Sequence[Document],
    output: str,
    options: TrainOptions,
    *,
    recipe: str = "joint",
    held_out: Sequence[Document] = (),
    classes: str | None = None,
    patience: int | None = None,
    resume: bool = False,
    quiet: bool = False,
    sources: Sequence[str] = (),
) -> dict[str, Any]:
    """Train all stages of a recipe, write the model, and say how it went.

    With `held_out` the boundary bonus is tuned on these documents, else it is 0.
    """
    from caesura.cli.training import watch
    from caesura.models.file import save
    from caesura.parse.parser import Parser
    from caesura.parse.recipes import stages
    from caesura.train.parser import finish, parser_loop

    parts: dict[str, Part] = {}
    told: dict[str, Any] = {}
    if options.choices > 1:
        train, dev, held_out, found = _with_options(train, dev, held_out, options, recipe, quiet)
        parts |= found
    unedited = _spoken(train) if options.dropout > 0 else []
    warnings: list[str] = []
    loops = []
    for stage in stages(recipe, options):
        loop = parser_loop(
            train,
            dev,
            stage.options,
            unedited=unedited,
            word_classes=read_classes(classes) if classes else None,
            metric=stage.metric,
            patience=patience,
            checkpoint=Path(f"{output}.{stage.part}.checkpoint"),
            resume=resume,
            fingerprint=fingerprint((*train, *dev), stage.options, classes),
            warn=lambda warning: warnings.append(str(warning)),
        )
        watch(loop, stage.system.capitalize(), quiet=quiet)
        parser = finish(Parser.from_part(loop.best["parser"]), held_out or dev, tune=bool(held_out))
        parts[stage.part] = parser.to_part()
        told[stage.part] = {
            "system": stage.system,
            "epochs": len(loop.history),
            "best_epoch": loop.best_epoch,
            "bonus": parser.search.bonus,
            "scores": loop.best_scores,
        }
        loops.append(loop)
    if warnings and not quiet:
        for line in warnings[:10]:
            click.echo(line, err=True)
        if len(warnings) > 10:
            click.echo(f"… and {len(warnings) - 10} more warnings of this kind", err=True)
    meta = {
        "trained_on": [Path(source).name for source in sources],
        "recipe": recipe,
        "words": sum(doc.n_words for doc in train),
        "stages": told,
    }
    save(output, parts, meta=meta, card=_card(meta))
    for loop in loops:
        loop.finish()
    return {
        "model": output,
        "recipe": recipe,
        "warnings": len(warnings),
        "stages": told,
        "next": next_command(output, tags="tagger" not in parts, sentences=recipe == "gold"),
    }


def next_command(output: str, *, tags: bool, sentences: bool) -> str:
    """How a parser is tried, on a file that has what it needs."""
    keep = ["--keep-tokens"]
    keep += ["--keep-sentences"] if sentences else []
    keep += ["--keep-tags"] if tags else []
    return quoted("parse", "-m", output, *keep, "tagged.conllu")


def _options(config: Path | None, settings: tuple[str, ...], flags: dict[str, Any]) -> TrainOptions:
    """The options of training; a beam does not go with the greedy update."""
    from caesura.parse.options import SearchOptions, TrainOptions

    options = configure(TrainOptions(), config, settings, flags, section="parser")
    if options.update != "greedy":
        return options
    # From a default of 1 it can be seen whether somebody has asked for more.
    greedy = TrainOptions(search=SearchOptions(beam=1))
    options = configure(greedy, config, settings, flags, section="parser")
    refuse_beam(options.search.beam)
    return options


def refuse_beam(beam: int) -> None:
    """A parser that learns greedily has no beam."""
    if beam > 1:
        raise UsageError(
            f"the update greedy searches without a beam, not with one of {beam}",
            remedy="Leave the beam out, or choose another update (laso steps at once, too).",
        )


def _with_options(
    train: Sequence[Document],
    dev: Sequence[Document],
    held_out: Sequence[Document],
    options: TrainOptions,
    recipe: str,
    quiet: bool,
) -> tuple[Sequence[Document], Sequence[Document], Sequence[Document], dict[str, Part]]:
    """The documents with the likeliest tags of each word, unless they have them, and the tagger."""
    from caesura.cli.progress import Progress
    from caesura.tag.options import TaggerOptions
    from caesura.train.tags import has_options, jackknifed

    if has_options([*train, *dev, *held_out]):
        return train, dev, held_out, {}
    folds = 10
    with Progress("Jackknifing", unit="folds", quiet=quiet) as progress:
        progress.total = folds
        found, others, tagger = jackknifed(
            train,
            [*dev, *held_out],
            options.choices,
            TaggerOptions(seed=options.seed),
            folds=folds,
            regime="sentences" if recipe == "gold" else "document",
            on_fold=lambda fold, of: progress.advance(),
        )
    return found, others[: len(dev)], others[len(dev) :], {"tagger": tagger}


def _spoken(documents: Sequence[Document]) -> list[Document]:
    from caesura import transform

    return [transform.speech(doc) for doc in documents]


def read_classes(path: str) -> dict[str, int]:
    from caesura.cluster import load_classes

    return dict(load_classes(path))


def fingerprint(documents: Sequence[Document], options: Any, classes: str | None) -> str:
    settings = {k: v for k, v in asdict(options).items() if k not in ("epochs", "threads")}
    digest = hashlib.sha256(repr(sorted(settings.items())).encode())
    for doc in documents:
        for column in ("form", "upos", "xpos", "feats", "deprel"):
            digest.update("\x1f".join(doc.column(column)).encode("utf-8", "surrogatepass"))
        digest.update(doc.head.tobytes())
        digest.update(doc.sent_start.tobytes())
    if classes:
        digest.update(Path(classes).read_bytes())
    return digest.hexdigest()


def _card(meta: dict[str, Any]) -> str:
    lines = ["# Parser", "", f"Recipe {meta['recipe']}, trained on {meta['words']} words."]
    for name, stage in meta["stages"].items():
        if stage["scores"]:
            lines += ["", f"| {name} ({stage['system']}) | dev |", "|---|---|"]
            lines += [f"| {metric} | {value:.2f} |" for metric, value in stage["scores"].items()]
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True)
@click.option("--dev", metavar="DEV", multiple=True, help="Dev data, scored after each epoch.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Write the model here.")
@click.option(
    "--recipe",
    type=click.Choice(_RECIPES),
    default="joint",
    show_default=True,
    help="What to train: boundaries and trees together, or one of the systems it is compared to.",
)
@click.option(
    "--system",
    type=click.Choice(["joint", "branching"]),
    default="joint",
    show_default=True,
    help="Transitions over documents, or selectional branching over single sentences.",
)
@click.option(
    "--tune",
    metavar="HELD-OUT",
    multiple=True,
    help="Tune the boundary bonus on these data (they may be the dev data); of a branching parser "
    "the steps of learning, the margin and the beam.",
)
@click.option("--beam", type=click.IntRange(min=1), help="Width of the beam.")
@click.option(
    "--margin", type=float, help="Open the beam where the best choice leads by no more than this."
)
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over the data.")
@click.option(
    "--patience",
    type=click.IntRange(min=1),
    help="Stop after this many epochs without a better dev score.",
)
@click.option(
    "--dropout",
    type=click.FloatRange(0, 1),
    help="Share of documents seen lower-cased and without punctuation.",
)
@click.option("--classes", metavar="CLASSES", help="Word classes as features.")
@click.option(
    "--tags",
    type=click.IntRange(1, 16),
    metavar="K",
    help="Let the parser choose among the K likeliest tags; TRAIN has gold tags, and the model "
    "gets a tagger.",
)
@click.option("--shards", type=click.IntRange(min=1), help="Learn in parts that are then averaged.")
@threads_option
@seed_option
@config_options("search.beam=16")
@reading_options
@json_option
@resumable("{output}.boundaries.checkpoint", "{output}.parser.checkpoint")
def command(
    train: tuple[str, ...],
    dev: tuple[str, ...],
    output: str,
    recipe: str,
    system: str,
    tune: tuple[str, ...],
    beam: int | None,
    margin: float | None,
    epochs: int | None,
    patience: int | None,
    dropout: float | None,
    classes: str | None,
    tags: int | None,
    shards: int | None,
    kept: Kept,
    threads: int,
    seed: int,
    config: Path | None,
    settings: tuple[str, ...],
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a parser on TRAIN, whose documents have sentences, trees and (better predicted) tags.

    Tags should be predicted by taggers that have not seen the data: see
    `caesura train tagger --jackknife`. With --tags the gold tags of TRAIN are jackknifed
    here. After each epoch a checkpoint is written beside MODEL: an interrupted run goes on with
    --resume to the same result.

    With --system branching the parser takes sentence boundaries as given; --dev is needed, since
    it learns from its own parses until dev stops improving. How many epochs each round has is
    --set rounds=[4,4,4].
    """

    if recipe == "gold" and system == "joint":
        refuse_given("--recipe gold", "tune", remedy="Its boundaries are given; there is no bias.")
    if not dev:
        refuse_given(
            "training without --dev", "patience", remedy="Add --dev, which is what it waits for."
        )
    kept.check()

    def read(paths: tuple[str, ...]) -> list[Document]:
        if not paths:
            return []
        inputs = Inputs(
            paths, from_format, what="Reading", skip_bad=skip_bad, strict=strict, quiet=quiet
        )
        documents = list(inputs)
        inputs.finish()
        return documents

    flags: dict[str, Any] = {
        "search.beam": beam,
        "search.margin": margin,
        "threads": threads,
        "seed": seed,
    }
    others = {"epochs": epochs, "dropout": dropout, "shards": shards, "choices": tags}
    files: dict[str, Any] = {"train": read(train), "dev": read(dev), "held_out": read(tune)}
    common: dict[str, Any] = {
        "output": output,
        "classes": classes,
        "patience": patience,
        "resume": kept.resume,
        "quiet": quiet,
        "sources": train,
    }
    if system == "branching":
        from caesura.cli.train_branching import refuse, train_branching
        from caesura.parse.branching_options import BranchTraining

        refuse(recipe=None if recipe == "joint" else recipe, **others)
        branching = configure(BranchTraining(), config, settings, flags, section="parser")
        kept.begin()
        told = train_branching(options=branching, **files, **common)
        scores = told["scores"]
    else:
        options = _options(config, settings, flags | others)
        kept.begin()
        told = train_parser(options=options, recipe=recipe, **files, **common)
        scores = told["stages"]["parser"]["scores"]
    tell_result(output, told["next"], scores=scores, quiet=quiet)
    if as_json:
        import json

        click.echo(json.dumps(told, ensure_ascii=False))
