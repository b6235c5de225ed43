"""A small encoder in the Hugging Face layout with random weights, for tests that train."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from caesura.document import Document
from caesura.stages.network_subwords import WordPiece

__all__ = ["character_pieces", "save_encoder"]

HIDDEN, INNER, LAYERS, POSITIONS = 32, 64, 2, 512


def _pieces(docs: Sequence[Document]) -> tuple[str, ...]:
    """Every character of the words, at the beginning of a part of a word and inside."""
    letters = sorted({letter for doc in docs for form in doc.column("form") for letter in form})
    return ("[PAD]", "[UNK]", "[CLS]", "[SEP]", *letters, *(f"##{letter}" for letter in letters))


def character_pieces(docs: Sequence[Document]) -> WordPiece:
    """The vocabulary of the encoder: words have as many sub-words as characters."""
    return WordPiece(_pieces(docs), lowercase=False, strip_accents=False, ideographs=False)


def save_encoder(folder: Path, docs: Sequence[Document]) -> str:
    """Write an encoder over the characters of documents; return the folder as text."""
    pieces = _pieces(docs)
    random = np.random.default_rng(0)
    square, norm = (HIDDEN, HIDDEN), (HIDDEN,)
    sizes = {f"attention.self.{name}": square for name in ("query", "key", "value")}
    sizes |= {"attention.output.dense": square, "attention.output.LayerNorm": norm}
    sizes |= {"intermediate.dense": (INNER, HIDDEN), "output.dense": (HIDDEN, INNER)}
    sizes |= {"output.LayerNorm": norm}
    every = {"embeddings.LayerNorm": norm}
    for layer in range(LAYERS):
        every |= {f"encoder.layer.{layer}.{name}": size for name, size in sizes.items()}
    weights = {
        "embeddings.word_embeddings.weight": random.normal(0, 1, (len(pieces), HIDDEN)),
        "embeddings.position_embeddings.weight": random.normal(0, 0.1, (POSITIONS, HIDDEN)),
    }
    for name, size in every.items():
        weights[f"{name}.weight"] = np.ones(size) if size == norm else random.normal(0, 0.1, size)
        weights[f"{name}.bias"] = np.zeros(size[:1])
    config = {
        "model_type": "bert",
        "vocab_size": len(pieces),
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": 2,
        "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS,
    }
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    model = {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": vocabulary}
    folder.mkdir(exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps({"model": model}), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(
        {name: array.astype(np.float32) for name, array in weights.items()},
        folder / "model.safetensors",
    )
    return str(folder)
