"""`caesura compare GOLD SYS1 SYS2 …`: several systems side by side, with significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from caesura.cli.console import print_json
from caesura.cli.evaluate import read_side, read_text
from caesura.cli.options import json_option, options
from caesura.cli.refuse import refuse
from caesura.errors import UsageError
from caesura.options import SEED, Reading, option

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


@dataclass(frozen=True)
class Options:
    raw: str | None = option(
        None, "Lay all sides over this raw text.", name="--text", metavar="RAW", reads=True
    )
    gold_format: str | None = option(
        None, "Format of GOLD; else by its extension.", metavar="FORMAT"
    )
    system_format: str | None = option(
        None, "Format of the systems; else by extension.", metavar="FORMAT"
    )
    metrics: tuple[str, ...] = option(
        (), "Test these metrics only, e.g. LAS. May be repeated.", name="--metric"
    )
    unit: str = option(
        "document",
        "What the tests pair and resample.",
        choices=("document", "sentence"),
        shown=True,
    )
    samples: int = option(
        10_000, "Samples of the bootstrap and of the randomisation.", least=100, shown=True
    )
    cross: str | None = option(
        None,
        "Print a cross table of this metric; name the systems SEGMENTER+TOKENISER+PARSER=FILE.",
        metavar="METRIC",
    )
    page: str | None = option(
        None, "Also write a report with plots.", name="--html", metavar="FILE.html", writes=True
    )
    seed: int = option(1, **SEED)


@click.command()
@click.argument("gold", metavar="GOLD")
@click.argument("systems", metavar="[NAME=]SYSTEM…", nargs=-1, required=True)
@options("compare", own=Options, reading=Reading)
@json_option
def command(
    gold: str, systems: tuple[str, ...], own: Options, reading: Reading, as_json: bool
) -> None:
    """Compare SYSTEMs with GOLD and with each other.

    The significance of every difference is tested over documents: Wilcoxon's signed-rank test, a
    paired bootstrap with a confidence interval, and approximate randomisation. With a single
    document there is the difference and no test, unless --unit sentence asks for one.
    """
    from caesura.evaluate.api import TESTED, compare
    from caesura.evaluate.tables import compare_text

    if own.cross is not None:
        refuse("--cross", "metrics", "unit", "samples", "page", "seed")
    wrong = [metric for metric in own.metrics if metric not in TESTABLE]
    if wrong:
        raise UsageError(f"no tests of {wrong[0]!r}", remedy=f"Metrics are: {', '.join(TESTABLE)}.")
    text = read_text(own.raw)
    truth = read_side(gold, own.gold_format, text, reading)
    outputs = {
        name: read_side(path, own.system_format, text, reading)
        for name, path in named(systems).items()
    }
    if own.cross is not None:
        _cross(truth, outputs, own.cross, as_json)
        return
    reports, tests = compare(
        truth,
        outputs,
        text=text,
        metrics=own.metrics or TESTED,
        unit=own.unit,
        samples=own.samples,
        seed=own.seed,
    )
    if own.page is not None:
        from caesura.evaluate.html import save_comparison

        save_comparison(reports, tests, own.page)
    if as_json:
        found = [
            {"first": first, "second": second, **test.as_dict()}
            for (first, second), own_tests in tests.items()
            for test in own_tests
        ]
        systems_found = {name: report.as_dict() for name, report in reports.items()}
        print_json({"systems": systems_found, "tests": found})
    else:
        click.echo(compare_text(reports, tests))


TESTABLE = (
    "Tokens", "Sentences", "Starts", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas", "UAS",
    "LAS",
)  # fmt: skip


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
