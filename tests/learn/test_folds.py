"""Folds: everything is in one of them, copies stay together, sizes come out even."""

from __future__ import annotations

import pytest

from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.learn.folds import Folds, at_random, deal, of_equal_size


def document(sentences: int, words: int = 3) -> Document:
    """Sentences of one letter each, repeated."""
    letters = [chr(97 + n % 26) for n in range(sentences) for _ in range(words)]
    starts = list(range(0, 2 * len(letters), 2))
    doc = Document.from_spans(" ".join(letters), starts, [at + 1 for at in starts])
    doc.sent_start[:] = 0
    doc.sent_start[::words] = 1
    return doc


def texts(folds: Folds, documents: int) -> list[str]:
    return ["".join(own) for own in folds.by_document([p.text for p in folds.pieces], documents)]


def test_folds_are_about_even() -> None:
    sizes = [100, 1, 1, 50, 50, 30, 70]
    folds = deal(sizes, 3, 1)
    loads = [sum(s for s, f in zip(sizes, folds, strict=True) if f == n) for n in range(3)]
    assert max(loads) - min(loads) <= 2
    assert deal(sizes, 3, 1) == folds


def test_every_piece_is_held_out_once() -> None:
    docs = [document(n) for n in (4, 0, 2, 7, 1)]
    for folds in (of_equal_size(docs, 3, 1), at_random(docs, 3, 1)):
        held_out = []
        for _, held, rest in folds:
            assert sorted(held + rest) == list(range(len(folds.pieces)))
            held_out += held
        assert sorted(held_out) == list(range(len(folds.pieces)))


def test_few_documents_are_cut_between_sentences() -> None:
    docs = [document(9), document(2)]
    for folds in (of_equal_size(docs, 4, 1), at_random(docs, 4, 1)):
        assert len(folds.pieces) > len(docs)
        assert all(piece.n_words % 3 == 0 for piece in folds.pieces)
        assert texts(folds, 2) == [doc.text for doc in docs]


def test_documents_of_a_group_stay_together() -> None:
    docs = [document(2) for _ in range(12)]
    groups = [n // 2 for n in range(12)]
    folds = at_random(docs, 3, 5, groups)
    assert folds.fold_of[::2] == folds.fold_of[1::2]
    assert folds.pieces[0] is docs[0]


def test_pieces_of_equal_size_are_free_copies() -> None:
    docs = [document(2) for _ in range(4)]
    for doc in docs:
        doc.fixed = frozenset({"tokens"})
    folds = of_equal_size(docs, 2, 1)
    assert not any(piece.fixed for piece in folds.pieces)
    assert docs[0].fixed == {"tokens"}


def test_too_little_for_folds() -> None:
    with pytest.raises(UsageError, match="two folds"):
        at_random([document(4)], 1, 1)
    with pytest.raises(InputError, match="one sentence"):
        of_equal_size([document(1)], 2, 1)
