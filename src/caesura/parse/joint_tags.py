"""Choosing a word's tag when it is shifted, so that syntax can overrule the tagger.

SHIFT becomes one transition for each likely tag of the next word (Bohnet & Nivre 2012, section 2).
A tag gets a score of its own, by templates that look at the tag, at its rank and probability in the
tagger's eyes and at the state; it is added to the score of SHIFT. From then on features read the
tag that was chosen: every word has a row of the word table for each of its tags.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.jit import kernel, overload
from caesura.parse.scorers.arcs import ArcScorer
from caesura.parse.scorers.compact import weight
from caesura.parse.scorers.features import FIRST_OPTION, N_COLUMNS
from caesura.parse.scorers.linear import Linear32, find_rows
from caesura.parse.scorers.linear8 import Linear8
from caesura.parse.transitions.inventory import SHIFT, SWAP
from caesura.parse.word_table import FIRST_WORD, NEPER, Words

__all__ = ["NEVER", "fill_option", "score_options", "with_choices"]

#: The score of a tag that may not be chosen.
NEVER: Final = np.float32(-1e30)
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)


@kernel
def fill_option(slots: NDArray[np.uint64], words: Words, word: int, choice: int) -> None:
    """What templates may name of one tag of a word; the slots of the state are filled already."""
    row = word * words.choices.shape[1] + choice + FIRST_WORD
    for k in range(N_COLUMNS):
        slots[FIRST_OPTION + k] = words.table[row, k]
    at = FIRST_OPTION + N_COLUMNS
    slots[at] = np.uint64(choice + 1) * _GOLDEN
    slots[at + 1] = np.uint64(min((words.choices[word, choice] - 1) >> 4, 20) + 1) * _GOLDEN


@kernel
def options_of(words: Words, word: int) -> int:
    """The number of tags that a word may choose from."""
    count = 0
    for choice in range(words.choices.shape[1]):
        count += words.choices[word, choice] > 0
    return count


@kernel
def _trusted(trust: float, words: Words, word: int, choice: int) -> np.float32:
    """What the tagger's opinion of a tag is worth: nothing for the likeliest, less for others."""
    least = words.choices[word, choice]
    for other in range(words.choices.shape[1]):
        if 0 < words.choices[word, other] < least:
            least = words.choices[word, other]
    return np.float32(trust * (least - words.choices[word, choice]) / NEPER)


@kernel
def _score32(scorer: Linear32, words: Words, word: int, choice: int) -> np.float32:
    rows, templates = scorer.choosing.rows, scorer.choosing.templates
    fill_option(scorer.scratch.slots, words, word, choice)
    size = scorer.table.shape[0]
    find_rows(rows, scorer.scratch.slots, templates, size, 0, rows.shape[0])
    total = np.float32(0.0)
    for t in range(rows.shape[0]):
        total += scorer.table[rows[t], SHIFT]
    return total


@kernel
def _score8(scorer: Linear8, words: Words, word: int, choice: int) -> np.float32:
    rows, templates = scorer.choosing.rows, scorer.choosing.templates
    fill_option(scorer.scratch.slots, words, word, choice)
    size = scorer.rows.lookup.shape[0]
    find_rows(rows, scorer.scratch.slots, templates, size, 0, rows.shape[0])
    total = np.int64(0)
    for t in range(rows.shape[0]):
        total += weight(scorer.rows, rows[t], SHIFT)
    return np.float32(total) * np.float32(scorer.unit)


@kernel
def _score_none(scorer: ArcScorer, words: Words, word: int, choice: int) -> np.float32:
    return np.float32(0.0)


_SCORERS: Final[dict[type, Any]] = {Linear8: _score8, Linear32: _score32, ArcScorer: _score_none}


def _score_option(scorer: Any, words: Words, word: int, choice: int) -> Any:
    return _SCORERS[type(scorer)](scorer, words, word, choice)


@overload(_score_option)
def _choose(scorer: Any, words: Any, word: Any, choice: Any) -> Any:
    chosen = _SCORERS[scorer.instance_class]

    def score(scorer: Any, words: Any, word: Any, choice: Any) -> Any:
        return chosen(scorer, words, word, choice)

    return score


@kernel
def score_options(
    scorer: Any, words: Words, word: int, trust: float, out: NDArray[np.float32]
) -> int:
    """Write the score of each tag of a word, for the item that was scored last; the best tag.

    A word without a choice gets 0 for its only tag.
    """
    free = options_of(words, word) > 1
    top = -1
    for choice in range(words.choices.shape[1]):
        out[choice] = NEVER
        if words.choices[word, choice] > 0:
            out[choice] = np.float32(0.0)
            if free:
                out[choice] = _score_option(scorer, words, word, choice)
                out[choice] += _trusted(trust, words, word, choice)
            if top < 0 or out[choice] > out[top]:
                top = choice
    return top


@kernel
def with_choices(
    actions: NDArray[np.int32], choices: NDArray[np.int8], bits: int
) -> NDArray[np.int32]:
    """The same transitions, in which every first SHIFT of a word chooses its tag."""
    found = actions.copy()
    word, back = 0, 0
    for step in range(actions.shape[0]):
        if actions[step] == SWAP:
            back += 1
        elif actions[step] == SHIFT:
            if back > 0:
                back -= 1
            else:
                found[step] = SHIFT + (np.int32(choices[word]) << bits)
                word += 1
    return found
