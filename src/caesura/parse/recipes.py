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
from caesura.models.file import ModelFile, Part
from caesura.parse.options import TrainOptions
from caesura.parse.parser import Parser

__all__ = ["METRIC", "RECIPES", "Reparsed", "Stage", "load_parser", "recipe_options", "stages"]

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
    """Boundaries from one system, trees from a parser of single sentences."""

    split: Splitter
    parser: Parser

    @classmethod
    def of(cls, boundaries: Parser, parser: Parser) -> Reparsed:
        """Two trained parsers: JOINT-REPARSED, or the pipeline of NOSYNTAX."""

        def split(docs: Sequence[Document]) -> None:
            boundaries.parse(docs)

        return cls(split, parser)

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
        given = [(doc.head, doc.deprel) for doc in batch]
        self.split(batch)
        for doc, (head, deprel) in zip(batch, given, strict=True):
            doc.head, doc.deprel = head, deprel
        starts = [doc.sent_conf for doc in batch]
        self.parser.parse(batch, threads=threads, confidence=confidence, warn=warn)
        for doc, conf in zip(batch, starts, strict=True):
            doc.sent_conf = conf


def load_parser(model: ModelFile | Mapping[str, Part], **search: Any) -> Parser | Reparsed:
    """The parser of a model file, of one stage or of two, with other search options if given."""
    if isinstance(model, ModelFile):
        model.part("parser")
        parts: Mapping[str, Part] = model.parts
    else:
        parts = model

    def one(name: str) -> Parser:
        parser = Parser.from_part(parts[name])
        return parser.with_search(**search) if search else parser

    if "boundaries" in parts and parts["boundaries"].kind == "parser":
        return Reparsed.of(one("boundaries"), one("parser"))
    return one("parser")
