"""A tokeniser alone, in the place of a pipeline: tokens and sentences, no trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from caesura import constraints
from caesura.document import Document
from caesura.errors import UsageError
from caesura.language import watch_for
from caesura.tokenize.paragraphs import line_starts

if TYPE_CHECKING:
    from caesura.models.file import ModelFile

__all__ = ["Splitter"]


class Splitter:
    """Splits texts with the tokeniser of a model."""

    def __init__(self, file: ModelFile, *, bias: float = 0.0) -> None:
        from caesura.tokenize import Tokenizer

        self.tokenizer = Tokenizer.from_part(file.part("tokenizer")).with_bias(bias)
        self.watch = watch_for(file.meta)

    def __call__(
        self,
        source: Document,
        *,
        keep: Iterable[str] = (),
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> Document:
        """Tokens and sentences of one document."""
        if newline_is_boundary:
            starts = line_starts(source.text)
            doc = self.tokenizer.tokenize(source.text, sentence_starts=starts)
            doc.id, doc.source, doc.continues = source.id, source.source, source.continues
            return doc
        return self.tokenizer.tokenize(constraints.keep(source, keep))

    def batch(self, batch: Sequence[Document], **options: Any) -> list[Document]:
        return [self(doc, **options) for doc in batch]

    def stream(
        self,
        source: Iterable[str],
        *,
        newline_is_boundary: bool = False,
        confidence: bool = False,
    ) -> Iterator[Document]:
        """One endless text, in pieces that end with a sentence."""
        stream = self.tokenizer.stream(
            whole_sentences=True, newline_is_boundary=newline_is_boundary
        )
        for block in source:
            piece = stream.feed(block)
            if piece.n_tokens:
                yield piece
        yield stream.feed("", last=True)

    def k_best(self, source: Document, k: int, **options: Any) -> list[Document]:
        raise UsageError("a tokeniser has one analysis", remedy="Leave --k-best out.")
