"""The document: columns over one text, declared once, with light views, cutting and joining.

`schema` has the table of columns, `document` the class, `views` words, tokens and sentences,
`slicing` what cuts, joins and compares, `strings` the interned strings, `characters` what kind of
character each code point is.
"""

from __future__ import annotations

from caesura.document.document import Document
from caesura.document.schema import (
    CONFIDENCE_KEYS,
    FIXABLE,
    MAYBE,
    NO,
    ROOT,
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
from caesura.document.slicing import token_turn, word_turns
from caesura.document.strings import Strings, misc_items
from caesura.document.views import Sentence, Token, Word

__all__ = [
    "CONFIDENCE_KEYS",
    "FIXABLE",
    "MAYBE",
    "NO",
    "ROOT",
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
    "Strings",
    "Token",
    "Word",
    "misc_items",
    "token_turn",
    "word_turns",
]
