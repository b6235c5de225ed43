"""Training data and windows as tensors on a device, and recorded steps of a GPU (CUDA graphs)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.learn.network.examples import DECISIONS, IGNORE, Examples, Soft
from caesura.stages.network_reading import Window

#: A GPU plans anew for every new shape, which takes longer than a whole step: lengths are padded to
#: multiples of this.
_EVEN: Final = 64
#: How often work of a kind is done before it is recorded: libraries plan in the first run, and rare
#: shapes are not recorded.
_TRIED: Final = 1


def on_device(array: NDArray[Any], device: str) -> Tensor:
    """A small array as a tensor; a GPU copies it asynchronously."""
    found = torch.from_numpy(np.ascontiguousarray(array))
    if device == "cpu":
        return found
    return found.pin_memory().to(device, non_blocking=True)


@dataclass(frozen=True)
class Place:
    """The windows of a batch, and the lengths of its rows."""

    #: [4, window]: the first word and the end of the words, likewise of the sub-words.
    bounds: NDArray[np.int64]
    #: Sub-words, including both special ones, and words; both may include padding.
    length: int
    width: int


@dataclass
class Targets:
    """The targets of a batch, padded; unknown ones have no probability."""

    #: [window, word]: the probability of a start, and whether it is known.
    start: Tensor
    start_known: Tensor
    #: [window, word]: whether there is a word, not padding.
    inside: Tensor
    #: [window, word, answer] for each decision and for `head`; heads count from 1, 0 is the root.
    answers: dict[str, Tensor]
    chances: dict[str, Tensor]


class DeviceText:
    """The sub-words and features of words, from which windows are gathered."""

    def __init__(
        self,
        pieces: NDArray[np.int32],
        pointer: NDArray[np.int64],
        features: NDArray[np.int64],
        special: tuple[int, int, int],
        device: str,
        even: int = 1,
    ) -> None:
        self.device, self.special, self.even = device, special, even
        self.pointer = pointer
        self.n_words = len(features)
        self.pieces = torch.from_numpy(pieces.astype(np.int32)).to(device)
        self.piece_ptr = torch.from_numpy(pointer).to(device)
        word = np.repeat(np.arange(self.n_words), np.diff(pointer))
        self.piece_word = torch.from_numpy(word).to(device)
        self.features = torch.from_numpy(features.astype(np.int16)).to(device)

    def evened(self, length: int) -> int:
        """A length with its padding."""
        return -(-length // self.even) * self.even

    def place(self, group: Sequence[Window], room: int = 0, limit: int = 1 << 30) -> Place:
        """The place of some windows; empty windows are added while there is `room`.

        A window with more than `limit` sub-words is cut.
        """
        words = np.array([(w.first, w.last) for w in group], np.int64).T
        pieces = self.pointer[words]
        pieces[1] = np.minimum(pieces[1], pieces[0] + limit)
        length = self.evened(int((pieces[1] - pieces[0]).max()) + 2)
        width = self.evened(int((words[1] - words[0]).max()))
        rows = max(len(group), room // length)
        bounds = np.pad(np.concatenate([words, pieces]), ((0, 0), (0, rows - len(group))))
        return Place(bounds, length, width)

    def inputs(self, bounds: Tensor, length: int, width: int) -> dict[str, Tensor]:
        """The inputs of `Net.forward` for the windows of a place, padded."""
        begin_id, end_id, pad_id = self.special
        first, _, low, high = bounds
        words, inside = self.words(bounds, width)
        sizes = (high - low)[:, None]
        place = torch.arange(length, device=self.device)[None, :] - 1
        own = (place >= 0) & (place < sizes)
        at = (low[:, None] + place).clamp(0, len(self.pieces) - 1)
        ids = torch.where(own, self.pieces[at].long(), pad_id)
        ids = torch.where(place < 0, begin_id, ids)
        ids = torch.where(place == sizes, end_id, ids)
        word = torch.where(own, self.piece_word[at] - first[:, None] + 1, 0)
        starts = (self.piece_ptr[words] - low[:, None] + 1).minimum(sizes)
        ends = (self.piece_ptr[words + 1] - low[:, None]).minimum(sizes)
        features = torch.where(inside[:, :, None], self.features[words].long(), 0)
        return {
            "ids": ids,
            "mask": (place <= sizes).long(),
            "word": word,
            "first": torch.where(inside, starts, 1),
            "last": torch.where(inside, ends, 1),
            "features": features,
        }

    def words(self, bounds: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """[window, word]: the number of each word, and whether there is one."""
        first, last = bounds[:2]
        words = first[:, None] + torch.arange(width, device=self.device)[None, :]
        return words.clamp(max=self.n_words - 1), words < last[:, None]


class DeviceData(DeviceText):
    """Documents of a source with their targets: answers with probabilities, one answer for gold."""

    def __init__(
        self,
        data: Examples,
        special: tuple[int, int, int],
        device: str,
        soft: Soft | None = None,
    ) -> None:
        even = 1 if device == "cpu" else _EVEN
        super().__init__(data.pieces, data.piece_ptr, data.features, special, device, even)
        self.data = data
        start, known, answers, chances = _gold(data) if soft is None else _silver(soft)
        self.start = torch.from_numpy(start).to(device)
        self.start_known = torch.from_numpy(known).to(device)
        self.answers = {name: torch.from_numpy(a).to(device) for name, a in answers.items()}
        self.chances = {name: torch.from_numpy(a).to(device) for name, a in chances.items()}

    def targets(self, bounds: Tensor, width: int) -> Targets:
        first, last = bounds[:2]
        words, inside = self.words(bounds, width)
        answers, chances = {}, {}
        for name, table in self.answers.items():
            found = table[words].long()
            chance = self.chances[name][words].float() * inside[:, :, None]
            if name == "head":
                here = (found >= first[:, None, None]) & (found < last[:, None, None])
                chance = torch.where(here | (found < 0), chance, 0.0)
                found = torch.where(here, found - first[:, None, None] + 1, 0)
            answers[name], chances[name] = found, chance
        known = self.start_known[words] & inside
        return Targets(self.start[words].float(), known, inside, answers, chances)


Columns = Mapping[str, NDArray[np.generic]]


def _gold(
    data: Examples,
) -> tuple[NDArray[np.float16], NDArray[np.bool_], dict[str, NDArray[np.int32]], Columns]:
    answers, chances = {}, {}
    for name in (*DECISIONS, "head"):
        found = getattr(data, name)
        found = found[:, None] if found.ndim == 1 else found
        answers[name] = np.where(found == IGNORE, 0, found).astype(np.int32)
        chances[name] = (found[:, :1] != IGNORE).astype(np.float16)
    known = data.start != IGNORE
    return np.where(known, data.start, 0).astype(np.float16), known, answers, chances


def _silver(
    soft: Soft,
) -> tuple[NDArray[np.float16], NDArray[np.bool_], dict[str, NDArray[np.int32]], Columns]:
    known = ~np.isnan(soft.start)
    return np.where(known, soft.start, 0).astype(np.float16), known, soft.answers, soft.chances


@dataclass
class _Record:
    graph: Any
    #: Inputs and results, always at the same addresses.
    given: list[Tensor]
    found: dict[str, Tensor]


class Recorder:
    """Runs work on small arrays in a stream of its own, with one recorded graph per key.

    A step of a network is more than a thousand small kernel launches, which take longer than the
    work itself. The work must not synchronise with the GPU, nor copy anything to it but its
    arguments. Other tensors that it reads or writes must keep their addresses. Results are valid
    until the next run.
    """

    def __init__(self, work: Callable[..., dict[str, Tensor]]) -> None:
        self.work = work
        self._stream = torch.cuda.Stream()
        self._pool = torch.cuda.graph_pool_handle()
        self._tried: Counter[Hashable] = Counter()
        self._records: dict[Hashable, _Record] = {}

    @contextmanager
    def stream(self) -> Iterator[None]:
        """The context of the work, after everything that was launched before."""
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
        """Record the work without running it. All records share their memory."""
        given = [one.clone() for one in given]
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        graph.capture_begin(pool=self._pool, capture_error_mode="thread_local")
        try:
            found = self.work(key, *given)
        finally:
            graph.capture_end()
        return _Record(graph, given, found)
