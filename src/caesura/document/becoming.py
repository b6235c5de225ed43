"""What a document becomes: something to look at, plain values, CoNLL-U, a Doc, a graph, a table.

Each method imports the room that does it when it is called, so that a document needs none of them.
Examples speak of `doc`, the first document of `examples/harbour.conllu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.document.document import Document
    from caesura.document.views import Span
    from caesura.find import Matches, Pattern
    from caesura.find.recipes import Triple


class Becoming:
    """The part of a document that looks up to other rooms."""

    def _repr_html_(self: Any) -> str:
        from caesura.render import document_html

        return document_html(self)

    def _repr_svg_(self: Any) -> str | None:
        """The first trees; a document without any is shown as HTML alone."""
        from caesura.render import document_svg

        return document_svg(self, shown=5) if bool((self.head >= 0).any()) else None

    def find(self: Any, pattern: str | Pattern) -> Matches:
        """All matches of a pattern over words and arcs: see `caesura.find`.

        >>> for match in doc.find("[upos=VERB]=v >nsubj []=s >obj []=o"):
        ...     print(match["s"], match["v"], match["o"])
        somebody drops crate
        Okafor sells coffee
        pilots drink theirs
        """
        from caesura.find import find

        return find(self, pattern)

    @property
    def noun_phrases(self: Any) -> list[Span]:
        """The base noun phrases, each a noun and what belongs to it before it; none is in another.

        >>> [phrase.text for phrase in doc.noun_phrases][2:5]
        ['Gulls', "the night's catch", 'somebody']
        """
        from caesura.find.recipes import noun_phrases

        return noun_phrases(self)

    @property
    def triples(self: Any) -> list[Triple]:
        """Who does what to whom: `subject`, `verb` and `object` of each clause that has all three.

        >>> [triple.object.form for triple in doc.triples]
        ['crate', 'coffee', 'theirs']
        """
        from caesura.find.recipes import triples

        return triples(self)

    def to_dict(self: Any) -> dict[str, Any]:
        """Everything that it holds as plain values: the fields of a line of JSON Lines.

        >>> doc.cut(0, 2).to_dict()["upos"]
        ['DET', 'NOUN']
        """
        from caesura.formats import jsonl

        return jsonl.to_dict(self)

    @staticmethod
    def from_dict(said: Mapping[str, Any]) -> Document:
        """A document of such values, which are checked.

        >>> Document.from_dict(doc.to_dict()) == doc
        True
        """
        from caesura.formats import jsonl

        return jsonl.from_dict(said)

    def to_conllu(self: Any) -> str:
        """The document as CoNLL-U.

        >>> print(doc.to_conllu()[:56])
        # newdoc id = harbour-morning
        # newpar
        # sent_id = harbo
        """
        from caesura.formats import to_text

        return to_text(self, "conllu")

    @staticmethod
    def from_conllu(text: str) -> Document:
        """The one document of some CoNLL-U.

        >>> Document.from_conllu(doc.to_conllu()) == doc
        True
        """
        from caesura.formats import from_text

        return from_text(text, "conllu")

    def to_spacy(self: Any, vocab: Any = None) -> Any:
        """A Doc of spaCy with these words (extra `spacy`); without a vocabulary it has a new one.

        >>> doc.to_spacy()[2].dep_
        'root'
        """
        from caesura.formats.spacy import to_spacy

        return to_spacy(self, vocab)

    @staticmethod
    def from_spacy(made: Any) -> Document:
        """A document of a Doc; what it was made of comes back, less what was changed since.

        >>> Document.from_spacy(doc.to_spacy()) == doc
        True
        """
        from caesura.formats.spacy import from_spacy

        return from_spacy(made)

    def to_networkx(self: Any) -> Any:
        """A directed graph of the words, from head to dependent (extra `networkx`).

        >>> graph = doc.to_networkx()
        >>> graph.nodes[1]["form"], graph.edges[2, 1]["deprel"]
        ('harbour', 'nsubj')
        """
        from caesura.render.graph import word_graph

        return word_graph(self)

    def to_pandas(self: Any) -> Any:
        """A table of the words, one a row (extra `pandas`).

        >>> list(doc.to_pandas().columns[:3])
        ['sentence', 'id', 'token']
        """
        from caesura.render.table import word_table

        return word_table(self)
