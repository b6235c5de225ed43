"""WordPiece, as BERT and its kin use it.

A word is normalised (case, accents, control characters) and cut at punctuation; the core does that
for ASCII. It cuts each part into the longest pieces from the left (Schuster & Nakajima, 2012).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from caesura import _core
from caesura.errors import ModelError
from caesura.neural.subwords import Subwords, code_points, specials, table_of

__all__ = ["WordPiece"]

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
    begin: int = -1
    end: int = -1
    pad: int = -1
    unknown: int = -1
    _cutter: _core.WordPiece = field(init=False, repr=False, compare=False)
    _known: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        table = table_of(self.pieces_)
        for name, number in specials(table).items():
            object.__setattr__(self, name, number)
        prefix = code_points([self.prefix])[0]
        cutter = _core.WordPiece(table, prefix, self.unknown, self.lowercase)
        object.__setattr__(self, "_cutter", cutter)

    # ------------------------------------------------------------ definition

    @property
    def definition(self) -> str:
        settings = {
            "type": "wordpiece",
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
        )

    @classmethod
    def foreign(cls, found: Mapping[str, Any]) -> Self:
        model, normalizer = found.get("model") or {}, found.get("normalizer") or {}
        if not isinstance(model, dict) or not isinstance(normalizer, dict):
            raise ModelError("its sub-word vocabulary cannot be read")
        kind = model.get("type", "WordPiece" if "continuing_subword_prefix" in model else None)
        vocabulary = model.get("vocab")
        if kind != "WordPiece" or not isinstance(vocabulary, dict):
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
            str(model.get("continuing_subword_prefix") or "##"),
            lowercase=lowercase,
            strip_accents=lowercase if accents is None else bool(accents),
            ideographs=bool(normalizer.get("handle_chinese_chars", False)),
        )

    # ----------------------------------------------------------- normal form

    def _normal(self, form: str) -> str:
        return " ".join(self._parts(form))

    def _parts(self, form: str) -> list[str]:
        """The word normalised, and cut at blanks and around punctuation."""
        clean = "".join(map(self._clean, form))
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

    def _clean(self, c: str) -> str:
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
