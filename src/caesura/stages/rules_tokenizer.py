"""Tokens and sentences by rule, for languages without a treebank: no training, no model.

Words follow the word boundaries of Unicode (UAX 29), with addresses, numbers, emoticons and
acronyms kept whole; characters of scripts without spaces stand alone. Abbreviations are found by
corpus statistics (Kiss and Strunk 2006, "Unsupervised Multilingual Sentence Boundary Detection",
sections 3 and 4), of the text itself or of a text that was read before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, pairwise
from typing import Any, ClassVar, Final, Self

import numpy as np

from caesura.constraints import Constraints, labelled
from caesura.document import MAYBE, NO, YES, Document
from caesura.layout import BLANK, ENDED, breaks
from caesura.models.file import Part
from caesura.stage import NOTHING_GIVEN, GivenText, TokenStage
from caesura.stages.token_decoder import paragraphs
from caesura.turns import TurnReader, with_turns_of

_THRESHOLD = 0.3
_LONGEST = 20


@dataclass
class Statistics:
    """Counts of the words of a text; texts may be added one after the other."""

    with_period: Counter[str] = field(default_factory=Counter)
    without_period: Counter[str] = field(default_factory=Counter)
    #: Words written with a lower-case letter, and with a capital in the middle of a sentence.
    lower: Counter[str] = field(default_factory=Counter)
    upper_inside: Counter[str] = field(default_factory=Counter)
    _abbreviations: frozenset[str] | None = None

    def add(self, tokens: Sequence[str], glued: Sequence[bool]) -> None:
        """Count the tokens of a text; `glued` says which stand right behind the one before."""
        self._abbreviations = None
        for i, token in enumerate(tokens):
            first = token[:1]
            if not first.isalpha():
                continue
            word = token.lower()
            period = i + 1 < len(tokens) and glued[i + 1] and tokens[i + 1] == "."
            (self.with_period if period else self.without_period)[word] += 1
            if first.islower():
                self.lower[word] += 1
            elif first.isupper() and i and tokens[i - 1][-1:].isalnum():
                self.upper_inside[word] += 1

    @property
    def abbreviations(self) -> frozenset[str]:
        """Words that are abbreviations when a period follows."""
        if self._abbreviations is None:
            self._abbreviations = frozenset(self._find())
        return self._abbreviations

    def _find(self) -> Iterable[str]:
        periods = sum(self.with_period.values())
        words = periods + sum(self.without_period.values())
        if not periods:
            return
        usual = min(periods / words, 0.989)
        for word, k in self.with_period.items():
            if len(word) > _LONGEST:
                continue
            bare = self.without_period[word]
            n = k + bare
            ratio = _log_binomial(k, n, 0.99) - _log_binomial(k, n, usual)
            inner = word.count(".") + 1
            length = max(1, len(word.replace(".", "")))
            score = 2.0 * ratio * math.exp(-length) * inner * length ** -float(min(bare, 300))
            if score >= _THRESHOLD:
                yield word

    def starts_sentence(self, token: str) -> bool:
        """Whether a word after an abbreviation looks like the first of a sentence."""
        if not token[:1].isupper():
            return False
        word = token.lower()
        return self.lower[word] > 0 and self.upper_inside[word] == 0


def _log_binomial(k: int, n: int, p: float) -> float:
    return k * math.log(p) + (n - k) * math.log(1.0 - p)


#: A longer text is cut after the first line end from here on, and a line so long anywhere.
LONG: Final = 60_000
_ENDLESS: Final = 1 << 22
_STOPS: Final = frozenset(".!?…。！？｡؟۔।॥։။።‼⁇⁈⁉")
_ALWAYS: Final = frozenset("。！？｡।॥")
_CLOSERS: Final = frozenset("\"'”’»)]}」』）］｝›")


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(
        r"""
          (?:(?:https?|ftp)://|www\.)                                         # addresses
          [^\s\x1c-\x1f<>"“”«»]*[^\s\x1c-\x1f<>"“”«».,;:!?)\]}'’…]
        | [\p{L}\p{N}_.+-]{1,64}+@[\p{L}\p{N}-]++(?:\.[\p{L}\p{N}-]++){1,16}   # e-mail
        | [\#@][\p{L}\p{N}_]++                                                # tags and names
        | (?<![\p{L}\p{N}])(?:[:;=8][-o^']?[)(\]\[DPp/\\|*3]+|<3+)(?![\p{L}\p{N}])
        | (?:\p{L}\.){2,32}                                                   # acronyms
        | [\p{Han}\p{Hiragana}][\p{M}\p{Cf}]*+                                # one by one
        | [\p{Katakana}ー][\p{Katakana}ー\p{M}\p{Cf}]*+
        | \p{N}++(?:[.,:/’'٫٬]\p{N}++){0,32}+[\p{L}\p{M}]*+                    # numbers
        | [[\p{L}\p{N}\p{M}_]--[\p{Han}\p{Hiragana}\p{Katakana}]]             # words
          [[\p{L}\p{N}\p{M}\p{Cf}_]--[\p{Han}\p{Hiragana}\p{Katakana}]]*+
          (?:['’ʼ·][\p{L}--[\p{Han}\p{Hiragana}\p{Katakana}]][\p{L}\p{M}\p{N}\p{Cf}_]*+){0,8}+
        | ([.!?…*=~_-])\1*+                                                   # runs of one mark
        | \p{Regional_Indicator}{2}
        | [^\s\x1c-\x1f]                                                      # joined emoji
          (?:\u200d[^\s\x1c-\x1f]|[\p{M}\p{Cf}\p{Emoji_Modifier}]){0,32}+
        """,
        regex.VERBOSE | regex.V1,
    )


class RuleTokenizer(TokenStage):
    """Splits texts by rule. `learn` shows it texts whose abbreviations it shall know."""

    kind: ClassVar[str] = "rules"
    title: ClassVar[str] = "a tokeniser by rule"

    def __init__(self, *, newline_is_boundary: bool = False) -> None:
        self.newline_is_boundary = newline_is_boundary
        self.statistics = Statistics()
        self._learned = False

    def learn(self, texts: Iterable[str]) -> RuleTokenizer:
        """Gather statistics of texts; without this each text is judged by itself."""
        for text in texts:
            spans = _spans(text)
            self.statistics.add(*_surfaces(text, spans))
        self._learned = True
        return self

    # ----------------------------------------------------------- as a stage

    def to_part(self) -> Part:
        """Rules are not learned: nothing is kept but how lines are taken."""
        return Part("rules", {"newline-is-boundary": self.newline_is_boundary})

    @classmethod
    def from_part(cls, part: Part) -> Self:
        lines = bool(part.option("newline-is-boundary", bool, False))
        return cls(newline_is_boundary=lines)

    def tokens_of(self, source: str | Document, given: GivenText = NOTHING_GIVEN) -> Document:
        """Tokens and sentences; what is given or declared fixed is obeyed.

        The rules judge a text by its own statistics, so a long one without any layout is cut
        between lines, as it would come out of a stream.
        """
        doc = Document(text=source) if isinstance(source, str) else source
        if given.tokens is not None:
            spans = np.array(list(given.tokens), dtype=np.int64).reshape(-1, 2)
            doc = Document.from_spans(doc.text, spans[:, 0], spans[:, 1])
            doc.check()
            doc.fixed = frozenset({"tokens"})
        bare = not any(map(len, (doc.token_start, doc.paragraph_start, doc.markup_start)))
        if bare and len(doc.text) >= LONG:
            whole = Document.join(list(self.pieces([doc.text], by_line=given.by_line)))
            whole.id, whole.source, whole.continues = doc.id, doc.source, doc.continues
            with_turns_of(whole, doc)
            doc = whole
        elif not (Constraints.of(doc).tokens and Constraints.of(doc).starts is not None):
            if bare:
                doc = replace(doc, paragraph_start=paragraphs(doc.text))
            doc = self._by_line(given.by_line).tokenize(doc)
        marks = doc.sent_start.copy()
        marks[np.isin(doc.token_start, np.array(given.no_boundary or (), np.int64))] = NO
        marks[np.isin(doc.token_start, np.array(given.sentence_starts or (), np.int64))] = YES
        doc.sent_start = marks
        return doc

    def pieces(
        self, blocks: Iterable[str], *, by_line: bool = False, turns: TurnReader | None = None
    ) -> Iterator[Document]:
        """The pieces of an endless text, which is cut between lines."""
        rules = self._by_line(by_line)
        opens, seen, base = True, False, 0
        labels: list[tuple[int, int]] = []
        # Whether a turn goes on after a piece is known when the next one is.
        for number, (lines, _) in enumerate(pairwise(chain(_whole_lines(blocks), [""]))):
            found = paragraphs(lines, opens=opens)
            piece = rules.tokenize(Document(text=lines, paragraph_start=found))
            if turns is not None:
                starts = np.array(turns.starts(base, base + len(lines)), np.int64) - base
                turns.put(piece, base)
                if not rules.newline_is_boundary:
                    labels += turns.labels(base, base + len(lines))
                own = labelled(piece, [(begin - base, end - base) for begin, end in labels])
                piece.sent_start[own] = NO
                piece.sent_start[np.isin(piece.token_start, starts)] = YES
                last = int(piece.token_start[-1]) if piece.n_tokens else -1
                labels = [label for label in labels if label[1] - base > last]
            base += len(lines)
            piece.continues = number > 0
            piece.before = frozenset({"paragraphs"} if seen else ())
            seen |= bool(len(found))
            gap = lines[len(lines.rstrip()) :]
            opens = gap.count("\n") > 1 or (opens and gap == lines)
            yield piece

    def _by_line(self, newline_is_boundary: bool) -> RuleTokenizer:
        if self.newline_is_boundary or not newline_is_boundary:
            return self
        other = copy(self)
        other.newline_is_boundary = True
        return other

    # ------------------------------------------------------------------ use

    def tokenize(self, source: str | Document, *, sentences: bool = True) -> Document:
        """Tokens and sentences of a text; tokens and sentences that a document fixed stay."""
        given = source
        if isinstance(given, str):
            given = Document(text=given, paragraph_start=paragraphs(given))
        text, fixed = given.text, Constraints.of(given)
        if fixed.tokens:
            spans = list(zip(given.token_start.tolist(), given.token_end.tolist(), strict=True))
        else:
            spans = _spans(text)
        statistics = self.statistics
        if not self._learned:
            statistics = Statistics()
            statistics.add(*_surfaces(text, spans))
        if fixed.tokens:
            doc = given.cut(0, given.n_tokens)
        else:
            spans = _with_periods(text, spans, statistics)
            doc = Document.from_spans(
                text, [a for a, _ in spans], [b for _, b in spans], strings=given.strings
            )
            doc.id, doc.source, doc.paragraph_start = given.id, given.source, given.paragraph_start
            doc.fixed, doc.continues = given.fixed, given.continues
            doc.turn_start, doc.turn_end = given.turn_start, given.turn_end
            doc.turn_speaker, doc.turn_time = given.turn_speaker, given.turn_time
            doc.markup_start, doc.markup_end = given.markup_start, given.markup_end
            doc.markup_label = given.markup_label
        blank = np.isin(breaks(doc), (BLANK, ENDED)).tolist()
        starts = np.array(self._starts(text, spans, statistics, blank), dtype=np.int8)
        if fixed.starts is not None and given.n_tokens:
            starts = _obey(given, doc, starts)
        doc.start_evidence = starts.astype(np.float32)
        if sentences:
            doc.sent_start = starts
        return doc

    def _starts(
        self, text: str, spans: list[tuple[int, int]], known: Statistics, blank: list[bool]
    ) -> list[int]:
        """1 for each token that starts a sentence, else 0; `blank`: which follow blank lines."""
        starts = [0] * len(spans)
        ended = False
        last = ""  # the mark that ended the sentence
        abbreviated = False
        before = 0
        for i, (start, end) in enumerate(spans):
            token = text[start:end]
            gap = text[before:start]
            before = end
            if i == 0 or blank[i] or (self.newline_is_boundary and "\n" in gap):
                starts[i], ended = 1, False
            elif ended and not (token[0] in _CLOSERS and not gap):
                if last in _ALWAYS:
                    starts[i] = 1
                elif gap and not token[0].islower() and token[0] not in _STOPS:
                    starts[i] = int(not abbreviated or known.starts_sentence(token))
                ended = False
            if token[-1] in _STOPS:
                ended, last = True, token[-1]
                abbreviated = len(token) > 1 and token[0] not in _STOPS and token[-1] == "."
                if token == "." and i and not gap:
                    previous = text[spans[i - 1][0] : spans[i - 1][1]]
                    abbreviated = len(previous) == 1 and previous.isupper()
        return starts


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _pattern().finditer(text)]


def _surfaces(text: str, spans: list[tuple[int, int]]) -> tuple[list[str], list[bool]]:
    surfaces, glued, before = [], [], -1
    for start, end in spans:
        surfaces.append(text[start:end])
        glued.append(start == before)
        before = end
    return surfaces, glued


def _with_periods(
    text: str, spans: list[tuple[int, int]], known: Statistics
) -> list[tuple[int, int]]:
    """Join abbreviations with their periods."""
    abbreviations = known.abbreviations
    if not abbreviations:
        return spans
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start and text[start:end] == ".":
            word = text[joined[-1][0] : start].lower()
            if word in abbreviations:
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    return joined


def _obey(given: Document, doc: Document, starts: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Sentence starts that were fixed win over the rules."""
    at = np.searchsorted(doc.token_start, given.token_start)
    known = (at < doc.n_tokens) & (given.sent_start != MAYBE)
    if given.has_sentences:
        starts = np.zeros_like(starts)
        starts[:1] = 1
        known &= given.sent_start == YES
    starts[at[known]] = given.sent_start[known]
    return starts


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
