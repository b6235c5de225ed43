"""JSON and CSV whose fields are named: text, speaker, and times from and to.

A field of JSON is a path (`a.b`) within a record. Records are the elements of the outermost array
that have the text, or the values of a file of JSON Lines. Records with a speaker or times are the
units of one document; others are documents of their own.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from itertools import chain
from typing import Any, BinaryIO, Final

from caesura.document import CUE, TURN, Document
from caesura.errors import FormatError
from caesura.formats.asr import OPEN, JsonStream, field_of, speaker_of
from caesura.formats.io import lines, mode_of, stem
from caesura.formats.options import ReadOptions
from caesura.formats.units import UNKNOWN, Unit, document, seconds, span
from caesura.options import Fields

#: Names of columns of CSV that are known if none is named.
_USUAL: Final = Fields("text", "speaker", "start", "end")
_DELIMITERS: Final = ",;\t|"


def read_fields(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a file of records."""
    modes = ("csv", "tsv", "json", "jsonl")
    mode = mode_of(options, "fields", modes, "json", {"csv": "csv", "tsv": "tsv"})
    fields = options.fields or _USUAL
    if mode in ("csv", "tsv"):
        records = _rows(stream, options, fields, tabs=mode == "tsv")
    else:
        records = _values(stream, options, fields)
    if fields.speaker or fields.start:
        yield document(_units(records, fields, options), options)
        return
    for _, record in records:
        yield Document(text=_text(record, fields), source=options.file)


def _units(
    records: Iterable[tuple[int, Any]], fields: Fields, options: ReadOptions
) -> Iterator[Unit]:
    for number, record in records:
        begin = seconds(_get(record, fields.start)) if fields.start else UNKNOWN
        end = seconds(_get(record, fields.end)) if fields.end else UNKNOWN
        try:
            begin, end = span(begin, end, number, options)
        except FormatError as error:
            options.skip(error)
            continue
        text = _text(record, fields)
        speaker = speaker_of(_get(record, fields.speaker)) if fields.speaker else None
        timed = begin == begin or end == end
        yield Unit(text, speaker, begin, end, CUE if timed or speaker is None else TURN)


def _get(record: Any, path: str) -> Any:
    if isinstance(record, dict) and path in record:  # a name with a period
        return record[path]
    return field_of(record, path)


def _text(record: Any, fields: Fields) -> str:
    found = _get(record, fields.text)
    return found if isinstance(found, str) else "" if found is None else str(found)


def _rows(
    stream: BinaryIO, options: ReadOptions, fields: Fields, *, tabs: bool
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of CSV by the names of its first line."""
    rows = (f"{row}\n" for _, row in lines(stream, options))
    head = next(rows, "")
    delimiter = "\t" if tabs else max(_DELIMITERS, key=head.count)
    reader = csv.reader(chain([head], rows), delimiter=delimiter)
    try:
        names = next(reader, [])
        for name in astuple(fields) if options.fields else (fields.text,):
            if name and name not in names:
                raise options.error(
                    f"there is no column {name!r}",
                    1,
                    remedy=f"Columns are: {', '.join(names)[:200]}; name one with --text-field.",
                )
        for row in reader:
            if row:
                yield reader.line_num, dict(zip(names, row, strict=False))
    except csv.Error as error:
        raise options.error(f"this is no CSV ({error})", reader.line_num) from None


def _values(stream: BinaryIO, options: ReadOptions, fields: Fields) -> Iterator[tuple[int, Any]]:
    """The records of JSON."""
    name = stem(options.file).lower()
    in_rows = options.mode == "jsonl" or name.endswith((".jsonl", ".ndjson"))
    source = JsonStream(stream, options)
    names: dict[str, None] = {}
    chosen: str | None = None

    def wanted(path: str) -> bool:
        return in_rows or path == chosen or (chosen is None and path.endswith("[]"))

    for path, _, value in source.values(wanted):
        if value is OPEN:
            continue
        if chosen is None and _get(value, fields.text) is not None:
            chosen = path
        if path == chosen and isinstance(value, dict):
            yield source.line, value
        names |= dict.fromkeys(list(value)[:20] if isinstance(value, dict) else [])
    if chosen is None:
        raise options.error(
            f"no record has the field {fields.text!r}",
            remedy=f"Fields are: {', '.join(names)[:200] or 'none'}; name one with --text-field.",
        )
