"""The runner: files in, a model in between, files out, for every command that does so.

It reads, batches, keeps the order, passes over what cannot be read or annotated, and never replaces
an older result by an incomplete one. Who is told how it goes is a `Report`, how documents are
written a function, and who annotates an `Engine`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from caesura.document import Document
from caesura.durable import FolderInUse, Record, batch, exclusive
from caesura.errors import CaesuraError, InputError, WarningSink, internal
from caesura.options import Reading, Request
from caesura.pipeline.core import Pipeline
from caesura.pipeline.engine import Engine, Local
from caesura.pipeline.jobs import Job, Source
from caesura.pipeline.tasks import Begin, End, Event, Failed, batches, tasks

__all__ = ["Report", "Tally", "Write", "annotate_files", "engine_of", "run", "still_to_do"]

#: Files that are read without options.
AS_IT_IS: Final = Reading()
#: Writes documents to a path in a format.
Write = Callable[[Iterable[Document], str, str], None]


@dataclass
class Tally:
    """What was done, and what went wrong."""

    words: int = 0
    sentences: int = 0
    files: int = 0
    skipped: int = 0
    #: Documents that failed in files that were otherwise read.
    bad_documents: int = 0
    errors: list[CaesuraError] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return max(time.monotonic() - self.began, 1e-9)

    def line(self) -> str:
        seconds = self.seconds
        text = f"{self.words:,} words, {self.sentences:,} sentences, {self.files:,} files, "
        text += f"{seconds:.1f} s, {self.words / seconds:,.0f} words/s"
        if self.skipped:
            text += f"; {self.skipped:,} files were done already"
        bad_files = len(self.errors) - self.bad_documents
        for number, name in ((bad_files, "file"), (self.bad_documents, "document")):
            if number:
                text += f"; {number:,} {name}{'' if number == 1 else 's'} failed"
        return text


class Report:
    """Who is told how a run goes; this one keeps it to itself."""

    #: Takes warnings; None spares the checks that would make them.
    warn: WarningSink | None = None

    def done(self, doc: Document, tally: Tally) -> None:
        """A document is done, and counted."""

    def failed(self, error: CaesuraError) -> None:
        """A file or a document failed and is passed over."""


def run(
    engine: Engine,
    jobs: Sequence[Job],
    request: Request,
    write: Write,
    *,
    reading: Reading = AS_IT_IS,
    one_each: bool = False,
    report: Report | None = None,
    tally: Tally | None = None,
) -> Tally:
    """Annotate all files and write the results; one bad file does not stop the others.

    Results go into one file, or every file has `one_each`: then a file of which anything fails is
    not written.
    """
    report, tally = report or Report(), tally or Tally()
    events = annotate_files(
        engine, [job.source for job in jobs], request, reading=reading, warn=report.warn
    )
    follower = _Follower(events, tally, report)
    if one_each:
        with batch(), _alone(jobs):
            _write_each(follower, jobs, write)
    elif jobs:
        target, found = jobs[0].target, follower.documents()
        with suppress(_NothingDone):
            write(found if target == "-" else _some(found, tally), target, jobs[0].format)
    return tally


def engine_of(nlp: Pipeline, *, threads: int = 1, cluster: bool = False) -> Engine:
    """What annotates with a pipeline: this process, or a cluster that has the model's file."""
    if cluster:
        from caesura.pipeline.ray import Ray

        return Ray(Path(nlp.file.path), search=nlp.search)
    return Local(nlp, threads)


def still_to_do(jobs: Sequence[Job]) -> list[Job]:
    """The jobs whose target is missing, or made of a source that has changed since.

    A run notes the size and the time that every source had; see `durable.Record`.
    """
    records: dict[str, Record] = {}
    left = []
    for job in jobs:
        folder = os.path.dirname(job.target) or "."
        if folder not in records:
            records[folder] = Record(folder)
        if not records[folder].is_fresh(job.target, job.source.path):
            left.append(job)
    return left


