"""Lemma rules: how to make the lemma from the form, as classes that a classifier can choose among.

A rule says whether to lower-case, how many characters to cut from either end and what to put there
(Chrupała 2006's edit scripts, in the affix form that morphological taggers use). Where form and
lemma share nothing, the rule is the lemma itself.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

__all__ = ["apply_rule", "rule_of"]

_KEEP: Final = "k"
_LOWER: Final = "l"
_WHOLE: Final = "="


def rule_of(form: str, lemma: str) -> str:
    """The rule that makes `lemma` from `form`, such as `l0//3/y` for Flies, fly."""
    if form == lemma:
        return "k0//0/"
    lower = form.lower()
    kept, lowered = _affixes(form, lemma), _affixes(lower, lemma)
    if lowered is not None and (kept is None or lowered[0] > kept[0]):
        return _LOWER + lowered[1]
    if kept is not None:
        return _KEEP + kept[1]
    return _WHOLE + lemma


def _affixes(base: str, lemma: str) -> tuple[int, str] | None:
    """The size of the longest common part and the rule around it; None if it is too small."""
    match = SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
    best, at_base, at_lemma = match.size, match.a, match.b
    if best == 0 or (best == 1 and len(base) > 3):
        return None
    cut = len(base) - at_base - best
    return best, f"{at_base}/{lemma[:at_lemma]}/{cut}/{lemma[at_lemma + best :]}"


def apply_rule(form: str, rule: str) -> str:
    """The lemma of a form; a form too short for the rule is its own lemma."""
    if rule[0] == _WHOLE:
        return rule[1:]
    base = form.lower() if rule[0] == _LOWER else form
    if rule[1:] == "0//0/":
        return base
    front, prefix, back, suffix = rule[1:].split("/", 3)
    first, last = int(front), len(base) - int(back)
    if first >= last:
        return base
    return prefix + base[first:last] + suffix
