"""The tags and FEATS that words had in training, as evidence beside the scores of a network.

A network of many languages reads sub-words of which a small language had few, so this lexicon
counts how often a word had a tag with its FEATS. Counts of a word are smoothed with those of words
with the same ending, of three, two and one letters (Brants 2000, section 2.3), and these with all
words of the language. The resulting probabilities, to some power, are multiplied with those of the
network. FEATS are one of the strings that the tag was seen with in the language, unless the network
is sure of others and the tag had many that were seen once. Words are stored as 32-bit hashes.
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
from caesura.stages.hash_table import MOST, HashTable
from caesura.stages.network_labels import Attributes

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

#: The longest ending, and how often one must have been seen to be stored.
_ENDING: Final = 3
_LEAST: Final = 2
#: The weights of smoothing: of the next shorter ending, of all endings beside the word, and of them
#: beside the word in lower case.
_WEIGHTS: Final = {
    "ending": {"upos": 2.0, "feats": 2.0},
    "word": {"upos": 1.0, "feats": 0.5},
    "lower": {"upos": 2.0, "feats": 1.0},
}
#: The count of a tag that a language does not have.
_UNSEEN: Final = 0.1
#: The power of the lexicon's probabilities for seen words, and for others. Measured on the dev
#: files of 75 treebanks (`modelling/multi/scores.py`): a half or twice of them costs 0.1 to 0.3.
_POWER: Final = {"upos": 0.6, "feats": 1.3}
_POWER_UNSEEN: Final = {"upos": 0.3, "feats": 0.7}
#: The penalty, as a power of e, of FEATS that a tag was never seen with, beside the share of its
#: words whose FEATS were seen once (Good-Turing).
_NEW: Final = 3.0
#: Words whose opinions are cached.
_KEPT: Final = 1 << 13
#: Words whose FEATS are chosen together: a language may have thousands.
_AT_ONCE: Final = 256
_DAMAGED: Final = "its lexicon of tags is damaged"
#: What precedes a word, an ending, and nothing (all words of a tag) in a key.
_WORD_MARK, _ENDING_MARK, _ALL = b"=", b"-", b""


class Choices(NamedTuple):
    """The FEATS that a tag may have in a language."""

    #: The strings, the probability of each, and the place of the number of a string.
    strings: list[str]
    chances: NDArray[np.float64]
    place: dict[int, int]
    #: The columns of scores that differ between strings, and [column, choice]: which has it.
    columns: Ints
    has: Floats
    #: The columns that all strings have, and the log-probability of other FEATS.
    shared: Ints
    others: float


class Opinion(NamedTuple):
    """The counts of a word in a language, smoothed."""

    seen: bool
    #: The probability of each tag.
    upos: NDArray[np.float64]
    #: By tag: the weight of the FEATS of all its words, and the probabilities to be added.
    feats: dict[int, tuple[float, dict[int, float]]]

    def power(self, column: str) -> float:
        return (_POWER if self.seen else _POWER_UNSEEN)[column]


@dataclass(frozen=True)
class TagLexicon:
    """Counts of FEATS by language, tag, and word or ending. Threads may share one."""

    upos: tuple[str, ...]
    attributes: Attributes
    #: The strings of FEATS.
    feats: tuple[str, ...]
    #: Numbers of strings and their counts.
    table: HashTable

    @classmethod
    def of_languages(
        cls, docs: Mapping[str, Iterable[Document]], upos: Sequence[str], attributes: Attributes
    ) -> Self:
        """The lexicon of training documents, without FEATS of unknown attributes."""
        seen: dict[tuple[bytes, bytes], Counter[str]] = {}
        for language, own in docs.items():
            words: Counter[tuple[str, ...]] = Counter()
            for doc in own:
                columns = (doc.column(name) for name in ("form", "upos", "feats"))
                words.update(zip(*columns, strict=True))
            for (form, tag, feats), n in words.items():
                if tag in upos:
                    for mark, text in ((_ALL, ""), (_WORD_MARK, form), *_endings(form)):
                        key = _start(language, tag), mark + text.encode()
                        seen.setdefault(key, Counter())[attributes.known(feats)] += n
        rows = {
            crc32(rest, crc32(start)): row
            for (start, rest), row in seen.items()
            if not rest.startswith(_ENDING_MARK) or row.total() >= _LEAST
        }
        often: Counter[str] = Counter()
        for row in rows.values():
            often.update(row)
        strings = tuple(name for name, _ in often.most_common(MOST))
        return cls(tuple(upos), attributes, strings, _table(rows, strings))

    def joined(self, other: TagLexicon) -> Self:
        """The counts of both; of the FEATS of the other one those with known attributes."""
        names = [self.attributes.known(name) for name in other.feats]
        strings = tuple(dict.fromkeys((*self.feats, *names)))[:MOST]
        rows: dict[int, Counter[str]] = {}
        for table, own in ((self.table, self.feats), (other.table, names)):
            for key, row in table.rows():
                counts = rows.setdefault(key, Counter())
                for number, n in row:
                    counts[own[number]] += n
        return replace(self, feats=strings, table=_table(rows, strings))

    # ------------------------------------------------------------ model file

    def labels(self) -> dict[str, list[str]]:
        return {"lexicon-feats": list(self.feats)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self.table.arrays("tags-", "feats", "counts")

    @classmethod
    def from_part(
        cls,
        labels: Mapping[str, list[str]],
        arrays: Mapping[str, NDArray[Any]],
        attributes: Attributes,
    ) -> Self | None:
        """The lexicon in a model file; older files have none."""
        if "tags-gaps" not in arrays:
            return None
        table = HashTable.from_arrays(arrays, _DAMAGED, "tags-", "feats", "counts")
        strings = tuple(labels.get("lexicon-feats", ()))
        if int(table.columns[0].max(initial=0)) >= max(1, len(strings)):
            raise ModelError(_DAMAGED)
        return cls(tuple(labels["upos"]), attributes, strings, table)

    # -------------------------------------------------------------- opinions

    def opinions(self, words: Sequence[tuple[str, str]]) -> list[Opinion]:
        """The counts of forms, each with its language; those of the first words are cached."""
        cache = self._cache
        new = [word for word in words if word not in cache]
        made = dict(zip(new, self._opinions(new), strict=True))
        found = [cache[word] if word in cache else made[word] for word in words]
        if len(cache) + len(made) <= _KEPT:
            cache.update(made)
        return found

    @cached_property
    def _cache(self) -> dict[tuple[str, str], Opinion]:
        return {}

    def _opinions(self, words: Sequence[tuple[str, str]]) -> list[Opinion]:
        levels = [list(_levels(form)) for form, _ in words]
        hashes = [
            crc32(text, _seed(language, tag))
            for (_, language), own in zip(words, levels, strict=True)
            for text, _ in own
            for tag in self.upos
        ]
        rows = iter(self.table.find(hashes).reshape(-1, len(self.upos)).tolist())
        return [
            self._opinion(language, [(kind, next(rows)) for _, kind in own])
            for (_, language), own in zip(words, levels, strict=True)
        ]

    def _opinion(self, language: str, levels: Iterable[tuple[str, list[int]]]) -> Opinion:
        """The opinion of a word by the rows of its tags, from the shortest ending to the word."""
        upos = self._tags(language).copy()
        feats: dict[int, tuple[float, dict[int, float]]] = {}
        seen = False
        for kind, rows in levels:
            if seen or all(row < 0 for row in rows):
                continue  # a word that was seen as it is written is not looked up in lower case
            seen = kind != "ending"
            weights = _WEIGHTS[kind]
            total = np.zeros(len(self.upos))
            for tag, row in enumerate(rows):
                if row < 0:
                    continue
                numbers, counts = self.table.row(row)
                total[tag] = sum(counts)
                weight = weights["feats"]
                rest, added = feats.get(tag, (1.0, {}))
                share = 1.0 / (total[tag] + weight)
                mixed = {number: weight * value * share for number, value in added.items()}
                for number, n in zip(numbers, counts, strict=True):
                    mixed[number] = mixed.get(number, 0.0) + n * share
                feats[tag] = rest * weight * share, mixed
            weight = weights["upos"]
            upos = (total + weight * upos) / (total.sum() + weight)
        return Opinion(seen, upos, feats)

    # --------------------------------------------------------------- scoring

    def tag_points(self, points: Floats, opinions: Sequence[Opinion], where: Ints) -> Floats:
        """Scores of tags with the evidence of the counts; `where` is the opinion of each word."""
        chances = np.array([one.upos for one in opinions]).reshape(len(opinions), len(self.upos))
        power = np.array([one.power("upos") for one in opinions])
        added = (power[:, None] * np.log(chances)).astype(np.float32)
        found: Floats = points + added[where]
        return found

    def choose_feats(
        self,
        points: Floats,
        tags: Sequence[str],
        languages: Sequence[str],
        opinions: Sequence[Opinion],
        where: Ints,
        values: Ints | None = None,
    ) -> list[str | None]:
        """FEATS of each word, None where the best value of each attribute is to be taken.

        `tags` are those of the words, `languages` those of the opinions. `points` of values that
        the language may not have are very low. `values`, in rising order, are the columns of FEATS
        with points, if not all have them.
        """
        free = self.attributes.best(points, values)
        number = {tag: n for n, tag in enumerate(self.upos, 1)}
        codes = {code: n for n, code in enumerate(dict.fromkeys(languages))}
        spoken = np.array([codes[code] for code in languages], np.int64)[where]
        # Unknown tags are 0.
        keys = spoken * (len(self.upos) + 1) + [number.get(tag, 0) for tag in tags]
        # Words with the same opinion are neighbours, and many are scored at once.
        order = np.lexsort((where, keys))
        bounds = np.flatnonzero(np.diff(keys[order], prepend=-1, append=-1))
        found: list[str | None] = [None] * len(tags)
        for begin, end in pairwise(bounds.tolist()):
            language, tag = divmod(int(keys[order[begin]]), len(self.upos) + 1)
            choices = self._choices(list(codes)[language], tag - 1) if tag else None
            if choices is None or not choices.strings:
                continue
            for at in range(begin, end, _AT_ONCE):
                rows = order[at : min(at + _AT_ONCE, end)]
                kinds, own = np.unique(where[rows], return_inverse=True)
                mine = [opinions[kind] for kind in kinds.tolist()]
                scores = _columns(points, rows, choices.columns, values) @ choices.has
                scores += self._feats_points(mine, tag - 1, choices)[own]
                power = np.array([one.power("feats") for one in mine])
                new = free[rows] + (power * choices.others).astype(np.float32)[own]
                shared = _columns(points, rows, choices.shared, values).sum(1)
                keeps = scores.max(1) + shared >= new
                chosen = zip(rows.tolist(), scores.argmax(1).tolist(), keeps.tolist(), strict=True)
                for row, best, keep in chosen:
                    found[row] = choices.strings[best] if keep else None
        return found

    def _feats_points(self, opinions: Sequence[Opinion], tag: int, choices: Choices) -> Floats:
        """[opinion, choice]: the evidence of the counts for the FEATS of a tag."""
        told = [one.feats.get(tag, (1.0, {})) for one in opinions]
        chances = np.array([rest for rest, _ in told])[:, None] * choices.chances
        rows = np.repeat(np.arange(len(told)), [len(added) for _, added in told])
        place = np.array([choices.place.get(n, -1) for _, added in told for n in added], np.int64)
        more = np.array([value for _, added in told for value in added.values()])
        there = place >= 0
        chances[rows[there], place[there]] += more[there]
        power = np.array([one.power("feats") for one in opinions])
        found: Floats = (power[:, None] * np.log(chances)).astype(np.float32)
        return found

    @cached_property
    def _tags(self) -> Callable[[str], NDArray[np.float64]]:
        """The probability of each tag in a language, cached."""
        return lru_cache(None)(self._make_tags)

    @cached_property
    def _choices(self) -> Callable[[str, int], Choices]:
        """The FEATS that a tag may have in a language, cached."""
        return lru_cache(None)(self._make_choices)

    def _all(self, language: str, tag: int) -> list[list[int]]:
        """The strings of FEATS of a tag and their counts."""
        (row,) = self.table.find([crc32(_ALL, _seed(language, self.upos[tag]))]).tolist()
        return self.table.row(row) if row >= 0 else [[], []]

    def _make_tags(self, language: str) -> NDArray[np.float64]:
        counts = np.array([sum(self._all(language, tag)[1]) for tag in range(len(self.upos))])
        return (counts + _UNSEEN) / (counts + _UNSEEN).sum()

    def _make_choices(self, language: str, tag: int) -> Choices:
        numbers, counts = self._all(language, tag)
        taken = self.attributes.columns([self.feats[number] for number in numbers])
        varied = np.array([len(np.unique(column)) > 1 for column in taken.T], bool)
        columns = np.unique(taken[:, varied])
        has = np.zeros((len(columns), len(numbers)), np.float32)
        has[columns.searchsorted(taken[:, varied]), np.arange(len(numbers))[:, None]] = 1
        total = np.array(counts, np.float64)
        once = (float((total == 1).sum()) + 0.5) / (float(total.sum()) + 1)
        return Choices(
            [self.feats[number] for number in numbers],
            total / max(1.0, float(total.sum())),
            {number: n for n, number in enumerate(numbers)},
            columns,
            has,
            taken[0, ~varied] if numbers else np.zeros(0, np.int64),
            float(np.log(once)) - _NEW,
        )


def _table(rows: Mapping[int, Mapping[str, int]], strings: Sequence[str]) -> HashTable:
    """The counts of strings by hash, without those of other strings."""
    number = {name: n for n, name in enumerate(strings)}
    told = {
        key: sorted((number[name], min(n, MOST)) for name, n in row.items() if name in number)
        for key, row in rows.items()
    }
    return HashTable.of({key: row for key, row in told.items() if row}, 2)


def _columns(points: Floats, rows: Ints, columns: Ints, values: Ints | None) -> Floats:
    """Some columns of the points of some words, very low where there are none."""
    if values is None:
        return points[rows].take(columns, 1)
    place = np.minimum(values.searchsorted(columns), len(values) - 1)
    found: Floats = points[rows].take(place, 1)
    found[:, values[place] != columns] = -1e9
    return found


def _endings(form: str) -> list[tuple[bytes, str]]:
    lower = form.lower()
    return [(_ENDING_MARK, lower[-k:]) for k in range(1, min(_ENDING, len(lower) - 1) + 1)]


def _levels(form: str) -> Iterable[tuple[bytes, str]]:
    """The keys that are looked up for a word, the least specific one first."""
    for mark, text in _endings(form):
        yield mark + text.encode(), "ending"
    yield _WORD_MARK + form.encode(), "word"
    if form.lower() != form:
        yield _WORD_MARK + form.lower().encode(), "lower"


def _start(language: str, tag: str) -> bytes:
    return f"{language}\t{tag}\t".encode()


@lru_cache(1 << 12)
def _seed(language: str, tag: str) -> int:
    """The hash of the beginning of the keys of a language and a tag."""
    return crc32(_start(language, tag))
