"""`caesura split`: the sentences of texts, one a line, as offsets or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click
import msgspec

from caesura.cli.inputs import find_sources
from caesura.cli.interrupt import complete
from caesura.cli.options import (
    across_turns_option,
    bias_option,
    encoding_options,
    from_option,
    inputs_argument,
    output_option,
    quiet_option,
    resume_option,
    threads_option,
)
from caesura.cli.parse import load_pipeline
from caesura.cli.running import plan, run_plan
from caesura.document import Document
from caesura.formats.io import open_write
from caesura.pipeline.engine import Engine
from caesura.pipeline.runner import engine_of
from caesura.pipeline.tasks import RunOptions

if TYPE_CHECKING:
    from caesura.pipeline.core import Mode

__all__ = ["command", "sentences", "write_sentences"]


def sentences(piece: Document, offset: int) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of the sentences of a piece of a text that begins at an offset."""
    bounds = piece.sentence_bounds
    starts, ends = piece.token_start.tolist(), piece.token_end.tolist()
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        start, end = starts[first], ends[last - 1]
        yield start + offset, end + offset, piece.text[start:end]


@click.command()
@inputs_argument
@click.option("-m", "--model", default="en", show_default=True, help="A model: name or file.")
@click.option(
    "--mode",
    type=click.Choice(["accurate", "fast"]),
    default="accurate",
    show_default=True,
    help="A wide beam where the text is ambiguous, or a narrower one that is faster.",
)
@bias_option
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@across_turns_option
@click.option("--offsets", is_flag=True, help="Print start and end (code points) before each.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each sentence.")
@threads_option
@encoding_options
@resume_option
@from_option
@output_option
@quiet_option
def command(
    inputs: tuple[str, ...],
    model: str,
    mode: Mode,
    bias: float | None,
    newline_is_boundary: bool,
    across_turns: bool,
    offsets: bool,
    as_json: bool,
    threads: int,
    encoding: str,
    errors: str,
    resume: bool,
    from_format: str | None,
    output: str | None,
    quiet: bool,
) -> int:
    """Split FILES (or stdin) into sentences, one a line; spaces and line ends in them are folded.

    With --offsets: start, end and sentence, separated by tabs, where text[start:end] is the
    sentence as it stands in the file. With --json the sentence is that, unchanged. Sentences are
    those that `caesura parse` finds.

    \b
    caesura split letter.txt
    caesura split chat.log --newline-is-boundary --offsets
    caesura split corpus/ -o sentences/
    """
    from caesura.models.store import load_model

    kind = "jsonl" if as_json else ("tsv" if offsets else "text")

    def make_engine() -> Engine:
        enough = frozenset({"head", "sentences"})
        file = load_model(model)
        nlp = load_pipeline(file, mode=mode, threads=threads, enough=enough, bias=bias, quiet=quiet)
        return engine_of(nlp, threads=threads)

    sources = find_sources(inputs, from_format, output=output, quiet=quiet)
    return run_plan(
        plan(sources, output, lambda source: kind, resume=resume),
        make_engine,
        RunOptions(
            newline_is_boundary=newline_is_boundary,
            across_turns=across_turns,
            encoding=encoding,
            errors=errors,
        ),
        write_sentences,
        what="Splitting",
        quiet=quiet,
    )


def write_sentences(docs: Iterable[Document], path: str, kind: str) -> None:
    """The sentences of documents, one a line, as they come; a file appears when it is complete."""
    if path == "-":
        for rows in complete(_rows(docs, kind)):
            sys.stdout.buffer.write(rows)
            sys.stdout.buffer.flush()
        return
    with open_write(path) as out:
        for rows in _rows(docs, kind):
            out.write(rows)


def _rows(docs: Iterable[Document], kind: str) -> Iterator[bytes]:
    """The lines of each piece of each document; offsets go on where a document does."""
    offset = 0
    for piece in docs:
        offset = offset if piece.continues else 0
        found = sentences(piece, offset)
        offset += len(piece.text)
        if kind == "jsonl":
            file = "-" if piece.source in (None, "<stdin>") else piece.source
            lines = [
                msgspec.json.encode({"file": file, "start": a, "end": b, "text": text}).decode()
                for a, b, text in found
            ]
        elif kind == "tsv":
            lines = [f"{a}\t{b}\t{' '.join(text.split())}" for a, b, text in found]
        else:
            lines = [" ".join(text.split()) for _, _, text in found]
        yield "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
