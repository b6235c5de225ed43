"""What the tokeniser says of sentence starts, in the units of a network's scores."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.layout import SAME
from caesura.neural.examples import layout_codes
from caesura.stages.word_table import AT_LINES

__all__ = ["evidence_odds", "log_odds"]

#: How sure the tokeniser can be.
_SURE: Final = 0.002


def evidence_odds(doc: Document) -> NDArray[np.float32]:
    """The log-odds of the tokeniser's evidence for a start before each word.

    Where a line begins they count for more: the tokeniser has seen more layouts than the network.
    """
    found: NDArray[np.float32] = log_odds(doc) * np.where(layout_codes(doc) == SAME, 1, AT_LINES)
    return found.astype(np.float32)


def log_odds(doc: Document) -> NDArray[np.float32]:
    """The log-odds of the tokeniser's evidence before each word; none inside of tokens."""
    evidence = np.asarray(doc.start_evidence, np.float32).clip(_SURE, 1 - _SURE)
    token = doc.word_token
    first = np.ones(doc.n_words, dtype=bool)
    first[1:] = token[1:] != token[:-1]
    found: NDArray[np.float32] = np.where(first, np.log(evidence / (1 - evidence))[token], 0)
    return found
