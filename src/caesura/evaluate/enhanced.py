"""Enhanced dependencies: ELAS and EULAS of the IWPT 2020 shared task (Bouma et al. 2020).

A word may have several heads; every edge counts. Empty nodes are folded into the edges that lead
through them, whose labels become paths (`conj>nsubj`), so that edges run between words only.
EULAS compares labels without their subtypes. A head that does not exist is bad input.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass

import numpy as np

from caesura.document import Document
from caesura.errors import FormatError
from caesura.evaluate.flat_columns import Longs, Side
from caesura.evaluate.order import sent_id
from caesura.evaluate.pairs import NOT_ALIGNED, Pairs
from caesura.evaluate.score import Score
from caesura.evaluate.universal import universal_relation
from caesura.formats.io import open_read

__all__ = ["enhanced_scores"]

#: An empty node of a sentence, or the number of a word in the document, or ROOT.
Head = int | str


@dataclass
class Edges:
    word: Longs
    head: Longs
    label: Longs
    plain: Longs


def enhanced_scores(pairs: Pairs) -> dict[str, Score]:
    """ELAS and EULAS; nothing if either side has no enhanced graph."""
    if not (pairs.gold.known("deps") and pairs.system.known("deps")):
        return {}
    gold, system = _edges(pairs.gold), _edges(pairs.system)
    word = pairs.gold_of[system.word]
    head = np.where(system.head < 0, -1, NOT_ALIGNED)
    inside = system.head >= 0
    there = pairs.gold_of[system.head[inside]]
    head[inside] = np.where(there < 0, NOT_ALIGNED, there)
    usable = (word >= 0) & (head > NOT_ALIGNED)

    def score(name: str) -> Score:
        left = zip(
            gold.word.tolist(), gold.head.tolist(), getattr(gold, name).tolist(), strict=True
        )
        right = zip(
            word[usable].tolist(),
            head[usable].tolist(),
            getattr(system, name)[usable].tolist(),
            strict=True,
        )
        return Score(len(gold.word), len(system.word), len(set(left) & set(right)))

    return {"ELAS": score("label"), "EULAS": score("plain")}


def _edges(side: Side) -> Edges:
    words: list[int] = []
    heads: list[int] = []
    labels: list[int] = []
    plain: list[int] = []
    add = side.strings.add
    for number, doc in enumerate(side.docs):
        offset = int(side.doc_first_word[number])
        for word, head, label in _document_edges(doc):
            words.append(offset + word)
            heads.append(offset + head if head >= 0 else -1)
            labels.append(add(label))
            short = ">".join(universal_relation(step) for step in label.split(">"))
            plain.append(add(short))
    columns = (np.array(column, dtype=np.int64) for column in (words, heads, labels, plain))
    return Edges(*columns)


def _document_edges(doc: Document) -> list[tuple[int, int, str]]:
    """Edges between words: dependent, head (-1 for the root) and label."""
    empties: dict[int, dict[str, str]] = {}
    sentence_of = doc.word_sentence
    first_of = np.searchsorted(sentence_of, np.arange(doc.n_sentences)).tolist()
    for node in doc.empty_nodes:
        sentence = int(sentence_of[node.word]) if doc.n_words else 0
        major = node.anchor - first_of[sentence] + 1 if node.anchor >= 0 else 0
        empties.setdefault(sentence, {})[f"{major}.{node.minor}"] = node.deps
    edges: list[tuple[int, int, str]] = []
    deps = doc.column("deps")
    sizes = np.bincount(sentence_of, minlength=doc.n_sentences).tolist()
    for sentence, nodes in empties.items():
        for value in nodes.values():
            _check(value, nodes, sizes[sentence], doc, first_of[sentence])
    for word, sentence in enumerate(sentence_of.tolist()):
        if not deps[word]:
            continue
        nodes = empties.get(sentence, {})
        _check(deps[word], nodes, sizes[sentence], doc, first_of[sentence])
        for head, label in _through(deps[word], nodes, frozenset()):
            edges.append((word, first_of[sentence] + int(head) - 1 if int(head) else -1, label))
    return edges


def _through(deps: str, nodes: dict[str, str], seen: frozenset[str]) -> list[tuple[str, str]]:
    """The edges of a DEPS value, those from empty nodes replaced by paths to their own heads."""
    found: list[tuple[str, str]] = []
    for item in deps.split("|") if deps else ():
        head, _, label = item.partition(":")
        if "." not in head:
            found.append((head, label))
        elif head not in seen:
            above = _through(nodes[head], nodes, seen | {head})
            found += [(higher, f"{step}>{label}") for higher, step in above]
    return found


# ------------------------------------------------------------------ bad input


def _wrong_head(deps: str, nodes: Container[str], words: int) -> str | None:
    """The first head of a DEPS value that does not exist."""
    for item in deps.split("|") if deps and deps != "_" else ():
        head = item.partition(":")[0]
        # Python refuses to convert numbers of thousands of digits.
        if head not in nodes and not (head.isdecimal() and len(head) < 20 and int(head) <= words):
            return head
    return None


def _check(deps: str, nodes: Container[str], words: int, doc: Document, first: int) -> None:
    head = _wrong_head(deps, nodes, words)
    if head is None:
        return
    token = int(doc.word_token[first]) if doc.n_words else 0
    raise FormatError(
        f"DEPS is {deps!r}, but the sentence has no word or empty node {head!r} ({words} words)",
        file=doc.source,
        line=_line_of(doc.source, deps),
        sent_id=sent_id(doc.comments.get(token, ())),
        remedy="Fix the line, or take the column DEPS out.",
    )


def _line_of(source: str | None, deps: str) -> int | None:
    """The first line of a file of ten columns with a DEPS that names a head that is not there.

    A document does not remember the lines that it came from, so its file is read once more.
    """
    if source is None or not os.path.isfile(source):
        return None
    with open_read(source) as stream:
        lines = stream.read().decode("utf-8", "replace").splitlines()
    sentence: list[tuple[int, list[str]]] = []
    for number, line in enumerate([*lines, ""], start=1):
        if line and not line.startswith("#"):
            sentence.append((number, line.split("\t")))
            continue
        nodes = {fields[0] for _, fields in sentence if "." in fields[0]}
        words = sum(fields[0].isdecimal() for _, fields in sentence)
        for place, fields in sentence:
            if fields[8:9] == [deps] and _wrong_head(deps, nodes, words) is not None:
                return place
        sentence = []
    return None
