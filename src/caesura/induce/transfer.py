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

__all__ = ["bare", "transferred"]

#: What a parser may see of a word, besides its universal tag.
NOT_SEEN = ("xpos", "feats", "lemma")


def bare(doc: Document) -> Document:
    """A copy of a document with tokens, sentences and universal tags, and without words."""
    empty = np.zeros(doc.n_words, dtype=np.int32)
    return replace(
        doc,
        form=doc.upos.copy(),
        **dict.fromkeys(NOT_SEEN, empty),
        deprel=empty.copy(),
        head=np.full(doc.n_words, UNKNOWN, dtype=np.int32),
        fixed=frozenset({"tokens", "sentences", "tags"}),
    )


def transferred(parser: Stage, documents: Sequence[Document], words: Corpus) -> Ints:
    """Heads of the sentences by a parser of another language, as positions in the sentence."""
    if not any(np.any(doc.upos) for doc in documents):
        raise UsageError(
            "--transfer goes by universal tags, and the text has none",
            remedy="Give a tagged file.",
        )
    copies = [bare(doc) for doc in documents]
    parser.annotate([doc for doc in copies if doc.n_words])
    heads, _ = gold_heads(copies, words)
    return heads
