"""`caesura cluster`: learn word classes from text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import WarningPrinter, print_json
from caesura.cli.options import inputs_argument, json_option, options
from caesura.cli.progress import Progress
from caesura.cli.refuse import refuse
from caesura.cli.training import tell_result
from caesura.learn.run import quoted
from caesura.options import Reading, option

if TYPE_CHECKING:
    from caesura.document import Document

__all__ = ["command"]


@dataclass(frozen=True)
class Options:
    output: str = option(
        "", "The file to write.", name="-o --output", metavar="CLASSES", required=True, writes=True
    )
    classes: int = option(200, "Number of classes.", name="-k --classes", least=1, shown=True)
    method: str = option(
        "exchange",
        "Exchange clustering, or Brown's with paths as names.",
        choices=("exchange", "brown"),
        shown=True,
    )
    min_count: int = option(5, "Rarer words share one class.", least=1, shown=True)
    passes: int = option(15, "Passes over the words at most (exchange).", least=1, shown=True)
    lower: bool = option(False, "Take words in lower case.")


@click.command()
@inputs_argument
@options("cluster", own=Options, reading=Reading)
@json_option
def command(inputs: tuple[str, ...], own: Options, reading: Reading, as_json: bool) -> None:
    """Learn word classes from text, for `caesura train … --classes CLASSES`.

    Text without tokens is split by rule. The file has one word a line: the word, its class and
    how often it was seen, with tabs between.
    """
    from caesura.cluster import cluster, save_classes

    if own.method == "brown":
        refuse("--method brown", "passes")
    warn = WarningPrinter(quiet=reading.quiet, strict=reading.strict)
    with Progress("Clustering", total=1.0, quiet=reading.quiet) as progress:

        def report(share: float, note: str) -> None:
            progress.advance(share - progress.done, note)

        method: Any = own.method
        found = cluster(
            _documents(inputs or ("-",), own.lower, reading, warn),
            own.classes,
            method=method,
            min_count=own.min_count,
            passes=own.passes,
            report=report,
        )
    save_classes(found, own.output)
    warn.close()
    words = sum(found.counts.values())
    number = len(found.names) - 1
    files = inputs or ("text.txt",)
    following = quoted("induce", *files, "--classes", own.output, "-o", "my.grammar")
    about = f"{number:,} classes of {len(found):,} words, seen {words:,} times"
    tell_result(own.output, following, scores=about, what="Classes", quiet=reading.quiet)
    if as_json:
        print_json({"file": own.output, "classes": number, "types": len(found), "tokens": words,
                    "next": following})  # fmt: skip


def _documents(
    files: Sequence[str], lower: bool, reading: Reading, warn: WarningPrinter
) -> Iterator[Document]:
    from caesura.formats import format_of, read
    from caesura.stages.rules_tokenizer import RuleTokenizer

    rules = RuleTokenizer()
    for file in files:
        kind = reading.from_format or format_of(file, default="text")
        for doc in read(file, kind, warn=warn, **reading.how):
            if not doc.n_tokens:
                doc = rules.tokenize(doc)
            if lower:
                doc.set_column("form", [form.lower() for form in doc.column("form")])
            yield doc
