"""How readily sentences end in each language: what is added to the evidence for a boundary.

Treebanks differ in what they call a sentence, and a network of many languages is torn between them:
in Thai and Scottish Gaelic it found far too few. Chosen by the words of dev files behind those that
are scored, as they are and as of speech; nothing is added where little is gained.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from modelling.multi.examples import UNSPACED
from modelling.multi.lexica import later_words
from modelling.multi.tokenizers import Treebank
from numpy.typing import NDArray

from caesura.constraints import keep
from caesura.document import YES, Document
from caesura.learn.run import transcripts
from caesura.pipeline import load
from caesura.stages.network import NeuralParser
from caesura.stages.network_encoder import Scores
from caesura.stages.word_table import is_edited

#: What is tried, and by how much that must be better than nothing.
TRIED = (0.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0)
GAIN = 0.5
#: What a point of start F1 is worth in points of LAS.
STARTS = 0.1

#: A document, the same with tokens alone, and what the network says of it.
Read = tuple[Document, Document, Scores]


def bonuses(model: Path, treebanks: Sequence[Treebank], words: int) -> NDArray[np.float32]:
    """Of each language what is added in unedited and in edited text; of none at first."""
    nlp = load(model).unwatched()
    parser = nlp.stage(NeuralParser)
    assert parser is not None
    assert parser.languages is not None
    codes = parser.languages.codes
    found = np.zeros((len(codes) + 1, 2), np.float32)
    several = {bank.language for bank in treebanks if bank.main}
    for code in codes:
        own = [bank for bank in treebanks if bank.language == code]
        docs = [d for b in own if b.main or code not in several for d in later_words(b, words)]
        docs += [] if code in UNSPACED else transcripts(docs)
        fixed = nlp.with_search(language=code)
        read: dict[int, list[Read]] = {0: [], 1: []}
        for doc in docs:
            given = fixed.tokenise(keep(doc, ("tokens",)))
            read[int(is_edited(doc))].append((doc, given, parser.encoder.scores(given)))
        for kind, some in read.items():
            if some:
                found[codes.index(code) + 1, kind] = chosen(parser, some, code)
    return found


def chosen(parser: NeuralParser, read: Sequence[Read], code: str) -> float:
    """The best of what is tried, or nothing."""
    worth = {bonus: score(parser.with_search(bonus=bonus), read) for bonus in TRIED}
    best = max(TRIED, key=lambda bonus: worth[bonus])
    if worth[best] < worth[0.0] + GAIN:
        return 0.0
    kind = "edited" if is_edited(read[0][0]) else "unedited"
    print(
        f"{code}, {kind}: {best:+} {worth[0.0]:.2f} to {worth[best]:.2f}",
        file=sys.stderr,
        flush=True,
    )
    return best


def score(parser: NeuralParser, read: Sequence[Read]) -> float:
    """LAS, and F1 of starts inside documents by as much as it counts."""
    right = words = both = starts = 0
    for doc, given, scores in read:
        made = replace(given, fixed=frozenset())
        result = parser.decide(made, scores)
        labels = parser._labels(made, scores, np.asarray(result.heads, np.int32))
        parser.write_tree(made, result, labels)
        same = np.array(doc.column("deprel")) == np.array(made.column("deprel"))
        right += int(np.count_nonzero(same & (doc.head == made.head)))
        words += doc.n_words
        ours, theirs = made.sent_start[1:] == YES, doc.sent_start[1:] == YES
        both += int(np.count_nonzero(ours & theirs))
        starts += int(np.count_nonzero(ours)) + int(np.count_nonzero(theirs))
    return 100 * right / max(words, 1) + STARTS * 200 * both / max(starts, 1)
