"""Many texts: some of them in one call of the core, and calls in threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from caesura.document import Document
from caesura.errors import UsageError
from caesura.pipeline.given import check_one

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["in_batches", "ordered"]

#: Characters of small texts that are done in one call of the core.
_BATCH: Final = 60_000


def in_batches(sources: Iterable[str | Document]) -> Iterator[list[str | Document]]:
    """Small texts together, so that the core is called for many of them at once."""
    batch: list[str | Document] = []
    size = 0
    for number, source in enumerate(sources, 1):
        check_one(source, f"number {number}")
        length = len(source if isinstance(source, str) else source.text)
        if batch and size + length > _BATCH:
            yield batch
            batch, size = [], 0
        batch.append(source)
        size += length
    if batch:
        yield batch


def ordered(
    work: Callable[[list[str | Document]], list[Document]],
    batches: Iterator[list[str | Document]],
    threads: int,
) -> Iterator[Document]:
    """The results of all batches in order, with at most a few of them under way."""
    if threads < 1:
        raise UsageError(f"{threads} threads", remedy="Use one thread or more.")
    if threads == 1:
        for batch in batches:
            yield from work(batch)
        return
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[Future[list[Document]]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(work, batch))
                if len(waiting) > 2 * threads:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
