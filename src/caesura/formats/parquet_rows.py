"""Rows of Parquet tables to documents: rows of words, of sentences, or of texts.

Offsets are those of the table; what stands between tokens is as long as they say, and blanks where
no row says what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np

from caesura.document import NO, ROOT, TURN, UNKNOWN, YES, Document
from caesura.errors import FormatError, InputError
from caesura.formats.options import ReadOptions

__all__ = ["documents_of"]

#: Columns without which rows are no words, and others that are read if they are there.
_NEEDED: Final = ("document", "sentence", "id", "token", "start", "end", "text", "form")
_STRINGS: Final = ("lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_MORE: Final = (
    "doc_id", "paragraph", "after", *_STRINGS, "head", "turn", "speaker", "start_time", "end_time",
    "turn_kind", "word_start_time", "word_end_time", "time_conf", "time_guessed",
    "sent_conf", "tag_conf", "arc_conf",
)  # fmt: skip
#: Rows that are read at once.
_AT_ONCE: Final = 1 << 14
_REMEDY: Final = "Fix the table, or pass --skip-bad to leave the document out."

Row = dict[str, Any]


def documents_of(file: Any, options: ReadOptions) -> Iterator[Document]:
    """The documents of an open table."""
    names = set(file.schema_arrow.names)
    if "words" in names:
        yield from _gathered(_of_sentences(file, names), options)
    elif names.issuperset(_NEEDED):
        yield from _gathered(_rows(file, [n for n in (*_NEEDED, *_MORE) if n in names]), options)
    elif "text" in names:
        yield from _of_texts(file, names, options)
    else:
        raise options.error(
            "this table has neither words nor a column `text`",
            remedy=f"Name the column of texts `text`; tables of words have {', '.join(_NEEDED)}.",
        )


def _rows(file: Any, columns: list[str]) -> Iterator[Row]:
    for batch in file.iter_batches(batch_size=_AT_ONCE, columns=columns):
        yield from batch.to_pylist()


def _of_sentences(file: Any, names: set[str]) -> Iterator[Row]:
    """The words of rows that are sentences."""
    place = [name for name in ("document", "doc_id", "paragraph", "sentence") if name in names]
    for row in _rows(file, [*place, "words"]):
        for word in row["words"] or ():
            yield {**word, **{name: row[name] for name in place}}


def _of_texts(file: Any, names: set[str], options: ReadOptions) -> Iterator[Document]:
    own = [name for name in ("id", "doc_id") if name in names][:1]
    for number, row in enumerate(_rows(file, ["text", *own]), 1):
        text = row["text"]
        if text is None:
            continue
        if not isinstance(text, str):
            raise options.error("the column `text` holds no text", remedy="Name another `text`.")
        name = row[own[0]] if own else None
        doc = Document(text=text, id=str(name if name is not None else number))
        doc.source = options.file
        yield doc


def _gathered(rows: Iterator[Row], options: ReadOptions) -> Iterator[Document]:
    """Rows of one document after the other."""
    waiting: list[Row] = []
    for row in rows:
        if waiting and row.get("document") != waiting[0].get("document"):
            yield from _made(waiting, options)
            waiting = []
        waiting.append(row)
    if waiting:
        yield from _made(waiting, options)


def _made(rows: list[Row], options: ReadOptions) -> Iterator[Document]:
    try:
        doc = _document(rows)
        doc.check()
    except (InputError, TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        what = error.what if isinstance(error, InputError) else f"these rows are no words ({error})"
        name = rows[0].get("doc_id")
        named = f" (document {rows[0].get('document')}{f', {name}' if name else ''})"
        failed = FormatError(what + named, file=options.file, remedy=_REMEDY)
        options.skip(failed)
        return
    doc.source = options.file
    yield doc


def _document(rows: list[Row]) -> Document:
    tokens = [0, *(k for k, (a, b) in enumerate(pairwise(rows), 1) if a["token"] != b["token"])]
    first = [rows[k] for k in tokens]
    doc = Document.from_spans(_text(first), [r["start"] for r in first], [r["end"] for r in first])
    doc.id = rows[0].get("doc_id")
    sizes = np.diff([*tokens, len(rows)])
    doc.word_token = np.repeat(np.arange(len(tokens), dtype=np.int32), sizes)
    doc.form = np.zeros(0, np.int32)
    doc.blank_words()
    doc.set_column("form", [row["form"] or "" for row in rows])
    for name in _STRINGS:
        doc.set_column(name, [row.get(name) or "" for row in rows])
    starts = [True, *(a["sentence"] != b["sentence"] for a, b in pairwise(first))]
    doc.sent_start = np.where(starts, YES, NO).astype(np.int8)
    doc.head = _heads(rows)
    marks = [row.get("paragraph") for row in first]
    opens = [b is not None and a != b for a, b in pairwise([None, *marks])]
    doc.paragraph_start = doc.token_start[np.array(opens)]
    _set_turns(doc, first)
    _set_times(doc, first)
    for name, from_rows in (("sent_conf", first), ("tag_conf", rows), ("arc_conf", rows)):
        values = [row.get(name) for row in from_rows]
        if any(value is not None for value in values):
            setattr(doc, name, np.array(values, np.float32))
    return doc


def _text(tokens: list[Row]) -> str:
    parts: list[str] = []
    length = 0
    after = ""
    for row in tokens:
        gap = row["start"] - length
        if gap < 0 or row["end"] - row["start"] != len(row["text"]):
            raise InputError(f"the token {row['text']!r} is not at {row['start']}:{row['end']}")
        if gap > 2 * (len(after) + 1024):  # a table says where its texts begin, within reason
            raise InputError(f"nothing is known of the text before {row['start']}")
        parts += [after[:gap].ljust(gap), row["text"]]
        length, after = row["end"], row.get("after") or ""
    return "".join([*parts, after])


def _heads(rows: list[Row]) -> np.ndarray:
    heads = np.full(len(rows), UNKNOWN, np.int32)
    base, sentence = 0, rows[0]["sentence"]
    for word, row in enumerate(rows):
        if row["sentence"] != sentence:
            base, sentence = word, row["sentence"]
        if row["id"] != word - base + 1:
            raise InputError(f"word {row['id']} of a sentence is its {word - base + 1}th row")
        head = row.get("head")
        if head is not None:
            heads[word] = base + head - 1 if head > 0 else ROOT
    return heads


def _set_turns(doc: Document, tokens: list[Row]) -> None:
    numbers = [row.get("turn") for row in tokens]
    edges = [k for k, (a, b) in enumerate(pairwise([None, *numbers])) if b is not None and a != b]
    if not edges:
        return
    ends = []
    for k in edges:
        last = k
        while last + 1 < len(tokens) and numbers[last + 1] == numbers[k]:
            last += 1
        ends.append(last)
    doc.turn_start, doc.turn_end = doc.token_start[edges], doc.token_end[ends]
    doc.turn_speaker = doc.strings.ids([tokens[k].get("speaker") or "" for k in edges])
    times = [(tokens[k].get("start_time"), tokens[k].get("end_time")) for k in edges]
    doc.turn_time = np.array(times, np.float64).reshape(-1, 2)
    kinds = np.array([tokens[k].get("turn_kind") or TURN for k in edges], np.int8)
    doc.turn_kind = kinds if kinds.any() else None


def _set_times(doc: Document, tokens: list[Row]) -> None:
    times = [(row.get("word_start_time"), row.get("word_end_time")) for row in tokens]
    if all(begin is None and end is None for begin, end in times):
        return
    doc.token_time = np.array(times, np.float64).reshape(-1, 2)
    doc.token_time_conf = np.array([row.get("time_conf") for row in tokens], np.float32)
    guessed = [row.get("time_guessed") or 0 for row in tokens]
    doc.token_time_guessed = np.array(guessed, np.int8)
