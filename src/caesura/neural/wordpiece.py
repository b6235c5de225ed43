"""WordPiece, as BERT and its kin use it.

A word is normalised (case, accents, control characters), cut at punctuation, and each part is cut
greedily into the longest pieces that the vocabulary has (Schuster & Nakajima, 2012). The answers
are those of the `tokenizers` library, which is not needed: `benchmarks/subwords.py` compares.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from caesura.errors import ModelError
from caesura.neural.subwords import CHARACTERS, PIECES, Subwords, numbered, specials

__all__ = ["WordPiece", "characters_of"]

#: A part of a word that is longer than this is unknown.
_LONGEST: Final = 100
#: Word types whose sub-words are kept.
_KEPT: Final = 1 << 17
#: Characters that are words of their own: Chinese, Japanese and Korean ideographs.
_IDEOGRAPHS: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@dataclass(frozen=True)
class WordPiece(Subwords):
    """A vocabulary whose longest pieces win, from the left. Threads may share one."""

    #: The pieces in the order of their numbers; those inside a word begin with `prefix`.
    pieces_: tuple[str, ...]
    prefix: str = "##"
    lowercase: bool = True
    strip_accents: bool = True
    ideographs: bool = True
    #: Whether every character is a piece, and punctuation is not cut off (the encoder `scratch`).
    characters: bool = False
    begin: int = -1
    end: int = -1
    pad: int = -1
    unknown: int = -1
    _numbers: dict[str, int] = field(default_factory=dict, repr=False, compare=False)
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._numbers.update(numbered(self.pieces_))
        for name, number in specials(self._numbers).items():
            object.__setattr__(self, name, number)

    # ------------------------------------------------------------ definition

    @property
    def definition(self) -> str:
        settings = {
            "type": "characters" if self.characters else "wordpiece",
            "prefix": self.prefix,
            "lowercase": self.lowercase,
            "strip_accents": self.strip_accents,
            "ideographs": self.ideographs,
            "pieces": list(self.pieces_),
        }
        return json.dumps(settings, ensure_ascii=False)

    @classmethod
    def own(cls, found: Mapping[str, Any]) -> Self:
        return cls(
            tuple(found["pieces"]),
            str(found.get("prefix", "##")),
            lowercase=bool(found.get("lowercase", True)),
            strip_accents=bool(found.get("strip_accents", True)),
            ideographs=bool(found.get("ideographs", True)),
            characters=found["type"] == "characters",
        )

    @classmethod
    def foreign(cls, found: Mapping[str, Any]) -> Self:
        model, normalizer = found.get("model") or {}, found.get("normalizer") or {}
        if not isinstance(model, dict) or not isinstance(normalizer, dict):
            raise ModelError("its sub-word vocabulary cannot be read")
        kind = model.get("type", "WordPiece" if "continuing_subword_prefix" in model else None)
        vocabulary = model.get("vocab")
        characters = kind == "BPE" and not model.get("merges")
        if not (kind == "WordPiece" or characters) or not isinstance(vocabulary, dict):
            raise ModelError(
                f"its sub-words are {kind} and neither WordPiece nor Unigram",
                remedy="Use an encoder such as all-MiniLM-L6-v2 or multilingual-e5-small.",
            )
        numbers = {name: n for name, n in vocabulary.items() if isinstance(n, int)}
        for token in found.get("added_tokens") or ():
            if isinstance(token, dict) and isinstance(token.get("id"), int):
                numbers.setdefault(str(token.get("content")), token["id"])
        pieces: list[str] = []
        for name, number in sorted(numbers.items(), key=lambda pair: pair[1]):
            if number != len(pieces):
                raise ModelError("the numbers of its sub-words are not 0, 1, 2 and so on")
            pieces.append(name)
        lowercase = bool(normalizer.get("lowercase", False))
        accents = normalizer.get("strip_accents")
        return cls(
            tuple(pieces),
            str(model.get("continuing_subword_prefix") or ("" if characters else "##")),
            lowercase=lowercase,
            strip_accents=lowercase if accents is None else bool(accents),
            ideographs=bool(normalizer.get("handle_chinese_chars", False)),
            characters=characters,
        )

    # --------------------------------------------------------------- cutting

    def of_word(self, form: str, blank: bool = True) -> tuple[int, ...]:
        """The numbers of a word's pieces, at least one."""
        found = self._known.get(form)
        if found is None:
            cut = form[:CHARACTERS]
            pieces = self._characters(cut) if self.characters else self._cut(cut)
            found = tuple(pieces[:PIECES]) or (self.unknown,)
            if len(self._known) < _KEPT:
                self._known[form] = found
        return found

    def _characters(self, form: str) -> list[int]:
        return [self._numbers.get(c, self.unknown) for c in form]

    def _cut(self, form: str) -> list[int]:
        whole = self._numbers.get(form)
        if whole is not None and form.isascii() and form.islower() and form.isalpha():
            return [whole]
        pieces: list[int] = []
        for part in self._parts(form):
            pieces += self._greedy(part)
        return pieces

    def _greedy(self, part: str) -> list[int]:
        numbers, prefix, n = self._numbers, self.prefix, len(part)
        if n > _LONGEST:
            return [self.unknown]
        found: list[int] = []
        at = 0
        while at < n:
            before = prefix if at else ""
            for end in range(n, at, -1):
                number = numbers.get(before + part[at:end])
                if number is not None:
                    found.append(number)
                    at = end
                    break
            else:
                return [self.unknown]
        return found

    def _parts(self, form: str) -> list[str]:
        """The word normalised, and cut at blanks and around punctuation."""
        clean = "".join(map(self._normal, form))
        if self.strip_accents:
            clean = unicodedata.normalize("NFD", clean)
            clean = "".join(c for c in clean if unicodedata.category(c) != "Mn")
        if self.lowercase:
            clean = "".join(c.lower() for c in clean)
        parts: list[str] = []
        for chunk in clean.split():
            last = 0
            for at, c in enumerate(chunk):
                if _is_punctuation(c):
                    parts += [chunk[last:at], c]
                    last = at + 1
            parts.append(chunk[last:])
        return [part for part in parts if part]

    def _normal(self, c: str) -> str:
        """A character without what does not show; ideographs stand alone."""
        if c.isascii():
            return c if c >= " " and c != "\x7f" else (" " if c in "\t\n\r" else "")
        if c == "\ufffd" or unicodedata.category(c) in _HIDDEN:
            return ""
        if c.isspace():
            return " "
        if self.ideographs and any(a <= ord(c) <= b for a, b in _IDEOGRAPHS):
            return f" {c} "
        return c


#: Kinds of characters that are left out.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Co", "Cs"})


def _is_punctuation(c: str) -> bool:
    if c.isascii():
        return not c.isalnum() and c > " " and c != "\x7f"
    return unicodedata.category(c)[0] == "P"


def characters_of(names: Sequence[str]) -> WordPiece:
    """A vocabulary of single characters."""
    return WordPiece(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *names), "", False, False, False, True)
