"""Fragments of sentences against their trees: of punctuation, of mark-up, and of phrases.

Spitkovsky et al. (2011, section 3) ask how often the runs of words between marks are constituents,
and how often they satisfy each constraint in a dependency tree; they compare both with links and
emphases of web pages (Spitkovsky et al. 2010). The same tables are made here for any document that
has trees; where it has mark-up or phrases, these are compared, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.document import Document
from caesura.induce.corpus import Corpus
from caesura.induce.parameters import Ints
from caesura.induce.punctuation_constraints import fragments_of, holds, spans

__all__ = ["NAMES", "constituents", "elements", "judge", "percent", "runs"]

NAMES = ("strict", "loose", "sprawl", "tear", "thread")
#: Kinds of inline elements, and the tags of each.
KINDS = {"links": ("a",), "bold": ("b", "strong"), "italics": ("i", "em", "cite")}

Spans = list[list[tuple[int, int]]]


def percent(part: float, whole: float) -> float:
    """A share in per cent."""
    return round(100.0 * part / whole, 2) if whole else float("nan")


def most(counter: Counter[str], top: int) -> list[tuple[str, int, float]]:
    """The most frequent, with their shares in per cent."""
    total = sum(counter.values())
    return [(name, n, percent(n, total)) for name, n in counter.most_common(top)]


def runs(words: Corpus) -> Spans:
    """The runs of words between marks, by sentence; none where there is only one."""
    s = words.sentences
    found = [fragments_of(s.fragments[a:b]) for a, b in pairwise(s.starts.tolist())]
    return [fragments if len(fragments) > 1 else [] for fragments in found]


def elements(documents: Sequence[Document], words: Corpus) -> dict[str, Spans]:
    """The words of inline elements, by kind (`mark-up` has all) and sentence, each span once.

    An element counts if it lies in one sentence and is not the whole of it.
    """
    s = words.sentences
    found: dict[str, Spans] = {k: [[] for _ in range(len(words))] for k in ("mark-up", *KINDS)}
    owner = s.owner
    for number, doc in enumerate(documents):
        mine = np.flatnonzero(words.document == number)
        if not len(doc.markup_start) or not len(mine):
            continue
        token = doc.word_token[words.index[mine]]
        starts, ends = doc.token_start[token], doc.token_end[token]
        labels = doc.strings.take(doc.markup_label)
        for a, b, label in zip(
            doc.markup_start.tolist(), doc.markup_end.tolist(), labels, strict=True
        ):
            inside = mine[(starts >= a) & (ends <= b)]
            if not len(inside) or owner[inside[0]] != owner[inside[-1]]:
                continue
            sentence = int(owner[inside[0]])
            if len(inside) == s.lengths[sentence]:
                continue
            first = int(s.starts[sentence])
            span = int(inside[0]) - first, int(inside[-1]) - first
            for kind, known in found.items():
                fits = kind == "mark-up" or label in KINDS[kind]
                if fits and span not in known[sentence]:
                    known[sentence].append(span)
    return found


def judge(words: Corpus, heads: Ints, found: Spans, top: int = 20) -> dict[str, Any]:
    """How spans lie in trees: constraints satisfied, single heads, the most frequent ones.

    In `headed`, the words of spans with one head are tags, and the head has a star.
    """
    s = words.sentences
    satisfied, printed = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    tags: Counter[str] = Counter()
    headed: Counter[str] = Counter()
    total = multi = 0
    for sentence, fragments in enumerate(found):
        if not fragments:
            continue
        a, b = int(s.starts[sentence]), int(s.starts[sentence + 1])
        tree = heads[a:b]
        reach = spans(tree)
        for x, y in fragments:
            total += 1
            names = [words.names[c] for c in s.classes[a + x : a + y + 1]]
            tags[" ".join(names)] += 1
            outside = [i for i in range(x, y + 1) if not x <= tree[i] <= y]
            if len(outside) == 1:
                names[outside[0] - x] += "*"
                headed[" ".join(names)] += 1
            if x < y:
                multi += 1
                for name in NAMES:
                    satisfied[name] += holds(tree, x, y, name, reach=reach)
                    printed[name] += holds(tree, x, y, name, literal=True, reach=reach)
    return {
        "count": total,
        "of_several_words": multi,
        "with_one_head": sum(headed.values()),
        "satisfied": {name: percent(satisfied[name], multi) for name in NAMES},
        "satisfied_literally": {name: percent(printed[name], multi) for name in NAMES},
        "tag_sequences": most(tags, top),
        "headed": most(headed, top),
    }


def constituents(
    documents: Sequence[Document], words: Corpus, found: Spans, top: int = 20
) -> dict[str, Any] | None:
    """How often spans are phrases, marks left out; None where no document has phrases.

    `labels` are those of the phrases that spans coincide with (the highest of several over the same
    words), `dominating` those of the lowest phrases that hold a span.
    """
    phrases = _phrases(documents, words)
    if not any(phrases):
        return None
    labels: Counter[str] = Counter()
    above: Counter[str] = Counter()
    total = multi = same = same_multi = 0
    for fragments, known in zip(found, phrases, strict=True):
        for x, y in fragments:
            total += 1
            multi += x < y
            # in order of size, so that the first that holds the span is the lowest
            holding = [(a, b, label) for a, b, label in known if a <= x and y <= b]
            if holding:
                above[holding[0][2]] += 1
            exact = [label for a, b, label in holding if (a, b) == (x, y)]
            if exact:
                same += 1
                same_multi += x < y
                labels[exact[-1]] += 1
    return {
        "coincide": percent(same, total),
        "of_several_words_coincide": percent(same_multi, multi),
        "labels": most(labels, top),
        "dominating": most(above, top),
    }


def _phrases(documents: Sequence[Document], words: Corpus) -> list[list[tuple[int, int, str]]]:
    """By sentence: first and last word and label of each phrase, small ones first."""
    s = words.sentences
    found: list[list[tuple[int, int, str]]] = [[] for _ in range(len(words))]
    owner = s.owner
    for number, doc in enumerate(documents):
        mine = np.flatnonzero(words.document == number)
        if not len(doc.node_label) or not len(mine):
            continue
        place = np.full(doc.n_words, -1, dtype=np.int64)
        place[words.index[mine]] = mine
        labels = doc.strings.take(doc.node_label)
        low = np.full(len(labels), s.n_words, dtype=np.int64)
        high = np.full(len(labels), -1, dtype=np.int64)
        for node in range(len(labels) - 1, -1, -1):
            leaf, parent = int(doc.node_leaf[node]), int(doc.node_parent[node])
            if leaf >= 0 and place[leaf] >= 0:
                low[node] = high[node] = place[leaf]
            elif leaf == -1 and high[node] >= 0 and labels[node]:
                sentence = int(owner[low[node]])
                first = int(s.starts[sentence])
                bare = labels[node].split("-")[0].split("=")[0] or labels[node]
                found[sentence].append((int(low[node]) - first, int(high[node]) - first, bare))
            if parent >= 0 and high[node] >= 0:
                low[parent] = min(low[parent], low[node])
                high[parent] = max(high[parent], high[node])
    # preorder backwards put inner phrases first; a stable sort keeps that among equals
    return [sorted(known, key=lambda p: p[1] - p[0]) for known in found]
