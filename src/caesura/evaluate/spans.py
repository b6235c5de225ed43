"""Everything as labelled spans of characters, and one way to compare them.

A sentence, a token, a tag, a phrase is a triple of start, end and label; a dependency has the span
of its head as well (Dridan & Oepen 2013, section 3). Triples are compared as multisets, since a
chain of unary phrases may repeat a label on one span.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from caesura.document import ROOT, UNKNOWN, Strings
from caesura.evaluate.align import Comparison
from caesura.evaluate.evalb import EVERYTHING, Evalb
from caesura.evaluate.flat_columns import Longs, Side, mapped
from caesura.evaluate.score import Score
from caesura.evaluate.trees import trees
from caesura.evaluate.universal import universal_relation

__all__ = [
    "LEVELS",
    "Level",
    "SpanOptions",
    "Table",
    "compare_level",
    "compare_levels",
    "tables",
    "tuples",
]

LEVELS = ("SENT", "TOK", "WORD", "POS", "PS", "DEP")
#: Keys of rows stay below this.
LARGEST = 2**62


@dataclass(frozen=True)
class SpanOptions:
    """How spans are made and compared."""

    evalb: Evalb = field(default_factory=Evalb)
    #: Labels do not count.
    unlabelled: bool = False
    #: Punctuation at the edges of spans does not count.
    fuzzy: bool = False
    #: The column of tags: upos, xpos, or auto (upos where both sides have it).
    tags: str = "auto"
    #: A tag of gold such as NN|JJ is right with either of them.
    several_tags: bool = True
    #: Compare dependency labels with their subtypes.
    subtypes: bool = False


@dataclass
class Table:
    """Spans of one level of one side; dependencies have the spans of their heads too."""

    start: Longs
    end: Longs
    label: Longs
    head_start: Longs | None = None
    head_end: Longs | None = None
    #: What tells tokens apart whose spans do not (see `Side.turn`): their own, and the heads'.
    turn: Longs | None = None
    head_turn: Longs | None = None

    def __len__(self) -> int:
        return len(self.start)


@dataclass
class Level:
    """One level compared: which spans of either side are matched."""

    name: str
    gold: Table
    system: Table
    gold_matched: NDArray[np.bool_]
    system_matched: NDArray[np.bool_]
    score: Score
    #: Gold sentences in which nothing of this level differs.
    exact: Score


def has_phrases(side: Side) -> bool:
    return any(len(doc.node_label) for doc in side.docs)


def tag_column(options: SpanOptions, *sides: Side) -> str:
    if options.tags != "auto":
        return options.tags
    return "upos" if all(side.known("upos") for side in sides) else "xpos"


def tables(
    side: Side, options: SpanOptions, levels: tuple[str, ...] = LEVELS, tags: str = "xpos"
) -> dict[str, Table]:
    """The spans of one side, level by level; a level that the side does not have is left out."""
    found: dict[str, Table] = {}
    strings = side.strings
    kept_word, phrases = np.ones(side.n_words, dtype=bool), None
    if has_phrases(side):
        phrases = trees(side, options.evalb)
    if phrases is not None:
        kept_word = ~phrases.deleted
    kept_token = np.zeros(side.n_tokens, dtype=bool)
    kept_token[side.word_token[kept_word]] = True
    nothing = np.zeros(0, dtype=np.int64)
    empty_at = phrases.empty_at if phrases is not None else nothing

    def labels(name: str, count: int) -> Longs:
        return np.full(count, strings.add(name), dtype=np.int64)

    if "SENT" in levels and side.n_tokens:
        start, end = side.sent_spans
        found["SENT"] = Table(start, end, labels("SENT", len(start)))
    if "TOK" in levels and side.n_tokens:
        start = np.concatenate((side.token_start[kept_token], empty_at))
        end = np.concatenate((side.token_end[kept_token], empty_at))
        turn = np.concatenate((side.turn[kept_token], np.zeros_like(empty_at)))
        found["TOK"] = Table(start, end, labels("TOK", len(start)), turn=turn)
    if "WORD" in levels and side.n_words:
        label = labels("WORD", side.n_words)
        for word in np.flatnonzero(side.multi).tolist():
            # Words of one token share its span and are told apart by their forms.
            label[word] = strings.add("WORD:" + strings[side.form[word]].lower())
        found["WORD"] = Table(
            side.word_start[kept_word],
            side.word_end[kept_word],
            label[kept_word],
            turn=side.word_turn[kept_word],
        )
    if "POS" in levels and side.known(tags):
        column = mapped(strings, getattr(side, tags), lambda tag: f"POS:{tag}")
        empty_tags = phrases.empty_tag if phrases is not None else nothing
        empty_tags = mapped(strings, empty_tags, lambda tag: f"POS:{tag}")
        found["POS"] = Table(
            np.concatenate((side.word_start[kept_word], empty_at)),
            np.concatenate((side.word_end[kept_word], empty_at)),
            np.concatenate((column[kept_word], empty_tags)),
            turn=np.concatenate((side.word_turn[kept_word], np.zeros_like(empty_at))),
        )
    if "PS" in levels and phrases is not None:
        found["PS"] = Table(phrases.start, phrases.end, phrases.label)
    if "DEP" in levels and side.known("head"):
        found["DEP"] = _dependencies(side, options)
    return found


def _dependencies(side: Side, options: SpanOptions) -> Table:
    known = side.head != UNKNOWN
    head = side.head[known].astype(np.int64)
    inside = np.maximum(head, 0)
    change = (lambda label: label) if options.subtypes else universal_relation
    label = mapped(side.strings, side.deprel[known], lambda name: f"DEP:{change(name)}")
    return Table(
        side.word_start[known],
        side.word_end[known],
        label,
        np.where(head == ROOT, -1, side.word_start[inside]),
        np.where(head == ROOT, -1, side.word_end[inside]),
        side.word_turn[known],
        np.where(head == ROOT, 0, side.word_turn[inside]),
    )


def compare_levels(
    comparison: Comparison, options: SpanOptions, wanted: tuple[str, ...] = LEVELS
) -> dict[str, Level]:
    """The levels that both sides have."""
    gold, system = comparison.gold, comparison.system
    tags = tag_column(options, gold, system)
    left = tables(gold, options, wanted, tags)
    right = tables(system, options, wanted, tags)
    return {
        name: compare_level(name, left[name], right[name], comparison, options)
        for name in wanted
        if name in left and name in right
    }


def compare_level(
    name: str, gold: Table, system: Table, comparison: Comparison, options: SpanOptions
) -> Level:
    """Match the spans of one level."""
    if options.fuzzy:
        trim = _Trimmer(comparison)
        gold, system = trim(gold), trim(system)
    strings = comparison.gold.strings
    if name == "POS" and options.several_tags and not options.unlabelled:
        system = _accept_tags(strings, gold, system)
    drop = options.unlabelled or (name == "PS" and not options.evalb.labelled)
    of_gold, of_system = _keys(_columns(gold, drop), _columns(system, drop))
    gold_matched = np.isin(of_gold, of_system)
    system_matched = np.isin(of_system, of_gold)
    score = Score(len(gold), len(system), int(np.count_nonzero(gold_matched)))
    exact = _exact(comparison.gold, gold, system, gold_matched, system_matched)
    return Level(name, gold, system, gold_matched, system_matched, score, exact)


def _columns(table: Table, drop_labels: bool) -> list[Longs]:
    columns = [table.start, table.end]
    if not drop_labels:
        columns.append(table.label)
    if table.head_start is not None and table.head_end is not None:
        columns += [table.head_start, table.head_end]
    nothing = np.zeros(len(table), dtype=np.int64)
    for turn in (table.turn, table.head_turn):
        columns.append(nothing if turn is None else turn)
    return columns


def _keys(gold: list[Longs], system: list[Longs]) -> tuple[Longs, Longs]:
    """One number for each row: equal rows have equal numbers, repeated ones are told apart."""
    size = len(gold[0])
    key = np.zeros(size + len(system[0]), dtype=np.int64)
    room = 1
    for of_gold, of_system in zip(gold, system, strict=True):
        both = np.concatenate((of_gold, of_system)) + 1
        values = int(both.max(initial=0)) + 1
        if room * values > LARGEST:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            room = len(key) + 1
        key = key * values + both
        room *= values
    key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    turns = np.concatenate((_turn(key[:size]), _turn(key[size:])))
    key = key * (turns.max(initial=0) + 1) + turns
    return key[:size], key[size:]


def _turn(key: Longs) -> Longs:
    """How many equal keys come before each key."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    fresh = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(key) else ordered == 0
    places = np.arange(len(key))
    begins = np.maximum.accumulate(np.where(fresh, places, 0))
    turn = np.empty(len(key), dtype=np.int64)
    turn[order] = places - begins
    return turn


