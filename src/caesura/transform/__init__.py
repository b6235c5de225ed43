"""Changes to whole documents: pure functions, a document in and a new document out.

`speech` makes written text look like speech, `lower` folds case, `drop` and `keep` choose columns,
`projectivise` lifts crossing arcs, `percolate` makes dependencies of phrases, `deal` spreads
documents over files, `hard_wrapped` and `one_line_paragraphs` break lines elsewhere, `relaid` lays
the words out anew in many ways. `change` makes
several `Changes` to a stream.
"""

from __future__ import annotations

from caesura.transform.case import lower
from caesura.transform.changes import Changes, change
from caesura.transform.columns import COLUMNS, drop, keep
from caesura.transform.deal import deal
from caesura.transform.head_rules import percolate
from caesura.transform.lines import hard_wrapped, one_line_paragraphs
from caesura.transform.projective import projectivise
from caesura.transform.punctuation import drop_punct, speech
from caesura.transform.relay import LAYOUTS, relaid, some_relaid

__all__ = [
    "COLUMNS",
    "LAYOUTS",
    "Changes",
    "change",
    "deal",
    "drop",
    "drop_punct",
    "hard_wrapped",
    "keep",
    "lower",
    "one_line_paragraphs",
    "percolate",
    "projectivise",
    "relaid",
    "some_relaid",
    "speech",
]
