"""Which words are punctuation marks, told by Unicode or by the tags of a treebank."""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
import numpy.typing as npt

from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce.universal import UPOS

__all__ = ["is_mark", "is_mark_tag", "marks"]

#: Characters that Unicode calls punctuation and that are read aloud as words.
WORDS = frozenset("%‰&@§¶")
#: Tags of marks: Universal Dependencies, Penn Treebank (whose `$` and `#` count as marks, because
#: both papers work with the 36 word tags), and others whose name says so.
MARK_TAGS = frozenset(
    {"PUNCT", ",", ".", ":", "``", "''", "-LRB-", "-RRB-", "(", ")", "$", "#", "PUNC", "PUNT"}
)


@cache
def is_mark(form: str) -> bool:
    """True if a form is punctuation and nothing else, by the categories of its characters."""
    return bool(form) and all(
        c not in WORDS and unicodedata.category(c) in _CATEGORIES for c in form
    )


#: Signs of currency and of mathematics are marks, too: the papers take `$` and `#` out.
_CATEGORIES = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sk", "Sc", "Sm"})


def is_mark_tag(tag: str) -> bool:
    """True if a tag says that its word is a mark: by its name, or because it is spelt like one."""
    return tag in MARK_TAGS or tag.upper() in ("PUNCT", "PUNC") or (bool(tag) and is_mark(tag))


def marks(doc: Document, source: str = "unicode") -> npt.NDArray[np.bool_]:
    """By word: whether it is a mark, by `unicode` (its form), or by `upos` or `xpos` tags.

    Tag sets name their marks in many ways; so a tag is one of marks if it says so, or if most of
    its words in the document are marks by Unicode. Universal tags always say. A word without a tag
    is told by Unicode.
    """
    if source not in ("unicode", "upos", "xpos"):
        raise UsageError(
            f"unknown way to tell marks {source!r}", remedy="Ways are: unicode, upos, xpos."
        )
    kinds, at = np.unique(doc.form, return_inverse=True)
    by_form = np.array([is_mark(doc.strings[n]) for n in kinds.tolist()], dtype=bool)[np.ravel(at)]
    if source == "unicode":
        return by_form
    tags, at = np.unique(getattr(doc, source), return_inverse=True)
    of_word = np.ravel(at)
    shares = np.bincount(of_word, by_form, len(tags)) / np.maximum(np.bincount(of_word), 1)
    names = [doc.strings[number] for number in tags.tolist()]
    says = [
        is_mark_tag(n) or (n not in UPOS and s > 0.5) for n, s in zip(names, shares, strict=True)
    ]
    untagged = np.array([not name for name in names], dtype=bool)[of_word]
    return np.where(untagged, by_form, np.array(says, dtype=bool)[of_word])