def _accept_tags(strings: Strings, gold: Table, system: Table) -> Table:
    """Give system tags that gold lists among several the label of gold."""
    several = [i for i in np.unique(gold.label).tolist() if "|" in strings[i]]
    if not several:
        return system
    wanted = {
        (start, end): label
        for start, end, label in zip(
            gold.start.tolist(), gold.end.tolist(), gold.label.tolist(), strict=True
        )
        if label in set(several)
    }
    labels = system.label.copy()
    for row, span in enumerate(zip(system.start.tolist(), system.end.tolist(), strict=True)):
        label = wanted.get(span)
        if label is not None:
            right = set(strings[label].removeprefix("POS:").split("|"))
            if right & set(strings[int(labels[row])].removeprefix("POS:").split("|")):
                labels[row] = label
    return replace(system, label=labels)


class _Trimmer:
    """Moves the edges of spans past punctuation, unless nothing else is in them."""

    def __init__(self, comparison: Comparison) -> None:
        text = comparison.text
        marks = {
            character for character in set(text) if unicodedata.category(character).startswith("P")
        }
        inside = np.array([text[at] not in marks for at in comparison.char_at.tolist()], dtype=bool)
        places = np.arange(len(inside))
        #: The next letter at or after a place, and the end of the last one before it.
        after = np.where(inside, places, len(inside))
        self.next = np.append(np.minimum.accumulate(after[::-1])[::-1], len(inside))
        self.last = np.concatenate(([0], np.maximum.accumulate(np.where(inside, places + 1, 0))))

    def _edges(self, start: Longs, end: Longs) -> tuple[Longs, Longs]:
        known = start >= 0
        first = np.where(known, self.next[np.maximum(start, 0)], start)
        last = np.where(known, self.last[np.maximum(end, 0)], end)
        keep = first >= last
        return np.where(keep, start, first), np.where(keep, end, last)

    def __call__(self, table: Table) -> Table:
        start, end = self._edges(table.start, table.end)
        table = replace(table, start=start, end=end)
        if table.head_start is None or table.head_end is None:
            return table
        head_start, head_end = self._edges(table.head_start, table.head_end)
        return replace(table, head_start=head_start, head_end=head_end)


