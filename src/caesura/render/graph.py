"""The words of a document as a graph of networkx (extra `networkx`)."""

from __future__ import annotations

from typing import Any

from caesura.document import Document
from caesura.errors import MissingExtra


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
