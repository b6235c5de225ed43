"""Which lemma rule a word takes, by the rules of known words and of words with the same ending.

The network ranks rules by the context of a word. A word that was seen with its tag in training
chooses among the rules that it was seen with. For an unseen word three things count: the network,
the rules of words with the same ending, and whether the resulting lemma is a known word (`condemn`,
not `condemne`). Words and endings are stored as 32-bit hashes.

For each tag and each ending of up to five letters, `LemmaEndings` counts how many words took which
rule. The probabilities of a longer ending are smoothed with those of the next shorter one (Brants
2000, section 2.3), so that `staged` follows `managed`, `engaged` and `damaged` and not `ended`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import inf
from typing import Any, Final, Self
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.errors import ModelError
from caesura.language.lexicon import guessed_lexicon
from caesura.models.packing import pack_keys, unpack_keys
from caesura.stages.hash_table import MOST, HashTable, array_of
from caesura.stages.lemmas import apply_rule, irregular_forms, rule_of

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]

#: How many rules an unknown word tries, and how far below the best score they may be.
_TRIES: Final = 4
_BELOW: Final = 6.0
#: How many rules a number or an address tries.
_RULES: Final = 8
#: With endings: the evidence of a known lemma (`core/network/lemmas.cpp`). Measured on
#: EWT dev with `en`: errors in unseen words fall from 211 to 182; half or twice costs 0 to 6.
_KNOWN: Final = 6.0
#: Tags of words whose lemmas are listed in dictionaries.
_OPEN: Final = frozenset({"ADJ", "ADV", "AUX", "NOUN", "VERB"})
#: Characters of addresses and the like, which are not inflected.
_SIGNS: Final = frozenset("@/:")
#: The longest ending, and how many words must have an ending for it to be stored.
_LONGEST: Final = 5
_LEAST: Final = 2
_IRREGULAR: Final = "lexicon-irregular"
_DAMAGED: Final = "its lexicon of lemmas is damaged"

#: The score of what is not allowed.
NEVER: Final = np.float32(-1e9)


def _hash(*words: str) -> int:
    """The hash of words; a lexicon of one language has no code at the beginning."""
    return crc32("\t".join(words if words[0] else words[1:]).encode())


@dataclass(frozen=True)
class LemmaEndings:
    """How many words with an ending took which rule: a rule and a count per entry."""

    table: HashTable

    @classmethod
    def of(cls, words: Iterable[tuple[str, str, str, int]]) -> Self:
        """Count words, each with its language, tag and rule."""
        rows: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for language, form, upos, rule in words:
            for key in cls.of_word(form, upos, language):
                rows[key][rule] += 1
        kept = {
            key: sorted((rule, min(n, MOST)) for rule, n in row.items())
            for key, row in rows.items()
            if row.total() >= _LEAST
        }
        return cls(HashTable.of(kept, 2))

    @classmethod
    def from_arrays(cls, n_rules: int, arrays: Arrays) -> Self | None:
        """The endings in a model file; older files have none."""
        if "lexicon-endings-gaps" not in arrays:
            return None
        table = HashTable.from_arrays(arrays, _DAMAGED, "lexicon-endings-", "rules", "counts")
        rules, counts = table.columns
        if (rules >= n_rules).any() or not np.diff(table.first).all() or not counts.all():
            raise ModelError(_DAMAGED)
        return cls(table)

    @cached_property
    def core(self) -> _core.LemmaEndings:
        """The counts in the core, which computes probabilities and candidates."""
        return _core.LemmaEndings(
            self.table.keys, self.table.first.astype(np.int64), *self.table.columns
        )

    @staticmethod
    def hash(language: str, upos: str, ending: str) -> int:
        return crc32(f"{language}\t{upos}\t{ending}".encode())

    @classmethod
    def of_word(cls, form: str, upos: str, language: str = "") -> list[int]:
        """The hashes of the endings of a word, the empty one first; a whole word is no ending."""
        lower = form.lower()
        sizes = range(min(_LONGEST + 1, len(lower)))
        return [cls.hash(language, upos, lower[len(lower) - size :]) for size in sizes]


@dataclass(frozen=True)
class LemmaLexicon:
    """The rules of words with their tags, and the words that are known."""

    rules: tuple[str, ...]
    #: Numbers of rules by the hash of word and tag.
    table: HashTable
    #: Sorted hashes of known words.
    known: NDArray[np.uint32]
    #: None in older models.
    endings: LemmaEndings | None = None
    #: Irregular forms of the language that did not occur in training: see `tag.irregular`.
    irregular: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, docs: Iterable[Document], rules: Sequence[str], words: Iterable[str] = ()
    ) -> LemmaLexicon:
        """The lexicon of training documents; `words` of other text are known too."""
        docs = list(docs)
        irregular = irregular_forms(guessed_lexicon(doc.text for doc in docs), docs)
        return replace(cls.of_languages({"": docs}, rules, words), irregular=tuple(irregular))

    @classmethod
    def of_languages(
        cls, docs: Mapping[str, Iterable[Document]], rules: Sequence[str], words: Iterable[str] = ()
    ) -> LemmaLexicon:
        """The lexicon of documents in several languages, which share only the rules."""
        number = {rule: n for n, rule in enumerate(rules)}
        seen: defaultdict[int, set[int]] = defaultdict(set)
        open_words: set[tuple[str, str, str, int]] = set()
        known = {_hash("", word.lower()) for word in words}
        for language, doc in ((code, doc) for code, own in docs.items() for doc in own):
            columns = (doc.form.tolist(), doc.upos.tolist(), doc.lemma.tolist())
            for numbers in set(zip(*columns, strict=True)):
                form, upos, lemma = (doc.strings[n] for n in numbers)
                if not lemma:
                    continue
                known.add(_hash(language, lemma.lower()))
                rule = number.get(rule_of(form, lemma))
                if rule is not None:
                    seen[_hash(language, form, upos)].add(rule)
                    if _is_open(form, upos):
                        open_words.add((language, form, upos, rule))
        rows = {key: [(rule,) for rule in sorted(own)] for key, own in seen.items()}
        hashes = np.array(sorted(known), np.uint32)
        return cls(tuple(rules), HashTable.of(rows, 1), hashes, LemmaEndings.of(open_words))

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = self.table.arrays("lexicon-", "rules")
        found["lexicon-known-gaps"] = pack_keys(self.known)
        if self.endings is not None:
            found |= self.endings.table.arrays("lexicon-endings-", "rules", "counts")
        if self.irregular:
            found[_IRREGULAR] = np.frombuffer("\n".join(self.irregular).encode(), np.uint8)
        return found

    @classmethod
    def from_arrays(cls, rules: Sequence[str], arrays: Arrays) -> LemmaLexicon | None:
        """The lexicon in a model file; the oldest files have none."""
        if "lexicon-keys" in arrays:
            table, known = _older(arrays)
        elif "lexicon-gaps" in arrays:
            table = HashTable.from_arrays(arrays, _DAMAGED, "lexicon-", "rules")
            known = unpack_keys(array_of(arrays, "lexicon-known-gaps", np.uint32, _DAMAGED))
        else:
            return None
        steps = np.diff(table.first.astype(np.int64))
        if (steps < 1).any() or (table.columns[0] >= len(rules)).any():
            raise ModelError(_DAMAGED)
        endings = LemmaEndings.from_arrays(len(rules), arrays)
        irregular: tuple[str, ...] = ()
        if _IRREGULAR in arrays:
            try:
                lines = array_of(arrays, _IRREGULAR, np.uint8, _DAMAGED).tobytes().decode()
            except UnicodeDecodeError:
                raise ModelError(_DAMAGED) from None
            irregular = tuple(lines.split("\n"))
        return cls(tuple(rules), table, known, endings, irregular)

    def joined(self, other: LemmaLexicon) -> LemmaLexicon:
        """This lexicon with the words of another one that it does not have, by its own rules."""
        number = {rule: n for n, rule in enumerate(self.rules)}
        moved = [number.get(rule, -1) for rule in other.rules]
        rows: dict[int, list[tuple[int, ...]]] = {}
        for key, row in other.table.rows():
            own = [moved[rule] for (rule,) in row if moved[rule] >= 0]
            if own:
                rows[key] = [(rule,) for rule in own]
        rows.update(self.table.rows())
        known = np.union1d(self.known, other.known).astype(np.uint32)
        return LemmaLexicon(self.rules, HashTable.of(rows, 1), known)

    def of_word(self, form: str, upos: str, language: str = "") -> tuple[int, ...]:
        """The rules that a word was seen with; none for an unseen word."""
        (row,) = self.table.find([_hash(language, form, upos)]).tolist()
        return tuple(self.table.row(row)[0]) if row >= 0 else ()

    def is_known(self, word: str, language: str = "") -> bool:
        key = np.uint32(_hash(language, word.lower()))
        at = int(self.known.searchsorted(key))
        return at < len(self.known) and bool(self.known[at] == key)

    def choose(
        self,
        forms: Sequence[str],
        tags: Sequence[str],
        words: Ints,
        scores: Floats,
        languages: Sequence[str] = (),
        rules: Ints | None = None,
    ) -> Ints:
        """A rule for each word.

        `words` contains the number of the pair of form and tag of each word, `languages` the
        languages of the pairs if the lexicon has several. `rules`, in rising order, are the rules
        of the columns of `scores` if there are not scores of all rules.
        """
        codes = languages or [""] * len(forms)
        told = zip(codes, forms, tags, strict=True)
        rows = self.table.find([_hash(*one) for one in told])
        first = self.table.first[rows].astype(np.int64)
        last = np.where(rows >= 0, self.table.first[rows + 1], first)
        found = _core.best_rules(scores, words, first, last, self.table.columns[0], rules)
        unseen = np.flatnonzero(rows < 0)
        if not len(unseen):
            return found
        own = np.arange(scores.shape[1]) if rules is None else rules
        order = np.argsort(words, kind="stable")
        bounds = np.searchsorted(words[order], np.arange(len(forms) + 1))
        open_words: list[tuple[int, int]] = []
        for pair in unseen.tolist():
            form, same = forms[pair], order[bounds[pair] : bounds[pair + 1]]
            if not any(sign.isalnum() for sign in form):
                # An unseen punctuation mark or emoji is its own lemma.
                found[same] = self._unchanged(form, int(found[same[0]]))
            elif any(sign.isdigit() or sign in _SIGNS for sign in form):
                for word in same.tolist():
                    found[word] = self._spelled(form, scores[word], own)
            elif _is_open(form, tags[pair]):
                open_words += [(word, pair) for word in same.tolist()]
        candidates = self._candidates(open_words, forms, tags, codes, scores, rules)
        for (word, pair), tried in zip(open_words, candidates, strict=True):
            form, code = forms[pair], codes[pair]
            if tried:
                found[word] = self._best(form, tried, code)
            else:
                found[word] = self._guess(form, scores[word], own, code)
        return found

    def _candidates(
        self,
        words: Sequence[tuple[int, int]],
        forms: Sequence[str],
        tags: Sequence[str],
        languages: Sequence[str],
        scores: Floats,
        rules: Ints | None,
    ) -> list[list[tuple[int, float]]]:
        """The rules that unseen words may take, with the evidence; `words` are (row, pair)."""
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

    def _spelled(self, form: str, scores: Floats, own: Ints) -> int:
        """The best rule that changes only commas of a number and nothing in an address."""
        best = own[_largest(scores, _RULES)]
        exact = any(sign in _SIGNS for sign in form)
        for rule in best.tolist():
            lemma = _lemma(form, self.rules[rule])
            if lemma == form or (not exact and _spelling(lemma) == _spelling(form)):
                return int(rule)
        return self._unchanged(form, int(best[0]))

    def _unchanged(self, form: str, otherwise: int) -> int:
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

    def _guess(self, form: str, scores: Floats, own: Ints, language: str) -> int:
        """The best rule that results in a known word, if it is close to the best of all rules."""
        best = _largest(scores, _TRIES)
        for place in best.tolist():
            if scores[best[0]] - scores[place] > _BELOW:
                break
            if self.is_known(_lemma(form, self.rules[own[place]]), language):
                return int(own[place])
        return int(own[best[0]])


def _older(arrays: Arrays) -> tuple[HashTable, NDArray[np.uint32]]:
    """The words and rules, and the known words, of older files, which store the hashes."""
    keys, known = (array_of(arrays, f"lexicon-{n}", np.uint32, _DAMAGED) for n in ("keys", "known"))
    first = array_of(arrays, "lexicon-first", np.int32, _DAMAGED)
    rules = array_of(arrays, "lexicon-rules", np.uint16, _DAMAGED)
    if len(first) != len(keys) + 1 or first[0] != 0 or first[-1] != len(rules):
        raise ModelError(_DAMAGED)
    return HashTable(keys, first, (rules,)), known


def _largest(scores: Floats, most: int) -> Ints:
    """The places of the largest scores, the best first."""
    tries = min(most, len(scores))
    best = np.argpartition(-scores, tries - 1)[:tries]
    found: Ints = best[np.argsort(-scores[best], kind="stable")]
    return found


def _spelling(word: str) -> str:
    """A number without commas, a name with one in lower case."""
    return word.replace(",", "").lower()


def _is_open(form: str, upos: str) -> bool:
    """Whether dictionaries list the lemma of a word."""
    return upos in _OPEN and form.replace("-", "").isalpha()


@lru_cache(1 << 14)
def _lemma(form: str, rule: str) -> str:
    return apply_rule(form, rule)
