"""All data on the device as flat tensors, and batches gathered from them by windows.

Gold and silver meet here: a target is a list of answers with their chances, of which gold has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.neural.examples import DECISIONS, IGNORE, Examples, Soft
from caesura.neural.windows import Window

__all__ = ["DeviceData", "Place", "Targets", "on_device"]

#: A card has to look for a way to multiply whenever it meets a new shape, which takes longer than
#: a whole step: there are few where all lengths are multiples of this.
_EVEN: Final = 64


def on_device(array: NDArray[Any], device: str) -> Tensor:
    """A small array as a tensor; a card takes it while it works on what it was given before."""
    found = torch.from_numpy(np.ascontiguousarray(array))
    if device == "cpu":
        return found
    return found.pin_memory().to(device, non_blocking=True)


@dataclass(frozen=True)
class Place:
    """Where the windows of a batch lie in the data, and how long its rows are."""

    #: [4, window]: the first word and the end of the words, likewise of the sub-words.
    bounds: NDArray[np.int64]
    #: Places for sub-words, with those of both ends, and for words; some may be padding.
    length: int
    width: int


@dataclass
class Targets:
    """The targets of a batch, padded; what is unknown has no chance at all."""

    #: [window, word]: the chance of a start, and whether it is known.
    start: Tensor
    start_known: Tensor
    #: [window, word]: whether there is a word, and not padding.
    inside: Tensor
    #: [window, word, answer] for each decision and for `head`; heads count from 1, 0 is the root.
    answers: dict[str, Tensor]
    chances: dict[str, Tensor]


class DeviceData:
    """Documents of one or several sources, one after the other."""

    def __init__(
        self,
        data: Examples,
        special: tuple[int, int, int],
        device: str,
        soft: Soft | None = None,
    ) -> None:
        self.data, self.special, self.device = data, special, device
        #: What lengths are multiples of.
        self.even = 1 if device == "cpu" else _EVEN
        self.pieces = torch.from_numpy(data.pieces.astype(np.int32)).to(device)
        self.piece_ptr = torch.from_numpy(data.piece_ptr).to(device)
        word = np.repeat(np.arange(data.n_words), np.diff(data.piece_ptr))
        self.piece_word = torch.from_numpy(word).to(device)
        self.features = torch.from_numpy(data.features.astype(np.uint8)).to(device)
        start, known, answers, chances = _gold(data) if soft is None else _silver(soft)
        self.start = torch.from_numpy(start).to(device)
        self.start_known = torch.from_numpy(known).to(device)
        self.answers = {name: torch.from_numpy(a).to(device) for name, a in answers.items()}
        self.chances = {name: torch.from_numpy(a).to(device) for name, a in chances.items()}

    def evened(self, length: int) -> int:
        """A length with its padding."""
        return -(-length // self.even) * self.even

    def place(self, group: Sequence[Window], room: int = 0) -> Place:
        """The place of some windows; windows without words are added while there is room."""
        words = np.array([(w.first, w.last) for w in group], np.int64).T
        pieces = self.data.piece_ptr[words]
        length = self.evened(int((pieces[1] - pieces[0]).max()) + 2)
        width = self.evened(int((words[1] - words[0]).max()))
        rows = max(len(group), room // length)
        bounds = np.pad(np.concatenate([words, pieces]), ((0, 0), (0, rows - len(group))))
        return Place(bounds, length, width)

    def inputs(self, bounds: Tensor, length: int, width: int) -> dict[str, Tensor]:
        """The network's inputs for the windows of a place: see `windows.batch`."""
        begin_id, end_id, pad_id = self.special
        first, _, low, high = bounds
        words, inside = self.words(bounds, width)
        sizes = high - low
        place = torch.arange(length, device=self.device)[None, :] - 1
        own = (place >= 0) & (place < sizes[:, None])
        at = (low[:, None] + place).clamp(0, len(self.pieces) - 1)
        ids = torch.where(own, self.pieces[at].long(), pad_id)
        ids = torch.where(place < 0, begin_id, ids)
        ids = torch.where(place == sizes[:, None], end_id, ids)
        word = torch.where(own, self.piece_word[at] - first[:, None] + 1, 0)
        starts = torch.where(inside, self.piece_ptr[words] - low[:, None] + 1, 1)
        ends = torch.where(inside, self.piece_ptr[words + 1] - low[:, None], 1)
        features = torch.where(inside[:, :, None], self.features[words].long(), 0)
        return {
            "ids": ids,
            "mask": (place <= sizes[:, None]).long(),
            "word": word,
            "first": starts,
            "last": ends,
            "features": features,
        }

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

    def words(self, bounds: Tensor, width: int) -> tuple[Tensor, Tensor]:
        """[window, word]: the number of each word, and whether there is one."""
        first, last = bounds[:2]
        words = first[:, None] + torch.arange(width, device=self.device)[None, :]
        return words.clamp(max=self.data.n_words - 1), words < last[:, None]


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
