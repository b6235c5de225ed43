"""A joint parser of which only the sentences are taken; a parser of single sentences follows.

This is the first of the two parsers of JOINT-REPARSED and of the pipeline of NOSYNTAX
(Björkelund et al. 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from caesura.document import Document
from caesura.errors import ModelError
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.stage import Stage
from caesura.stages.joint_parser import Parser

_AGAIN: Final = "Train it again: caesura train parser --recipe joint-reparsed"


@dataclass
class Boundaries(Stage):
    """Finds sentences with a joint parser, whose trees are thrown away."""

    parser: Parser
    kind: ClassVar[str] = "parser"
    title: ClassVar[str] = "a parser for boundaries"

    def __post_init__(self) -> None:
        if not self.parser.finds_boundaries:
            raise ModelError("the first parser of this model must find boundaries", remedy=_AGAIN)

    @property
    def needs(self) -> frozenset[str]:
        return self.parser.needs

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({"sentences"})

    @property
    def offers(self) -> frozenset[str]:
        return self.parser.offers - {"k_best"}

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        copies = [replace(doc) for doc in docs]
        self.parser.parse(copies, confidence=request.confidence)
        for doc, copy in zip(docs, copies, strict=True):
            doc.sent_start, doc.sent_conf = copy.sent_start, copy.sent_conf

    def with_options(self, **changes: Any) -> Self:
        return replace(self, parser=self.parser.with_options(**changes))

    def release(self, again: Callable[[], Part] | None = None) -> None:
        self.parser.release(again)

    def to_part(self) -> Part:
        return self.parser.to_part()

    @classmethod
    def from_part(cls, part: Part) -> Self:
        return cls(Parser.from_part(part))
