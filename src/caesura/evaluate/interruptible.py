"""Long walks in slices, so that Ctrl-C is heard and no walk goes on for ever.

A kernel holds no lock of Python but hears no signal either: one that might run for long keeps its
state in an array, returns when it has done about a tenth of a second of work, and is called again.
Whoever interrupts is heard in between. Every walk also knows how often it may be called at most.
"""

from __future__ import annotations

from collections.abc import Callable

from caesura.errors import InternalError

__all__ = ["DONE", "MORE", "STUCK", "WORK", "in_slices"]

#: What a slice answers: the walk is over, it goes on, or it has taken more steps than it can need.
DONE = 0
MORE = 1
STUCK = 2
#: Elementary steps of one slice.
WORK = 20_000_000


def in_slices(slice_of: Callable[[], int], most: int, what: str) -> None:
    """Call a slice until the walk is over; `most` is how many slices it can take."""
    for _ in range(most):
        answer = slice_of()
        if answer == DONE:
            return
        if answer == STUCK:
            break
    raise InternalError(f"{what} does not come to an end")
