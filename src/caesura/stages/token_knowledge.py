"""What a tokeniser knows beside its features: strings, word types, weights, and tokens by rule.

Addresses, names with @, numbers with blanks, emoji and degrees are decided before the model
scores a place, by the characters around it. They hold in every treebank that has such text, or are
counted in the treebank because they are too rare for features.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenVocabulary, TokenWeights
from caesura.document.characters import (
    ADDRESSES,
    DEGREES,
    MARGIN,
    NAMES,
    PICTURES,
    TABLE,
    packed,
    signs_of,
)
from caesura.errors import ModelError
from caesura.language.lexicon import KINDS
from caesura.models.packing import Coded, book, coded_of, refusing

#: The longest types, and the longest white-space chunks that are remembered.
LONGEST_TYPE: Final = 24
LONGEST_CHUNK: Final = 20
#: The longest words that are looked up where words are not separated: of those that were seen, and
#: of those of a dictionary.
LONGEST: Final = 5
LONGEST_NAMED: Final = 12

CodePoints = NDArray[np.uint32]
Ends = NDArray[np.int64]
_TAB: Final = 9
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})


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


def _packed(strings: Iterable[str]) -> tuple[CodePoints, Ends]:
    """Strings for the core, all characters of which are in its table."""
    return _known(*packed(strings))


def _known(codes: CodePoints, ends: Ends) -> tuple[CodePoints, Ends]:
    signs_of(codes, ends)
    return codes, ends


def _cut(codes: CodePoints, ends: Ends) -> tuple[tuple[CodePoints, Ends], CodePoints]:
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


class CodedWeights:
    """A table of 2**bits rows, of which those that are not zero have a code of 8 bits."""

    def __init__(self, bits: int, coded: Coded) -> None:
        self.bits = bits
        self._values = book(coded.scale)
        with refusing():
            self.core = TokenWeights(bits, coded.gaps, coded.codes, self._values)

    def coded(self) -> Coded:
        """The weights as they are stored."""
        return coded_of(self.core.rows, self.core.codes, float(self._values[-1]))

    def weights(self) -> NDArray[np.float32]:
        """The table of all weights."""
        rows, values = self.entries()
        weights = np.zeros(1 << self.bits, np.float32)
        weights[rows] = values
        return weights

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The rows that are not zero, rising, and their weights."""
        return self.core.rows, self._values[self.core.codes.astype(np.int64) + 128]


#: The part of speech is a number above this bit: the place in the list, from 1 on.
TYPE_CLASS: Final = len(KINDS) + 9


def word_classes(bits: Mapping[str, int]) -> dict[str, int]:
    """The part of speech of each type that has one, as a number."""
    return {form: number for form, known in bits.items() if (number := known >> TYPE_CLASS)}


#: Languages whose treebanks write `°` and `C` as two tokens, which one treebank rarely shows.
DEGREES_APART: Final = frozenset({"de", "en", "es", "fr", "hsb", "mt", "pt", "sv"})


class Habits(NamedTuple):
    """What stays whole."""

    #: Groups of digits with blanks between them.
    numbers: bool = False
    #: Emoji in a row.
    pictures: bool = False
    #: Of `°C` it is known that it does not stay whole.
    degrees: bool = False

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Habits:
        return cls(*(config.get(name) is True for name in cls._fields))


NO_HABITS: Final = Habits()


@cache
def _units() -> Any:
    import regex

    return regex.compile(r"(?<=[°º])[CFKcfk](?![\p{L}\p{N}])", regex.V1)


def before_units(text: str) -> NDArray[np.int64]:
    """Where the unit of a temperature follows its sign."""
    if "°" not in text and "º" not in text:
        return np.zeros(0, np.int64)
    return np.array([match.start() for match in _units().finditer(text)], np.int64)


@cache
def _pictures() -> Any:
    import regex

    return regex.compile(
        r"""
        (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])
        (?=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)
        """,
        regex.VERBOSE | regex.V1,
    )


def between_pictures(text: str) -> NDArray[np.int64]:
    """Where one emoji follows another."""
    if text.isascii():
        return np.zeros(0, np.int64)
    return np.array([match.start() for match in _pictures().finditer(text)], np.int64)


#: What ends an address without being part of it.
_CLOSERS: Final = ".,;:!?)]}'’…"
#: All of them but the signs of copyright and of trade marks, and characters between two of them
#: that have nothing to do with each other.
_FIRST_PICTURE: Final = 0x203C
_APART: Final = 4
#: Characters of ftp, http and https.
_SCHEMES: Final = (3, 4, 5)
#: Characters of a name: as many as are kept of a text that comes in blocks.
_LONGEST: Final = MARGIN - 8


