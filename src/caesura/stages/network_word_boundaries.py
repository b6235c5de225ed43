"""Word boundaries in text without blanks, by the vectors of an inner layer of the network.

The network reads characters as if they were words. From the vectors of the two characters before
and the two behind a place, a small network with one hidden layer (`core/network/boundaries.h`)
computes the log-odds of a boundary, and the tokeniser adds them to its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.models.packing import refusing
from caesura.stages.network_reading import word_features
from caesura.stages.network_subwords import Subwords

Floats = NDArray[np.float32]

#: Characters to each side of a place whose vectors are read.
NEAR: Final = 2
#: The most sub-words of a passage that are read.
_LIMIT: Final = 510
#: Combining marks, which are read with their character. ASCII letters and digits are read in runs.
_MARKS: Final = "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u3099\u309a"
_UNIT: Final = re.compile(f"[A-Za-z0-9]+|\\S[{_MARKS}]*")
_LABEL: Final = "cut-languages"
_ARRAYS: Final = ("cut-first", "cut-bias", "cut-second")
_LAYER: Final = "cut-layer"


def units(text: str) -> NDArray[np.int64]:
    """The spans of a passage that are read as words."""
    spans = [match.span() for match in _UNIT.finditer(text)]
    return np.array(spans, np.int64).reshape(-1, 2)


class Layer:
    """The vectors of units after a layer of the network. Threads may share one."""

    def __init__(self, engine: Any, subwords: Subwords, layer: int) -> None:
        """`engine` is that of the parser: `_core.Network`."""
        self.engine = engine
        self.subwords = subwords
        self.number = layer

    def vectors(self, text: str, spans: NDArray[np.int64], language: int) -> Floats:
        """The vector of each unit of a passage; languages are numbered from 1 on."""
        doc = Document.from_spans(text, spans[:, 0], spans[:, 1])
        pieces, pointer = self.subwords.pieces(doc)
        spoken = np.full((len(spans), 1), language, np.int64)
        features = np.concatenate([word_features(doc), spoken], 1)
        begin, end, _ = self.subwords.special
        limit = min(_LIMIT, self.engine.positions - 2)
        vectors: Floats = self.engine.states(
            self.number, pieces, pointer, features, begin, end, limit
        )
        return vectors


class WordBoundaries:
    """Networks that compute log-odds from vectors, by language. Threads may share one."""

    def __init__(
        self,
        numbers: Mapping[str, int],
        layer: Layer,
        first: Floats,
        bias: Floats,
        second: Floats,
    ) -> None:
        """`numbers` are the numbers of its languages in the network.

        `first` is [language, vectors, hidden]; `second` ends with its bias.
        """
        self.numbers = dict(numbers)
        self.layer = layer
        self.first, self.bias, self.second = first, bias, second
        with refusing():
            parts = zip(self.numbers, first, bias, second, strict=True)
            self._core = {code: _core.WordBoundaries(*own) for code, *own in parts}

    def reader(self, language: str) -> Callable[[str], Floats] | None:
        """Computes the odds in a passage in a language; None for a language with blanks."""
        return partial(self.odds, language) if language in self.numbers else None

    def odds(self, language: str, text: str) -> Floats:
        """The log-odds of a token start at each character, to be added to the tokeniser's."""
        found = np.zeros(len(text), np.float32)
        spans = units(text)
        if len(spans) < 2:
            return found
        with refusing():
            vectors = self.layer.vectors(text, spans, self.numbers[language])
            points = self._core[language].odds(vectors)
        glued = spans[1:, 0] == spans[:-1, 1]
        found[spans[1:, 0][glued]] = points[1:][glued]
        return found

    # -------------------------------------------------------------- storing

    def config(self) -> dict[str, Any]:
        return {_LAYER: self.layer.number}

    def labels(self) -> dict[str, list[str]]:
        return {_LABEL: list(self.numbers)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        own = (self.first, self.bias, self.second)
        return {n: a.astype(np.float16) for n, a in zip(_ARRAYS, own, strict=True)}

    @classmethod
    def from_part(cls, part: Part, engine: Any, subwords: Subwords) -> Self | None:
        """The networks in a model file, None in most; `engine` computes the vectors."""
        codes = part.labels.get(_LABEL)
        if not codes:
            return None
        n = len(codes)
        first = part.array("cut-first", np.float16, (n, None, None)).astype(np.float32)
        size = first.shape[2]
        bias = part.array("cut-bias", np.float16, (n, size)).astype(np.float32)
        second = part.array("cut-second", np.float16, (n, size + 1)).astype(np.float32)
        known = part.labels.get("languages", [])
        if not {*codes} <= {*known}:
            raise ModelError("it finds words of a language that its network does not know")
        numbers = {code: known.index(code) + 1 for code in codes}
        number = int(part.option(_LAYER, int, 1))
        if not 1 <= number <= getattr(engine, "layers", 0):
            raise ModelError(f"its network has no layer {number}")
        layer = Layer(engine, subwords, number)
        return cls(numbers, layer, first, bias, second)
