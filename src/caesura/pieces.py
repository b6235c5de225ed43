"""Cutting a document into pieces, joining documents, and comparing what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.document import (
    MAYBE,
    NO,
    UNKNOWN,
    WORD_STRINGS,
    YES,
    Document,
    Strings,
    TagOptions,
)
from caesura.errors import UsageError

_STRING_COLUMNS = (*WORD_STRINGS, "token_misc", "node_label", "turn_speaker", "markup_label")
_PLAIN_COLUMNS = ("token_start", "token_end", "sent_start", "word_token", "head")


def token_turn(doc: Document) -> NDArray[np.int64]:
    """The turn that each token is in, -1 for none."""
    if not len(doc.turn_start) or not doc.n_tokens:
        return np.full(doc.n_tokens, -1, dtype=np.int64)
    order = np.argsort(doc.turn_start, kind="stable")
    at = np.searchsorted(doc.turn_start[order], doc.token_start, side="right") - 1
    turn = order[np.maximum(at, 0)]
    inside = (at >= 0) & (doc.token_start < doc.turn_end[turn])
    return np.where(inside, turn, -1)


def word_turns(doc: Document) -> dict[str, Any]:
    """Columns of words of a document with turns: who says each, and when; nothing without turns."""
    if not len(doc.turn_start):
        return {}
    turn = token_turn(doc)[doc.word_token]
    names = np.array([*doc.strings.take(doc.turn_speaker), ""], dtype=object)
    times = np.vstack([doc.turn_time, [[np.nan, np.nan]]])
    # Turn -1, which is none, is the last row of both.
    return {"speaker": names[turn], "start_time": times[turn, 0], "end_time": times[turn, 1]}


def cut(doc: Document, first: int, last: int) -> Document:
    """Tokens first..last-1 as a document of its own; its text ends where the next token starts."""
    if not 0 <= first <= last <= doc.n_tokens:
        raise UsageError(f"cannot cut tokens {first}..{last} of a document of {doc.n_tokens}")
    a, b = (int(w) for w in np.searchsorted(doc.word_token, [first, last]))
    begin = 0 if first == 0 else (int(doc.token_start[first]) if first < last else 0)
    end = len(doc.text) if last == doc.n_tokens else int(doc.token_start[last])
    if first == last:
        begin = end
    piece = Document(
        text=doc.text[begin:end],
        id=doc.id,
        strings=doc.strings,
        source=doc.source,
        fixed=doc.fixed,
        continues=first > 0 or doc.continues,
    )
    tokens, words = slice(first, last), slice(a, b)
    piece.token_start = doc.token_start[tokens] - begin
    piece.token_end = doc.token_end[tokens] - begin
    piece.sent_start = doc.sent_start[tokens].copy()
    piece.token_misc = doc.token_misc[tokens].copy()
    piece.token_columns = {t - first: c for t, c in doc.token_columns.items() if first <= t < last}
    piece.word_token = doc.word_token[words] - np.int32(first)
    for name in WORD_STRINGS:
        setattr(piece, name, getattr(doc, name)[words].copy())
    heads = doc.head[words]
    inside = (heads >= a) & (heads < b)
    piece.head = np.where(inside, heads - a, np.where(heads >= 0, UNKNOWN, heads)).astype(np.int32)
    piece.comments = {t - first: c for t, c in doc.comments.items() if first <= t < last}
    piece.trailer = doc.trailer if last == doc.n_tokens else ()
    piece.before = doc.before | {
        name
        for name, starts in (("paragraphs", doc.paragraph_start), ("turns", doc.turn_start))
        if len(starts) and starts[0] < begin
    }
    starts = doc.paragraph_start
    piece.paragraph_start = starts[(starts >= begin) & (starts < end)] - begin
    _cut_trees(doc, piece, a, b)
    for prefix in ("turn", "markup"):
        lo, hi = getattr(doc, f"{prefix}_start"), getattr(doc, f"{prefix}_end")
        keep = (hi > begin) & (lo < end)
        setattr(piece, f"{prefix}_start", np.clip(lo[keep] - begin, 0, end - begin))
        setattr(piece, f"{prefix}_end", np.clip(hi[keep] - begin, 0, end - begin))
        label = "turn_speaker" if prefix == "turn" else "markup_label"
        setattr(piece, label, getattr(doc, label)[keep])
        if prefix == "turn":
            piece.turn_time = doc.turn_time[keep]
    for name in ("start_evidence", "sent_conf"):
        if getattr(doc, name) is not None:
            setattr(piece, name, getattr(doc, name)[tokens].copy())
    for name in ("tag_conf", "arc_conf"):
        if getattr(doc, name) is not None:
            setattr(piece, name, getattr(doc, name)[words].copy())
    if doc.tag_options is not None:
        piece.tag_options = doc.tag_options.of(words)
    return piece


def _cut_trees(doc: Document, piece: Document, a: int, b: int) -> None:
    """Empty nodes and whole phrase-structure trees whose words lie in a..b-1."""
    kept = [i for i, node in enumerate(doc.empty_nodes) if a <= node.word < b]
    piece.empty_nodes = [doc.empty_nodes[i].moved(-a) for i in kept]
    if not len(doc.node_label):
        return
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
    parents = doc.node_parent[keep]
    piece.node_label = doc.node_label[keep]
    piece.node_parent = np.where(parents >= 0, renumber[parents], -1).astype(np.int32)
    leaves = [
        leaf - a if leaf >= 0 else (-2 - number[-2 - leaf] if leaf <= -2 else -1)
        for leaf in doc.node_leaf[keep].tolist()
    ]
    piece.node_leaf = np.array(leaves, dtype=np.int32)


def join(pieces: Sequence[Document]) -> Document:
    """One document of several, their texts one after the other, sentences kept apart."""
    if not pieces:
        return Document()
    first = pieces[0]
    whole = Document(id=first.id, source=first.source, fixed=first.fixed, continues=first.continues)
    whole.before = first.before
    whole.text = "".join(piece.text for piece in pieces)
    same = all(piece.strings is first.strings for piece in pieces)
    whole.strings = first.strings if same else Strings()
    columns: dict[str, list[Any]] = {}

    def add(name: str, values: Any) -> None:
        columns.setdefault(name, []).append(values)

    chars = tokens = words = nodes = 0
    for piece in pieces:
        translate = None if same else whole.strings.ids(piece.strings)
        for name in _STRING_COLUMNS:
            ids = getattr(piece, name)
            add(name, ids if translate is None else translate[ids])
        for name in ("token_start", "token_end", "paragraph_start", "turn_start", "turn_end"):
            add(name, getattr(piece, name) + chars)
        add("markup_start", piece.markup_start + chars)
        add("markup_end", piece.markup_end + chars)
        add("turn_time", piece.turn_time)
        starts = piece.sent_start.copy()
        if len(starts) and starts[0] == MAYBE and piece.has_sentences and not piece.continues:
            starts[0] = YES
        add("sent_start", starts)
        add("word_token", piece.word_token + np.int32(tokens))
        add("head", np.where(piece.head >= 0, piece.head + words, piece.head).astype(np.int32))
        add("node_parent", np.where(piece.node_parent >= 0, piece.node_parent + nodes, -1))
        empties = len(whole.empty_nodes)
        leaf = piece.node_leaf
        add(
            "node_leaf", np.where(leaf >= 0, leaf + words, np.where(leaf <= -2, leaf - empties, -1))
        )
        whole.empty_nodes.extend(node.moved(words) for node in piece.empty_nodes)
        whole.token_columns.update((t + tokens, c) for t, c in piece.token_columns.items())
        whole.comments.update((t + tokens, c) for t, c in piece.comments.items())
        chars, tokens = chars + len(piece.text), tokens + piece.n_tokens
        words, nodes = words + piece.n_words, nodes + len(piece.node_label)
    for name, parts in columns.items():
        dtype = getattr(first, name).dtype
        setattr(whole, name, np.concatenate(parts).astype(dtype, copy=False))
    whole.trailer = pieces[-1].trailer
    for name in ("start_evidence", "sent_conf", "tag_conf", "arc_conf"):
        given = [getattr(piece, name) for piece in pieces]
        if all(column is not None for column in given):
            setattr(whole, name, np.concatenate(given))
    _join_options(whole, pieces)
    _join_turns(whole, pieces)
    return whole


def _join_turns(whole: Document, pieces: Sequence[Document]) -> None:
    """Make one turn again of one that was cut: its parts reach to where two pieces meet."""
    if not len(whole.turn_start):
        return
    keep = np.ones(len(whole.turn_start), dtype=bool)
    chars = turns = 0
    ends = whole.turn_end.copy()
    last = -1  # the last turn that is kept
    for piece in pieces:
        n = len(piece.turn_start)
        if n and last >= 0 and piece.continues:
            same = (
                ends[last] == chars
                and whole.turn_start[turns] == chars
                and whole.turn_speaker[last] == whole.turn_speaker[turns]
                and np.array_equal(whole.turn_time[last], whole.turn_time[turns], equal_nan=True)
            )
            if same:
                keep[turns] = False
                ends[last] = ends[turns]
        if n and (keep[turns] or n > 1):
            last = turns + n - 1
        chars, turns = chars + len(piece.text), turns + n
    whole.turn_start, whole.turn_end = whole.turn_start[keep], ends[keep]
    whole.turn_speaker, whole.turn_time = whole.turn_speaker[keep], whole.turn_time[keep]


def _join_options(whole: Document, pieces: Sequence[Document]) -> None:
    options = [piece.tag_options for piece in pieces]
    given = [option for option in options if option is not None]
    if len(given) != len(pieces) or len({tuple(option.columns) for option in given}) != 1:
        return
    width = max(option.ids.shape[1] for option in given)
    columns = {name: np.zeros((whole.n_words, width), dtype=np.int32) for name in given[0].columns}
    probabilities = np.zeros((whole.n_words, width), dtype=np.float32)
    at = 0
    for piece, option in zip(pieces, given, strict=True):
        n, k = option.ids.shape
        same = piece.strings is whole.strings
        for name, ids in option.columns.items():
            own = ids if same else whole.strings.ids(piece.strings)[ids]
            columns[name][at : at + n, :k] = own
        probabilities[at : at + n, :k] = option.probabilities
        at += n
    known = [option.right for option in given if option.right is not None]
    right = np.concatenate(known) if len(known) == len(given) else None
    first = given[0].column
    whole.tag_options = TagOptions(first, columns.pop(first), probabilities, columns, right)


def contents(doc: Document) -> dict[str, Any]:
    """Everything that a document says, strings spelled out and unknown columns left out."""
    said: dict[str, Any] = {"text": doc.text, "id": doc.id}
    for name in _STRING_COLUMNS:
        said[name] = doc.strings.take(getattr(doc, name))
    for name in (*_PLAIN_COLUMNS, "node_parent", "node_leaf", "paragraph_start"):
        said[name] = getattr(doc, name).tolist()
    if doc.n_tokens:
        # The first token starts a sentence whether or not somebody said so.
        said["sent_start"][0] = YES if doc.sent_start[0] != NO else NO
    for name in ("turn_start", "turn_end", "markup_start", "markup_end"):
        said[name] = getattr(doc, name).tolist()
    said["turn_time"] = np.nan_to_num(doc.turn_time, nan=-1.0).tolist()
    said |= {"empty_nodes": doc.empty_nodes, "comments": doc.comments, "trailer": doc.trailer}
    said["token_columns"] = doc.token_columns
    for name in ("start_evidence", "sent_conf", "tag_conf", "arc_conf"):
        column = getattr(doc, name)
        said[name] = None if column is None else np.nan_to_num(column, nan=-1.0).tolist()
    options = doc.tag_options
    said["tag_options"] = options and (
        options.column,
        {name: [doc.strings.take(row) for row in ids] for name, ids in options.columns.items()},
        options.probabilities.tolist(),
        None if options.right is None else options.right.tolist(),
    )
    return said
