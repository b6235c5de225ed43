"""`caesura evaluate GOLD SYSTEM`: score an annotation against gold."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import WarningPrinter, print_json
from caesura.cli.options import json_option, quiet_option, skip_bad_option, strict_option
from caesura.cli.refuse import refuse
from caesura.errors import InputError

if TYPE_CHECKING:
    from caesura.document import Document
    from caesura.evaluate.report import Report
    from caesura.evaluate.spans import SpanOptions

LEVELS = {
    "sentences": "SENT",
    "tokens": "TOK",
    "words": "WORD",
    "tags": "POS",
    "phrases": "PS",
    "dependencies": "DEP",
}
BY = ("document", "genre", "sentence length", "arc length", "label", "tag")


def read_side(
    path: str,
    format: str | None,
    text: str | None,
    *,
    skip_bad: bool = False,
    strict: bool = False,
    quiet: bool = False,
) -> list[Document]:
    """The documents of one side; what its reader has to say goes to stderr."""
    from caesura.evaluate import load

    printer = WarningPrinter(quiet=quiet, strict=strict)
    # What is odd about trees is counted in the notes of the report.
    docs = load(path, format=format, text=text, skip_bad=skip_bad, strict=strict, warn=printer)
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


def span_options(
    param: str | None, unlabelled: bool, fuzzy: bool, tags: str, subtypes: bool
) -> SpanOptions:
    from caesura.evaluate import Evalb, SpanOptions, read_parameters

    evalb = read_parameters(param) if param else Evalb()
    return SpanOptions(
        evalb=evalb, unlabelled=unlabelled, fuzzy=fuzzy, tags=tags, subtypes=subtypes
    )


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("system", metavar="SYSTEM")
@click.option("--text", "raw", metavar="RAW", help="Lay both sides over this raw text.")
@click.option(
    "--level",
    "levels",
    multiple=True,
    type=click.Choice([*LEVELS, *LEVELS.values()], case_sensitive=False),
    metavar="LEVEL",
    help=f"Compare only these levels as spans: {', '.join(LEVELS)}. May be repeated.",
)
@click.option("--gold-format", metavar="FORMAT", help="Format of GOLD; else by its extension.")
@click.option("--system-format", metavar="FORMAT", help="Format of SYSTEM; else by its extension.")
@click.option(
    "--param", metavar="FILE.prm", help="Parameter file of evalb: labels to delete and equate."
)
@click.option("--unlabelled", is_flag=True, help="Compare spans without their labels.")
@click.option("--fuzzy", is_flag=True, help="Forgive punctuation at the edges of spans.")
@click.option(
    "--tags",
    type=click.Choice(["auto", "upos", "xpos"]),
    default="auto",
    show_default=True,
    help="Which tags to compare as spans.",
)
@click.option("--subtypes", is_flag=True, help="Compare dependency labels with their subtypes.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(BY),
    help="Break the scores down. May be repeated.",
)
@click.option("--confusions", is_flag=True, help="Show what is taken for what most often.")
@click.option(
    "--induced",
    is_flag=True,
    help="Also score heads as for induced grammars: directed, undirected, beside chains, and "
    "what is reversed (needs the tokens of gold).",
)
@click.option(
    "--marks",
    default="auto",
    show_default=True,
    metavar="WAY",
    help="Definition of punctuation: auto, unicode, upos, xpos, or tags separated by spaces.",
)
@click.option(
    "--from-sentences", metavar="FILE", help="Output of the same system from gold sentences."
)
@click.option("--from-tokens", metavar="FILE", help="Output of the same system from gold tokens.")
@click.option("--from-tags", metavar="FILE", help="Output of the same system from gold tags.")
@click.option(
    "--tuples",
    type=click.Choice(["gold", "system"]),
    help="Write the spans of one side instead of scores: start, end, label.",
)
@click.option("--mismatches", is_flag=True, help="List the spans that differ instead of scores.")
@click.option("--html", "page", metavar="FILE.html", help="Also write a report with plots.")
@json_option
@skip_bad_option
@strict_option
@quiet_option
def command(
    gold: str,
    system: str,
    raw: str | None,
    levels: tuple[str, ...],
    gold_format: str | None,
    system_format: str | None,
    param: str | None,
    unlabelled: bool,
    fuzzy: bool,
    tags: str,
    subtypes: bool,
    by: tuple[str, ...],
    confusions: bool,
    induced: bool,
    marks: str,
    from_sentences: str | None,
    from_tokens: str | None,
    from_tags: str | None,
    tuples: str | None,
    mismatches: bool,
    page: str | None,
    as_json: bool,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
) -> None:
    """Score SYSTEM against GOLD, both in any format.

    The two may differ in tokens, sentences and spelling. The first scores are those of the CoNLL
    2018 shared task; sentence boundaries are counted three ways; spans of characters are compared
    level by level, phrase structure included.
    """
    from caesura.evaluate import evaluate
    from caesura.evaluate.spans import LEVELS as ALL

    instead = "--tuples" if tuples is not None else "--mismatches" if mismatches else None
    if instead is not None:
        refuse(instead, "by", "confusions", "induced", remedy="Scores are printed without it.")
    if tuples is not None:
        refuse(instead or "", "mismatches", "as_json", remedy="Leave one of them out.")
    text = read_text(raw)
    reading: dict[str, Any] = {"skip_bad": skip_bad, "strict": strict, "quiet": quiet}
    stages = {"sentences": from_sentences, "tokens": from_tokens, "tags": from_tags}
    outputs = {
        stage: read_side(path, system_format, text, **reading)
        for stage, path in stages.items()
        if path is not None
    }
    report = evaluate(
        read_side(gold, gold_format, text, **reading),
        read_side(system, system_format, text, **reading),
        text=text,
        levels=[LEVELS.get(level, level) for level in levels] or ALL,
        options=span_options(param, unlabelled, fuzzy, tags, subtypes),
        outputs=outputs or None,
        marks=marks,
        name=Path(system).name,
    )
    heads = None
    if induced:
        from caesura.evaluate.induced import directed

        heads = directed(report.comparison.pairs, report.marks)
        report.scores |= heads.scores()
    if page is not None:
        report.save_html(page)
    if tuples is not None:
        _print_tuples(report, tuples)
    elif mismatches:
        _print_mismatches(report, as_json)
    elif as_json:
        data = report.as_dict(breakdowns=by)
        if confusions:
            data["confusions"] = {
                what: [found.as_dict() for found in report.confusions(what)]
                for what in ("relations", "tags")
            }
        if heads is not None:
            data["reversed"] = [row.as_dict() for row in heads.reversed]
        print_json(data)
    else:
        _print_report(report, by, confusions)
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
