"""Data frames of texts in, data frames of words out: for pandas, and for Spark's `mapInPandas`.

df.mapInPandas(caesura.pipeline.frames.parser("en"), schema=caesura.pipeline.frames.SCHEMA)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import numpy as np

from caesura.document import Document, word_turns
from caesura.errors import InputError, MissingExtra
from caesura.pipeline.loading import load_once

__all__ = ["SCHEMA", "parse_frames", "parser", "words_frame"]

#: The columns of the result and their types, as Spark writes them.
SCHEMA: Final = (
    "id string, sentence int, word int, start long, end long, form string, lemma string, "
    "upos string, xpos string, feats string, head int, deprel string"
)
_COLUMNS: Final = tuple(column.split()[0] for column in SCHEMA.split(", "))
#: What is added if a document is a transcript.
_TURNS: Final = ("speaker", "start_time", "end_time")


def parser(
    model: str | os.PathLike[str] = "en", *, text: str = "text", id: str = "id"
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A function from frames of texts to frames of words, which loads the model where it runs."""
    name = os.fspath(model)

    def parse(frames: Iterable[Any]) -> Iterator[Any]:
        yield from parse_frames(frames, name, text=text, id=id)

    return parse


def parse_frames(
    frames: Iterable[Any],
    model: str | os.PathLike[str] = "en",
    *,
    text: str = "text",
    id: str = "id",
) -> Iterator[Any]:
    """For each frame with a column of texts and one of their ids, a frame of their words.

    Sentences count from 0, words of a sentence from 1, and the head of a root is 0, as in CoNLL-U;
    start and end are the code points of a word's token in its text.
    """
    nlp = load_once(model)  # which Spark uses for many partitions
    for frame in frames:
        for column in (text, id):
            if column not in frame.columns:
                known = ", ".join(map(str, frame.columns))
                raise InputError(f"there is no column {column!r}", remedy=f"There are: {known}.")
        texts = frame[text].fillna("").astype(str).tolist()
        names = [str(value) for value in frame[id].tolist()]
        yield words_frame(zip(names, nlp.pipe(texts), strict=True))


def words_frame(documents: Iterable[tuple[str, Document]]) -> Any:
    """A frame with a row for each word of documents that have names.

    If there is a transcript among them, also `speaker`, `start_time` and `end_time` (seconds).
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("pandas", "pandas", "a data frame") from None
    known = list(documents)
    turns = any(len(doc.turn_start) for _, doc in known)
    parts: dict[str, list[Any]] = {column: [] for column in _COLUMNS + _TURNS * turns}
    for name, doc in known:
        sentence = doc.word_sentence
        first = np.searchsorted(sentence, sentence)
        local = np.where(doc.head >= 0, doc.head - first + 1, 0)
        parts["id"].append(np.full(doc.n_words, name, dtype=object))
        parts["sentence"].append(sentence)
        parts["word"].append((np.arange(doc.n_words) - first + 1).astype(np.int32))
        parts["start"].append(doc.token_start[doc.word_token])
        parts["end"].append(doc.token_end[doc.word_token])
        parts["head"].append(local.astype(np.int32))
        for column in ("form", "lemma", "upos", "xpos", "feats", "deprel"):
            parts[column].append(np.array(doc.column(column), dtype=object))
        if turns:
            own = word_turns(doc)
            for column, unknown in zip(_TURNS, ("", np.nan, np.nan), strict=True):
                parts[column].append(own.get(column, np.full(doc.n_words, unknown)))
    return pd.DataFrame(
        {name: np.concatenate(arrays) if arrays else [] for name, arrays in parts.items()}
    )
