"""Kernels: where tokens begin, decided left to right for every pair of neighbouring characters.

A binary logistic model over hashed features: character and class windows, the token so far, the
white-space chunk and what is left of it, the runs of letters around the position, and what kind of
chunk it is (address, e-mail); where words are not separated by spaces, also which known words lie
before, after and across the position; at periods, hyphens and units what is known of the type.
No feature looks further than WINDOW characters, so a text
may be cut into blocks without any effect on the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from caesura.document.characters import (
    AT,
    DIGIT,
    MARGIN,
    NEWLINE,
    SLASH,
    STOP,
    classify,
    code_points,
)
from caesura.jit import kernel
from caesura.learn.index import PLACES, refuse_crowded
from caesura.tokenize.chunk_memo import LONGEST_CHUNK, Memo, look_up
from caesura.tokenize.logistic import Codes, Table, decide, step, tally
from caesura.tokenize.prepared_text import WINDOW, Text, prepare, stretch, to_slots, wordlike
from caesura.tokenize.word_types import TYPE_FEATURES, Types, type_features

__all__ = [
    "CUT_FEATURES",
    "LONGEST",
    "LONGEST_NAMED",
    "Lexicon",
    "cut",
    "cut_epoch",
    "make_lexicon",
]

#: Features of one position at most.
CUT_FEATURES = 50 + TYPE_FEATURES
#: The longest word that is looked up where words are not separated: of those that were seen, and of
#: those of a dictionary.
LONGEST = 5
LONGEST_NAMED = 12

# Numbers of features. Of plain integers, Numba compiles a version for each.
_NONE, _NEAR, _ALL = cast(list[int], np.array([0, 27, 40]))
_FIRST_WORD = cast(int, np.int64(40))
_FIRST_NAMED = cast(int, np.int64(60 + TYPE_FEATURES))
_SKIP = np.uint64(2097152)  # more than there are code points
_LATIN_W = 119  # w
_COLON = 58
_SLASH = 47


@kernel(counted=False)
def _chunk_kind(text: Text, start: int, end: int) -> int:
    """What a chunk looks like: 1 an address with ://, 2 www., 4 with @, 8 with a digit."""
    kind = 0
    at = False
    for i in range(start, end):
        c = text.folded[i]
        k = text.classes[i]
        if c == _COLON and i + 2 < end and text.folded[i + 1] == _SLASH:
            if text.folded[i + 2] == _SLASH:
                kind |= 1
        elif c == _LATIN_W and i + 3 < end and text.classes[i + 3] == STOP:
            if text.folded[i + 1] == _LATIN_W and text.folded[i + 2] == _LATIN_W:
                kind |= 2
        elif k == AT:
            at = True
        elif k == STOP and at and i + 1 < end:
            kind |= 4
        elif k == SLASH and i > start:
            kind |= 16
        elif k == DIGIT:
            kind |= 8
    return kind


@kernel(counted=False)
def _known(lexicon: NDArray[np.uint64], word: np.uint64) -> bool:
    mask = np.uint64(lexicon.shape[0] - 1)
    at = (word ^ (word >> np.uint64(32))) & mask
    while lexicon[np.int64(at)] != np.uint64(0):  # half of the places are free
        if lexicon[np.int64(at)] == word:
            return True
        at = (at + np.uint64(1)) & mask
    return False


@kernel
def _add_words(
    lexicon: NDArray[np.uint64], text: Text, begins: NDArray[np.int64], ends: NDArray[np.int64]
) -> bool:
    """Whether all found a place."""
    mask = np.uint64(lexicon.shape[0] - 1)
    left = PLACES * (begins.shape[0] + PLACES)
    for i in range(begins.shape[0]):
        word = stretch(text, begins[i], ends[i])
        at = (word ^ (word >> np.uint64(32))) & mask
        while lexicon[np.int64(at)] != np.uint64(0) and lexicon[np.int64(at)] != word:
            at = (at + np.uint64(1)) & mask
            left -= 1
            if left < 0:
                return False
        lexicon[np.int64(at)] = word
    return True


class Lexicon(NamedTuple):
    """Hashes of words, where words are not separated: seen ones, and those of a dictionary."""

    seen: NDArray[np.uint64]
    named: NDArray[np.uint64]


def make_lexicon(words: Sequence[str], named: Sequence[str] = ()) -> Lexicon:
    """Tables of both; a single row for those of which there are none."""
    return Lexicon(_table(words), _table(named))


