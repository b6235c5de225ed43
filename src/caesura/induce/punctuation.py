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
#: Tags of marks in the CoNLL-X treebanks of Danish and Spanish; elsewhere they may be a word's.
ONLY_WITHOUT_LETTERS = frozenset({"XP", "F"})


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


def _by_tag(tag: str, form: str) -> bool:
    if is_mark_tag(tag):
        return True
    if tag in UPOS:  # of universal tags, every one but PUNCT says that its word is none
        return False
    if tag in ONLY_WITHOUT_LETTERS:
        return not any(c.isalnum() for c in form)
    return is_mark(form)


def marks(doc: Document, source: str = "unicode") -> npt.NDArray[np.bool_]:
    """By word: whether it is a mark, by `unicode` (its form), or by `upos` or `xpos` tags.

    Tag sets name their marks in many ways; so where a tag does not say, Unicode does. Universal
    tags always say.
    """
    if source == "unicode":
        ids = doc.form
        answer = {number: is_mark(doc.strings[number]) for number in np.unique(ids).tolist()}
        return np.fromiter((answer[number] for number in ids.tolist()), dtype=bool, count=len(ids))
    if source not in ("upos", "xpos"):
        raise UsageError(
            f"unknown way to tell marks {source!r}", remedy="Ways are: unicode, upos, xpos."
        )
    pairs, at = np.unique(np.stack((getattr(doc, source), doc.form)), axis=1, return_inverse=True)
    found = [_by_tag(doc.strings[tag], doc.strings[form]) for tag, form in pairs.T.tolist()]
    return np.array(found, dtype=bool)[np.ravel(at)]
