"""A pretrained encoder of sub-words (BERT, RoBERTa, MPNet and their kin), as one module of ours.

The family differs in names, in where positions begin and in whether attention has a bias by
distance; the computation is one. Training needs nothing but PyTorch; `core/network` computes the
same in 8 bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from torch import Tensor, nn

from caesura.errors import InputError
from caesura.neural.pretrained import by_end, check_weights, weight_files
from caesura.neural.shape import FAMILIES, FAR, EncoderShape, relative_buckets

__all__ = ["Transformer", "load_encoder"]


class Layer(nn.Module):
    """Attention and feed-forward, each with its sum and normalisation."""

    def __init__(self, shape: EncoderShape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.rate = dropout
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm1 = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.ff1 = nn.Linear(shape.hidden, shape.inner)
        self.ff2 = nn.Linear(shape.inner, shape.hidden)
        self.norm2 = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        q, k, v = (
            part.reshape(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        mixed = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=bias.to(q.dtype), dropout_p=self.rate if self.training else 0.0
        )
        mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.ff2(nn.functional.gelu(self.ff1(x)))))  # type: ignore[no-any-return]


class Transformer(nn.Module):
    """The encoder: embeddings with what is added to them, and all layers' states."""

    def __init__(self, shape: EncoderShape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.pieces = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.distance = nn.Embedding(shape.buckets, shape.heads) if shape.buckets else None
        #: The buckets of distances from far before to far behind.
        self.register_buffer("buckets", _distances(shape), persistent=False)
        self.buckets: Tensor

    def forward(self, ids: Tensor, mask: Tensor, extra: Tensor) -> list[Tensor]:
        """The states after each layer; `extra` is added to the embeddings of the pieces."""
        length = ids.shape[1]
        places = torch.arange(length, device=ids.device) + self.shape.first_position
        places = places.clamp(max=self.shape.positions - 1)  # what is padded may lie beyond
        x = self.dropout(self.norm(self.pieces(ids) + self.position(places)[None] + extra))
        bias = (1.0 - mask[:, None, None, :].to(torch.float32)) * -1e4
        if self.distance is not None:
            # In another order of its numbers no quick kernel would take it.
            bias = (bias + self._by_distance(length, self.distance)[None]).contiguous()
        if torch.is_autocast_enabled(ids.device.type):
            bias = bias.to(torch.get_autocast_dtype(ids.device.type))  # once for all layers
        states = []
        for layer in self.layers:
            x = layer(x, bias)
            states.append(x)
        return states

    def _by_distance(self, length: int, table: nn.Embedding) -> Tensor:
        """What attention adds to each pair of places, by head: [head, query, key]."""
        distances = torch.arange(1 - length, length, device=self.buckets.device)
        # It stays as it is, so that attention need not keep what its bias would learn from.
        with torch.no_grad():
            by_distance = table(self.buckets[distances.clamp(-FAR, FAR) + FAR]).T
        # A stretch of it for every query, which begins the lower the later the query is.
        return by_distance.unfold(1, length, 1).flip(1)


def _distances(shape: EncoderShape) -> Tensor:
    """The bucket of each distance, back and on, as far as it changes."""
    if not shape.buckets:
        return torch.zeros(0, dtype=torch.int64)
    pairs = relative_buckets(FAR + 1, shape.buckets)
    return torch.from_numpy(np.concatenate([pairs[:0:-1, 0], pairs[0]]))


def load_encoder(folder: Path, layers: int) -> Transformer:
    """The first layers of an encoder in the Hugging Face layout, weights included."""
    config, shape = check_weights(folder, layers)
    try:
        arrays: dict[str, NDArray[Any]] = {}
        for file in weight_files(folder):
            arrays |= load_file(file)
        model = Transformer(shape, float(config.get("hidden_dropout_prob", 0.1)))
        model.load_state_dict(_renamed(config["model_type"], arrays, shape))
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise InputError(
            f"the encoder cannot be used: {str(error).splitlines()[0]}",
            file=str(folder),
            remedy="Copy or save it anew (save_pretrained).",
        ) from error
    return model


def _renamed(
    kind: str, arrays: Mapping[str, NDArray[Any]], shape: EncoderShape
) -> dict[str, Tensor]:
    """The weights under our names; token types are one, and go into the positions."""
    family, names = FAMILIES[kind], by_end(kind, arrays)

    def get(name: str) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(arrays[names[name]], dtype=np.float32))

    def both(target: str, source: str) -> dict[str, Tensor]:
        return {f"{target}.{end}": get(f"{source}.{end}") for end in ("weight", "bias")}

    position = get("embeddings.position_embeddings.weight")
    if "embeddings.token_type_embeddings.weight" in names:
        position = position + get("embeddings.token_type_embeddings.weight")[:1]
    found = {"pieces.weight": get("embeddings.word_embeddings.weight"), "position.weight": position}
    found |= both("norm", "embeddings.LayerNorm")
    if family.distance:
        found["distance.weight"] = get(f"{family.distance}.weight")
    for n in range(shape.layers):
        q, k, v, *rest = (f"encoder.layer.{n}.{name}" for name in family.layer)
        for end in ("weight", "bias"):
            parts = [get(f"{source}.{end}") for source in (q, k, v)]
            found[f"layers.{n}.qkv.{end}"] = torch.cat(parts)
        for target, source in zip(("out", "norm1", "ff1", "ff2", "norm2"), rest, strict=True):
            found |= both(f"layers.{n}.{target}", source)
    return found