@cache
def _patterns() -> tuple[Any, Any, Any]:
    import regex

    # As many characters as a name may have, then without the marks at its end.
    address = regex.compile(
        rf"""
        (?:https?|ftp)://
        [^\s\x1c-\x1f<>"“”«»\p{{Han}}\p{{Hangul}}\p{{Hiragana}}\p{{Katakana}}]{{1,{_LONGEST - 8}}}+
        """,
        regex.VERBOSE | regex.IGNORECASE | regex.V1,
    )
    name = regex.compile(
        r"(?<![\p{L}\p{N}\p{M}_@.])@[\p{L}\p{N}_]++(?:-[\p{L}\p{N}_]++)++", regex.V1
    )
    # Where a sequence goes on, and where a word and an emoji meet: each by its neighbours alone.
    emoji = regex.compile(
        r"""
          (?P<inside>
            (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\uFE0F\u200D\p{Emoji_Modifier}]
          | (?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]\u200D)\p{Extended_Pictographic}
          )
        | (?<=[\p{L}\p{N}])(?=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)
        | (?<=\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)(?=[\p{L}\p{N}])
        """,
        regex.VERBOSE | regex.V1,
    )
    return address, name, emoji


def known_cuts(codes: NDArray[np.uint32], habits: Habits = NO_HABITS) -> NDArray[np.int8] | None:
    """1 where a token must begin, -1 where none may, by code point; None: nothing is known.

    Whether emoji in a row are one token and `°C` is two is a matter of `habits`.

    Of an address or a name that is longer than `_LONGEST` the model decides about all but the
    beginning, so that what is known does not depend on how a text was cut into blocks.
    """
    signs = int(signs_of(codes, np.array([len(codes)], np.int64))[0])
    names, pictures, addresses, degrees = (
        bool(signs & sign) for sign in (NAMES, PICTURES, ADDRESSES, DEGREES)
    )
    if not (names or pictures or addresses or degrees):
        return None
    text = codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    known = np.zeros(len(codes), np.int8)
    for unit in before_units(text).tolist() if degrees else ():
        if unit > 1 and text[unit - 2].isdecimal():
            known[unit - 1] = 1
        if habits.degrees:
            known[unit] = 1
        if text[unit + 1 : unit + 2] == ".":
            known[unit + 1] = 1
    address, name, emoji = _patterns()
    for match in _addresses(address, text) if addresses else ():
        start, end = match.span()
        scheme = text.index("//", start) + 2
        short = end - scheme < _LONGEST - 8
        known[start + 1 : start + len(match[0].rstrip(_CLOSERS)) if short else scheme] = -1
    for match in name.finditer(text) if names else ():
        start, end = match.span()
        if end - start <= _LONGEST:
            known[start + 1 : end] = -1
    for first, last in _picture_places(codes) if pictures else ():
        for match in emoji.finditer(text, first, last):
            known[match.start()] = -1 if match["inside"] else 1
    if habits.pictures and pictures:
        known[between_pictures(text)] = -1
    return known if known.any() else None


def _addresses(address: Any, text: str) -> Iterator[Any]:
    """What may be an address, also within another: whatever has a scheme before `://`."""
    at = text.find("://")
    while at >= 0:
        for scheme in _SCHEMES:
            match = address.match(text, at - scheme) if at >= scheme else None
            if match is not None:
                yield match
        at = text.find("://", at + 1)


def _picture_places(codes: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """The places where something may be said of an emoji: at it, before it or behind it."""
    at = np.flatnonzero((codes >= _FIRST_PICTURE) | (codes == 0xA9) | (codes == 0xAE))
    ends = np.flatnonzero(np.diff(at) > _APART)
    first = at[np.concatenate([[0], ends + 1])]
    last = at[np.concatenate([ends, [len(at) - 1]])]
    # Patterns see what is before a place to begin at, and nothing behind the last one.
    yield from zip(first.tolist(), (last + _APART - 1).tolist(), strict=True)


def known_words(chunks: Iterable[str]) -> frozenset[str]:
    """The words of chunks that a tokeniser remembers, in lower case. Tabs separate tokens."""
    words = filter(str.isalpha, set("\t".join(chunks).split("\t")))
    # Sets and strings as wholes: this is done at each start, for thousands of words.
    return frozenset("\t".join(words).lower().split("\t")) - {""}


def without_hyphen(surface: str) -> str:
    """The form of a word that is written in two parts."""
    left, right = surface.split(maxsplit=1)
    return left[:-1] + right
