"""The interface of a stage of a pipeline, and the class for each part of a model file.

A stage fills columns of documents that have what it needs. Stages do not know each other:
`caesura.pipeline.builder` puts them in order by what each needs and adds, and sets the options that
depend on others. A new kind of stage is a class of this interface, and a line in `REGISTRY`.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import CaesuraError, ModelError, UsageError
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.turns import TurnReader

if TYPE_CHECKING:
    from caesura.guidelines.table import Tables
    from caesura.language.watch import Watch

__all__ = [
    "EVIDENCE",
    "NOTHING_GIVEN",
    "REGISTRY",
    "GivenText",
    "ReaderOf",
    "Stage",
    "StartStage",
    "TokenStage",
    "stage_of",
]

#: What a stage needs that reads the evidence of a tokeniser for sentence starts.
EVIDENCE: Final = "start_evidence"
#: The reader of word boundaries for a language, if it can be read.
ReaderOf = Callable[[str], Callable[[str], NDArray[np.float32]] | None]
_DAMAGED: Final = "The file is damaged or made by another program; train or fetch it again."
#: The class for a part: by its name in the file, by its kind and system, or by its kind.
REGISTRY: Final[dict[str, str]] = {
    "tokenizer": "caesura.stages.tokenizer:Tokenizer",
    "tokenizers": "caesura.stages.several_tokenizers:ManyTokenizer",
    "rules": "caesura.stages.rules_tokenizer:RuleTokenizer",
    "tagger": "caesura.stages.tagger:Tagger",
    "boundaries": "caesura.stages.boundaries:Boundaries",
    "parser.joint": "caesura.stages.joint_parser:Parser",
    "parser.branching": "caesura.stages.branching_parser:BranchingParser",
    "neural": "caesura.stages.network:NeuralParser",
    "grammar": "caesura.induce.grammar:Grammar",
}


class Stage(ABC):
    """Fills columns of documents, in place. It is thread-safe."""

    #: The kind of its part in a model file.
    kind: ClassVar[str]
    #: Its name in messages, with an article.
    title: ClassVar[str] = "a stage"
    #: The kind of stage that makes tokens if the model has no tokeniser.
    tokens_by: ClassVar[str] = ""

    @property
    @abstractmethod
    def needs(self) -> frozenset[str]:
        """What a document must have: `text`, `tokens`, `sentences`, or names of columns."""

    @property
    @abstractmethod
    def adds(self) -> frozenset[str]:
        """What it fills, in the same terms."""

    @property
    def offers(self) -> frozenset[str]:
        """The names of its options, and `confidence` and `k_best` if it has them."""
        return frozenset()

    @abstractmethod
    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        """Fill what it adds; what a document fixes stays."""

    def set_language(self, language: str) -> None:
        """Load what is known of the words of a language. Called once, before the stage is used."""
        return

    def obey(self, tables: Tables, language: str | None) -> None:
        """Follow the guidelines of a model's languages; called once, before use."""
        return

    def watch(self) -> Watch | None:
        """Warns of text in another language, if the stage recognises languages."""
        return None

    def k_best(self, doc: Document, k: int) -> list[Document]:
        """Up to k different analyses, the best first."""
        raise UsageError(f"{self.title} has one best analysis", remedy="Leave --k-best out.")

    def with_options(self, **changes: Any) -> Self:
        """The same stage with other options of its use."""
        self.refuse(changes)
        return self

    def refuse(self, changes: Iterable[str], known: Iterable[str] = ()) -> None:
        """Refuse names that are no options of this stage."""
        names = sorted(known)
        for name in changes:
            if name not in names:
                remedy = f"What can be changed: {', '.join(names)}." if names else "Leave it out."
                raise UsageError(f"{self.title} has no {name}", remedy=remedy)

    def starts_alone(self) -> Stage | None:
        """A stage that sets the same sentence starts without trees, where it scores them itself."""
        return None

    def release(self, again: Callable[[], Part] | None = None) -> None:
        """Free what only `to_part` needs, and what can be read `again` from its part."""
        return

    @abstractmethod
    def to_part(self) -> Part:
        """The part of a model file for it."""

    @classmethod
    @abstractmethod
    def from_part(cls, part: Part) -> Self:
        """The stage of a part, checked."""

    @classmethod
    def for_threads(cls, part: Part, threads: int) -> Self:
        """The same with threads of its own; most stages leave threads to their callers."""
        return cls.from_part(part)


