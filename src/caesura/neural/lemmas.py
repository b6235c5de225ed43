"""Which lemma rules a word may take: those it took in training, else such as make a known word.

The network ranks rules by the word's context; what a rule does to the letters of this word it can
only guess. So a word that was seen with its tag chooses among the rules that it was seen with. For
another one three things count: the network, how words that end alike made their lemmas, and whether
somebody ever wrote the lemma that comes out (`condemn`, not `condemne`). Words are kept as 32-bit
hashes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.errors import ModelError
from caesura.language.lexicon import guessed_lexicon
from caesura.models.packing import pack_keys, unpack_keys
from caesura.neural.lemma_endings import LemmaEndings
from caesura.stages.lemmas import apply_rule, irregular_forms, rule_of

__all__ = ["NEVER", "LemmaLexicon"]

#: How many rules an unknown word tries, and how far below the best one they may be.
_TRIES: Final = 4
_BELOW: Final = 6.0
#: How many rules a number or an address tries.
_RULES: Final = 8
#: With endings: what a known lemma adds to the evidence (`core/network/lemmas.cpp`). Measured on
#: EWT dev with `en`: errors in unseen words fall from 211 to 182; half or twice costs 0 to 6.
_KNOWN: Final = 6.0
#: Tags whose words have lemmas that one could find in a dictionary.
_OPEN: Final = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
#: What else makes a word one that is spelled, not inflected.
_SIGNS: Final = frozenset("@/:")

#: The arrays of a model file, now and in older files, which have keys as they are.
_NAMES: Final = ("gaps", "sizes", "rules", "known-gaps")
_IRREGULAR: Final = "lexicon-irregular"
_OLDER: Final = ("keys", "first", "rules", "known")

#: The score of what may not be.
NEVER: Final = np.float32(-1e9)

Hashes = NDArray[np.uint32]
Rules = NDArray[np.int64]


def _hash(*words: str) -> int:
    return crc32("\t".join(words).encode())


def _lines(arrays: Mapping[str, NDArray[Any]]) -> tuple[str, ...]:
    """The irregular forms of a model file."""
    array = arrays.get(_IRREGULAR)
    if array is None:
        return ()
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ModelError("its lexicon of lemmas is damaged")
    try:
        return tuple(array.tobytes().decode().split("\n"))
    except UnicodeDecodeError:
        raise ModelError("its lexicon of lemmas is damaged") from None


def _of(language: str) -> tuple[str, ...]:
    """What the keys of a language begin with; nothing in a lexicon of one language."""
    return (language,) if language else ()


@dataclass(frozen=True)
class LemmaLexicon:
    """Rules by word and tag, and the words that are known."""

    rules: tuple[str, ...]
    #: Hashes of word and tag in order, and the rules of each, the first of them from `first[i]`.
    keys: Hashes
    first: NDArray[np.int32]
    choices: NDArray[np.uint16]
    #: Hashes of known words in order.
    known: Hashes
    #: How words that end alike made their lemmas; older models do not know.
    endings: LemmaEndings | None = None
    #: Irregular forms of the language that were not seen: see `tag.irregular`.
    irregular: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, docs: Iterable[Document], rules: Sequence[str], words: Iterable[str] = ()
    ) -> LemmaLexicon:
        """The lexicon of training documents, with the words of other text as known ones."""
        docs = list(docs)
        irregular = irregular_forms(guessed_lexicon(doc.text for doc in docs), docs)
        return replace(cls.of_languages({"": docs}, rules, words), irregular=tuple(irregular))

    @classmethod
    def of_languages(
        cls,
        docs: Mapping[str, Iterable[Document]],
        rules: Sequence[str],
        words: Iterable[str] = (),
    ) -> LemmaLexicon:
        """The lexicon of documents in several languages, which share nothing but the rules."""
        number = {rule: n for n, rule in enumerate(rules)}
        seen: defaultdict[int, set[int]] = defaultdict(set)
        words_seen: set[tuple[str, str, str, int]] = set()
        known = {_hash(word.lower()) for word in words}
        for language, doc in ((code, doc) for code, own in docs.items() for doc in own):
            columns = (doc.form.tolist(), doc.upos.tolist(), doc.lemma.tolist())
            for form, upos, lemma in set(zip(*columns, strict=True)):
                if not lemma:
                    continue
                known.add(_hash(*_of(language), doc.strings[lemma].lower()))
                rule = number.get(rule_of(doc.strings[form], doc.strings[lemma]))
                if rule is not None:
                    key = _hash(*_of(language), doc.strings[form], doc.strings[upos])
                    seen[key].add(rule)
                    word = (language, doc.strings[form], doc.strings[upos], rule)
                    if _is_open(*word[1:3]):
                        words_seen.add(word)
        keys = sorted(seen)
        sizes = [len(seen[key]) for key in keys]
        return cls(
            tuple(rules),
            np.array(keys, np.uint32),
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int32),
            np.array([rule for key in keys for rule in sorted(seen[key])], np.uint16),
            np.array(sorted(known), np.uint32),
            LemmaEndings.of(words_seen),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        endings = self.endings.arrays() if self.endings is not None else {}
        lines = "\n".join(self.irregular).encode()
        return {
            "lexicon-gaps": pack_keys(self.keys),
            "lexicon-sizes": np.diff(self.first).astype(np.uint16),
            "lexicon-rules": self.choices,
            "lexicon-known-gaps": pack_keys(self.known),
            **{f"lexicon-{name}": array for name, array in endings.items()},
            **({_IRREGULAR: np.frombuffer(lines, np.uint8)} if lines else {}),
        }

    @classmethod
    def from_arrays(
        cls, rules: Sequence[str], arrays: Mapping[str, NDArray[Any]]
    ) -> LemmaLexicon | None:
        """The lexicon of a model file; the oldest have none."""
        kinds: tuple[type[np.generic], ...]
        if "lexicon-keys" in arrays:
            names, kinds = _OLDER, (np.uint32, np.int32, np.uint16, np.uint32)
        elif "lexicon-gaps" in arrays:
            names, kinds = _NAMES, (np.uint32, np.uint16, np.uint16, np.uint32)
        else:
            return None
        found = []
        for name, kind in zip(names, kinds, strict=True):
            array = arrays.get(f"lexicon-{name}")
            if array is None or array.dtype != kind or array.ndim != 1:
                raise ModelError("its lexicon of lemmas is damaged")
            found.append(array)
        keys, first, choices, known = found
        if names == _NAMES:
            keys, known = unpack_keys(keys), unpack_keys(known)
            first = np.concatenate(([0], np.cumsum(first, dtype=np.int64))).astype(np.int32)
        steps = np.diff(first.astype(np.int64))
        if len(first) != len(keys) + 1 or (steps < 1).any() or first[0] != 0:
            raise ModelError("its lexicon of lemmas is damaged")
        if first[-1] != len(choices) or (choices >= len(rules)).any():
            raise ModelError("its lexicon of lemmas is damaged")
        prefix = "lexicon-"
        own = {name.removeprefix(prefix): array for name, array in arrays.items()}
        endings = LemmaEndings.from_arrays(len(rules), own)
        return cls(tuple(rules), keys, first, choices, known, endings, _lines(arrays))

    def joined(self, other: LemmaLexicon) -> LemmaLexicon:
        """What is known here, and of other words what another lexicon knows, by our rules."""
        number = {rule: n for n, rule in enumerate(self.rules)}
        ours = np.array([number.get(rule, -1) for rule in other.rules], np.int64)
        rows: dict[int, list[int]] = {}
        for lexicon in (other, self):
            choices = lexicon.choices.astype(np.int64)
            choices = choices if lexicon is self else ours[choices]
            bounds = lexicon.first.tolist()
            for row, key in enumerate(lexicon.keys.tolist()):
                own = [
                    rule for rule in choices[bounds[row] : bounds[row + 1]].tolist() if rule >= 0
                ]
                if own:
                    rows[key] = own
        keys = sorted(rows)
        return LemmaLexicon(
            self.rules,
            np.array(keys, np.uint32),
            np.concatenate(([0], np.cumsum([len(rows[key]) for key in keys]))).astype(np.int32),
            np.array([rule for key in keys for rule in rows[key]], np.uint16),
            np.union1d(self.known, other.known).astype(np.uint32),
        )

    def of_word(self, form: str, upos: str, language: str = "") -> tuple[int, ...]:
        """The rules that a word was seen with, none if it was not."""
        first, last = self._rows([form], [upos], [language])
        return tuple(self.choices[first[0] : last[0]].tolist())

    def _rows(
        self, forms: Sequence[str], tags: Sequence[str], languages: Sequence[str]
    ) -> tuple[Rules, Rules]:
        """Where the rules of words begin and end in `choices`; nowhere if a word was not seen."""
        told = zip(forms, tags, languages, strict=True)
        keys = np.array([_hash(*_of(code), form, upos) for form, upos, code in told], np.uint32)
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
        at = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        first = self.first[at].astype(np.int64)
        return first, np.where(self.keys[at] == keys, self.first[at + 1], first)

    def is_known(self, word: str, language: str = "") -> bool:
        key = np.uint32(_hash(*_of(language), word.lower()))
        at = int(self.known.searchsorted(key))
        return at < len(self.known) and bool(self.known[at] == key)

    def choose(
        self,
        forms: Sequence[str],
        tags: Sequence[str],
        words: NDArray[np.int64],
        scores: NDArray[np.float32],
        languages: Sequence[str] = (),
        rules: Rules | None = None,
    ) -> Rules:
        """A rule for each word; `words` tells which form and tag, as numbers of pairs, it has.

        Where the lexicon is one of several languages, `languages` has those of the pairs, and
        `rules`, which rise, may tell of which rules there are scores: no other is likely.
        """
        codes = languages or [""] * len(forms)
        first, last = self._rows(forms, tags, codes)
        found = _core.best_rules(scores, words, first, last, self.choices, rules)
        unseen = np.flatnonzero(first == last)
        if not len(unseen):
            return found
        own = np.arange(scores.shape[1]) if rules is None else rules
        order = np.argsort(words, kind="stable")
        bounds = np.searchsorted(words[order], np.arange(len(forms) + 1))
        open_words: list[tuple[int, int]] = []
        for pair in unseen.tolist():
            form, rows = forms[pair], order[bounds[pair] : bounds[pair + 1]]
            if not any(sign.isalnum() for sign in form):
                # A mark or an emoji that was not seen is its own lemma.
                found[rows] = self._as_it_is(form, int(found[rows[0]]))
            elif any(sign.isdigit() or sign in _SIGNS for sign in form):
                for row in rows.tolist():
                    found[row] = self._spelled(form, scores[row], own)
            elif _is_open(form, tags[pair]):
                open_words += [(row, pair) for row in rows.tolist()]
        for (row, pair), tried in zip(
            open_words, self._candidates(open_words, forms, tags, codes, scores, rules), strict=True
        ):
            form, code = forms[pair], codes[pair]
            if tried:
                found[row] = self._best(form, tried, code)
            else:
                found[row] = self._guess(form, scores[row], own, code)
        return found

    def _candidates(
        self,
        words: Sequence[tuple[int, int]],
        forms: Sequence[str],
        tags: Sequence[str],
        languages: Sequence[str],
        scores: NDArray[np.float32],
        rules: Rules | None,
    ) -> list[list[tuple[int, float]]]:
        """Rules that unseen words may take, rising, with the evidence; `words` are (row, pair)."""
        if self.endings is None or not words:
            return [[] for _ in words]
        hashes = [self.endings.of_word(forms[n], tags[n], languages[n]) for _, n in words]
        first, found, points = self.endings.core.candidates(
            scores,
            np.array([row for row, _ in words], np.int64),
            np.array([one for own in hashes for one in own], np.uint32),
            np.cumsum([0, *map(len, hashes)], dtype=np.int64),
            _KNOWN,
            rules,
        )
        pairs = list(zip(found.tolist(), points.tolist(), strict=True))
        return [pairs[a:b] for a, b in pairwise(first.tolist())]

    def _spelled(self, form: str, scores: NDArray[np.float32], own: Rules) -> int:
        """The best rule that changes nothing in a number but its commas, in an address nothing."""
        best = own[_largest(scores, _RULES)]
        exact = any(sign in _SIGNS for sign in form)
        for rule in best.tolist():
            lemma = _lemma(form, self.rules[rule])
            if lemma == form or (not exact and _spelling(lemma) == _spelling(form)):
                return int(rule)
        return self._as_it_is(form, int(best[0]))

    def _as_it_is(self, form: str, otherwise: int) -> int:
        """The rule that leaves a word as it is written."""
        rule = rule_of(form, form)
        return self.rules.index(rule) if rule in self.rules else otherwise

    def _best(self, form: str, tried: Sequence[tuple[int, float]], language: str) -> int:
        """The best rule by the network, the endings, and whether its lemma is known."""
        best, found = -inf, 0
        for rule, point in tried:
            if point + _KNOWN <= best:
                continue
            total = point + _KNOWN * self.is_known(_lemma(form, self.rules[rule]), language)
            if total > best:
                best, found = total, rule
        return found

    def _guess(self, form: str, scores: NDArray[np.float32], own: Rules, language: str) -> int:
        """The best rule that makes a known word, if one is near the best of all."""
        best = _largest(scores, _TRIES)
        for place in best.tolist():
            if scores[best[0]] - scores[place] > _BELOW:
                break
            if self.is_known(_lemma(form, self.rules[own[place]]), language):
                return int(own[place])
        return int(own[best[0]])


def _largest(scores: NDArray[np.float32], most: int) -> NDArray[np.int64]:
    """The places of the largest scores, the best first."""
    tries = min(most, len(scores))
    best = np.argpartition(-scores, tries - 1)[:tries]
    found: NDArray[np.int64] = best[np.argsort(-scores[best], kind="stable")]
    return found


def _spelling(word: str) -> str:
    """A number without commas, a name with one in lower case."""
    return word.replace(",", "").lower()


def _is_open(form: str, upos: str) -> bool:
    """Whether a word has a lemma that one could find in a dictionary."""
    return upos in _OPEN and form.replace("-", "").isalpha()


@lru_cache(1 << 14)
def _lemma(form: str, rule: str) -> str:
    return apply_rule(form, rule)
