"""Parquet (extra `arrow`): tables of words for corpora, which pandas, DuckDB and Spark read.

A row is a word (mode `word`), or a sentence whose words are a list of structs (mode `sentence`).
All columns are always there, so that many files are one table; what is not known is null. Rows are
written in groups of bounded size, and no file ever holds fewer than were to be written. Both kinds
are read again, and any table with a column `text`, of which every row is a document. Offsets are
those of the table; gaps between tokens have the length that offsets imply, and are filled with
blanks where the table does not hold their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import BufferedReader, BytesIO, RawIOBase
from itertools import groupby, pairwise
from typing import Any, BinaryIO, Final

import numpy as np

from caesura.document import CONFIDENCE_KEYS, NO, ROOT, TURN, UNKNOWN, YES, Document, token_turn
from caesura.document.schema import CONLLU, schema_of
from caesura.errors import FormatError, InputError, MissingExtra, UsageError
from caesura.formats.build import SURROGATES, one_line, set_turns, with_next
from caesura.formats.conllu.attributes import opens_paragraph, sent_id
from caesura.formats.io import read_bytes
from caesura.formats.options import ReadOptions, WriteOptions

MODES: Final = ("word", "sentence")
#: Where a row is; a row that is a sentence has these, then `start`, `end`, `text` and `words`.
_PLACE: Final = {
    "document": "int32",
    "doc_id": "string",
    "paragraph": "int32",
    "sentence": "int32",
    "sent_id": "string",
}
_STRINGS: Final = tuple(name for name in CONLLU if name != "head")
#: Columns of `Document` for the times of a word, by column of the table.
_TIMES: Final = {"time_conf": "token_time_conf", "time_guessed": "token_time_guessed"}
_OF_WORD: Final = {
    "id": "int32",
    "token": "int32",
    "start": "int64",
    "end": "int64",
    "text": "string",
    "after": "string",
    **{name: "int32" if name == "head" else "string" for name in CONLLU},
    "turn": "int32",
    "speaker": "string",
    "start_time": "float64",
    "end_time": "float64",
    "turn_kind": "int32",
    "word_start_time": "float64",
    "word_end_time": "float64",
    "time_conf": "float32",
    "time_guessed": "int32",
    **dict.fromkeys(CONFIDENCE_KEYS, "float32"),
}
#: The columns of both kinds of rows with their types; `words` is a list of `_OF_WORD`.
WORD: Final = _PLACE | _OF_WORD
SENTENCE: Final = _PLACE | {"start": "int64", "end": "int64", "text": "string", "words": "list"}
#: Columns without which rows are no words.
_NEEDED: Final = ("document", "sentence", "id", "token", "start", "end", "text", "form")
#: Words in a group of rows, which is what is held in memory and what readers read at once.
_GROUP: Final = 1 << 17
#: Rows that are read at once.
_AT_ONCE: Final = 1 << 14

Row = dict[str, Any]


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("pyarrow", "arrow", "Parquet") from None
    return pyarrow, parquet


def _mode(mode: str | None) -> str:
    if mode not in (None, *MODES):
        raise UsageError(
            f"the format parquet has no mode {mode!r}", remedy=f"Modes are: {', '.join(MODES)}."
        )
    return mode or "word"


def ready(mode: str | None) -> None:
    """Refuse what cannot be written before there is anything to write."""
    _mode(mode)
    _arrow()


# ------------------------------------------------------------------- writing


def write_parquet(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as a table of words, or of sentences."""
    by_sentence = _mode(options.mode) == "sentence"
    pa, parquet = _arrow()
    rows = _RowMaker(pa, options)
    schema = rows.schema(by_sentence)
    sink = _Sink(stream)
    writer = parquet.ParquetWriter(sink, schema, compression="zstd")
    waiting: list[Any] = []

    def flush() -> None:
        if waiting:
            table = pa.Table.from_batches(waiting)
            writer.write_table(table, row_group_size=max(table.num_rows, 1))
        waiting.clear()
        rows.n_words = 0

    try:
        for doc, more in with_next(documents):
            rows.begin(doc)
            if not doc.n_tokens:
                continue
            batch = rows.sentences(doc, more) if by_sentence else rows.words(doc, more)
            waiting.append(pa.RecordBatch.from_arrays(batch, schema=schema))
            if rows.n_words >= _GROUP:
                flush()
        flush()
    except BaseException:
        sink.dead = True  # closing the writer must not complete a file that can be read
        writer.close()
        raise
    writer.close()


