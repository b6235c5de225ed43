"""Every kernel of the room called once on something tiny."""

from __future__ import annotations

import numpy as np

from caesura.document import Document
from caesura.evaluate.align import pair
from caesura.evaluate.api import evaluate
from caesura.evaluate.induced import directed
from caesura.evaluate.myers import match

__all__ = ["warmup"]


def warmup() -> None:
    """Align, score and compare two tiny trees, and a text long enough for anchors."""
    doc = Document.from_spans("They did.", [0, 5, 8], [4, 8, 9])
    doc.sent_start[:] = [1, 0, 0]
    doc.head = np.array([1, -1, 1], dtype=np.int32)
    doc.node_label = doc.strings.ids(["S", "PRP", "VBD", "."])
    doc.node_parent = np.array([-1, 0, 0, 0], dtype=np.int32)
    doc.node_leaf = np.array([-1, 0, 1, 2], dtype=np.int32)
    other = Document.from_spans("They did!", [0, 5, 8], [4, 8, 9])
    other.sent_start[:] = [1, 0, 0]
    assert evaluate(doc, other).levels
    directed(pair([doc], [doc]).pairs)
    text = np.arange(10_000, dtype=np.int64)
    match(text, np.concatenate((text[:5_000], text[5_001:])))
