"""What the network of many languages learned: states of a run, or of a model, and their means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.learn.network.export import floats
from caesura.models.file import load as load_file
from caesura.stages.network import NeuralParser

#: The embeddings, which stay as they were, and vectors of treebanks, which no model has.
_FIXED, _HABITS = "encoder.pieces.weight", "habits."


class State:
    """Weights by name; the mean of those that are added."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        self.arrays = {} if arrays is None else {n: _float(a) for n, a in arrays.items()}
        self.count = int(arrays is not None)

    def add(self, other: State) -> None:
        self.count += 1
        for name, array in other.arrays.items():
            mine = self.arrays.get(name, 0.0)
            self.arrays[name] = mine + (array - mine) / self.count

    def save(self, path: Path, epoch: int) -> None:
        """In 16 bits."""
        arrays = {name: array.astype(np.float16) for name, array in self.arrays.items()}
        np.savez(path.with_suffix(".part.npz"), epoch=np.array(epoch), **arrays)
        path.with_suffix(".part.npz").replace(path)


def learned_of(path: Path) -> dict[str, NDArray[np.float32]]:
    """What was learned, of a file that `State.save` wrote or of a model file."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as found:
            return {name: _float(found[name]) for name in found.files if name != "epoch"}
    stage = NeuralParser.from_part(load_file(path).part("neural"))
    weights = floats(stage.network) | {"label": stage.label_weights}
    return {name: _float(array) for name, array in weights.items() if name != _FIXED}


def mean_of(paths: Sequence[Path]) -> dict[str, NDArray[np.float32]]:
    """The mean of several states, as far as a model has it."""
    mean = State()
    for path in paths:
        mean.add(State(learned_of(path)))
    return {n: array for n, array in mean.arrays.items() if not n.startswith(_HABITS)}


def _float(array: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(array, np.float32)
