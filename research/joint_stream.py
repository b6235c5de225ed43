"""Parsing an endless document by the search itself: sentences come out as soon as they are final.

A sentence is final when all items of the beam agree on it. Memory does not grow with the document:
final words are dropped, and so is the part of the search that led to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from caesura.constraints import Constraints
from caesura.document import Document
from caesura.errors import UsageError
from caesura.parse.word_table import FIRST_WORD, Words, words_of

if TYPE_CHECKING:
    from caesura.parse.analysis import Parse
    from caesura.parse.parser import Parser
    from caesura.parse.transitions.joint import Limits

__all__ = ["JointStream", "parse_stream"]

#: Final words that features may still look at.
_CONTEXT: Final = 2


class JointStream:
    """The state of one endless document."""

    def __init__(self, parser: Parser) -> None:
        from caesura.parse.search.commit_prefix import new_result

        if not parser.inventory.sb:
            raise UsageError(
                "a parser trained on single sentences cannot parse a stream",
                remedy="Use a parser trained on documents (recipe joint).",
            )
        self.parser = parser
        self._decoder = parser.decoder()
        self._decoder.restart()
        self._words = parser.words(Document())
        self._starts = np.zeros(0, np.int8)
        self._result = new_result(0)
        # Words of the buffer that were given out already and are kept as context.
        self._known = 0
        self._ended = False
        self._paragraphs = self._turns = False

    @property
    def pending(self) -> int:
        """The number of words that are not final yet."""
        return len(self._words.context) - self._known

    @property
    def forced(self) -> int:
        """How often the best item had to decide because the beam did not agree for too long."""
        return int(self._decoder.frontier.counts[3])

    def feed(self, doc: Document, *, last: bool = False) -> Parse:
        """Take the words of the next piece; returns the words that have become final, maybe none.

        They follow those returned before, end with a complete sentence, and have heads counted
        from the first of them.
        """
        from caesura.parse.search.beam import DONE, FULL
        from caesura.parse.search.commit_prefix import settle, write_path

        if self._ended:
            raise UsageError("the stream has ended")
        self._ended = last
        self._take(doc)
        decoder = self._decoder
        found: list[Parse] = []
        while True:
            why = self._advance(last)
            if why == DONE:
                write_path(decoder.system, decoder.arena, decoder.frontier.beam[0], self._result)
                found.append(self._give(len(self._words.context)))
                break
            final = settle(
                decoder.system, decoder.arena, decoder.frontier, self._result, decoder.marks
            )
            if final > self._known:
                found.append(self._give(int(final)))
                self._drop()
            if why != FULL:
                break
            arena = decoder.arena
            if 2 * arena.used[1] > len(arena.items) or 2 * arena.used[0] > len(arena.nodes):
                decoder.grow()
        return _chain(found)

    def _take(self, doc: Document) -> None:
        from caesura.parse.constraints import WordConstraints
        from caesura.parse.search.commit_prefix import Result, new_result

        if Constraints.of(doc).heads is not None:
            raise UsageError(
                "given heads cannot be obeyed in a stream", remedy="Parse the document as a whole."
            )
        parser = self.parser
        self._paragraphs |= bool(len(doc.paragraph_start)) or "paragraphs" in doc.before
        self._turns |= bool(len(doc.turn_start)) or "turns" in doc.before
        words = words_of(
            doc,
            parser.hasher,
            tags=parser.tags,
            breaks=parser.breaks,
            paragraphs=self._paragraphs,
            turns=self._turns,
            choice=parser.choice,
        )
        given = WordConstraints.of(doc, ())
        if not len(self._words.context):
            given.starts[:1] = 0
        self._words = Words(
            np.concatenate([self._words.table, words.table[FIRST_WORD:]]),
            np.concatenate([self._words.context, words.context]),
            np.concatenate([self._words.choices, words.choices]),
        )
        self._starts = np.concatenate([self._starts, given.starts])
        more = new_result(doc.n_words)
        if len(self._result.heads):
            more.starts[:] = 0
        columns: list[Any] = [
            np.concatenate([old, new])
            for old, new in zip(list(self._result), list(more), strict=True)
        ]
        self._result = Result(*columns)

    def _limits(self) -> Limits:
        from caesura.parse.constraints import WordConstraints, limits_of, no_limits

        if not self._starts.any():
            return no_limits()
        n = len(self._starts)
        none = np.full(n, -1, np.int32)
        return limits_of(WordConstraints(self._starts, none - 1, none), single_root=False)

    def _advance(self, last: bool) -> int:
        from caesura.parse.search.beam import advance

        decoder = self._decoder
        return int(
            advance(
                decoder.scorer,
                decoder.system,
                self._limits(),
                self._words,
                decoder.arena,
                decoder.frontier,
                decoder.how,
                last,
            )
        )

    def _give(self, final: int) -> Parse:
        """The words from those given out before up to `final`."""
        from caesura.parse.analysis import Parse

        first = self._known
        parse = Parse.of(self._result, first, final)
        parse.heads = np.where(parse.heads >= 0, parse.heads - first, parse.heads)
        self._known = final
        return Parse.join([parse])

    def _drop(self) -> None:
        """Forget final words but the last few."""
        from caesura.parse.search.commit_prefix import Result, rebase

        offset = self._known - _CONTEXT
        if offset <= 0:
            return
        choices = self.parser.inventory.choices
        rebase(self._decoder.arena, offset, choices)
        table = self._words.table
        self._words = Words(
            np.concatenate([table[:FIRST_WORD], table[FIRST_WORD + offset * choices :]]),
            self._words.context[offset:].copy(),
            self._words.choices[offset:].copy(),
        )
        self._starts = self._starts[offset:].copy()
        columns: list[Any] = [column[offset:].copy() for column in self._result]
        self._result = Result(*columns)
        heads = self._result.heads
        heads[heads >= 0] -= offset
        self._known = _CONTEXT
        self._decoder.frontier.counts[5] = 0  # of what the words that are left may take


def _chain(parts: list[Parse]) -> Parse:
    """Final stretches one after the other."""
    from caesura.parse.analysis import Parse
    from caesura.parse.search.commit_prefix import new_result

    if not parts:
        return Parse.of(new_result(0), 0, 0)
    offset = 0
    for part in parts:
        part.heads = np.where(part.heads >= 0, part.heads + offset, part.heads).astype(np.int32)
        offset += len(part.heads)
    return Parse.join(parts)


def parse_stream(
    parser: Parser, pieces: Iterable[Document], *, confidence: bool = False
) -> Iterator[Document]:
    """Pieces of endless documents in, pieces of whole sentences with their trees out.

    A piece that does not `continue` starts a new document. Pieces must be tagged already if the
    parser was trained with tags.
    """
    stream: JointStream | None = None
    waiting = Document()
    held: Document | None = None

    def ready(piece: Document, last: bool) -> Iterator[Document]:
        nonlocal waiting
        assert stream is not None
        waiting = Document.join([waiting, piece]) if waiting.n_tokens else piece
        parse = stream.feed(piece, last=last)
        n = len(parse.heads)
        if n:
            tokens = int(waiting.word_token[n - 1]) + 1
            done = waiting.cut(0, tokens) if tokens < waiting.n_tokens else waiting
            rest = waiting.cut(tokens, waiting.n_tokens)
            parser.write(done, parse, confidence=confidence)
            waiting = rest if not last else Document()
            yield done
        elif last and waiting.text:
            yield waiting
            waiting = Document()

    for piece in pieces:
        if held is not None:
            yield from ready(held, last=not piece.continues)
        if held is None or not piece.continues:
            stream = JointStream(parser)
        held = piece
    if held is not None:
        yield from ready(held, last=True)
