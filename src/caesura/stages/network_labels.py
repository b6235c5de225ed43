"""Which labels a word may have: FEATS by attribute, labels by language, FEATS by XPOS.

A network of many languages chooses a value for each attribute of FEATS, `Case=Gen` among those of
`Case`, instead of a whole string, so rare combinations need no column of their own. Each attribute
has one more value, its absence, which comes first. Labels that a language never has are masked.

A network of one language chooses XPOS and FEATS independently; only FEATS that occurred with the
XPOS in training are allowed (`feats_by_xpos`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.file import Part

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_BONUS: Final = "start-bonus"
#: The array of a model file.
FEATS_BY_XPOS: Final = "feats-of-xpos"


@dataclass(frozen=True)
class Attributes:
    """The values of FEATS, as `Case=Gen`, in the order of their attributes."""

    pairs: tuple[str, ...]

    def __post_init__(self) -> None:
        if any(not pair.partition("=")[2] for pair in self.pairs):
            raise ModelError("its features are no pairs of attribute and value")
        names = [_name(pair).lower() for pair in self.pairs]
        if list(self.pairs) != sorted(set(self.pairs), key=_order) or names != sorted(names):
            raise ModelError("its features are not in the order of their attributes")

    @classmethod
    def of(cls, docs: Iterable[Document], least: int = 1) -> Self:
        """The pairs that occur so often in documents."""
        counts: Counter[str] = Counter()
        for doc in docs:
            for number, n in Counter(doc.feats.tolist()).items():
                for pair in _pairs(doc.strings[number]):
                    counts[pair] += n
        return cls(tuple(sorted((p for p, n in counts.items() if n >= least), key=_order)))

    @classmethod
    def merged(cls, *many: Attributes) -> Self:
        """The pairs of all."""
        return cls(tuple(sorted({pair for one in many for pair in one.pairs}, key=_order)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each attribute has, including its absence."""
        return tuple(1 + len(list(own)) for _, own in groupby(self.pairs, _name))

    @property
    def total(self) -> int:
        """The number of columns of the scores."""
        return sum(self.sizes)

    @cached_property
    def first(self) -> Ints:
        """The first column of each attribute, which is its absence (one more than attributes)."""
        return np.cumsum((0, *self.sizes), dtype=np.int64)

    @cached_property
    def named_columns(self) -> list[str]:
        """The pair of each column of the scores, `Case=` for the absence of an attribute."""
        groups = groupby(self.pairs, _name)
        return [column for name, own in groups for column in (f"{name}=", *own)]

    @cached_property
    def column(self) -> dict[str, int]:
        """The column of each pair."""
        pairs = {*self.pairs}
        return {name: n for n, name in enumerate(self.named_columns) if name in pairs}

    def _values(self, strings: Sequence[str]) -> tuple[Ints, set[str]]:
        """The column of each string for each attribute, and pairs that have no column."""
        rows = np.tile(self.first[:-1], (len(strings), 1))
        unknown = set()
        for row, string in enumerate(strings):
            for pair in _pairs(string):
                column = self.column.get(pair)
                if column is None:
                    unknown.add(pair)
                else:
                    rows[row, self.first.searchsorted(column, "right") - 1] = column
        return rows, unknown

    def encode(self, doc: Document, ignore: int) -> Ints:
        """The value of each attribute of each word; `ignore` if the FEATS of a word are unknown.

        An unknown pair counts as absent.
        """
        kinds, where = np.unique(doc.feats, return_inverse=True)
        rows, _ = self._values(doc.strings.take(kinds))
        found: Ints = (rows - self.first[:-1])[where]
        # Without any tag, FEATS are unknown and not empty.
        found[(doc.upos == 0) & (doc.xpos == 0) & (doc.feats == 0)] = ignore
        return found

    def columns(self, strings: Sequence[str]) -> Ints:
        """The column of each string of a lexicon for each attribute."""
        rows, unknown = self._values(strings)
        if unknown:
            raise ModelError(f"its lexicon has {min(unknown)}, which is none of its features")
        return rows

    def known(self, feats: str) -> str:
        """FEATS without unknown pairs, in order."""
        return "|".join(sorted((p for p in _pairs(feats) if p in self.column), key=_order))

    def _bounds(self, values: Ints | None) -> list[int]:
        """The first of each attribute among some columns, and the end."""
        return (self.first if values is None else values.searchsorted(self.first)).tolist()

    def best(self, scores: Floats, values: Ints | None = None) -> Floats:
        """The sum of the scores of the best value of each attribute.

        `values`, in rising order, are the columns of `scores` if these are not all.
        """
        if not len(scores) or not self.sizes:
            return np.zeros(len(scores), np.float32)
        bounds = self._bounds(values)
        most = scores.take(bounds[:-1], 1)
        # Most attributes of a language have no value, so this is faster than `reduceat`.
        for attribute, (first, end) in enumerate(pairwise(bounds)):
            if end > first + 1:
                own = scores[:, first].copy()
                for column in range(first + 1, end):
                    np.maximum(own, scores[:, column], out=own)
                most[:, attribute] = own
        found: Floats = most.sum(1)
        return found

    def choose(
        self, scores: Floats, allowed: Mask | None = None, values: Ints | None = None
    ) -> list[str]:
        """The FEATS of each word by the best value of each attribute; `values` as in `best`."""
        if not len(scores):
            return []
        points = scores if allowed is None else np.where(allowed, scores, -np.inf)
        columns = np.zeros((len(scores), len(self.sizes)), np.int64)
        for attribute, (first, end) in enumerate(pairwise(self._bounds(values))):
            columns[:, attribute] = first + points[:, first:end].argmax(1)
        rows, where = np.unique(columns, axis=0, return_inverse=True)
        rows = rows if values is None else values[rows]
        labels = [name if name in self.column else "" for name in self.named_columns]
        made = ["|".join(labels[c] for c in row if labels[c]) for row in rows.tolist()]
        return [made[i] for i in where.ravel().tolist()]