class _Sink(RawIOBase):
    """A stream that is written from its beginning to its end, a pipe too; it is not closed."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._at = 0
        self.dead = False

    def write(self, data: Any) -> int:
        if not self.dead:
            self._stream.write(data)
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        return self._at

    def writable(self) -> bool:
        return True


class _RowMaker:
    """Columns of documents, with what is counted over the pieces of a stream."""

    def __init__(self, pa: Any, options: WriteOptions) -> None:
        self._pa = pa
        self._options = options
        #: Words that wait to be written.
        self.n_words = 0
        self._document = -1
        self._named = 0
        #: Where the present text begins and ends in that of its document.
        self._offset = self._end = 0
        self._sentence = self._token = self._turns = 0
        self._paragraph = -1
        self._open: tuple[Any, ...] | None = None

    def _fields(self, types: Mapping[str, str]) -> list[Any]:
        return [self._pa.field(name, getattr(self._pa, kind)()) for name, kind in types.items()]

    def schema(self, by_sentence: bool) -> Any:
        """The columns of one of the modes."""
        pa, words = self._pa, self._fields(_OF_WORD)
        if not by_sentence:
            return pa.schema(self._fields(_PLACE) + words)
        outer = self._fields({name: kind for name, kind in SENTENCE.items() if name != "words"})
        return pa.schema([*outer, pa.field("words", pa.list_(pa.struct(words)))])

    def begin(self, doc: Document) -> None:
        """Look at a document or the next piece of it."""
        if not doc.continues:
            self._document += 1
            self._end = self._sentence = self._token = self._turns = 0
            self._paragraph, self._open = -1, None
        self._offset, self._end = self._end, self._end + len(doc.text)

    def words(self, doc: Document, more: Document | None) -> list[Any]:
        """The columns of a document or a piece of one, a row a word."""
        place, own = self._columns(doc, more)
        return [*place.values(), *own.values()]

    def sentences(self, doc: Document, more: Document | None) -> list[Any]:
        """The same, a row a sentence."""
        pa = self._pa
        place, own = self._columns(doc, more)
        tokens = doc.sentence_bounds
        bounds = doc.first_word[tokens]
        first = pa.array(bounds[:-1])
        starts, ends = doc.token_start[tokens[:-1]], doc.token_end[tokens[1:] - 1]
        text = _clean(doc.text)
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        words = pa.StructArray.from_arrays(list(own.values()), names=list(own))
        return [
            *(column.take(first) for column in place.values()),
            pa.array(starts + self._offset, pa.int64()),
            pa.array(ends + self._offset, pa.int64()),
            pa.array([text[a:b] for a, b in spans], pa.string()),
            pa.ListArray.from_arrays(pa.array(bounds, pa.int32()), words),
        ]

    def _array(self, name: str, values: Any, n: int) -> Any:
        """A column of the table: unknown rows are masked or NaN, None if there are no others."""
        kind = getattr(self._pa, WORD[name])()
        if values is None:
            return self._pa.nulls(n, kind)
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            values = np.ma.array(values, mask=np.isnan(values))
        return values if isinstance(values, self._pa.Array) else self._pa.array(values, kind)

    def _columns(
        self, doc: Document, more: Document | None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        n, of_word = doc.n_words, doc.word_token
        sentence = doc.word_sentence
        bounds = doc.first_word[doc.sentence_bounds]
        base = np.repeat(bounds[:-1], np.diff(bounds))
        head = np.where(doc.head >= 0, doc.head - base + 1, 0)
        rows = self._pa.array(of_word)
        confidences = CONFIDENCE_KEYS if self._options.confidences else ()
        found = {
            "document": np.full(n, self._document),
            "doc_id": [_clean(doc.id) if doc.id else None] * n,
            "paragraph": self._paragraphs(doc).take(rows),
            "sentence": sentence + self._sentence,
            "sent_id": self._names(doc).take(self._pa.array(sentence)),
            "id": np.arange(1, n + 1) - base,
            "token": of_word + self._token,
            "start": doc.token_start[of_word] + self._offset,
            "end": doc.token_end[of_word] + self._offset,
            **{name: column.take(rows) for name, column in self._surfaces(doc, more).items()},
            **{name: self._strings(doc, getattr(doc, name)) for name in _STRINGS},
            "head": np.ma.array(head, mask=doc.head == UNKNOWN),
            **self._spoken(doc),
            **{name: _by_word(doc, column) for name, column in _TIMES.items()},
            **{name: _by_word(doc, name) for name in confidences},
        }
        if doc.token_time is not None:
            found["word_start_time"], found["word_end_time"] = doc.token_time[of_word].T
        self._sentence += doc.n_sentences
        self._token += doc.n_tokens
        self.n_words += n
        place = {name: self._array(name, found[name], n) for name in _PLACE}
        return place, {name: self._array(name, found.get(name), n) for name in _OF_WORD}

    def _strings(self, doc: Document, ids: np.ndarray) -> Any:
        """A column of strings, null where there is none."""
        found, rows = np.unique(ids, return_inverse=True)
        values = [_clean(value) or None for value in doc.strings.take(found)]
        return self._pa.array(values, self._pa.string()).take(self._pa.array(rows))

    def _surfaces(self, doc: Document, more: Document | None) -> dict[str, Any]:
        """Tokens as they are written, and what stands behind them."""
        text = _clean(doc.text)
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        gaps = [text[a:b] for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
        if more is not None and more.n_tokens:
            gaps[-1] += _clean(more.text[: int(more.token_start[0])])
        surfaces = [text[a:b] for a, b in zip(starts, ends, strict=True)]
        string = self._pa.string()
        return {"text": self._pa.array(surfaces, string), "after": self._pa.array(gaps, string)}

    def _paragraphs(self, doc: Document) -> Any:
        """The number of the paragraph of each token."""
        opens = np.zeros(doc.n_tokens, bool)
        if len(doc.paragraph_start):
            opens = doc.token_paragraph_start
            opens[0] = opens_paragraph(doc)
        number = self._paragraph + np.cumsum(opens)
        self._paragraph = int(number[-1])
        return self._pa.array(number, self._pa.int32(), mask=number < 0)

    def _names(self, doc: Document) -> Any:
        """The name of each sentence, as CoNLL-U has it."""
        if not doc.continues and doc.id:
            self._named = 0
        name = one_line(doc.id or "").strip()
        names = []
        for first in doc.sentence_bounds[:-1].tolist():
            self._named += 1
            own = sent_id(doc.comments.get(first, ()))
            names.append(own or (f"{name}-{self._named}" if name else str(self._named)))
        return self._pa.array(map(_clean, names), self._pa.string())

    def _spoken(self, doc: Document) -> dict[str, Any]:
        """Turns of a transcript."""
        if not len(doc.turn_start):
            self._open = None
            return {}
        said = zip(doc.turn_speaker.tolist(), doc.turn_time.tolist(), strict=True)
        known = [(doc.strings[who], str(times)) for who, times in said]
        turn = token_turn(doc)[doc.word_token]
        first = self._turns
        if doc.continues and int(doc.turn_start[0]) == 0 and known[0] == self._open:
            first -= 1  # it goes on
        self._turns = first + len(known)
        self._open = known[-1] if int(doc.turn_end[-1]) == len(doc.text) else None
        outside, row = turn < 0, np.maximum(turn, 0)
        begins, ends = np.where(outside[:, None], np.nan, doc.turn_time[row]).T
        kinds = np.zeros_like(row) if doc.turn_kind is None else doc.turn_kind[row]
        speakers = self._strings(doc, doc.turn_speaker)
        return {
            "turn": np.ma.array(first + turn, mask=outside),
            "speaker": speakers.take(self._pa.array(row, mask=outside)),
            "start_time": begins,
            "end_time": ends,
            "turn_kind": np.ma.array(kinds, mask=outside),
        }


def _by_word(doc: Document, name: str) -> Any:
    """An optional column of tokens or words, a row a word."""
    values = getattr(doc, name)
    of_token = values is not None and doc.schema.by_name[name].level == "token"
    return values[doc.word_token] if of_token else values


def _clean(text: str) -> str:
    """What UTF-8 can hold of a text; as long as it is."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


