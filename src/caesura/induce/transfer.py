"""A start from another language: trees by a parser that sees the universal tags and no words.

Delexicalised transfer (Zeman & Resnik 2008; McDonald, Petrov & Hall 2011): languages differ in
their words and in the order of some pairs, and agree in much else. EM then learns the order of
this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caesura.document import UNKNOWN, Document
from caesura.errors import UsageError
from caesura.induce.corpus import Corpus, gold_heads
from caesura.induce.parameters import Ints
from caesura.stage import Stage

__all__ = ["bare", "first_trees", "transferred"]


def bare(doc: Document) -> Document:
    """A copy of a document with tokens, sentences and universal tags, and without words."""
    empty = np.zeros(doc.n_words, dtype=np.int32)
    return replace(
        doc,
        form=doc.upos.copy(),
        lemma=empty.copy(),
        xpos=doc.upos.copy(),  # a parser may ask for other tags, and finds none that it knows
        feats=empty.copy(),
        deprel=empty.copy(),
        head=np.full(doc.n_words, UNKNOWN, dtype=np.int32),
        fixed=frozenset({"tokens", "sentences", "tags"}),
    )


def transferred(parser: Stage, documents: Sequence[Document]) -> list[Document]:
    """Bare copies of documents with the trees of a parser of another language."""
    if not any(np.any(doc.upos) for doc in documents):
        raise UsageError(
            "--transfer goes by universal tags, and the text has none",
            remedy="Give a tagged file.",
        )
    copies = [bare(doc) for doc in documents]
    parser.annotate([doc for doc in copies if doc.n_words])
    return copies


def first_trees(copies: Sequence[Document], words: Corpus) -> Ints:
    """Heads of the sentences, as positions in the sentence, by which learning starts."""
    return gold_heads(copies, words)[0]
