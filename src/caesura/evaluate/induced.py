"""Scores of induced grammars: directed accuracy, and forgiving scoring around punctuation.

Words are scored on the tokens of gold: correct heads among the words that are kept, the root
counted as a head and punctuation marks left out (Spitkovsky et al. 2011, 2012). Where marks stand
inside trees, the head of a word is its nearest ancestor that is no mark, on both sides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import UNKNOWN
from caesura.document.punctuation import Marks
from caesura.errors import InputError
from caesura.evaluate.flat_columns import Longs, Side
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.score import Score

__all__ = ["Induced", "directed"]

#: So many pairs that are most often reversed are told.
MOST = 10


@dataclass(frozen=True, slots=True)
class Reversed:
    """A pair of tags whose arcs are reversed: head and dependent in gold, how many of how many."""

    head: str
    dependent: str
    count: int
    #: All arcs of gold between the two, in this direction.
    total: int

    def as_dict(self) -> dict[str, str | int]:
        return asdict(self)


@dataclass(frozen=True)
class Induced:
    """Directed and undirected accuracy of all sentences and of short ones, beside the chains."""

    directed: Score
    undirected: Score
    #: Sentences of at most ten words that are kept.
    directed10: Score
    undirected10: Score
    #: What anyone could guess: every word hangs from the next, or from the one before.
    next: Score
    previous: Score
    #: The pairs of tags that are reversed most often.
    reversed: tuple[Reversed, ...] = ()

    def scores(self) -> dict[str, Score]:
        return {
            "Directed": self.directed,
            "Undirected": self.undirected,
            "Directed10": self.directed10,
            "Undirected10": self.undirected10,
            "AttachNext": self.next,
            "AttachPrevious": self.previous,
        }


def directed(pairs: Pairs, marks: NDArray[np.bool_] | Marks | None = None) -> Induced:
    """Accuracy of heads over the words of gold that are no marks, climbing over marks."""
    gold, system = pairs.gold, pairs.system
    if len(pairs.g) != gold.n_words or gold.n_words != system.n_words:
        raise InputError(
            f"directed accuracy needs the words of gold: gold has {gold.n_words} words, the system "
            f"{system.n_words}, and {len(pairs.g)} of them are the same",
            remedy="Parse the tokens of gold.",
        )
    if not isinstance(marks, np.ndarray):
        marks = (marks or Marks()).mask(gold)
    kept = ~marks
    of_gold = _core.climb_heads(gold.head.astype(np.int64), marks, UNKNOWN)
    of_system = _core.climb_heads(system.head.astype(np.int64), marks, UNKNOWN)
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

    turned = np.zeros(len(right), dtype=bool)  # dependents of gold that head their own heads
    arcs = scored & (of_gold >= 0)
    turned[arcs] = of_system[of_gold[arcs]] == np.flatnonzero(arcs)
    following, before = _chains(sentence, kept)
    return Induced(
        score(right, scored),
        score(either, scored),
        score(right, short),
        score(either, short),
        score(of_gold == following, scored),
        score(of_gold == before, scored),
        _most_reversed(gold, of_gold, arcs, turned),
    )


def _chains(sentence: Longs, kept: NDArray[np.bool_]) -> tuple[Longs, Longs]:
    """The next and the previous word that is no mark in the sentence of each; -1 for none."""
    found = []
    words = np.flatnonzero(kept)
    for shift in (1, -1):
        other = np.roll(words, -shift)
        good = sentence[words] == sentence[other]
        if len(words):
            good[-1 if shift == 1 else 0] = False
        heads = np.full(len(sentence), -1, dtype=np.int64)
        heads[words] = np.where(good, other, -1)
        found.append(heads)
    return found[0], found[1]


def _most_reversed(
    gold: Side, heads: Longs, arcs: NDArray[np.bool_], turned: NDArray[np.bool_]
) -> tuple[Reversed, ...]:
    """Pairs of tags by how many of their arcs are turned round."""
    tags = gold.upos if np.any(gold.upos) else gold.xpos
    all_of_them: Counter[tuple[int, int]] = Counter()
    wrong: Counter[tuple[int, int]] = Counter()
    for word in np.flatnonzero(arcs).tolist():
        pair = int(tags[heads[word]]), int(tags[word])
        all_of_them[pair] += 1
        wrong[pair] += bool(turned[word])
    names = {number: gold.strings[number] or "_" for pair in all_of_them for number in pair}
    order = sorted(wrong.items(), key=lambda item: (-item[1], [names[n] for n in item[0]]))
    return tuple(
        Reversed(names[pair[0]], names[pair[1]], count, all_of_them[pair])
        for pair, count in order[:MOST]
        if count
    )


def induced_text(found: Induced) -> str:
    """Accuracies beside what anyone could guess, and the pairs that are reversed, as lines."""

    def cell(score: Score) -> str:
        return f"{score.f1:.1f}"

    lines = [
        f"Heads of words, marks left out: directed {cell(found.directed)}, undirected "
        f"{cell(found.undirected)}; up to ten words {cell(found.directed10)}, "
        f"{cell(found.undirected10)}",
        f"  every word on the next: {cell(found.next)}; on the one before: {cell(found.previous)}",
    ]
    best = max(found.next.f1, found.previous.f1)
    if found.directed.f1 < best:
        lines.append("  note: this is below what a chain gives.")
    if found.reversed:
        lines.append("Arcs most often reversed (head and dependent in gold)")
        lines += [
            f"  {row.head} -> {row.dependent}: {row.count:,} of {row.total:,} "
            f"({100 * row.count / row.total:.0f}%)"
            for row in found.reversed
        ]
    return "\n".join(lines)
