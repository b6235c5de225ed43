"""Plain character spans: lines of start, end and label over a raw text, as `--tuples` writes them.

SENT and TOK are sentences and tokens, `POS:x` tags, `DEP:x` dependencies with the span of the head
or ROOT behind the label; any other label is a phrase. Phrases are nested by their spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, EmptyNode
from caesura.errors import FormatError

__all__ = ["read_spans"]

Span = tuple[int, int]


def read_spans(lines: Iterable[str], text: str, file: str | None = None) -> Document:
    """A document over `text` of the spans in the lines."""
    sentences: list[Span] = []
    tokens: list[Span] = []
    tags: dict[Span, list[str]] = {}
    arcs: dict[Span, tuple[Span | None, str]] = {}
    phrases: list[tuple[Span, str]] = []
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        span, label = _span(fields, number, len(text), file)
        if label in ("SENT", "sentence"):
            sentences.append(span)
        elif label in ("TOK", "token"):
            tokens.append(span)
        elif label.startswith("POS:"):
            tags.setdefault(span, []).append(label[4:])
        elif label.startswith("DEP:"):
            head = None if fields[3:4] == ["ROOT"] else (int(fields[3]), int(fields[4]))
            arcs[span] = (head, label[4:])
        elif not label.startswith(("WORD", "paragraph")):
            phrases.append((span, label))
    if not tokens:
        tokens = sorted(tags) if tags else _chunks(text, sentences)
    return _document(text, sorted(sentences), sorted(tokens), tags, arcs, phrases, file)


def _span(fields: list[str], line: int, size: int, file: str | None) -> tuple[Span, str]:
    wrong = ""
    if len(fields) < 3 or not (fields[0].isdigit() and fields[1].isdigit()):
        wrong = "a line is not start, end and label"
    elif not int(fields[0]) <= int(fields[1]) <= size:
        wrong = f"the span {fields[0]} {fields[1]} is not in the text, which has {size} characters"
    elif fields[2].startswith("DEP:") and not _is_head(fields[3:]):
        wrong = "a dependency has neither the span of its head nor ROOT"
    if wrong:
        raise FormatError(
            wrong,
            file=file,
            line=line,
            remedy="Write for instance: 0 4 TOK, or 0 4 DEP:nsubj 5 9",
        )
    return (int(fields[0]), int(fields[1])), fields[2]


def _is_head(fields: list[str]) -> bool:
    return fields == ["ROOT"] or (len(fields) == 2 and all(f.isdigit() for f in fields))


def _chunks(text: str, sentences: list[Span]) -> list[Span]:
    """Runs without white space, cut at sentence starts, where only sentences are given."""
    cuts = sorted({0, len(text), *(start for start, _ in sentences)})
    return [
        (hit.start() + first, hit.end() + first)
        for first, last in pairwise(cuts)
        for hit in re.finditer(r"\S+", text[first:last])
    ]


def _document(
    text: str,
    sentences: list[Span],
    tokens: list[Span],
    tags: dict[Span, list[str]],
    arcs: dict[Span, tuple[Span | None, str]],
    phrases: list[tuple[Span, str]],
    file: str | None,
) -> Document:
    wide = [span for span in tokens if span[1] > span[0]]
    empty = [span for span in tokens if span[1] == span[0]]
    for (_, end), (start, _) in pairwise(wide):
        if start < end:
            raise FormatError(
                f"two tokens overlap at offset {start}", file=file, remedy="Let tokens be disjoint."
            )
    doc = Document.from_spans(text, [s for s, _ in wide], [e for _, e in wide], source=file)
    doc.sent_start[:] = NO if sentences else MAYBE
    if wide:
        at = np.searchsorted(doc.token_start, [start for start, _ in sentences])
        doc.sent_start[at[at < len(wide)]] = YES
        doc.sent_start[0] = YES
    if tags:
        doc.set_column("xpos", ["|".join(tags.get(span, [""])) for span in wide])
    if arcs:
        number = {span: i for i, span in enumerate(wide)}
        heads = np.full(len(wide), UNKNOWN, dtype=np.int32)
        labels = [""] * len(wide)
        for span, (head, label) in arcs.items():
            word = number.get(span)
            if word is not None:
                heads[word] = ROOT if head is None else number.get(head, UNKNOWN)
                labels[word] = label
        doc.head = heads
        doc.set_column("deprel", labels)
    if phrases:
        _nest(doc, wide, empty, tags, phrases)
    return doc


def _nest(
    doc: Document,
    words: list[Span],
    empty: list[Span],
    tags: dict[Span, list[str]],
    phrases: list[tuple[Span, str]],
) -> None:
    """Phrase structure in preorder: wider spans first, of equal ones the one that came first."""
    starts = [start for start, _ in words]
    for span in empty:
        before = int(np.searchsorted(starts, span[0])) - 1
        anchor = before if before >= 0 else -1
        tag = tags.get(span, ["-NONE-"])[0]
        doc.empty_nodes.append(EmptyNode(anchor=anchor, form="*", xpos=tag))
    # (start, width first: none, -end, leaves last, order), label, leaf
    rows: list[tuple[tuple[int, int, int, int, int], str, int]] = []
    for order, ((start, end), label) in enumerate(phrases):
        rows.append(((start, int(end > start), -end, 0, order), label, -1))
    for order, (start, end) in enumerate(words):
        tag = "|".join(tags.get((start, end), ["X"]))
        rows.append(((start, 1, -end, 1, order), tag, order))
    for order, (start, end) in enumerate(empty):
        rows.append(((start, 0, -end, 1, order), tags.get((start, end), ["-NONE-"])[0], -2 - order))
    rows.sort(key=lambda row: row[0])
    parents: list[int] = []
    open_nodes: list[tuple[int, int]] = []
    for number, ((start, width, end, _, _), _, leaf) in enumerate(rows):
        while open_nodes and (open_nodes[-1][1] < -end or (open_nodes[-1][1] == start and width)):
            open_nodes.pop()
        parents.append(open_nodes[-1][0] if open_nodes else -1)
        if leaf == -1:
            open_nodes.append((number, -end))
    doc.node_label = doc.strings.ids(label for _, label, _ in rows)
    doc.node_parent = np.array(parents, dtype=np.int32)
    doc.node_leaf = np.array([leaf for _, _, leaf in rows], dtype=np.int32)
