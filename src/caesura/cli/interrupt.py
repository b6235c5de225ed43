"""Ctrl-C that waits until what is being written is complete."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TypeVar

__all__ = ["complete"]

T = TypeVar("T")


def complete(items: Iterable[T]) -> Iterator[T]:
    """The same items; an interrupt between two of them takes effect at the next one.

    Whoever writes an item is suspended here only when it is written to its end. While an item is
    made the interrupt counts at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield from items
        return
    pending = False
    making = False

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal pending
        if making or pending:  # the second time at once, whatever is being written
            raise KeyboardInterrupt
        pending = True

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        iterator = iter(items)
        while True:
            making = True
            if pending:
                raise KeyboardInterrupt
            try:
                item = next(iterator)
            except StopIteration:
                return
            making = False
            yield item
    finally:
        signal.signal(signal.SIGINT, before)
