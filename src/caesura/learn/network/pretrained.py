"""Pretrained encoders in folders (Hugging Face layout), by family. Needs no PyTorch.

A family differs in the names of its weights, in the first position, and in whether attention has a
bias by distance. A new family is a row of `FAMILIES`. An encoder is checked without loading its
weights, so that errors appear before training starts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file

from caesura.errors import InputError

#: The distance in sub-words beyond which MPNet's bias no longer changes.
FAR: Final = 128


@dataclass(frozen=True)
class Family:
    """The names of the weights of a layer, and other properties of a family."""

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
    #: Whether the first position follows the number of the padding.
    after_padding: bool = False
    #: The name of the bias by distance, if there is one.
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
#: The supported families, by the names in their files.
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
    """The sizes of an encoder."""

    vocabulary: int
    hidden: int
    layers: int
    heads: int
    inner: int
    positions: int
    #: 0, or 2 in RoBERTa and its successors.
    first_position: int = 0
    eps: float = 1e-12
    #: Buckets of the bias by distance; 0 without one.
    buckets: int = 0


#: Required sizes of a configuration.
_SIZES: Final = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
)
#: Supported types of weights.
_READ: Final = ("F16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "BOOL")
_LAYOUT: Final = "Name a folder in the Hugging Face layout (save_pretrained writes one)."
_ANEW: Final = "Copy or save the encoder anew (save_pretrained)."


def kind_of(folder: Path) -> str:
    """The family of the encoder in a folder; unknown families are refused."""
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


def check_weights(folder: Path, layers: int) -> tuple[dict[str, Any], EncoderShape]:
    """The configuration and the sizes of the first layers of an encoder; bad files are refused."""
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    files = _weight_files(folder)
    if not files:
        missing.append("model.safetensors")
    if missing:
        what = f"the encoder lacks {', '.join(missing)}"
        raise InputError(what, file=str(folder), remedy=_LAYOUT)
    kind = kind_of(folder)
    config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    shape = _shape(config, layers, folder)
    found: dict[str, tuple[int, ...]] = {}
    for file in files:
        found |= _shapes(file)
    names = _by_end(kind, found)
    where = str(files[0] if len(files) == 1 else folder)
    wanted = dict(_needed(kind, shape))
    lacking = [name for name in wanted if name not in names]
    if lacking:
        more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
        what = f"the weights of the encoder lack {lacking[0]}{more}"
        raise InputError(what, file=where, remedy=_ANEW)
    for name, sizes in wanted.items():
        if found[names[name]] != sizes:
            what = f"{name} is {_told(found[names[name]])}, but {_told(sizes)} by config.json"
            raise InputError(what, file=where, remedy=_ANEW)
    return config, shape


def load_weights(folder: Path, layers: int) -> tuple[float, EncoderShape, dict[str, NDArray[Any]]]:
    """The dropout, the sizes and the weights of the first layers, as `net.Transformer` names them.

    There is one token type, which is added to the positions.
    """
    config, shape = check_weights(folder, layers)
    try:
        arrays: dict[str, NDArray[Any]] = {}
        for file in _weight_files(folder):
            arrays |= load_file(file)
        dropout = float(config.get("hidden_dropout_prob", 0.1))
        return dropout, shape, _renamed(config["model_type"], arrays, shape)
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise InputError(
            f"the encoder cannot be used: {str(error).splitlines()[0]}",
            file=str(folder),
            remedy="Copy or save it anew (save_pretrained).",
        ) from error


def _renamed(
    kind: str, arrays: Mapping[str, NDArray[Any]], shape: EncoderShape
) -> dict[str, NDArray[Any]]:
    family, names = FAMILIES[kind], _by_end(kind, arrays)

    def get(name: str) -> NDArray[Any]:
        return np.ascontiguousarray(arrays[names[name]], dtype=np.float32)

    position = get("embeddings.position_embeddings.weight")
    if "embeddings.token_type_embeddings.weight" in names:
        position = position + get("embeddings.token_type_embeddings.weight")[:1]
    found = {"pieces.weight": get("embeddings.word_embeddings.weight"), "position.weight": position}
    if family.distance:
        found["distance.weight"] = get(f"{family.distance}.weight")
    for end in ("weight", "bias"):
        found[f"norm.{end}"] = get(f"embeddings.LayerNorm.{end}")
        for n in range(shape.layers):
            q, k, v, *rest = (get(f"encoder.layer.{n}.{name}.{end}") for name in family.layer)
            found[f"layers.{n}.qkv.{end}"] = np.concatenate([q, k, v])
            for name, array in zip(("out", "norm1", "ff1", "ff2", "norm2"), rest, strict=True):
                found[f"layers.{n}.{name}.{end}"] = array
    return found


def _weight_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))


def _by_end(kind: str, names: Iterable[str]) -> dict[str, str]:
    """The full names of weights by their names without the prefix of a family."""
    names = list(names)
    found = {name: name for name in names}
    for prefix in (f"{kind}.", "bert.", "roberta."):
        found |= {n[len(prefix) :]: n for n in names if n.startswith(prefix)}
    return found


def _shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """The sizes of the arrays in a file, by name."""
    found = {}
    try:
        with safe_open(str(file), "numpy") as arrays:
            for name in arrays.keys():  # noqa: SIM118 (it is no mapping)
                part = arrays.get_slice(name)
                found[str(name)] = tuple(part.get_shape())
                if part.get_dtype() not in _READ:
                    raise InputError(
                        f"its numbers are of the type {part.get_dtype()}, which is not read",
                        file=str(file),
                        remedy="Save the encoder in single precision "
                        "(model.float().save_pretrained).",
                    )
    except (OSError, ValueError, SafetensorError) as error:
        what = f"the weights of the encoder cannot be read ({error})"
        raise InputError(what, file=str(file), remedy=_ANEW) from None
    return found


def _shape(config: Mapping[str, Any], layers: int, folder: Path) -> EncoderShape:
    for name in _SIZES:
        value = config.get(name)
        if type(value) is not int or value < 1:
            what = f"{name} is {value!r}" if name in config else f"it does not tell {name}"
            raise InputError(what, file=str(folder / "config.json"), remedy=_ANEW)
    what = ""
    if config.get("hidden_act", "gelu") != "gelu":
        what = f"its activation is {config['hidden_act']} and not gelu"
    elif config.get("embedding_size", config["hidden_size"]) != config["hidden_size"]:
        what = "its embeddings are smaller than its layers"
    elif config.get("position_embedding_type", "absolute") != "absolute":
        what = "its positions are not absolute"
    if what:
        raise InputError(
            f"the encoder cannot be used: {what}",
            file=str(folder),
            remedy=f"Use an encoder of one of these kinds: {', '.join(FAMILIES)}.",
        )
    kind = config["model_type"]
    family = FAMILIES[kind]
    return EncoderShape(
        vocabulary=config["vocab_size"],
        hidden=config["hidden_size"],
        layers=min(layers, config["num_hidden_layers"]),
        heads=config["num_attention_heads"],
        inner=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        first_position=config.get("pad_token_id", 1) + 1 if family.after_padding else 0,
        eps=config.get("layer_norm_eps", 1e-12),
        buckets=config.get("relative_attention_num_buckets", 32) if family.distance else 0,
    )


def _needed(kind: str, shape: EncoderShape) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and sizes of all weights that are needed."""
    family, hidden, inner = FAMILIES[kind], shape.hidden, shape.inner
    yield "embeddings.word_embeddings.weight", (shape.vocabulary, hidden)
    yield "embeddings.position_embeddings.weight", (shape.positions, hidden)
    yield "embeddings.LayerNorm.weight", (hidden,)
    yield "embeddings.LayerNorm.bias", (hidden,)
    if family.distance:
        yield f"{family.distance}.weight", (shape.buckets, shape.heads)
    square, norm = (hidden, hidden), (hidden,)
    sizes = (square, square, square, square, norm, (inner, hidden), (hidden, inner), norm)
    for n in range(shape.layers):
        for name, size in zip(family.layer, sizes, strict=True):
            yield f"encoder.layer.{n}.{name}.weight", size
            yield f"encoder.layer.{n}.{name}.bias", size[:1]


def _told(sizes: tuple[int, ...]) -> str:
    return " by ".join(map(str, sizes)) or "one number"


def relative_buckets(length: int, buckets: int) -> NDArray[np.int64]:
    """The bucket of each pair of positions, query first: exact if near, logarithmic if far."""
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