def annotate_files(
    engine: Engine,
    sources: Iterable[Source],
    request: Request,
    *,
    reading: Reading = AS_IT_IS,
    warn: WarningSink | None = None,
) -> Iterator[Event]:
    """The events of all files, in their order; each ends once."""
    ended = False
    found = batches(tasks(sources, request, reading, warn=warn, watch=engine.watch))
    for event in engine(found, request):
        if isinstance(event, Begin):
            ended = False
        elif isinstance(event, End):
            if ended:  # it failed while it was streamed, and has been told of
                continue
            ended = True
        yield event


class _NothingDone(Exception):
    """Every file failed, so that an older output must not be replaced by an empty one."""


def _some(documents: Iterable[Document], tally: Tally) -> Iterator[Document]:
    """The same documents; there must be one if anything failed."""
    none = True
    for doc in documents:
        none = False
        yield doc
    if none and tally.errors:
        raise _NothingDone


@contextmanager
def _alone(jobs: Sequence[Job]) -> Iterator[None]:
    """No other run writes into the folders of these jobs."""
    with ExitStack() as stack:
        for folder in sorted({os.path.dirname(job.target) or "." for job in jobs}):
            with suppress(OSError):  # what cannot be made is told when something is written
                os.makedirs(folder, exist_ok=True)
            try:
                stack.enter_context(exclusive(folder))
            except FolderInUse:
                raise InputError(
                    "another run of Caesura writes into this folder",
                    file=folder,
                    remedy="Wait until it ends, or name another folder.",
                ) from None
        yield


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def _write_each(follower: _Follower, jobs: Sequence[Job], write: Write) -> None:
    todo = {job.source: job for job in jobs}
    # As they are before they are read: one that changes meanwhile is made again by --resume.
    known = {job.source: _stat(job.source.path) for job in jobs}
    records: dict[str, Record] = {}
    while (source := follower.next_file()) is not None:
        job = todo[source]
        folder = os.path.dirname(job.target) or "."
        try:
            os.makedirs(folder, exist_ok=True)
            write(follower.of_file(), job.target, job.format)
            if folder not in records:
                records[folder] = Record(folder)
            records[folder].note(job.target, known[source])
            follower.tally.files += 1
        except OSError as error:
            follower.fail(CaesuraError(f"cannot be written ({error})", file=job.target))
        except Exception as error:
            follower.fail(internal(error, source.shown))


class _Follower:
    """Takes events apart into files, counting them and telling of errors."""

    def __init__(self, events: Iterator[Event], tally: Tally, report: Report) -> None:
        self.events = events
        self.tally = tally
        self.report = report

    def documents(self) -> Iterator[Document]:
        """All documents of all files; errors are told and passed over."""
        for event in self.events:
            if isinstance(event, Document):
                self._count(event)
                yield event
            else:
                self._note(event)

    def next_file(self) -> Source | None:
        """The next file that begins; what is left of the last one is passed over."""
        for event in self.events:
            if isinstance(event, Begin):
                return event.source
            if isinstance(event, Failed | End) and event.error is not None:
                self._note(event)
        return None

    def of_file(self) -> Iterator[Document]:
        """The documents of the file that began; an error in it is raised."""
        for event in self.events:
            if isinstance(event, Document):
                self._count(event)
                yield event
            elif isinstance(event, Failed):
                raise event.error
            elif isinstance(event, End):
                if event.error is not None:
                    raise event.error
                return

    def fail(self, error: CaesuraError) -> None:
        self.tally.errors.append(error)
        self.report.failed(error)

    def _note(self, event: Event) -> None:
        if isinstance(event, Failed):
            self.tally.bad_documents += 1
            self.fail(event.error)
        elif isinstance(event, End):
            if event.error is not None:
                self.fail(event.error)
            else:
                self.tally.files += 1

    def _count(self, doc: Document) -> None:
        self.tally.words += doc.n_words
        self.tally.sentences += doc.n_sentences
        self.report.done(doc, self.tally)
