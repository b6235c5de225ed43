"""The kernels with which the parsers parse, called once on something tiny."""

from __future__ import annotations

import numpy as np

from caesura.document import Document
from caesura.parse.branching import BranchingParser
from caesura.parse.constraints import no_limits
from caesura.parse.options import SearchOptions
from caesura.parse.parser import Parser
from caesura.parse.scorers.arcs import arc_scorer
from caesura.parse.scorers.compact import compact
from caesura.parse.scorers.features import N_COLUMNS
from caesura.parse.scorers.hybrid_features import DEFAULT_TEMPLATES
from caesura.parse.search.decode import Decoder
from caesura.parse.transitions.hybrid import KINDS
from caesura.parse.transitions.hybrid_inventory import HybridInventory
from caesura.parse.transitions.inventory import Inventory
from caesura.parse.word_table import FIRST_WORD, N_CONTEXT, Words

__all__ = ["warmup"]


def warmup() -> None:
    """Parse two words, by the joint system and by selectional branching."""
    inventory = Inventory(("root",), (0,), (0,), (0,))
    parser = Parser(inventory, ("s0.w",), compact(np.zeros((16, 32), np.int8)), 1.0)
    doc = Document.from_spans("a b", [0, 2], [1, 3])
    parser.parse(doc)
    doc.sent_start[:] = [1, 0]
    pairs = [(kind, -1) for kind in range(len(KINDS))] + [(kind, 0) for kind in range(len(KINDS))]
    hybrid = HybridInventory.learn(("root",), [0], pairs, True)
    table = np.zeros((16, 32), np.int8)
    BranchingParser(hybrid, DEFAULT_TEMPLATES, table, 1.0).parse(doc)
    _search_arcs()


def _search_arcs() -> None:
    """The search of networks, which know arcs."""
    arcs, no = np.zeros((2, 3), np.float32), np.zeros(2, np.int32)
    scorer = arc_scorer(arcs, no, no + 3, np.zeros(2, np.float32))
    inventory = Inventory(("left", "right", "root"), (0,), (1,), (2,))
    decoder = Decoder(scorer, inventory.system(), inventory.size, SearchOptions())
    words = Words(
        np.zeros((2 + FIRST_WORD, N_COLUMNS), np.uint64), np.zeros((2, N_CONTEXT), np.int32)
    )
    decoder.decode(words, np.array([0, 2], np.int64), no_limits())
