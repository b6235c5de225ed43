"""All data on the device as flat tensors, and batches gathered from them by windows.

Gold and silver meet here: a target is a list of answers with their chances, of which gold has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from caesura.neural.examples import DECISIONS, IGNORE, Examples, Soft
from caesura.neural.windows import Window

__all__ = ["DeviceData", "Targets"]


@dataclass
class Targets:
    """The targets of a batch, padded; what is unknown has no chance at all."""

    #: [window, word]: the chance of a start, and whether it is known.
    start: Tensor
    start_known: Tensor
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

    def inputs(self, group: Sequence[Window]) -> dict[str, Tensor]:
        """The network's inputs for some windows: see `windows.batch`."""
        begin_id, end_id, pad_id = self.special
        first, last, words, inside = self._words(group)
        low, high = self.piece_ptr[first], self.piece_ptr[last]
        sizes = high - low
        place = torch.arange(int(sizes.max()) + 2, device=self.device)[None, :] - 1
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

    def targets(self, group: Sequence[Window]) -> Targets:
        first, last, words, inside = self._words(group)
        answers, chances = {}, {}
        for name, table in self.answers.items():
            found = table[words].long()
            chance = self.chances[name][words].float() * inside[:, :, None]
            if name == "head":
                here = (found >= first[:, None, None]) & (found < last[:, None, None])
                chance = torch.where(here | (found < 0), chance, 0.0)
                found = torch.where(here, found - first[:, None, None] + 1, 0)
            answers[name], chances[name] = found, chance
        return Targets(
            self.start[words].float(), self.start_known[words] & inside, answers, chances
        )

    def _words(self, group: Sequence[Window]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        bounds = np.array([(w.first, w.last) for w in group])
        first = torch.from_numpy(bounds[:, 0].copy()).to(self.device)
        last = torch.from_numpy(bounds[:, 1].copy()).to(self.device)
        width = int((bounds[:, 1] - bounds[:, 0]).max())
        words = first[:, None] + torch.arange(width, device=self.device)[None, :]
        inside = words < last[:, None]
        return first, last, words.clamp(max=self.data.n_words - 1), inside


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
