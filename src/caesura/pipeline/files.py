"""Many files through one pipeline: each is read, parsed and handed on in order, or fails alone.

What travels is a row of events: a file begins, its documents follow, it ends, with or without an
error. Small documents are parsed together, which an engine may do on threads or on other machines;
a long plain text is streamed, so that memory is bounded however long it is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from caesura.constraints import check_keep
from caesura.document import Document
from caesura.errors import CaesuraError, CaesuraWarning, InputError, WarningSink, Where
from caesura.pipeline.core import LONG

if TYPE_CHECKING:
    from caesura.formats.options import ReadOptions
    from caesura.language import Watch

__all__ = [
    "Begin",
    "End",
    "Engine",
    "Event",
    "Failed",
    "FileOptions",
    "Local",
    "LongText",
    "Parses",
    "Source",
    "Unit",
    "parse_batch",
    "parse_files",
]

#: Characters, and documents, that are parsed in one call.
_BATCH = 60_000
_MANY = 2000
#: Formats whose documents seldom have names, and get that of their file. A treebank says itself
#: what its documents are called.
_NAMELESS = ("transcript", "html", "markdown", "tokens")


@dataclass(frozen=True, slots=True)
class Source:
    """A file to parse: its path, its format, and the name of its document if it has none."""

    path: str
    format: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to read and parse every file."""

    keep: tuple[str, ...] = ()
    newline_is_boundary: bool = False
    confidence: bool = False
    k_best: int = 0
    encoding: str = "utf-8"
    errors: str = "strict"
    skip_bad: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        check_keep(self.keep, self.newline_is_boundary)


class Begin(NamedTuple):
    """A file begins."""

    source: Source


class End(NamedTuple):
    """A file ends; with an error if it could not be read to its end."""

    source: Source
    error: CaesuraError | None = None


class Failed(NamedTuple):
    """Stands where a document would that could not be parsed."""

    error: CaesuraError


class Unit(NamedTuple):
    """A document to parse and what of it is kept."""

    document: Document
    keep: tuple[str, ...]


class LongText(NamedTuple):
    """A plain text that is too long to be held, in blocks."""

    source: Source
    blocks: Iterator[str]


class Parses(Protocol):
    """What an engine needs of a pipeline."""

    def __call__(self, source: Document, /, **options: Any) -> Document: ...
    def batch(self, batch: Sequence[Document], /, **options: Any) -> list[Document]: ...
    def stream(self, source: Iterable[str], /, **options: Any) -> Iterator[Document]: ...
    def k_best(self, source: Document, k: int, /, **options: Any) -> list[Document]: ...


Task = Begin | End | Unit | LongText
Event = Begin | End | Failed | Document
#: Takes batches of tasks, each a single long text or without one, to the events of each, in order.
Engine = Callable[[Iterator[list[Task]], FileOptions], Iterator[Event]]


def parse_files(
    engine: Engine,
    sources: Iterable[Source],
    options: FileOptions,
    *,
    warn: WarningSink | None = None,
) -> Iterator[Event]:
    """The events of all files, in their order.

    An engine that knows the language of its model has a `watch`, and `warn` is told of the first
    text in another.
    """
    ended = False
    watch = getattr(engine, "watch", None) if warn is not None else None
    for event in engine(_batches(_tasks(sources, options, warn, watch)), options):
        if isinstance(event, Begin):
            ended = False
        elif isinstance(event, End):
            if ended:  # it failed while it was streamed, and has been told of
                continue
            ended = True
        yield event


# ------------------------------------------------------------------- reading


def _tasks(
    sources: Iterable[Source],
    options: FileOptions,
    warn: WarningSink | None,
    watch: Watch | None = None,
) -> Iterator[Task]:
    for source in sources:
        yield Begin(source)
        error: CaesuraError | None = None
        try:
            for task in _read(source, options, warn):
                if watch is None or warn is None:
                    yield task
                elif isinstance(task, LongText):
                    yield LongText(source, _watched(task.blocks, source, watch, warn))
                else:
                    if isinstance(task, Unit):
                        _look(task.document.text, source, watch, warn)
                    yield task
        except CaesuraError as caught:
            error = caught
        except OSError as caught:
            what = f"cannot be read ({caught.strerror or caught})"
            error = InputError(what, file=source.path)
        yield End(source, error)


def _look(text: str, source: Source, watch: Watch, warn: WarningSink) -> None:
    from caesura.language import REMEDY

    said = watch.look(text)
    if said is not None:
        file = "<stdin>" if source.path == "-" else source.path
        warn(CaesuraWarning(said, Where(file), REMEDY))


def _watched(
    blocks: Iterator[str], source: Source, watch: Watch, warn: WarningSink
) -> Iterator[str]:
    for block in blocks:
        _look(block, source, watch, warn)
        yield block


def _read(source: Source, options: FileOptions, warn: WarningSink | None) -> Iterator[Task]:
    from caesura import formats

    if source.format == "text":
        yield from _read_text(source, options, warn)
        return
    keep = options.keep
    if source.format == "tokens" and "tokens" not in keep:
        keep = (*keep, "tokens")
    unnamed = 0
    for doc in formats.read(
        source.path,
        source.format,
        skip_bad=options.skip_bad,
        strict=options.strict,
        warn=warn,
        encoding=options.encoding,
        errors=options.errors,
    ):
        if doc.id is None and source.id and source.format in _NAMELESS:
            unnamed += 1
            doc.id = source.id if unnamed == 1 else f"{source.id}-{unnamed}"
        yield Unit(doc, keep if doc.n_tokens else ())


