"""Scores of induced grammars: directed accuracy, and forgiving scoring around punctuation.

Words are scored on the tokens of gold: correct heads among the words that are kept, the root
counted as a head and punctuation marks left out (Spitkovsky et al. 2011, 2012). Where marks stand
inside trees, the head of a word is its nearest ancestor that is no mark, on both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.document import UNKNOWN
from caesura.errors import InputError
from caesura.evaluate.flat_columns import Longs, Side
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.score import Score
from caesura.jit import kernel

__all__ = ["Induced", "directed", "is_mark"]

#: Relations and tags of punctuation marks in the treebanks of the shared tasks.
MARK_TAGS = frozenset({"PUNCT", "PU", "XP", "F", "PUNT", "PUNC", "IK", "IP", "IQ", "IR", "IS"})
PTB_MARKS = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-"})


@dataclass(frozen=True)
class Induced:
    """Directed and undirected accuracy of all sentences and of short ones."""

    directed: Score
    undirected: Score
    #: Sentences of at most ten words that are kept.
    directed10: Score
    undirected10: Score

    def scores(self) -> dict[str, Score]:
        return {
            "Directed": self.directed,
            "Undirected": self.undirected,
            "Directed10": self.directed10,
            "Undirected10": self.undirected10,
        }


def is_mark(side: Side) -> NDArray[np.bool_]:
    """Words that are punctuation marks, by tag or relation."""
    strings = side.strings
    tags = [strings.add(tag) for tag in sorted(MARK_TAGS)]
    marks = np.isin(side.upos, tags) | (side.deprel == strings.add("punct"))
    if not np.any(side.upos):
        marks |= np.isin(side.xpos, [*tags, *(strings.add(tag) for tag in sorted(PTB_MARKS))])
    return np.asarray(marks, dtype=bool)


def directed(pairs: Pairs, marks: NDArray[np.bool_] | None = None) -> Induced:
    """Accuracy of heads over the words of gold that are no marks, climbing over marks."""
    gold, system = pairs.gold, pairs.system
    if len(pairs.g) != gold.n_words or gold.n_words != system.n_words:
        raise InputError(
            f"directed accuracy needs the words of gold: gold has {gold.n_words} words, the system "
            f"{system.n_words}, and {len(pairs.g)} of them are the same",
            remedy="Parse the tokens of gold.",
        )
    if marks is None:
        marks = is_mark(gold)
    kept = ~marks
    of_gold = _climb(gold.head.astype(np.int64), marks)
    of_system = _climb(system.head.astype(np.int64), marks)
    scored = kept & (of_gold != UNKNOWN)
    right = scored & (of_gold == of_system)
    back = np.zeros(len(right), dtype=bool)
    inside = scored & (of_system >= 0)
    back[inside] = of_gold[of_system[inside]] == np.flatnonzero(inside)
    either = right | back

    sentence = gold.token_sentence[gold.word_token]
    length = np.bincount(sentence[kept], minlength=gold.n_sentences)
    short = scored & (length[sentence] <= 10)

    def score(hits: NDArray[np.bool_], words: NDArray[np.bool_]) -> Score:
        count = int(np.count_nonzero(words))
        return Score(count, count, int(np.count_nonzero(hits & words)), count)

    return Induced(
        score(right, scored), score(either, scored), score(right, short), score(either, short)
    )


@kernel
def _climb(head: Longs, marks: NDArray[np.bool_]) -> Longs:
    """The nearest ancestor of each word that is no mark; UNKNOWN where a circle never ends."""
    found = np.empty(len(head), dtype=np.int64)
    for word in range(len(head)):
        above = head[word]
        steps = 0
        while above >= 0 and marks[above]:
            above = head[above]
            steps += 1
            if steps > len(head):
                above = UNKNOWN
                break
        found[word] = above
    return found
