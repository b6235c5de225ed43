"""What a tokeniser knows of strings, as a table of the core that finds them in texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura._core import DamagedModel, TokenVocabulary
from caesura.document.characters import TABLE, packed, signs_of
from caesura.errors import ModelError

__all__ = ["LONGEST", "LONGEST_CHUNK", "LONGEST_NAMED", "LONGEST_TYPE", "refusing", "vocabulary_of"]

#: The longest types, and the longest white-space chunks that are remembered.
LONGEST_TYPE: Final = 24
LONGEST_CHUNK: Final = 20
#: The longest words that are looked up where words are not separated: of those that were seen, and
#: of those of a dictionary.
LONGEST: Final = 5
LONGEST_NAMED: Final = 12

_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


@contextmanager
def refusing() -> Iterator[None]:
    """Raise `ModelError` where the core refuses the arrays of a model."""
    try:
        yield
    except DamagedModel as error:
        raise ModelError(
            str(error),
            remedy="The file is damaged or made to do harm; train or fetch it again.",
        ) from error


def vocabulary_of(
    words: Sequence[str] = (),
    named: Sequence[str] = (),
    types: Mapping[str, int] = _NOTHING,
    chunks: Sequence[Sequence[str]] = (),
    whole: Sequence[str] = (),
) -> TokenVocabulary:
    """Words of a language without spaces between them, and those of a dictionary of it; word types
    with their bits; chunks, given as their tokens; and words that are whole at line ends.
    """
    bits = np.array(list(types.values()), np.uint32)
    cuts = np.array([_cuts(tokens) for tokens in chunks], np.uint32)
    with refusing():
        return TokenVocabulary(
            TABLE,
            _packed(words),
            _packed(named),
            _packed(types),
            bits,
            _packed(map("".join, chunks)),
            cuts,
            packed(whole),
        )


def _packed(strings: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Strings for the core, all characters of which are in its table."""
    codes, ends = packed(strings)
    signs_of(codes, ends)
    return codes, ends


def _cuts(tokens: Sequence[str]) -> int:
    """Where tokens begin in their chunk, but for the first: bit i for the i-th character."""
    at = found = 0
    for token in tokens[:-1]:
        at += len(token)
        found |= 1 << at
    return found
