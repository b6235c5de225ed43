"""What the word alone says of lemma and FEATS, for each pair of word type and label met so far.

Columns given the label are nearly settled by the pair: lemmas wholly, FEATS for most words. So they
are worked out once for each pair; only pairs that are not settled look at their context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import ConditionalClassifier
from caesura.document.characters import is_picture
from caesura.language.closed import Closed
from caesura.stages.irregular_lemmas import Irregular
from caesura.stages.lemmas import compile_rule
from caesura.stages.tag_attributes import plain_form

__all__ = ["LemmaCache"]

_MOST: Final = 65536
Ints = NDArray[np.int32]


class LemmaCache:
    """Numbers for pairs; rows of `alone` and `settled` belong to pairs, by column."""

    def __init__(
        self,
        classifiers: Mapping[str, ConditionalClassifier],
        rules: list[str],
        tags: Sequence[str],
        irregular: Irregular,
        feats: Sequence[str] = (),
        closed: Closed | None = None,
    ) -> None:
        """`tags` has the XPOS of each label, by which irregular and closed forms are known."""
        self._classifiers = classifiers
        self._rules = [compile_rule(rule) for rule in rules]
        self._classes = len(tags)
        self._tags = tags
        told = closed or {}
        self._lemmas = {**irregular, **{key: word.lemma for key, word in told.items()}}
        number = {value: n for n, value in enumerate(feats)}
        self._feats = {
            key: number[word.feats] for key, word in told.items() if word.feats in number
        }
        self._numbers: dict[int, int] = {}
        self.lemmas: list[str] = []
        self.alone: dict[str, NDArray[np.float32]] = {}
        self.settled: dict[str, Ints] = {}
        for column, classifier in classifiers.items():
            self.alone[column] = np.zeros((0, classifier.width), np.float32)
            self.settled[column] = np.zeros(0, np.int32)

    @property
    def full(self) -> bool:
        return len(self._numbers) > _MOST

    def numbers(
        self, words: Ints, labels: Ints, types: list[str], attributes: NDArray[np.uint64]
    ) -> Ints:
        """The pair of each word; new pairs are worked out."""
        kinds, where = np.unique(
            words.astype(np.int64) * self._classes + labels, return_inverse=True
        )
        codes = kinds.tolist()
        get = self._numbers.get
        found = np.array([get(code, -1) for code in codes], np.int32)
        new = np.flatnonzero(found < 0)
        if len(new):
            first = len(self._numbers)
            found[new] = np.arange(first, first + len(new), dtype=np.int32)
            fresh = kinds[new]
            self._numbers.update(zip(fresh.tolist(), range(first, first + len(new)), strict=True))
            self._work_out(fresh, types, attributes, first)
        return found[where]

    def _work_out(
        self,
        codes: NDArray[np.int64],
        types: list[str],
        attributes: NDArray[np.uint64],
        first: int,
    ) -> None:
        words = (codes // self._classes).astype(np.int32)
        labels = (codes % self._classes).astype(np.int32)
        forms = [plain_form(types[word]) for word in words.tolist()]
        tags = [self._tags[label] for label in labels.tolist()]
        keys = [(form.lower(), tag) for form, tag in zip(forms, tags, strict=True)]
        for column, classifier in self._classifiers.items():
            alone, settled = classifier.choose_alone(attributes, words, labels)
            if column == "lemma":
                rules = self._rules
                made = [
                    rules[rule](form) if rule >= 0 else form
                    for form, rule in zip(forms, settled.tolist(), strict=True)
                ]
                if self._lemmas:
                    known = self._lemmas.get
                    made = [known(key, lemma) for lemma, key in zip(made, keys, strict=True)]
                self.lemmas += [
                    form if is_picture(form) else lemma
                    for lemma, form in zip(made, forms, strict=True)
                ]
            else:
                if column == "feats" and self._feats:
                    get = self._feats.get
                    told = np.array([get(key, -1) for key in keys], np.int32)
                    settled = np.where(told >= 0, told, settled)
                self._extend(column, first, alone, settled)

    def _extend(self, column: str, first: int, alone: NDArray[np.float32], settled: Ints) -> None:
        room = len(self.settled[column])
        if first + len(settled) > room:
            room = max(1024, 2 * room, first + len(settled))
            # New arrays: calls that run in other threads go on with the old ones.
            scores = np.zeros((room, alone.shape[1]), np.float32)
            scores[:first] = self.alone[column][:first]
            values = np.zeros(room, np.int32)
            values[:first] = self.settled[column][:first]
            self.alone[column], self.settled[column] = scores, values
        self.alone[column][first : first + len(settled)] = alone
        self.settled[column][first : first + len(settled)] = settled
