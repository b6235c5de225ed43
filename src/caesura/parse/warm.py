"""The kernels with which the branching parser parses, called once on something tiny."""

from __future__ import annotations

import numpy as np

from caesura.document import Document
from caesura.parse.branching import BranchingParser
from caesura.parse.scorers.hybrid_features import DEFAULT_TEMPLATES
from caesura.parse.transitions.hybrid import KINDS
from caesura.parse.transitions.hybrid_inventory import HybridInventory

__all__ = ["warmup"]


def warmup() -> None:
    """Parse two words by selectional branching."""
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    doc.sent_start[:] = [1, 0]
    pairs = [(kind, -1) for kind in range(len(KINDS))] + [(kind, 0) for kind in range(len(KINDS))]
    hybrid = HybridInventory.learn(("root",), [0], pairs, True)
    table = np.zeros((16, 32), np.int8)
    BranchingParser(hybrid, DEFAULT_TEMPLATES, table, 1.0).parse(doc)
