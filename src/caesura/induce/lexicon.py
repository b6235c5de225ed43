"""Frequent words as classes of their own: class and word together, for words seen often enough."""

from __future__ import annotations

import numpy as np

from caesura.induce.parameters import Ints

__all__ = ["SEPARATOR", "apply_lexicon", "lexicalise"]

#: Between the class and the word in the name of such a class.
SEPARATOR = "_"
#: No word that is rarer than one in so many has a class of its own.
SHARE = 1000


def lexicalise(
    classes: Ints, forms: Ints, names: tuple[str, ...], spelling: tuple[str, ...], least: int
) -> tuple[Ints, tuple[str, ...], dict[tuple[int, int], int]]:
    """New classes, their names, and the new class of each (form, class) that has one.

    A form has one if it is seen at least so often, and is one word in `SHARE` or more: tables grow
    with the square of the classes, and in a long text a hundred times is nothing.
    """
    seen = np.bincount(forms, minlength=len(spelling))
    often = seen[forms] >= max(least, len(forms) // SHARE)
    pairs = np.unique(np.stack((forms[often], classes[often]), axis=1), axis=0)
    lexicon: dict[tuple[int, int], int] = {}
    known = list(names)
    for form, old in pairs.tolist():
        lexicon[form, old] = len(known)
        known.append(f"{names[old]}{SEPARATOR}{spelling[form]}")
    new = classes.copy()
    for at in np.flatnonzero(often).tolist():
        new[at] = lexicon[int(forms[at]), int(classes[at])]
    return new, tuple(known), lexicon


def apply_lexicon(
    classes: Ints, words: list[str], names: tuple[str, ...], lexical: dict[str, int]
) -> Ints:
    """Classes of words of other texts: the word's own where the grammar has it."""
    if not lexical:
        return classes
    new = classes.copy()
    for at, word in enumerate(words):
        found = lexical.get(f"{names[classes[at]]}{SEPARATOR}{word}")
        if found is not None:
            new[at] = found
    return new
