"""Tokenising a text that never ends: blocks in, pieces of a document out, in constant memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.constraints import fix_starts, fix_turns
from caesura.document import Document, Strings
from caesura.stages.paragraphs import line_starts, paragraphs
from caesura.stages.token_build import build
from caesura.stages.token_decoder import NOTHING, Decided
from caesura.turns import TurnReader

if TYPE_CHECKING:
    from caesura.stages.tokenizer import Tokenizer

__all__ = ["Stream"]

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
