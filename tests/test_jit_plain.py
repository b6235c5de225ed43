"""Kernels that have little to do run as Python, with the same results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import jit
from caesura.document import Document
from caesura.document.characters import MARGIN, classify, code_points
from caesura.jit_plain import Tiers, plain
from caesura.tokenize.marks import blank_marks, mark
from caesura.tokenize.prepared_text import prepare
from caesura.tokenize.word_types import make_types
from tests.strategies import token_texts


@jit.kernel(cache=False)
def _twice(x: int) -> int:
    return 2 * x


@jit.kernel(cache=False)
def _four_times(x: int) -> int:
    return _twice(_twice(x))


def test_a_kernel_becomes_python_with_all_that_it_calls() -> None:
    assert plain(_four_times)(3) == 12
    assert not getattr(_four_times, "signatures", [])
    assert not getattr(_twice, "signatures", [])


@pytest.mark.skipif(not jit.compiled(), reason="there is no compiler without JIT")
def test_a_kernel_is_compiled_once_it_has_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tiers, "all_compiled", False)
    choose = Tiers(_four_times, 10)
    assert choose(6) is not _four_times
    assert choose(6) is _four_times
    monkeypatch.setattr(Tiers, "all_compiled", True)
    assert Tiers(_four_times, 10)(1) is _four_times


@given(st.lists(token_texts(), min_size=1, max_size=8).map(Document.join))
@settings(max_examples=60)
def test_python_marks_tokens_as_compiled_code_does(doc: Document) -> None:
    kinds, folded = classify(code_points(doc.text))
    begins, ends = doc.token_start.astype(np.int64), doc.token_end.astype(np.int64)
    text, types = prepare(kinds, folded), make_types({"abc": 3, "X": 5})
    marked = []
    for way in (mark, plain(mark)):
        marks = blank_marks(len(begins))
        carried = np.array([MARGIN, MARGIN], np.int64)
        way(text, begins + MARGIN, ends + MARGIN, carried, types, marks)
        marked.append((*marks, carried))
    assert all(np.array_equal(*pair) for pair in zip(*marked, strict=True))
