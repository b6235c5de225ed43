"""The weights of a network as they were trained, in a file with all that is needed to use them.

From it a stage is made, in 8 bits and on any machine, without PyTorch; with PyTorch the network
itself runs again, as floats and on a GPU.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.models.file import Part, save
from caesura.models.store import load_model
from caesura.neural import feats_of_xpos
from caesura.neural.examples import Labels
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.parser import NeuralParser
from caesura.neural.prepare import finish
from caesura.neural.settings import SearchSettings
from caesura.neural.shape import EncoderShape
from caesura.neural.subwords import Subwords

__all__ = ["Weights"]

_KIND = "weights"


@dataclass(frozen=True)
class Weights:
    """A trained network: its weights, sizes, labels and sub-words."""

    arrays: Mapping[str, NDArray[Any]]
    labels: Labels
    subwords: Subwords
    lexicon: LemmaLexicon | None
    shape: EncoderShape
    #: The sizes of the heads: `neural.net.NetOptions`.
    net: Mapping[str, Any]
    limit: int
    #: Which FEATS each XPOS may have.
    features: NDArray[np.bool_] | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        lexicon = self.lexicon.arrays() if self.lexicon is not None else {}
        arrays = {f"net/{name}": array for name, array in self.arrays.items()}
        arrays |= {f"lexicon/{name}": array for name, array in lexicon.items()}
        arrays["subwords"] = np.frombuffer(self.subwords.definition.encode(), np.uint8)
        if self.features is not None:
            arrays[feats_of_xpos.NAME] = feats_of_xpos.packed(self.features)
        config = {"limit": self.limit, "shape": asdict(self.shape), "net": dict(self.net)}
        part = Part(_KIND, config, self.labels.as_lists(), arrays)
        save(path, {_KIND: part}, kind=_KIND, compress=False)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Weights:
        part = load_model(Path(path)).part(_KIND)
        labels = Labels(**{name: tuple(values) for name, values in part.labels.items()})
        return cls(
            _under("net/", part.arrays),
            labels,
            Subwords.from_json(part.array("subwords", np.uint8, (None,)).tobytes().decode()),
            LemmaLexicon.from_arrays(labels.lemma, _under("lexicon/", part.arrays)),
            EncoderShape(**part.option("shape", dict, {})),
            part.option("net", dict, {}),
            int(part.option("limit", int, 510)),
            feats_of_xpos.from_arrays(part.arrays, len(labels.xpos), len(labels.feats)),
        )

    def stage(self, search: SearchSettings | None = None, bits: int = 8) -> NeuralParser:
        """The stage of a pipeline, with embeddings in 4 or 8 `bits`."""
        return finish(
            self.arrays,
            self.shape,
            self.labels,
            self.subwords,
            search or SearchSettings(),
            limit=self.limit,
            lexicon=self.lexicon,
            bits=bits,
            features=self.features,
        )


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name[len(prefix) :]: a for name, a in arrays.items() if name.startswith(prefix)}