# ------------------------------------------------------------------- reading


def read_parquet(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a table of words, of sentences, or of texts."""
    pa, parquet = _arrow()
    plain = isinstance(stream, BufferedReader) and stream.seekable()
    source = stream if plain else BytesIO(read_bytes(stream, -1, options.file))
    try:
        yield from _documents(parquet.ParquetFile(source), options)
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise options.error(
            f"this Parquet table cannot be read ({first})", remedy="Get the file again."
        ) from None


def _documents(file: Any, options: ReadOptions) -> Iterator[Document]:
    names = set(file.schema_arrow.names)
    if "words" in names:
        rows = _words_of_sentences(file, names)
    elif names.issuperset(_NEEDED):
        rows = _rows(file, [name for name in WORD if name in names and name != "sent_id"])
    elif "text" in names:
        yield from _of_texts(file, names, options)
        return
    else:
        raise options.error(
            "this table has neither words nor a column `text`",
            remedy=f"Name the column of texts `text`; tables of words have {', '.join(_NEEDED)}.",
        )
    for _, own in groupby(rows, lambda row: row.get("document")):
        yield from _made(list(own), options)


def _rows(file: Any, columns: list[str]) -> Iterator[Row]:
    for batch in file.iter_batches(batch_size=_AT_ONCE, columns=columns):
        yield from batch.to_pylist()


def _words_of_sentences(file: Any, names: set[str]) -> Iterator[Row]:
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


def _made(rows: list[Row], options: ReadOptions) -> Iterator[Document]:
    try:
        doc = _document(rows)
        doc.check()
    except (InputError, TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        what = error.what if isinstance(error, InputError) else f"these rows are no words ({error})"
        name = rows[0].get("doc_id")
        what += f" (document {rows[0].get('document')}{f', {name}' if name else ''})"
        remedy = "Fix the table, or pass --skip-bad to leave the document out."
        options.skip(FormatError(what, file=options.file, remedy=remedy))
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
    for name in _STRINGS[1:]:
        doc.set_column(name, [row.get(name) or "" for row in rows])
    starts = [True, *(a["sentence"] != b["sentence"] for a, b in pairwise(first))]
    doc.sent_start = np.where(starts, YES, NO).astype(np.int8)
    doc.head = _heads(rows)
    marks = [row.get("paragraph") for row in first]
    opens = [b is not None and a != b for a, b in pairwise([None, *marks])]
    doc.paragraph_start = doc.token_start[np.array(opens)]
    set_turns(doc, _turns(first))
    times = [(row.get("word_start_time"), row.get("word_end_time")) for row in first]
    if any(begin is not None or end is not None for begin, end in times):
        doc.token_time = np.array(times, np.float64).reshape(-1, 2)
        doc.token_time_conf = np.array([row.get("time_conf") for row in first], np.float32)
        guessed = [row.get("time_guessed") or 0 for row in first]
        doc.token_time_guessed = np.array(guessed, np.int8)
    for name in CONFIDENCE_KEYS:
        of_token = schema_of(Document).by_name[name].level == "token"
        values = [row.get(name) for row in (first if of_token else rows)]
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


def _turns(tokens: list[Row]) -> Iterator[tuple[int, int, str, Any, Any, int]]:
    for turn, rows in groupby(tokens, lambda row: row.get("turn")):
        own = list(rows)
        if turn is not None:
            first, get = own[0]["start"], own[0].get
            times = get("start_time"), get("end_time")
            yield first, own[-1]["end"], get("speaker") or "", *times, get("turn_kind") or TURN
