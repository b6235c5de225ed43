"""A small language with a grammar that is known, and documents of it."""

from __future__ import annotations

import numpy as np

from caesura.document import Document

WORDS = {
    "DET": ("the", "a"),
    "NOUN": ("boat", "harbour", "sailor", "storm", "rope", "gull"),
    "VERB": ("leaves", "sees", "holds", "breaks", "pulls"),
    "ADP": ("in", "near", "under"),
}


def made_up(sentences: int, seed: int = 0) -> list[Document]:
    """Documents of a small language: DET NOUN VERB DET NOUN (ADP DET NOUN), with commas."""
    rng = np.random.default_rng(seed)
    docs = []
    for number in range(0, sentences, 10):
        forms, tags, heads, starts = [], [], [], []
        for _ in range(10):
            base = len(forms)
            row: list[tuple[str, int]] = [("DET", 1), ("NOUN", 2), ("VERB", -1)]
            if rng.random() < 0.7:
                row += [("DET", 4), ("NOUN", 2)]
            if rng.random() < 0.4:
                at = len(row)
                if rng.random() < 0.5:
                    row.append(("PUNCT", 2))
                    at += 1
                row += [("ADP", 2), ("DET", at + 2), ("NOUN", at)]
            row.append(("PUNCT", 2))
            for i, (tag, head) in enumerate(row):
                starts.append(1 if i == 0 else 0)
                tags.append(tag)
                heads.append(-1 if head < 0 else base + head)
                mark = "." if i == len(row) - 1 else ","
                forms.append(mark if tag == "PUNCT" else str(rng.choice(WORDS[tag])))
        text = " ".join(forms)
        ends = np.cumsum([len(f) + 1 for f in forms]) - 1
        doc = Document.from_spans(text, ends - [len(f) for f in forms], ends, id=f"d{number}")
        doc.set_column("upos", tags)
        doc.head = np.array(heads, dtype=np.int32)
        doc.sent_start = np.array(starts, dtype=np.int8)
        docs.append(doc)
    return docs
