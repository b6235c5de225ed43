"""The families of encoders, and the sizes of an encoder, for training and for the core.

A family differs in the names of its weights, in where positions begin, and in whether attention has
a bias by distance. A new one is a row of FAMILIES.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError

__all__ = ["FAMILIES", "FAR", "EncoderShape", "Family", "kind_of", "relative_buckets"]

#: The distance in sub-words beyond which MPNet's bias no longer changes.
FAR: Final = 128


@dataclass(frozen=True)
class Family:
    """How a family names the weights of a layer, and what else sets it apart."""

    #: In the order q, k, v, out, norm1, ff1, ff2, norm2.
    layer: tuple[str, ...] = (
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "attention.output.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    )
    #: Whether positions begin after the number of the padding.
    after_padding: bool = False
    #: The name of the bias by distance; nothing where there is none.
    distance: str = ""


_ROBERTA: Final = Family(after_padding=True)
_MPNET: Final = Family(
    (
        "attention.attn.q",
        "attention.attn.k",
        "attention.attn.v",
        "attention.attn.o",
        "attention.LayerNorm",
        "intermediate.dense",
        "output.dense",
        "output.LayerNorm",
    ),
    after_padding=True,
    distance="encoder.relative_attention_bias",
)
#: The families of encoders that can be used, as their files call them.
FAMILIES: Final = {
    "bert": Family(),
    "camembert": _ROBERTA,
    "electra": Family(),
    "mpnet": _MPNET,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
}


@dataclass(frozen=True)
class EncoderShape:
    """The sizes of an encoder; what its computation needs beside the weights."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    #: Where positions begin: 0, or 2 in the RoBERTa line.
    first_position: int = 0
    eps: float = 1e-12
    #: Buckets of the bias by distance; 0 where there is none.
    buckets: int = 0


def kind_of(folder: Path) -> str:
    """The family of the encoder in a folder; another one is refused."""
    file = folder / "config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "the encoder lacks config.json",
            file=str(folder),
            remedy="Name a folder in the Hugging Face layout (save_pretrained writes one).",
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", file=str(file)) from None
    kind = config.get("model_type") if isinstance(config, dict) else None
    if kind not in FAMILIES:
        raise InputError(
            f"the encoder cannot be used: its kind is {kind}",
            file=str(folder),
            remedy=f"Use an encoder of one of these kinds: {', '.join(FAMILIES)}.",
        )
    return str(kind)


def relative_buckets(length: int, buckets: int) -> NDArray[np.int64]:
    """The bucket of each pair of places, query first: exact when near, logarithmic when far."""
    place = np.arange(length)
    distance = place[None, :] - place[:, None]
    half = buckets // 2
    side = np.where(distance > 0, half, 0)
    distance = np.abs(distance)
    exact = half // 2
    with np.errstate(divide="ignore"):
        far = exact + (
            np.log(np.maximum(distance, 1) / exact) / math.log(FAR / exact) * (half - exact)
        ).astype(np.int64)
    return side + np.where(distance < exact, distance, np.minimum(far, half - 1))
