"""What annotates the tasks of a run: this process, its threads, or a cluster.

An engine takes batches of tasks to the events of each, in order. One document that cannot be
annotated does not stop the others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from caesura.document import Document
from caesura.errors import internal
from caesura.options import Request
from caesura.pipeline.splitting import stream_within
from caesura.pipeline.tasks import End, Event, Failed, LongText, Task, Unit

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from caesura.language import Watch
    from caesura.pipeline.core import Pipeline

__all__ = ["Engine", "Local", "annotate_batch", "annotate_long"]


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
        if self.threads == 1:
            for batch in batches:
                if isinstance(batch[0], LongText):
                    yield from annotate_long(self.nlp, batch[0], request)
                else:
                    yield from annotate_batch(self.nlp, batch, request)
            return
        from concurrent.futures import ThreadPoolExecutor

        waiting: deque[Future[list[Event]]] = deque()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for batch in batches:
                    if isinstance(batch[0], LongText):
                        while waiting:
                            yield from waiting.popleft().result()
                        yield from _ahead(pool, annotate_long(self.nlp, batch[0], request))
                        continue
                    waiting.append(pool.submit(annotate_batch, self.nlp, batch, request))
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
