"""What tags and features words had in training, as a second opinion beside the network's.

A network of many languages sees sub-words of which a small language had few; how often a word had a
tag and its features is counted. Counts of a word are smoothed with those of words that end alike,
of endings of three, two and one letters (Brants 2000, section 2.3), and those with all words of the
language; what comes out is multiplied with the network's chances to some power. FEATS are chosen
among those that the tag was seen with in the language, unless the network is sure of others and the
tag had many that were seen once. Words are kept as 32-bit hashes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.packing import pack_keys, unpack_keys
from caesura.neural.languages import Attributes

__all__ = ["TagLexicon"]

Floats = NDArray[np.float32]

#: The longest ending, and how often one must have been seen to be kept.
_ENDING: Final = 3
_LEAST: Final = 2
#: How many words the next shorter ending counts for, and all endings beside the word itself; the
#: same where the word was only seen in lower case.
_ENDING_WEIGHT: Final = 2.0
_WORD_WEIGHT: Final = {"upos": 1.0, "feats": 0.5}
_LOWER_WEIGHT: Final = {"upos": 2.0, "feats": 1.0}
#: What a tag that a language does not have counts for.
_UNSEEN: Final = 0.1
#: The power of the lexicon's chances for words that were seen, and for others. Measured on the dev
#: files of 75 treebanks (`modelling/multi/scores.py`): a half or twice of them costs 0.1 to 0.3.
_POWER: Final = {"upos": 0.6, "feats": 1.3}
_POWER_UNSEEN: Final = {"upos": 0.3, "feats": 0.7}
#: How much less likely FEATS are that a tag was never seen with, beside the share of its words
#: whose FEATS were seen once (Good-Turing): as a power of e.
_NEW: Final = 3.0
_MOST: Final = 65535
#: How many words' opinions are kept.
_KEPT: Final = 1 << 13
#: Words whose features are chosen together: a language may have thousands.
_AT_ONCE: Final = 256
_DAMAGED: Final = "its lexicon of tags is damaged"
#: The arrays of a model file.
_ARRAYS: Final = ("gaps", "sizes", "feats", "counts")
#: What stands before a word, before an ending and for all words of a tag.
_WORD_MARK, _ENDING_MARK, _ALL = b"=", b"-", b""


class Choices(NamedTuple):
    """The features that a tag may have in a language."""

    #: The strings, how often each was seen, and where the number of a string is among them.
    strings: list[str]
    chances: NDArray[np.float64]
    place: dict[int, int]
    #: The columns of the network's scores that tell them apart, and [column, choice]: which has it.
    columns: NDArray[np.int64]
    has: Floats
    #: The columns that all of them have, and the log-chance of others than these.
    shared: NDArray[np.int64]
    others: float


class _Picked(NamedTuple):
    """Some columns of FEATS: where they are among those that have points, and which are not."""

    place: NDArray[np.int64]
    missing: NDArray[np.bool_]

    @classmethod
    def of(cls, columns: NDArray[np.int64], values: NDArray[np.int64] | None) -> Self:
        if values is None:
            return cls(columns, np.zeros(len(columns), bool))
        place = np.minimum(values.searchsorted(columns), len(values) - 1)
        return cls(place, values[place] != columns)

    def of_rows(self, points: Floats, rows: NDArray[np.int64]) -> Floats:
        """The points of some words, very low ones where there are none."""
        found = points[rows].take(self.place, 1)
        if self.missing.any():
            found[:, self.missing] = -1e9
        return found


class Opinion(NamedTuple):
    """What the counts say of a word in a language."""

    seen: bool
    #: The chance of each tag.
    upos: NDArray[np.float64]
    #: By tag: the weight of what all words of the tag have, and what the counts add to it.
    feats: dict[int, tuple[float, dict[int, float]]]


@dataclass(frozen=True)
class TagLexicon:
    """Counts of FEATS by language, tag, and word or ending. Threads may share one."""

    upos: tuple[str, ...]
    attributes: Attributes
    #: The strings of FEATS.
    feats: tuple[str, ...]
    #: Hashes in order, the first count of each, and whose and how many they are.
    keys: NDArray[np.uint32]
    first: NDArray[np.int32]
    choices: NDArray[np.uint16]
    counts: NDArray[np.uint16]

    @classmethod
    def of_languages(
        cls,
        docs: Mapping[str, Iterable[Document]],
        upos: Sequence[str],
        attributes: Attributes,
    ) -> Self:
        """The lexicon of training documents; what of their FEATS has no attribute is left out."""
        seen: dict[tuple[bytes, bytes], Counter[str]] = {}
        known = set(upos)
        for language, own in docs.items():
            for (form, tag, feats), n in _words(own).items():
                if tag not in known:
                    continue
                said = attributes.known(feats)
                start = _start(language, tag)
                for mark, text in ((_ALL, ""), (_WORD_MARK, form), *_endings(form)):
                    row = seen.setdefault((start, mark + text.encode()), Counter())
                    row[said] += n
        rows = {
            _hash(*key): row
            for key, row in seen.items()
            if not key[1].startswith(_ENDING_MARK) or row.total() >= _LEAST
        }
        often: Counter[str] = Counter()
        for row in rows.values():
            often.update(row)
        strings = tuple(name for name, _ in often.most_common(_MOST))
        number = {name: n for n, name in enumerate(strings)}
        told = {
            key: {number[name]: n for name, n in row.items() if name in number}
            for key, row in rows.items()
        }
        return cls(tuple(upos), attributes, strings, **_columns(told))

    def joined(self, other: TagLexicon) -> Self:
        """The counts of both; of the other's FEATS those pairs that are ours."""
        names = [self.attributes.known(name) for name in other.feats]
        strings = tuple(dict.fromkeys((*self.feats, *names)))[:_MOST]
        number = {name: n for n, name in enumerate(strings)}
        rows: dict[int, Counter[int]] = {}
        for lexicon, own in ((self, self.feats), (other, names)):
            moved = np.array([number.get(name, -1) for name in own], np.int64)
            choices, counts = moved[lexicon.choices].tolist(), lexicon.counts.tolist()
            bounds = lexicon.first.tolist()
            for row, key in enumerate(lexicon.keys.tolist()):
                told = rows.setdefault(key, Counter())
                for at in range(bounds[row], bounds[row + 1]):
                    if choices[at] >= 0:
                        told[choices[at]] += counts[at]
        kept = {key: row for key, row in rows.items() if row}
        return replace(self, feats=strings, **_columns(kept))

    # -------------------------------------------------------------- storing

    def labels(self) -> dict[str, list[str]]:
        return {"lexicon-feats": list(self.feats)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        sizes = np.diff(self.first)
        found: tuple[NDArray[Any], ...] = (
            pack_keys(self.keys),
            sizes.astype(np.uint16),
            self.choices,
            self.counts,
        )
        return {f"tags-{name}": array for name, array in zip(_ARRAYS, found, strict=True)}

    @classmethod
    def from_part(
        cls,
        labels: Mapping[str, list[str]],
        arrays: Mapping[str, NDArray[Any]],
        attributes: Attributes,
    ) -> Self | None:
        """The lexicon of a model file; older files have none."""
        if "tags-gaps" not in arrays:
            return None
        found = []
        kinds = (np.uint32, np.uint16, np.uint16, np.uint16)
        for name, kind in zip(_ARRAYS, kinds, strict=True):
            array = arrays.get(f"tags-{name}")
            if array is None or array.dtype != kind or array.ndim != 1:
                raise ModelError(_DAMAGED)
            found.append(array)
        gaps, sizes, choices, counts = found
        strings = tuple(labels.get("lexicon-feats", ()))
        first = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=first[1:])
        total = int(sizes.sum(dtype=np.int64))
        if len(gaps) != len(sizes) or total != len(choices) or total != len(counts):
            raise ModelError(_DAMAGED)
        if len(choices) and int(choices.max()) >= len(strings):
            raise ModelError(_DAMAGED)
        upos = tuple(labels["upos"])
        return cls(upos, attributes, strings, unpack_keys(gaps), first, choices, counts)

    # ------------------------------------------------------------------ use

    def opinions(self, words: Sequence[tuple[str, str]]) -> list[Opinion]:
        """What the counts say of forms, each with its language; of the first ones it is kept."""
        kept = self._kept
        known = [kept.get(word) for word in words]
        new = [word for word, one in zip(words, known, strict=True) if one is None]
        made = self._opinions(new)
        if len(kept) + len(made) <= _KEPT:
            kept.update(zip(new, made, strict=True))
        rest = iter(made)
        return [next(rest) if one is None else one for one in known]

    @cached_property
    def _kept(self) -> dict[tuple[str, str], Opinion]:
        return {}

    def _opinions(self, words: Sequence[tuple[str, str]]) -> list[Opinion]:
        wanted = [(form, language, list(_levels(form))) for form, language in words]
        hashes = [
            crc32(text, _seed(language, tag))
            for _, language, levels in wanted
            for text, _ in levels
            for tag in self.upos
        ]
        rows = self._find(np.array(hashes, np.uint32)).tolist()
        found, at, width = [], 0, len(self.upos)
        for _, language, levels in wanted:
            mine = [rows[at + n * width : at + (n + 1) * width] for n in range(len(levels))]
            at += len(levels) * width
            found.append(self._opinion(language, levels, mine))
        return found

    def _find(self, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """The row of each hash, -1 where there is none."""
        at = np.searchsorted(self.keys, hashes)
        inside = np.minimum(at, max(0, len(self.keys) - 1))
        there = self.keys[inside] == hashes if len(self.keys) else np.zeros(len(hashes), bool)
        return np.where(there, inside, -1).astype(np.int64)

    def _row(self, row: int) -> tuple[list[int], list[int]]:
        span = slice(int(self.first[row]), int(self.first[row + 1]))
        return self.choices[span].tolist(), self.counts[span].tolist()

    def _opinion(
        self, language: str, levels: Sequence[tuple[bytes, str]], rows: Sequence[Sequence[int]]
    ) -> Opinion:
        upos = self._tags(language).copy()
        feats: dict[int, tuple[float, dict[int, float]]] = {}
        seen = False
        for (_, kind), own in zip(levels, rows, strict=True):
            if seen or all(row < 0 for row in own):
                continue  # a word that was seen as it is written is not looked for in lower case
            seen = kind != "ending"
            total = np.zeros(len(self.upos))
            for tag, row in enumerate(own):
                if row < 0:
                    continue
                numbers, counts = self._row(row)
                total[tag] = sum(counts)
                weight = _weight(kind, "feats")
                rest, added = feats.get(tag, (1.0, {}))
                share = 1.0 / (total[tag] + weight)
                mixed = {number: weight * value * share for number, value in added.items()}
                for number, n in zip(numbers, counts, strict=True):
                    mixed[number] = mixed.get(number, 0.0) + n * share
                feats[tag] = rest * weight * share, mixed
            weight = _weight(kind, "upos")
            upos = (total + weight * upos) / (total.sum() + weight)
        return Opinion(seen, upos, feats)

    def tag_points(
        self,
        points: Floats,
        opinions: Sequence[Opinion],
        where: NDArray[np.int64],
    ) -> Floats:
        """Scores of tags that heed the counts: `where` tells which opinion is of each word."""
        chances = np.array([one.upos for one in opinions]).reshape(len(opinions), len(self.upos))
        power = np.array([_power(one, "upos") for one in opinions])
        added = (power[:, None] * np.log(chances)).astype(np.float32)
        found: Floats = points + added[where]
        return found

    def choose_feats(
        self,
        points: Floats,
        tags: Sequence[str],
        languages: Sequence[str],
        opinions: Sequence[Opinion],
        where: NDArray[np.int64],
        values: NDArray[np.int64] | None = None,
    ) -> list[str | None]:
        """FEATS of each word, None where the best value of each attribute is to be taken.

        `tags` are those of the words, `languages` those of the opinions; of `points` no value that
        the language may not have counts. `values`, which rise, may tell of which columns there are
        points: no other is likely.
        """
        free = self.attributes.best(points, values)
        number = {tag: n for n, tag in enumerate(self.upos, 1)}
        codes = {code: n for n, code in enumerate(dict.fromkeys(languages))}
        spoken = np.array([codes[code] for code in languages], np.int64)[where]
        # A tag that is not among ours is 0.
        keys = spoken * (len(self.upos) + 1) + [number.get(tag, 0) for tag in tags]
        # Words with the same opinion lie together, and many are scored at once.
        order = np.lexsort((where, keys))
        bounds = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
        found: list[str | None] = [None] * len(tags)
        for begin, end in pairwise(bounds.tolist()):
            language, tag = divmod(int(keys[order[begin]]), len(self.upos) + 1)
            if not tag:
                continue
            choices = self._choices(list(codes)[language], tag - 1)
            if not choices.strings:
                continue
            columns = _Picked.of(choices.columns, values)
            shared = _Picked.of(choices.shared, values)
            for at in range(begin, end, _AT_ONCE):
                rows = order[at : min(at + _AT_ONCE, end)]
                kinds, own = np.unique(where[rows], return_inverse=True)
                mine = [opinions[kind] for kind in kinds.tolist()]
                scores = columns.of_rows(points, rows) @ choices.has
                scores += self._feats_points(mine, tag - 1, choices)[own]
                power = np.array([_power(one, "feats") for one in mine])
                new = free[rows] + (power * choices.others).astype(np.float32)[own]
                keeps = scores.max(1) + shared.of_rows(points, rows).sum(1) >= new
                chosen = zip(rows.tolist(), scores.argmax(1).tolist(), keeps.tolist(), strict=True)
                for row, best, keep in chosen:
                    found[row] = choices.strings[best] if keep else None
        return found

    def _feats_points(self, opinions: Sequence[Opinion], tag: int, choices: Choices) -> Floats:
        """[opinion, choice]: what the counts add to the scores of the features of a tag."""
        told = [one.feats.get(tag, (1.0, {})) for one in opinions]
        chances = np.array([rest for rest, _ in told])[:, None] * choices.chances
        rows = np.repeat(np.arange(len(told)), [len(added) for _, added in told])
        place = np.array([choices.place.get(n, -1) for _, added in told for n in added], np.int64)
        more = np.array([value for _, added in told for value in added.values()])
        there = place >= 0
        chances[rows[there], place[there]] += more[there]
        power = np.array([_power(one, "feats") for one in opinions])
        found: Floats = (power[:, None] * np.log(chances)).astype(np.float32)
        return found

    @cached_property
    def _tags(self) -> Callable[[str], NDArray[np.float64]]:
        """How likely each tag is in a language, worked out once."""
        return lru_cache(None)(self._make_tags)

    @cached_property
    def _choices(self) -> Callable[[str, int], Choices]:
        """What a tag may have in a language, worked out once."""
        return lru_cache(None)(self._make_choices)

    def _all(self, language: str, tag: int) -> int:
        hashed = np.array([_hash(_start(language, self.upos[tag]), _ALL)], np.uint32)
        return int(self._find(hashed)[0])

    def _make_tags(self, language: str) -> NDArray[np.float64]:
        rows = [self._all(language, tag) for tag in range(len(self.upos))]
        counts = np.array([sum(self._row(row)[1]) if row >= 0 else 0 for row in rows])
        return (counts + _UNSEEN) / (counts + _UNSEEN).sum()

    def _make_choices(self, language: str, tag: int) -> Choices:
        row = self._all(language, tag)
        numbers, counts = self._row(row) if row >= 0 else ([], [])
        taken = self.attributes.columns([self.feats[number] for number in numbers])
        varied = [n for n in range(taken.shape[1]) if len(np.unique(taken[:, n])) > 1]
        columns = np.unique(taken[:, varied])
        place = {column: n for n, column in enumerate(columns.tolist())}
        has = np.zeros((len(columns), len(numbers)), np.float32)
        for choice, own in enumerate(taken[:, varied].tolist()):
            has[[place[column] for column in own], choice] = 1
        total = np.array(counts, np.float64)
        same = [n for n in range(taken.shape[1]) if n not in set(varied)]
        once = (float((total == 1).sum()) + 0.5) / (float(total.sum()) + 1)
        return Choices(
            [self.feats[number] for number in numbers],
            total / max(1.0, float(total.sum())),
            {number: n for n, number in enumerate(numbers)},
            columns,
            has,
            taken[0, same] if len(numbers) else np.zeros(0, np.int64),
            float(np.log(once)) - _NEW,
        )


def _columns(rows: Mapping[int, Mapping[int, int]]) -> dict[str, Any]:
    """Counts by hash and FEATS as arrays."""
    keys = sorted(rows)
    told = [sorted(rows[key].items()) for key in keys]
    return {
        "keys": np.array(keys, np.uint32),
        "first": np.concatenate(([0], np.cumsum([len(row) for row in told]))).astype(np.int32),
        "choices": np.array([number for row in told for number, _ in row], np.uint16),
        "counts": np.array([min(n, _MOST) for row in told for _, n in row], np.uint16),
    }


def _words(docs: Iterable[Document]) -> Counter[tuple[str, str, str]]:
    """Words with tag and FEATS, as often as they are."""
    found: Counter[tuple[str, str, str]] = Counter()
    for doc in docs:
        columns = (doc.column("form"), doc.column("upos"), doc.column("feats"))
        found.update(zip(*columns, strict=True))
    return found


def _endings(form: str) -> list[tuple[bytes, str]]:
    lower = form.lower()
    return [(_ENDING_MARK, lower[-k:]) for k in range(1, min(_ENDING, len(lower) - 1) + 1)]


def _levels(form: str) -> Iterable[tuple[bytes, str]]:
    """What is looked up for a word, from what it shares with most words on."""
    for mark, text in _endings(form):
        yield mark + text.encode(), "ending"
    yield _WORD_MARK + form.encode(), "word"
    if form.lower() != form:
        yield _WORD_MARK + form.lower().encode(), "lower"


def _weight(kind: str, column: str) -> float:
    if kind == "ending":
        return _ENDING_WEIGHT
    return (_WORD_WEIGHT if kind == "word" else _LOWER_WEIGHT)[column]


def _power(opinion: Opinion, column: str) -> float:
    return (_POWER if opinion.seen else _POWER_UNSEEN)[column]


def _start(language: str, tag: str) -> bytes:
    return f"{language}\t{tag}\t".encode()


@lru_cache(1 << 12)
def _seed(language: str, tag: str) -> int:
    """The hash of what the keys of a language and a tag begin with, to go on from."""
    return crc32(_start(language, tag))


def _hash(start: bytes, rest: bytes) -> int:
    return crc32(rest, crc32(start))
