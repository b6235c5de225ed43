"""One tokeniser for many languages: a recogniser, and a small tokeniser for each of them.

A paragraph is cut by the tokeniser of its language. One small table a language is as accurate as
one large table for all with features crossed with the language, and smaller: what languages share
is little, and what a text without any language needs is in the rules of `RuleTokenizer`.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import groupby
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import Document
from caesura.document.slicing import join
from caesura.errors import ModelError, UsageError
from caesura.language.box import UNKNOWN
from caesura.language.guess import language_name, plain_code
from caesura.language.recognise import KIND as LANGUAGE
from caesura.language.recognise import Guess, Recogniser
from caesura.language.watch import ManyWatch, Watch
from caesura.models.file import Part
from caesura.models.store import load_model
from caesura.stage import NOTHING_GIVEN, GivenText, ReaderOf, TokenStage
from caesura.stages.rules_tokenizer import RuleTokenizer
from caesura.stages.tokenizer import KIND as TOKENIZER
from caesura.stages.tokenizer import Tokenizer
from caesura.turns import TurnReader

KIND: Final = "tokenizers"
#: Characters of paragraphs that are handed on together: a tokeniser waits for about as many.
_TOGETHER: Final = 4096


class Shelf(Mapping[str, Tokenizer]):
    """Tokenisers by language, each built on first use: one takes megabytes.

    Threads may share one.
    """

    def __init__(self, makers: Mapping[str, Callable[[], Tokenizer]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Tokenizer] = {}
        self._lock = threading.Lock()

    def __getitem__(self, code: str) -> Tokenizer:
        with self._lock:
            if code not in self._made:
                self._made[code] = self._makers[code]()
            return self._made[code]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def changed(self, change: Callable[[Tokenizer], Tokenizer]) -> Shelf:
        """The same tokenisers, changed on first use."""
        return Shelf({code: partial(_changed, self, code, change) for code in self})


def _changed(shelf: Shelf, code: str, change: Callable[[Tokenizer], Tokenizer]) -> Tokenizer:
    return change(shelf[code])


class ManyTokenizer(TokenStage):
    """Tokenisers by language. It does not change in use, so threads may share one."""

    kind: ClassVar[str] = KIND
    title: ClassVar[str] = "a tokeniser of many languages"

    def __init__(
        self, recogniser: Recogniser, tokenizers: Mapping[str, Tokenizer], language: str = ""
    ) -> None:
        """With `language` every text is taken to be in that one."""
        self.recogniser = recogniser
        if not isinstance(tokenizers, Shelf):
            tokenizers = Shelf({code: partial(_same, one) for code, one in tokenizers.items()})
        self.tokenizers = tokenizers
        self.language = self._checked(language) if language else ""
        self._rules = RuleTokenizer()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that are recognised; some of them may have no tokeniser of their own."""
        return self.recogniser.languages[:-1]

    def _checked(self, language: str) -> str:
        """A language as it is called here, by any of its names."""
        if language == UNKNOWN:
            return UNKNOWN
        lower = language.strip().lower().replace("_", "-")
        same = {plain_code(code): code for code in reversed(self.languages)}
        for code in (lower, lower.split("-")[0]):
            if code in self.languages:
                return code
        if plain_code(lower) in same:
            return same[plain_code(lower)]
        raise UsageError(
            f"the model does not know {language_name(language)} ({language})",
            remedy=f"Languages: {', '.join(self.languages)}.",
        )

    # ----------------------------------------------------------- as a stage

    @property
    def offers(self) -> frozenset[str]:
        return frozenset({"language", "bias"} if self.decides else {"language"})

    def with_options(self, **changes: Any) -> Self:
        self.refuse(changes, self.offers)
        other = copy(self)
        if "language" in changes:
            other.language = self._checked(changes["language"]) if changes["language"] else ""
        if "bias" in changes:
            bias = changes["bias"]
            other.tokenizers = self.tokenizers.changed(lambda one: one.with_bias(bias))
        return other

    def open(self, *, decided: bool, weigh: bool = True, reader_of: ReaderOf | None = None) -> Self:
        other = copy(self)
        other.decides = False
        other.tokenizers = self.tokenizers.changed(partial(_open, reader_of))
        return other

    def watch(self) -> Watch:
        """Who says if a text is in no language that is known, or plainly not in the one named."""
        return ManyWatch(self.recogniser, self.language)

    # ------------------------------------------------------------------ use

    def tokens_of(self, source: str | Document, given: GivenText = NOTHING_GIVEN) -> Document:
        """Tokens of a text by the languages of its paragraphs.

        Where tokens are given, and in documents with turns or mark-up, all is in one language.
        """
        text = source if isinstance(source, str) else source.text
        parts = list(_by_language(self._labelled([text])))
        if given.tokens is not None or len(parts) < 2 or not _plain(source):
            code = parts[0][0] if len(parts) == 1 else self._code_of(text)
            return _named(self._of(code).tokens_of(source, given), code)
        docs = []
        start = 0
        for code, own in parts:
            end = start + len(own)
            inside = given._replace(
                sentence_starts=_within(given.sentence_starts, start, end),
                no_boundary=_within(given.no_boundary, start, end),
            )
            docs.append(_named(self._of(code).tokens_of(own, inside), code))
            start = end
        doc = join(docs)
        if isinstance(source, Document):
            doc.id, doc.source, doc.continues = source.id, source.source, source.continues
            doc.before, doc.fixed, doc.trailer = source.before, source.fixed, source.trailer
            if len(source.paragraph_start):
                doc.paragraph_start = source.paragraph_start
        return doc

    def pieces(
        self, blocks: Iterable[str], *, by_line: bool = False, turns: TurnReader | None = None
    ) -> Iterator[Document]:
        """The same of a text that comes in blocks; with turns all of it is in one language."""
        labelled = self._labelled(blocks)
        if turns is not None:
            labelled = _of_one(labelled)
        first = True
        for code, group in groupby(labelled, key=_code):
            stage, own = self._of(code), _together(part for _, part in group)
            for piece in stage.pieces(own, by_line=by_line, turns=turns):
                piece.continues = piece.continues or not first
                first = False
                yield _named(piece, code)

    def _labelled(self, blocks: Iterable[str]) -> Iterator[tuple[Guess, str]]:
        if self.language:
            guess = Guess(self._fixed, 1.0)
            return ((guess, block) for block in blocks)
        return self.recogniser.runs(blocks)

    def _code_of(self, text: str) -> str | None:
        return self._fixed if self.language else self.recogniser.of(text).language

    @property
    def _fixed(self) -> str | None:
        """The language that all texts are taken to be in; None for an unknown one."""
        return None if self.language == UNKNOWN else self.language

    def _of(self, code: str | None) -> TokenStage:
        return self.tokenizers.get(code or "", self._rules)

    # -------------------------------------------------------------- storing

    def to_part(self) -> Part:
        """All of them as one part: names begin with the code of the language."""
        arrays: dict[str, NDArray[Any]] = {}
        labels: dict[str, list[str]] = {"codes": list(self.tokenizers)}
        told = self.recogniser.to_part()
        configs = [json.dumps(told.config)]
        for code, part in [
            (LANGUAGE, told),
            *((code, one.to_part()) for code, one in self.tokenizers.items()),
        ]:
            arrays |= {f"{code}/{name}": array for name, array in part.arrays.items()}
            labels |= {f"{code}/{name}": own for name, own in part.labels.items()}
            if part is not told:
                configs.append(json.dumps(part.config, sort_keys=True))
        return Part(KIND, {"language": self.language}, labels | {"configs": configs}, arrays)

    @classmethod
    def from_part(cls, part: Part) -> Self:
        if part.kind != KIND:
            raise ModelError(f"this is a {part.kind}, not {cls.title}")
        codes, configs = part.labels.get("codes", []), part.labels.get("configs", [])
        if len(configs) != len(codes) + 1:
            raise ModelError("the model's tokenisers do not say which languages they are for")
        try:
            options = [json.loads(config) for config in configs]
        except ValueError as error:
            raise ModelError("the options of the model's tokenisers cannot be read") from error
        recogniser = Recogniser.from_part(_inner(part, LANGUAGE, LANGUAGE, options[0]))
        inner = {
            code: _inner(part, TOKENIZER, code, config)
            for code, config in zip(codes, options[1:], strict=True)
        }
        shelf = Shelf({code: partial(Tokenizer.from_part, own) for code, own in inner.items()})
        return cls(recogniser, shelf, str(part.option("language", str, "")))


