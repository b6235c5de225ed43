"""The network over characters: convolutions over characters, an LSTM over words (see `net`).

It is small, and computed in NumPy.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.neural.blas import one_thread
from caesura.neural.padded import PaddedEngine
from caesura.neural.weights import TAGS, Network
from caesura.neural.windows import Batch

__all__ = ["CharacterEngine"]

Floats = NDArray[np.float32]

#: Coefficients of the error function (Abramowitz & Stegun 1964, 7.1.26), which errs by 1.5e-7.
_ERF: Final = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_RECIPROCAL: Final = 0.3275911


class CharacterEngine(PaddedEngine):
    """Computes a network over characters, one window at a time. Threads may share one."""

    def __init__(self, network: Network) -> None:
        self.weights = {name: np.array(a, np.float32) for name, a in network.arrays.items()}
        if not all(np.isfinite(array).all() for array in self.weights.values()):
            raise ModelError("its network has weights that are no numbers")
        self.tags = sum(network.tags)
        self.label_size = len(self.weights["label_dep.linear.bias"])

    def run(self, inputs: Batch) -> dict[str, Floats]:
        try:
            with one_thread():
                out = self._heads(self._words(inputs))
        except (KeyError, IndexError, ValueError) as error:
            raise ModelError(
                f"its network fails: {error}",
                remedy="The file is damaged; train or fetch it again.",
            ) from error
        return {name: array[None] for name, array in out.items()}

    def _linear(self, x: Floats, name: str) -> Floats:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _words(self, inputs: Batch) -> Floats:
        """The vectors of the words of a window."""
        w = self.weights
        ids, word, first, last, features = (
            array[0]
            for array in (inputs.ids, inputs.word, inputs.first, inputs.last, inputs.features)
        )
        tables = range(features.shape[1])
        added = sum(w[f"features.{n}.weight"][features[:, n]] for n in tables)
        extra = np.concatenate([np.zeros((1, len(w["root"])), np.float32), added])
        x: Floats = w["encoder.pieces.weight"][ids] + extra[word]
        for n in range(2):
            weight = w[f"encoder.convolutions.{n}.weight"]
            reach = weight.shape[2] // 2
            wide = np.pad(x, ((reach, reach), (0, 0)))
            parts = [wide[k : k + len(x)] @ weight[:, :, k].T for k in range(weight.shape[2])]
            x = _gelu(np.sum(parts, 0) + w[f"encoder.convolutions.{n}.bias"]) + x
        total = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x, 0, dtype=np.float64)])
        mean = (total[last + 1] - total[first]) / (last - first + 1)[:, None]
        words = mean.astype(np.float32)
        for layer in range(2):
            forth = self._lstm(words, f"l{layer}")
            back = self._lstm(words[::-1], f"l{layer}_reverse")[::-1]
            words = np.concatenate([forth, back], 1)
        words = self._linear(words, "context.project")
        if "manner.weight" in w:
            words = words + w["manner.weight"][features[:, -1]]
        return words

    def _lstm(self, words: Floats, end: str) -> Floats:
        """One direction of a layer, in the order of the words."""
        w = self.weights
        given = words @ w[f"context.lstm.weight_ih_{end}"].T + w[f"context.lstm.bias_ih_{end}"]
        given = given + w[f"context.lstm.bias_hh_{end}"]
        again = np.ascontiguousarray(w[f"context.lstm.weight_hh_{end}"].T)
        size = len(again)
        state = cell = np.zeros(size, np.float32)
        found = np.empty((len(words), size), np.float32)
        for n, own in enumerate(given):
            gates = own + state @ again
            keep, forget, out = (
                _sigmoid(gates[k * size : (k + 1) * size]) for k in (0, 1, 3)
            )  # fmt: skip
            cell = forget * cell + keep * np.tanh(gates[2 * size : 3 * size])
            found[n] = state = out * np.tanh(cell)
        return found

    def _heads(self, words: Floats) -> dict[str, Floats]:
        """Scores of every decision, as in `net.Net.heads`."""
        w = self.weights
        rooted = np.concatenate([w["root"][None], words])
        tags = _gelu(self._linear(words, "tags.linear"))
        head = _gelu(self._linear(rooted, "arc_head.linear"))
        dep = _gelu(self._linear(words, "arc_dep.linear")) @ w["arc"] + w["arc_bias"]
        start = _gelu(self._linear(words, "start.0.linear"))
        return {
            "start": self._linear(start, "start.1")[:, 0],
            **{name: self._linear(tags, name) for name in TAGS},
            "arc": (dep @ head.T).astype(np.float32),
            "label_dep": _gelu(self._linear(words, "label_dep.linear")),
            "label_head": _gelu(self._linear(rooted, "label_head.linear")),
        }


def _sigmoid(x: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(0.5 * x))
    return found


def _gelu(x: Floats) -> Floats:
    at = np.abs(x) * np.sqrt(0.5)
    t = 1 / (1 + _RECIPROCAL * at)
    series = np.zeros_like(t)
    for factor in reversed(_ERF):
        series = (series + factor) * t
    erf = np.copysign(1 - series * np.exp(-at * at), x)
    return (x * 0.5 * (1 + erf)).astype(np.float32)