def _pairs(feats: str) -> list[str]:
    return [pair for pair in feats.split("|") if "=" in pair]


def _name(pair: str) -> str:
    return pair.partition("=")[0]


def _order(pair: str) -> tuple[str, str]:
    """The order of Universal Dependencies: by attribute, ignoring case."""
    name, _, value = pair.partition("=")
    return name.lower(), value


@dataclass(frozen=True)
class Languages:
    """The languages of a network, the labels of each, and its attributes."""

    codes: tuple[str, ...]
    attributes: Attributes
    #: [language, label] for DEPREL, columns of FEATS and lemma rules; row 0 is for text in an
    #: unknown language and allows all.
    masks: Mapping[str, Mask]
    #: [language, kind]: the bonus of a boundary in text without capitals and punctuation, and in
    #: edited text; None: none.
    bonus: Floats | None = None

    def numbers(self, doc: Document) -> Ints:
        """The language of each word, from 1 on; 0 if it is unknown.

        If there is only one language, all words are in it.
        """
        if len(self.codes) == 1:
            return np.ones(doc.n_words, np.int64)
        if doc.token_language is None:
            return np.zeros(doc.n_words, np.int64)
        number = {code: n for n, code in enumerate(self.codes, 1)}
        kinds, where = np.unique(doc.token_language, return_inverse=True)
        found = np.array([number.get(doc.strings[i], 0) for i in kinds.tolist()], np.int64)
        return found[where][doc.word_token]

    def relations(self, numbers: Ints) -> Mask:
        """The relations that words in these languages may have."""
        found: Mask = np.any(self.masks["deprel"][np.unique(numbers)], axis=0)
        return found

    def rules(self, numbers: Ints) -> Ints | None:
        """The lemma rules that words in these languages may have, None for all.

        Scores of all rules for a long document would need most of its memory.
        """
        allowed = self.masks["lemma"][np.unique(numbers)].any(0)
        return None if allowed.all() else np.flatnonzero(allowed)

    def values(self, numbers: Ints) -> Ints | None:
        """The columns of FEATS that words in these languages may have, None for all."""
        allowed: Mask = np.any(self.masks["feats"][np.unique(numbers)], axis=0)
        allowed[self.attributes.first[:-1]] = True  # every attribute may be absent
        return None if allowed.all() else np.flatnonzero(allowed)

    @classmethod
    def of(
        cls,
        docs: Mapping[str, Sequence[Document]],
        attributes: Attributes,
        deprels: Sequence[str],
        rules: Sequence[str],
        rules_of: Mapping[str, Iterable[str]],
    ) -> Self:
        """The labels in the documents of each language; `rules_of` are its lemma rules."""
        numbers = {
            "deprel": {name: n for n, name in enumerate(deprels)},
            "feats": attributes.column,
            "lemma": {name: n for n, name in enumerate(rules)},
        }
        sizes = (len(deprels), attributes.total, len(rules))
        masks = {
            name: np.zeros((len(docs) + 1, size), bool)
            for name, size in zip(numbers, sizes, strict=True)
        }
        for row, (code, own) in enumerate(docs.items(), 1):
            seen: dict[str, set[str]] = {"deprel": set(), "feats": set()}
            for doc in own:
                seen["deprel"].update(doc.strings.take(np.unique(doc.deprel)))
                for feats in doc.strings.take(np.unique(doc.feats)):
                    seen["feats"].update(_pairs(feats))
            seen["lemma"] = {*rules_of.get(code, ())}
            for name, mask in masks.items():
                mask[row, [numbers[name][one] for one in seen[name] if one in numbers[name]]] = True
                mask[row] |= name != "feats" and not mask[row].any()  # nothing is known: allow all
        masks["feats"][:, attributes.first[:-1]] = True
        for mask in masks.values():
            mask[0] = True
        return cls(tuple(docs), attributes, masks)

    # ------------------------------------------------------------ model file

    def labels(self) -> dict[str, list[str]]:
        return {"languages": list(self.codes)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            f"may-{name}": np.packbits(mask, axis=1) for name, mask in self.masks.items()
        }
        return found if self.bonus is None else found | {_BONUS: self.bonus.astype(np.float16)}

    @classmethod
    def from_part(cls, part: Part) -> Self | None:
        """The languages of a model file; None for a network of one language."""
        codes = part.labels.get("languages")
        if codes is None:
            return None
        attributes = Attributes(tuple(part.labels["feats"]))
        sizes = {name: len(part.labels[name]) for name in ("deprel", "feats", "lemma")}
        sizes["feats"] = attributes.total
        masks = {}
        for name, size in sizes.items():
            packed = part.array(f"may-{name}", np.uint8, (len(codes) + 1, (size + 7) // 8))
            masks[name] = _unpacked(packed, size, f"one of its languages may have no {name}")
        bonus = None
        if _BONUS in part.arrays:
            bonus = part.array(_BONUS, np.float16, (len(codes) + 1, 2)).astype(np.float32)
            if not np.isfinite(bonus).all():
                raise ModelError("what it adds to boundaries in its languages is no number")
        return cls(tuple(codes), attributes, masks, bonus)


def feats_by_xpos(arrays: Mapping[str, NDArray[Any]], tags: int, features: int) -> Mask | None:
    """[XPOS, FEATS]: which are allowed together, by a model file; older files have no such table.

    A file stores `np.packbits` of the rows.
    """
    damaged = "its table of tags and features is damaged"
    packed = arrays.get(FEATS_BY_XPOS)
    if packed is None:
        return None
    if packed.dtype != np.uint8 or packed.shape != (tags, -(-features // 8)):
        raise ModelError(damaged)
    return _unpacked(packed, features, damaged)


def _unpacked(packed: NDArray[np.uint8], size: int, empty: str) -> Mask:
    """The rows of a mask; `empty` is the message for a row that allows nothing."""
    mask = np.unpackbits(packed, axis=1)[:, :size].astype(bool)
    if not mask.any(1).all():
        raise ModelError(empty)
    return mask