def _table(words: Sequence[str]) -> NDArray[np.uint64]:
    """A table of the hashes of words; a single row if there are none."""
    if not words:
        return np.zeros(1, dtype=np.uint64)
    lexicon = np.zeros(1 << (4 * len(words)).bit_length(), dtype=np.uint64)
    text = prepare(*classify(code_points("".join(words))))
    ends = np.cumsum([len(word) for word in words]).astype(np.int64) + MARGIN
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    refuse_crowded(_add_words(lexicon, text, ends - lengths, ends), "words")
    return lexicon


@kernel(counted=False)
def _word_features(
    text: Text,
    p: int,
    token: int,
    lexicon: NDArray[np.uint64],
    bits: int,
    out: NDArray[np.uint64],
    n: int,
) -> int:
    """Features of the known words around p, for scripts without spaces."""
    after = before = across = np.uint64(0)
    one = np.uint64(1)
    for size in range(1, LONGEST + 1):
        if _known(lexicon, stretch(text, p, p + size)):
            after |= one << np.uint64(size)
        if _known(lexicon, stretch(text, p - size, p)):
            before |= one << np.uint64(size)
    bit = np.uint64(0)
    for size in range(2, LONGEST + 1):
        for start in range(p - size + 1, p):
            if _known(lexicon, stretch(text, start, start + size)):
                across |= one << bit
            bit += one
    longest = np.uint64(0)
    if p - token <= LONGEST and _known(lexicon, stretch(text, token, p)):
        longest = one
    for size in range(1, LONGEST + 1):
        if p - token < LONGEST and _known(lexicon, stretch(text, token, p + size)):
            longest |= np.uint64(2)
    first = np.uint64(text.folded[p]) + one
    last = np.uint64(text.folded[p - 1]) + one
    length = np.uint64(min(p - token, 7))
    masks = before * np.uint64(64) + after
    out[n] = after
    out[n + 1] = before
    out[n + 2] = across
    out[n + 3] = masks
    out[n + 4] = masks * np.uint64(4096) + across
    out[n + 5] = across * _SKIP + first
    out[n + 6] = across * _SKIP + last
    out[n + 7] = (length * np.uint64(4) + longest) * np.uint64(128) + after
    out[n + 8] = (length * np.uint64(4) + longest) * np.uint64(4096) + across
    out[n + 9] = (masks * np.uint64(8) + length) * np.uint64(4) + longest
    to_slots(out, n, n + 10, _FIRST_WORD, bits)
    return n + 10


@kernel(counted=False)
def _named_features(
    text: Text,
    p: int,
    token: int,
    lexicon: NDArray[np.uint64],
    bits: int,
    out: NDArray[np.uint64],
    n: int,
) -> int:
    """Features of the longest words of the dictionary that end, begin and lie at p."""
    after = before = across = left = 0
    for size in range(LONGEST_NAMED, 0, -1):
        if after == 0 and _known(lexicon, stretch(text, p, p + size)):
            after = size
        if before == 0 and _known(lexicon, stretch(text, p - size, p)):
            before = size
        if across == 0:
            for start in range(p - size + 1, p):
                if _known(lexicon, stretch(text, start, start + size)):
                    across, left = size, p - start
                    break
    own = 0  # the longest word from where the token began: shorter, as long, longer than it
    for size in range(LONGEST_NAMED, 0, -1):
        if p - token <= LONGEST_NAMED and _known(lexicon, stretch(text, token, token + size)):
            own = 1 if size < p - token else (2 if size == p - token else 3)
            break
    ends = np.uint64(after * 16 + before)
    over = np.uint64(across * 16 + left)
    length = np.uint64(min(p - token, 12) * 4 + own)
    first = np.uint64(text.folded[p]) + np.uint64(1)
    last = np.uint64(text.folded[p - 1]) + np.uint64(1)
    out[n] = ends
    out[n + 1] = over
    out[n + 2] = ends * np.uint64(256) + over
    out[n + 3] = length * np.uint64(256) + np.uint64(after)
    out[n + 4] = length * np.uint64(256) + over
    out[n + 5] = (length * np.uint64(256) + ends) * np.uint64(256) + over
    out[n + 6] = over * _SKIP + first
    out[n + 7] = over * _SKIP + last
    out[n + 8] = stretch(text, p, p + after) * np.uint64(31) + np.uint64(before)
    out[n + 9] = stretch(text, p - before, p) * np.uint64(31) + np.uint64(after)
    to_slots(out, n, n + 10, _FIRST_NAMED, bits)
    return n + 10


