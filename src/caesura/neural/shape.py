"""The sizes of an encoder, and its bias by distance: what training and export both know."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.errors import InputError

__all__ = ["FAR", "KINDS", "EncoderShape", "kind_of", "relative_buckets"]

#: The families of encoders that can be used, as their files call them.
KINDS: Final = ("bert", "camembert", "electra", "mpnet", "roberta", "xlm-roberta")

#: The distance in sub-words beyond which MPNet's bias no longer changes.
FAR: Final = 128


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
    if kind not in KINDS:
        raise InputError(
            f"the encoder cannot be used: its kind is {kind}",
            file=str(folder),
            remedy=f"Use an encoder of one of these kinds: {', '.join(KINDS)}.",
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
