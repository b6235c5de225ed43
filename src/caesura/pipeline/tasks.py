"""What a run is made of: files become tasks, small ones together, a long text alone.

What travels is a row of events: a file begins, its documents follow, it ends, with or without an
error. A long plain text comes in blocks, so that memory is bounded however long it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from caesura import formats
from caesura.document import Document
from caesura.errors import CaesuraError, CaesuraWarning, InputError, WarningSink, Where, internal
from caesura.formats.io import blocks, open_read
from caesura.formats.options import ReadOptions
from caesura.language import Watch
from caesura.options import Reading, Request
from caesura.pipeline.core import LONG
from caesura.pipeline.jobs import Source
from caesura.turns import HEAD, find_turns, speakers

__all__ = [
    "Begin",
    "End",
    "Event",
    "Failed",
    "LongText",
    "Task",
    "Unit",
    "batches",
    "tasks",
]

#: Characters, and documents, that are annotated in one call.
_BATCH: Final = 60_000
_MANY: Final = 2000
#: Speakers that are named when a text is told to be a transcript.
_NAMED: Final = 3
#: Formats whose documents seldom have names, and get that of their file. A treebank says itself
#: what its documents are called.
_NAMELESS: Final = (
    "transcript", "asr", "fields", "elan", "textgrid", "chat", "html", "markdown", "tokens",
)  # fmt: skip


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
    """The tasks of all files; `warn` is told of the first text that the `watch` finds foreign."""
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
    """Tell that a plain text is taken for a transcript, by its first part."""
    if warn is None:
        return
    names = speakers(find_turns(text[:HEAD]))
    if names:
        who = ", ".join(names[:_NAMED]) + (" and others" if len(names) > _NAMED else "")
        what = f"this is a transcript: its lines are labelled {who}, and each begins a sentence"
        remedy = "If they name nobody, or a sentence may go on after them, pass --across-turns."
        warn(CaesuraWarning(what, Where(source.shown), remedy))


class _Look:
    """Looks at every text where it is read, if there is somebody to tell."""

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


def batches(found: Iterable[Task]) -> Iterator[list[Task]]:
    """Small documents together, a long text alone."""
    batch: list[Task] = []
    size = 0
    for task in found:
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
