"""Parquet (extra `arrow`): tables of words for corpora, which pandas, DuckDB and Spark read.

A row is a word (mode `word`), or a sentence whose words are a list of structs (mode `sentence`).
All columns are always there, so that many files are one table; what is not known is null. Rows are
written in groups of bounded size, and no file ever holds fewer than were to be written. Both kinds
are read again, and any table with a column `text`, of which every row is a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader, BytesIO
from typing import Any, BinaryIO, Final

import numpy as np

from caesura.document import UNKNOWN, Document, token_turn
from caesura.errors import MissingExtra, UsageError
from caesura.formats.build import SURROGATES, one_line, with_next
from caesura.formats.conllu.comments import sent_id
from caesura.formats.conllu.spacing import opens_paragraph
from caesura.formats.io import read_bytes
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.parquet_rows import documents_of

__all__ = ["MODES", "SENTENCE", "WORD", "read", "ready", "write"]

MODES: Final = ("word", "sentence")
#: Where a row is; a row that is a sentence has these, then `start`, `end`, `text` and `words`.
_PLACE: Final = {
    "document": "int32",
    "doc_id": "string",
    "paragraph": "int32",
    "sentence": "int32",
    "sent_id": "string",
}
_OF_WORD: Final = {
    "id": "int32",
    "token": "int32",
    "start": "int64",
    "end": "int64",
    "text": "string",
    "after": "string",
    "form": "string",
    "lemma": "string",
    "upos": "string",
    "xpos": "string",
    "feats": "string",
    "head": "int32",
    "deprel": "string",
    "deps": "string",
    "misc": "string",
    "turn": "int32",
    "speaker": "string",
    "start_time": "float64",
    "end_time": "float64",
    "turn_kind": "int32",
    "word_start_time": "float64",
    "word_end_time": "float64",
    "time_conf": "float32",
    "time_guessed": "int32",
    "sent_conf": "float32",
    "tag_conf": "float32",
    "arc_conf": "float32",
}
#: The columns of both kinds of rows with their types; `words` is a list of `_OF_WORD`.
WORD: Final = _PLACE | _OF_WORD
SENTENCE: Final = _PLACE | {"start": "int64", "end": "int64", "text": "string", "words": "list"}
_STRINGS: Final = ("form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc")
_CONFIDENCES: Final = ("sent_conf", "tag_conf", "arc_conf")
#: Words in a group of rows, which is what is held in memory and what readers read at once.
_GROUP: Final = 1 << 17


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


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as a table of words, or of sentences."""
    by_sentence = _mode(options.mode) == "sentence"
    pa, parquet = _arrow()
    rows = _Rows(pa, options)
    schema = _schema(pa, by_sentence)
    sink = _Sink(stream)
    writer = parquet.ParquetWriter(sink, schema, compression="zstd")
    waiting: list[Any] = []
    try:
        for doc, more in with_next(documents):
            rows.begin(doc)
            if not doc.n_tokens:
                continue
            batch = rows.sentences(doc, more) if by_sentence else rows.words(doc, more)
            waiting.append(pa.RecordBatch.from_arrays(batch, schema=schema))
            if rows.n_words >= _GROUP:
                _flush(pa, writer, waiting, rows)
        if waiting:
            _flush(pa, writer, waiting, rows)
    except BaseException:
        sink.dead = True  # what closes the writer must not make it a file that can be read
        writer.close()
        raise
    writer.close()


def _flush(pa: Any, writer: Any, waiting: list[Any], rows: _Rows) -> None:
    table = pa.Table.from_batches(waiting)
    writer.write_table(table, row_group_size=max(table.num_rows, 1))
    waiting.clear()
    rows.n_words = 0


def _schema(pa: Any, by_sentence: bool) -> Any:
    kinds = {
        "int32": pa.int32(),
        "int64": pa.int64(),
        "float32": pa.float32(),
        "float64": pa.float64(),
        "string": pa.string(),
    }
    words = [pa.field(name, kinds[kind]) for name, kind in _OF_WORD.items()]
    if not by_sentence:
        return pa.schema([(name, kinds[kind]) for name, kind in _PLACE.items()] + words)
    kinds["list"] = pa.list_(pa.struct(words))
    return pa.schema([(name, kinds[kind]) for name, kind in SENTENCE.items()])


