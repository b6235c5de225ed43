"""Lemmas: rules that make a lemma from a form, irregular forms, and a cache of both.

A rule says what to do with the case, how many characters to cut from either end and what to put
there (the edit scripts of Chrupała 2006, in the affix form that morphological taggers use). Where
form and lemma share nothing, the rule is the lemma itself. Irregular lemmas (`sang`, `oxen`) that a
treebank does not show come from the file of the language; models keep them as lines of form, XPOS
and lemma. The columns given the label nearly follow from word type and label, so they are computed
once for each pair; only pairs that are not settled look at their context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import ConditionalClassifier
from caesura.document import Document
from caesura.document.characters import is_picture
from caesura.errors import ModelError
from caesura.language.closed import Closed
from caesura.language.lexicon import Lexicon
from caesura.stages.tagger_features import plain_form


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
    from difflib import SequenceMatcher  # which only training needs

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


#: What a tagger calls them in its file.
LABELS: Final = "irregular"

#: Lemmas by form in lower case and XPOS.
Irregular = Mapping[tuple[str, str], str]


def read_irregular(lines: Iterable[str]) -> Irregular:
    """The lemmas that such lines hold."""
    found: dict[tuple[str, str], str] = {}
    for line in lines:
        parts = line.split("\t")
        if len(parts) != 3 or not all(parts):
            raise ModelError(
                f"the model's irregular form {line!r} is none",
                remedy="Train or fetch the model again.",
            )
        found[parts[0], parts[1]] = parts[2]
    return found


_MOST: Final = 65536
Ints = NDArray[np.int32]


class LemmaCache:
    """Numbers for pairs; rows of `alone` and `settled` belong to pairs, by column."""

    def __init__(
        self,
        classifiers: Mapping[str, ConditionalClassifier],
        rules: list[str],
        tags: Sequence[str],
        irregular: Irregular,
        feats: Sequence[str] = (),
        closed: Closed | None = None,
    ) -> None:
        """`tags` has the XPOS of each label, by which irregular and closed forms are known."""
        self._classifiers = classifiers
        self._rules = [compile_rule(rule) for rule in rules]
        self._classes = len(tags)
        self._tags = tags
        told = closed or {}
        self._lemmas = {**irregular, **{key: word.lemma for key, word in told.items()}}
        number = {value: n for n, value in enumerate(feats)}
        self._feats = {
            key: number[word.feats] for key, word in told.items() if word.feats in number
        }
        self._numbers: dict[int, int] = {}
        self.lemmas: list[str] = []
        self.alone: dict[str, NDArray[np.float32]] = {}
        self.settled: dict[str, Ints] = {}
        for column, classifier in classifiers.items():
            self.alone[column] = np.zeros((0, classifier.width), np.float32)
            self.settled[column] = np.zeros(0, np.int32)

    @property
    def full(self) -> bool:
        return len(self._numbers) > _MOST

    def numbers(
        self, words: Ints, labels: Ints, types: list[str], attributes: NDArray[np.uint64]
    ) -> Ints:
        """The pair of each word; new pairs are worked out."""
        kinds, where = np.unique(
            words.astype(np.int64) * self._classes + labels, return_inverse=True
        )
        codes = kinds.tolist()
        get = self._numbers.get
        found = np.array([get(code, -1) for code in codes], np.int32)
        new = np.flatnonzero(found < 0)
        if len(new):
            first = len(self._numbers)
            found[new] = np.arange(first, first + len(new), dtype=np.int32)
            fresh = kinds[new]
            self._numbers.update(zip(fresh.tolist(), range(first, first + len(new)), strict=True))
            self._work_out(fresh, types, attributes, first)
        return found[where]

    def _work_out(
        self, codes: NDArray[np.int64], types: list[str], attributes: NDArray[np.uint64], first: int
    ) -> None:
        words = (codes // self._classes).astype(np.int32)
        labels = (codes % self._classes).astype(np.int32)
        forms = [plain_form(types[word]) for word in words.tolist()]
        tags = [self._tags[label] for label in labels.tolist()]
        keys = [(form.lower(), tag) for form, tag in zip(forms, tags, strict=True)]
        for column, classifier in self._classifiers.items():
            alone, settled = classifier.choose_alone(attributes, words, labels)
            if column == "lemma":
                rules = self._rules
                made = [
                    rules[rule](form) if rule >= 0 else form
                    for form, rule in zip(forms, settled.tolist(), strict=True)
                ]
                if self._lemmas:
                    known = self._lemmas.get
                    made = [known(key, lemma) for lemma, key in zip(made, keys, strict=True)]
                self.lemmas += [
                    form if is_picture(form) else lemma
                    for lemma, form in zip(made, forms, strict=True)
                ]
            else:
                if column == "feats" and self._feats:
                    get = self._feats.get
                    told = np.array([get(key, -1) for key in keys], np.int32)
                    settled = np.where(told >= 0, told, settled)
                self._extend(column, first, alone, settled)

    def _extend(self, column: str, first: int, alone: NDArray[np.float32], settled: Ints) -> None:
        room = len(self.settled[column])
        if first + len(settled) > room:
            room = max(1024, 2 * room, first + len(settled))
            # New arrays: calls that run in other threads go on with the old ones.
            scores = np.zeros((room, alone.shape[1]), np.float32)
            scores[:first] = self.alone[column][:first]
            values = np.zeros(room, np.int32)
            values[:first] = self.settled[column][:first]
            self.alone[column], self.settled[column] = scores, values
        self.alone[column][first : first + len(settled)] = alone
        self.settled[column][first : first + len(settled)] = settled


def irregular_forms(lexicon: Lexicon, docs: Iterable[Document]) -> list[str]:
    """The irregular forms of a language that documents do not show with their tag, as lines."""
    if not lexicon.lemmas:
        return []
    seen: set[tuple[str, str]] = set()
    for doc in docs:
        for form, xpos in set(zip(doc.form.tolist(), doc.xpos.tolist(), strict=True)):
            seen.add((doc.strings[form].lower(), doc.strings[xpos]))
    return sorted(
        f"{form}\t{xpos}\t{lemma}"
        for xpos, lemmas in lexicon.lemmas.items()
        for form, lemma in lemmas.items()
        if (form, xpos) not in seen
    )