def _exact(
    gold_side: Side,
    gold: Table,
    system: Table,
    gold_matched: NDArray[np.bool_],
    system_matched: NDArray[np.bool_],
) -> Score:
    """Gold sentences without a missed span of gold or a wrong span of the system inside."""
    starts, ends = gold_side.sent_spans
    count = len(starts)
    if not count:
        return Score(0, 0, 0)
    bad = np.zeros(count, dtype=bool)
    missed = np.searchsorted(starts, gold.start[~gold_matched], side="right") - 1
    bad[np.clip(missed, 0, count - 1)] = True
    start, end = system.start[~system_matched], system.end[~system_matched]
    place = np.clip(np.searchsorted(starts, start, side="right") - 1, 0, count - 1)
    inside = (start >= starts[place]) & (end <= ends[place])
    bad[place[inside]] = True
    return Score(count, count, int(np.count_nonzero(~bad)))


def tuples(comparison: Comparison, side: Side, tags: str | None = None) -> Iterator[str]:
    """All spans of one side as lines: start, end, label, and for dependencies the head's span."""
    options = SpanOptions(evalb=EVERYTHING, subtypes=True)
    column = tags or ("xpos" if side.known("xpos") or not side.known("upos") else "upos")
    for name, table in tables(side, options, tags=column).items():
        if name == "WORD" and not side.multi.any():
            continue
        yield from lines(comparison, table)


def lines(comparison: Comparison, table: Table) -> Iterator[str]:
    """The spans of a table in offsets of the text."""
    strings = comparison.gold.strings
    start, end = comparison.offsets(table.start, table.end)
    rows = zip(start.tolist(), end.tolist(), table.label.tolist(), strict=True)
    if table.head_start is None or table.head_end is None:
        for first, last, label in rows:
            yield f"{first}\t{last}\t{strings[label]}"
        return
    root = table.head_start < 0
    heads = comparison.offsets(np.maximum(table.head_start, 0), np.maximum(table.head_end, 0))
    for row, (first, last, label) in enumerate(rows):
        head = "ROOT" if root[row] else f"{heads[0][row]}\t{heads[1][row]}"
        yield f"{first}\t{last}\t{strings[label]}\t{head}"
