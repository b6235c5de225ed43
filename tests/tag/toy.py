"""A toy language with tags, features, lemmas and sentences, made up for the tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from caesura.document import NO, YES, Document

NOUNS = {"cat": "cats", "tree": "trees", "boat": "boats", "song": "songs", "lamp": "lamps"}
VERBS = {"sees": "see", "likes": "like", "paints": "paint", "finds": "find"}
Row = tuple[str, str, str, str, str]


def sentence(rng: random.Random) -> list[Row]:
    """Form, lemma, UPOS, XPOS and FEATS of the words of one sentence."""

    def phrase() -> list[Row]:
        noun = rng.choice(sorted(NOUNS))
        if rng.random() < 0.4:
            words = [("many", "many", "ADJ", "JJ", "Degree=Pos")]
            return [*words, (NOUNS[noun], noun, "NOUN", "NNS", "Number=Plur")]
        article = rng.choice(["the", "a"])
        words = [(article, article, "DET", "DT", "PronType=Art")]
        return [*words, (noun, noun, "NOUN", "NN", "Number=Sing")]

    verb = rng.choice(sorted(VERBS))
    person = "Number=Sing|Person=3"
    rows = [*phrase(), (verb, VERBS[verb], "VERB", "VBZ", person), *phrase()]
    first = (rows[0][0].capitalize(), *rows[0][1:])
    return [first, *rows[1:], (".", ".", "PUNCT", ".", "")]


def document(sentences: Sequence[Sequence[Row]], name: str = "toy") -> Document:
    forms = [row[0] for rows in sentences for row in rows]
    starts, ends, at = [], [], 0
    for form in forms:
        starts.append(at)
        ends.append(at + len(form))
        at += len(form) + 1
    doc = Document.from_spans(" ".join(forms), starts, ends, id=name)
    for number, column in enumerate(("lemma", "upos", "xpos", "feats"), 1):
        doc.set_column(column, [row[number] for rows in sentences for row in rows])
    marks = [YES if i == 0 else NO for rows in sentences for i in range(len(rows))]
    doc.sent_start = np.array(marks, np.int8)
    return doc


def documents(count: int, seed: int = 1, sentences: int = 6) -> list[Document]:
    rng = random.Random(seed)
    return [document([sentence(rng) for _ in range(sentences)], f"toy-{n}") for n in range(count)]
