"""`caesura split`: the sentences of texts, one a line, as offsets or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.inputs import find_sources
from caesura.cli.interrupt import complete
from caesura.cli.options import bias_option, from_option, inputs_argument, quiet_option
from caesura.cli.parse import Tally, announce_compiling
from caesura.cli.progress import Progress
from caesura.document import Document
from caesura.errors import WarningSink

if TYPE_CHECKING:
    from caesura.pipeline.core import Mode
    from caesura.pipeline.files import Engine, FileOptions, Source

__all__ = ["command", "sentences"]


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
    default="fast",
    show_default=True,
    help="A narrow beam, or a wider one that takes longer.",
)
@bias_option
@click.option("--newline-is-boundary", is_flag=True, help="Every line ends a sentence.")
@click.option("--offsets", is_flag=True, help="Print start and end (code points) before each.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each sentence.")
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@click.option(
    "--errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Stop at bytes that are not of the encoding, or put U+FFFD.",
)
@from_option
@quiet_option
def command(
    inputs: tuple[str, ...],
    model: str,
    mode: Mode,
    bias: float | None,
    newline_is_boundary: bool,
    offsets: bool,
    as_json: bool,
    encoding: str,
    errors: str,
    from_format: str | None,
    quiet: bool,
) -> int:
    """Split FILES (or stdin) into sentences, one a line; spaces and line ends in them are folded.

    With --offsets: start, end and sentence, separated by tabs, where text[start:end] is the
    sentence as it stands in the file. With --json the sentence is that, unchanged.

    \b
    caesura split letter.txt
    caesura split chat.log --newline-is-boundary --offsets
    """
    from caesura.pipeline.files import FileOptions

    sources = [source for source, _ in find_sources(inputs, from_format, quiet=quiet)]
    options = FileOptions(newline_is_boundary=newline_is_boundary, encoding=encoding, errors=errors)
    engine = _engine(model, mode, bias, quiet)
    tally = Tally()
    warnings = WarningPrinter(quiet=quiet)
    with Progress("Splitting", unit="words", quiet=quiet) as progress:
        warn = None if quiet else warnings
        lines = _lines(engine, sources, options, tally, progress, offsets, as_json, warn)
        for text in complete(lines):
            sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
            sys.stdout.buffer.flush()
    warnings.close()
    return 1 if tally.errors else 0


def _lines(
    engine: Engine,
    sources: list[Source],
    options: FileOptions,
    tally: Tally,
    progress: Progress,
    offsets: bool,
    as_json: bool,
    warn: WarningSink | None = None,
) -> Iterator[str]:
    """What to print for each piece of each file."""
    import msgspec

    from caesura.pipeline.files import Begin, End, Failed, parse_files

    file, offset = "", 0
    encode: Any = msgspec.json.encode
    for event in parse_files(engine, sources, options, warn=warn):
        if isinstance(event, Begin):
            file = event.source.path
        elif isinstance(event, Document):
            offset = offset if event.continues else 0
            found = list(sentences(event, offset))
            offset += len(event.text)
            progress.advance(event.n_words)
            if as_json:
                rows = [
                    encode({"file": file, "start": a, "end": b, "text": text}).decode()
                    for a, b, text in found
                ]
            elif offsets:
                rows = [f"{a}\t{b}\t{' '.join(text.split())}" for a, b, text in found]
            else:
                rows = [" ".join(text.split()) for _, _, text in found]
            yield "".join(f"{row}\n" for row in rows)
        elif isinstance(event, Failed) or (isinstance(event, End) and event.error is not None):
            assert event.error is not None
            tally.errors.append(event.error)
            progress.clear()
            click.echo(str(event.error), err=True)


def _engine(model: str, mode: Mode, bias: float | None, quiet: bool) -> Engine:
    """The pipeline of a model; a tokeniser is enough."""
    from caesura.cli.parse import make_engine
    from caesura.models.file import load
    from caesura.models.store import find
    from caesura.pipeline.files import Local

    file = load(find(model))
    if set(file.parts) == {"tokenizer"}:
        from caesura.pipeline.splitter import Splitter

        announce_compiling(quiet)
        return Local(Splitter(file, bias=bias or 0.0))
    return make_engine("local", file, mode=mode, threads=1, beam=None, bias=bias, quiet=quiet)
