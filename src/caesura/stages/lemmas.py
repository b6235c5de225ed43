"""Lemma rules: how to make the lemma from the form, as classes that a classifier can choose among.

A rule says what to do with the case, how many characters to cut from either end and what to put
there (the edit scripts of Chrupała 2006, in the affix form that morphological taggers use). Where
form and lemma share nothing, the rule is the lemma itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Final

from caesura.errors import ModelError

__all__ = ["apply_rule", "compile_rule", "rule_of"]


def _title(form: str) -> str:
    return form[:1].upper() + form[1:]


#: What to do with the case, the first that serves: lower, keep, capital, upper.
_CASES: Final[dict[str, Callable[[str], str]]] = {
    "l": str.lower,
    "k": str,
    "t": _title,
    "u": str.upper,
}
_WHOLE: Final = "="
_NOTHING: Final = "0//0/"
_RULE: Final = re.compile(r"=.*|[lktu]\d{1,4}/[^/]*/\d{1,4}/.*", re.DOTALL)


def rule_of(form: str, lemma: str) -> str:
    """The rule that makes `lemma` from `form`.

    >>> rule_of("Flies", "fly")
    'l0//3/y'
    """
    best, found = 0, _WHOLE + lemma
    for case, change in _CASES.items():
        base = change(form)
        if base == lemma:
            return case + _NOTHING
        match = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
        # One common letter in a long word is chance; a slash separates the parts of a rule.
        serves = (match.size > 1 or len(base) <= 3) and "/" not in lemma[: match.b]
        if serves and match.size > best:
            best = match.size
            cut = len(base) - match.a - match.size
            affixes = f"{match.a}/{lemma[: match.b]}/{cut}/{lemma[match.b + match.size :]}"
            found = case + affixes
    return found


def compile_rule(rule: str) -> Callable[[str], str]:
    """A rule as a function, for rules that are applied to many forms."""
    if not _RULE.fullmatch(rule):
        raise ModelError(
            f"the model's lemma rule {rule!r} is none", remedy="Train or fetch the model again."
        )
    if rule[0] == _WHOLE:
        lemma = rule[1:]
        return lambda form: lemma
    change = _CASES[rule[0]]
    if rule[1:] == _NOTHING:
        return change
    front, prefix, back, suffix = rule[1:].split("/", 3)
    first, cut = int(front), int(back)

    def apply(form: str) -> str:
        base = change(form)
        last = len(base) - cut
        return prefix + base[first:last] + suffix if first < last else base

    return apply


def apply_rule(form: str, rule: str) -> str:
    """The lemma of a form; a form too short for the rule is its own lemma.

    >>> apply_rule("Tries", "l0//3/y")
    'try'
    """
    return compile_rule(rule)(form)
