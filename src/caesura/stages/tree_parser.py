"""What the parsers with transitions have in common as stages of a pipeline."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import UsageError, WarningSink
from caesura.stage import Stage

if TYPE_CHECKING:
    from caesura.models.file import Part
    from caesura.stages.parse_analysis import Parse

__all__ = ["TreeParser"]


class TreeParser(Stage):
    """A parser that finds trees, and sentences too if it was trained on documents."""

    kind: ClassVar[str] = "parser"
    #: The columns of tags that it was trained with.
    tags: tuple[str, ...]
    #: The weights as its model file has them, which only `to_part` needs.
    packed: Mapping[str, NDArray[Any]] | None

    @property
    @abstractmethod
    def finds_boundaries(self) -> bool:
        """Whether it decides where sentences start; else they must be known."""

    @property
    @abstractmethod
    def search_options(self) -> tuple[str, ...]:
        """The names of the options of its search."""

    @abstractmethod
    def with_search(self, **changes: Any) -> Self:
        """The same parser with other search options; the weights are shared."""

    @abstractmethod
    def analyse(
        self, docs: Sequence[Document], *, threads: int = 1, warn: WarningSink | None = None
    ) -> list[Parse]:
        """The best analysis of each document, which is left as it is."""

    @abstractmethod
    def k_best_parses(self, doc: Document, k: int) -> list[Parse]:
        """Up to k different analyses, best first; the document is left as it is."""

    @abstractmethod
    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        """Put analyses into their documents; what a document fixes stays as it is."""

    def parse(
        self,
        docs: Document | Iterable[Document],
        *,
        threads: int = 1,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """Fill head and deprel of documents, in place, and sentence starts if it finds them.

        With `confidence` also `sent_conf` and `arc_conf`: the calibrated probability that a
        sentence starts at a token, and that a word's head and label are right.
        """
        batch = [docs] if isinstance(docs, Document) else list(docs)
        self.write(batch, self.analyse(batch, threads=threads, warn=warn), confidence=confidence)

    # ----------------------------------------------------------------- as a stage

    @property
    def needs(self) -> frozenset[str]:
        open_ = () if self.finds_boundaries else ("sentences",)
        return frozenset({"tokens", *self.tags, *open_})

    @property
    def adds(self) -> frozenset[str]:
        found = ("sentences",) if self.finds_boundaries else ()
        return frozenset({"head", "deprel", *found})

    @property
    def offers(self) -> frozenset[str]:
        open_ = set() if self.finds_boundaries else {"bias"}
        return frozenset({"confidence", "k_best", *self.search_options}) - open_

    def with_options(self, **changes: Any) -> Self:
        if "bias" in changes and not self.finds_boundaries:
            raise UsageError(
                "the parser of this model has no bias: it takes sentences as they are given",
                remedy="Leave the bias out.",
            )
        self.refuse(changes, self.search_options)
        return self.with_search(**changes)

    def release(self, again: Callable[[], Part] | None = None) -> None:
        self.packed = None

    def annotate(
        self,
        docs: Sequence[Document],
        *,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """Parse."""
        self.parse(docs, confidence=confidence, warn=warn)

    def k_best(self, doc: Document, k: int) -> list[Document]:
        """Up to k different analyses, the best first."""
        found = []
        for parse in self.k_best_parses(doc, k):
            analysis = replace(doc)
            self.write([analysis], [parse])
            analysis.fixed = frozenset()
            found.append(analysis)
        return found
