"""What a caller may give a pipeline: a text or a document, or many of them; all else is refused."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from caesura.document import Document, Sentence, Span, Word
from caesura.errors import InputError, UsageError, kind_of

__all__ = ["check_many", "check_one", "check_stream", "checked_blocks"]


def check_one(source: object, place: str = "") -> None:
    """Refuse what is neither a text nor a document, with what to do about it."""
    if isinstance(source, str | Document):
        check_text(source if isinstance(source, str) else source.text, place)
        return
    remedy = "Give it a string or a Document."
    if isinstance(source, bytes | bytearray | memoryview):
        remedy = 'Decode it first: nlp(data.decode("utf-8")).'
    elif isinstance(source, os.PathLike):
        remedy = "Read it with caesura.read, or stream it: nlp.stream(path)."
    elif isinstance(source, Word | Span | Sentence):
        remedy = "Give it the text of that, or cut the document: doc.cut(first, last)."
    elif isinstance(source, Iterable) and not place:
        remedy = "Many texts go to nlp.pipe(texts)."
    raise UsageError(
        f"a text is a string, and {place or 'this'} is {kind_of(source)}", remedy=remedy
    )


def check_text(text: str, place: str = "") -> None:
    """Refuse a NUL character, which no file of text can hold."""
    if "\0" in text:
        where = f" (in {place})" if place else ""
        raise InputError(
            f"there is a NUL character at offset {text.index(chr(0)):,}{where}",
            remedy='Remove it: text.replace("\\0", " ").',
        )


def checked_blocks(blocks: Iterable[str]) -> Iterator[str]:
    """Blocks of text as they are; one with a NUL character is refused."""
    for number, block in enumerate(blocks, 1):
        check_text(block, f"block {number}")
        yield block


def check_many(sources: object) -> None:
    """Refuse what holds no texts: one text, which is a row of characters, above all."""
    if isinstance(sources, str | bytes | Document):
        raise UsageError(
            f"many texts are wanted here, and this is one ({kind_of(sources)})",
            remedy="Call nlp(text) for one, or nlp.pipe([text]).",
        )
    _check_iterable(sources, "texts")


def check_stream(source: Any) -> None:
    """Refuse what is neither a path nor blocks of text."""
    if isinstance(source, bytes | Document):
        raise UsageError(
            f"a stream is a path or blocks of text, not {kind_of(source)}",
            remedy="Call nlp(text) for what is in memory.",
        )
    if not isinstance(source, os.PathLike):
        _check_iterable(source, "blocks of text")


def _check_iterable(source: object, of: str) -> None:
    if not isinstance(source, Iterable):
        raise UsageError(
            f"{of} are wanted here, not {kind_of(source)}", remedy="Give a list or a generator."
        )
