"""Steps on a card that are recorded and played again.

A step of a network is a thousand and more small calls, and telling a card of them takes longer than
it needs for the work. Where shapes come again, the calls of a step are recorded once (CUDA graphs)
and told all together from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.neural.batches import on_device

__all__ = ["Recorder"]

#: How often work of a kind is done step by step before it is recorded: libraries choose their ways
#: then, and what comes seldom is not worth a record.
_TRIED: Final = 1


@dataclass
class _Record:
    graph: Any
    #: What the work reads, and what it gives: always at the same place.
    given: list[Tensor]
    found: dict[str, Tensor]


class Recorder:
    """Does work on small arrays, the same for all arrays of a key, in a stream of its own.

    The work must not ask the card for a number, nor bring it any that are not given. Other tensors
    that it reads or writes must stay where they are. What it gives holds until it is done again.
    """

    def __init__(self, work: Callable[..., dict[str, Tensor]]) -> None:
        self.work = work
        self._stream = torch.cuda.Stream()
        self._pool = torch.cuda.graph_pool_handle()
        self._tried: Counter[Hashable] = Counter()
        self._records: dict[Hashable, _Record] = {}

    @contextmanager
    def stream(self) -> Iterator[None]:
        """All that goes with the work belongs in here: it follows what was begun before."""
        before = torch.cuda.current_stream()
        self._stream.wait_stream(before)
        with torch.cuda.stream(self._stream):
            yield
        before.wait_stream(self._stream)

    def __call__(self, key: Hashable, *arrays: NDArray[Any]) -> dict[str, Tensor]:
        given = [on_device(array, "cuda") for array in arrays]
        if key not in self._records:
            self._tried[key] += 1
            if self._tried[key] <= _TRIED:
                return self.work(key, *given)
            self._records[key] = self._record(key, given)
        record = self._records[key]
        for place, value in zip(record.given, given, strict=True):
            place.copy_(value, non_blocking=True)
        record.graph.replay()
        return record.found

    def _record(self, key: Hashable, given: list[Tensor]) -> _Record:
        """The calls of the work, which are not done yet. All records share their memory."""
        given = [one.clone() for one in given]
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
        try:
            found = self.work(key, *given)
        finally:
            graph.capture_end()
        return _Record(graph, given, found)
