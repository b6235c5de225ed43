"""`caesura convert`: any format to any, with the changes of `caesura.transform` on the way."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import click

from caesura import formats
from caesura.cli.files import (
    PIECES,
    Inputs,
    extension,
    find_sources,
    is_folder,
    jobs,
    make_folder,
    plain_name,
    result_format,
)
from caesura.cli.options import inputs_argument, options
from caesura.cli.outputs import OwnInputs, default_format
from caesura.document import Document
from caesura.document.punctuation import parse_marks
from caesura.errors import UsageError
from caesura.options import Reading, Writing, option
from caesura.pipeline.jobs import Source
from caesura.transform import Changes, change, deal

__all__ = ["command", "convert", "split"]


def convert(
    inputs: Inputs, output: str | None, to_format: str | None, changes: Changes, mode: str | None
) -> None:
    """Write every input to its output."""
    adds = "heads" if changes.heads or changes.projectivise else None
    chosen = result_format(adds, output, to_format)

    def format_of(source: Source) -> str:
        return chosen or (default_format(adds, source.format) if adds else source.format)

    sources = find_sources(inputs.paths, inputs.reading.from_format, default=None)
    todo, _ = jobs(sources, output, format_of)
    for (target, kind), group in groupby(todo, key=lambda job: (job.target, job.format)):
        documents = (doc for job in group for doc in inputs.of(job.source.path))
        changed = change(documents, changes, warn=inputs.sink)
        formats.write(changed, target, kind, mode=mode)


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
    name = to_format or inputs.reading.from_format or formats.format_of(inputs.paths[0])
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


def _names(given: Sequence[str]) -> tuple[str, ...]:
    """Names separated by commas or given in several options."""
    return tuple(name for item in given for name in item.replace(",", " ").split())


@dataclass(frozen=True)
class Options:
    lower: bool = option(False, "Fold to lower case.")
    drop_punct: bool = option(
        False, "Leave punctuation out; what hangs on it climbs. With --lower: text as if spoken."
    )
    marks: str | None = option(
        None,
        "Definition of punctuation: unicode, upos, xpos, or tags separated by spaces. "
        "[default: UPOS if it is universal, else known tags, else Unicode]",
        metavar="WAY",
    )
    drop: tuple[str, ...] = option((), "Drop columns.", metavar="COLUMNS")
    keep: tuple[str, ...] = option((), "Drop all other columns.", metavar="COLUMNS")
    projectivise: bool = option(False, "Lift arcs until none cross.")
    heads: str | None = option(
        None,
        "Make dependencies of the phrases of brackets, by a table of head rules.",
        choices=("collins", "yamada-matsumoto"),
    )
    files: int | None = option(
        None,
        "Deal whole documents out over N files of about equal length in -o DIR/.",
        name="--split",
        least=1,
        metavar="N",
    )


@click.command()
@inputs_argument
@options("convert", reading=Reading, writing=Writing, own=Options)
def command(inputs: Sequence[str], reading: Reading, writing: Writing, own: Options) -> None:
    """Convert FILES (or stdin) from any format to any, and change treebanks on the way.

    The format is that of the extension, or of --from and --to; .gz, .xz and .zst are read and
    written as they are. Without -o the result goes to stdout.

    COLUMNS are separated by commas: lemma, upos, xpos, feats, head, deprel, deps, misc, comments,
    empty-nodes, multiword, sentences, paragraphs, phrases.

    \b
    caesura convert treebank.conllu --to jsonl -o treebank.jsonl.gz
    caesura convert treebank.conllu --lower --drop-punct -o speech.conllu
    caesura convert treebank.conllu --split 10 -o folds/
    """
    source = Inputs(inputs, reading, pieces=PIECES, what="Converting")
    if own.marks is not None and not own.drop_punct:
        raise UsageError("--marks defines what --drop-punct drops", remedy="Add --drop-punct.")
    changes = Changes(
        own.lower,
        own.drop_punct,
        parse_marks(own.marks or "auto"),
        _names(own.drop),
        _names(own.keep),
        own.projectivise,
        own.heads,
    )
    where = (source, writing.output, writing.to_format, changes)
    if own.files is not None:
        split(*where, own.files, writing.to_mode)
    else:
        convert(*where, writing.to_mode)
    source.finish()
