"""Words to sub-words, once for each word type: what every vocabulary of an encoder offers.

There are two kinds, `WordPiece` and `Unigram`. A kind brings words into the normal form of its
vocabulary, since that needs Unicode tables; the core cuts them. Both give the same pieces as the
`tokenizers` library, which is not needed.
"""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura._core import DamagedModel, PieceTable, Unigram, WordPiece
from caesura.document import Document
from caesura.document.characters import is_picture
from caesura.errors import InputError, ModelError

__all__ = ["Subwords", "code_points", "number_in", "specials", "table_of"]

#: Only so many characters of a longer word are read.
_CHARACTERS: Final = 200
#: Words whose normal forms are kept.
_KEPT: Final = 1 << 17
#: What an emoji is read as that a vocabulary does not have.
_SMILE: Final = ":)"
#: The tokens that begin, end and fill a text, and the unknown one.
_NAMES: Final = {
    "begin": ("[CLS]", "<s>"),
    "end": ("[SEP]", "</s>"),
    "pad": ("[PAD]", "<pad>"),
    "unknown": ("[UNK]", "<unk>"),
}
#: The class of each kind, by what our definitions and those of others call it.
_KINDS: Final = {
    "wordpiece": "caesura.neural.wordpiece:WordPiece",
    "unigram": "caesura.neural.unigram:Unigram",
}


class Subwords(ABC):
    """The sub-word vocabulary of an encoder. Threads may share one."""

    #: The pieces in the order of their numbers.
    pieces_: tuple[str, ...]
    begin: int
    end: int
    pad: int
    unknown: int
    #: Whether a word is cut otherwise where no blank stands before it.
    sees_blanks: ClassVar[bool] = False
    #: The vocabulary in the core, and normal forms of words that are not printable ASCII.
    _cutter: WordPiece | Unigram
    _known: dict[str, str]

    @property
    @abstractmethod
    def definition(self) -> str:
        """The vocabulary as JSON, as model files keep it."""

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

    def of_word(self, form: str, blank: bool = True) -> tuple[int, ...]:
        """The numbers of a word's pieces, at least one; `blank`: one stands before the word."""
        return self.of_words([form], [blank])[0]

    def of_words(self, forms: Sequence[str], blanks: Sequence[bool]) -> list[tuple[int, ...]]:
        """The same of many words."""
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
            return _class("unigram" if unigram else "wordpiece").foreign(found)
        pieces, kind = found["pieces"], found.get("type")
        if not isinstance(pieces, list) or not {*map(type, pieces)} <= {str}:
            raise ModelError("its sub-word vocabulary is no list of pieces")
        if kind not in _KINDS:
            raise ModelError(f"its sub-words are of a kind that is not known: {kind}")
        return _class(kind).own(found)

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
        # An unknown word makes a network unsure of all that is around it.
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


def _class(kind: str) -> type[Subwords]:
    module, _, name = _KINDS[kind].partition(":")
    found: type[Subwords] = getattr(importlib.import_module(module), name)
    return found


def code_points(strings: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of strings, and where those of each begin (one more than strings)."""
    strings = list(strings)
    text = np.frombuffer("".join(strings).encode("utf-32-le", "surrogatepass"), np.uint32)
    bounds = np.zeros(len(strings) + 1, np.int64)
    np.cumsum(list(map(len, strings)), out=bounds[1:])
    return text, bounds


def table_of(pieces: Sequence[str]) -> PieceTable:
    """The table in which the core finds the pieces."""
    try:
        return PieceTable(*code_points(pieces))
    except DamagedModel as error:
        raise ModelError(str(error)) from error


def number_in(table: PieceTable, piece: str) -> int:
    """The number of a piece, -1 if there is none."""
    return table.find(code_points([piece])[0])


def specials(table: PieceTable) -> dict[str, int]:
    """The numbers of the tokens that begin, end and fill a text, and of the unknown one."""
    found = {
        name: next((n for n in (number_in(table, one) for one in names) if n >= 0), -1)
        for name, names in _NAMES.items()
    }
    if min(found.values()) < 0:
        raise ModelError("its sub-word vocabulary lacks the tokens that begin and end a text")
    return found
