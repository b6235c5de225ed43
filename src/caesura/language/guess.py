"""Counting letters by script and common words by language, and what follows from the counts."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache
from typing import Final

from caesura.language.words import NAMES, SCRIPTS, WORDS

__all__ = ["Tally", "language_name", "other", "plain_code", "windows"]

#: Characters of a window of text, of which a long text is judged by three.
_WINDOW: Final = 2000
#: Words that wait to be counted together.
_WAITING: Final = 4096
#: Letters of another script that are enough to tell, and their share of all.
_LETTERS: Final = 40
_SHARE: Final = 0.6
#: Words that are enough to tell; the share of those that are common in the other language alone,
#: and how many times as frequent they must be as those that are common in the expected one alone.
_ENOUGH: Final = 20
_COMMON: Final = 0.09
_TIMES: Final = 2.0
#: The same for a language that shares most of its words with another.
_TIMES_OF: Final = {"pcm": 0.5}

#: Different words of them that there must be.
_KINDS: Final = 4
#: The share of common words that running text has.
_CLEAR: Final = 0.15

#: Words of a text that is surely not in a language of which it has hardly a common word, and how
#: many of them are the most common ones of any running text.
_RUNNING: Final = 100
_HARDLY: Final = 0.06
_MOST_COMMON: Final = 6
_AGAIN: Final = 0.1

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+")
#: Other names of languages in the table, and languages that count as one.
_SAME: Final = {
    "nb": "no", "nn": "no", "bs": "hr", "sh": "hr", "me": "hr", "sr-latn": "hr", "iw": "he",
    "in": "id", "yue": "zh", "cmn": "zh", "zho": "zh", "jpn": "ja", "eng": "en", "deu": "de",
    "fra": "fr", "spa": "es",
}  # fmt: skip


def _pattern(ranges: tuple[tuple[int, int], ...]) -> re.Pattern[str]:
    return re.compile("[" + "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges) + "]+")


@cache
def _beyond_latin() -> re.Pattern[str]:
    return re.compile("[\u0370-\u1dff\u1f00-\u1fff\u3040-\ud7ff\uf900-\ufdff\ufe70-\uffdc]")


@cache
def _script_letters() -> dict[str, re.Pattern[str]]:
    """Letters by script, of which most texts need none."""
    return {name: _pattern(ranges) for name, (ranges, _) in SCRIPTS.items()}


#: The script that a language is written in; the others are written in Latin letters.
_SCRIPT_OF: Final = {
    language: name for name, (_, languages) in SCRIPTS.items() for language in languages
}
#: Languages of the table by script.
_TOLD: Final = {
    script: tuple(language for language in WORDS if _SCRIPT_OF.get(language, "Latin") == script)
    for script in ("Latin", *SCRIPTS)
}


def language_name(code: str) -> str:
    """The name of a language for messages; its code if it is not in the table."""
    return NAMES.get(code, NAMES.get(plain_code(code), code))


@lru_cache(maxsize=256)
def plain_code(code: str) -> str:
    """A code of a language as the table has it, without region and script."""
    lower = code.strip().lower().replace("_", "-")
    return _SAME.get(lower) or _SAME.get(lower.split("-")[0], lower.split("-")[0])


@lru_cache(maxsize=32)
def _index(expected: str, script: str) -> dict[str, tuple[str, ...]]:
    """The languages of a script in which a word is common, for words that are not so in one."""
    found: dict[str, tuple[str, ...]] = {}
    for language in _TOLD[script]:
        if plain_code(language) != expected:
            for word in WORDS[language] - WORDS[expected]:
                found[word] = (*found.get(word, ()), language)
    return found


class Tally:
    """Letters by script and words of texts, which can be added up."""

    def __init__(self) -> None:
        self.letters: Counter[str] = Counter()
        self.n_words = 0
        self._words: Counter[str] = Counter()
        self._waiting: list[str] = []  # words that are not yet counted

    @property
    def words(self) -> Counter[str]:
        if self._waiting:
            self._words.update(self._waiting)
            self._waiting.clear()
        return self._words

    def add(self, text: str) -> None:
        """Count a text, or three windows of a long one."""
        for window in windows(text):
            # Most windows have no address, which takes longer to find out by a pattern.
            if "@" in window or "www." in window or "://" in window:
                window = _ADDRESS.sub(" ", window)
            self._add(window)

    def update(self, other: Tally) -> None:
        """Add what another one counted."""
        for script, number in other.letters.items():
            self.letters[script] += number
        self._count([*other._words.elements(), *other._waiting])

    def _add(self, text: str) -> None:
        words = _WORD.findall(text.lower().replace("’", "'"))
        self._count(words)
        letters = len("".join(words))
        if not text.isascii() and _beyond_latin().search(text):
            for script, pattern in _script_letters().items():
                found = sum(map(len, pattern.findall(text)))
                if found:
                    self.letters[script] += found
                    letters -= found
        self.letters["Latin"] += max(0, letters)

    def _count(self, words: list[str]) -> None:
        self.n_words += len(words)
        self._waiting += words
        if len(self._waiting) > _WAITING:
            self._words = self.words

    @property
    def enough(self) -> bool:
        """Whether there is text enough to tell anything."""
        if self.n_words >= _ENOUGH:
            return True
        return len(self.letters) > 1 and self._elsewhere("Latin") >= _LETTERS

    def _elsewhere(self, *scripts: str) -> int:
        return sum(number for name, number in self.letters.items() if name not in scripts)

    def other(self, language: str) -> str | None:
        """The language that this is in, if that is another one than expected; None in doubt."""
        expected = plain_code(language)
        if expected not in WORDS and expected not in _SCRIPT_OF:
            return None
        own = _SCRIPT_OF.get(expected, "Latin")
        scripts = {"Kana": ("Kana", "Han"), "Hangul": ("Hangul", "Han")}.get(own, (own,))
        elsewhere = self._elsewhere(*scripts)
        if elsewhere >= _LETTERS and elsewhere >= _SHARE * sum(self.letters.values()):
            return self._of_script(scripts)
        if own == "Han" and self._is_japanese():
            return "ja"
        return self._by_words(expected, own)

    def is_surely_not(self, language: str) -> bool:
        """Whether this is running text, and hardly a word of it is common in a language.

        Running text says some words again and again; a list of names does not.
        """
        expected = plain_code(language)
        if expected not in WORDS or self.n_words < _RUNNING:
            return False
        again = sum(n for _, n in self.words.most_common(_MOST_COMMON))
        running = again >= _AGAIN * self.n_words
        return running and self._hits(WORDS[expected]) < _HARDLY * self.n_words

    def language(self) -> str | None:
        """The likeliest language, None in doubt."""
        if not self.enough:
            return None
        script = self.letters.most_common(1)[0][0]
        if script != "Latin":
            return self._of_script(("Latin",))
        hits = {language: self._hits(WORDS[language]) for language in _TOLD["Latin"]}
        found = max(hits, key=hits.__getitem__)
        clear = hits[found] >= _CLEAR * self.n_words
        return found if clear and self.other(found) is None else None

    def _of_script(self, but: tuple[str, ...]) -> str | None:
        """The language of a text in another script than those."""
        counts = Counter({k: n for k, n in self.letters.items() if k not in but})
        script = counts.most_common(1)[0][0]
        if script in ("Han", "Kana"):
            return "ja" if self._is_japanese() else "zh"
        if script == "Latin":
            found = self._likeliest("Latin")
            return found if found is not None and self.n_words >= _ENOUGH else None
        return self._likeliest(script) or SCRIPTS[script][1][0]

    def _is_japanese(self) -> bool:
        kana = self.letters["Kana"]
        return kana >= _LETTERS / 4 and kana > 0.1 * (kana + self.letters["Han"])

    def _hits(self, words: frozenset[str]) -> int:
        return sum(self.words[word] for word in words & self.words.keys())

    def _likeliest(self, script: str) -> str | None:
        hits = {language: self._hits(WORDS[language]) for language in _TOLD[script]}
        return max(hits, key=hits.__getitem__) if any(hits.values()) else None

    def _by_words(self, expected: str, script: str) -> str | None:
        """Another language of the same script, told by words that are common in it alone."""
        if self.n_words < _ENOUGH or expected not in WORDS:
            return None
        index = _index(expected, script)
        theirs: Counter[str] = Counter()
        kinds: Counter[str] = Counter()
        for word in index.keys() & self.words.keys():
            for language in index[word]:
                theirs[language] += self.words[word]
                kinds[language] += 1
        found = []
        for language, number in theirs.items():
            if number < _COMMON * self.n_words or kinds[language] < _KINDS:
                continue
            ours = self._hits(WORDS[expected] - WORDS[language])
            if number >= _TIMES_OF.get(language, _TIMES) * ours:
                found.append((self._hits(WORDS[language]), language))
        return max(found)[1] if found else None


def windows(text: str) -> list[str]:
    """A text, or three windows of a long one."""
    if len(text) <= 3 * _WINDOW:
        return [text]
    middle = (len(text) - _WINDOW) // 2
    return [text[:_WINDOW], text[middle : middle + _WINDOW], text[-_WINDOW:]]


def other(text: str, language: str) -> str | None:
    """The code of the language of a text, if it is another one than expected; None in doubt."""
    tally = Tally()
    tally.add(text)
    return tally.other(language)
