"""Cutting, joining and copying documents, and comparing what they say, column by column.

What happens to a column follows from its level and its kind in the schema, so that a column that is
declared is cut, joined, copied and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from caesura.document.schema import (
    MAYBE,
    NO,
    TURN,
    UNKNOWN,
    YES,
    KBestTags,
    Kind,
    Level,
    Schema,
    schema_of,
)
from caesura.document.strings import Strings
from caesura.errors import UsageError

if TYPE_CHECKING:
    from caesura.document.document import Document

D = TypeVar("D", bound="Document")

#: Levels that are spans of the text, by their columns `_start` and `_end`.
_SPANS: Final[tuple[Level, ...]] = ("turn", "markup")
#: Optional columns that some pieces of a document may not have, and what those say.
_FILLED: Final[dict[str, float]] = {
    "turn_kind": TURN,
    "token_time": np.nan,
    "token_time_conf": np.nan,
    "token_time_guessed": 0,
}


def token_turn(doc: Document) -> NDArray[np.int64]:
    """The turn that each token is in, -1 for none."""
    if not len(doc.turn_start) or not doc.n_tokens:
        return np.full(doc.n_tokens, -1, dtype=np.int64)
    order = np.argsort(doc.turn_start, kind="stable")
    at = np.searchsorted(doc.turn_start[order], doc.token_start, side="right") - 1
    turn = order[np.maximum(at, 0)]
    inside = (at >= 0) & (doc.token_start < doc.turn_end[turn])
    return np.where(inside, turn, -1)


def span_of(
    doc: Document, turns: NDArray[np.int64], first: int, last: int
) -> tuple[float | None, float | None]:
    """When the first token of several begins and the last one ends, or their turns do.

    `turns` is the turn of each token.
    """
    found: list[float | None] = []
    for at, token in enumerate((first, last)):
        time = np.nan if doc.token_time is None else float(doc.token_time[token, at])
        if time != time and turns[token] >= 0:
            time = float(doc.turn_time[turns[token], at])
        found.append(None if time != time else time)
    return found[0], found[1]


def turn_of(doc: Document, first: int, last: int) -> dict[str, Any]:
    """The speaker and the times of tokens from one to another, as far as they are known."""
    turns = token_turn(doc)
    said: dict[str, Any] = {}
    if turns[first] >= 0:
        said["speaker"] = doc.strings[int(doc.turn_speaker[turns[first]])]
    named = zip(("start_time", "end_time"), span_of(doc, turns, first, last), strict=True)
    return said | {name: time for name, time in named if time is not None}


def word_turns(doc: Document) -> dict[str, Any]:
    """Columns of the words of a document with turns or times; nothing without either.

    Times are those of a word's token where they are known, else those of its turn.
    """
    found: dict[str, Any] = {}
    if len(doc.turn_start):
        turn = token_turn(doc)[doc.word_token]
        names = np.array([*doc.strings.take(doc.turn_speaker), ""], dtype=object)
        # Turn -1, which is none, is the last row of both.
        times = np.vstack([doc.turn_time, [[np.nan, np.nan]]])[turn]
        found = {"speaker": names[turn], "start_time": times[:, 0], "end_time": times[:, 1]}
    if doc.token_time is not None:
        own = doc.token_time[doc.word_token]
        for at, name in enumerate(("start_time", "end_time")):
            known = np.isfinite(own[:, at])
            found[name] = np.where(known, own[:, at], found.get(name, np.nan))
        for name in ("token_time_conf", "token_time_guessed"):
            column = getattr(doc, name)
            if column is not None:
                found[name.removeprefix("token_")] = column[doc.word_token]
    return found


# ---------------------------------------------------------------------- cutting


def cut(doc: D, first: int, last: int) -> D:
    """Tokens first..last-1 as a document of its own; its text ends where the next token starts."""
    if not 0 <= first <= last <= doc.n_tokens:
        raise UsageError(f"cannot cut tokens {first}..{last} of a document of {doc.n_tokens}")
    a, b = doc.word_token.searchsorted([first, last]).tolist()
    end = len(doc.text) if last == doc.n_tokens else int(doc.token_start[last])
    begin = end if first == last else (0 if first == 0 else int(doc.token_start[first]))
    schema = schema_of(type(doc))
    rows: dict[Level, Any] = {"token": slice(first, last), "word": slice(a, b)}
    starts = doc.paragraph_start
    if len(starts):
        rows["paragraph"] = (starts >= begin) & (starts < end)
    for level in _SPANS:
        low, high = getattr(doc, f"{level}_start"), getattr(doc, f"{level}_end")
        if len(low):
            rows[level] = (high > begin) & (low < end)
    values: dict[str, Any] = {}
    for name, level, kind in schema.sliced:
        own = rows.get(level)
        if own is None:
            continue
        column = getattr(doc, name)
        if column is None:
            continue
        part = column.of(own) if kind == "k-best" else column[own]
        if kind == "offsets":
            part = part - begin
            if level in _SPANS:
                part = np.clip(part, 0, end - begin)
        elif kind == "tokens":
            part = part - np.int32(first)
        elif kind == "words":
            inside = (part >= a) & (part < b)
            part = np.where(inside, part - a, np.where(part >= 0, UNKNOWN, part)).astype(np.int32)
        elif kind != "k-best" and (level == "token" or level == "word"):
            part = part.copy()
        values[name] = part
    for name in schema.by_token:
        column = getattr(doc, name)
        if column:
            values[name] = {t - first: said for t, said in column.items() if first <= t < last}
    for name, kind in schema.whole:
        if kind != "tail" or last == doc.n_tokens:
            values[name] = getattr(doc, name)
    values["text"] = doc.text[begin:end]
    values["continues"] = first > 0 or doc.continues
    values["before"] = doc.before | {
        name
        for name, starts in (("paragraphs", doc.paragraph_start), ("turns", doc.turn_start))
        if len(starts) and starts[0] < begin
    }
    if doc.empty_nodes or len(doc.node_label):
        values |= _cut_trees(doc, schema, a, b)
    return type(doc)(**values)


def _cut_trees(doc: Document, schema: Schema, a: int, b: int) -> dict[str, Any]:
    """Empty nodes and whole phrase-structure trees whose words lie in a..b-1."""
    kept = [i for i, node in enumerate(doc.empty_nodes) if a <= node.word < b]
    found: dict[str, Any] = {"empty_nodes": [doc.empty_nodes[i].moved(-a) for i in kept]}
    if not len(doc.node_label):
        return found
    number = {old: new for new, old in enumerate(kept)}
    tree = np.cumsum(doc.node_parent < 0) - 1
    inside = np.zeros(int(tree[-1]) + 1, dtype=bool)
    for leaf, t in zip(doc.node_leaf.tolist(), tree.tolist(), strict=True):
        if leaf >= 0:
            inside[t] |= a <= leaf < b
        elif leaf <= -2:
            inside[t] |= (-2 - leaf) in number
    keep = np.flatnonzero(inside[tree])
    renumber = np.full(len(tree), -1, dtype=np.int32)
    renumber[keep] = np.arange(len(keep), dtype=np.int32)
    for column in schema.at("node"):
        part = getattr(doc, column.name)[keep]
        if column.kind == "nodes":
            part = np.where(part >= 0, renumber[part], -1).astype(np.int32)
        elif column.kind == "leaves":
            leaves = [
                leaf - a if leaf >= 0 else (-2 - number[-2 - leaf] if leaf <= -2 else -1)
                for leaf in part.tolist()
            ]
            part = np.array(leaves, dtype=np.int32)
        found[column.name] = part
    return found


# ---------------------------------------------------------------------- joining


def join(pieces: Sequence[D]) -> D:
    """One document of several, their texts one after the other, sentences kept apart."""
    first = pieces[0]
    schema = schema_of(type(first))
    same = all(piece.strings is first.strings for piece in pieces)
    strings = first.strings if same else Strings()
    translate = None if same else [strings.ids(piece.strings) for piece in pieces]
    values: dict[str, Any] = {}
    for name, kind in schema.whole:
        values[name] = getattr(pieces[-1] if kind == "tail" else first, name)
    values |= {"strings": strings, "text": "".join(piece.text for piece in pieces)}
    before = _before(pieces)
    for name, kind, optional in schema.joined:
        parts = [getattr(piece, name) for piece in pieces]
        if optional and any(part is None for part in parts):
            if name not in _FILLED or all(part is None for part in parts):
                continue
            parts = [
                _rows_of(piece, name) if part is None else part
                for piece, part in zip(pieces, parts, strict=True)
            ]
        if kind == "strings":
            if translate is not None:
                parts = [ids[part] for ids, part in zip(translate, parts, strict=True)]
        elif kind == "leaves":
            parts = [
                np.where(part >= 0, part + w, np.where(part <= -2, part - e, -1))
                for part, w, e in zip(parts, before["words"], before["empty nodes"], strict=True)
            ]
        elif kind == "words" or kind == "nodes":
            moved = zip(parts, before[kind], strict=True)
            parts = [np.where(part >= 0, part + by, part) if by else part for part, by in moved]
        elif kind != "plain":
            parts = [
                part + by if by else part for part, by in zip(parts, before[kind], strict=True)
            ]
        elif name == "sent_start":
            parts = [_starts(piece) for piece in pieces]
        dtype = parts[0].dtype if optional else getattr(first, name).dtype
        values[name] = np.concatenate(parts).astype(dtype, copy=False)
    for name in schema.by_token:
        values[name] = {
            token + by: said
            for piece, by in zip(pieces, before["tokens"], strict=True)
            for token, said in getattr(piece, name).items()
        }
    values["empty_nodes"] = [
        node.moved(by)
        for piece, by in zip(pieces, before["words"], strict=True)
        for node in piece.empty_nodes
    ]
    whole = type(first)(**values)
    for column in schema.at("word", "k-best"):
        setattr(whole, column.name, _join_options(column.name, pieces, translate))
    _join_turns(whole, pieces, schema)
    return whole


def _rows_of(piece: Document, name: str) -> NDArray[Any]:
    """A column of a piece in which nothing is known."""
    column, value = piece.schema.by_name[name], _FILLED[name]
    n = len(piece.turn_start) if column.level == "turn" else piece.n_tokens
    return np.full(n if column.width == 1 else (n, column.width), value, column.dtype)


def _before(pieces: Sequence[Document]) -> dict[Kind, list[int]]:
    """How many code points, tokens, words and nodes come before each piece."""
    sizes: dict[Kind, list[int]] = {
        "offsets": [len(piece.text) for piece in pieces],
        "tokens": [piece.n_tokens for piece in pieces],
        "words": [piece.n_words for piece in pieces],
        "nodes": [len(piece.node_label) for piece in pieces],
        "empty nodes": [len(piece.empty_nodes) for piece in pieces],
    }
    return {kind: list(accumulate(own[:-1], initial=0)) for kind, own in sizes.items()}


def _starts(piece: Document) -> NDArray[np.int8]:
    """The sentence starts of a piece; one that is no continuation starts a sentence."""
    starts = piece.sent_start
    if len(starts) and starts[0] == MAYBE and piece.has_sentences and not piece.continues:
        starts = starts.copy()
        starts[0] = YES
    return starts


def _join_turns(whole: Document, pieces: Sequence[Document], schema: Schema) -> None:
    """Make one turn again of one that was cut: its parts reach to where two pieces meet."""
    if not len(whole.turn_start):
        return
    columns = [column for column in schema.at("turn") if getattr(whole, column.name) is not None]
    others = [getattr(whole, column.name) for column in columns if column.kind != "offsets"]
    keep = np.ones(len(whole.turn_start), dtype=bool)
    chars = turns = 0
    ends = whole.turn_end.copy()
    last = -1  # the last turn that is kept
    for piece in pieces:
        n = len(piece.turn_start)
        if n and last >= 0 and piece.continues:
            meet = ends[last] == chars and whole.turn_start[turns] == chars
            if meet and all(_same(other[last], other[turns]) for other in others):
                keep[turns] = False
                ends[last] = ends[turns]
        if n and (keep[turns] or n > 1):
            last = turns + n - 1
        chars, turns = chars + len(piece.text), turns + n
    whole.turn_end = ends
    for column in columns:
        setattr(whole, column.name, getattr(whole, column.name)[keep])


def _same(left: Any, right: Any) -> bool:
    """Whether two rows agree, unknown numbers with each other."""
    return bool(np.all((left == right) | ((left != left) & (right != right))))


def _join_options(
    name: str, pieces: Sequence[Document], translate: list[NDArray[np.int32]] | None
) -> KBestTags | None:
    """The k-best tags of all pieces, if all have them and for the same columns."""
    given: list[KBestTags] = [
        option for piece in pieces if (option := getattr(piece, name)) is not None
    ]
    if len(given) != len(pieces) or len({tuple(option.columns) for option in given}) != 1:
        return None
    words = sum(len(option.ids) for option in given)
    width = max(option.ids.shape[1] for option in given)
    columns = {name: np.zeros((words, width), dtype=np.int32) for name in given[0].columns}
    probabilities = np.zeros((words, width), dtype=np.float32)
    at = 0
    for number, option in enumerate(given):
        n, k = option.ids.shape
        for name, ids in option.columns.items():
            own = ids if translate is None else translate[number][ids]
            columns[name][at : at + n, :k] = own
        probabilities[at : at + n, :k] = option.probabilities
        at += n
    known = [option.right for option in given if option.right is not None]
    right = np.concatenate(known) if len(known) == len(given) else None
    first = given[0].column
    return KBestTags(first, columns.pop(first), probabilities, columns, right)


# ---------------------------------------------------------------------- copying


def copied(doc: D) -> D:
    """The same document in columns of its own, with the strings that it needs."""
    schema = schema_of(type(doc))
    used = np.zeros(len(doc.strings), dtype=bool)
    used[0] = True
    for column in schema.columns:
        for ids in _ids(getattr(doc, column.name), column.kind):
            used[ids] = True
    at = np.flatnonzero(used)
    strings = Strings(doc.strings[number] for number in at)
    number = np.zeros(len(used), dtype=np.int32)
    number[at] = np.arange(len(at), dtype=np.int32)
    values: dict[str, Any] = {}
    for column in schema.columns:
        value = getattr(doc, column.name)
        if value is None:
            pass  # nothing is known
        elif column.kind == "strings":
            value = number[value]
        elif column.kind == "k-best":
            named = {name: number[ids] for name, ids in value.columns.items()}
            first = named.pop(value.column)
            value = KBestTags(value.column, first, value.probabilities, named, value.right)
        elif isinstance(value, np.ndarray | list | dict):
            value = value.copy()
        values[column.name] = value
    return type(doc)(**values | {"strings": strings})


def _ids(value: Any, kind: Kind) -> list[NDArray[np.int32]]:
    """The ids of strings in a column."""
    if value is None:
        return []
    if kind == "k-best":
        return list(value.columns.values())
    return [value] if kind == "strings" else []


# -------------------------------------------------------------------- comparing


def contents(doc: Document) -> dict[str, Any]:
    """Everything that a document says, strings spelled out and unknown columns left out."""
    said: dict[str, Any] = {}
    for column in schema_of(type(doc)).compared:
        value = getattr(doc, column.name)
        if value is None:
            pass
        elif column.kind == "strings":
            value = doc.strings.take(value)
        elif column.kind == "k-best":
            value = _options_said(value, doc.strings)
        elif column.is_array:
            known = np.nan_to_num(value, nan=-1.0) if value.dtype.kind == "f" else value
            value = known.tolist()
        said[column.name] = value
    if doc.n_tokens:
        # The first token starts a sentence even if that is unknown.
        said["sent_start"][0] = YES if doc.sent_start[0] != NO else NO
    return said


def _options_said(options: KBestTags, strings: Strings) -> tuple[Any, ...]:
    return (
        options.column,
        {name: [strings.take(row) for row in ids] for name, ids in options.columns.items()},
        options.probabilities.tolist(),
        None if options.right is None else options.right.tolist(),
    )


def runs(docs: Sequence[Document]) -> list[list[Document]]:
    """Neighbouring documents that share a table of strings, which are worked on together."""
    if len({id(doc.strings) for doc in docs}) == 1:
        return [list(docs)]
    found: list[list[Document]] = []
    for doc in docs:
        if found and doc.strings is found[-1][0].strings:
            found[-1].append(doc)
        else:
            found.append([doc])
    return found