@kernel(counted=False)
def _features(
    text: Text,
    p: int,
    token: int,
    chunk: int,
    kind: int,
    lexicon: Lexicon,
    types: Types,
    bits: int,
    out: NDArray[np.uint64],
) -> int:
    """The features of the position before character p, in a token and a chunk that began there."""
    one = np.uint64(1)
    k = text.classes
    t = max(token, p - WINDOW)
    a = max(chunk, p - WINDOW)
    b = min(text.next_space[p], p + WINDOW)
    whole = p - chunk < WINDOW and b - p < WINDOW
    left = p
    while left > t and left > p - 24 and wordlike[k[left - 1]]:
        left -= 1
    right = min(text.run_end[p], p + WINDOW)
    if right <= p:
        right = p + 1
    narrow = np.uint64(0)
    for i in range(p - 2, p + 2):
        narrow = (narrow << np.uint64(5)) | np.uint64(k[i])
    middle = (np.uint64(k[p - 3]) << np.uint64(30)) | (narrow << np.uint64(5)) | np.uint64(k[p + 2])
    wide = (np.uint64(k[p - 4]) << np.uint64(45)) | (middle << np.uint64(5)) | np.uint64(k[p + 3])
    pair = np.uint64(k[p - 1]) * np.uint64(32) + np.uint64(k[p])
    so_far = stretch(text, t, p)
    rest = stretch(text, p, b)
    length = np.uint64(min(p - t, 9))
    first = np.uint64(text.folded[p]) + one
    last = np.uint64(text.folded[p - 1]) + one
    beyond = text.next_space[p]
    after = np.uint64(0)
    if whole:
        # The white space after the chunk and what begins after it.
        after = one
        i = beyond
        while i < p + WINDOW and (k[i] == 1 or k[i] == NEWLINE):
            if k[i] == NEWLINE:
                after += np.uint64(32)
            i += 1
        after = min(after, np.uint64(65)) * np.uint64(32) + np.uint64(k[min(i, p + WINDOW)])
    mixed = so_far * np.uint64(31)
    flags = np.uint64(kind) * np.uint64(2) + np.uint64(t > a)
    tail = np.uint64(min(b - p, 4))
    lefts = stretch(text, left, p)
    rights = stretch(text, p, right)
    across = stretch(text, p - 1, p + 1)
    f = text.folded
    out[0] = pair
    out[1] = last
    out[2] = first
    out[3] = across
    out[4] = stretch(text, p - 2, p)
    out[5] = stretch(text, p, p + 2)
    out[6] = stretch(text, p - 2, p + 1)
    out[7] = stretch(text, p - 1, p + 2)
    out[8] = stretch(text, p - 2, p + 2)
    out[9] = stretch(text, p - 3, p)
    out[10] = stretch(text, p, p + 3)
    out[11] = stretch(text, p - 3, p + 3)
    out[12] = stretch(text, p - 4, p)
    out[13] = stretch(text, p, p + 4)
    out[14] = narrow
    out[15] = middle
    out[16] = wide
    out[17] = so_far
    out[18] = mixed + first
    out[19] = mixed + stretch(text, p, p + 2)
    out[20] = pair * np.uint64(16) + length
    out[21] = wide * np.uint64(16) + length
    out[22] = np.uint64(f[p + 1])
    out[23] = np.uint64(f[p - 2])
    out[24] = np.uint64(f[p - 2]) * _SKIP + np.uint64(f[p])
    out[25] = np.uint64(f[p - 1]) * _SKIP + np.uint64(f[p + 1])
    out[26] = narrow * np.uint64(64) + flags
    to_slots(out, _NONE, _NEAR, _NONE, bits)
    if lexicon.seen.shape[0] > 1:
        n = _word_features(text, p, token, lexicon.seen, bits, out, _NEAR)
        if lexicon.named.shape[0] > 1:
            n = _named_features(text, p, token, lexicon.named, bits, out, n)
        return n
    if not whole:
        return _NEAR
    out[27] = mixed + rest
    out[28] = rest * np.uint64(31) + np.uint64(k[p - 1])
    out[29] = stretch(text, a, p)
    out[30] = stretch(text, a, b) * np.uint64(31) + np.uint64(p - a)
    out[31] = lefts * np.uint64(31) + rights
    out[32] = lefts * np.uint64(31) + first
    out[33] = rights * np.uint64(31) + last
    out[34] = across * np.uint64(64) + flags
    out[35] = (pair * np.uint64(8) + tail) * np.uint64(8192) + after
    out[36] = (mixed + first) * np.uint64(31) + after * np.uint64(8) + tail
    out[37] = narrow * np.uint64(8) + tail
    out[38] = (rest * np.uint64(31) + first) * np.uint64(64) + flags
    out[39] = np.uint64(kind) * np.uint64(64) + tail * np.uint64(8) + first
    to_slots(out, _NEAR, _ALL, _NEAR, bits)
    if types.keys.shape[0] > 1:
        return type_features(text, p, t, right, types, bits, out, _ALL)
    return _ALL


