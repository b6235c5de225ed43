"""The kernels with which a grammar parses, called once on something tiny."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.induce.arc_model import SIZE, ArcModel
from caesura.induce.corpus import corpus, word_classes
from caesura.induce.grammar import supervised

__all__ = ["warmup"]


def warmup() -> None:
    """Read a grammar off one sentence, and parse the sentence with it in all its ways."""
    doc = Document.from_spans("They did.", [0, 5, 8], [4, 8, 9])
    doc.sent_start[:] = [1, 0, 0]
    doc.set_column("upos", ["PRON", "VERB", "PUNCT"])
    doc.head = np.array([1, -1, 1], dtype=np.int32)
    words = corpus([doc], word_classes("upos"), marks="upos")
    grammar = supervised([doc], words, source="upos", marks="upos")
    for way in (
        grammar,
        replace(grammar, others=(grammar,)),
        replace(grammar, arcs=ArcModel(np.zeros(SIZE), {})),
    ):
        way.annotate([doc])
