"""What is fuzzed: bytes in, and the laws that must hold whatever they are.

The only exception that may come out is a CaesuraError. A text keeps its characters and its tokens
their offsets; what a reader accepts is written as CoNLL-U that is read again to the same words.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from caesura.document import Document
from caesura.errors import CaesuraError
from caesura.formats import FORMATS, conllu
from caesura.formats.options import ReadOptions, WriteOptions
from tests.pipeline.laws import check

__all__ = ["READERS", "pipeline_target", "reader_target", "seeds"]

#: Formats whose readers take bytes from anyone.
READERS = (
    "conllu",
    "conllx",
    "text",
    "tokens",
    "transcript",
    "brackets",
    "html",
    "jsonl",
    "markdown",
)


def reader_target(name: str) -> Callable[[bytes], None]:
    """Read bytes in a format; what comes out is sound and survives CoNLL-U."""
    module = FORMATS[name].code

    def one(data: bytes) -> None:
        try:
            docs = list(module.read(io.BytesIO(data), ReadOptions()))
        except CaesuraError:
            return
        for doc in docs:
            doc.check()
        _round_trip(docs)

    return one


def pipeline_target(nlp: Any) -> Callable[[bytes], None]:
    """Parse bytes as a text; the laws of texts and trees hold, and the result is valid CoNLL-U."""

    def one(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        doc = nlp(text)
        check(doc, text)
        _round_trip([doc])

    return one


def _round_trip(docs: list[Document]) -> None:
    out = io.BytesIO()
    try:
        conllu.write(docs, out, WriteOptions())
    except CaesuraError:
        return
    data = out.getvalue()
    again = list(conllu.read(io.BytesIO(data), ReadOptions()))
    assert sum(doc.n_words for doc in again) == sum(doc.n_words for doc in docs)
    back = io.BytesIO()
    conllu.write(again, back, WriteOptions())
    assert back.getvalue() == data


def seeds() -> list[bytes]:
    """Small inputs to start from: the project's own examples and mistakes."""
    root = Path(__file__).parents[2]
    paths = [*root.glob("examples/*.*"), *root.glob("tests/cases/*-*/*")]
    found = [path.read_bytes() for path in sorted(paths) if path.is_file()]
    return [data for data in found if len(data) < 4096]