@kernel
def cut(
    text: Text,
    first: int,
    last: int,
    state: NDArray[np.int64],
    forced: NDArray[np.int8],
    odds: NDArray[np.float32],
    lexicon: Lexicon,
    types: Types,
    memo: Memo,
    table: Codes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the tokens that end in first..last; returns how many.

    `state` holds where the open token and the open chunk began, the chunk's kind, whether one is
    open, and in the end the position that was reached, which may lie a known chunk behind `last`.
    `forced` may have 1 where a token must begin and -1 where none may, or be empty; so may `odds`,
    which are added to those of the table.
    """
    features = np.empty(CUT_FEATURES, np.uint64)
    return _cut(
        text, first, last, state, forced, odds, lexicon, types, memo, table, starts, ends, features
    )


@kernel(counted=False)
def _cut(
    text: Text,
    first: int,
    last: int,
    state: NDArray[np.int64],
    forced: NDArray[np.int8],
    odds: NDArray[np.float32],
    lexicon: Lexicon,
    types: Types,
    memo: Memo,
    table: Codes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    features: NDArray[np.uint64],
) -> int:
    """The same with room for features."""
    found = 0
    token, chunk, kind = state[0], state[1], state[2]
    opened = state[3]
    obey = forced.shape[0] > 0
    told = odds.shape[0] > 0
    remembers = memo.keys.shape[0] > 1
    p = first
    while p < last:
        if text.classes[p] <= NEWLINE:
            if opened:
                starts[found] = token
                ends[found] = p
                found += 1
                opened = 0
            p += 1
            continue
        if not opened:
            token = chunk = p
            space = int(text.next_space[p])
            free = remembers and space - p <= LONGEST_CHUNK
            if free and obey:
                for i in range(p + 1, space):
                    free = free and forced[i] == 0
            if free:
                cuts = look_up(memo, text, p, space)
                if cuts >= 0:
                    for i in range(p + 1, space):
                        if (cuts >> (i - p)) & 1:
                            starts[found] = token
                            ends[found] = i
                            found += 1
                            token = i
                    starts[found] = token
                    ends[found] = space
                    found += 1
                    p = space
                    continue
            opened = 1
            kind = _chunk_kind(text, p, min(space, p + WINDOW))
            p += 1
            continue
        if obey and forced[p] != 0:
            split = forced[p] > 0
        else:
            n = _features(text, p, token, chunk, kind, lexicon, types, table.bits, features)
            score = decide(features, n, table)
            if told:
                score += odds[p]
            split = score > 0
        if split:
            starts[found] = token
            ends[found] = p
            found += 1
            token = p
        p += 1
    state[0], state[1], state[2], state[3], state[4] = token, chunk, kind, opened, p
    return found


@kernel
def cut_epoch(
    text: Text,
    begins: NDArray[np.bool_],
    table: Table,
    lexicon: Lexicon,
    types: Types,
    bits: int,
    rate: float,
    own: bool,
    statistics: NDArray[np.float64],
) -> None:
    """One pass of AdaGrad over a text whose tokens begin where `begins` says.

    With `own` the history is what the model itself decided, as it will be in use. A negative rate
    counts the features instead.
    """
    features = np.empty(CUT_FEATURES, np.uint64)
    token = chunk = kind = 0
    opened = False
    for p in range(text.classes.shape[0]):
        if text.classes[p] <= NEWLINE:
            opened = False
            continue
        if not opened:
            token = chunk = p
            opened = True
            kind = _chunk_kind(text, p, min(text.next_space[p], p + WINDOW))
            continue
        n = _features(text, p, token, chunk, kind, lexicon, types, bits, features)
        split = begins[p]
        if rate < 0.0:
            tally(features, n, table.seen)
        else:
            decided = step(features, n, split, table, rate, statistics)
            if own:
                split = decided
        if split:
            token = p
