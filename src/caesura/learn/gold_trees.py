"""Training instances: gold trees made usable, chains for NOSYNTAX, documents cut into chunks.

Trees that are cyclic, partial or have several roots are used where they can be: what is wrong in
them becomes unknown and costs nothing, is counted, and is named.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, UNKNOWN, YES, Document
from caesura.errors import CaesuraWarning, InputError, WarningSink, Where
from caesura.learn.folds import generator
from caesura.stages.word_table import TAG_COLUMNS, Words

Ints = NDArray[np.int32]
#: Labels of NOSYNTAX: inner arcs and the root arc.
CHAIN_LABELS = ("dep", "root")


@dataclass
class Repairs:
    """How many sentences had a tree that could not be used as it was."""

    cyclic: int = 0
    several_roots: int = 0
    outside: int = 0
    partial: int = 0
    sentences: int = 0

    def as_stats(self) -> dict[str, float]:
        names = ("cyclic", "several_roots", "outside", "partial")
        return {name: float(getattr(self, name)) for name in names if getattr(self, name)}


@dataclass
class Tree:
    """The gold analysis of a document: heads (UNKNOWN where unusable), labels, sentence bounds."""

    heads: Ints
    names: list[str]
    bounds: NDArray[np.int64]
    labels: Ints = field(default_factory=lambda: np.zeros(0, np.int32))

    def number(self, labels: Mapping[str, int]) -> None:
        self.labels = np.array([labels.get(name, -1) for name in self.names], np.int32)


@dataclass(frozen=True)
class Instance:
    """What is learned from at once: a run of words of one document.

    The last words, `ahead` of them, are those after the run: they are seen, and have no gold.
    """

    words: Words
    heads: Ints
    labels: Ints
    starts: NDArray[np.bool_]
    ahead: int = 0

    @property
    def complete(self) -> bool:
        return not np.any(self.heads == UNKNOWN) and not np.any(self.labels < 0)


def gold_tree(
    doc: Document,
    repairs: Repairs,
    *,
    chains: bool,
    single_root: bool,
    warn: WarningSink | None = None,
) -> Tree:
    """The gold analysis of a document, made usable."""
    if not doc.has_sentences and doc.n_tokens > 1:
        raise InputError(
            "a training document is not split into sentences",
            file=doc.source,
            remedy="Give documents whose sentences are known.",
        )
    starts = np.flatnonzero(doc.word_sent_start == YES)
    bounds = np.concatenate([starts, [doc.n_words]]).astype(np.int64)
    repairs.sentences += len(starts)
    if chains:
        heads = np.arange(1, doc.n_words + 1, dtype=np.int32)
        heads[bounds[1:] - 1] = ROOT
        names = [CHAIN_LABELS[int(head == ROOT)] for head in heads.tolist()]
        return Tree(heads, names, bounds)
    heads = doc.head.copy()
    for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        for wrong in _mend(heads, a, b, single_root, repairs):
            if warn is not None:
                warn(_warning(doc, a, wrong))
    return Tree(heads, doc.column("deprel"), bounds)


def _mend(heads: Ints, a: int, b: int, single_root: bool, repairs: Repairs) -> list[str]:
    """Turn what cannot be right in one sentence's heads into UNKNOWN; returns what it was."""
    found = []
    part = heads[a:b]
    if np.any(part == UNKNOWN):
        repairs.partial += 1
    outside = (part >= 0) & ((part < a) | (part >= b))
    if outside.any():
        part[outside] = UNKNOWN
        repairs.outside += 1
        found.append("a head in another sentence")
    roots = np.flatnonzero(part == ROOT)
    if single_root and len(roots) > 1:
        part[roots[1:]] = UNKNOWN
        repairs.several_roots += 1
        found.append("several roots")
    # A word from which the root cannot be reached lies on a cycle or hangs from one.
    state = np.zeros(b - a, np.int8)
    cyclic = False
    for first in range(b - a):
        path, word = [], first
        while word >= 0 and state[word] == 0:
            state[word] = 1
            path.append(word)
            word = int(part[word]) - a if part[word] >= 0 else -1
        if word >= 0 and state[word] == 1:
            cyclic = True
            part[path[path.index(word) :]] = UNKNOWN
        state[path] = 2
    if cyclic:
        repairs.cyclic += 1
        found.append("a cycle")
    return found


def _warning(doc: Document, word: int, what: str) -> CaesuraWarning:
    token = int(doc.word_token[word])
    comments = doc.comments.get(token, ())
    ids = [c.split("=", 1)[1].strip() for c in comments if c.lstrip("# ").startswith("sent_id")]
    return CaesuraWarning(
        f"a training tree has {what}; these heads count as unknown",
        Where(doc.source, sent_id=ids[0] if ids else None),
    )


def chunks(
    trees: Sequence[Tree], size: int, seed: int, epoch: int, *, sentences: bool
) -> list[tuple[int, int, int]]:
    """Runs of about `size` sentences: document, first word, last word + 1; anew each epoch."""
    rng = generator(seed, epoch, 1)
    found = []
    for k, tree in enumerate(trees):
        bounds = tree.bounds.tolist()
        count = len(bounds) - 1
        if sentences:
            cuts = list(range(count + 1))
        elif size <= 0 or count <= size + size // 2:
            cuts = [0, count]
        else:
            # A random phase, so that not always the same sentences open an instance.
            phase = int(rng.integers(1, size + 1))
            cuts = [0, *range(phase, count, size), count]
        found += [(k, bounds[i], bounds[j]) for i, j in itertools.pairwise(cuts)]
    return [chunk for chunk in found if chunk[2] > chunk[1]]


def tags_in(docs: Sequence[Document]) -> tuple[str, ...]:
    """The tag columns that are filled in all of the training documents, more or less."""
    words = sum(doc.n_words for doc in docs)
    filled = {
        name: sum(np.count_nonzero(getattr(doc, name)) for doc in docs) for name in TAG_COLUMNS
    }
    return tuple(name for name, count in filled.items() if count > words / 4)
