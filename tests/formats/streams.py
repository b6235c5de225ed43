"""Reading and writing in memory, what turns and mark-up say, and documents of hostile strings."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

from caesura.document import Document, EmptyNode
from caesura.formats import ReadOptions, WriteOptions, read_stream, write_stream
from tests.strategies import documents

FORGED = "a\n\n1\tforged\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
#: Everything that is structure in some format, and what terminals and decoders act on.
ALPHABET = "ab1 \t\n\r\0\x0b\x0c\x1b\x1c\x85\u2028\u202e\ud800#:|=<>&\"'()[]{}_-\\/."
hostile = st.text(ALPHABET, max_size=8) | st.sampled_from(
    [FORGED, "b\nB: forged", "-->", "x-->\n\n"]
)


def read(format: str, source: Any, **options: Any) -> list[Document]:
    """The documents of bytes, of a text, or of a value that is written as JSON."""
    if not isinstance(source, bytes):
        source = (source if isinstance(source, str) else json.dumps(source)).encode()
    return list(read_stream(io.BytesIO(source), format, ReadOptions(**options)))


def write(format: str, docs: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    write_stream(docs, stream, format, WriteOptions(**options))
    return stream.getvalue()


def turns(doc: Document) -> list[tuple[str, str, list[float]]]:
    """Text, speaker and times of each turn; an unknown time is -1."""
    spans = zip(doc.turn_start, doc.turn_end, doc.strings.take(doc.turn_speaker), strict=True)
    times = np.nan_to_num(doc.turn_time, nan=-1).tolist()
    return [(doc.text[a:b], who, time) for (a, b, who), time in zip(spans, times, strict=True)]


def marked(doc: Document) -> list[tuple[str, str]]:
    """Text and label of each span of mark-up."""
    spans = zip(doc.markup_start, doc.markup_end, doc.strings.take(doc.markup_label), strict=True)
    return [(doc.text[a:b], label) for a, b, label in spans]


@st.composite
def hostile_documents(draw: st.DrawFn) -> Document:
    """A document whose every string may be anything, as JSON Lines may bring it."""
    doc = draw(documents(max_tokens=6))
    doc.id = draw(st.none() | hostile)
    for token in list(doc.comments):
        doc.comments[token] = tuple(draw(st.lists(hostile, max_size=2)))
    doc.trailer = tuple(draw(st.lists(hostile, max_size=1)))
    n = doc.n_words
    for name in ("lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"):
        if draw(st.integers(0, 3)) == 0:
            doc.set_column(name, draw(st.lists(hostile, min_size=n, max_size=n)))
    if draw(st.booleans()):
        doc.turn_start, doc.turn_end = np.array([0]), np.array([len(doc.text)])
        doc.turn_speaker = doc.strings.ids([draw(hostile)])
        doc.turn_time = np.array([[draw(st.floats()), draw(st.floats())]])
    if draw(st.booleans()):
        doc.markup_start, doc.markup_end = np.array([0]), np.array([min(1, len(doc.text))])
        doc.markup_label = doc.strings.ids([draw(hostile)])
    if draw(st.integers(0, 3)) == 0:
        doc.empty_nodes = [EmptyNode(0, 1, draw(hostile), misc=draw(hostile))]
    multiword = [t for t, size in enumerate(np.diff(doc.first_word).tolist()) if size > 1]
    if multiword and draw(st.booleans()):
        doc.token_columns = {multiword[0]: (draw(hostile), *("_",) * 6)}
    return doc
