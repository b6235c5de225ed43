"""A second source of scores for the same search: a small pretrained encoder with heads.

Training needs PyTorch (`caesura-nlp[neural-train]`); running needs onnxruntime, which comes with
the package, and no PyTorch.
"""

from __future__ import annotations


def warmup() -> None:
    """Compile the kernels of this room: those that cut words into sub-words."""
    from caesura.neural.unigram import Unigram

    pieces = ("<s>", "<pad>", "</s>", "<unk>", "a")
    Unigram(pieces, (0.0, 0.0, 0.0, 0.0, -1.0), -11.0).of_word("a")
