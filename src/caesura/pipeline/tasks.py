"""What a run is made of: files become tasks, small ones together, a long text alone.

What travels is a row of events: a file begins, its documents follow, it ends, with or without an
error. A long plain text comes in blocks, so that memory is bounded however long it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from caesura import formats
from caesura.constraints import check_keep
from caesura.document import Document
from caesura.errors import CaesuraError, CaesuraWarning, InputError, WarningSink, Where, internal
from caesura.formats.io import blocks, open_read
from caesura.formats.options import ReadOptions
from caesura.language import Watch
from caesura.pipeline.core import LONG
from caesura.turns import HEAD, find_turns, speakers

__all__ = [
    "Begin",
    "End",
    "Event",
    "Failed",
    "LongText",
    "RunOptions",
    "Source",
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


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: its path, its format, and the name of its document if it has none."""

    path: str
    format: str
    id: str | None = None

    @property
    def shown(self) -> str:
        """What people call it."""
        return "<stdin>" if self.path == "-" else self.path


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How every file is read and annotated.

    Documents are analysed anew but for what `keep` names; if they are only to be `added` to, all
    else that they have stays. In formats of `tokenised` tokens stay without being named.
    """

    keep: tuple[str, ...] = ()
    added: bool = False
    tokenised: tuple[str, ...] = ("tokens",)
    newline_is_boundary: bool = False
    across_turns: bool = False
    confidence: bool = False
    #: Plain text: hand sentences on at most so many words after their ends; 0: when they are sure.
    within: int = 0
    k_best: int = 0
    encoding: str = "utf-8"
    errors: str = "strict"
    skip_bad: bool = False
    strict: bool = False
    #: Names of the fields of JSON and CSV.
    fields: formats.Fields | None = None

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
    options: RunOptions,
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
            yield from _read(source, options, warn, look)
        except CaesuraError as caught:
            error = caught
        except OSError as caught:
            what = f"cannot be read ({caught.strerror or caught})"
            error = InputError(what, file=source.path)
        except Exception as caught:
            error = internal(caught, source.shown)
        yield End(source, error)


def _tell_turns(text: str, source: Source, options: RunOptions, warn: WarningSink | None) -> None:
    """Tell that a plain text is taken for a transcript, by its first part."""
    if warn is None or options.across_turns or options.strict:
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
    source: Source, options: RunOptions, warn: WarningSink | None, look: _Look
) -> Iterator[Task]:
    if source.format == "text" and options.fields is None:
        yield from _read_text(source, options, warn, look)
        return
    keep = options.keep
    if source.format in options.tokenised and "tokens" not in keep:
        keep = (*keep, "tokens")
    unnamed = 0
    for doc in formats.read(
        source.path,
        "fields" if source.format == "text" else source.format,
        skip_bad=options.skip_bad,
        strict=options.strict,
        warn=warn,
        encoding=options.encoding,
        errors=options.errors,
        fields=options.fields,
    ):
        if doc.id is None and source.id and source.format in _NAMELESS:
            unnamed += 1
            doc.id = source.id if unnamed == 1 else f"{source.id}-{unnamed}"
        look(doc.text, source)
        yield Unit(doc, keep if doc.n_tokens else ())


def _read_text(
    source: Source, options: RunOptions, warn: WarningSink | None, look: _Look
) -> Iterator[Task]:
    """A short text whole, a long one as blocks."""
    reading = ReadOptions(
        file=source.shown,
        strict=options.strict,
        warn=warn,
        encoding=options.encoding,
        errors=options.errors,
    )
    with open_read(source.path) as raw:
        live = options.within > 0
        found = blocks(raw, reading, whole_lines=False, keep_crlf=True, live=live)
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
                _tell_turns("".join(known), source, options, warn)
                yield LongText(source, (look(text, source) for text in chain(known, texts)))
                return
    whole = look("".join(known), source)
    _tell_turns(whole, source, options, warn)
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
