"""The words of a document as a pandas table and as a graph of networkx (extras of these names)."""

from __future__ import annotations

from typing import Any

import numpy as np

from caesura.document import ROOT, Document, word_turns
from caesura.errors import MissingExtra


def word_table(doc: Document) -> Any:
    """A data frame of the words: place, strings, heads, confidences.

    `id` and `head` count from 1 within the sentence, as in CoNLL-U: 0 is the root, and an unknown
    head is missing. `start` and `end` are offsets of the token in the text. Words of a transcript
    also have `speaker`, `start_time` and `end_time` (seconds), and words with times of their own
    `time_conf` and `time_guessed`.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtra("pandas", "pandas", "a table of words") from None
    sentence = doc.word_sentence
    first = np.searchsorted(sentence, np.arange(int(sentence[-1]) + 1 if len(sentence) else 0))
    here = first[sentence] if len(sentence) else np.zeros(0, np.int64)
    heads = np.where(doc.head >= 0, doc.head - here + 1, np.where(doc.head == ROOT, 0, -1))
    head = pandas.array(heads, dtype="Int64")
    head[heads < 0] = pandas.NA
    columns: dict[str, Any] = {
        "sentence": sentence,
        "id": np.arange(doc.n_words) - here + 1,
        "token": doc.word_token,
        "start": doc.token_start[doc.word_token],
        "end": doc.token_end[doc.word_token],
    }
    schema = doc.schema
    for name in schema.word_strings:
        if name == "deprel":
            columns["head"] = head
        if name != "deps":
            columns[name] = doc.column(name)
    for column in (*schema.at("word"), *schema.at("token")):
        values = getattr(doc, column.name) if column.confidence else None
        if values is not None:
            columns[column.name] = values if column.level == "word" else values[doc.word_token]
    columns |= word_turns(doc)
    return pandas.DataFrame(columns)


def word_graph(doc: Document) -> Any:
    """A directed graph: a node for each word, by its number in the document, an arc from its head.

    Nodes have the strings of the word and the number of its sentence, arcs have `deprel`. Nothing
    leads to a root, nor to a word whose head is unknown.
    """
    try:
        import networkx
    except ImportError:
        raise MissingExtra("networkx", "networkx", "a graph of words") from None
    graph = networkx.DiGraph()
    names = [name for name in doc.schema.word_strings if name != "deprel"]
    columns = {"sentence": doc.word_sentence.tolist()} | {name: doc.column(name) for name in names}
    for word, values in enumerate(zip(*columns.values(), strict=True)):
        graph.add_node(word, **dict(zip(columns, values, strict=True)))
    arcs = zip(doc.head.tolist(), doc.column("deprel"), strict=True)
    for word, (head, deprel) in enumerate(arcs):
        if head >= 0:
            graph.add_edge(head, word, deprel=deprel)
    return graph
