"""What the caller fixed: tokens, sentence boundaries, tags, lemmas, heads. Every stage keeps it.

`keep` makes a document in which only that is known, `fix_starts` adds boundaries, `fix_turns` those
between speakers, and `Constraints` reads it off a document. Stages make of it what their decoders
need. Where the caller fixed nothing else, a blank line starts a sentence, unless the text is
double-spaced, and so does what follows a mark that surely ends one; what opens a line is in the
sentence behind it: `fixed_starts` has the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import FIXABLE, MAYBE, NO, UNKNOWN, YES, Bytes, Document, Ints, Longs
from caesura.document.schema import Column
from caesura.errors import InputError, UsageError
from caesura.layout import BLANK, ENDED, GOES_ON, OPENED, TURN, breaks
from caesura.turns import changes

__all__ = [
    "Constraints",
    "add_to",
    "by_layout",
    "fix_starts",
    "fix_turns",
    "fixed_starts",
    "fixed_starts_of",
    "forget_moved",
    "inside_arcs",
    "keep",
    "keep_layout",
    "labelled",
    "turn_starts",
    "with_fixed_starts",
    "with_layout",
]

#: So many ends of lines make a blank line.
_BLANK: Final = 2
#: By code of the layout, whether it is sure.
_TELLS: Final = np.isin(np.arange(256), (BLANK, OPENED, ENDED, GOES_ON))
#: Levels of the analysis of a text, which is known anew unless it is kept.
_ANALYSIS: Final = ("token", "word", "sentence", "empty node", "node")


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a document fixes, as it is now; None and unknown values leave the choice open."""

    #: Whether its tokens stay.
    tokens: bool
    #: By token, whether a sentence starts there: YES, NO or MAYBE. `fixed_starts` knows more.
    starts: Bytes | None
    #: String columns of words whose known values stay: tags and lemmas.
    columns: Mapping[str, Ints]
    #: Heads of words with their relations: UNKNOWN and 0 where they are open.
    heads: Ints | None
    deprels: Ints | None

    @classmethod
    def of(cls, doc: Document) -> Constraints:
        """What a document fixes: the known values of what `Document.fixed` names."""
        fixed = doc.fixed
        if not fixed:
            return _NOTHING
        heads = "heads" in fixed
        return cls(
            tokens="tokens" in fixed and doc.n_tokens > 0,
            starts=doc.sent_start if "sentences" in fixed else None,
            columns={
                column.name: getattr(doc, column.name)
                for column in doc.schema.at("word", "strings")
                if column.keep in fixed and column.keep not in ("tokens", "heads")
            },
            heads=doc.head if heads else None,
            deprels=doc.deprel if heads else None,
        )

    def with_fixed(self, name: str, found: Ints) -> Ints:
        """A column that a stage has found, with the values that are fixed in their places."""
        given = self.columns.get(name)
        return found if given is None else np.where(given > 0, given, found).astype(np.int32)

    def with_fixed_deprels(self, found: Ints) -> Ints:
        """Relations that a stage has found, with those of fixed arcs."""
        if self.deprels is None:
            return found
        given = self.has_head(len(found)) & (self.deprels > 0)
        return np.where(given, self.deprels, found).astype(np.int32)

    def has_head(self, words: int) -> NDArray[np.bool_]:
        """For each of so many words, whether its head is fixed."""
        if self.heads is None:
            return np.zeros(words, np.bool_)
        return np.asarray(self.heads != UNKNOWN, np.bool_)


_NOTHING: Final = Constraints(False, None, {}, None, None)


def fixed_starts(doc: Document) -> Bytes | None:
    """By token, whether a sentence must start there: YES, NO or MAYBE; None: nothing is fixed.

    What the caller fixed comes first. Where it is open a sentence starts after a blank line or
    a mark that surely ends one, but not inside an arc that is fixed, and none starts behind a list
    mark or a label.
    """
    fixed = Constraints.of(doc).starts
    if not np.any(_tells(breaks(doc))):
        return fixed
    return with_layout(doc, np.full(doc.n_tokens, MAYBE) if fixed is None else fixed)


