"""Clauses of sentences, by rules over trees of Universal Dependencies.

A clause is what hangs on one predicate, and is a run of words. Clauses of a sentence are in one
another or apart: a clause is in the one that it depends on, unless arcs cross. The main clause is
the whole sentence. `Clause.parts` is a clause without the clauses in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from caesura.document import Document, Sentence, Span, Word
from caesura.document.trees import in_cycles

__all__ = ["TYPES", "Clause", "clauses"]

#: What a clause can be.
TYPES: Final = ("main", "coordinated", "complement", "relative", "adverbial", "quoted")
#: The type of a clause by the relation of its predicate, the longest that is listed.
_TYPE_OF: Final = {
    "ccomp": "complement",
    "csubj": "complement",
    "acl": "relative",
    "advcl": "adverbial",
    "advcl:relcl": "relative",
    "parataxis": "coordinated",
    "conj": "coordinated",
}
#: Dependents that only predicates have.
_OF_PREDICATES: Final = frozenset({"nsubj", "csubj", "expl", "cop", "aux", "mark"})
_OPENING_QUOTES: Final = frozenset('"“„«‘‚‹`「『')
#: Marks between clauses, which no clause begins or ends with.
_BETWEEN: Final = frozenset(",;:-–—،؛、，；：")


class Clause(Span):
    """The words of a clause, with its type and the clause that it depends on."""

    __slots__ = ("head", "parent", "parts", "type")

    def __init__(
        self, doc: Document, first: int, last: int, type: str, head: Word, parent: Clause | None
    ) -> None:
        super().__init__(doc, first, last)
        #: One of `TYPES`.
        self.type = type
        #: Its predicate.
        self.head = head
        #: The clause that it depends on; None of a main clause.
        self.parent = parent
        #: Its words that are in no clause inside it, as spans.
        self.parts: tuple[Span, ...] = ()

    def __repr__(self) -> str:
        return f"<Clause {self.type} {self.text!r}>"


def clauses(doc: Document) -> list[Clause]:
    """The clauses of all sentences: of each the main clause first, then by where they begin."""
    return [clause for sentence in doc.sentences for clause in _of_sentence(sentence)]


def _of_sentence(sentence: Sentence) -> list[Clause]:
    doc, offset = sentence.doc, sentence.first_word
    tree = Tree(sentence)
    made: dict[int, Clause] = {}
    for word in tree.order:
        kind = "main" if word == tree.root else tree.kind(word)
        if not kind:
            continue
        first, last = (0, tree.size) if kind == "main" else tree.run(word)
        if first < last:
            parent = next((made[one] for one in tree.above(word) if one in made), None)
            head = doc[offset + word]
            made[word] = Clause(doc, offset + first, offset + last, kind, head, parent)
    found = sorted(made.values(), key=lambda one: (one.first_word, -one.last_word))
    owners: list[Clause] = [made[tree.root]] * tree.size
    for clause in found:  # the outer ones first
        size = len(clause)
        begin = clause.first_word - offset
        owners[begin : begin + size] = [clause] * size
    for clause in found:
        clause.parts = tuple(tree.parts(owners, clause))
    return found


class Tree:
    """The tree of a sentence, with one root: a word without a known head hangs on the first one."""

    def __init__(self, sentence: Sentence) -> None:
        words = slice(sentence.first_word, sentence.last_word)
        doc = sentence.doc
        self.doc, self.offset, self.size = doc, sentence.first_word, len(sentence)
        self.forms = doc.strings.take(doc.form[words])
        self.upos = doc.strings.take(doc.upos[words])
        self.relations = doc.strings.take(doc.deprel[words])
        self.tokens = doc.word_token[words].tolist()
        heads = sentence.heads
        heads[in_cycles(heads)] = -1
        self.heads: list[int] = heads.tolist()
        self.root = next((word for word, head in enumerate(self.heads) if head < 0), 0)
        self.children: list[list[int]] = [[] for _ in range(self.size)]
        for word, head in enumerate(self.heads):
            if word != self.root:
                self.heads[word] = head = head if head >= 0 else self.root
                self.children[head].append(word)
        #: All words, heads before their dependents, and how many are below each.
        self.order, self.place, self.below = self._walk()

    def _walk(self) -> tuple[list[int], list[int], list[int]]:
        order: list[int] = []
        wait = [self.root]
        while wait:
            order.append(word := wait.pop())
            wait += reversed(self.children[word])
        place, below = [0] * self.size, [1] * self.size
        for number, word in enumerate(order):
            place[word] = number
        for word in reversed(order[1:]):
            below[self.heads[word]] += below[word]
        return order, place, below

    def above(self, word: int) -> Iterator[int]:
        while word != self.root:
            word = self.heads[word]
            yield word

    def kind(self, word: int) -> str:
        """The type of the clause of a word, or "" if it is no predicate of one."""
        relation = self.relations[word]
        base = relation.partition(":")[0]
        kind = _TYPE_OF.get(relation) or _TYPE_OF.get(base, "")
        if not kind:
            return ""
        below = {self.relations[child].partition(":")[0] for child in self.children[word]}
        verbal = self.upos[word] in ("VERB", "AUX") or below & _OF_PREDICATES
        if base in ("conj", "parataxis") and not verbal:
            return ""
        if base == "csubj" and "nsubj" not in below:
            return ""  # an infinitive or a gerund, as xcomp is one
        if relation == "acl" and "mark" in below:
            kind = "complement"
        if base in ("ccomp", "parataxis", "conj") and self._quoted(word):
            kind = "quoted"
        return kind

    def _quoted(self, word: int) -> bool:
        first = self.run(word)[0]
        return self.forms[first][:1] in _OPENING_QUOTES or (
            first > 0 and self.forms[first - 1][:1] in _OPENING_QUOTES
        )

    def run(self, word: int) -> tuple[int, int]:
        """The words below a word that stand side by side with it: whole tokens, first and end."""
        begin = self.place[word]
        inside = range(begin, begin + self.below[word])
        first, last = word, word + 1
        while first > 0 and self.place[first - 1] in inside:
            first -= 1
        while last < self.size and self.place[last] in inside:
            last += 1
        while first and first < last and self.tokens[first] == self.tokens[first - 1]:
            first += 1
        while last < self.size and self.tokens[last] == self.tokens[last - 1]:
            last += 1
        return self._trimmed(first, last)

    def _trimmed(self, first: int, last: int) -> tuple[int, int]:
        """The same words without marks between clauses at the edges."""
        while first < last and _BETWEEN.issuperset(self.forms[first]):
            first += 1
        while first < last and _BETWEEN.issuperset(self.forms[last - 1]):
            last -= 1
        return first, last

    def parts(self, owners: list[Clause], clause: Clause) -> Iterator[Span]:
        word = clause.first_word - self.offset
        end = clause.last_word - self.offset
        while word < end:
            first = word
            while word < end and (owners[word] is clause) == (owners[first] is clause):
                word += 1
            if owners[first] is clause:
                begin, last = self._trimmed(first, word)
                if begin < last:
                    yield Span(self.doc, self.offset + begin, self.offset + last)
