"""Sub-word vocabularies of encoders, WordPiece and Unigram.

A vocabulary converts words into its normal form, which needs Unicode tables; the core cuts them
into pieces. Both kinds give the same pieces as the `tokenizers` library, which is not needed.
"""

from __future__ import annotations

import json
import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.document import Document
from caesura.document.characters import is_picture
from caesura.errors import InputError, ModelError
from caesura.models.packing import refusing

#: The characters that are read of a longer word.
_CHARACTERS: Final = 200
#: Words whose normal forms are cached.
_KEPT: Final = 1 << 17
#: What is read instead of an unknown emoji.
_SMILE: Final = ":)"
#: The tokens that begin, end and fill a text, and the unknown one.
_NAMES: Final = {
    "begin": ("[CLS]", "<s>"),
    "end": ("[SEP]", "</s>"),
    "pad": ("[PAD]", "<pad>"),
    "unknown": ("[UNK]", "<unk>"),
}


class Subwords(ABC):
    """The sub-word vocabulary of an encoder. Threads may share one."""

    #: The pieces in the order of their numbers.
    pieces_: tuple[str, ...]
    begin: int
    end: int
    pad: int
    unknown: int
    #: Whether the pieces of a word depend on a blank before it.
    sees_blanks: ClassVar[bool] = False
    #: The vocabulary in the core, and normal forms of words that are not printable ASCII.
    _cutter: _core.WordPiece | _core.Unigram
    _known: dict[str, str]

    @property
    @abstractmethod
    def definition(self) -> str:
        """The vocabulary as JSON, for model files."""

    @classmethod
    @abstractmethod
    def own(cls, found: Mapping[str, Any]) -> Self:
        """From the fields of a `definition`."""

    @classmethod
    @abstractmethod
    def foreign(cls, found: Mapping[str, Any]) -> Self:
        """From the fields of a tokenizer.json in the Hugging Face layout."""

    @abstractmethod
    def _normal(self, form: str) -> str:
        """A word that is not printable ASCII, in the normal form of the vocabulary."""

    def _table(self) -> _core.PieceTable:
        """Store the pieces in a table of the core, and find the special tokens."""
        with refusing():
            table = _core.PieceTable(*code_points(self.pieces_))
        for name, tokens in _NAMES.items():
            numbers = [n for n in (_number(table, token) for token in tokens) if n >= 0]
            if not numbers:
                what = "its sub-word vocabulary lacks the tokens that begin and end a text"
                raise ModelError(what)
            object.__setattr__(self, name, numbers[0])
        object.__setattr__(self, "_known", {})
        return table

    def of_word(self, form: str, blank: bool = True) -> tuple[int, ...]:
        """The numbers of a word's pieces, at least one; `blank`: one stands before the word."""
        return self.of_words([form], [blank])[0]

    def of_words(self, forms: Sequence[str], blanks: Sequence[bool]) -> list[tuple[int, ...]]:
        """The numbers of the pieces of each word."""
        pieces, first = self._cut(forms, np.array(blanks, np.bool_))
        numbers, bounds = pieces.tolist(), first.tolist()
        return [tuple(numbers[a:b]) for a, b in pairwise(bounds)]

    def _cut(
        self, forms: Sequence[str], blanks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The pieces of words, and where those of each begin (one more than words)."""
        known = self._known
        written = []
        for form in forms:
            if form.isascii() and form.isprintable():
                written.append(form[:_CHARACTERS])
                continue
            normal = known.get(form)
            if normal is None:
                normal = self._normal(form[:_CHARACTERS])
                if len(known) < _KEPT:
                    known[form] = normal
            written.append(normal)
        return self._cutter.cut(*code_points(written), blanks)

    @property
    def special(self) -> tuple[int, int, int]:
        return self.begin, self.end, self.pad

    def size(self) -> int:
        return len(self.pieces_)

    @staticmethod
    def from_json(definition: str) -> Subwords:
        """From `definition`, or from a tokenizer.json in the Hugging Face layout."""
        try:
            found = json.loads(definition)
        except (ValueError, RecursionError) as error:
            raise ModelError("its sub-word vocabulary cannot be read") from error
        if not isinstance(found, dict):
            raise ModelError("its sub-word vocabulary cannot be read")
        if "pieces" not in found:
            model = found.get("model")
            unigram = isinstance(model, dict) and model.get("type") == "Unigram"
            return (Unigram if unigram else WordPiece).foreign(found)
        pieces, kind = found["pieces"], found.get("type")
        if not isinstance(pieces, list) or not {*map(type, pieces)} <= {str}:
            raise ModelError("its sub-word vocabulary is no list of pieces")
        kinds: dict[object, type[Subwords]] = {"wordpiece": WordPiece, "unigram": Unigram}
        if not isinstance(kind, str) or kind not in kinds:
            raise ModelError(f"its sub-words are of a kind that is not known: {kind}")
        return kinds[kind].own(found)

    @staticmethod
    def from_folder(folder: Path) -> Subwords:
        file = folder / "tokenizer.json"
        if not file.is_file():
            raise InputError(
                "the encoder has no tokenizer.json",
                file=str(folder),
                remedy="Save it with a fast tokeniser: tokenizer.save_pretrained(folder).",
            )
        try:
            return Subwords.from_json(file.read_text(encoding="utf-8"))
        except (ModelError, UnicodeDecodeError) as error:
            raise InputError(f"the encoder cannot be used: {error}", file=str(file)) from error

    def pieces(self, doc: Document) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The sub-words of all words, and where each word's begin (one more than words)."""
        keys = doc.form.astype(np.int64) * 2 + (_blanks(doc) if self.sees_blanks else 1)
        types, place = np.unique(keys, return_inverse=True)
        forms = doc.strings.take(types >> 1)
        blanks = types % 2 == 1
        flat, first = self._cut(forms, blanks)
        # A network is unsure of all words around an unknown one.
        unsure = first.searchsorted(np.flatnonzero(flat == self.unknown), "right") - 1
        smiles = [n for n in sorted(set(unsure.tolist())) if is_picture(forms[n])]
        if smiles:
            for n in smiles:
                forms[n] = _SMILE
            flat, first = self._cut(forms, blanks)
        counts = np.diff(first)[place]
        pointer = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        within = np.arange(pointer[-1]) - np.repeat(pointer[:-1], counts)
        return flat[np.repeat(first[place], counts) + within], pointer


def _blanks(doc: Document) -> NDArray[np.bool_]:
    """Whether a blank stands before each word; later words of a token count as written apart."""
    spaced = np.ones(doc.n_tokens, dtype=bool)
    spaced[1:] = doc.token_start[1:] > doc.token_end[:-1]
    later = np.zeros(doc.n_words, dtype=bool)
    later[1:] = doc.word_token[1:] == doc.word_token[:-1]
    blanks: NDArray[np.bool_] = spaced[doc.word_token] | later
    return blanks


def code_points(strings: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of strings, and where those of each begin (one more than strings)."""
    strings = list(strings)
    text = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), np.uint32)
    bounds = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(list(map(len, strings)), out=bounds[1:])
    return text, bounds


def _number(table: _core.PieceTable, piece: str) -> int:
    """The number of a piece, -1 if there is none."""
    return table.find(code_points([piece])[0])


# ---------------------------------------------------------------------- WordPiece

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
    """A vocabulary for BERT and similar encoders. Threads may share one.

    A word is normalised (case, accents, control characters) and cut at punctuation; the core does
    that for ASCII. It cuts each part into the longest pieces from the left (Schuster & Nakajima,
    2012).
    """

    #: The pieces in the order of their numbers; those inside a word begin with `prefix`.
    pieces_: tuple[str, ...]
    prefix: str = "##"
    lowercase: bool = True
    strip_accents: bool = True
    ideographs: bool = True

    def __post_init__(self) -> None:
        table = self._table()
        prefix = code_points([self.prefix])[0]
        cutter = _core.WordPiece(table, prefix, self.unknown, self.lowercase)
        object.__setattr__(self, "_cutter", cutter)

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

    def _normal(self, form: str) -> str:
        """The word normalised, with blanks around punctuation."""
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
        return " ".join(part for part in parts if part)

    def _clean(self, c: str) -> str:
        """A character, nothing for invisible ones; ideographs are words of their own."""
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


# ------------------------------------------------------------------------ Unigram

#: How much worse an unknown character is than the worst piece.
_PENALTY: Final = 10.0
#: Normalisers of others that are what `normal` does, or change nothing inside a word.
_NORMALISERS: Final = frozenset({"Sequence", "Precompiled", "Replace", "Strip"})

_GONE: Final = (*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F)
_BLANKS: Final = (
    0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD,
)  # fmt: skip
#: What differs from NFKC: the rules `nmt_nfkc` of SentencePiece. The wide tilde stays.
_RULES: Final = {chr(c): "" for c in _GONE} | {chr(c): " " for c in _BLANKS} | {"\uff5e": "\uff5e"}
#: A cluster of so many bytes is not looked up as a whole.
_CLUSTER: Final = 6


def _one(c: str) -> str:
    found = _RULES.get(c)
    return unicodedata.normalize("NFKC", c) if found is None else found


def _cluster(text: str) -> str:
    """The normal form of a character with its marks.

    As in the library: the shortest beginning of a small cluster that has a normal form stands for
    the whole; else each character is looked up by itself, so that marks keep their order.
    """
    if len(text) > 1 and len(text.encode("utf-8", "surrogatepass")) < _CLUSTER:
        for end in range(1, len(text) + 1):
            part = text[:end]
            found = _one(part) if end == 1 else unicodedata.normalize("NFC", part)
            if found != part and (end == 1 or len(found) == 1):
                return found
    return "".join(map(_one, text))


def _extends(c: str) -> bool:
    return c in "\u200c\u200d" or unicodedata.category(c)[0] == "M"


def normal(text: str) -> str:
    """A text in the normal form that the pieces have."""
    if text.isascii() and text.isprintable():
        return text
    out: list[str] = []
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _extends(text[at]):
            out.append(_cluster(text[begin:at]))
            begin = at
    return "".join(out)


@dataclass(frozen=True)
class Unigram(Subwords):
    """A vocabulary of SentencePiece (Kudo, 2018, section 3.2), for XLM-R and similar encoders.

    A word is normalised (NFKC, blanks, control characters). The core puts the blank sign before it
    if it follows a blank, and cuts it into the pieces whose scores have the largest sum. Threads
    may share one.
    """

    sees_blanks: ClassVar[bool] = True

    pieces_: tuple[str, ...]
    #: The logarithm of each piece's chance.
    scores: tuple[float, ...]
    #: The score of an unknown character.
    worst: float

    def __post_init__(self) -> None:
        table = self._table()
        if len(self.scores) != len(self.pieces_) or not np.isfinite(self.scores).all():
            raise ModelError("its sub-word vocabulary has no score for each piece")
        if not math.isfinite(self.worst):
            raise ModelError("its sub-word vocabulary has no score for what is unknown")
        # No text contains these pieces.
        unused = [self.begin, self.end, self.pad, self.unknown]
        unused += [n for n in (_number(table, piece) for piece in ("", "<mask>")) if n >= 0]
        usable = np.ones(len(self.pieces_), np.bool_)
        usable[unused] = False
        scores = np.array(self.scores, np.float64)
        cutter = _core.Unigram(table, scores, usable, self.unknown, self.worst)
        object.__setattr__(self, "_cutter", cutter)

    @property
    def definition(self) -> str:
        # Scores came as 32-bit numbers; nine digits give them back.
        scores = [float(f"{score:.9g}") for score in self.scores]
        settings = {"type": "unigram", "worst": self.worst, "pieces": list(self.pieces_)}
        return json.dumps(settings | {"scores": scores}, ensure_ascii=False)

    @classmethod
    def own(cls, found: Mapping[str, Any]) -> Self:
        (worst,) = _numbers([found.get("worst")])
        return cls(tuple(found["pieces"]), _numbers(found.get("scores")), worst)

    @classmethod
    def foreign(cls, found: Mapping[str, Any]) -> Self:
        model = found["model"]
        kinds = set(_normalisers(found.get("normalizer")))
        if kinds - _NORMALISERS or "Precompiled" not in kinds:
            raise ModelError(
                f"its sub-words are normalised by {', '.join(sorted(kinds)) or 'nothing'}",
                remedy="Use an encoder with SentencePiece's own normal form, such as XLM-R's.",
            )
        if model.get("byte_fallback"):
            raise ModelError("its unknown characters are cut into bytes, which is not known here")
        rows = model.get("vocab")
        if not isinstance(rows, list) or not all(
            isinstance(row, list) and len(row) == 2 and isinstance(row[0], str) for row in rows
        ):
            raise ModelError("its sub-word vocabulary is no list of pieces and scores")
        scores = _numbers([row[1] for row in rows])
        worst = min(scores, default=0.0) - _PENALTY
        return cls(tuple(row[0] for row in rows), scores, worst)

    def only(self, keep: Iterable[int]) -> tuple[Self, NDArray[np.int64]]:
        """The vocabulary of these pieces and the special ones, and the old number of each.

        Text that needs no other piece is cut as before.
        """
        named = {self.begin, self.end, self.pad, self.unknown}
        numbers = np.array(sorted({*keep, *named}), dtype=np.int64)
        pieces = tuple(self.pieces_[n] for n in numbers.tolist())
        scores = tuple(self.scores[n] for n in numbers.tolist())
        return type(self)(pieces, scores, self.worst), numbers

    def _normal(self, form: str) -> str:
        return normal(form)


def _normalisers(found: Any) -> Iterable[str]:
    if isinstance(found, dict):
        yield str(found.get("type"))
        for one in found.get("normalizers") or ():
            yield from _normalisers(one)


def _numbers(found: Any) -> tuple[float, ...]:
    if not isinstance(found, list) or not {*map(type, found)} <= {int, float}:
        raise ModelError("its sub-word vocabulary has no score for each piece")
    return tuple(map(float, found))
