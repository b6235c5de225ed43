"""Characters in, decided tokens out, and documents made of them; also for text that never ends.

The core keeps what a text leaves behind between its blocks. A token is decided when some characters
after it are known, a sentence start when some tokens after it are, and at the beginning of a line
the lines that the layout depends on. Decisions never depend on how the text was cut into blocks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenDecoder, TokenModel, distinct_spans
from caesura.constraints import Constraints, fix_starts, fix_turns
from caesura.document import MAYBE, NO, YES, Document, Ints, Longs, Strings
from caesura.document.characters import code_points
from caesura.stages.multiword_tokens import Splitter, Words
from caesura.stages.token_knowledge import NO_HABITS, Habits, known_cuts, without_hyphen
from caesura.turns import TurnReader

if TYPE_CHECKING:
    from caesura.stages.tokenizer import Tokenizer


_LINE = re.compile(r"(?:\A|\n)\s*(?=\S)")
_START = re.compile(r"(?:\A|\n[^\S\n]*\n)\s*(?=\S)")


def paragraphs(text: str, *, opens: bool = True) -> NDArray[np.int64]:
    """Offsets at which paragraphs start: after blank lines, and at the beginning if one opens."""
    # Blank lines at the end start nothing, and would be looked at again and again.
    end = len(text.rstrip())
    if "\n" in text:
        found = [match.end() for match in _START.finditer(text, 0, end)]
    else:
        found = [len(text) - len(text.lstrip())] if end else []
    return np.array(found if opens else found[1:], dtype=np.int64)


def line_starts(text: str, *, opens: bool = True) -> list[int]:
    """The offsets of the first character of every line that has one.

    The first line of a text that goes on in the middle of one does not count: it does not `open`.
    """
    found = [match.end() for match in _LINE.finditer(text, 0, len(text.rstrip()))]
    return found if opens or (found and "\n" in text[: found[0]]) else found[1:]


#: Takes a passage, gives what is added to the log-odds of a token at each of its characters.
Reader = Callable[[str], NDArray[np.float32]]

#: Characters of a passage at most, and at least where it is not a line.
LONG: Final = 200
_SHORT: Final = 60
_ENDS: Final = (re.compile(r".*[。！？!?｡．…][」』”’）)]*", re.S), re.compile(r".*\s", re.S))


class PassageReader:
    """A text as it is read passage by passage."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._rest = ""  # what is not read yet
        self._odds = np.zeros(0, np.float32)
        self._base = 0  # the offset of the first odds that are kept

    @property
    def known(self) -> int:
        """The offset up to which the text is read."""
        return self._base + len(self._odds)

    def feed(self, text: str, *, last: bool = False) -> None:
        """Take the next block."""
        text, found, read = self._rest + text, [self._odds], 0
        for passage in passages(text, last):
            blank = not passage.strip()
            found.append(np.zeros(len(passage), np.float32) if blank else self._reader(passage))
            read += len(passage)
        self._rest, self._odds = text[read:], np.concatenate(found)

    def take(self, base: int) -> NDArray[np.float32]:
        """The odds from an offset on; those before it are forgotten."""
        self._odds, self._base = self._odds[base - self._base :], base
        return self._odds


def passages(text: str, last: bool = True) -> Iterator[str]:
    """The passages of a text that goes on, unless this is the last of it; a rest may be left."""
    at = 0
    while size := _passage(text[at : at + LONG], last):
        yield text[at : at + size]
        at += size


def _passage(text: str, last: bool) -> int:
    """Characters of the first passage of what follows; 0 if more must be known of it."""
    line = text.find("\n") + 1
    if line:
        return line
    if len(text) < LONG:
        return len(text) if last else 0
    for end in _ENDS:
        match = end.match(text)
        if match is not None and match.end() >= _SHORT:
            return match.end()
    return len(text)


#: Characters for which a call of the core pays.
_WORTHWHILE = 4096
_NO_HINTS = np.zeros(0, np.int8)


class OffsetConstraints(NamedTuple):
    """`Constraints` by offset: where sentences start, where none does; and paragraphs.

    With `all_starts` no sentence starts anywhere else.
    """

    starts: Longs = np.zeros(0, np.int64)
    no_starts: Longs = np.zeros(0, np.int64)
    all_starts: bool = False
    paragraphs: Longs = np.zeros(0, np.int64)

    @classmethod
    def of(cls, doc: Document) -> OffsetConstraints:
        """What a document fixes of its boundaries, wherever its tokens will be."""
        known = Constraints.of(doc).starts
        if known is None or not doc.n_tokens:
            return cls(paragraphs=doc.paragraph_start)
        return cls(
            doc.token_start[known == YES],
            doc.token_start[known == NO],
            doc.has_sentences,
            doc.paragraph_start,
        )

    def at(self, begins: Longs) -> NDArray[np.int8]:
        """1, 0 or -1 (unknown) for tokens that begin here."""
        if not len(self.starts) and not len(self.no_starts) and not self.all_starts:
            return np.full(len(begins), -1, dtype=np.int8)
        known = np.full(len(begins), 0 if self.all_starts else -1, dtype=np.int8)
        known[np.isin(begins, self.no_starts)] = 0
        known[np.isin(begins, self.starts)] = 1
        return known


