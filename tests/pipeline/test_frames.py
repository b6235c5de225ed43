"""Frames of texts become frames of words, as Spark's mapInPandas wants them."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.errors import InputError
from caesura.pipeline.frames import SCHEMA, parser
from tests.pipeline.tiny import TEXT

pd = pytest.importorskip("pandas", reason="the package pandas is not installed")


def test_a_row_for_each_word(tiny, tiny_model: Path) -> None:
    texts = pd.DataFrame({"id": ["a", "b", "c"], "text": [TEXT, None, "Nobody asks him why."]})
    (words,) = parser(tiny_model)([texts])
    assert list(words.columns) == [column.split()[0] for column in SCHEMA.split(", ")]
    doc = tiny(TEXT)
    of_a = words[words["id"] == "a"]
    assert of_a["form"].tolist() == doc.column("form")
    assert of_a["deprel"].tolist() == doc.column("deprel")
    assert (of_a["head"] == 0).sum() == doc.n_sentences
    assert set(words["id"]) == {"a", "c"}
    last = words.iloc[-1]
    assert "Nobody asks him why."[last["start"] : last["end"]] == "."


def test_a_column_that_is_missing(tiny_model: Path) -> None:
    with pytest.raises(InputError, match="there is no column 'text'"):
        list(parser(tiny_model)([pd.DataFrame({"id": [1]})]))
