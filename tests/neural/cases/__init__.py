"""Small networks as older versions wrote them: ONNX graphs of every kind with random weights.

Each file has the graph, the inputs of one window, and the outputs that ONNX Runtime computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CASES", "Case"]

CASES = ("blocks", "fast", "fast-distances", "fast-divided", "float",
         "float-tags-apart")  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A graph, the inputs of a window, and what comes out for it."""

    graph: NDArray[np.uint8]
    inputs: dict[str, NDArray[np.int64]]
    outputs: dict[str, NDArray[np.float32]]

    @classmethod
    def load(cls, name: str) -> Case:
        with np.load(Path(__file__).parent / f"{name}.npz", allow_pickle=False) as file:
            arrays: dict[str, NDArray[Any]] = dict(file)
        inputs = {n[3:]: a.astype(np.int64) for n, a in arrays.items() if n.startswith("in.")}
        inputs["mask"] = np.ones_like(inputs["ids"])
        outputs = {n[4:]: a for n, a in arrays.items() if n.startswith("out.")}
        return cls(arrays["graph"], inputs, outputs)

    def core_inputs(self) -> tuple[Any, ...]:
        """The window as `_core.Network` takes it: pieces, pointer, features, windows, special."""
        ids, first, last = (self.inputs[name][0] for name in ("ids", "first", "last"))
        pointer = np.append(first - 1, last[-1]).astype(np.int64)
        n = len(first)
        windows = np.array([[0, n, 0, n]], np.int64)
        features = np.ascontiguousarray(self.inputs["features"][0])
        special = (int(ids[0]), int(ids[-1]), 64)
        return ids[1:-1].astype(np.int32), pointer, features, windows, *special
