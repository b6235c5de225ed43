"""Documents as arrays for the network: sub-words, word features, targets.

Everything that the network needs of a document is here, as flat arrays over all words, so that
training can go on where nothing but numpy and PyTorch is installed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura import layout
from caesura.document import ROOT, YES, Document
from caesura.stages.word_table import SHAPES, edited_words, shapes_of

__all__ = ["FEATURE_SIZES", "IGNORE", "SHAPES", "Examples", "Labels", "Soft"]
__all__ += ["layout_codes", "word_features"]

#: A target that costs nothing.
IGNORE: Final = -100
#: How many values each feature of a word has; 0 of each adds nothing to the word.
FEATURE_SIZES: Final = (len(SHAPES), 3, 16)
#: How many answers of a teacher are looked at.
ANSWERS: Final = 4
#: The decisions that have labels, besides boundaries and heads.
DECISIONS: Final = ("upos", "xpos", "feats", "lemma", "deprel")


def feature_sizes(languages: int = 0) -> tuple[int, ...]:
    """The sizes for a network of so many languages, the last of which is theirs."""
    return (*FEATURE_SIZES, languages + 1) if languages else FEATURE_SIZES


def word_features(
    doc: Document, seen: bool | None = None, bounds: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Shape, space before and line break before each word; `bounds` as in `edited_words`.

    Shapes and spaces are 0 where they shall not be seen: by default in paragraphs that have neither
    capitals nor punctuation to speak of, where they would tell the network of a world that it
    never met in training. Where lines end is told in any case.
    """
    features = np.zeros((doc.n_words, len(FEATURE_SIZES)), dtype=np.int64)
    if not doc.n_words:
        return features
    features[:, 2] = layout_codes(doc)
    if seen is False:
        return features
    shapes = shapes_of([doc])
    edited = np.ones(doc.n_words, bool) if seen else edited_words(doc, bounds=bounds)
    spaced = np.ones(doc.n_tokens, dtype=bool)
    spaced[1:] = doc.token_start[1:] > doc.token_end[:-1]
    first = np.ones(doc.n_words, dtype=bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    features[:, 0] = np.where(edited, shapes, 0)
    features[:, 1] = np.where(edited, np.where(first & spaced[doc.word_token], 1, 2), 0)
    return features


def layout_codes(doc: Document, *, raw: bool = False) -> NDArray[np.int64]:
    """What the layout says before each word; nothing within a token and at the start of a text.

    All of it with `raw`, else what is learned from.
    """
    first = np.ones(doc.n_words, dtype=bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    known = layout.breaks(doc)
    codes = (known if raw else layout.learned(known))[doc.word_token]
    return np.where(first & (codes != layout.START), codes, layout.SAME).astype(np.int64)


def paragraph_features(doc: Document, bounds: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Shape, space before and paragraph start: what older networks see of a word."""
    features = word_features(doc, bounds=bounds)
    first = np.ones(doc.n_words, dtype=bool)
    first[1:] = doc.word_token[1:] != doc.word_token[:-1]
    starts = first & doc.token_paragraph_start[doc.word_token]
    features[:, 2] = np.where(features[:, 0] > 0, np.where(starts, 1, 2), 0)
    return features


@dataclass(frozen=True)
class Labels:
    """The labels of each head of the network; 0 of `lemma` leaves the form as it is."""

    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    lemma: tuple[str, ...]
    deprel: tuple[str, ...]

    @property
    def sizes(self) -> dict[str, int]:
        return {f.name: len(getattr(self, f.name)) for f in fields(self)}

    def as_lists(self) -> dict[str, list[str]]:
        return {f.name: list(getattr(self, f.name)) for f in fields(self)}


@dataclass
class Examples:
    """All documents of a data set, one after the other."""

    #: Sub-word ids of all words and where each word's begin (one more than words).
    pieces: NDArray[np.int32]
    piece_ptr: NDArray[np.int64]
    #: Shape, space before, line break before; in a network of many languages also that, and the
    #: treebank where those have vectors (see `net.NetOptions`).
    features: NDArray[np.int64]
    #: Where documents begin (one more than documents).
    doc_ptr: NDArray[np.int64]
    #: 1, 0 or IGNORE.
    start: NDArray[np.int64]
    #: The head as an index over all words, -1 for the root, IGNORE if unknown.
    head: NDArray[np.int64]
    upos: NDArray[np.int64]
    xpos: NDArray[np.int64]
    #: One label a word, or one value an attribute: see `languages.Attributes`.
    feats: NDArray[np.int64]
    lemma: NDArray[np.int64]
    deprel: NDArray[np.int64]

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
        out: dict[str, Any] = {}
        for f in fields(Examples):
            out[f.name] = np.concatenate([getattr(e, f.name) for e in many])
        out["head"] = np.concatenate(
            [np.where(e.head >= 0, e.head + w, e.head) for e, w in zip(many, words, strict=False)]
        )
        out["piece_ptr"] = np.concatenate(
            [e.piece_ptr[:-1] + p for e, p in zip(many, pieces, strict=False)] + [pieces[-1:]]
        )
        out["doc_ptr"] = np.concatenate(
            [e.doc_ptr[:-1] + w for e, w in zip(many, words, strict=False)] + [words[-1:]]
        )
        return Examples(**out)


@dataclass
class Soft:
    """What a teacher thinks of each word: its few likeliest answers and their chances.

    Answers are label numbers; for `head` words over all documents, -1 for the root. The chances
    of labels of arcs are those of the teacher's best arc.
    """

    #: The chance of a sentence start; NaN where nobody shall learn from it.
    start: NDArray[np.float16]
    answers: dict[str, NDArray[np.int32]]
    chances: dict[str, NDArray[np.float16]]

    def pick(self, keep: NDArray[np.bool_]) -> Soft:
        """The words that are kept; answers that point at others lose their chance."""
        place = np.where(keep, np.cumsum(keep) - 1, -2)
        answers = {name: found[keep] for name, found in self.answers.items()}
        chances = {name: found[keep] for name, found in self.chances.items()}
        heads = answers["head"]
        moved = np.where(heads >= 0, place[heads], -1).astype(np.int32)
        chances["head"] = np.where(moved == -2, 0, chances["head"]).astype(np.float16)
        answers["head"] = np.where(moved == -2, -1, moved).astype(np.int32)
        # A start that is left out goes over to the next word.
        upto = np.concatenate(([0.0], np.cumsum(self.start.astype(np.float64))))[
            np.concatenate(([0], np.flatnonzero(keep) + 1))
        ]
        return Soft(np.minimum(np.diff(upto), 1.0).astype(np.float16), answers, chances)

    def forget(self, words: NDArray[np.bool_]) -> Soft:
        """The same, but nothing is to be learned about some words."""
        chances = {
            name: np.where(words[:, None], 0, found).astype(np.float16)
            for name, found in self.chances.items()
        }
        start = np.where(words, np.nan, self.start).astype(np.float16)
        return Soft(start, dict(self.answers), chances)

    def relabelled(self, theirs: Mapping[str, Sequence[str]], labels: Labels) -> Soft:
        """The answers as numbers of other labels; what these do not have loses its chance."""
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
        """What was said of several data sets, as of one."""
        first = np.cumsum([0, *(len(one.start) for one in many)])
        answers = {n: np.concatenate([one.answers[n] for one in many]) for n in many[0].answers}
        chances = {n: np.concatenate([one.chances[n] for one in many]) for n in many[0].chances}
        answers["head"] = np.concatenate(
            [
                np.where(one.answers["head"] >= 0, one.answers["head"] + at, -1).astype(np.int32)
                for one, at in zip(many, first, strict=False)
            ]
        )
        return Soft(np.concatenate([one.start for one in many]), answers, chances)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, as a file keeps it."""
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


def collect_labels(documents: Iterable[Document], scripts: Sequence[str], least: int = 1) -> Labels:
    """The labels that occur in the training documents, the most frequent first."""
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("upos", "xpos", "feats", "deprel")
    }
    for doc in documents:
        for name, counter in counts.items():
            counter.update(doc.column(name))
    ordered = {
        name: tuple(label for label, n in counter.most_common() if n >= least)
        for name, counter in counts.items()
    }
    return Labels(lemma=tuple(scripts), **ordered)


def targets(doc: Document, labels: Labels, lemma: NDArray[np.int64] | None) -> dict[str, Any]:
    """The gold columns of one document as label numbers; what is unknown costs nothing."""
    out: dict[str, Any] = {}
    for name in ("upos", "xpos", "feats", "deprel"):
        number = {label: i for i, label in enumerate(getattr(labels, name))}
        known = {
            i: number.get(doc.strings[i], IGNORE) for i in np.unique(getattr(doc, name)).tolist()
        }
        if name != "feats":
            known[0] = IGNORE
        out[name] = np.array([known[i] for i in getattr(doc, name).tolist()], dtype=np.int64)
    # Without any tag a word's features are not known to be none.
    untagged = (doc.upos == 0) & (doc.xpos == 0) & (doc.feats == 0)
    out["feats"] = np.where(untagged, IGNORE, out["feats"])
    out["lemma"] = lemma if lemma is not None else np.full(doc.n_words, IGNORE, dtype=np.int64)
    starts = doc.word_sent_start.astype(np.int64)
    out["start"] = np.where(starts < 0, IGNORE, (starts == YES).astype(np.int64))
    heads = doc.head.astype(np.int64)
    out["head"] = np.where(heads >= 0, heads, np.where(heads == ROOT, -1, IGNORE))
    out["deprel"] = np.where(out["head"] == IGNORE, IGNORE, out["deprel"])
    return out


def unknown(doc: Document) -> dict[str, Any]:
    """Columns of a document of which no answer is known."""
    nothing = np.full(doc.n_words, IGNORE, dtype=np.int64)
    return dict.fromkeys((*DECISIONS, "start", "head"), nothing)
