"""`caesura split`: the sentences of texts, one a line, as offsets or as JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from caesura.cli.console import WarningPrinter
from caesura.cli.inputs import find_sources, jobs
from caesura.cli.interrupt import complete
from caesura.cli.options import (
    bias_option,
    from_option,
    inputs_argument,
    output_option,
    quiet_option,
)
from caesura.cli.outputs import refuse_own_input
from caesura.cli.parse import Tally, make_engine
from caesura.cli.progress import Progress
from caesura.document import Document
from caesura.errors import CaesuraError

if TYPE_CHECKING:
    from caesura.pipeline.core import Mode
    from caesura.pipeline.files import Event, Source

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
    default="accurate",
    show_default=True,
    help="A wide beam where the text is ambiguous, or a narrower one that is faster.",
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
@output_option
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
    from caesura.pipeline.files import FileOptions, parse_files

    kind = "jsonl" if as_json else ("tsv" if offsets else "text")
    sources = find_sources(inputs, from_format, output=output, quiet=quiet)
    todo, one_each = jobs(sources, output, kind)
    if not one_each:
        refuse_own_input([source.path for source, _ in sources], output)
    options = FileOptions(newline_is_boundary=newline_is_boundary, encoding=encoding, errors=errors)
    engine = make_engine(
        "local",
        model,
        mode=mode,
        threads=1,
        beam=None,
        bias=bias,
        quiet=quiet,
        enough=frozenset({"head", "sentences"}),
    )
    tally = Tally()
    warnings = WarningPrinter(quiet=quiet)
    warn = None if quiet else warnings
    with Progress("Splitting", unit="words", quiet=quiet) as progress:
        events = parse_files(engine, [job.source for job in todo], options, warn=warn)
        files = _Lines(events, kind, tally, progress)
        if one_each:
            files.write_each({job.source: job.target or "" for job in todo})
        elif output in (None, "-"):
            for text in complete(files.all()):
                sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
                sys.stdout.buffer.flush()
        else:
            files.write_all(output or "-")
    warnings.close()
    return 1 if tally.errors else 0


class _NothingSplit(Exception):
    """Every file failed, so that an older output must not be replaced by an empty one."""


class _Lines:
    """What to print for each piece of each file; errors are told and counted."""

    def __init__(
        self, events: Iterator[Event], kind: str, tally: Tally, progress: Progress
    ) -> None:
        self.events = events
        self.kind = kind
        self.tally = tally
        self.progress = progress

    def all(self) -> Iterator[str]:
        """Those of all files."""
        while (source := self._next()) is not None:
            yield from self._of(source, stop=False)

    def write_all(self, output: str) -> None:
        """All into one file, which appears when it is complete."""
        from caesura.formats.io import open_write

        with suppress(_NothingSplit), open_write(output) as out:
            none = True
            for text in self.all():
                none = False
                out.write(text.encode("utf-8", "surrogatepass"))
            if none and self.tally.errors:
                raise _NothingSplit

    def write_each(self, targets: Mapping[Source, str]) -> None:
        """Those of each file into one of its own; none for a file that fails."""
        from caesura.formats.io import open_write

        while (source := self._next()) is not None:
            target = targets[source]
            try:
                os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
                with open_write(target) as out:
                    for text in self._of(source, stop=True):
                        out.write(text.encode("utf-8", "surrogatepass"))
            except OSError as error:
                self._fail(CaesuraError(f"cannot be written ({error})", file=target))
            except CaesuraError as error:
                self._fail(error)

    def _next(self) -> Source | None:
        """The next file that begins."""
        from caesura.pipeline.files import Begin

        for event in self.events:
            if isinstance(event, Begin):
                return event.source
        return None

    def _of(self, source: Source, *, stop: bool) -> Iterator[str]:
        """Those of the file that began; an error in it is raised if it shall `stop`."""
        from caesura.pipeline.files import End, Failed

        offset = 0
        for event in self.events:
            if isinstance(event, Document):
                offset = offset if event.continues else 0
                yield self._rows(event, source.path, offset)
                offset += len(event.text)
                self.progress.advance(event.n_words)
            elif isinstance(event, Failed | End):
                if event.error is not None and stop:
                    raise event.error
                if event.error is not None:
                    self._fail(event.error)
                if isinstance(event, End):
                    return

    def _rows(self, piece: Document, file: str, offset: int) -> str:
        import msgspec

        found = sentences(piece, offset)
        if self.kind == "jsonl":
            encode: Any = msgspec.json.encode
            rows = [
                encode({"file": file, "start": a, "end": b, "text": text}).decode()
                for a, b, text in found
            ]
        elif self.kind == "tsv":
            rows = [f"{a}\t{b}\t{' '.join(text.split())}" for a, b, text in found]
        else:
            rows = [" ".join(text.split()) for _, _, text in found]
        return "".join(f"{row}\n" for row in rows)

    def _fail(self, error: CaesuraError) -> None:
        self.tally.errors.append(error)
        self.progress.clear()
        click.echo(str(error), err=True)
