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

Codes = NDArray[np.uint32]
Ends = NDArray[np.int64]
_TAB: Final = 9
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
    chunks: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> TokenVocabulary:
    """Words of a language without spaces between them, and those of a dictionary of it; word types
    with their bits; chunks, whose tokens tabs separate; and words that are whole at line ends.
    """
    bits = np.array(list(types.values()), np.uint32)
    letters, cuts = _cut(*packed(chunks))
    with refusing():
        return TokenVocabulary(
            TABLE,
            _packed(words),
            _packed(named),
            _packed(types),
            bits,
            letters,
            cuts,
            packed(whole),
        )


def _packed(strings: Iterable[str]) -> tuple[Codes, Ends]:
    """Strings for the core, all characters of which are in its table."""
    return _known(*packed(strings))


def _known(codes: Codes, ends: Ends) -> tuple[Codes, Ends]:
    signs_of(codes, ends)
    return codes, ends


def _cut(codes: Codes, ends: Ends) -> tuple[tuple[Codes, Ends], Codes]:
    """Chunks without tabs, and where their tabs were: bit i for the i-th character."""
    tab = codes == _TAB
    tabs = np.flatnonzero(tab)
    owner = ends.searchsorted(tabs, "right")
    shorter = ends - np.cumsum(np.bincount(owner, minlength=len(ends)))
    lengths = np.diff(shorter, prepend=0)
    if len(lengths) and not 0 < lengths.min() <= lengths.max() <= LONGEST_CHUNK:
        raise ModelError("the model's tokenizer remembers chunks that are too long")
    at = tabs - np.arange(len(tabs)) - (shorter - lengths)[owner]
    cuts = np.zeros(len(ends), np.uint32)
    np.bitwise_or.at(cuts, owner, np.uint32(1) << at.astype(np.uint32))
    return _known(codes[~tab], shorter), cuts