def _read_text(source: Source, options: FileOptions, warn: WarningSink | None) -> Iterator[Task]:
    """A short text whole, a long one as blocks."""
    from caesura.formats.io import blocks, open_read
    from caesura.formats.options import ReadOptions

    name = "<stdin>" if source.path == "-" else source.path
    reading: ReadOptions = ReadOptions(
        file=name,
        strict=options.strict,
        warn=warn,
        encoding=options.encoding,
        errors=options.errors,
    )
    with open_read(source.path) as raw:
        texts = (text for text, _ in blocks(raw, reading, whole_lines=False, keep_crlf=True))
        known: list[str] = []
        size = 0
        for text in texts:
            known.append(text)
            size += len(text)
            if size > LONG:
                yield LongText(source, chain(known, texts))
                return
    yield Unit(Document(text="".join(known), id=source.id, source=source.path), ())


def _batches(tasks: Iterator[Task]) -> Iterator[list[Task]]:
    """Small documents together, a long text alone."""
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if isinstance(task, LongText):
            if batch:
                yield batch
            yield [task]
            batch, size = [], 0
            continue
        length = len(task.document.text) if isinstance(task, Unit) else 0
        if batch and (size + length > _BATCH or len(batch) >= _MANY):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += length
    if batch:
        yield batch


# ------------------------------------------------------------------- parsing


def parse_batch(nlp: Parses, batch: Sequence[Task], options: FileOptions) -> list[Event]:
    """Parse the documents of a batch; one that cannot be parsed does not stop the others."""
    units = [task for task in batch if isinstance(task, Unit)]
    found: Iterator[list[Event]]
    if options.k_best or len({unit.keep for unit in units}) > 1:
        found = (_one(nlp, unit, options) for unit in units)
    else:
        try:
            docs = nlp.batch(
                [unit.document for unit in units],
                keep=units[0].keep if units else (),
                newline_is_boundary=options.newline_is_boundary,
                confidence=options.confidence,
            )
            found = ([doc] for doc in docs)
        except CaesuraError:
            found = (_one(nlp, unit, options) for unit in units)
    events: list[Event] = []
    for task in batch:
        if isinstance(task, Unit):
            events += next(found)
        elif not isinstance(task, LongText):
            events.append(task)
    return events


def _one(nlp: Parses, unit: Unit, options: FileOptions) -> list[Event]:
    """A document on its own: its analysis, its k best ones, or the error."""
    given: dict[str, Any] = {
        "keep": unit.keep,
        "newline_is_boundary": options.newline_is_boundary,
    }
    try:
        if not options.k_best:
            return [nlp(unit.document, confidence=options.confidence, **given)]
        found = nlp.k_best(unit.document, options.k_best, **given)
        for rank, doc in enumerate(found, 1):
            doc.id = f"{doc.id}.{rank}" if doc.id else str(rank)
            doc.comments = {}
        return list(found)
    except CaesuraError as error:
        return [Failed(error)]


def stream_text(nlp: Parses, task: LongText, options: FileOptions) -> Iterator[Event]:
    """The pieces of a long text; an error ends its file."""
    try:
        if options.k_best:
            text = "".join(task.blocks)
            unit = Unit(Document(text=text, id=task.source.id, source=task.source.path), ())
            yield from _one(nlp, unit, options)
            return
        for piece in nlp.stream(
            task.blocks,
            confidence=options.confidence,
            newline_is_boundary=options.newline_is_boundary,
        ):
            piece.id, piece.source = task.source.id, task.source.path
            yield piece
    except CaesuraError as error:
        yield End(task.source, error)


class Local:
    """The engine of one machine: threads that share one model."""

    def __init__(self, nlp: Any, threads: int = 1) -> None:
        #: Looks at texts where they are read, so that the pipeline need not.
        self.watch: Watch | None = getattr(nlp, "watch", None)
        if self.watch is not None:
            nlp = copy(nlp)
            nlp.watch = None
        self.nlp = cast(Parses, nlp)
        self.threads = threads

    def __call__(self, batches: Iterator[list[Task]], options: FileOptions) -> Iterator[Event]:
        if self.threads == 1:
            for batch in batches:
                if isinstance(batch[0], LongText):
                    yield from stream_text(self.nlp, batch[0], options)
                else:
                    yield from parse_batch(self.nlp, batch, options)
            return
        waiting: deque[Future[list[Event]]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for batch in batches:
                    if isinstance(batch[0], LongText):
                        while waiting:
                            yield from waiting.popleft().result()
                        yield from _ahead(pool, stream_text(self.nlp, batch[0], options))
                        continue
                    waiting.append(pool.submit(parse_batch, self.nlp, batch, options))
                    if len(waiting) > 2 * self.threads:
                        yield from waiting.popleft().result()
                while waiting:
                    yield from waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()


def _ahead(pool: ThreadPoolExecutor, events: Iterator[Event]) -> Iterator[Event]:
    """The same, of which the next one is made while the last one is used."""
    following: Future[Event | None] = pool.submit(next, events, None)
    while (event := following.result()) is not None:
        following = pool.submit(next, events, None)
        yield event
