"""Clustering of words by their neighbours: exchange and Brown.

Exchange (Kneser and Ney 1993; Martin, Liermann and Ney 1998) moves one word at a time to the class
in which the likelihood of the class bigram model, sum N(c,c') log N(c,c') - 2 sum N(c) log N(c), is
highest. Words start in the classes of their frequency rank modulo the number of classes; a pass
visits all words. Word shapes may be added (after Clark 2003): every word type is also drawn to the
class whose words have its shape, by log P(shape | class) times a weight. This is one term per type,
so it decides for rare words and hardly matters for frequent ones.

Brown clustering (Brown et al. 1992, section 3; with the window of Liang 2005, section 4.4) merges
classes until one is left. The path from the top of the tree of mergers names a class; a prefix of
it is a coarser class.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.cluster.classes import WordClasses
from caesura.document import Document
from caesura.errors import InputError, UsageError

#: Receives the share of the work that is done, and a message about it.
Report = Callable[[float, str], None]
#: Rows of the sentence boundary and of all rare words together; words follow.
BOUNDARY = 0
RARE = 1
_FIRST = RARE + 1
#: The words between two reports of Brown clustering.
_STRIDE = 256
#: The size of the table of x log x.
_TABLE = 1 << 20


def cluster(
    sentences: Iterable[list[str] | Document],
    classes: int = 200,
    *,
    method: Literal["exchange", "brown"] = "exchange",
    min_count: int = 5,
    passes: int = 15,
    morphology: float = 0.0,
    report: Report | None = None,
) -> WordClasses:
    """Classes of the words of a text; words seen less than `min_count` times share one class.

    The text is a sequence of sentences (lists of words) or of documents. The name of a class is a
    number, or with `brown` the path of the class in the tree of mergers. `morphology` is the weight
    of endings and shapes in the exchange.
    """
    if classes < 1 or min_count < 1 or passes < 1:
        raise UsageError("classes, min_count and passes must be 1 or more")
    if morphology and method != "exchange":
        raise UsageError("only the exchange looks at morphology", remedy="Leave one of them out.")
    words, bigrams, seen = count_bigrams(sentences_of(sentences), min_count)
    names: list[str]
    if method == "brown":

        def tell(done: int, of: int) -> None:
            if report is not None:
                report(done / of, f"{done:,} of {of:,} words")

        word_class, names = brown(bigrams, classes, tell)
    elif method == "exchange":

        def tell_pass(number: int, moved: int, objective: float) -> None:
            if report is not None:
                report(number / passes, f"pass {number}: {moved:,} words moved, {objective:.6g}")

        shapes = shapes_of(words) if morphology else None
        word_class = exchange(bigrams, classes, passes, tell_pass, shapes, morphology)
        width = len(str(classes))
        names = [f"{number + 1:0{width}}" for number in range(classes)]
    else:
        raise UsageError(f"there is no method {method!r}", remedy="Take exchange or brown.")
    found = {
        word: names[int(number) - RARE - 1]
        for word, number in zip(words[2:], word_class[2:].tolist(), strict=True)
    }
    order = sorted(seen, key=lambda word: (-seen[word], word))
    return WordClasses((word, found.get(word, "rare"), seen[word]) for word in order)


def shapes_of(words: Sequence[str]) -> NDArray[np.int32]:
    """A number for the shape of each word and, for longer words, its last letters."""
    known: dict[tuple[str, str], int] = {}

    def shape(word: str) -> tuple[str, str]:
        if any(c.isdigit() for c in word):
            return "#", ""
        if not any(c.isalpha() for c in word):
            return ".", ""
        case = "A" if word[0].isupper() else "a"
        return case, word[-2:].lower() if len(word) > 4 else ""

    return np.array([known.setdefault(shape(w or "."), len(known)) for w in words], np.int32)


def sentences_of(texts: Iterable[list[str] | Document]) -> Iterator[list[str]]:
    """The words of each sentence; documents give theirs."""
    for text in texts:
        if not isinstance(text, Document):
            yield text
            continue
        forms = text.column("form")
        for first, last in pairwise(text.first_word[text.sentence_bounds].tolist()):
            yield forms[first:last]


class Bigrams(NamedTuple):
    """The frequencies of words, and their neighbours as sparse rows, as the core takes them.

    The successors of word w are `next_word[next_at[w]:next_at[w + 1]]`, each seen as often as
    `next_count` says; predecessors likewise.
    """

    counts: NDArray[np.int64]
    next_at: NDArray[np.int64]
    next_word: NDArray[np.int32]
    next_count: NDArray[np.int64]
    last_at: NDArray[np.int64]
    last_word: NDArray[np.int32]
    last_count: NDArray[np.int64]


def count_bigrams(
    sentences: Iterable[list[str]], min_count: int = 5
) -> tuple[list[str], Bigrams, Counter[str]]:
    """The words seen at least `min_count` times by falling frequency, their neighbours, all counts.

    The boundary and the rare words together stand before them.
    """
    seen: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    ids: list[int] = []
    for sentence in sentences:
        seen.update(sentence)
        ids.append(0)
        ids += [numbers.setdefault(word, len(numbers) + 1) for word in sentence]
    if not seen:
        raise InputError("there is no word to cluster", remedy="Give a text with words.")
    ids.append(0)
    frequent = [word for word, count in seen.items() if count >= min_count]
    frequent.sort(key=lambda word: (-seen[word], word))
    row = np.full(len(numbers) + 1, RARE, dtype=np.int64)
    row[0] = BOUNDARY
    for position, word in enumerate(frequent):
        row[numbers[word]] = position + 2
    text = row[np.array(ids, dtype=np.int64)]
    size = len(frequent) + 2
    counts = np.bincount(text, minlength=size).astype(np.int64)
    pairs, times = np.unique(text[:-1] * size + text[1:], return_counts=True)
    left, right = pairs // size, pairs % size
    following = np.searchsorted(left, np.arange(size + 1))
    order = np.lexsort((left, right))
    preceding = np.searchsorted(right[order], np.arange(size + 1))
    bigrams = Bigrams(
        counts,
        following.astype(np.int64),
        right.astype(np.int32),
        times.astype(np.int64),
        preceding.astype(np.int64),
        left[order].astype(np.int32),
        times[order].astype(np.int64),
    )
    return ["<s>", "<rare>", *frequent], bigrams, seen


def exchange(
    bigrams: Bigrams,
    classes: int,
    passes: int = 20,
    report: Callable[[int, int, float], None] | None = None,
    shapes: NDArray[np.int32] | None = None,
    weight: float = 0.0,
) -> NDArray[np.int32]:
    """The class of each word; the boundary and the rare words have one of their own each.

    `shapes` are numbers, and `weight` is theirs. `report` receives the number of the pass, the
    number of words that moved, and the objective.
    """
    size = len(bigrams.counts)
    rank = np.arange(size, dtype=np.int32)
    word_class = np.where(rank > RARE, (rank - 2) % classes + 2, rank).astype(np.int32)
    xlogx = np.arange(_TABLE, dtype=np.float64)
    xlogx[1:] *= np.log(xlogx[1:])
    if shapes is None:
        shapes = np.zeros(size, dtype=np.int32)
    counts = _core.Bigrams(*bigrams)
    table = _core.Exchange(counts, word_class, classes + 2, shapes, weight, xlogx)
    for number in range(1, passes + 1):
        moved = table.sweep()
        if report is not None:
            report(number, moved, objective(table.pairs, table.sums))
        if moved == 0:
            break
    return table.word_class


def objective(pairs: NDArray[np.int64], sums: NDArray[np.int64]) -> float:
    """The part of the log-likelihood that depends on the classes."""

    def xlogx(x: NDArray[np.int64]) -> float:
        positive = x[x > 0].astype(np.float64)
        return float((positive * np.log(positive)).sum())

    return xlogx(pairs) - 2.0 * xlogx(sums)


def brown(
    bigrams: Bigrams,
    classes: int,
    report: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int32], list[str]]:
    """The class of each word (0 and 1 for the boundary and the rare words), and the paths."""
    table = _core.Brown(_core.Bigrams(*bigrams), classes)
    at, size = table.add_words(0), len(bigrams.counts)
    while at < size:
        at = table.add_words(_STRIDE)
        if report is not None:
            report(at - _FIRST, size - _FIRST)
    names = _paths(table.merge_all())
    order = sorted(names)
    number = np.zeros(table.slots, dtype=np.int32)
    number[BOUNDARY], number[RARE] = BOUNDARY, RARE
    for position, slot in enumerate(order):
        number[slot] = position + _FIRST
    return number[table.slot_of], [names[slot] for slot in order]


def _paths(merges: NDArray[np.int32]) -> dict[int, str]:
    """Bit strings of the slots from the mergers (kept, dropped), the last of which is the top."""
    if not len(merges):
        return {_FIRST: "0"}
    prefix = {int(merges[-1][0]): ""}
    for kept, dropped in merges[::-1].tolist():
        path = prefix[kept]
        prefix[kept], prefix[dropped] = path + "0", path + "1"
    return prefix
