"""`caesura convert`: any format to any, with the changes of `caesura.transform` on the way."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from caesura import formats
from caesura.cli.files import (
    PIECES,
    Inputs,
    extension,
    is_folder,
    make_folder,
    plain_name,
    targets,
)
from caesura.cli.options import fields_options, inputs_argument, reading_options, writing_options
from caesura.cli.outputs import OwnInputs
from caesura.document import Document
from caesura.document.punctuation import parse_marks
from caesura.errors import UsageError
from caesura.formats.options import Fields
from caesura.transform import Changes, change, deal

__all__ = ["command", "convert", "split"]


def convert(
    inputs: Inputs, output: str | None, to_format: str | None, changes: Changes, mode: str | None
) -> None:
    """Write every input to its output."""
    adds = "heads" if changes.heads or changes.projectivise else None
    for target in targets(inputs, output, to_format, adds=adds):
        documents = (doc for source in target.sources for doc in inputs.of(source))
        changed = change(documents, changes, warn=inputs.sink)
        formats.write(changed, target.path, target.format, mode=mode)


def split(
    inputs: Inputs,
    output: str | None,
    to_format: str | None,
    changes: Changes,
    files: int,
    mode: str | None = None,
) -> list[Path]:
    """Deal the documents of all inputs out over so many files; returns the files."""
    if output is None or not is_folder(output):
        raise UsageError("--split writes several files", remedy="Name a folder: -o DIR/")
    name = to_format or inputs.format_of(inputs.paths[0])
    folder = make_folder(output)
    width = len(str(files))
    base = plain_name(inputs.paths[0])
    paths = [folder / f"{base}-{i + 1:0{width}}{extension(name)}" for i in range(files)]
    own = OwnInputs(inputs.paths)
    for path in paths:
        own.refuse(path, name)
    writers = [_Writer(path, name, mode) for path in paths]
    try:
        for number, document in deal(change(inputs, changes, warn=inputs.sink), files):
            writers[number].put(document)
    except BaseException as error:
        for writer in writers:
            writer.fail(error)
        raise
    for writer in writers:
        writer.finish()
    return paths


class _Stop(Exception):
    """Ends a writer without its file appearing."""


class _Writer:
    """A thread that writes the documents put into it to one file."""

    def __init__(self, path: Path, format_name: str, mode: str | None) -> None:
        self._queue: queue.Queue[Document | BaseException | None] = queue.Queue(maxsize=2)
        self._error: BaseException | None = None
        self._thread = threading.Thread(
            target=self._run, args=(path, format_name, mode), daemon=True
        )
        self._thread.start()

    def _run(self, path: Path, format_name: str, mode: str | None) -> None:
        try:
            formats.write(self._documents(), path, format_name, mode=mode)
        except BaseException as error:
            self._error = error
            while self._queue.get() is not None:
                pass

    def _documents(self) -> Iterator[Document]:
        while (item := self._queue.get()) is not None:
            if isinstance(item, BaseException):
                self._queue.put(None)
                raise _Stop
            yield item

    def put(self, document: Document) -> None:
        if self._error is not None:
            raise self._error
        self._queue.put(document)

    def fail(self, error: BaseException) -> None:
        if self._error is None:
            self._queue.put(error)
        else:
            self._queue.put(None)
        self._thread.join()

    def finish(self) -> None:
        self._queue.put(None)
        self._thread.join()
        if self._error is not None:
            raise self._error


def _names(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Names separated by commas or given in several options."""
    return tuple(name for item in given for name in item.replace(",", " ").split())


@click.command()
@inputs_argument
@reading_options
@writing_options
@click.option("--lower", is_flag=True, help="Fold to lower case.")
@click.option(
    "--drop-punct",
    is_flag=True,
    help="Leave punctuation out; what hangs on it climbs. With --lower: text as if spoken.",
)
@click.option(
    "--marks",
    metavar="WAY",
    help="Definition of punctuation: unicode, upos, xpos, or tags separated by spaces. "
    "[default: UPOS if it is universal, else known tags, else Unicode]",
)
@click.option("--drop", metavar="COLUMNS", multiple=True, callback=_names, help="Drop columns.")
@click.option(
    "--keep", metavar="COLUMNS", multiple=True, callback=_names, help="Drop all other columns."
)
@click.option("--projectivise", is_flag=True, help="Lift arcs until none cross.")
@click.option(
    "--heads",
    type=click.Choice(["collins", "yamada-matsumoto"]),
    help="Make dependencies of the phrases of brackets, by a table of head rules.",
)
@click.option(
    "--split",
    "files",
    type=click.IntRange(min=1),
    metavar="N",
    help="Deal whole documents out over N files of about equal length in -o DIR/.",
)
@fields_options
@click.option("--encoding", default="utf-8", show_default=True, help="Encoding of the input.")
@click.option(
    "--mode",
    metavar="MODE",
    help="Of text: what ends a paragraph (blank, line, none). "
    "Of tokens: what is on a line (sentence, token).",
)
@click.option(
    "--to-mode",
    metavar="MODE",
    help="The same for the output; of parquet: what a row is (word, sentence).",
)
def command(
    inputs: Sequence[str],
    from_format: str | None,
    skip_bad: bool,
    strict: bool,
    quiet: bool,
    to_format: str | None,
    output: str | None,
    lower: bool,
    drop_punct: bool,
    marks: str | None,
    drop: tuple[str, ...],
    keep: tuple[str, ...],
    projectivise: bool,
    heads: str | None,
    files: int | None,
    encoding: str,
    mode: str | None,
    to_mode: str | None,
    fields: Fields | None,
) -> None:
    """Convert FILES (or stdin) from any format to any, and change treebanks on the way.

    Formats are told by the extension or by --from and --to; .gz, .xz and .zst are read and written
    as they are. Without -o the result goes to stdout.

    COLUMNS are separated by commas: lemma, upos, xpos, feats, head, deprel, deps, misc, comments,
    empty-nodes, multiword, sentences, paragraphs, phrases.

    \b
    caesura convert treebank.conllu --to jsonl -o treebank.jsonl.gz
    caesura convert treebank.conllu --lower --drop-punct -o speech.conllu
    caesura convert treebank.conllu --split 10 -o folds/
    """
    reading = Inputs(
        inputs,
        from_format,
        skip_bad=skip_bad,
        strict=strict,
        quiet=quiet,
        encoding=encoding,
        mode=mode,
        fields=fields,
        pieces=PIECES,
        what="Converting",
    )
    if marks is not None and not drop_punct:
        raise UsageError("--marks defines what --drop-punct drops", remedy="Add --drop-punct.")
    definition = parse_marks(marks or "auto")
    changes = Changes(lower, drop_punct, definition, drop, keep, projectivise, heads)
    if files is not None:
        split(reading, output, to_format, changes, files, to_mode)
    else:
        convert(reading, output, to_format, changes, to_mode)
    reading.finish()