class StartStage(Stage):
    """A stage that decides where sentences start, and nothing else."""

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"tokens", EVIDENCE})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({"sentences"})


class GivenText(NamedTuple):
    """What a caller fixes of a text: spans of tokens, and offsets with or without a boundary."""

    tokens: Sequence[tuple[int, int]] | None = None
    sentence_starts: Sequence[int] | None = None
    no_boundary: Sequence[int] | None = None
    #: Whether every line starts a sentence.
    by_line: bool = False


NOTHING_GIVEN: Final = GivenText()


class TokenStage(Stage):
    """A stage that starts from text: it makes tokens, and sentences unless they are left open."""

    #: Whether it decides where sentences start; else a later stage does.
    decides: bool = True

    @property
    def needs(self) -> frozenset[str]:
        return frozenset({"text"})

    @property
    def adds(self) -> frozenset[str]:
        return frozenset({"tokens", "sentences"} if self.decides else {"tokens"})

    def open(self, *, decided: bool, weigh: bool = True, reader_of: ReaderOf | None = None) -> Self:
        """The same stage, which leaves sentence starts open if it can.

        A later stage has `decided` them, or its evidence will. `weigh` asks for evidence. For text
        without spaces `reader_of` a language gives the odds that a word begins at a character.
        """
        return self

    def weighing(self) -> Self:
        """The same stage, which gives evidence of sentence starts if it can."""
        return self

    def evidence_starts(self) -> Stage | None:
        """A stage that decides sentence starts by the evidence."""
        return None

    @abstractmethod
    def tokens_of(self, source: str | Document, given: GivenText = NOTHING_GIVEN) -> Document:
        """A text or a document with tokens; what is given or declared fixed is obeyed."""

    def tokens_of_many(self, sources: Sequence[Document]) -> list[Document]:
        """The same for many documents, of which nothing is given beside them."""
        return [self.tokens_of(source) for source in sources]

    @abstractmethod
    def pieces(
        self, blocks: Iterable[str], *, by_line: bool = False, turns: TurnReader | None = None
    ) -> Iterator[Document]:
        """The same of a text that comes in blocks, in pieces whose texts add up to it.

        `turns` has looked at the blocks, and pieces get theirs from it.
        """

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        for doc in docs:
            vars(doc).update(vars(self.tokens_of(doc)))


def _built(kind: type[Stage], part: Part, threads: int) -> Stage:
    """Build the stage of a part. Any failure is reported as a damaged model."""
    try:
        return kind.for_threads(part, threads)
    except UsageError as error:
        raise ModelError(f"the model's {part.kind}: {error.what}", remedy=_DAMAGED) from error
    except CaesuraError:
        raise
    except MemoryError as error:
        what = f"the model's {part.kind} asks for more memory than there is"
        raise ModelError(what, remedy=_DAMAGED) from error
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        what = f"the model's {part.kind} cannot be used ({told[:200]})"
        raise ModelError(what, remedy=_DAMAGED) from error


def stage_of(part: Part, name: str = "", *, threads: int = 1) -> Stage:
    """The stage of a part, which may have a name of its own in its file."""
    system = part.config.get("system", "")
    for key in (name, f"{part.kind}.{system}", part.kind):
        if key in REGISTRY:
            module, _, attribute = REGISTRY[key].partition(":")
            kind: type[Stage] = getattr(importlib.import_module(module), attribute)
            return _built(kind, part, threads)
    what = f"{part.kind} ({system})" if system else part.kind
    raise ModelError(
        f"this version of Caesura has no stage for a part of kind {what!r}",
        remedy=f"It knows: {', '.join(sorted(REGISTRY))}.",
    )
