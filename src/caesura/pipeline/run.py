"""A run over files: files become tasks, an engine annotates them, results are written.

What travels is a row of events: a file begins, its documents follow, it ends, with or without an
error. The order is kept; what cannot be read or annotated is skipped, and an older result is never
replaced by an incomplete one. A long plain text comes in blocks, so that memory is bounded.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from caesura import formats
from caesura.document import Document
from caesura.durable import FolderInUse, Record, batch, exclusive
from caesura.errors import CaesuraError, CaesuraWarning, InputError, WarningSink, Where, internal
from caesura.formats.io import blocks, open_read
from caesura.formats.options import ReadOptions
from caesura.language import Watch
from caesura.options import Reading, Request
from caesura.pipeline.blocks import LONG, batches, ordered, stream_within
from caesura.pipeline.jobs import Job, Source
from caesura.turns import HEAD, find_turns, speakers

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = [
    "Begin",
    "End",
    "Engine",
    "Event",
    "Failed",
    "Local",
    "LongText",
    "Report",
    "Tally",
    "Task",
    "Unit",
    "Write",
    "annotate_batch",
    "annotate_files",
    "annotate_long",
    "engine_of",
    "run",
    "still_to_do",
]

#: Files that are read without options.
AS_IT_IS: Final = Reading()
#: Writes documents to a path in a format.
Write = Callable[[Iterable[Document], str, str], None]
#: Speakers that are named when a text is reported as a transcript.
_NAMED: Final = 3
#: Formats whose documents seldom have names, and get that of their file. A treebank says itself
#: what its documents are called.
_NAMELESS: Final = (
    "transcript", "asr", "fields", "elan", "textgrid", "chat", "html", "markdown", "tokens",
)  # fmt: skip


# --------------------------------------------------------------------- tasks


class Begin(NamedTuple):
    """A file begins."""

    source: Source


class End(NamedTuple):
    """A file ends; with an error if it could not be read to its end."""

    source: Source
    error: CaesuraError | None = None


class Failed(NamedTuple):
    """Stands where a document would that could not be annotated."""

    error: CaesuraError


class Unit(NamedTuple):
    """A document to annotate and what of it is kept."""

    document: Document
    keep: tuple[str, ...]


class LongText(NamedTuple):
    """A plain text that is too long to be held, in blocks."""

    source: Source
    blocks: Iterator[str]


Task = Begin | End | Unit | LongText
Event = Begin | End | Failed | Document


def tasks(
    sources: Iterable[Source],
    request: Request,
    reading: Reading,
    *,
    warn: WarningSink | None = None,
    watch: Watch | None = None,
) -> Iterator[Task]:
    """The tasks of all files; `warn` receives a warning for the first text in another language."""
    look = _Look(watch, warn)
    for source in sources:
        yield Begin(source)
        error: CaesuraError | None = None
        try:
            yield from _read(source, request, reading, warn, look)
        except CaesuraError as caught:
            error = caught
        except OSError as caught:
            what = f"cannot be read ({caught.strerror or caught})"
            error = InputError(what, file=source.path)
        except Exception as caught:
            error = internal(caught, source.shown)
        yield End(source, error)


def _tell_turns(text: str, source: Source, warn: WarningSink | None) -> None:
    """Warn that a plain text is read as a transcript, by its first part."""
    if warn is None:
        return
    names = speakers(find_turns(text[:HEAD]))
    if names:
        who = ", ".join(names[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
        what = f"this is a transcript: its lines are labelled {who}, and each begins a sentence"
        remedy = "If they name nobody, or a sentence may go on after them, pass --across-turns."
        warn(CaesuraWarning(what, Where(source.shown), remedy))


class _Look:
    """Checks the language of every text, if warnings are wanted."""

    def __init__(self, watch: Watch | None, warn: WarningSink | None) -> None:
        self._watch = watch
        self._warn = warn

    def __call__(self, text: str, source: Source) -> str:
        """The same text, looked at."""
        if self._watch is not None and self._warn is not None:
            said = self._watch.look(text)
            if said is not None:
                self._warn(CaesuraWarning(said, Where(source.shown), self._watch.remedy))
        return text


def _read(
    source: Source, request: Request, reading: Reading, warn: WarningSink | None, look: _Look
) -> Iterator[Task]:
    if source.format == "text" and reading.fields is None:
        yield from _read_text(source, request, reading, warn, look)
        return
    keep = request.keep
    if source.format in request.tokenised and "tokens" not in keep:
        keep = (*keep, "tokens")
    unnamed = 0
    kind = "fields" if source.format == "text" else source.format
    for doc in formats.read(source.path, kind, warn=warn, **reading.how):
        if doc.id is None and source.id and source.format in _NAMELESS:
            unnamed += 1
            doc.id = source.id if unnamed == 1 else f"{source.id}-{unnamed}"
        look(doc.text, source)
        yield Unit(doc, keep if doc.n_tokens else ())


def _read_text(
    source: Source, request: Request, reading: Reading, warn: WarningSink | None, look: _Look
) -> Iterator[Task]:
    """A short text whole, a long one as blocks."""
    how = ReadOptions(file=source.shown, warn=warn, **reading.how)
    told = None if request.across_turns or reading.strict else warn
    with open_read(source.path) as raw:
        live = request.within is not None
        found = blocks(raw, how, whole_lines=False, keep_crlf=True, live=live)
        texts = (text for text, _ in found)
        if live:
            yield LongText(source, (look(text, source) for text in texts))
            return
        known: list[str] = []
        size = 0
        for text in texts:
            known.append(text)
            size += len(text)
            if size > LONG:
                _tell_turns("".join(known), source, told)
                yield LongText(source, (look(text, source) for text in chain(known, texts)))
                return
    whole = look("".join(known), source)
    _tell_turns(whole, source, told)
    yield Unit(Document(text=whole, id=source.id, source=source.path), ())


def _size(task: Task) -> int | None:
    """The characters of a task; None for a long text."""
    if isinstance(task, LongText):
        return None
    return len(task.document.text) if isinstance(task, Unit) else 0


# -------------------------------------------------------------------- engines


class Engine(ABC):
    """Takes batches of tasks, each a single long text or without one, to events, in order."""

    #: Who looks at texts where they are read, once; None for a model that says no language.
    watch: Watch | None = None

    @abstractmethod
    def __call__(self, batches: Iterator[list[Task]], request: Request) -> Iterator[Event]:
        """The events of all batches, in order."""


def annotate_batch(nlp: Pipeline, batch: Sequence[Task], request: Request) -> list[Event]:
    """The events of a batch without a long text."""
    units = [task for task in batch if isinstance(task, Unit)]
    found: Iterator[list[Event]]
    if request.k_best or len({unit.keep for unit in units}) > 1:
        found = (_one(nlp, unit, request) for unit in units)
    else:
        try:
            shared = replace(request, keep=units[0].keep if units else ())
            docs = nlp.batch_of([unit.document for unit in units], shared)
            found = ([doc] for doc in docs)
        except Exception:  # one by one it is found out whose it is
            found = (_one(nlp, unit, request) for unit in units)
    events: list[Event] = []
    for task in batch:
        if isinstance(task, Unit):
            events += next(found)
        elif not isinstance(task, LongText):
            events.append(task)
    return events


def _one(nlp: Pipeline, unit: Unit, request: Request) -> list[Event]:
    """A document on its own: its analysis, its k best ones, or the error."""
    request = replace(request, keep=unit.keep)
    try:
        if not request.k_best:
            return [*nlp.batch_of([unit.document], request)]
        found = nlp.k_best_of(unit.document, request)
        for rank, doc in enumerate(found, 1):
            doc.id = f"{doc.id}.{rank}" if doc.id else str(rank)
            doc.comments = {}
        return [*found]
    except Exception as error:
        return [Failed(internal(error, unit.document.source))]


def annotate_long(nlp: Pipeline, task: LongText, request: Request) -> Iterator[Event]:
    """The pieces of a long text; an error ends its file."""
    try:
        if request.k_best or not nlp.has_tokenizer:
            text = "".join(task.blocks)
            unit = Unit(Document(text=text, id=task.source.id, source=task.source.path), ())
            yield from _one(nlp, unit, request)
            return
        if request.within:
            pieces = stream_within(
                lambda text: nlp.batch_of([text], request)[0], task.blocks, request.within
            )
        else:
            pieces = nlp.stream_of(task.blocks, request)
        for piece in pieces:
            piece.id, piece.source = task.source.id, task.source.path
            yield piece
    except Exception as error:
        yield End(task.source, internal(error, task.source.shown))


class Local(Engine):
    """The engine of one machine: threads that share one model."""

    def __init__(self, nlp: Pipeline, threads: int = 1) -> None:
        self.watch = nlp.watch
        self.nlp = nlp.unwatched()
        self.threads = threads

    def __call__(self, batches: Iterator[list[Task]], request: Request) -> Iterator[Event]:
        def work(batch: list[Task]) -> Iterable[Event]:
            if isinstance(batch[0], LongText):
                return annotate_long(self.nlp, batch[0], request)
            return annotate_batch(self.nlp, batch, request)

        return ordered(
            work, batches, self.threads, alone=lambda batch: isinstance(batch[0], LongText)
        )


def engine_of(nlp: Pipeline, *, threads: int = 1, cluster: bool = False) -> Engine:
    """The engine for a pipeline: this process, or a cluster that has the model's file."""
    if cluster:
        from caesura.pipeline.ray import Ray

        return Ray(Path(nlp.file.path), search=nlp.search)
    return Local(nlp, threads)


