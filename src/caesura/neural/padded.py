"""Engines that read windows as padded arrays: PyTorch, and the network over characters.

They take and give what `_core.Network` does. An engine has a `run`, which computes one batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.neural.weights import TAGS
from caesura.neural.windows import Batch, Window, batch

__all__ = ["PaddedEngine"]

Floats = NDArray[np.float32]


class PaddedEngine(ABC):
    """Groups windows of about the same length, runs them, and keeps the words of each."""

    #: Sub-words that are read at once.
    together: int = 1
    #: Numbers of each tag, and of the vectors of labels.
    tags: int
    label_size: int

    @abstractmethod
    def run(self, inputs: Batch) -> dict[str, Floats]:
        """The outputs of `net.Net` by name, for some windows."""

    def scores(
        self,
        pieces: NDArray[np.int32],
        pointer: NDArray[np.int64],
        features: NDArray[np.int64],
        windows: NDArray[np.int64],
        begin_id: int,
        end_id: int,
        limit: int,
        columns: NDArray[np.int64] | None = None,
    ) -> tuple[Any, ...]:
        """The scores of all words, as `_core.Network.scores`."""
        n = len(features)
        width = int((windows[:, 1] - windows[:, 0]).max(initial=0)) + 1
        start = np.zeros(n, np.float32)
        tags = np.zeros((n, self.tags if columns is None else len(columns)), np.float32)
        arcs = np.full((n, width), -np.inf, np.float32)
        base, sizes = np.zeros(n, np.int32), np.zeros(n, np.int32)
        dep, head = (np.zeros((n, self.label_size), np.float32) for _ in range(2))
        root = np.zeros(self.label_size, np.float32)
        lengths = pointer[windows[:, 1]] - pointer[windows[:, 0]]
        order = np.argsort(lengths, kind="stable")[::-1]
        while len(order):
            number = max(1, self.together // (int(lengths[order[0]]) + 2))
            group = [Window(*row) for row in windows[order[:number]].tolist()]
            order = order[number:]
            out = self.run(
                batch(
                    pieces, pointer, features, group,
                    begin_id=begin_id, end_id=end_id, pad_id=0, limit=limit,
                )
            )  # fmt: skip
            root = np.array(out["label_head"][0, 0])
            every = np.concatenate([out[name] for name in TAGS], -1)
            for row, window in enumerate(group):
                keep = slice(window.keep_first, window.keep_last)
                own = slice(window.keep_first - window.first, window.keep_last - window.first)
                heads = window.last - window.first + 1
                start[keep] = out["start"][row, own]
                tags[keep] = every[row, own] if columns is None else every[row, own][:, columns]
                arcs[keep, :heads] = out["arc"][row, own, :heads]
                base[keep], sizes[keep] = window.first, heads
                dep[keep] = out["label_dep"][row, own]
                head[keep] = out["label_head"][row, own.start + 1 : own.stop + 1]
        return start, tags, arcs, base, sizes, dep, head, root

    def starts(self, *inputs: Any) -> Floats:
        """The scores of sentence starts alone, as `_core.Network.starts`."""
        found: Floats = self.scores(*inputs)[0]
        return found