def fixed_starts_of(docs: Sequence[Document]) -> dict[int, Bytes]:
    """The same for those of many documents of which anything is fixed, by their numbers."""
    codes = [breaks(doc) for doc in docs]
    sure = np.cumsum([0, *map(len, codes)]).searchsorted(
        np.flatnonzero(_tells(np.concatenate(codes))), "right"
    )
    told = {k for k, doc in enumerate(docs) if doc.fixed}.union((sure - 1).tolist())
    found = {k: fixed_starts(docs[k]) for k in sorted(told)}
    return {k: starts for k, starts in found.items() if starts is not None}


def _tells(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where the layout is sure."""
    return _TELLS[codes]


def with_layout(doc: Document, starts: Bytes) -> Bytes:
    """Sentence starts by token; open ones (MAYBE) of which the layout is sure are decided."""
    told = by_layout(starts, breaks(doc))
    return np.where(inside_arcs(doc), starts, told).astype(np.int8)


def by_layout(starts: Bytes, codes: NDArray[np.uint8]) -> Bytes:
    """The same by the codes of the layout: the rule itself."""
    at = np.flatnonzero(_tells(codes))
    if not len(at):
        return starts
    told = starts.astype(np.int8)
    at = at[starts[at] == MAYBE]
    told[at] = np.where(np.isin(codes[at], (OPENED, GOES_ON)), NO, YES)
    return told


def inside_arcs(doc: Document) -> NDArray[np.bool_]:
    """Tokens before which no sentence can start, since a fixed arc spans the gap."""
    heads = Constraints.of(doc).heads
    if heads is None:
        return np.zeros(doc.n_tokens, np.bool_)
    words = np.flatnonzero(heads >= 0)
    own, other = doc.word_token[words], doc.word_token[heads[words]]
    change = np.zeros(doc.n_tokens + 1, np.int64)
    np.add.at(change, np.minimum(own, other) + 1, 1)
    np.add.at(change, np.maximum(own, other) + 1, -1)
    inside: NDArray[np.bool_] = np.cumsum(change[:-1]) > 0
    return inside


def with_fixed_starts(doc: Document, found: Bytes) -> Bytes:
    """Sentence starts by token that a stage has found, with the fixed ones."""
    told = fixed_starts(doc)
    return found if told is None else np.where(told != MAYBE, told, found).astype(np.int8)


def keep(doc: Document, names: Iterable[str]) -> Document:
    """A copy of a document in which only what is named is known, and is fixed.

    Tags, lemmas and heads belong to words, so to keep them is to keep the tokens. What no stage
    obeys cannot be kept, since it would stand beside an analysis that it does not fit: enhanced
    dependencies, empty nodes, phrases.
    """
    wanted = _checked(names)
    if wanted - {"sentences"}:
        wanted |= {"tokens"}
    if not doc.n_tokens:
        if wanted:
            raise InputError(
                "there are no tokens to keep", file=doc.source, remedy="Parse it as plain text."
            )
        return doc
    copy = doc.cut(0, doc.n_tokens)
    copy.fixed = wanted
    for column in doc.schema.columns:
        # Tokens themselves stay: stages that do not keep them use the text.
        if column.level not in _ANALYSIS or column.keep in wanted or column.keep == "tokens":
            continue
        _forget(copy, column)
    if "heads" in wanted:  # the label of an arc that is open is open, too
        copy.deprel = np.where(copy.head == UNKNOWN, 0, copy.deprel).astype(np.int32)
    return copy


def add_to(doc: Document, adds: frozenset[str], names: Iterable[str]) -> Document:
    """A copy of a document to which stages add something; all that they do not find stays.

    Known values of what is named are fixed. See `forget_moved` for sentences that change.
    """
    wanted = _checked(names)
    if "tokens" not in adds:
        if not doc.n_tokens and doc.text.strip():
            raise InputError(
                "there are no tokens to tag",
                file=doc.source,
                remedy="Tokenise it first (caesura tokenize), or use `caesura parse`.",
            )
        wanted |= {"tokens"}
    return replace(doc, fixed=doc.fixed | wanted)


def forget_moved(doc: Document, bounds: Longs) -> None:
    """Forget what was said of sentences that are no longer what they were.

    That is trees, enhanced dependencies, empty nodes, phrases and comments. `bounds` are those of
    the sentences before.
    """
    moved = np.setxor1d(bounds, doc.sentence_bounds)
    if not len(moved):
        return
    shared = np.intersect1d(bounds, doc.sentence_bounds)
    changed = np.diff(np.searchsorted(moved, shared)) > 0
    # Sentences side by side that share a fate go together.
    edges = np.flatnonzero(np.diff(changed, prepend=not changed[0]))
    pieces = []
    for first, last in pairwise([*edges.tolist(), len(changed)]):
        piece = doc.cut(int(shared[first]), int(shared[last]))
        for column in doc.schema.columns if changed[first] else ():
            if _is_of_sentences(column):
                _forget(piece, column)
        pieces.append(piece)
    whole = pieces[0] if len(pieces) == 1 else Document.join(pieces)
    for column in doc.schema.columns:
        if _is_of_sentences(column):
            setattr(doc, column.name, getattr(whole, column.name))


def _is_of_sentences(column: Column) -> bool:
    """Whether a column says something that other sentences would make wrong."""
    arcs = "heads" in (column.keep, column.confidence) or column.name == "deps"
    return arcs or column.level in ("sentence", "empty node", "node")


def _checked(names: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(names)
    unknown = wanted - FIXABLE
    if unknown:
        raise UsageError(
            f"cannot keep {', '.join(sorted(unknown))}",
            remedy=f"What can be kept: {', '.join(sorted(FIXABLE))}.",
        )
    return wanted


def _forget(doc: Document, column: Column) -> None:
    """Make nothing known of a column."""
    forgotten: Any = None if column.optional else {} if column.kind == "by token" else []
    if column.is_array and not column.optional:
        forgotten = column.rows({"token": doc.n_tokens, "word": doc.n_words}.get(column.level, 0))
    setattr(doc, column.name, forgotten)


def keep_layout(doc: Document, source: Document) -> None:
    """What a document knows besides its tokens: its name, turns, mark-up and paragraphs."""
    for name in ("id", "source", "continues", "before"):
        setattr(doc, name, getattr(source, name))
    for column in source.schema.columns:
        if column.level in ("paragraph", "turn", "markup"):
            value = getattr(source, column.name)
            if column.kind == "strings":
                value = doc.strings.ids(source.strings.take(value))
            setattr(doc, column.name, value)


def fix_starts(doc: Document, starts: Iterable[int], others: Iterable[int] = ()) -> None:
    """A sentence starts at the tokens that begin at some offsets, and at none that begin at others.

    The rest stays as open as it is.
    """
    fixed = doc.sent_start.copy()
    fixed[np.isin(doc.token_start, np.array(list(others), dtype=np.int64))] = NO
    fixed[np.isin(doc.token_start, np.array(list(starts), dtype=np.int64))] = YES
    doc.sent_start = fixed
    doc.fixed |= {"sentences"}


def turn_starts(doc: Document) -> Longs:
    """The offsets at which a sentence starts since another speaker begins.

    What is fixed comes first: sentence starts that are known, and arcs, which are not cut.
    """
    starts = changes(doc)
    if not len(starts) or not doc.fixed:
        return starts
    at = np.searchsorted(doc.token_start, starts)
    inside = at < doc.n_tokens
    starts, at = starts[inside], at[inside]
    free = ~inside_arcs(doc)[at]
    if "sentences" in doc.fixed:
        free &= doc.sent_start[at] == MAYBE
    return starts[free]


def labelled(doc: Document, labels: Iterable[tuple[int, int]]) -> Longs:
    """Tokens at which no sentence starts, since a label belongs to what is said after it.

    A label that has begun before the document has a negative offset.
    """
    found: list[int] = []
    for begin, end in labels:
        first, last = np.searchsorted(doc.token_start, (begin, end)).tolist()
        found += range(first + (begin >= 0), last)
        if last < doc.n_tokens:
            gap = doc.text[max(end, 0) : int(doc.token_start[last])]
            found += [last] if gap.count("\n") < _BLANK else []
    return np.array(found, dtype=np.int64)


def fix_turns(doc: Document, starts: Longs, labels: Iterable[tuple[int, int]] = ()) -> None:
    """Another speaker begins at the first token at each of some offsets, or after it."""
    at = np.searchsorted(doc.token_start, starts)
    at = at[at < doc.n_tokens]
    others = doc.token_start[labelled(doc, labels)].tolist()
    fix_starts(doc, doc.token_start[at].tolist(), others)
    doc.token_break = breaks(doc).copy()
    doc.token_break[at] = TURN
