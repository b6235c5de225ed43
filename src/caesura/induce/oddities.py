"""What is odd about a text before a grammar is learnt from it: each a sentence for its owner."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from caesura.induce.corpus import Corpus

__all__ = ["oddities"]

#: Under so many sentences there is too little to learn from.
FEW = 100
#: So many words a sentence, on average, and sentences are probably not split.
LONG = 60


def oddities(words: Corpus, used: npt.NDArray[np.bool_]) -> Iterator[str]:
    """What is odd, where `used` are the sentences that are short enough to learn from."""
    sentences = words.sentences
    if not words.n_marks:
        yield (
            "no word of the text is a punctuation mark, so nothing shows where phrases end. If it "
            "has marks, choose another definition: --marks unicode."
        )
    elif not sentences.comps.any():
        yield "no sentence ends in a mark: are its sentences split?"
    if sentences.n_words > LONG * len(sentences):
        yield (
            f"sentences have {sentences.n_words // len(sentences)} words on average: split them "
            "first (where each is a line: caesura tokenize --rules --newline-is-boundary), or "
            "raise --max-length."
        )
    if 2 * int((sentences.lengths == 1).sum()) > len(sentences):
        yield (
            "most sentences have one word, which tells nothing of trees: is the text split into "
            "words? Scripts without spaces need a tokeniser of their language first."
        )
    number = int(used.sum())
    if 0 < number < FEW:  # with none at all the recipe says why
        yield (
            f"only {number} sentence{'s' if number > 1 else ''} to learn from: which way arcs go "
            "will be a matter of chance. Give more text."
        )
    if len(np.unique(sentences.classes)) == 1:
        yield (
            "all words are in one class, so trees follow positions only. Give more text, or other "
            "--classes."
        )
