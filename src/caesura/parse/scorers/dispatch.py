"""The one thing that a beam asks of a scorer: the scores of all transitions of an item.

A scorer is a NamedTuple; its kernels are chosen by its type at compile time, so that the search
knows nothing about the model.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import overload
from caesura.parse.scorers.linear import Linear32, forget_sums, score32
from caesura.parse.transitions.graph_stack import Arena
from caesura.parse.word_table import Words

__all__ = ["SCORERS", "forget", "score_into"]


#: The kernels of each kind of scorer: scores of an item, and forgetting of other documents.
SCORERS: Final[dict[type, tuple[Any, Any]]] = {
    Linear32: (score32, forget_sums),
}


def score_into(
    scorer: Any, words: Words, arena: Arena, item: int, out: NDArray[np.float32]
) -> None:
    """Write the scores of all transitions of an item."""
    SCORERS[type(scorer)][0](scorer, words, arena, item, out)


@overload(score_into, jit_options={"forceinline": True})
def _choose(scorer: Any, words: Any, arena: Any, item: Any, out: Any) -> Any:
    chosen = SCORERS[scorer.instance_class][0]

    def score(scorer: Any, words: Any, arena: Any, item: Any, out: Any) -> None:
        chosen(scorer, words, arena, item, out)

    return score


def forget(scorer: Any) -> None:
    """Forget what was kept of other words, or of other weights."""
    SCORERS[type(scorer)][1](scorer)


@overload(forget)
def _choose_forget(scorer: Any) -> Any:
    chosen = SCORERS[scorer.instance_class][1]

    def forget_it(scorer: Any) -> None:
        chosen(scorer)

    return forget_it
