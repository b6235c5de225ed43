"""Changes to whole documents: pure functions, a document in and a new document out.

`speech` makes written text look like speech, `lower` folds case, `drop` and `keep` choose columns,
`projectivise` lifts crossing arcs, `percolate` makes dependencies of phrases, `deal` spreads
documents over files, `hard_wrapped` and `one_line_paragraphs` break lines elsewhere, `relaid`
changes the layout of the words. `change` makes several `Changes` to a stream.
"""

from __future__ import annotations

from caesura.transform.changes import Changes, change, deal
from caesura.transform.columns import COLUMNS, drop, keep
from caesura.transform.relay import LAYOUTS, hard_wrapped, one_line_paragraphs, relaid, some_relaid
from caesura.transform.spoken import drop_punct, lower, speech
from caesura.transform.trees import percolate, projectivise

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
