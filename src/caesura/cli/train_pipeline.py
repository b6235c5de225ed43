"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.config import configure
from caesura.cli.console import table
from caesura.cli.files import Inputs
from caesura.cli.kept import Kept, resumable
from caesura.cli.options import config_options, json_option, reading_options, seed_option
from caesura.cli.refuse import refuse
from caesura.cli.train_parser import refuse_beam
from caesura.cli.training import quoted, tell_result
from caesura.pipeline.core import MODES

if TYPE_CHECKING:
    from caesura.cli.training import Drawing
    from caesura.document import Document
    from caesura.learn.loop import Event
    from caesura.models.file import Part

__all__ = ["command", "dev_scores", "model_card"]


class _Watcher:
    """Draws the stages one after the other: a line an epoch, and how far it is inside it."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._draw: Drawing | None = None

    def __call__(self, stage: str, event: Event | str) -> None:
        from caesura.cli.training import Drawing

        if self._draw is None or self._draw.what != stage:
            self.close()
            self._draw = Drawing(stage, quiet=self._quiet)
            if not isinstance(event, str):
                self._draw.say(stage)
        if isinstance(event, str):
            self._draw.say(f"{stage}: {event}")
        else:
            self._draw(event)

    def close(self) -> None:
        """Take what is drawn of a stage under way from the terminal."""
        if self._draw is not None:
            self._draw.__exit__()
            self._draw = None

    def __enter__(self) -> _Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def dev_scores(path: str, dev: Sequence[Document], mode: str) -> dict[str, float]:
    """CoNLL 2018 F1 of a model from raw text, or from given tokens if it has no tokeniser."""
    from caesura.evaluate.conll import conll18
    from caesura.pipeline import load

    nlp = load(path, mode="fast" if mode == "fast" else "accurate")
    if nlp.has_tokenizer:
        system = list(nlp.pipe(doc.text for doc in dev))
    else:
        system = list(nlp.pipe(dev, keep=("tokens",)))
    return {name: round(score.f1, 2) for name, score in conll18(dev, system).items()}


def model_card(name: str, meta: dict[str, Any], scores: dict[str, dict[str, float]]) -> str:
    """The card of a pipeline: data, parts and dev scores."""
    lines = [f"# {name}", "", f"Trained on {', '.join(meta['trained_on'])}"]
    lines[-1] += f" ({meta['words']} words, {meta['documents']} documents)."
    lines += ["", f"Parts: {', '.join(meta['stages'])}."]
    for note in meta["left_out"]:
        lines.append(f"Left out: {note}.")
    if scores:
        modes = list(scores)
        lines += ["", "Dev scores from raw text, F1 by the CoNLL 2018 definition:", ""]
        lines += [f"| | {' | '.join(modes)} |", "|---|" + "---|" * len(modes)]
        for metric in scores[modes[0]]:
            cells = " | ".join(f"{scores[mode][metric]:.2f}" for mode in modes)
            lines.append(f"| {metric} | {cells} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("train", metavar="TRAIN…", nargs=-1, required=True)
@click.option("--dev", metavar="DEV", multiple=True, help="Dev data, scored after each epoch.")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Write the model here.")
@click.option("--init", metavar="MODEL", help="Go on from this model.")
@click.option("--speech", is_flag=True, help="Also serve text without case and punctuation.")
@click.option("--no-spaces", is_flag=True, help="The language is written without spaces.")
@click.option(
    "--tags",
    type=click.IntRange(1, 16),
    metavar="K",
    help="Let the parser choose among the tagger's K likeliest tags.",
)
@click.option(
    "--encoder",
    metavar="FOLDER|scratch",
    help="Train a network over this encoder (Hugging Face layout), or over characters.",
)
@seed_option
@config_options("parser.search.beam=16")
@reading_options
@json_option
@resumable("{output}.parts")
def command(
    train: tuple[str, ...],
    dev: tuple[str, ...],
    output: str,
    init: str | None,
    speech: bool,
    no_spaces: bool,
    tags: int | None,
    encoder: str | None,
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
    """Train everything from raw text to trees on the treebank TRAIN.

    What the treebank does not have is left out and named. Stages and epochs that are done are kept
    in MODEL.parts until the model is written: an interrupted run goes on with --resume to the same
    result.
    """
    if encoder is not None:
        refuse("--encoder", "init", remedy="A network starts from its encoder; leave --init out.")
        refuse("--encoder", "tags", remedy="A network chooses its tags itself; leave --tags out.")
    kept.check()
    reading: dict[str, Any] = {"skip_bad": skip_bad, "strict": strict, "quiet": quiet}
    documents = _read(train, from_format, not no_spaces, reading)
    held = _read(dev, from_format, not no_spaces, reading) if dev else []
    folder = Path(f"{output}.parts")
    flags = {
        "seed": seed,
        "speech": 0.35 if speech else None,
        "parser.choices": tags,
    }
    with _Watcher(quiet=quiet) as watch:
        parts, left_out, finish = _train(
            documents,
            held,
            folder,
            watch,
            encoder=encoder,
            init=init,
            kept=kept,
            flags=flags,
            config=config,
            settings=settings,
        )
    told = _save(output, train, documents, held, parts, left_out)
    finish()
    if not quiet:
        for note in left_out:
            click.echo(f"Left out: {note}", err=True)
    tell_result(output, told["next"], scores=_told_scores(told["scores"]), quiet=quiet)
    if as_json:
        from caesura.cli.console import print_json

        print_json(told)


def _read(
    paths: tuple[str, ...], from_format: str | None, space: bool, reading: dict[str, Any]
) -> list[Document]:
    inputs = Inputs(paths, from_format, space=space, **reading)
    documents = list(inputs)
    inputs.finish()
    return documents


def _train(
    documents: Sequence[Document],
    held: Sequence[Document],
    folder: Path,
    watch: _Watcher,
    *,
    encoder: str | None,
    init: str | None,
    kept: Kept,
    flags: dict[str, Any],
    config: Path | None,
    settings: tuple[str, ...],
) -> tuple[dict[str, Part], list[str], Any]:
    from caesura.models.store import load_model
    from caesura.train import PipelineOptions, PipelineTrainer

    if encoder is not None:
        from caesura.train import NeuralOptions, train_neural

        own = {"seed": flags["seed"], "speech": True if flags["speech"] else None}
        chosen = configure(NeuralOptions(), config, settings, own, section="neural")
        kept.begin()
        parts, trainer = train_neural(
            documents, held, encoder, chosen, folder=folder, resume=kept.resume, watch=watch
        )
        return parts, trainer.left_out, trainer.finish
    options = configure(PipelineOptions(), config, settings, flags, section="pipeline")
    if options.parser.update == "greedy":
        # From a default of 1 it can be seen whether somebody has asked for more.
        greedy = replace(
            options,
            search=replace(options.search, beam=1),
            parser=replace(options.parser, search=replace(options.parser.search, beam=1)),
        )
        options = configure(greedy, config, settings, flags, section="pipeline")
        refuse_beam(max(options.search.beam, options.parser.search.beam))
    start = load_model(init) if init else None
    kept.begin()
    trainer = PipelineTrainer(
        documents,
        held,
        options,
        init=start,
        folder=folder,
        resume=kept.resume,
        watch=watch,
    )
    return trainer.run(), trainer.left_out, trainer.finish


def _language(documents: Sequence[Document]) -> dict[str, str]:
    """The language of the training data, which the model will expect of texts."""
    from caesura.language import Tally

    tally = Tally()
    for doc in documents[:200]:
        tally.add(doc.text)
    found = tally.language()
    return {} if found is None else {"language": found}


def _save(
    output: str,
    train: Sequence[str],
    documents: Sequence[Document],
    held: Sequence[Document],
    parts: dict[str, Part],
    left_out: Sequence[str],
) -> dict[str, Any]:
    from caesura.models.file import save

    meta: dict[str, Any] = {
        "name": Path(output).name.removesuffix(".caesura"),
        "trained_on": [Path(path).name for path in train],
        "data_sha256": [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in train],
        "words": sum(doc.n_words for doc in documents),
        "documents": len(documents),
        "stages": sorted(parts),
        "left_out": list(left_out),
        **_language(documents),
    }
    save(output, parts, meta=meta, card=model_card(meta["name"], meta, {}), kind="pipeline")
    scores: dict[str, dict[str, float]] = {}
    if held:
        scores = {mode: dev_scores(output, held, mode) for mode in MODES}
        meta["scores"] = scores
        save(output, parts, meta=meta, card=model_card(meta["name"], meta, scores), kind="pipeline")
    # A model without a tokeniser parses tokens, so the next command needs a file with some.
    given = ("text.txt",) if "tokenizer" in parts else ("--keep-tokens", "tokens.conllu")
    command = quoted("parse", "-m", output, *given)
    return {"model": output, "scores": scores, "left_out": list(left_out), "next": command}


def _told_scores(scores: dict[str, dict[str, float]]) -> str | dict[str, float]:
    """Dev scores as a table, a column for each mode."""
    if not scores:
        return {}
    modes = list(scores)
    rows = [("On dev, F1", *modes)]
    rows += [
        (metric, *(f"{scores[mode][metric]:.2f}" for mode in modes)) for metric in scores[modes[0]]
    ]
    return table(rows, indent=0, right="l" + "r" * len(modes))