class _Sink:
    """A stream that is written from its beginning to its end, a pipe too."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._at = 0
        self.closed = False
        self.dead = False

    def write(self, data: Any) -> int:
        if not self.dead:
            self._stream.write(data)
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        if not self.dead:
            self._stream.flush()

    def close(self) -> None:
        """Whoever opened the stream closes it."""

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class _Rows:
    """Columns of documents, with what is counted over the pieces of a stream."""

    def __init__(self, pa: Any, options: WriteOptions) -> None:
        self._pa = pa
        self._options = options
        #: Words that wait to be written.
        self.n_words = 0
        self._document = -1
        self._named = 0
        #: Where the text at hand begins and ends in that of its document.
        self._offset = self._end = 0
        self._sentence = self._token = self._turns = 0
        self._paragraph = -1
        self._open: tuple[Any, ...] | None = None

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

    def _columns(
        self, doc: Document, more: Document | None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        pa = self._pa
        n, of_word = doc.n_words, doc.word_token
        sentence = doc.word_sentence
        bounds = doc.first_word[doc.sentence_bounds]
        base = np.repeat(bounds[:-1], np.diff(bounds))
        head = np.where(doc.head >= 0, doc.head - base + 1, 0)
        place = {
            "document": pa.array(np.full(n, self._document), pa.int32()),
            "doc_id": pa.array([_clean(doc.id) if doc.id else None] * n, pa.string()),
            "paragraph": self._paragraphs(doc).take(pa.array(of_word)),
            "sentence": pa.array(sentence + self._sentence, pa.int32()),
            "sent_id": self._names(doc).take(pa.array(sentence)),
        }
        own = {
            "id": pa.array(np.arange(1, n + 1) - base, pa.int32()),
            "token": pa.array(of_word + self._token, pa.int32()),
            "start": pa.array(doc.token_start[of_word] + self._offset, pa.int64()),
            "end": pa.array(doc.token_end[of_word] + self._offset, pa.int64()),
            **self._surfaces(doc, more),
            **{name: self._strings(doc, getattr(doc, name)) for name in _STRINGS},
            "head": pa.array(head, pa.int32(), mask=doc.head == UNKNOWN),
            **self._spoken(doc),
            **self._times(doc),
            **self._confidences(doc),
        }
        self._sentence += doc.n_sentences
        self._token += doc.n_tokens
        self.n_words += n
        return place, {name: own[name] for name in _OF_WORD}

    def _strings(self, doc: Document, ids: np.ndarray) -> Any:
        """A column of strings, null where there is none."""
        found, rows = np.unique(ids, return_inverse=True)
        values = [_clean(value) or None for value in doc.strings.take(found)]
        return self._pa.array(values, self._pa.string()).take(self._pa.array(rows))

    def _surfaces(self, doc: Document, more: Document | None) -> dict[str, Any]:
        """Tokens as they are written, and what stands behind them."""
        pa, text = self._pa, _clean(doc.text)
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        surfaces = [text[a:b] for a, b in zip(starts, ends, strict=True)]
        gaps = [text[a:b] for a, b in zip(ends, [*starts[1:], len(text)], strict=True)]
        if more is not None and more.n_tokens:
            gaps[-1] += _clean(more.text[: int(more.token_start[0])])
        rows = pa.array(doc.word_token)
        return {
            "text": pa.array(surfaces, pa.string()).take(rows),
            "after": pa.array(gaps, pa.string()).take(rows),
        }

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
        pa, n = self._pa, doc.n_words
        if not len(doc.turn_start):
            self._open = None
            nothing = {"turn": pa.int32(), "speaker": pa.string(), "start_time": pa.float64()}
            nothing |= {"end_time": pa.float64(), "turn_kind": pa.int32()}
            return {name: pa.nulls(n, kind) for name, kind in nothing.items()}
        said = list(zip(doc.turn_speaker.tolist(), doc.turn_time.tolist(), strict=True))
        known = [(doc.strings[who], str(times)) for who, times in said]
        turn = token_turn(doc)[doc.word_token]
        first = self._turns
        if doc.continues and int(doc.turn_start[0]) == 0 and known[0] == self._open:
            first -= 1  # it goes on
        self._turns = first + len(known)
        self._open = known[-1] if int(doc.turn_end[-1]) == len(doc.text) else None
        none, rows = turn < 0, pa.array(np.maximum(turn, 0), mask=turn < 0)
        times = doc.turn_time[np.maximum(turn, 0)]
        kinds = np.zeros(n) if doc.turn_kind is None else doc.turn_kind[np.maximum(turn, 0)]
        return {
            "turn": pa.array(first + turn, pa.int32(), mask=none),
            "speaker": self._strings(doc, doc.turn_speaker).take(rows),
            "start_time": pa.array(times[:, 0], mask=none | np.isnan(times[:, 0])),
            "end_time": pa.array(times[:, 1], mask=none | np.isnan(times[:, 1])),
            "turn_kind": pa.array(kinds.astype(np.int32), mask=none),
        }

    def _times(self, doc: Document) -> dict[str, Any]:
        """Times of the tokens of the words."""
        pa, found = self._pa, {}
        times = doc.token_time
        columns = {
            "word_start_time": (None if times is None else times[:, 0], pa.float64()),
            "word_end_time": (None if times is None else times[:, 1], pa.float64()),
            "time_conf": (doc.token_time_conf, pa.float32()),
            "time_guessed": (doc.token_time_guessed, pa.int32()),
        }
        for name, (values, kind) in columns.items():
            if values is None:
                found[name] = pa.nulls(doc.n_words, kind)
                continue
            own = values[doc.word_token]
            found[name] = pa.array(own, kind, mask=np.isnan(own))
        return found

    def _confidences(self, doc: Document) -> dict[str, Any]:
        pa, found = self._pa, {}
        for name in _CONFIDENCES:
            values = getattr(doc, name) if self._options.confidences else None
            if values is None:
                found[name] = pa.nulls(doc.n_words, pa.float32())
                continue
            if name == "sent_conf":
                values = values[doc.word_token]
            found[name] = pa.array(values, pa.float32(), mask=np.isnan(values))
        return found


def _clean(text: str) -> str:
    """What UTF-8 can hold of a text; as long as it is."""
    return text if text.isascii() else SURROGATES.sub("\ufffd", text)


# ------------------------------------------------------------------- reading


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a table of words, of sentences, or of texts."""
    pa, parquet = _arrow()
    plain = isinstance(stream, BufferedReader) and stream.seekable()
    source = stream if plain else BytesIO(read_bytes(stream, -1, options.file))
    try:
        yield from documents_of(parquet.ParquetFile(source), options)
    except (pa.ArrowException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise options.error(
            f"this Parquet table cannot be read ({first})", remedy="Get the file again."
        ) from None