class Decided(NamedTuple):
    """Tokens by offset, the probability of a sentence start at each, and what the layout says.

    `hyphenated` is 1 for those that a line end parts.
    """

    starts: Longs
    ends: Longs
    evidence: NDArray[np.float32]
    breaks: NDArray[np.uint8]
    hyphenated: NDArray[np.uint8]

    def part(self, first: int, last: int | None = None) -> Decided:
        own = slice(first, last)
        columns: list[Any] = [column[own] for column in self]
        return Decided(*columns)

    @staticmethod
    def join(parts: Sequence[Decided]) -> Decided:
        columns: list[Any] = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        return Decided(*columns)


NOTHING = Decided(
    np.zeros(0, np.int64),
    np.zeros(0, np.int64),
    np.zeros(0, np.float32),
    np.zeros(0, np.uint8),
    np.zeros(0, np.uint8),
)


class Decoder:
    """Takes a text block by block and hands back what is decided."""

    def __init__(
        self,
        model: TokenModel,
        threshold: float,
        given: OffsetConstraints | None = None,
        *,
        weigh: bool = True,
        reader: Reader | None = None,
        habits: Habits = NO_HABITS,
    ) -> None:
        """Without `weigh` the evidence of sentence starts is not needed, and there is none.

        A `reader` adds to the scores of tokens; `habits` tell what stays whole.
        """
        self._habits = habits
        self._reading = PassageReader(reader) if reader is not None else None
        self._pending: list[str] = []
        self._size = 0
        self._taken = 0  # characters that the core took
        starts, no_starts, all_starts, paragraphs = given or OffsetConstraints()
        self._core = TokenDecoder(
            model,
            threshold,
            weigh,
            habits.numbers,
            _offsets(starts),
            _offsets(no_starts),
            all_starts,
            _offsets(paragraphs),
        )

    def start_at(self, offsets: Sequence[int]) -> None:
        """More starts that are given, of text that is not decided; those behind are forgotten."""
        self._core.start_at(np.array(offsets, dtype=np.int64))

    def feed(self, text: str, *, last: bool = False) -> Decided:
        """Take the next block; returns the tokens that are decided now."""
        self._pending.append(text)
        self._size += len(text)
        # What is kept is prepared again with every call: wait until as much is new, so that a
        # token of any length costs time in proportion to its length.
        if not last and self._size < max(_WORTHWHILE, self.kept):
            return NOTHING
        text = "".join(self._pending)
        codes = code_points(text)
        self._core.take(codes)
        kept = self._core.kept if self._taken else codes
        self._taken += self._size
        self._pending, self._size = [], 0
        odds = None
        if self._reading is not None:
            self._reading.feed(text, last=last)
            odds = self._reading.take(self._core.base)
        known = known_cuts(kept, self._habits)
        return Decided(*self._core.decide(_NO_HINTS if known is None else known, odds, last))

    @property
    def kept(self) -> int:
        """The number of characters that the core took and may look at again."""
        return self._taken - self._core.base

    @property
    def held(self) -> tuple[Longs, Longs]:
        """Tokens that are known but not handed back yet."""
        return self._core.held


def _offsets(values: NDArray[Any]) -> Longs:
    """Offsets that a caller set may be columns of a wider array."""
    return np.ascontiguousarray(values, np.int64)


#: Forms that are remembered.
_MANY = 1 << 16


class SplitCache(dict[str, "Words | None"]):
    """Remembers what the splitter says about each form."""

    def __init__(self, splitter: Splitter) -> None:
        super().__init__()
        self.splitter = splitter

    def __missing__(self, form: str) -> Words | None:
        words = self.splitter.candidate(form)
        if len(self) < _MANY:
            self[form] = words
        return words


