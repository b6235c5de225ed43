"""`caesura cluster`: learn word classes from text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import WarningPrinter, print_json
from caesura.cli.options import inputs_argument, json_option, reading_options
from caesura.cli.progress import Progress
from caesura.cli.refuse import refuse
from caesura.cli.training import tell_result
from caesura.learn.run import quoted

if TYPE_CHECKING:
    from caesura.document import Document

__all__ = ["command"]


@click.command()
@inputs_argument
@click.option("-o", "--output", required=True, metavar="CLASSES", help="The file to write.")
@click.option(
    "-k", "--classes", type=click.IntRange(min=1), default=200, show_default=True,
    help="Number of classes.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice(["exchange", "brown"]), default="exchange", show_default=True,
    help="Exchange clustering, or Brown's with paths as names.",
)  # fmt: skip
@click.option(
    "--min-count", type=click.IntRange(min=1), default=5, show_default=True,
    help="Rarer words share one class.",
)  # fmt: skip
@click.option(
    "--passes", type=click.IntRange(min=1), default=15, show_default=True,
    help="Passes over the words at most (exchange).",
)  # fmt: skip
@click.option("--lower", is_flag=True, help="Take words in lower case.")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@reading_options
@json_option
def command(
    inputs: tuple[str, ...],
    output: str,
    classes: int,
    method: Any,
    min_count: int,
    passes: int,
    lower: bool,
    encoding: str,
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn word classes from text, for `caesura train … --classes CLASSES`.

    Text without tokens is split by rule. The file has one word a line: the word, its class and
    how often it was seen, with tabs between.
    """
    from caesura.cluster import cluster, save_classes

    if method == "brown":
        refuse("--method brown", "passes")
    warn = WarningPrinter(quiet=quiet, strict=strict)
    reading = {"skip_bad": skip_bad, "strict": strict, "warn": warn, "encoding": encoding}
    text = _documents(inputs or ("-",), from_format, lower, reading)
    with Progress("Clustering", total=1.0, quiet=quiet) as progress:

        def report(share: float, note: str) -> None:
            progress.advance(share - progress.done, note)

        found = cluster(
            text, classes, method=method, min_count=min_count, passes=passes, report=report
        )
    save_classes(found, output)
    warn.close()
    words = sum(found.counts.values())
    number = len(found.names) - 1
    command = quoted("induce", *(inputs or ("text.txt",)), "--classes", output, "-o", "my.grammar")
    about = f"{number:,} classes of {len(found):,} words, seen {words:,} times"
    tell_result(output, command, scores=about, what="Classes", quiet=quiet)
    if as_json:
        print_json({"file": output, "classes": number, "types": len(found), "tokens": words,
                    "next": command})  # fmt: skip


def _documents(
    files: Sequence[str], from_format: str | None, lower: bool, reading: dict[str, Any]
) -> Iterator[Document]:
    from caesura.formats import format_of, read
    from caesura.stages.rules_tokenizer import RuleTokenizer

    rules = RuleTokenizer()
    for file in files:
        kind = from_format or format_of(file, default="text")
        for doc in read(file, kind, **reading):
            if not doc.n_tokens:
                doc = rules.tokenize(doc)
            if lower:
                doc.set_column("form", [form.lower() for form in doc.column("form")])
            yield doc
