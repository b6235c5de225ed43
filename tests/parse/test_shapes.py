"""Which text has capitals and punctuation, paragraph by paragraph."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import caesura
from caesura.document import Document
from caesura.stages.word_table import edited_tokens, edited_words, is_edited

WRITTEN = "Nobody came. The boats, all nine of them, stayed out; Ann went home at six."
SPOKEN = "so nobody came and the boats all nine of them stayed out and then i went home"


def tokens(text: str) -> Document:
    return caesura.load("en-fast").quick()(text)


def kinds(doc: Document) -> list[bool]:
    """Of each paragraph, all words of which are of one kind."""
    edges = [*np.flatnonzero(doc.token_paragraph_start).tolist(), doc.n_tokens]
    found = edited_tokens(doc)
    parts = [found[a:b] for a, b in pairwise(edges)]
    assert all(len(set(part.tolist())) == 1 for part in parts)
    return [bool(part[0]) for part in parts]


def test_each_paragraph_of_some_length_is_judged_by_itself() -> None:
    doc = tokens(f"{WRITTEN}\n\n{SPOKEN}\n\n{WRITTEN}")
    assert is_edited(doc)
    assert kinds(doc) == [True, False, True]
    assert edited_words(doc, breaks=False).all()


def test_a_short_paragraph_is_as_the_document() -> None:
    assert kinds(tokens(f"{WRITTEN}\n\nnine boats\n\n{WRITTEN}")) == [True, True, True]
    assert kinds(tokens(f"{SPOKEN}\n\nnine boats\n\n{SPOKEN}")) == [False, False, False]


def test_words_of_one_token_are_of_one_kind_and_no_words_of_none() -> None:
    doc = tokens(f"{WRITTEN}\n\n{SPOKEN} and they didn't call")
    assert doc.n_words > doc.n_tokens
    assert edited_words(doc)[-5:].tolist() == [False] * 5
    assert not len(edited_tokens(Document()))
