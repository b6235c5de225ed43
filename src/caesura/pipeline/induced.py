"""A grammar that was induced, in the place of a pipeline: tokens by rule, trees by the grammar.

The rules judge a text by its own statistics, so a long one is cut between lines, at places that
depend on the text alone: whole or streamed, it gets the same analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from caesura import constraints
from caesura.document import Document
from caesura.errors import UsageError
from caesura.pipeline.core import LONG

if TYPE_CHECKING:
    from caesura.models.file import ModelFile

__all__ = ["Induced"]

#: A line so long is cut anywhere.
_ENDLESS: Final = 1 << 22


class Induced:
    """Parses with a grammar of `caesura induce`; its tokens and sentences come from rules."""

    def __init__(self, file: ModelFile) -> None:
        from caesura.induce import Grammar
        from caesura.tokenize import RuleTokenizer

        self.grammar = Grammar.from_part(file.part("grammar"))
        self.tokenizer = RuleTokenizer()
        self.tokenizer_by_line = RuleTokenizer(newline_is_boundary=True)

    def __call__(
        self,
        source: Document,
        *,
        keep: Iterable[str] = (),
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> Document:
        """Parse one document; there are no confidences."""
        doc = constraints.keep(source, keep, newline_is_boundary)
        layout = (doc.token_start, doc.paragraph_start, doc.turn_start, doc.markup_start)
        if len(doc.text) >= LONG and not any(map(len, layout)):
            return self._in_parts(doc, newline_is_boundary)
        return self._one(doc, newline_is_boundary)

    def _in_parts(self, doc: Document, newline_is_boundary: bool) -> Document:
        pieces = list(self.stream([doc.text], newline_is_boundary=newline_is_boundary))
        whole = Document.join(pieces)
        whole.id, whole.source, whole.continues = doc.id, doc.source, doc.continues
        return whole

    def _one(self, doc: Document, newline_is_boundary: bool) -> Document:
        tokenizer = self.tokenizer_by_line if newline_is_boundary else self.tokenizer
        if not {"tokens", "sentences"} <= doc.fixed or not doc.n_tokens:
            doc = tokenizer.tokenize(doc)
        self.grammar.parse(doc)
        doc.fixed = frozenset()
        return doc

    def batch(self, batch: Sequence[Document], **options: Any) -> list[Document]:
        """Parse some documents."""
        return [self(doc, **options) for doc in batch]

    def stream(
        self,
        source: Iterable[str],
        *,
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> Iterator[Document]:
        """Parse one endless text, which is cut between lines."""
        for number, lines in enumerate(_whole_lines(source)):
            piece = self._one(Document(text=lines), newline_is_boundary)
            piece.continues = number > 0
            yield piece

    def k_best(self, source: Document, k: int, **options: Any) -> list[Document]:
        raise UsageError("a grammar has one best analysis", remedy="Leave --k-best out.")


def _whole_lines(blocks: Iterable[str]) -> Iterator[str]:
    """The same text cut after the first line end from `LONG` characters on, however it comes."""
    wait: list[str] = []
    size, cut = 0, False
    for block in blocks:
        at = 0
        while size + len(block) - at >= LONG:
            end = block.find("\n", at + max(0, LONG - 1 - size)) + 1
            if not end or size + end - at > _ENDLESS:
                end = at + _ENDLESS - size
                if end > len(block):
                    break
            yield "".join([*wait, block[at:end]])
            wait, size, at, cut = [], 0, end, True
        wait.append(block[at:])
        size += len(block) - at
    if size or not cut:
        yield "".join(wait)
