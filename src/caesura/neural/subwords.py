"""Words to sub-words, once for each word type: what every vocabulary of an encoder offers.

There are two kinds, `WordPiece` and `Unigram`; both give the answers of the `tokenizers` library,
which is not needed: `benchmarks/subwords.py` compares.
"""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.pictures import is_picture
from caesura.errors import InputError, ModelError

__all__ = ["CHARACTERS", "PIECES", "Subwords", "numbered", "specials"]

#: Of longer words only so many characters are looked at, and so many of their sub-words kept.
CHARACTERS: Final = 200
PIECES: Final = 64
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
    "characters": "caesura.neural.wordpiece:WordPiece",
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
    def of_word(self, form: str, blank: bool = True) -> tuple[int, ...]:
        """The numbers of a word's pieces, at least one; `blank`: one stands before the word."""

    def of_words(self, forms: Sequence[str], blanks: Sequence[bool]) -> list[tuple[int, ...]]:
        """The same of many words."""
        return [self.of_word(*pair) for pair in zip(forms, blanks, strict=True)]

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
        forms = [doc.strings[key >> 1] for key in types.tolist()]
        by_type = self.of_words(forms, (types % 2 == 1).tolist())
        for n, form in enumerate(forms):
            # An unknown word makes a network unsure of all that is around it.
            if self.unknown in by_type[n] and is_picture(form):
                by_type[n] = self.of_word(_SMILE, bool(types[n] % 2))
        sizes = np.array([len(ids) for ids in by_type], dtype=np.int64)
        flat = np.array([i for ids in by_type for i in ids], dtype=np.int32)
        offset = np.concatenate(([0], np.cumsum(sizes)))
        counts = sizes[place]
        pointer = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        within = np.arange(pointer[-1]) - np.repeat(pointer[:-1], counts)
        return flat[np.repeat(offset[place], counts) + within], pointer


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


def numbered(pieces: Sequence[str]) -> dict[str, int]:
    """The number of each piece."""
    found = {piece: n for n, piece in enumerate(pieces)}
    if len(found) != len(pieces):
        raise ModelError("its sub-word vocabulary names a piece twice")
    return found


def specials(numbers: Mapping[str, int]) -> dict[str, int]:
    """The numbers of the tokens that begin, end and fill a text, and of the unknown one."""
    found = {
        name: next((numbers[n] for n in names if n in numbers), -1)
        for name, names in _NAMES.items()
    }
    if min(found.values()) < 0:
        raise ModelError("its sub-word vocabulary lacks the tokens that begin and end a text")
    return found
