"""Where a system is good and where it is not: by document, genre, length, arc, label and tag.

Gold words are grouped by what gold says and system words by what the system says, so a group has a
recall over its gold words and a precision over its system words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, Document
from caesura.evaluate.align import Comparison
from caesura.evaluate.boundary_scores import document_starts
from caesura.evaluate.flat_columns import Longs, Side
from caesura.evaluate.pairs import Pairs
from caesura.evaluate.score import Score

__all__ = ["BREAKDOWNS", "Row", "breakdown", "genre_of", "unit_counts"]

BREAKDOWNS = ("document", "genre", "sentence length", "arc length", "label", "tag")
#: Upper ends of the bins of sentence lengths and of arc lengths.
LENGTHS = (5, 10, 15, 20, 30, 40)
ARCS = (1, 2, 3, 5, 10)


@dataclass(frozen=True)
class Row:
    """One group: its words on either side, and the right ones among them by measure."""

    name: str
    gold: int
    system: int
    recalled: dict[str, int]
    precise: dict[str, int]

    def recall(self, measure: str) -> float:
        return 100 * self.recalled[measure] / self.gold if self.gold else 0.0

    def precision(self, measure: str) -> float:
        return 100 * self.precise[measure] / self.system if self.system else 0.0

    def f1(self, measure: str) -> float:
        one, other = self.precision(measure), self.recall(measure)
        return 2 * one * other / (one + other) if one + other else 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "gold": self.gold,
            "system": self.system,
            **{
                measure: {
                    "precision": self.precision(measure),
                    "recall": self.recall(measure),
                    "f1": self.f1(measure),
                }
                for measure in self.recalled
            },
        }


def genre_of(doc: Document) -> str:
    """The genre of a document: its comment meta::genre, else what its id begins with.

    `weblog-typepad.com_…` is of the genre weblog, `GUM_interview_…` of the genre interview.
    """
    for comment in doc.comments.get(0, ()):
        key, _, value = comment.lstrip("# ").partition("=")
        if key.strip() in ("meta::genre", "genre"):
            return value.strip()
    parts = re.split(r"[-_./]", doc.id or "")
    # A corpus name in capitals comes before the genre.
    if len(parts) > 1 and parts[0].isupper():
        parts = parts[1:]
    return parts[0] if parts[0] else "unknown"


def breakdown(comparison: Comparison, by: str) -> list[Row]:
    """Words, UPOS, UAS and LAS of each group."""
    pairs = comparison.pairs
    if by == "document":
        names = [doc.id or f"document {i + 1}" for i, doc in enumerate(pairs.gold.docs)]
        return _rows(pairs, *document_groups(pairs), names)
    if by == "genre":
        genres = [genre_of(doc) for doc in pairs.gold.docs]
        kinds = list(dict.fromkeys(genres))
        number = np.array([kinds.index(genre) for genre in genres] or [0])
        gold, system = document_groups(pairs)
        return _rows(pairs, number[gold], number[system], kinds)
    if by == "sentence length":
        names = _bin_names(LENGTHS)
        return _rows(pairs, _length_bins(pairs.gold), _length_bins(pairs.system), names)
    if by == "arc length":
        names = [*_bin_names(ARCS), "root"]
        return _rows(pairs, _arc_bins(pairs.gold), _arc_bins(pairs.system), names)
    if by == "label":
        return _by_string(pairs, *pairs.relations)
    if by == "tag":
        column = "upos" if pairs.gold.known("upos") else "xpos"
        return _by_string(pairs, getattr(pairs.gold, column), getattr(pairs.system, column))
    raise ValueError(f"no breakdown by {by!r}; there are: {', '.join(BREAKDOWNS)}")


def document_groups(pairs: Pairs) -> tuple[Longs, Longs]:
    """The gold document in which each word of either side lies."""
    gold, system = pairs.gold, pairs.system
    of_gold = np.repeat(np.arange(len(gold.docs)), np.diff(gold.doc_first_word))
    filled = np.flatnonzero(np.diff(gold.doc_first_token) > 0)
    starts = gold.token_start[gold.doc_first_token[filled]]
    if not len(filled):
        return of_gold, np.zeros(system.n_words, dtype=np.int64)
    place = np.searchsorted(starts, system.word_start, side="right") - 1
    return of_gold, filled[np.clip(place, 0, len(filled) - 1)]


def _bin_names(ends: Sequence[int]) -> list[str]:
    lows = [1, *(end + 1 for end in ends)]
    names = [
        str(low) if low == high else f"{low}-{high}" for low, high in zip(lows, ends, strict=False)
    ]
    return [*names, f"> {ends[-1]}"]


def _length_bins(side: Side) -> Longs:
    sentence = side.token_sentence[side.word_token] if side.n_words else np.zeros(0, dtype=np.int64)
    length = np.bincount(sentence, minlength=side.n_sentences)
    return np.searchsorted(LENGTHS, length[sentence]).astype(np.int64)


def _arc_bins(side: Side) -> Longs:
    head = side.head.astype(np.int64)
    length = np.abs(head - np.arange(side.n_words))
    bins = np.searchsorted(ARCS, length)
    bins = np.where(head == ROOT, len(ARCS) + 1, bins)
    # A word without a head belongs nowhere.
    return np.where(head < ROOT, -1, bins).astype(np.int64)


def _by_string(
    pairs: Pairs, gold: NDArray[np.integer[Any]], system: NDArray[np.integer[Any]]
) -> list[Row]:
    used, counts = np.unique(np.concatenate((gold, system)), return_counts=True)
    used = used[np.argsort(-counts, kind="stable")]
    number = np.zeros(len(pairs.gold.strings), dtype=np.int64)
    number[used] = np.arange(len(used))
    names = [pairs.gold.strings[i] or "_" for i in used.tolist()]
    return _rows(pairs, number[gold], number[system], names)


def _rows(pairs: Pairs, gold: Longs, system: Longs, names: Sequence[str]) -> list[Row]:
    size = len(names)

    def count(groups: Longs) -> Longs:
        return np.bincount(groups[groups >= 0], minlength=size).astype(np.int64)

    right = measures(pairs)
    recalled = {name: count(gold[pairs.g[good]]) for name, good in right.items()}
    precise = {name: count(system[pairs.s[good]]) for name, good in right.items()}
    of_gold, of_system = count(gold), count(system)
    return [
        Row(
            names[i],
            int(of_gold[i]),
            int(of_system[i]),
            {name: int(values[i]) for name, values in recalled.items()},
            {name: int(values[i]) for name, values in precise.items()},
        )
        for i in range(size)
        if of_gold[i] or of_system[i]
    ]


def measures(pairs: Pairs) -> dict[str, NDArray[np.bool_]]:
    """The aligned pairs that are right, by measure."""
    return {
        "Words": np.ones(len(pairs.g), dtype=bool),
        "UPOS": pairs.same("upos"),
        "UAS": pairs.same_head,
        "LAS": pairs.same_head & pairs.same_relation,
    }


def unit_counts(pairs: Pairs, metric: str, unit: str = "document") -> tuple[list[str], list[Score]]:
    """The counts of one metric for each document, or for each sentence, of gold."""
    gold, system = pairs.gold, pairs.system
    if unit == "document":
        names = [doc.id or f"document {i + 1}" for i, doc in enumerate(gold.docs)]
        of_gold, of_system = document_groups(pairs)
        token_of_gold = np.repeat(np.arange(len(gold.docs)), np.diff(gold.doc_first_token))
    else:
        names = [f"sentence {i + 1}" for i in range(gold.n_sentences)]
        token_of_gold = gold.token_sentence
        of_gold = token_of_gold[gold.word_token]
        place = np.searchsorted(gold.sent_spans[0], system.word_start, side="right") - 1
        of_system = np.clip(place, 0, max(len(names) - 1, 0))
    size = len(names)
    first = np.concatenate(([True], np.diff(system.word_token) > 0))[: system.n_words]
    token_of_system = of_system[first]

    def scores(left: Longs, right: Longs, hits: Longs) -> list[Score]:
        counts = (np.bincount(x, minlength=size).tolist() for x in (left, right, hits))
        return [Score(*three) for three in zip(*counts, strict=True)]

    if metric == "Starts":
        # Those that open a document of gold are left out on both sides.
        opening = document_starts(gold)
        starts = [side.token_start[side.sent_first] for side in (gold, system)]
        inner = [~np.isin(found, opening) for found in starts]
        groups = (
            token_of_gold[gold.sent_first][inner[0]],
            token_of_system[system.sent_first][inner[1]],
        )
        hits = np.isin(starts[0][inner[0]], starts[1][inner[1]])
        return names, scores(*groups, groups[0][hits])
    if metric == "Tokens":
        return names, scores(token_of_gold, token_of_system, token_of_gold[pairs.same_tokens])
    if metric == "Sentences":
        left, right = gold.sent_spans, system.sent_spans
        groups = token_of_gold[gold.sent_first], token_of_system[system.sent_first]
        base = np.int64(max(left[1].max(initial=0), right[1].max(initial=0)) + 1)
        found = np.isin(left[0] * base + left[1], right[0] * base + right[1])
        return names, scores(*groups, groups[0][found])
    right_pairs = _metric_mask(pairs, metric)
    return names, scores(of_gold, of_system, of_gold[pairs.g[right_pairs]])


def _metric_mask(pairs: Pairs, metric: str) -> NDArray[np.bool_]:
    named = measures(pairs)
    if metric in named:
        return named[metric]
    if metric == "XPOS":
        return pairs.same("xpos")
    if metric == "UFeats":
        return pairs.same_feats
    if metric == "Lemmas":
        return pairs.same_lemma
    if metric == "AllTags":
        return pairs.same("upos") & pairs.same("xpos") & pairs.same_feats
    raise ValueError(
        f"no {metric!r} by document; there are: Tokens, Sentences, Starts, Words, UPOS, XPOS, "
        "UFeats, AllTags, Lemmas, UAS, LAS"
    )
