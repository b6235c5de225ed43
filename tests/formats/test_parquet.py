"""Parquet: tables of words and of sentences, as others read them, and back."""

from __future__ import annotations

import io
import itertools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import formats
from caesura.document import Document
from caesura.document.schema import schema_of
from caesura.errors import CaesuraError, MissingExtra, UsageError
from caesura.formats import WriteOptions, parquet
from tests.formats import streams
from tests.formats.streams import hostile_documents
from tests.strategies import documents

law = settings(max_examples=40, deadline=None)
modes = st.sampled_from(parquet.MODES)
HARBOUR = Path(__file__).parents[2] / "examples" / "harbour.conllu"


def test_without_pyarrow_one_sentence_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"Parquet needs the package pyarrow.*caesura-nlp\[arr"):
        formats.write(Document(text="a"), tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_mode_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="Modes are: word, sentence"):
        formats.ready("parquet", "line")


@pytest.fixture
def pa() -> Any:
    return pytest.importorskip("pyarrow")


def table(docs: list[Document], mode: str | None = None, **options: Any) -> Any:
    from pyarrow.parquet import read_table

    return read_table(io.BytesIO(written(docs, mode, **options)))


def written(docs: Any, mode: str | None = None, **options: Any) -> bytes:
    return streams.write("parquet", docs, mode=mode, **options)


def read(data: bytes, **options: Any) -> list[Document]:
    return streams.read("parquet", data, **options)


def harbour() -> list[Document]:
    return list(formats.read(HARBOUR))


def failing() -> Iterator[Document]:
    yield from harbour()
    raise RuntimeError("no more")


def held(doc: Document) -> dict[str, Any]:
    """What tables hold of a document."""
    columns = {c.name for c in schema_of(Document).columns if "parquet" in c.formats and c.compared}
    said = {key: value for key, value in doc.contents().items() if key in columns}
    lead = int(doc.token_start[0])
    return said | {"text": " " * lead + doc.text[lead:]}


@law
@given(st.lists(documents(), max_size=3), modes)
def test_round_trip(docs: list[Document], mode: str) -> None:
    pytest.importorskip("pyarrow")
    again = read(written(docs, mode))
    assert list(map(held, again)) == list(map(held, docs))
    assert written(again, mode) == written(again, mode)


@law
@given(documents(extras=True), modes)
def test_turns_and_confidences(doc: Document, mode: str) -> None:
    pytest.importorskip("pyarrow")
    (again,) = read(written([doc], mode))
    for name in ("sent_conf", "tag_conf", "arc_conf"):
        values = getattr(doc, name)
        known = not np.isnan(values).all()
        assert np.array_equal(getattr(again, name), values, equal_nan=True) if known else True
    assert again.strings.take(again.turn_speaker) == ["Ann"]
    assert again.turn_time.tolist()[0][0] == 1.5
    bare = table([doc], mode, confidences=False)
    if mode == "word":
        assert bare["arc_conf"].null_count == doc.n_words


@law
@given(documents(extras=True, max_tokens=20), modes)
def test_pieces_are_one_document(doc: Document, mode: str) -> None:
    pytest.importorskip("pyarrow")
    bounds = doc.sentence_bounds.tolist()
    pieces = [doc.cut(a, b) for a, b in itertools.pairwise(bounds)]
    assert table(pieces, mode).equals(table([doc], mode))


@law
@given(st.lists(hostile_documents(), min_size=1, max_size=2), modes)
def test_whatever_is_in_a_string_stays_there(docs: list[Document], mode: str) -> None:
    pytest.importorskip("pyarrow")
    again = read(written(docs, mode))
    assert [doc.n_words for doc in again] == [doc.n_words for doc in docs]


def test_rows_of_words(pa: Any) -> None:
    docs = harbour()
    found = table(docs)
    assert found.schema.names == list(parquet.WORD)
    assert {str(kind) for kind in found.schema.types} == {
        "int32", "int64", "string", "float", "double"
    }  # fmt: skip
    assert found.num_rows == sum(map(len, docs))
    first = found.slice(1, 1).to_pylist()[0]
    assert first["form"] == "harbour"
    assert first["head"] == 3
    assert first["after"] == " "
    assert first["sent_id"] == "harbour-morning-1"
    assert first["feats"] is None
    assert docs[0].text[first["start"] : first["end"]] == first["text"]


