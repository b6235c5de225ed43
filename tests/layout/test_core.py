"""What the compiled reader of lines refuses."""

from __future__ import annotations

import numpy as np
import pytest

from caesura import _core
from caesura.document import Document
from caesura.layout import SAME, START, breaks

CODES = np.array([97, 10, 98], np.uint32)
KINDS = np.array([4, 2, 4], np.uint8)
NONE = np.zeros(0, np.int64)


@pytest.mark.parametrize(
    ("kinds", "begins", "ends"), [(KINDS[:2], NONE, NONE), (KINDS, np.array([0]), np.array([1, 2]))]
)
def test_columns_of_different_length_are_refused(
    kinds: np.ndarray, begins: np.ndarray, ends: np.ndarray
) -> None:
    with pytest.raises(ValueError, match="the same length"):
        _core.layout_of(kinds, CODES, begins, ends, NONE)


def test_classes_and_offsets_that_do_not_exist_do_no_harm() -> None:
    kinds, offsets = np.array([255, 2, 200], np.uint8), np.array([-5, 1 << 40])
    assert len(_core.layout_of(kinds, CODES, offsets, offsets + 1, offsets)) == 2
    reader = _core.LayoutReader(offsets)
    reader.feed(kinds, CODES, True)
    assert len(reader.take(offsets, offsets + 1)) == 2


def test_offsets_may_be_columns_of_a_wider_array() -> None:
    spans = np.array([[0, 3], [4, 7]])
    doc = Document.from_spans("One two", spans[:, 0], spans[:, 1])
    assert breaks(doc).tolist() == [START, SAME]
