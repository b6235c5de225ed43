"""`caesura train tagger`: learn to tag from a treebank, or re-tag the treebank by jackknifing."""

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
from caesura.cli.options import config_options, json_option, reading_options, seed_option
from caesura.cli.refuse import refuse
from caesura.cli.training import quoted, tell_result

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.tag.options import TaggerOptions

__all__ = ["command", "jackknife", "train_tagger"]


def train_tagger(
    train: Sequence[Document],
    dev: Sequence[Document],
    output: str,
    options: TaggerOptions,
    *,
    init: str | None = None,
    classes: str | None = None,
    resume: bool = False,
    quiet: bool = False,
    sources: Sequence[str] = (),
) -> dict[str, Any]:
    """Train, write the model, and say how it went."""
    from caesura.cli.training import watch
    from caesura.cluster.classes import load_classes
    from caesura.models.file import save
    from caesura.models.store import load_model
    from caesura.tag.trainer import tagger_loop

    checkpoint = Path(f"{output}.checkpoint")
    loop = tagger_loop(
        train,
        dev,
        options,
        word_classes=load_classes(classes) if classes else None,
        init=load_model(init).part("tagger") if init else None,
        checkpoint=checkpoint,
        resume=resume,
        fingerprint=_fingerprint((*train, *dev), options, init, classes),
    )
    watch(loop, "Tagger", quiet=quiet)
    scores = loop.best_scores
    meta = {
        "trained_on": [Path(source).name for source in sources],
        "data_sha256": _data_hash(train),
        "scores": scores,
        "words": sum(doc.n_words for doc in train),
    }
    save(output, loop.best, meta=meta, card=_card(meta))
    loop.finish()
    return {
        "model": output,
        "epochs": len(loop.history),
        "best_epoch": loop.best_epoch,
        "scores": scores,
        "next": quoted("tag", "-m", output, "tokens.conllu"),
    }


def jackknife(
    train: Sequence[Document],
    output: str,
    folds: int,
    options: TaggerOptions,
    *,
    regime: str = "auto",
    quiet: bool = False,
) -> dict[str, Any]:
    """Write the training data with tags by taggers that have not seen them."""
    from caesura import formats
    from caesura.cli.progress import Progress
    from caesura.tag.jackknifing import jackknife as run

    with Progress("Jackknifing", unit="folds", quiet=quiet) as progress:
        progress.total = folds

        def tell(fold: int, of: int) -> None:
            progress.advance()

        tagged = run(train, options, folds, regime=regime, on_fold=tell)  # type: ignore[arg-type]
    formats.write(tagged, output)
    command = quoted("train", "parser", output, "-o", "parser.caesura")
    return {"output": output, "folds": folds, "documents": len(tagged), "next": command}


def _data_hash(docs: Sequence[Document]) -> str:
    digest = hashlib.sha256()
    for doc in docs:
        for column in ("form", "lemma", "upos", "xpos", "feats"):
            digest.update("\x1f".join(doc.column(column)).encode("utf-8", "surrogatepass"))
        digest.update(doc.sent_start.tobytes())
    return digest.hexdigest()


def _fingerprint(
    documents: Sequence[Document], options: TaggerOptions, init: str | None, classes: str | None
) -> str:
    settings = {name: value for name, value in asdict(options).items() if name != "epochs"}
    digest = hashlib.sha256(repr(sorted(settings.items())).encode())
    digest.update(_data_hash(documents).encode())
    from caesura.models.store import find

    for path in (init and find(init), classes):
        digest.update(Path(path).read_bytes() if path else b"")
    return digest.hexdigest()


def _card(meta: dict[str, Any]) -> str:
    lines = ["# Tagger", "", f"Trained on {meta['words']} words."]
    if meta["scores"]:
        lines += ["", "| column | dev accuracy |", "|---|---|"]
        lines += [f"| {name} | {value:.2f} |" for name, value in meta["scores"].items()]
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True)
@click.option("--dev", metavar="DEV", multiple=True, help="Dev data, scored after each epoch.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Write the model here.")
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
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over the data.")
@seed_option
@config_options("width=16")
@reading_options
@json_option
@resumable("{output}.checkpoint")
def command(
    train: tuple[str, ...],
    dev: tuple[str, ...],
    output: str,
    init: str | None,
    classes: str | None,
    speech: bool,
    boundaries: bool,
    folds: int | None,
    regime: str,
    epochs: int | None,
    kept: Kept,
    seed: int,
    config: Path | None,
    settings: tuple[str, ...],
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train a tagger on TRAIN: UPOS, XPOS, FEATS and lemma, or those of them that TRAIN has.

    After each epoch a checkpoint is written beside MODEL: an interrupted run goes on with --resume
    to the same result.
    """
    from caesura.tag.options import TaggerOptions

    if folds is not None:
        refuse("--jackknife", "dev", "init", "resume", "anew", "classes", "speech")
    else:
        refuse("a run that trains a model", "regime", remedy="It is for --jackknife N.")
        kept.check()
    inputs = Inputs(train, from_format, skip_bad=skip_bad, strict=strict, quiet=quiet)
    documents = list(inputs)
    inputs.finish()
    defaults = TaggerOptions()
    if boundaries:
        from caesura.tag.labels import boundary_chain
        from caesura.tag.options import boundary_options

        defaults = boundary_options(boundary_chain(documents))
    options = configure(
        defaults, config, settings, {"epochs": epochs, "seed": seed}, section="tagger"
    )
    if folds is not None:
        told = jackknife(documents, output, folds, options, regime=regime, quiet=quiet)
        tell_result(output, told["next"], what="Treebank", quiet=quiet)
    else:
        held: list[Document] = []
        if dev:
            reader = Inputs(dev, from_format, skip_bad=skip_bad, strict=strict, quiet=quiet)
            held = list(reader)
            reader.finish()
        kept.begin()
        told = train_tagger(
            documents + _spoken(documents) if speech else documents,
            held,
            output,
            options,
            init=init,
            classes=classes,
            resume=kept.resume,
            quiet=quiet,
            sources=train,
        )
        tell_result(output, told["next"], scores=told["scores"], quiet=quiet)
    if as_json:
        import json

        click.echo(json.dumps(told, ensure_ascii=False))


def _spoken(documents: Sequence[Document]) -> list[Document]:
    from caesura import transform

    spoken = [transform.speech(doc) for doc in documents]
    return [doc for doc in spoken if doc.n_words]
