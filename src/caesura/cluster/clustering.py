"""From a text to classes of its words, by either method."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.brown import brown
from caesura.cluster.classes import WordClasses
from caesura.cluster.counts import RARE, count_bigrams
from caesura.cluster.exchange import exchange
from caesura.document import Document
from caesura.errors import UsageError

#: Told of the share of the work that is done and of something to say about it.
Report = Callable[[float, str], None]


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

    The text is given as sentences (lists of words) or as documents, whose sentences are taken.
    The name of a class is a number, or with `brown` the path of the class in the tree of mergers.
    With `morphology` above 0, the exchange also looks at endings and shapes, so strongly.
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

        looks = looks_of(words) if morphology else None
        word_class = exchange(bigrams, classes, passes, tell_pass, looks, morphology)
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


def looks_of(words: Sequence[str]) -> NDArray[np.int32]:
    """A number for the looks of each word: its shape and, of longer words, its last letters."""
    known: dict[tuple[str, str], int] = {}

    def looks(word: str) -> tuple[str, str]:
        if any(c.isdigit() for c in word):
            return "#", ""
        if not any(c.isalpha() for c in word):
            return ".", ""
        case = "A" if word[0].isupper() else "a"
        return case, word[-2:].lower() if len(word) > 4 else ""

    return np.array([known.setdefault(looks(w or "."), len(known)) for w in words], np.int32)


def sentences_of(texts: Iterable[list[str] | Document]) -> Iterator[list[str]]:
    """The words of each sentence; documents give theirs."""
    for text in texts:
        if not isinstance(text, Document):
            yield text
            continue
        forms = text.column("form")
        for first, last in pairwise(text.first_word[text.sentence_bounds].tolist()):
            yield forms[first:last]
