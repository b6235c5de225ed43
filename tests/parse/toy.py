"""Small documents made by a little grammar, with trees, tags and paragraphs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, YES, Document, Strings

NOUNS = ["dog", "cat", "bird", "child", "tree", "house"]
VERBS = ["sees", "hears", "likes", "finds"]
GONE = ["sleeps", "runs", "sings"]
ADJECTIVES = ["old", "red", "small"]
TAGS = {"the": "DET", "a": "DET", ".": "PUNCT", "near": "ADP", "today": "ADV"}
TAGS |= dict.fromkeys(NOUNS, "NOUN") | dict.fromkeys(VERBS + GONE, "VERB")
TAGS |= dict.fromkeys(ADJECTIVES, "ADJ")

Words = list[tuple[str, int, str]]


def _phrase(rng: np.random.Generator, words: Words, head: int, label: str) -> int:
    first = len(words)
    adjective = rng.random() < 0.4
    noun = first + 1 + adjective
    words.append((str(rng.choice(["the", "a"])), noun, "det"))
    if adjective:
        words.append((str(rng.choice(ADJECTIVES)), noun, "amod"))
    words.append((str(rng.choice(NOUNS)), head, label))
    return noun


def sentence(rng: np.random.Generator) -> Words:
    """Forms, heads within the sentence (-1: root) and labels."""
    words: Words = []
    subject = _phrase(rng, words, -9, "nsubj")
    verb = len(words)
    transitive = rng.random() < 0.6
    words.append((str(rng.choice(VERBS if transitive else GONE)), -1, "root"))
    words[subject] = (words[subject][0], verb, "nsubj")
    if transitive:
        noun = _phrase(rng, words, verb, "obj")
        if rng.random() < 0.3:
            place = len(words)
            words.append(("near", -9, "case"))
            near = _phrase(rng, words, noun, "nmod")
            words[place] = ("near", near, "case")
    if rng.random() < 0.3:
        words.append(("today", verb, "advmod"))
    if rng.random() < 0.6:
        words.append((".", verb, "punct"))
    return words


def document(rng: np.random.Generator, sentences: int, strings: Strings | None = None) -> Document:
    forms: list[str] = []
    heads: list[int] = []
    labels: list[str] = []
    firsts = []
    for _ in range(sentences):
        base = len(forms)
        firsts.append(base)
        for form, head, label in sentence(rng):
            forms.append(form)
            heads.append(head + base if head >= 0 else -1)
            labels.append(label)
    ends = np.cumsum([len(form) + 1 for form in forms]) - 1
    starts = ends - [len(form) for form in forms]
    doc = Document.from_spans(" ".join(forms), starts, ends, strings=strings)
    doc.sent_start = np.full(len(forms), NO, np.int8)
    doc.sent_start[firsts] = YES
    doc.paragraph_start = starts[firsts[:: max(1, sentences // 2)]].astype(np.int64)
    doc.head = np.array(heads, np.int32)
    doc.set_column("deprel", labels)
    doc.set_column("upos", [TAGS[form] for form in forms])
    return doc


def corpus(seed: int, documents: int, sentences: int = 6) -> list[Document]:
    rng = np.random.default_rng(seed)
    strings = Strings()
    return [document(rng, sentences, strings) for _ in range(documents)]


def blank(doc: Document) -> Document:
    """The same words without trees and boundaries."""
    from copy import copy

    plain = copy(doc)
    plain.head = np.full(doc.n_words, -2, np.int32)
    plain.deprel = np.zeros(doc.n_words, np.int32)
    plain.sent_start = np.full(doc.n_tokens, -1, np.int8)
    return plain


def to_floats(table: NDArray[np.int8], unit: float) -> NDArray[np.float32]:
    """The weights of an 8-bit table; the last column becomes 0."""
    scales = np.ldexp(np.float32(unit), table[:, -1].astype(np.int32))
    weights: NDArray[np.float32] = table.astype(np.float32) * scales[:, None]
    weights[:, -1] = 0.0
    return weights