def test_rows_of_sentences(pa: Any) -> None:
    docs = harbour()
    found = table(docs, "sentence")
    assert found.schema.names == list(parquet.SENTENCE)
    assert found.num_rows == sum(doc.n_sentences for doc in docs)
    row = found.slice(1, 1).to_pylist()[0]
    assert row["text"] == docs[0].sentences[1].text
    assert [word["upos"] for word in row["words"]][:2] == ["NOUN", "VERB"]


def test_pandas_and_duckdb_read_both(pa: Any, tmp_path: Path) -> None:
    docs = harbour()
    for mode in parquet.MODES:
        formats.write(docs, tmp_path / f"{mode}.parquet", mode=mode)
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(tmp_path / "word.parquet")
    assert frame["form"].tolist() == [word.form for doc in docs for word in doc]
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(
        f"select count(*) from (select unnest(words) w from '{tmp_path}/sentence.parquet')"
    ).fetchall()
    assert found == [(len(frame),)]


def test_groups_of_rows_are_small(pa: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyarrow.parquet import ParquetFile

    monkeypatch.setattr(parquet, "_GROUP", 100)
    docs = harbour() * 3
    file = ParquetFile(io.BytesIO(written(docs)))
    sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
    assert len(sizes) > 2
    assert max(sizes) < 100 + max(map(len, docs))
    assert [doc.n_words for doc in read(written(docs))] == [len(doc) for doc in docs]


def test_nothing_is_a_table_without_rows(pa: Any) -> None:
    assert table([]).num_rows == 0
    assert table([], "sentence").num_rows == 0
    assert table([Document(text=" \n")]).num_rows == 0
    assert read(written([])) == []


def test_an_error_leaves_what_was_there(pa: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"older")
    with pytest.raises(RuntimeError):
        formats.write(failing(), path)
    assert path.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [path]


def test_half_a_table_on_a_pipe_cannot_be_read(pa: Any) -> None:
    stream = io.BytesIO()
    with pytest.raises(RuntimeError):
        parquet.write_parquet(failing(), stream, WriteOptions())
    with pytest.raises(CaesuraError, match="cannot be read"):
        read(stream.getvalue())


def test_a_pipe(pa: Any, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "caesura", "convert", "-q"]
    made = subprocess.run([*command, str(HARBOUR), "--to", "parquet"], capture_output=True)
    assert made.returncode == 0, made.stderr
    assert [doc.n_words for doc in read(made.stdout)] == [len(doc) for doc in harbour()]
    back = subprocess.run(
        [*command, "--from", "parquet", "--to", "text", "-"], input=made.stdout, capture_output=True
    )
    assert back.returncode == 0, back.stderr
    assert b"The harbour wakes" in back.stdout


def test_a_table_of_texts(pa: Any, tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    path = tmp_path / "texts.parquet"
    write_table(pa.table({"id": [7, 8, 9], "text": ["So it goes.", None, "Again."]}), path)
    docs = list(formats.read(path))
    assert [(doc.id, doc.text) for doc in docs] == [("7", "So it goes."), ("9", "Again.")]


def test_tables_that_cannot_be_read(pa: Any, tmp_path: Path) -> None:
    from pyarrow.parquet import write_table

    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(CaesuraError, match="this Parquet table cannot be read"):
        list(formats.read(path))
    write_table(pa.table({"x": [1]}), path)
    with pytest.raises(CaesuraError, match="neither words nor a column `text`"):
        list(formats.read(path))
    rows = table(harbour()[:1]).to_pylist()
    for name, value in (("start", 10**9), ("head", 99), ("id", 5), ("end", -1), ("sentence", None)):
        bad = [{**row, name: value} if k == 3 else row for k, row in enumerate(rows)]
        write_table(pa.Table.from_pylist(bad), path)
        with pytest.raises(CaesuraError, match=r"document 0, harbour-morning"):
            list(formats.read(path))
        assert list(formats.read(path, skip_bad=True)) == []
