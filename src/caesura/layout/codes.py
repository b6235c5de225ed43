"""What the gap before a token may look like: a code and a name for each kind.

A code says what the layout shows and the words next to the gap do not; whether a sentence starts
there is for those who learn to say.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "BLANK",
    "DOUBLE",
    "FIELD",
    "HEAD",
    "INDENT",
    "INSIDE",
    "ITEM",
    "LINE",
    "NAMES",
    "N_BREAKS",
    "ODDS",
    "OPENED",
]
__all__ += ["PARAGRAPH", "SAME", "SHORT", "START", "TURN", "VERSE", "WIDE", "WRAP"]

(
    SAME,  # on the line of the token before, with a blank or without
    START,  # the first token of the text
    WRAP,  # wrapped prose: the word would not have fitted on the line before
    SHORT,  # wrapped prose, after a line on which the word would have fitted
    LINE,  # a block whose lines stand for themselves: chat, addresses, lists without marks
    ITEM,  # before a bullet, a number or a dash that opens a list item
    INDENT,  # more or less indented than the line before, or next to a rule or underline
    BLANK,  # after a blank line, or where the document says that a paragraph starts
    DOUBLE,  # after a blank line of double-spaced prose
    HEAD,  # before or after a line like a heading: title case or capitals, short, no final mark
    WIDE,  # on the same line after a tab or a wide gap, as in tables
    TURN,  # another speaker begins
    FIELD,  # before a label such as `Subject:` or `anna:`, next to other lines with labels
    PARAGRAPH,  # next to a line that is longer than lines are wrapped: a paragraph a line
    VERSE,  # a block whose lines stand for themselves, with commas at the ends of many
    OPENED,  # right behind what opens a line: a list mark, `Q1.`, `>`, or inside or behind a label
    INSIDE,  # inside a line of a block whose lines stand for themselves
) = range(17)

#: The names of the codes, by number.
NAMES: Final = (
    "same line",
    "start of text",
    "wrapped",
    "short line",
    "line",
    "list item",
    "indentation",
    "blank line",
    "double-spaced",
    "heading",
    "wide gap",
    "turn",
    "field",
    "paragraph a line",
    "verse",
    "behind a mark",
    "inside a line",
)
#: How many codes there are for models to learn from; to them the last two are the same line. Behind
#: what opens a line no sentence starts, and few inside of lines that stand for themselves.
N_BREAKS: Final = OPENED

#: What the layout says for a boundary, by its code: about the logarithm of the odds that one is
#: there, in re-laid copies of treebanks. Models see the codes too, and trust them too little where
#: the words are unlike those of the copies: addresses, tables, lists of single words.
ODDS: Final[dict[int, float]] = {
    ITEM: 7.0,
    PARAGRAPH: 7.0,
    SHORT: 4.0,
    LINE: 3.0,
    HEAD: 2.0,
    FIELD: 2.0,
    INDENT: 2.0,
    INSIDE: -1.0,
}