def build(
    docs: Sequence[Document],
    ends: Longs,
    decided: Decided,
    cache: SplitCache,
    *,
    sentences: bool,
    threshold: float,
    weighed: bool = True,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> None:
    """Give documents, which have the same strings, the tokens that were decided.

    `ends` are where the tokens of each document end. `before` and `after` are forms beyond the
    ends of the only one. Unless starts were `weighed` there is no evidence of them.
    """
    n = len(decided.starts)
    strings = docs[0].strings
    text = docs[0].text if len(docs) == 1 else "".join(doc.text for doc in docs)
    begins, stops = decided.starts, decided.ends
    if len(docs) > 1:
        sizes = np.array([len(doc.text) for doc in docs])
        offsets = np.repeat(np.cumsum(sizes) - sizes, np.diff(ends, prepend=0))
        begins, stops = begins + offsets, stops + offsets
    kinds, firsts = distinct_spans(code_points(text), begins, stops)
    spans = zip(begins[firsts].tolist(), stops[firsts].tolist(), strict=True)
    forms = [text[start:end] for start, end in spans]
    for kind in np.flatnonzero(decided.hyphenated[firsts]).tolist():
        forms[kind] = without_hyphen(forms[kind])
    ids, counts = split_forms(
        strings.ids(forms)[kinds], forms, kinds, ends, strings, cache, before, after
    )
    tokens: dict[str, NDArray[Any]] = {
        "token_start": decided.starts,
        "token_end": decided.ends,
        "token_misc": np.zeros(n, np.int32),
        "token_break": decided.breaks,
        "sent_start": np.full(n, MAYBE, np.int8),
    }
    if weighed:
        tokens["start_evidence"] = decided.evidence
    if sentences:
        tokens["sent_start"] = np.where(decided.evidence > threshold, YES, NO).astype(np.int8)
    words: dict[str, NDArray[Any]] = {"form": ids}
    for column in docs[0].schema.at("word"):
        if column.unknown is not None and column.name not in words:
            words[column.name] = column.rows(len(ids))
    word_token = np.repeat(np.arange(n, dtype=np.int32), counts)
    word_ends = ends if len(ids) == n else np.cumsum(counts)[ends - 1] * (ends > 0)
    first = first_word = 0
    for doc, end, end_word in zip(docs, ends.tolist(), word_ends.tolist(), strict=True):
        columns = vars(doc)
        for name, rows in tokens.items():
            columns[name] = rows[first:end]
        for name, rows in words.items():
            columns[name] = rows[first_word:end_word]
        doc.word_token = word_token[first_word:end_word] - np.int32(first)
        first, first_word = end, end_word


def split_forms(
    ids: Ints,
    forms: Sequence[str],
    kinds: Ints,
    ends: Longs,
    strings: Strings,
    cache: SplitCache,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> tuple[Ints, Longs | int]:
    """The ids of the words of tokens with some ids, and how many words each token has.

    `kinds` are the forms of tokens by number, and `ends` where the tokens of a text end.
    """
    splitter = cache.splitter
    if not splitter:
        return ids, 1
    several = np.array([cache[form] is not None for form in forms], np.bool_)
    found: dict[int, Words] = {}
    for i in np.flatnonzero(several[kinds]).tolist():
        form = forms[kinds[i]]
        words = cache[form]
        if words is None:
            continue
        if splitter.is_doubtful(form):
            number = int(ends.searchsorted(i, "right"))
            first, last = int(ends[number - 1]) if number else 0, int(ends[number])
            left = [forms[kind] for kind in kinds[max(first, i - 2) : i].tolist()]
            right = [forms[kind] for kind in kinds[i + 1 : min(last, i + 3)].tolist()]
            if not splitter.agrees(form, [*before, *left][-2:], [*right, *after][:2]):
                continue
        found[i] = words
    if not found:
        return ids, 1
    sizes = np.ones(len(kinds), dtype=np.int64)
    for i, words in found.items():
        sizes[i] = len(words)
    starts = np.cumsum(sizes) - sizes
    ids = np.repeat(ids, sizes)
    for i, words in found.items():
        at = int(starts[i])
        ids[at : at + len(words)] = strings.ids(words)
    return ids, sizes


#: A table of strings is left to its pieces when it has grown so large.
_MANY_STRINGS = 60_000
_LONG_SENTENCE = 100_000


class Stream:
    """One document that comes in blocks.

    The texts of the pieces, one after the other, are the text that came in, and their tokens are
    those that the whole text would have got.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        sentences: bool = True,
        whole_sentences: bool = False,
        newline_is_boundary: bool = False,
        turns: TurnReader | None = None,
        id: str | None = None,
    ) -> None:
        """With `whole_sentences` a piece ends before a sentence start (or after 100,000 tokens).

        With `newline_is_boundary` every line starts a sentence, which is fixed in the pieces, and
        so does another speaker of `turns`, which has looked at the blocks before.
        """
        self._tokenizer = tokenizer
        self._sentences = sentences
        self._whole_sentences = whole_sentences
        self._lines = newline_is_boundary
        self._line_opens = True  # whether the next character that is no space starts a line
        self._turns = turns
        self._line_starts: list[int] = []  # of text that is in no piece yet
        self._labels: list[tuple[int, int]] = []  # of speakers who say nothing yet
        self._id = id
        self._weighs = sentences or whole_sentences or tokenizer.weighs
        self._decoder = tokenizer.decoder(sentences=self._weighs)
        self._strings = Strings()
        self._left = NOTHING  # decided tokens that are in no piece yet
        self._waiting: list[str] = []  # text that is in no piece yet
        self._base = 0  # its offset
        self._before: list[str] = []
        self._taken = 0  # characters that have come in
        self._started = False
        self._seen: frozenset[str] = frozenset()  # what the pieces so far had
        self._opens = True  # whether the next token is the first of a paragraph
        self._finished = False

    def feed(self, text: str, *, last: bool = False) -> Document:
        """Take the next block; returns the next piece, which has no tokens if none is decided."""
        if self._finished:
            raise ValueError("the stream has had its last block")
        self._finished = last
        self._waiting.append(text)
        self._take_starts(text)
        self._taken += len(text)
        fresh = self._decoder.feed(text, last=last)
        if not last and not len(fresh.starts):
            return Document(id=self._id, strings=self._strings, continues=self._started)
        known = Decided.join([self._left, fresh])
        n = len(known.starts) if last or not self._whole_sentences else self._whole(known)
        decided, self._left = known.part(0, n), known.part(n)
        held, held_ends = self._decoder.held
        following = np.concatenate((self._left.starts, held))[:2]
        following_ends = np.concatenate((self._left.ends, held_ends))[:2]
        waiting = "".join(self._waiting)
        end = len(waiting) if last else int(following[0]) - self._base
        spans = zip(following.tolist(), following_ends.tolist(), strict=True)
        after = [waiting[a - self._base : b - self._base] for a, b in spans]
        piece_text, rest = waiting[:end], waiting[end:]
        decided = decided._replace(
            starts=decided.starts - self._base, ends=decided.ends - self._base
        )
        if len(self._strings) > _MANY_STRINGS:
            self._strings = Strings()
        piece = Document(
            text=piece_text,
            strings=self._strings,
            id=self._id,
            continues=self._started,
            paragraph_start=paragraphs(piece_text, opens=self._opens),
        )
        build(
            [piece],
            np.array([len(decided.starts)]),
            decided,
            self._tokenizer._cache,
            sentences=self._sentences,
            threshold=self._tokenizer.options.threshold,
            weighed=self._weighs,
            before=self._before,
            after=after,
        )
        self._fix_starts(piece)
        piece.before = self._seen
        if len(piece.paragraph_start):
            self._seen |= {"paragraphs"}
        self._started = True
        gap = piece_text[len(piece_text.rstrip()) :]
        self._opens = gap.count("\n") > 1 or (self._opens and gap == piece_text)
        last_two = zip(decided.starts[-2:].tolist(), decided.ends[-2:].tolist(), strict=True)
        self._before = [*self._before, *(piece_text[a:b] for a, b in last_two)][-2:]
        self._base += end
        self._waiting = [rest]
        return piece

    def _take_starts(self, text: str) -> None:
        """Tell the decoder where lines start in the next block, or other speakers."""
        starts: set[int] = set()
        if self._lines:
            lines = [self._taken + at for at in line_starts(text, opens=self._line_opens)]
            end = len(text.rstrip())
            self._line_opens = "\n" in text[end:] or (self._line_opens and end == 0)
            self._line_starts += lines
            starts.update(lines)
        if self._turns is not None:
            starts.update(self._turns.starts(self._taken, self._taken + len(text)))
        if starts:
            self._decoder.start_at(sorted(starts))

    def _fix_starts(self, piece: Document) -> None:
        """Lines and speakers start sentences, as `fixed` says."""
        size = len(piece.text)
        if self._lines:
            starts = np.array(self._line_starts, dtype=np.int64) - self._base
            inside = starts < size
            self._line_starts = (starts[~inside] + self._base).tolist()
            fix_starts(piece, starts[inside].tolist())
        if self._turns is not None:
            spoken = self._turns.starts(self._base, self._base + size)
            self._turns.put(piece, self._base)
            if self._turns.decides:
                labels = self._labels
                if not self._lines:
                    labels = [*labels, *self._turns.labels(self._base, self._base + size)]
                own = [(begin - self._base, end - self._base) for begin, end in labels]
                fix_turns(piece, np.array(spoken, np.int64) - self._base, own)
                # A piece may end with a label, so that the next one begins with what is said.
                last = int(piece.token_start[-1]) if piece.n_tokens else -1
                self._labels = [(begin, end) for begin, end in labels if end - self._base > last]

    def _whole(self, known: Decided) -> int:
        """How many tokens are before the last sentence start."""
        starts = np.flatnonzero(known.evidence > self._tokenizer.options.threshold)
        if len(starts) and starts[-1] > 0:
            return int(starts[-1])
        return len(known.starts) if len(known.starts) > _LONG_SENTENCE else 0
