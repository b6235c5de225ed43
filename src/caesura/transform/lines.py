"""The same text with other line breaks, which are no tokens: every offset stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caesura.document import Document


def one_line_paragraphs(doc: Document) -> Document:
    """The same with one newline, not two, after each paragraph; offsets stay."""
    return replace(
        doc,
        text=doc.text.replace("\n\n", " \n"),
        paragraph_start=np.zeros(0, dtype=np.int64),
        token_break=None,
    )


def hard_wrapped(doc: Document, width: int) -> Document:
    """The same with lines of at most about `width` characters; offsets stay."""
    text = list(doc.text)
    line = space = 0
    for at, character in enumerate(doc.text):
        if character == "\n":
            line = space = at + 1
        elif character == " ":
            space = at
        if at - line >= width and space > line:
            text[space] = "\n"
            line = space + 1
    return replace(
        doc,
        text="".join(text),
        paragraph_start=np.zeros(0, dtype=np.int64),
        token_break=None,
    )
