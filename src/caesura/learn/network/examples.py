"""Documents as arrays for training: sub-words, word features, targets.

`prepare` converts documents to `Examples`, flat arrays over all words. `Soft` contains the answers
of a teacher instead of gold annotation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, YES, Document
from caesura.stages.lemmas import rule_of
from caesura.stages.network_labels import Attributes
from caesura.stages.network_reading import FEATURE_SIZES, Window, word_features
from caesura.stages.network_subwords import Subwords

Ints = NDArray[np.int64]

#: A target without loss.
IGNORE: Final = -100
#: The number of answers of a teacher per decision.
ANSWERS: Final = 4
#: The decisions that have labels, besides boundaries and heads.
DECISIONS: Final = ("upos", "xpos", "feats", "lemma", "deprel")
#: Lemma rules that occur less often are not learned.
_RARE_RULE: Final = 2
#: FEATS that occur less often with an XPOS are likely errors of annotation, unless a word with this
#: tag occurs at least so often and always with them. Words without FEATS are parts of other words.
_LEAST: Final = 5
_LEAST_ALONE: Final = 2


def feature_sizes(languages: int = 0) -> tuple[int, ...]:
    """The sizes of the features for so many languages, whose feature is the last."""
    return (*FEATURE_SIZES, languages + 1) if languages else FEATURE_SIZES


@dataclass(frozen=True)
class Labels:
    """The labels of each head of the network; 0 of `lemma` leaves the form unchanged."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    lemma: tuple[str, ...]
    deprel: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        return {name: len(labels) for name, labels in asdict(self).items()}

    def as_lists(self) -> dict[str, list[str]]:
        return {name: list(labels) for name, labels in asdict(self).items()}