def recogniser_of(model: str | os.PathLike[str]) -> Recogniser:
    """The recogniser of a model of many languages, without the rest."""
    part = load_model(model).part(KIND)
    config = part.labels.get("configs", ["{}"])[0]
    return Recogniser.from_part(_inner(part, LANGUAGE, LANGUAGE, json.loads(config)))


def _inner(part: Part, kind: str, code: str, config: Any) -> Part:
    """The part of one language."""
    if not isinstance(config, dict):
        raise ModelError("the options of the model's tokenisers cannot be read")
    prefix = f"{code}/"
    return Part(
        kind,
        config,
        {k.removeprefix(prefix): v for k, v in part.labels.items() if k.startswith(prefix)},
        {k.removeprefix(prefix): v for k, v in part.arrays.items() if k.startswith(prefix)},
    )


def _same(tokenizer: Tokenizer) -> Tokenizer:
    return tokenizer


def _open(reader_of: ReaderOf | None, tokenizer: Tokenizer) -> Tokenizer:
    """The same tokeniser, which leaves sentences to a later stage, with a reader of words."""
    other = copy(tokenizer)
    other.decides = other.starts = False
    other.reader = None if reader_of is None else reader_of(tokenizer.options.language)
    return other


def _within(offsets: Sequence[int] | None, start: int, end: int) -> list[int] | None:
    """The offsets in a stretch of a text, from its start on."""
    return None if offsets is None else [at - start for at in offsets if start <= at < end]


def _named(doc: Document, code: str | None) -> Document:
    number = int(doc.strings.ids([code or ""])[0])
    doc.token_language = np.full(doc.n_tokens, number, dtype=np.int32)
    return doc


def _plain(source: str | Document) -> bool:
    """Whether there is nothing but a text whose parts may be taken one by one."""
    if isinstance(source, str):
        return True
    given = Constraints.of(source)
    told = len(source.turn_start) or len(source.markup_start)
    return not (given.tokens or given.starts is not None or told)


def _code(row: tuple[Guess, str]) -> str | None:
    return row[0].language


def _by_language(rows: Iterable[tuple[Guess, str]]) -> Iterator[tuple[str | None, str]]:
    for code, group in groupby(rows, key=_code):
        yield code, "".join(part for _, part in group)


def _together(parts: Iterable[str]) -> Iterator[str]:
    """The same text in longer parts, for every one costs something."""
    kept = ""
    for part in parts:
        kept += part
        if len(kept) >= _TOGETHER:
            yield kept
            kept = ""
    if kept:
        yield kept


def _of_one(rows: Iterator[tuple[Guess, str]]) -> Iterator[tuple[Guess, str]]:
    """All in the language of the first."""
    guess: Guess | None = None
    for own, part in rows:
        guess = guess or own
        yield guess, part
