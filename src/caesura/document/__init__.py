"""The document: columns over one text, declared once, with light views, cutting and joining.

`schema` has the table of columns, `document` the class, `word` and `views` words, tokens, spans and
sentences, `editing` what can be set through them, `trees` walks over heads, `slicing` what cuts,
joins, copies and compares, `strings` the interned strings, `characters` what kind of character each
code point is.
"""

from __future__ import annotations

from caesura.document.document import Document
from caesura.document.schema import (
    CONFIDENCE_KEYS,
    CUE,
    FIXABLE,
    MAYBE,
    NO,
    OTHER,
    ROOT,
    TURN,
    UNKNOWN,
    WORD_STRINGS,
    YES,
    Bytes,
    EmptyNode,
    Floats,
    Ints,
    KBestTags,
    Longs,
)
from caesura.document.slicing import span_of, token_turn, turn_of, word_turns
from caesura.document.strings import Strings, misc_items
from caesura.document.views import Sentence, Span, Token
from caesura.document.word import Word

__all__ = [
    "CONFIDENCE_KEYS",
    "CUE",
    "FIXABLE",
    "MAYBE",
    "NO",
    "OTHER",
    "ROOT",
    "TURN",
    "UNKNOWN",
    "WORD_STRINGS",
    "YES",
    "Bytes",
    "Document",
    "EmptyNode",
    "Floats",
    "Ints",
    "KBestTags",
    "Longs",
    "Sentence",
    "Span",
    "Strings",
    "Token",
    "Word",
    "misc_items",
    "span_of",
    "token_turn",
    "turn_of",
    "word_turns",
]
