"""What a language file says about words: abbreviations by kind, prefixes, contractions, items.

English has a file in this folder; `read_lexicon` takes anybody's own. A treebank shows each rare
abbreviation once or never, so its kind is what a learner can know about it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from caesura.errors import InputError
from caesura.language.guess import Tally, plain_code

__all__ = ["KINDS", "Lexicon", "guessed_lexicon", "language_lexicon", "read_lexicon"]

#: Kinds of abbreviations, in the order of their bits.
KINDS: Final = (
    "title",
    "place",
    "suffix",
    "company",
    "address",
    "reference",
    "month",
    "weekday",
    "time",
    "unit",
    "latin",
    "state",
    "country",
    "other",
)
_FOLDER: Final = Path(__file__).parent / "files"
_SECTIONS: Final = ("abbreviations", "prefixes", "contractions", "lemmas", "fields", "items")


@dataclass(frozen=True)
class Lexicon:
    """What is known of the words of a language, whatever a treebank shows."""

    #: The abbreviations of each kind, as they are written, with their periods.
    abbreviations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: What stays with the word after its hyphen, the hyphen included.
    prefixes: tuple[str, ...] = ()
    #: The words of tokens that are several, in lower case.
    contractions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Irregular forms in lower case with their lemmas, by XPOS.
    lemmas: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: What is put into copies of training text, by its place, and what fills its fields.
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.abbreviations or self.prefixes or self.contractions)

    def kinds(self) -> dict[str, int]:
        """The kinds of each abbreviation, in lower case, as bits in the order of `KINDS`."""
        found: dict[str, int] = {}
        for kind, forms in self.abbreviations.items():
            for form in forms:
                lower = form.lower()
                found[lower] = found.get(lower, 0) | 1 << KINDS.index(kind)
        return found


def language_lexicon(language: str | None) -> Lexicon:
    """The lexicon of a language by its code; an empty one where there is no file."""
    return _of_code(plain_code(language)) if language else Lexicon()


def guessed_lexicon(texts: Iterable[str]) -> Lexicon:
    """The lexicon of the language that texts look like."""
    tally = Tally()
    for text in texts:
        tally.add(text)
    return language_lexicon(tally.language())


@cache
def _of_code(code: str) -> Lexicon:
    path = _FOLDER / f"{code}.toml"
    return read_lexicon(path) if code.isalpha() and path.is_file() else Lexicon()


def read_lexicon(path: str | Path) -> Lexicon:
    """A lexicon from a file: see `files/en.toml` for what it holds."""
    file = str(path)
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file", file=file, remedy="Check the path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"not valid TOML: {error}", file=file, remedy="See https://toml.io."
        ) from None
    for name in data:
        if name not in _SECTIONS:
            raise InputError(
                f"[{name}] is no table of a language file",
                file=file,
                remedy=f"Tables are: {', '.join(_SECTIONS)}.",
            )
    abbreviations = _lists(data, "abbreviations", file)
    for kind in abbreviations:
        if kind not in KINDS:
            raise InputError(
                f"{kind} is no kind of abbreviation",
                file=file,
                remedy=f"Kinds: {', '.join(KINDS)}.",
            )
    prefixes = tuple(
        form.lower() for forms in _lists(data, "prefixes", file).values() for form in forms
    )
    contractions = {
        form.lower(): words for form, words in _lists(data, "contractions", file).items()
    }
    for form, words in contractions.items():
        if len(words) < 2:
            raise InputError(
                f"the contraction {form} is one word",
                file=file,
                remedy='Write its words with spaces between them, as "can not".',
            )
    return Lexicon(
        abbreviations,
        prefixes,
        contractions,
        _lemmas(data, file),
        _lists(data, "items", file),
        _lists(data, "fields", file),
    )


def _lemmas(data: Mapping[str, Any], file: str) -> dict[str, dict[str, str]]:
    """The irregular forms of each tag, written as `sang:sing`."""
    found: dict[str, dict[str, str]] = {}
    for xpos, pairs in _lists(data, "lemmas", file).items():
        found[xpos] = {}
        for pair in pairs:
            form, colon, lemma = pair.partition(":")
            if not (form and colon and lemma):
                raise InputError(
                    f"lemmas.{xpos} holds {pair}, which is no form with its lemma",
                    file=file,
                    remedy="Write them with a colon between them, as sang:sing.",
                )
            found[xpos][form.lower()] = lemma
    return found


def _lists(data: Mapping[str, Any], section: str, file: str) -> dict[str, tuple[str, ...]]:
    """The table of that name, whose values are words with white space between them, or lists."""
    table = data.get(section, {})
    found = {}
    for key, value in table.items() if isinstance(table, dict) else ():
        words = value.split() if isinstance(value, str) else value
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise InputError(
                f"{section}.{key} holds no words",
                file=file,
                remedy="Write a string of words with spaces between them, or a list of strings.",
            )
        found[key] = tuple(words)
    if not isinstance(table, dict):
        raise InputError(f"{section} is no table", file=file, remedy=f"Write it as [{section}].")
    return found
