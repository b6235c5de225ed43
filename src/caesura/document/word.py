"""A word of a document: its columns, its place in the tree, and setters for both.

Examples speak of `doc`, the first document of `examples/harbour.conllu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from caesura.document import editing
from caesura.document.schema import ROOT, UNKNOWN, Ints
from caesura.document.strings import misc_items
from caesura.document.trees import above, below, crossing_arcs
from caesura.errors import UsageError, kind_of

if TYPE_CHECKING:
    from caesura.document.document import Document
    from caesura.document.views import Sentence, Token


class View:
    """A row of a document."""

    __slots__ = ("doc", "index")

    def __init__(self, doc: Document, index: int) -> None:
        self.doc = doc
        #: Its number in the document, from 0.
        self.index = index

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.doc is other.doc and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.doc), self.index))


class Word(View):
    """A syntactic word. Two views of one word are equal.

    >>> doc[1]
    <Word 'harbour' NOUN nsubj>
    """

    __slots__ = ()

    def _string(self, column: str) -> str:
        return self.doc.strings[getattr(self.doc, column)[self.index]]

    # -------------------------------------------------------------- columns

    @property
    def form(self) -> str:
        """The word as it is written; it can be set for a word of a multi-word token alone.

        >>> doc[1].form
        'harbour'
        """
        return self._string("form")

    @form.setter
    def form(self, value: str) -> None:
        editing.set_form(self.doc, self.index, value)

    @property
    def lemma(self) -> str:
        """Its dictionary form; like all strings of a word it can be set, and '' is unknown.

        >>> doc[2].lemma
        'wake'
        """
        return self._string("lemma")

    @lemma.setter
    def lemma(self, value: str) -> None:
        editing.set_string(self.doc, self.index, "lemma", value)

    @property
    def upos(self) -> str:
        """Its universal tag.

        >>> doc[1].upos
        'NOUN'
        """
        return self._string("upos")

    @upos.setter
    def upos(self, value: str) -> None:
        editing.set_string(self.doc, self.index, "upos", value)

    @property
    def xpos(self) -> str:
        """The tag of its treebank.

        >>> doc[1].xpos
        'NN'
        """
        return self._string("xpos")

    @xpos.setter
    def xpos(self, value: str) -> None:
        editing.set_string(self.doc, self.index, "xpos", value)

    @property
    def feats(self) -> Mapping[str, str]:
        """Morphological features by name; set them all at once, as a mapping or as one string.

        >>> edited = doc.copy()
        >>> edited[1].feats = {"Number": "Sing"}
        >>> edited[1].feats["Number"]
        'Sing'
        """
        return MappingProxyType(misc_items(self._string("feats")))

    @feats.setter
    def feats(self, value: Mapping[str, str] | str) -> None:
        editing.set_items(self.doc, self.index, "feats", value)

    @property
    def misc(self) -> Mapping[str, str]:
        """What else is said of it, by name; set it as `feats`.

        >>> dict(doc[6].misc)
        {'SpaceAfter': 'No'}
        """
        return MappingProxyType(misc_items(self._string("misc")))

    @misc.setter
    def misc(self, value: Mapping[str, str] | str) -> None:
        editing.set_items(self.doc, self.index, "misc", value)

    @property
    def deprel(self) -> str:
        """Its relation to its head.

        >>> doc[1].deprel
        'nsubj'
        """
        return self._string("deprel")

    @deprel.setter
    def deprel(self, value: str) -> None:
        editing.set_deprel(self.doc, self.index, value)

    # ----------------------------------------------------------------- tree

    @property
    def head_index(self) -> int:
        """The head's number in the document, ROOT (-1) or UNKNOWN (-2); it is set as `head` is.

        >>> doc[1].head_index, doc[2].head_index
        (2, -1)
        """
        return int(self.doc.head[self.index])

    @head_index.setter
    def head_index(self, value: int) -> None:
        editing.set_head(self.doc, self.index, value)

    @property
    def head(self) -> Word | None:
        """The head, or None for a root and for a word whose head is unknown.

        A word of the same sentence can be set that is not under this one; the relation stays, but
        for that of a root, which becomes unknown.

        >>> doc[1].head
        <Word 'wakes' VERB root>
        >>> edited = doc.copy()
        >>> edited[2].head = edited[1]
        Traceback (most recent call last):
        caesura.errors.UsageError: 'wakes' cannot hang on 'harbour', which hangs on it. ...
        """
        head = self.head_index
        return Word(self.doc, head) if head >= 0 else None

    @head.setter
    def head(self, value: Word) -> None:
        if not isinstance(value, Word):
            raise UsageError(
                f"a head is a word, not {kind_of(value)}",
                remedy="Set sentence.root for a root; word.head_index takes ROOT and UNKNOWN.",
            )
        if value.doc is not self.doc:
            raise UsageError(
                f"the head {value.form!r} is a word of another document",
                remedy=f"Take it from the document of {self.form!r}: word.doc.",
            )
        self.head_index = value.index

    @property
    def is_root(self) -> bool:
        """Whether it is the root of its sentence.

        >>> doc[2].is_root
        True
        """
        return self.head_index == ROOT

    @property
    def has_head(self) -> bool:
        """False if the head is unknown.

        >>> doc[2].has_head
        True
        """
        return self.head_index != UNKNOWN

    @property
    def children(self) -> list[Word]:
        """The words that hang on it, in the order of the text.

        >>> doc[2].children
        [<Word 'harbour' NOUN nsubj>, <Word 'does' AUX advcl>, <Word '.' PUNCT punct>]
        """
        sentence = self.sentence
        heads = self.doc.head[sentence.first_word : sentence.last_word]
        return self._views(sentence.first_word, np.flatnonzero(heads == self.index).tolist())

    @property
    def subtree(self) -> list[Word]:
        """The word and all under it, in the order of the text.

        >>> [word.form for word in doc[6].subtree]
        ['before', 'the', 'town', 'does']
        """
        first, heads = self._tree()
        return self._views(first, below(heads, self.index - first))

    @property
    def ancestors(self) -> list[Word]:
        """Its head, the head of that, and so on up to the root.

        >>> [word.form for word in doc[4].ancestors]
        ['town', 'does', 'wakes']
        """
        first, heads = self._tree()
        return self._views(first, above(heads, self.index - first))

    @property
    def left_edge(self) -> Word:
        """The first word of its subtree.

        >>> doc[6].left_edge.form
        'before'
        """
        return self.subtree[0]

    @property
    def right_edge(self) -> Word:
        """The last word of its subtree.

        >>> doc[1].right_edge.form
        'harbour'
        """
        return self.subtree[-1]

    def path_to(self, other: Word) -> list[Word]:
        """The words from this to another through the tree, both included; [] if there is no way.

        >>> [word.form for word in doc[0].path_to(doc[5])]
        ['The', 'harbour', 'wakes', 'does', 'town']
        """
        if not isinstance(other, Word) or other.doc is not self.doc:
            raise UsageError(
                "a path leads to a word of the same document",
                remedy="Take both words from one document.",
            )
        up, down = [self, *self.ancestors], [other, *other.ancestors]
        place = {word.index: at for at, word in enumerate(down)}
        for at, word in enumerate(up):
            meet = place.get(word.index)
            if meet is not None:
                return up[: at + 1] + down[:meet][::-1]
        return []

    @property
    def is_projective(self) -> bool:
        """Whether its head dominates all words between the two; True if the head is unknown.

        >>> doc[1].is_projective
        True
        """
        first, heads = self._tree()
        return not crossing_arcs(heads)[self.index - first]

    def _tree(self) -> tuple[int, Ints]:
        """The first word of its sentence, and the heads there, counted from it."""
        sentence = self.sentence
        return sentence.first_word, sentence.heads

    def _views(self, first: int, words: list[int]) -> list[Word]:
        return [Word(self.doc, first + word) for word in words]

    # ---------------------------------------------------------------- place

    @property
    def token(self) -> Token:
        """The surface token that it is in, with its offsets.

        >>> doc[1].token
        <Token 'harbour' 4:11>
        """
        return self.doc.tokens[int(self.doc.word_token[self.index])]

    @property
    def sentence(self) -> Sentence:
        """The sentence that it is in.

        >>> doc[1].sentence
        <Sentence 0: 'The harbour wakes before the town does.'>
        """
        return self.token.sentence

    @property
    def id(self) -> int:
        """Its number in the sentence, from 1, as in CoNLL-U.

        >>> doc[1].id
        2
        """
        return self.index - self.sentence.first_word + 1

    @property
    def is_sent_start(self) -> bool | None:
        """Whether a sentence starts with it, None if that is unknown; see `Token.is_sent_start`.

        >>> doc[0].is_sent_start, doc[1].is_sent_start
        (True, False)
        """
        starts = not self.index or self.doc.word_token[self.index - 1] != self.token.index
        return self.token.is_sent_start if starts else False

    @is_sent_start.setter
    def is_sent_start(self, value: bool | None) -> None:
        editing.set_word_start(self.doc, self.index, value)

    def __str__(self) -> str:
        return self.form

    def __repr__(self) -> str:
        return f"<Word {self.form!r} {self.upos or '_'} {self.deprel or '_'}>"
