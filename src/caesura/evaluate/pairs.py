"""Two sides over the same characters, whose words are aligned, and what the pairs share.

Heads of the system are seen through the alignment: two words have the same head if their heads are
a pair themselves (Zeman et al. 2018, section 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, UNKNOWN
from caesura.evaluate.flat_columns import Longs, Side, mapped
from caesura.evaluate.score import Score
from caesura.evaluate.universal import FUNCTIONAL, universal_features, universal_relation

__all__ = ["NOT_ALIGNED", "NOT_KNOWN", "Pairs"]

#: Heads of system words that equal no head of gold.
NOT_ALIGNED = -3
NOT_KNOWN = -4


def _flags(values: Any) -> NDArray[np.bool_]:
    return np.asarray(values, dtype=bool)


@dataclass
class Pairs:
    """Two sides over the same coordinates, and which words of them are the same."""

    gold: Side
    system: Side
    #: Aligned words, pair by pair.
    g: Longs
    s: Longs

    @cached_property
    def same_tokens(self) -> NDArray[np.bool_]:
        """Tokens of gold that the system has."""
        sides = self.gold, self.system
        size = 1 + max(int(side.token_end.max(initial=0)) for side in sides)
        keys = [side.token_start * size + side.token_end for side in sides]
        found = _flags(np.isin(keys[0], keys[1]))
        turns = [side.turn for side in sides]
        if any(turn.any() for turn in turns):
            # Few tokens have a turn: they, and those whose spans they share, are told apart by it.
            told = np.unique(np.concatenate([k[t > 0] for k, t in zip(keys, turns, strict=True)]))
            places = [np.searchsorted(told, key) for key in keys]
            chosen = [
                told[np.minimum(place, len(told) - 1)] == key
                for key, place in zip(keys, places, strict=True)
            ]
            wide = 1 + max(int(turn.max(initial=0)) for turn in turns)
            pairs = [
                place[c] * wide + turn[c]
                for place, c, turn in zip(places, chosen, turns, strict=True)
            ]
            found[chosen[0]] = np.isin(*pairs)
        return found

    @cached_property
    def feats(self) -> tuple[Longs, Longs]:
        """Universal features of both sides."""
        return (
            mapped(self.gold.strings, self.gold.feats, universal_features),
            mapped(self.system.strings, self.system.feats, universal_features),
        )

    @cached_property
    def relations(self) -> tuple[Longs, Longs]:
        """Universal relations of both sides."""
        return (
            mapped(self.gold.strings, self.gold.deprel, universal_relation),
            mapped(self.system.strings, self.system.deprel, universal_relation),
        )

    @cached_property
    def gold_of(self) -> Longs:
        """The gold word of each system word, or -1."""
        found = np.full(self.system.n_words, -1, dtype=np.int64)
        found[self.s] = self.g
        return found

    @cached_property
    def system_of(self) -> Longs:
        """The system word of each gold word, or -1."""
        found = np.full(self.gold.n_words, -1, dtype=np.int64)
        found[self.g] = self.s
        return found

    @cached_property
    def system_heads(self) -> Longs:
        """The heads of all system words as gold words (ROOT for a root)."""
        heads = self.system.head.astype(np.int64)
        found = np.where(heads == ROOT, ROOT, NOT_KNOWN)
        inside = heads >= 0
        there = self.gold_of[heads[inside]]
        found[inside] = np.where(there < 0, NOT_ALIGNED, there)
        return found

    @cached_property
    def same_head(self) -> NDArray[np.bool_]:
        """Pairs whose heads are aligned to each other, or that are both roots."""
        gold = self.gold.head[self.g]
        return _flags((gold == self.system_heads[self.s]) & (gold != UNKNOWN))

    @cached_property
    def same_relation(self) -> NDArray[np.bool_]:
        gold, system = self.relations
        return _flags(gold[self.g] == system[self.s])

    def same(self, column: str) -> NDArray[np.bool_]:
        """Pairs that agree in a column as it stands."""
        gold, system = getattr(self.gold, column), getattr(self.system, column)
        return _flags(gold[self.g] == system[self.s])

    @cached_property
    def same_feats(self) -> NDArray[np.bool_]:
        gold, system = self.feats
        return _flags(gold[self.g] == system[self.s])

    @cached_property
    def same_lemma(self) -> NDArray[np.bool_]:
        """Pairs with the same lemma; gold without a lemma agrees with anything."""
        gold = self.gold.lemma[self.g]
        blank = self.gold.strings.add("_")
        return _flags((gold == self.system.lemma[self.s]) | (gold == 0) | (gold == blank))

    def members(self, relations: frozenset[str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which words of either side have one of these relations."""
        numbers = np.array([self.gold.strings.add(name) for name in sorted(relations)])
        gold, system = self.relations
        return np.isin(gold, numbers), np.isin(system, numbers)

    @cached_property
    def same_function_words(self) -> NDArray[np.bool_]:
        """Pairs with the same functional dependents, with the same relations and tags."""
        of_gold, of_system = self.members(FUNCTIONAL)
        of_gold = of_gold & (self.gold.head >= 0)
        of_system = of_system & (self.system.head >= 0)
        good = np.zeros(self.gold.n_words, dtype=bool)
        good[self.g] = (
            of_gold[self.g]
            & of_system[self.s]
            & self.same_head
            & self.same_relation
            & self.same("upos")
            & self.same_feats
        )
        wrong = np.bincount(self.gold.head[of_gold & ~good], minlength=self.gold.n_words)
        gold_count = np.bincount(self.gold.head[of_gold], minlength=self.gold.n_words)
        system_count = np.bincount(self.system.head[of_system], minlength=self.system.n_words)
        return _flags((wrong[self.g] == 0) & (gold_count[self.g] == system_count[self.s]))

    def score(
        self,
        same: NDArray[np.bool_] | None = None,
        only: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    ) -> Score:
        """Aligned words that agree, all of them or those that `only` marks on either side."""
        if only is None:
            gold, system, aligned = self.gold.n_words, self.system.n_words, len(self.g)
            correct = aligned if same is None else int(np.count_nonzero(same))
        else:
            chosen = only[0][self.g]
            gold, system = int(np.count_nonzero(only[0])), int(np.count_nonzero(only[1]))
            aligned = int(np.count_nonzero(chosen))
            correct = aligned if same is None else int(np.count_nonzero(same & chosen))
        return Score(gold, system, correct, aligned)
