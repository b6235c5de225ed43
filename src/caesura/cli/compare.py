"""`caesura compare GOLD SYS1 SYS2 …`: several systems side by side, with significance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import print_json
from caesura.cli.evaluate import read_side, read_text
from caesura.cli.options import (
    json_option,
    quiet_option,
    seed_option,
    skip_bad_option,
    strict_option,
)
from caesura.cli.refuse import refuse
from caesura.errors import UsageError

if TYPE_CHECKING:
    from caesura.document import Document


def named(systems: Sequence[str]) -> dict[str, str]:
    """Names and files of systems: `NAME=FILE`, or the file's own name, as short as is clear."""
    found: dict[str, str] = {}
    for given in systems:
        name, sign, path = given.partition("=")
        if not sign or Path(given).exists():
            name, path = Path(given).name.split(".")[0], given
        if name in found:
            name = path
        found[name] = path
    return found


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("systems", metavar="[NAME=]SYSTEM…", nargs=-1, required=True)
@click.option("--text", "raw", metavar="RAW", help="Lay all sides over this raw text.")
@click.option("--gold-format", metavar="FORMAT", help="Format of GOLD; else by its extension.")
@click.option("--system-format", metavar="FORMAT", help="Format of the systems; else by extension.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Test these metrics only, e.g. LAS. May be repeated.",
)
@click.option(
    "--unit",
    type=click.Choice(["document", "sentence"]),
    default="document",
    show_default=True,
    help="What the tests pair and resample.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    default=10_000,
    show_default=True,
    help="Samples of the bootstrap and of the randomisation.",
)
@click.option(
    "--cross",
    metavar="METRIC",
    help="Print a cross table of this metric; name the systems SEGMENTER+TOKENISER+PARSER=FILE.",
)
@click.option("--html", "page", metavar="FILE.html", help="Also write a report with plots.")
@seed_option
@json_option
@skip_bad_option
@strict_option
@quiet_option
def command(
    gold: str,
    systems: tuple[str, ...],
    raw: str | None,
    gold_format: str | None,
    system_format: str | None,
    metrics: tuple[str, ...],
    unit: str,
    samples: int,
    cross: str | None,
    page: str | None,
    seed: int,
    as_json: bool,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
) -> None:
    """Compare SYSTEMs with GOLD and with each other.

    The significance of every difference is tested over documents: Wilcoxon's signed-rank test, a
    paired bootstrap with a confidence interval, and approximate randomisation. With a single
    document there is the difference and no test, unless --unit sentence asks for one.
    """
    from caesura.evaluate.api import TESTED, compare
    from caesura.evaluate.tables import compare_text

    if cross is not None:
        refuse("--cross", "metrics", "unit", "samples", "page", "seed")
    wrong = [metric for metric in metrics if metric not in TESTABLE]
    if wrong:
        raise UsageError(f"no tests of {wrong[0]!r}", remedy=f"Metrics are: {', '.join(TESTABLE)}.")
    text = read_text(raw)
    reading: dict[str, Any] = {"skip_bad": skip_bad, "strict": strict, "quiet": quiet}
    truth = read_side(gold, gold_format, text, **reading)
    outputs = {
        name: read_side(path, system_format, text, **reading)
        for name, path in named(systems).items()
    }
    if cross is not None:
        _cross(truth, outputs, cross, as_json)
        return
    reports, tests = compare(
        truth,
        outputs,
        text=text,
        metrics=metrics or TESTED,
        unit=unit,
        samples=samples,
        seed=seed,
    )
    if page is not None:
        from caesura.evaluate.html import save_comparison

        save_comparison(reports, tests, page)
    if as_json:
        print_json(
            {
                "systems": {name: report.as_dict() for name, report in reports.items()},
                "tests": [
                    {"first": first, "second": second, **test.as_dict()}
                    for (first, second), found in tests.items()
                    for test in found
                ],
            }
        )
    else:
        click.echo(compare_text(reports, tests))


TESTABLE = (
    "Tokens",
    "Sentences",
    "Starts",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
)


def _cross(
    gold: list[Document], outputs: dict[str, list[Document]], metric: str, as_json: bool
) -> None:
    from caesura.evaluate.conll import METRICS
    from caesura.evaluate.loss import cross_table
    from caesura.evaluate.tables import columns

    if metric not in METRICS:
        raise UsageError(f"no metric {metric!r}", remedy=f"Metrics are: {', '.join(METRICS)}.")
    names, rows = cross_table(
        gold, {tuple(name.split("+")): docs for name, docs in outputs.items()}, metric
    )
    if as_json:
        print_json(
            {
                "metric": metric,
                "columns": names,
                "rows": [{"name": list(name), "f1": cells} for name, cells in rows],
            }
        )
        return
    shown = [[metric, *names]]
    for name, cells in rows:
        shown.append([" + ".join(name), *("–" if c is None else f"{c:.2f}" for c in cells)])
    click.echo(columns(shown))
