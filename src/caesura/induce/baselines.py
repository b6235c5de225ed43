"""What every grammar must beat: chains to the left and to the right."""

from __future__ import annotations

import numpy as np

from caesura.induce.parameters import Ints
from caesura.induce.sentences import Sentences

__all__ = ["attach_left", "attach_right"]


def attach_right(words: Sentences) -> Ints:
    """Every word hangs from the next; the last is the root."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    last = np.repeat(words.lengths, words.lengths) - 1
    return np.where(at == last, -1, at + 1).astype(np.int32)


def attach_left(words: Sentences) -> Ints:
    """Every word hangs from the one before; the first is the root."""
    at = np.arange(words.n_words) - np.repeat(words.starts[:-1], words.lengths)
    return (at - 1).astype(np.int32)