# ----------------------------------------------------------------------- runs


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
    """Receives the progress of a run. The default ignores it."""

    #: Receives warnings; None skips the checks.
    warn: WarningSink | None = None

    def done(self, doc: Document, tally: Tally) -> None:
        """A document is done, and counted."""

    def failed(self, error: CaesuraError) -> None:
        """A file or a document failed and is skipped."""


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
    found = batches(tasks(sources, request, reading, warn=warn, watch=engine.watch), _size)
    for event in engine(found, request):
        if isinstance(event, Begin):
            ended = False
        elif isinstance(event, End):
            if ended:  # it failed while it was streamed, and was reported
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
            with suppress(OSError):  # writing reports it
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
    """Splits events into files, counts them and reports errors."""

    def __init__(self, events: Iterator[Event], tally: Tally, report: Report) -> None:
        self.events = events
        self.tally = tally
        self.report = report
        self._said: set[str] = set()

    def documents(self) -> Iterator[Document]:
        """All documents of all files; errors are reported and skipped."""
        for event in self.events:
            if isinstance(event, Document):
                self._count(event)
                yield event
            else:
                self._note(event)

    def next_file(self) -> Source | None:
        """The next file that begins; the rest of the last one is skipped."""
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
        """Count an error; an error of the same words, of another document, is reported once."""
        self.tally.errors.append(error)
        said = str(error)
        if said not in self._said:
            self._said.add(said)
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
