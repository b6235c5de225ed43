"""The systems of Björkelund et al. (2016) by name, and parsers that work in two stages.

GOLD is trained on single sentences and takes boundaries as given. NOSYNTAX learns chains of words
instead of trees, so that it only finds boundaries. JOINT learns both at once. JOINT-REPARSED takes
the boundaries of JOINT and parses each sentence with GOLD; a pipeline takes them from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from caesura.document import Document
from caesura.errors import UsageError, WarningSink
from caesura.stages.joint_inventory import Inventory
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_analysis import Parse
from caesura.stages.parser_options import SearchOptions, TrainOptions

__all__ = ["METRIC", "RECIPES", "Reparsed", "Stage", "recipe_options", "stages"]

#: What each recipe trains: the parts of the model file with the options that make them.
RECIPES: Final[Mapping[str, Mapping[str, str]]] = {
    "joint": {"parser": "joint"},
    "gold": {"parser": "gold"},
    "nosyntax": {"parser": "nosyntax"},
    "joint-reparsed": {"boundaries": "joint", "parser": "gold"},
    "pipeline:nosyntax": {"boundaries": "nosyntax", "parser": "gold"},
}
#: The dev score by which the best epoch is chosen (section 5.1 of the paper).
METRIC: Final = {"joint": "mean", "gold": "LAS", "nosyntax": "Starts"}

#: A function that splits documents into sentences, in place.
Splitter = Callable[[Sequence[Document]], None]


@dataclass(frozen=True)
class Stage:
    """One parser of a recipe: its part of the model file, its options, its dev score."""

    part: str
    system: str
    options: TrainOptions
    metric: str


def recipe_options(system: str, options: TrainOptions) -> TrainOptions:
    """The options of one system, whatever else was chosen."""
    if system == "gold":
        return replace(options, boundaries="none", breaks=False)
    if system == "nosyntax":
        return replace(options, chains=True)
    if options.boundaries == "none":
        raise UsageError("the recipe joint needs boundaries", remedy="Use the recipe gold.")
    return options


def stages(recipe: str, options: TrainOptions | None = None) -> list[Stage]:
    """What to train for a recipe."""
    if recipe not in RECIPES:
        raise UsageError(
            f"there is no recipe {recipe!r}",
            remedy=f"Recipes are: {', '.join(RECIPES)}. For a pipeline with other boundaries, "
            "train gold and split the documents first.",
        )
    options = options or TrainOptions()
    return [
        Stage(part, system, recipe_options(system, options), METRIC[system])
        for part, system in RECIPES[recipe].items()
    ]


@dataclass
class Reparsed:
    """Boundaries from one system, trees from a parser of single sentences.

    The boundaries are those of another parser (JOINT-REPARSED, the pipeline of NOSYNTAX), of which
    nothing else is taken, or of a function that splits documents in place.
    """

    boundaries: Parser | Splitter
    parser: Parser

    @property
    def search(self) -> SearchOptions:
        return self._splitter.search

    @property
    def inventory(self) -> Inventory:
        """The transitions of the first parser."""
        return self._splitter.inventory

    @property
    def _splitter(self) -> Parser:
        if not isinstance(self.boundaries, Parser):
            raise UsageError(
                "boundaries that come from a function have no options of their own",
                remedy="Give a parser in its place.",
            )
        return self.boundaries

    def with_search(self, **changes: Any) -> Reparsed:
        """The same parsers with other search options, which hold for both."""
        return Reparsed(self._splitter.with_search(**changes), self.parser.with_search(**changes))

    def parse(
        self,
        docs: Document | Iterable[Document],
        *,
        threads: int = 1,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """As `Parser.parse`; the confidence of boundaries is that of their own system."""
        batch = [docs] if isinstance(docs, Document) else list(docs)
        starts = self._split(batch, threads=threads, confidence=confidence)
        self.parser.parse(batch, threads=threads, confidence=confidence, warn=warn)
        for doc, conf in zip(batch, starts, strict=True):
            doc.sent_conf = conf

    def k_best_parses(self, doc: Document, k: int) -> list[Parse]:
        """The k best trees under the best boundaries."""
        copy = replace(doc)
        self._split([copy])
        return self.parser.k_best_parses(copy, k)

    def write(
        self, docs: Sequence[Document], parses: Sequence[Parse], *, confidence: bool = False
    ) -> None:
        self.parser.write(docs, parses, confidence=confidence)

    def _split(
        self, docs: Sequence[Document], *, threads: int = 1, confidence: bool = False
    ) -> list[Any]:
        """Set the sentence starts of documents and nothing else; returns how sure they are."""
        if not isinstance(self.boundaries, Parser):
            given = [(doc.head, doc.deprel) for doc in docs]
            self.boundaries(docs)
            for doc, (head, deprel) in zip(docs, given, strict=True):
                doc.head, doc.deprel = head, deprel
            return [doc.sent_conf for doc in docs]
        sure: list[Any] = []
        copies = [replace(doc) for doc in docs]
        self.boundaries.parse(copies, threads=threads, confidence=confidence)
        for doc, copy in zip(docs, copies, strict=True):
            doc.sent_start = copy.sent_start
            sure.append(copy.sent_conf)
        return sure
