"""`caesura evaluate GOLD SYSTEM`: score an annotation against gold."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli.console import WarningPrinter, print_json
from caesura.cli.options import json_option, options
from caesura.cli.refuse import refuse
from caesura.errors import InputError
from caesura.options import Reading, option

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.evaluate.report import Report

LEVELS = {
    "sentences": "SENT",
    "tokens": "TOK",
    "words": "WORD",
    "tags": "POS",
    "phrases": "PS",
    "dependencies": "DEP",
}
BY = ("document", "genre", "sentence length", "arc length", "label", "tag")


def read_side(path: str, format: str | None, text: str | None, reading: Reading) -> list[Document]:
    """The documents of one side; warnings of the reader go to stderr."""
    from caesura.evaluate import load

    strict, quiet = reading.strict, reading.quiet
    printer = WarningPrinter(quiet=quiet, strict=strict)
    # Problems of trees are counted in the notes of the report.
    docs = load(
        path, format=format, text=text, skip_bad=reading.skip_bad, strict=strict, warn=printer
    )
    printer.close()
    return docs


def read_text(path: str | None) -> str | None:
    """A raw text as it stands."""
    if path is None:
        return None
    from caesura.formats.io import open_read

    with open_read(path) as stream:
        data = stream.read()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not UTF-8", file=path, remedy="Convert the text to UTF-8."
        ) from error


_SIDE = "Output of the same system from gold {}."


@dataclass(frozen=True)
class Options:
    raw: str | None = option(
        None, "Lay both sides over this raw text.", name="--text", metavar="RAW", reads=True
    )
    levels: tuple[str, ...] = option(
        (),
        f"Compare only these levels as spans: {', '.join(LEVELS)}. May be repeated.",
        name="--level",
        choices=(*LEVELS, *LEVELS.values()),
        fold=True,
        metavar="LEVEL",
    )
    gold_format: str | None = option(
        None, "Format of GOLD; else by its extension.", metavar="FORMAT"
    )
    system_format: str | None = option(
        None, "Format of SYSTEM; else by its extension.", metavar="FORMAT"
    )
    param: str | None = option(
        None,
        "Parameter file of evalb: labels to delete and equate.",
        metavar="FILE.prm",
        reads=True,
    )
    unlabelled: bool = option(False, "Compare spans without their labels.")
    fuzzy: bool = option(False, "Forgive punctuation at the edges of spans.")
    tags: str = option(
        "auto", "Which tags to compare as spans.", choices=("auto", "upos", "xpos"), shown=True
    )
    subtypes: bool = option(False, "Compare dependency labels with their subtypes.")
    by: tuple[str, ...] = option((), "Break the scores down. May be repeated.", choices=BY)
    confusions: bool = option(False, "Show what is taken for what most often.")
    induced: bool = option(
        False,
        "Also score heads as for induced grammars: directed, undirected, beside chains, and "
        "what is reversed (needs the tokens of gold).",
    )
    marks: str = option(
        "auto",
        "Definition of punctuation: auto, unicode, upos, xpos, or tags separated by spaces.",
        metavar="WAY",
        shown=True,
    )
    from_sentences: str | None = option(None, _SIDE.format("sentences"), metavar="FILE", reads=True)
    from_tokens: str | None = option(None, _SIDE.format("tokens"), metavar="FILE", reads=True)
    from_tags: str | None = option(None, _SIDE.format("tags"), metavar="FILE", reads=True)
    tuples: str | None = option(
        None,
        "Write the spans of one side instead of scores: start, end, label.",
        choices=("gold", "system"),
    )
    mismatches: bool = option(False, "List the spans that differ instead of scores.")
    page: str | None = option(
        None, "Also write a report with plots.", name="--html", metavar="FILE.html", writes=True
    )


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@options("evaluate", own=Options, reading=Reading)
@json_option
def command(gold: str, system: str, own: Options, reading: Reading, as_json: bool) -> None:
    """Score SYSTEM against GOLD, both in any format.

    The two may differ in tokens, sentences and spelling. The first scores are those of the CoNLL
    2018 shared task; sentence boundaries are counted three ways; spans of characters are compared
    level by level, phrase structure included.
    """
    from caesura.evaluate import Evalb, SpanOptions, evaluate, read_parameters
    from caesura.evaluate.spans import LEVELS as ALL

    instead = "--tuples" if own.tuples is not None else "--mismatches" if own.mismatches else None
    if instead is not None:
        refuse(instead, "by", "confusions", "induced", remedy="Scores are printed without it.")
    if own.tuples is not None:
        refuse("--tuples", "mismatches", "as_json", remedy="Leave one of them out.")
    text = read_text(own.raw)
    stages = {"sentences": own.from_sentences, "tokens": own.from_tokens, "tags": own.from_tags}
    outputs = {
        stage: read_side(path, own.system_format, text, reading)
        for stage, path in stages.items()
        if path is not None
    }
    report = evaluate(
        read_side(gold, own.gold_format, text, reading),
        read_side(system, own.system_format, text, reading),
        text=text,
        levels=[LEVELS.get(level, level) for level in own.levels] or ALL,
        options=SpanOptions(
            evalb=read_parameters(own.param) if own.param else Evalb(),
            unlabelled=own.unlabelled,
            fuzzy=own.fuzzy,
            tags=own.tags,
            subtypes=own.subtypes,
        ),
        outputs=outputs or None,
        marks=own.marks,
        name=Path(system).name,
    )
    heads = None
    if own.induced:
        from caesura.evaluate.induced import directed

        heads = directed(report.comparison.pairs, report.marks)
        report.scores |= heads.scores()
    if own.page is not None:
        report.save_html(own.page)
    if own.tuples is not None:
        _print_tuples(report, own.tuples)
    elif own.mismatches:
        _print_mismatches(report, as_json)
    elif as_json:
        data = report.as_dict(breakdowns=own.by)
        if own.confusions:
            data["confusions"] = {
                what: [found.as_dict() for found in report.confusions(what)]
                for what in ("relations", "tags")
            }
        if heads is not None:
            data["reversed"] = [row.as_dict() for row in heads.reversed]
        print_json(data)
    else:
        _print_report(report, own.by, own.confusions)
        if heads is not None:
            from caesura.evaluate.induced import induced_text

            click.echo("\n" + induced_text(heads))


def _print_report(report: Report, by: tuple[str, ...], confusions: bool) -> None:
    from caesura.evaluate.tables import breakdown_text, confusions_text

    click.echo(str(report))
    for name in by:
        click.echo("\n" + breakdown_text(name, report.breakdown(name)))
    if confusions:
        for what in ("relations", "tags"):
            click.echo("\n" + confusions_text(what, report.confusions(what)))


def _print_tuples(report: Report, side: str) -> None:
    from caesura.evaluate.spans import tuples

    comparison = report.comparison
    chosen = comparison.gold if side == "gold" else comparison.system
    for line in tuples(comparison, chosen):
        sys.stdout.write(line + "\n")


def _print_mismatches(report: Report, as_json: bool) -> None:
    from caesura.evaluate.mismatches import mismatches

    found = mismatches(report)
    if as_json:
        print_json([row.as_dict() for row in found])
        return
    for row in found:
        sys.stdout.write(f"{row}\n")
