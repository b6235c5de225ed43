"""Words to sub-words by the `tokenizers` library, once for each word type."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import InputError, MissingExtra, ModelError

__all__ = ["Subwords"]

#: Of longer words only so many characters are looked at, and so many of their sub-words kept.
_CHARACTERS: Final = 200
_PIECES: Final = 64


@dataclass(frozen=True)
class Subwords:
    """The sub-word vocabulary of an encoder."""

    #: The vocabulary as the library's JSON.
    definition: str
    tokenizer: Any
    begin: int
    end: int
    pad: int
    unknown: int

    @classmethod
    def from_json(cls, definition: str) -> Subwords:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra("tokenizers", "neural", "A neural model") from error
        try:
            tokenizer = Tokenizer.from_str(definition)
        except Exception as error:  # the library raises plain Exception
            raise ModelError("its sub-word vocabulary cannot be read") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        ids = [
            next((i for t in names if (i := tokenizer.token_to_id(t)) is not None), None)
            for names in (
                ("[CLS]", "<s>"),
                ("[SEP]", "</s>"),
                ("[PAD]", "<pad>"),
                ("[UNK]", "<unk>"),
            )
        ]
        begin, end, pad, unknown = ids
        if begin is None or end is None or pad is None or unknown is None:
            raise ModelError("its sub-word vocabulary lacks the tokens that begin and end a text")
        return cls(definition, tokenizer, begin, end, pad, unknown)

    @classmethod
    def from_folder(cls, folder: Path) -> Subwords:
        file = folder / "tokenizer.json"
        if not file.is_file():
            raise InputError(
                "the encoder has no tokenizer.json",
                file=str(folder),
                remedy="Save it with a fast tokeniser: tokenizer.save_pretrained(folder).",
            )
        return cls.from_json(file.read_text(encoding="utf-8"))

    @property
    def special(self) -> tuple[int, int, int]:
        return self.begin, self.end, self.pad

    def size(self) -> int:
        return int(self.tokenizer.get_vocab_size())

    def pieces(self, doc: Document) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The sub-words of all words, and where each word's begin (one more than words)."""
        types, place = np.unique(doc.form, return_inverse=True)
        forms = [doc.strings[i][:_CHARACTERS] or " " for i in types.tolist()]
        encodings = self.tokenizer.encode_batch(forms, add_special_tokens=False)
        by_type = [encoding.ids[:_PIECES] or [self.unknown] for encoding in encodings]
        sizes = np.array([len(ids) for ids in by_type], dtype=np.int64)
        flat = (
            np.concatenate([np.array(ids, dtype=np.int32) for ids in by_type])
            if by_type
            else (np.zeros(0, dtype=np.int32))
        )
        offset = np.concatenate(([0], np.cumsum(sizes)))
        counts = sizes[place]
        pointer = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        within = np.arange(pointer[-1]) - np.repeat(pointer[:-1], counts)
        return flat[np.repeat(offset[place], counts) + within], pointer
