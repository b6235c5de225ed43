"""A grammar that was induced, in the place of a pipeline: tokens by rule, trees by the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from caesura.document import Document
from caesura.errors import UsageError
from caesura.pipeline.core import whole_lines
from caesura.pipeline.given import keep_given

if TYPE_CHECKING:
    from caesura.models.file import ModelFile

__all__ = ["Induced"]


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
        doc = keep_given(source, keep)
        tokenizer = self.tokenizer_by_line if newline_is_boundary else self.tokenizer
        if not {"tokens", "sentences"} <= doc.fixed or not doc.n_tokens:
            doc = tokenizer.tokenize(doc)
        self.grammar.parse(doc)
        doc.fixed = frozenset()
        return doc

    def batch(self, batch: Sequence[Document], **options: Any) -> list[Document]:
        """Parse some documents."""
        return [self(doc, **options) for doc in batch]

    def stream(self, source: Iterable[str], **options: Any) -> Iterator[Document]:
        """Parse one endless text, which is cut between lines."""
        for number, lines in enumerate(whole_lines(source)):
            piece = self(Document(text=lines), **options)
            piece.continues = number > 0
            yield piece

    def k_best(self, source: Document, k: int, **options: Any) -> list[Document]:
        raise UsageError("a grammar has one best analysis", remedy="Leave --k-best out.")
