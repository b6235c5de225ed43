"""`caesura validate`: check treebanks against their format and the guidelines of UD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

from caesura.cli.console import print_json
from caesura.cli.files import PIECES, Inputs
from caesura.cli.options import inputs_argument, json_option, options
from caesura.errors import CaesuraWarning, UsageError
from caesura.markup import text_table
from caesura.options import Reading, option

if TYPE_CHECKING:
    from caesura.guidelines import Guidelines

__all__ = ["command"]

#: The rule of what a reader reports.
FORMAT: Final = "format"
Row = dict[str, Any]


@dataclass(frozen=True)
class Options:
    guidelines: str | None = option(
        None,
        "Also check what this guideline table says of a language; off: check the format only.",
        metavar="TABLE|off",
    )
    learned: str | None = option(
        None,
        "Instead: make the guideline table of a language from its treebanks.",
        name="--learn",
        metavar="TABLE",
    )


@click.command()
@inputs_argument
@options("validate", own=Options, reading=Reading)
@json_option
def command(inputs: Sequence[str], own: Options, reading: Reading, as_json: bool) -> None:
    """Check the trees in FILES (or stdin) against their format and the guidelines of UD.

    Each problem is one line: file, line, rule, what is wrong. The rules have the names that UD's
    validator uses. The exit status is 1 if there is a problem. Sentences that cannot be read are
    problems, too; the others are still checked.

    \b
    caesura validate examples/harbour.conllu
    caesura validate --learn en.json train.conllu
    caesura validate --guidelines en.json parsed.conllu
    """
    problems: list[Row] = []

    def note(warning: CaesuraWarning) -> None:
        where = warning.where
        problems.append(_row(where.file, where.line, FORMAT, warning.what, where.sent_id))

    source = Inputs(
        inputs,
        replace(reading, skip_bad=True),
        pieces=PIECES,
        lines=True,
        warn=note,
        what="Validating",
    )
    if own.learned is not None:
        if own.guidelines is not None:
            raise UsageError("--learn makes a table", remedy="Leave --guidelines out.")
        _learn(source, own.learned, reading.quiet)
        return
    _check(source, own.guidelines, problems, as_json, reading.quiet)
    if problems:
        click.get_current_context().exit(1)


def _row(file: str | None, line: int | None, rule: str, what: str, sent_id: str | None) -> Row:
    return {"file": file, "line": line, "rule": rule, "message": what, "sent_id": sent_id}


def _learn(reading: Inputs, path: str, quiet: bool) -> None:
    from caesura.guidelines import learn, save

    found = learn(reading)
    save(found, path)
    if not quiet:
        off = ", ".join(sorted(found.off)) or "none"
        click.echo(f"{path}: learned from {found.words:,} words; rules that are off: {off}.")


def _table(name: str | None) -> Guidelines | None:
    """The guideline table to check with; None checks only the format."""
    from caesura.guidelines import GENERAL, load

    if name is None:
        return GENERAL
    return None if name == "off" else load(name)


def _check(
    reading: Inputs, guidelines: str | None, problems: list[Row], as_json: bool, quiet: bool
) -> None:
    """Print the problems as they are found; JSON at the end."""
    from caesura.guidelines import check

    rules = _table(guidelines)
    words = sentences = shown = 0
    for path in reading.paths:
        for doc in reading.of(path):
            words += doc.n_words
            sentences += doc.n_sentences
            for found in check(doc, rules) if rules is not None else ():
                what = f"{found.message} (word {found.form!r})"
                problems.append(
                    _row(doc.source or path, found.line, found.rule, what, found.sent_id)
                )
            if not as_json:
                _show(problems[shown:])
                shown = len(problems)
    counts = Counter(str(problem["rule"]) for problem in problems)
    rate = 1000 * len(problems) / max(words, 1)
    if as_json:
        summary = {"sentences": sentences, "words": words, "per_1000_words": round(rate, 2)}
        print_json({**summary, "rules": dict(sorted(counts.items())), "problems": problems})
        return
    _show(problems[shown:])
    if quiet:
        return
    rows = [(rule, f"{count:,}") for rule, count in counts.most_common()]
    if rows:
        click.echo("\n" + text_table(rows, right="lr"))
    total = f"{len(problems):,} problem{'s' * (len(problems) != 1)}" if rows else "No problems"
    click.echo(f"{total} in {sentences:,} sentences, {words:,} words ({rate:.1f} per 1,000 words).")


def _show(problems: Sequence[Row]) -> None:
    for problem in problems:
        place = ":".join(str(problem[key]) for key in ("file", "line") if problem[key] is not None)
        sent_id = f" (sent_id {problem['sent_id']})" if problem["sent_id"] else ""
        click.echo(f"{place}: {problem['rule']}: {problem['message']}{sent_id}")
