"""A pretrained encoder in its folder (Hugging Face layout): its sizes, and whether all is there.

Weights are looked at and not loaded, so that what cannot be used is told before anything is
trained. It needs no PyTorch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from safetensors import SafetensorError, safe_open

from caesura.errors import InputError
from caesura.neural.shape import FAMILIES, EncoderShape, kind_of

__all__ = ["by_end", "check_weights", "weight_files"]

#: What a configuration must tell.
_SIZES: Final = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
)
#: Types of numbers that are read.
_READ: Final = ("F16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "BOOL")
_LAYOUT: Final = "Name a folder in the Hugging Face layout (save_pretrained writes one)."
_ANEW: Final = "Copy or save the encoder anew (save_pretrained)."


def weight_files(folder: Path) -> list[Path]:
    """The files with the weights of an encoder."""
    return sorted(folder.glob("*.safetensors"))


def check_weights(folder: Path, layers: int) -> tuple[dict[str, Any], EncoderShape]:
    """The configuration and the sizes of the first layers of an encoder that can be used."""
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    files = weight_files(folder)
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
    names = by_end(kind, found)
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


def by_end(kind: str, names: Iterable[str]) -> dict[str, str]:
    """The names of weights by what they are without the name of a family before them."""
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
    """The names and sizes of all weights that are used."""
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