@dataclass
class Examples:
    """All documents of a data set, one after the other."""

    #: Sub-word ids of all words and where each word's begin (one more than words).
    pieces: NDArray[np.int32]
    piece_ptr: Ints
    #: Shape, space before, line break before; for a network of many languages also the language,
    #: and the treebank if treebanks have vectors (see `net.NetOptions`).
    features: Ints
    #: Where documents begin (one more than documents).
    doc_ptr: Ints
    #: 1, 0 or IGNORE.
    start: Ints
    #: The head as an index over all words, -1 for the root, IGNORE if unknown.
    head: Ints
    upos: Ints
    xpos: Ints
    #: One label a word, or one value an attribute: see `languages.Attributes`.
    feats: Ints
    lemma: Ints
    deprel: Ints

    @property
    def n_words(self) -> int:
        return len(self.head)

    def save(self, path: Path) -> None:
        np.savez_compressed(path, **{f.name: getattr(self, f.name) for f in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Examples:
        with np.load(path, allow_pickle=False) as data:
            return cls(**{f.name: data[f.name] for f in fields(cls)})

    @staticmethod
    def join(many: Sequence[Examples]) -> Examples:
        """Several data sets as one."""
        words = np.cumsum([0, *(e.n_words for e in many)])
        pieces = np.cumsum([0, *(len(e.pieces) for e in many)])

        def pointer(name: str, first: Ints) -> Ints:
            parts = [getattr(e, name)[:-1] + at for e, at in zip(many, first, strict=False)]
            return np.concatenate([*parts, first[-1:]])

        names = [f.name for f in fields(Examples)]
        out: dict[str, Any] = {n: np.concatenate([getattr(e, n) for e in many]) for n in names}
        heads = [
            np.where(e.head >= 0, e.head + w, e.head) for e, w in zip(many, words, strict=False)
        ]
        out["head"] = np.concatenate(heads)
        out["piece_ptr"], out["doc_ptr"] = pointer("piece_ptr", pieces), pointer("doc_ptr", words)
        return Examples(**out)


@dataclass
class Soft:
    """The most probable answers of a teacher for each word, with their probabilities.

    Answers are label numbers; for `head` words over all documents, -1 for the root. The
    probabilities of relations are those of the teacher's best arc.
    """

    #: The probability of a sentence start; NaN where it is not learned.
    start: NDArray[np.float16]
    answers: dict[str, NDArray[np.int32]]
    chances: dict[str, NDArray[np.float16]]

    def pick(self, keep: NDArray[np.bool_]) -> Soft:
        """The words that are kept; heads among the others lose their probability."""
        place = np.where(keep, np.cumsum(keep) - 1, -2)
        answers = {name: found[keep] for name, found in self.answers.items()}
        chances = {name: found[keep] for name, found in self.chances.items()}
        heads = answers["head"]
        moved = np.where(heads >= 0, place[heads], -1).astype(np.int32)
        chances["head"] = np.where(moved == -2, 0, chances["head"]).astype(np.float16)
        answers["head"] = np.where(moved == -2, -1, moved).astype(np.int32)
        # The start of a removed word is moved to the next word.
        upto = np.concatenate(([0.0], np.cumsum(self.start.astype(np.float64))))[
            np.concatenate(([0], np.flatnonzero(keep) + 1))
        ]
        return Soft(np.minimum(np.diff(upto), 1.0).astype(np.float16), answers, chances)

    def forget(self, words: NDArray[np.bool_]) -> Soft:
        """The same answers without those for some words."""
        chances = {
            name: np.where(words[:, None], 0, found).astype(np.float16)
            for name, found in self.chances.items()
        }
        start = np.where(words, np.nan, self.start).astype(np.float16)
        return Soft(start, dict(self.answers), chances)

    def relabelled(self, theirs: Mapping[str, Sequence[str]], labels: Labels) -> Soft:
        """The answers as numbers of other labels; missing labels lose their probability."""
        answers, chances = dict(self.answers), dict(self.chances)
        for name in DECISIONS:
            number = {label: n for n, label in enumerate(getattr(labels, name))}
            moved = np.array([number.get(label, -1) for label in theirs[name]] or [-1], np.int32)
            mine = moved[answers[name]]
            chances[name] = np.where(mine < 0, 0, chances[name]).astype(np.float16)
            answers[name] = np.maximum(mine, 0)
        return Soft(self.start, answers, chances)

    @staticmethod
    def join(many: Sequence[Soft]) -> Soft:
        """The answers for several data sets as one."""
        first = np.cumsum([0, *(len(one.start) for one in many)])
        answers = {n: np.concatenate([one.answers[n] for one in many]) for n in many[0].answers}
        chances = {n: np.concatenate([one.chances[n] for one in many]) for n in many[0].chances}
        heads = [
            np.where(one.answers["head"] >= 0, one.answers["head"] + at, -1).astype(np.int32)
            for one, at in zip(many, first, strict=False)
        ]
        answers["head"] = np.concatenate(heads)
        return Soft(np.concatenate([one.start for one in many]), answers, chances)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a file."""
        found: dict[str, NDArray[Any]] = {"start": self.start}
        for name in self.answers:
            found |= {f"answers-{name}": self.answers[name], f"chances-{name}": self.chances[name]}
        return found

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Soft:
        names = (*DECISIONS, "head")
        return cls(
            arrays["start"].astype(np.float16),
            {name: arrays[f"answers-{name}"].astype(np.int32) for name in names},
            {name: arrays[f"chances-{name}"].astype(np.float16) for name in names},
        )


def labels_of(docs: Sequence[Document]) -> Labels:
    """The labels of a treebank, the most frequent first, including lemma rules."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in DECISIONS}
    for doc in docs:
        for name in ("upos", "xpos", "feats", "deprel"):
            counts[name].update(doc.column(name))
        pairs = Counter(zip(doc.form.tolist(), doc.lemma.tolist(), strict=True))
        for (form, lemma), n in pairs.items():
            if lemma:
                counts["lemma"][rule_of(doc.strings[form], doc.strings[lemma])] += n
    found = {name: tuple(name for name, _ in own.most_common()) for name, own in counts.items()}
    rules = tuple(rule for rule in found["lemma"] if counts["lemma"][rule] >= _RARE_RULE)
    return Labels(**found | {"lemma": rules or (rule_of("a", "a"),)})


def feats_seen_with(docs: Iterable[Document], labels: Labels) -> NDArray[np.bool_]:
    """[XPOS, FEATS]: which occur together often; all FEATS for an XPOS without frequent ones."""
    seen: Counter[tuple[str, str]] = Counter()
    words: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for doc in docs:
        forms, tags, values = (doc.column(name) for name in ("form", "xpos", "feats"))
        seen.update(zip(tags, values, strict=True))
        for form, tag, features in zip(forms, tags, values, strict=True):
            words[form.lower(), tag][features] += 1
    for (_, tag), ways in words.items():
        features = next(iter(ways))
        if features and len(ways) == 1 and ways.total() >= _LEAST_ALONE:
            seen[tag, features] += _LEAST
    found = np.zeros((len(labels.xpos), len(labels.feats)), bool)
    xpos, feats = ({name: n for n, name in enumerate(some)} for some in (labels.xpos, labels.feats))
    for (tag, features), often in seen.items():
        if often >= _LEAST and tag in xpos and features in feats:
            found[xpos[tag], feats[features]] = True
    found[~found.any(axis=1)] = True
    return found


def prepare(
    docs: Sequence[Document],
    labels: Labels,
    subwords: Subwords,
    *,
    seen: bool | None = None,
    answers: bool = True,
    attributes: Attributes | None = None,
    language: int | None = None,
) -> Examples:
    """Documents as arrays; `seen` is whether shapes and spaces are visible, by default as in use.

    Without `answers` all targets are unknown, for the answers of a teacher. For a network of many
    languages `attributes` are those of FEATS, and `language` is the number of the language, from 1
    on.
    """
    rule: dict[tuple[str, str], int] = {}
    number = {name: n for n, name in enumerate(labels.lemma)}
    found = []
    for doc in docs:
        pieces, pointer = subwords.pieces(doc)
        nothing = np.full(doc.n_words, IGNORE, dtype=np.int64)
        gold = dict.fromkeys((*DECISIONS, "start", "head"), nothing)
        if answers:
            gold = targets(doc, labels, _rules(doc, number, rule))
        if attributes is not None:
            gold["feats"] = attributes.encode(doc, IGNORE)
        features = word_features(doc, seen)
        if language is not None:
            features = np.concatenate([features, np.full((doc.n_words, 1), language)], 1)
        found.append(Examples(pieces, pointer, features, np.array([0, doc.n_words]), **gold))
    return Examples.join(found)


def by_temperature(data: Examples, power: float) -> NDArray[np.float64]:
    """How often an epoch reads each document, so that small languages count.

    The share of a language is proportional to its words to that power, and all languages together
    are read once; with 1 every document is read once.
    """
    languages = data.features[data.doc_ptr[:-1], len(FEATURE_SIZES)].astype(np.int64)
    words = np.bincount(languages, np.diff(data.doc_ptr)).astype(np.float64)
    share = np.where(words > 0, np.maximum(words, 1.0) ** power, 0.0)
    share *= words.sum() / share.sum()
    often: NDArray[np.float64] = (share / np.maximum(words, 1.0))[languages]
    return often


def targets(doc: Document, labels: Labels, lemma: Ints | None) -> dict[str, Ints]:
    """The gold columns of one document as label numbers; unknown values have no loss."""
    out: dict[str, Ints] = {}
    for name in ("upos", "xpos", "feats", "deprel"):
        number = {label: i for i, label in enumerate(getattr(labels, name))}
        kinds, which = np.unique(getattr(doc, name), return_inverse=True)
        known = [number.get(label, IGNORE) for label in doc.strings.take(kinds)]
        if name != "feats" and len(kinds) and not kinds[0]:
            known[0] = IGNORE
        out[name] = np.array(known, np.int64)[which]
    # Without any tag, FEATS are unknown and not empty.
    untagged = (doc.upos == 0) & (doc.xpos == 0) & (doc.feats == 0)
    out["feats"] = np.where(untagged, IGNORE, out["feats"])
    out["lemma"] = lemma if lemma is not None else np.full(doc.n_words, IGNORE, dtype=np.int64)
    starts = doc.word_sent_start.astype(np.int64)
    out["start"] = np.where(starts < 0, IGNORE, (starts == YES).astype(np.int64))
    heads = doc.head.astype(np.int64)
    out["head"] = np.where(heads >= 0, heads, np.where(heads == ROOT, -1, IGNORE))
    out["deprel"] = np.where(out["head"] == IGNORE, IGNORE, out["deprel"])
    return out


def _rules(doc: Document, number: Mapping[str, int], cache: dict[tuple[str, str], int]) -> Ints:
    """The number of the lemma rule of each word; rules of pairs are cached."""
    names = doc.strings
    pairs = np.stack([doc.form, doc.lemma], 1)
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    rules = np.full(len(kinds), IGNORE, dtype=np.int64)
    for place, (form, lemma) in enumerate(kinds.tolist()):
        if lemma:
            pair = names[form], names[lemma]
            if pair not in cache:
                cache[pair] = number.get(rule_of(*pair), IGNORE)
            rules[place] = cache[pair]
    return rules[which.reshape(-1)]


def random_cuts(
    piece_ptr: Ints,
    doc_ptr: Ints,
    limit: int,
    random: np.random.Generator,
    documents: Ints | None = None,
) -> list[Window]:
    """All words in windows of at most `limit` sub-words; the first cut of a document is random.

    With `documents`, only those, as often as they are listed.
    """
    windows: list[Window] = []
    if documents is None:
        documents = np.arange(len(doc_ptr) - 1)
    for document in documents.tolist():
        begin, end = int(doc_ptr[document]), int(doc_ptr[document + 1])
        at = begin
        total = int(piece_ptr[end] - piece_ptr[begin])
        room = int(random.integers(limit // 8, limit + 1)) if total > limit else limit
        while at < end:
            to = int(np.searchsorted(piece_ptr, piece_ptr[at] + room, side="right")) - 1
            to = min(max(to, at + 1), end)
            windows.append(Window(at, to, at, to))
            at, room = to, limit
    return windows
