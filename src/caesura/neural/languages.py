"""What a network of many languages knows beside its weights: codes, FEATS by attribute, masks.

FEATS is not one of many strings but a value for each attribute, `Case=Gen` among those of `Case`,
so that rare combinations cost nothing; each attribute has one more value for its absence. What a
language never has (a relation, a value, a lemma rule) is masked when its words are decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.neural.examples import FEATURE_SIZES, Examples

__all__ = ["Attributes", "Languages", "by_temperature"]

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

#: The masks of a language, by what they are of.
_MASKS: Final = ("deprel", "feats", "lemma")
_BONUS: Final = "start-bonus"


@dataclass(frozen=True)
class Attributes:
    """The values of FEATS, as `Case=Gen`, in the order of their attributes."""

    pairs: tuple[str, ...]

    def __post_init__(self) -> None:
        names = [pair.partition("=")[0] for pair in self.pairs]
        if any(not pair.partition("=")[2] for pair in self.pairs):
            raise ModelError("its features are no pairs of attribute and value")
        if list(self.pairs) != sorted(set(self.pairs), key=_order) or names != sorted(
            names, key=str.lower
        ):
            raise ModelError("its features are not in the order of their attributes")

    @classmethod
    def of(cls, docs: Iterable[Document], least: int = 1) -> Self:
        """The pairs that documents have so often."""
        counts: Counter[str] = Counter()
        for doc in docs:
            for number, n in Counter(doc.feats.tolist()).items():
                for pair in _pairs(doc.strings[number]):
                    counts[pair] += n
        return cls(tuple(sorted((p for p, n in counts.items() if n >= least), key=_order)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pair.partition("=")[0] for pair in self.pairs))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has, its absence, which is the first, included."""
        counts = Counter(pair.partition("=")[0] for pair in self.pairs)
        return tuple(counts[name] + 1 for name in self.names)

    @property
    def total(self) -> int:
        return len(self.pairs) + len(self.names)

    @cached_property
    def _place(self) -> dict[str, tuple[int, int]]:
        """The attribute and the value of each pair."""
        place: dict[str, tuple[int, int]] = {}
        seen: Counter[str] = Counter()
        number = {name: n for n, name in enumerate(self.names)}
        for pair in self.pairs:
            name = pair.partition("=")[0]
            seen[name] += 1
            place[pair] = number[name], seen[name]
        return place

    @cached_property
    def _labels(self) -> list[str]:
        """The pair of each column of the scores, nothing for absence."""
        labels: list[str] = []
        pairs = iter(self.pairs)
        for size in self.sizes:
            labels += ["", *(next(pairs) for _ in range(size - 1))]
        return labels

    @classmethod
    def merged(cls, *many: Attributes) -> Self:
        """The pairs of all."""
        return cls(tuple(sorted({pair for one in many for pair in one.pairs}, key=_order)))

    @cached_property
    def named_columns(self) -> list[str]:
        """A name for each column of the scores: the pair, or the attribute with no value."""
        found: list[str] = []
        name = iter(self.names)
        for label in self._labels:
            found.append(label or f"{next(name)}=")
        return found

    def encode(self, doc: Document, ignore: int) -> NDArray[np.int64]:
        """The value of each attribute of each word; `ignore` where a word's are not known.

        A pair that is not among ours counts as absent.
        """
        kinds, where = np.unique(doc.feats, return_inverse=True)
        rows = np.zeros((len(kinds), len(self.names)), np.int64)
        for row, number in enumerate(kinds.tolist()):
            for pair in _pairs(doc.strings[number]):
                if pair in self._place:
                    attribute, value = self._place[pair]
                    rows[row, attribute] = value
        found = rows[where]
        # Without any tag a word's features are not known to be none.
        found[(doc.upos == 0) & (doc.xpos == 0) & (doc.feats == 0)] = ignore
        return found

    def known(self, feats: str) -> str:
        """A string of FEATS without the pairs that are not among ours, in the order of ours."""
        return "|".join(sorted((p for p in _pairs(feats) if p in self._place), key=_order))

    def columns(self, strings: Sequence[str]) -> NDArray[np.int64]:
        """The column of the scores that each string has of each attribute."""
        first = np.cumsum((0, *self.sizes[:-1]))
        rows = np.tile(first, (len(strings), 1)).astype(np.int64)
        for row, string in enumerate(strings):
            for pair in _pairs(string):
                if pair not in self._place:
                    raise ModelError(f"its lexicon has {pair}, which is none of its features")
                attribute, value = self._place[pair]
                rows[row, attribute] = first[attribute] + value
        return rows

    def _bounds(self, values: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Where each attribute begins among some columns, and the end; absence is always there."""
        whole = np.cumsum((0, *self.sizes))
        return whole if values is None else values.searchsorted(whole)

    def best(self, scores: Floats, values: NDArray[np.int64] | None = None) -> Floats:
        """The score of the best value of each attribute, added up.

        `values`, which rise, may tell of which columns there are scores.
        """
        if not len(scores) or not self.sizes:
            return np.zeros(len(scores), np.float32)
        bounds = self._bounds(values).tolist()
        most = scores.take(bounds[:-1], 1)
        # Most attributes of a language have no value at all, so this is quicker than `reduceat`.
        for attribute, (first, end) in enumerate(pairwise(bounds)):
            if end > first + 1:
                own = scores[:, first].copy()
                for column in range(first + 1, end):
                    np.maximum(own, scores[:, column], out=own)
                most[:, attribute] = own
        found: Floats = most.sum(1)
        return found

    def choose(
        self,
        scores: Floats,
        allowed: Mask | None = None,
        values: NDArray[np.int64] | None = None,
    ) -> list[str]:
        """The FEATS of each word: the best value of each attribute, in the order of names.

        `values`, which rise, may tell of which columns there are scores.
        """
        if not len(scores):
            return []
        points = scores if allowed is None else np.where(allowed, scores, -np.inf)
        columns = np.zeros((len(scores), len(self.sizes)), np.int64)
        for attribute, (first, end) in enumerate(pairwise(self._bounds(values).tolist())):
            columns[:, attribute] = first + points[:, first:end].argmax(1)
        rows, where = np.unique(columns, axis=0, return_inverse=True)
        rows = rows if values is None else values[rows]
        labels = self._labels
        made = ["|".join(labels[c] for c in row if labels[c]) for row in rows.tolist()]
        return [made[i] for i in where.ravel().tolist()]


def by_temperature(data: Examples, power: float) -> NDArray[np.float64]:
    """How often an epoch reads each document so that small languages count.

    A language is read in proportion to its words to that power, and all of them together as much as
    there is; with 1 everything is read once.
    """
    languages = data.features[data.doc_ptr[:-1], len(FEATURE_SIZES)].astype(np.int64)
    words = np.bincount(languages, np.diff(data.doc_ptr)).astype(np.float64)
    share = np.where(words > 0, np.maximum(words, 1.0) ** power, 0.0)
    share *= words.sum() / share.sum()
    often: NDArray[np.float64] = (share / np.maximum(words, 1.0))[languages]
    return often


def _pairs(feats: str) -> list[str]:
    return [pair for pair in feats.split("|") if "=" in pair]


def _order(pair: str) -> tuple[str, str]:
    """As Universal Dependencies sorts them: by attribute, whatever its case."""
    name, _, value = pair.partition("=")
    return name.lower(), value


@dataclass(frozen=True)
class Languages:
    """The languages of a network, what each may have, and its features."""

    codes: tuple[str, ...]
    attributes: Attributes
    #: [language, label] for DEPREL, columns of FEATS and lemma rules; row 0, of text in no
    #: language that is known, may have all.
    masks: Mapping[str, Mask]
    #: [language, kind]: what is added to the evidence for a boundary in text without capitals and
    #: punctuation, and in edited text; None: nothing in any.
    bonus: Floats | None = None

    def numbers(self, doc: Document) -> NDArray[np.int64]:
        """The language of each word, from 1 on; 0 where it is not known.

        Where there is but one, all words are in that.
        """
        if len(self.codes) == 1:
            return np.ones(doc.n_words, np.int64)
        if doc.token_language is None:
            return np.zeros(doc.n_words, np.int64)
        number = {code: n for n, code in enumerate(self.codes, 1)}
        kinds, where = np.unique(doc.token_language, return_inverse=True)
        found = np.array([number.get(doc.strings[i], 0) for i in kinds.tolist()], np.int64)
        return found[where][doc.word_token]

    def rules(self, numbers: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """The lemma rules that words in these languages may have, None for all.

        Scores of all rules for a long document would be most of what it takes.
        """
        allowed = self.masks["lemma"][np.unique(numbers)].any(0)
        return None if allowed.all() else np.flatnonzero(allowed)

    def values(self, numbers: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """The columns of FEATS that words in these languages may have, None for all."""
        allowed: Mask = np.any(self.masks["feats"][np.unique(numbers)], axis=0)
        allowed[np.cumsum((0, *self.attributes.sizes[:-1]))] = True  # every attribute may be absent
        return None if allowed.all() else np.flatnonzero(allowed)

    def relations(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The relations that words in these languages may have."""
        found: Mask = np.any(self.masks["deprel"][np.unique(numbers)], axis=0)
        return found

    @classmethod
    def of(
        cls,
        docs: Mapping[str, Sequence[Document]],
        attributes: Attributes,
        deprels: Sequence[str],
        rules: Sequence[str],
        rules_of: Mapping[str, Iterable[str]],
    ) -> Self:
        """What the documents of each language have; `rules_of` says which lemma rules they take."""
        codes = tuple(docs)
        column = {pair: n for n, pair in enumerate(attributes._labels) if pair}
        absent = [n for n, pair in enumerate(attributes._labels) if not pair]
        masks = {
            "deprel": np.zeros((len(codes) + 1, len(deprels)), bool),
            "feats": np.zeros((len(codes) + 1, attributes.total), bool),
            "lemma": np.zeros((len(codes) + 1, len(rules)), bool),
        }
        number = {name: n for n, name in enumerate(deprels)}
        rule = {name: n for n, name in enumerate(rules)}
        for mask in masks.values():
            mask[0] = True
        masks["feats"][:, absent] = True
        for row, (code, own) in enumerate(docs.items(), 1):
            for doc in own:
                for i in np.unique(doc.deprel).tolist():
                    if doc.strings[i] in number:
                        masks["deprel"][row, number[doc.strings[i]]] = True
                for i in np.unique(doc.feats).tolist():
                    for pair in _pairs(doc.strings[i]):
                        if pair in column:
                            masks["feats"][row, column[pair]] = True
            masks["lemma"][row, [rule[r] for r in rules_of.get(code, ()) if r in rule]] = True
            for mask in (masks["deprel"], masks["lemma"]):
                mask[row] |= not mask[row].any()  # nothing is known: all may be
        return cls(codes, attributes, masks)

    # -------------------------------------------------------------- storing

    def labels(self) -> dict[str, list[str]]:
        return {"languages": list(self.codes)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            f"may-{name}": np.packbits(self.masks[name], axis=1) for name in _MASKS
        }
        return found if self.bonus is None else found | {_BONUS: self.bonus.astype(np.float16)}

    @classmethod
    def from_part(cls, part: Part) -> Self | None:
        """Those of a model file; a network of one language has none."""
        codes = part.labels.get("languages")
        if codes is None:
            return None
        attributes = Attributes(tuple(part.labels["feats"]))
        sizes = {
            "deprel": len(part.labels["deprel"]),
            "feats": attributes.total,
            "lemma": len(part.labels["lemma"]),
        }
        masks = {}
        for name, size in sizes.items():
            packed = part.array(f"may-{name}", np.uint8, (len(codes) + 1, (size + 7) // 8))
            mask = np.unpackbits(packed, axis=1)[:, :size].astype(bool)
            if not mask.any(1).all():
                raise ModelError(f"one of its languages may have no {name}")
            masks[name] = mask
        bonus = None
        if _BONUS in part.arrays:
            bonus = part.array(_BONUS, np.float16, (len(codes) + 1, 2)).astype(np.float32)
            if not np.isfinite(bonus).all():
                raise ModelError("what it adds to boundaries in its languages is no number")
        return cls(tuple(codes), attributes, masks, bonus)
