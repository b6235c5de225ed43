"""`caesura train tokenizer`: learn tokens, words and sentence starts from a treebank."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.kept import Kept, resumable
from caesura.cli.options import (
    config_options,
    from_option,
    json_option,
    quiet_option,
    seed_option,
    skip_bad_option,
    strict_option,
)
from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.document import Document

__all__ = ["command"]

METRICS = ("Tokens", "Words", "Sentences")


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True)
@click.option("--dev", multiple=True, metavar="FILE", help="Score each epoch on this treebank.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="The model file to write.")
@click.option("--init", metavar="MODEL", help="Go on from this model.")
@click.option(
    "--no-spaces",
    is_flag=True,
    help="The language has no spaces: join the forms where the file does not say.",
)
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over the data.")
@seed_option
@config_options("threshold=0.4")
@from_option
@skip_bad_option
@strict_option
@json_option
@quiet_option
@resumable("{output}.checkpoint")
def command(
    train: tuple[str, ...],
    dev: tuple[str, ...],
    output: str,
    init: str | None,
    kept: Kept,
    no_spaces: bool,
    epochs: int | None,
    seed: int,
    config: Path | None,
    settings: tuple[str, ...],
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Train a tokeniser on treebanks that say where tokens, words and sentences are.

    With --dev the model of the best epoch is kept. After each epoch a checkpoint is written beside
    MODEL: an interrupted run goes on with --resume to the same result.
    """
    from caesura.cli.config import configure
    from caesura.cli.console import WarningPrinter, print_json
    from caesura.cli.training import quoted, tell_result, watch
    from caesura.learn.loop import Loop
    from caesura.models.file import save
    from caesura.models.store import find
    from caesura.tokenize import Tokenizer, TokenizerOptions, TokenizerTrainer
    from caesura.tokenize.training import with_scale

    kept.check()
    options = configure(
        TokenizerOptions(),
        config,
        settings,
        {"seed": seed, "epochs": epochs},
        section="tokenizer",
    )
    warn = WarningPrinter(quiet=quiet, strict=strict)
    reading: dict[str, Any] = {
        "format": from_format,
        "skip_bad": skip_bad,
        "strict": strict,
        "warn": warn if strict else None,
        "space": not no_spaces,
    }
    docs, dev_docs = _read(train, reading), _read(dev, reading)
    warn.close()
    start = Tokenizer.load(init) if init else None
    trainer = TokenizerTrainer(docs, options, dev=dev_docs, scorer=_score, init=start)
    kept.begin()
    hashes = {Path(file).name: _sha256(file) for file in (*train, *dev)}
    loop = Loop(
        trainer,
        options.epochs,
        metric="Mean",
        patience=options.patience,
        checkpoint=Path(f"{output}.checkpoint"),
        resume=kept.resume,
        fingerprint=repr((options, hashes, init and _sha256(find(init)), no_spaces)),
    )
    watch(loop, "Training the tokeniser", quiet=quiet)
    scores = loop.best_scores
    scores.pop("Mean", None)
    meta = {"training_data": hashes, "scores": scores, "spaces": not no_spaces}
    parts = dict(loop.best) | {"tokenizer": with_scale(loop.best["tokenizer"], dev_docs)}
    save(output, parts, meta=meta, card=_card(train, scores))
    loop.finish()
    command = quoted("tokenize", "-m", output, "text.txt")
    tell_result(output, command, scores=scores, quiet=quiet)
    if as_json:
        report = {"model": output, "epoch": loop.best_epoch, "scores": scores, "next": command}
        print_json(report)


def _read(files: Sequence[str], reading: Mapping[str, Any]) -> list[Document]:
    from caesura.formats import read

    docs: list[Document] = []
    for file in files:
        docs += read(file, **reading)
        if not docs or not any(doc.n_tokens for doc in docs):
            raise InputError("there is no sentence in it", file=file, remedy="Check the path.")
    return docs


def _score(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, float]:
    from caesura.evaluate import conll18

    scores = conll18(list(gold), list(system))
    return {name: float(scores[name].f1) for name in METRICS}


def _sha256(file: str | Path) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def _card(train: Sequence[str], scores: Mapping[str, float]) -> str:
    lines = ["# A tokeniser", "", f"Trained on {', '.join(Path(file).name for file in train)}."]
    if scores:
        lines += ["", "| dev | F1 |", "|---|---|"]
        lines += [f"| {name} | {value:.2f} |" for name, value in scores.items()]
    return "\n".join(lines) + "\n"
