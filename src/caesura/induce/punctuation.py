"""Which words are punctuation marks, told by Unicode or by the tags of a treebank."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from functools import cache

import numpy as np
import numpy.typing as npt

from caesura.document import Document
from caesura.errors import UsageError

__all__ = ["MARK_TAGS", "is_mark", "marks"]

#: Characters that Unicode calls punctuation and that are read aloud as words.
WORDS = frozenset("%‰&@§¶")
#: Tags of marks: Universal Dependencies, Penn Treebank (whose `$` and `#` count as marks, because
#: both papers work with the 36 word tags), and the CoNLL-X treebanks of Danish, Spanish, Basque.
MARK_TAGS = frozenset(
    {"PUNCT", ",", ".", ":", "``", "''", "-LRB-", "-RRB-", "(", ")", "$", "#", "XP", "F", "PUNT"}
)


@cache
def is_mark(form: str) -> bool:
    """True if a form is punctuation and nothing else, by the categories of its characters."""
    return bool(form) and all(
        c not in WORDS and unicodedata.category(c) in _CATEGORIES for c in form
    )


#: Signs of currency and of mathematics are marks, too: the papers take `$` and `#` out.
_CATEGORIES = frozenset({"Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sk", "Sc", "Sm"})


def marks(
    doc: Document, source: str = "unicode", tags: Collection[str] = MARK_TAGS
) -> npt.NDArray[np.bool_]:
    """By word: whether it is a mark, by `unicode` (its form), or by `upos` or `xpos` tags."""
    known: Callable[[str], bool]
    if source == "unicode":
        column, known = "form", is_mark
    elif source in ("upos", "xpos"):
        column, known = source, frozenset(tags).__contains__
    else:
        raise UsageError(
            f"unknown way to tell marks {source!r}", remedy="Ways are: unicode, upos, xpos."
        )
    ids = getattr(doc, column)
    answer = {number: known(doc.strings[number]) for number in np.unique(ids).tolist()}
    return np.fromiter((answer[number] for number in ids.tolist()), dtype=bool, count=len(ids))
