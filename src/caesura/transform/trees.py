"""Changes of trees: projective trees, and dependencies from phrase structure.

Lifting follows Nivre and Nilsson (2005), "Pseudo-projective dependency parsing", section 2: the
shortest crossing arc is attached one step higher until none is left.

Head percolation reads Penn Treebank brackets by tables of head rules. `collins` is the table of
Collins (1999, appendix A) with his rules for noun phrases and for coordination;
`yamada-matsumoto` that of Yamada & Matsumoto (2003), in which every category has a list. A rule
gives for each kind of phrase the side to search from and the labels to look for, in order.
Empty elements are left out, and punctuation is a head only where there is nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np

from caesura.document import ROOT, UNKNOWN, Document, Ints
from caesura.document.trees import crossing_arcs, nonprojective
from caesura.errors import UsageError


def lift(heads: Ints) -> Ints:
    """The heads of one sentence with crossing arcs lifted, the shortest first, until none is left.

    A sentence with a cycle or an unknown head, whose arcs cannot all be lifted, keeps what crosses.
    """
    heads = heads.copy()
    tried = 0
    while tried < len(heads) ** 2:
        crossing = np.flatnonzero(crossing_arcs(heads))
        crossing = crossing[heads[crossing] >= 0]
        crossing = crossing[heads[heads[crossing]] >= ROOT]
        if not len(crossing):
            break
        spans = np.abs(crossing - heads[crossing])
        word = crossing[np.argmin(spans)]
        heads[word] = heads[heads[word]]
        tried += 1
    return heads


def projectivise(doc: Document) -> Document:
    """The document with every tree made projective; labels and words stay as they are."""
    head = doc.head.copy()
    first = doc.first_word
    bounds = first[doc.sentence_bounds].tolist()
    for begin, end in pairwise(bounds):
        local = head[begin:end]
        local = np.where(local >= 0, local - begin, local).astype(np.int32)
        if nonprojective(local):
            lifted = lift(local)
            head[begin:end] = np.where(lifted >= 0, lifted + begin, lifted)
    return replace(doc, head=head)


_NOUNS: Final = "NN NNP NNPS NNS NX POS JJR"
_COLLINS: Final = """
ADJP l NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP r RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP r CC RB IN
FRAG r
INTJ l
LST r LS :
NAC l NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
PP r IN TO VBG VBN RP FW
PRN l
PRT r RP
QP l $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC r VP NP ADVP ADJP PP
S l TO IN VP S SBAR ADJP UCP NP
SBAR l WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ l SQ S SINV SBARQ FRAG
SINV l VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ l VBZ VBD VBP VB MD VP SQ
UCP r
VP l TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
WHADJP l CC WRB JJ ADJP
WHADVP r CC WRB
WHNP l WDT WP WP$ WHADJP WHPP WHNP
WHPP r IN TO FW
X r
"""
_YAMADA_MATSUMOTO: Final = """
ADJP r NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
ADVP l RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
CONJP l CC RB IN
FRAG l
INTJ r
LST l LS :
NAC r NN|NNS|NNP|NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
NP r POS|NN|NNP|NNPS|NNS NX JJR CD JJ JJS RB QP NP
NX r POS|NN|NNP|NNPS|NNS NX JJR CD JJ JJS RB QP NP
PP l IN TO VBG VBN RP FW
PRN r
PRT l RP
QP r $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
RRC l VP NP ADVP ADJP PP
S r TO IN VP S SBAR ADJP UCP NP
SBAR r WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
SBARQ r SQ S SINV SBARQ FRAG
SINV r VBZ VBD VBP VB MD VP S SINV ADJP NP
SQ r VBZ VBD VBP VB MD VP SQ
UCP l
VP l VBD VBN MD VBZ TO VB VP VBG VBP ADJP NN NNS NP
WHADJP r CC WRB JJ ADJP
WHADVP l CC WRB
WHNP r WDT WP WP$ WHADJP WHPP WHNP
WHPP l IN TO FW
X r
"""
_MARKS: Final = frozenset({",", ".", ":", "``", "''", "-LRB-", "-RRB-"})

Rules = dict[str, tuple[bool, tuple[frozenset[str], ...]]]


def _rules(text: str) -> Rules:
    """By phrase: whether to look from the left, and sets of labels, the most wanted first."""
    found: Rules = {}
    for line in text.strip().splitlines():
        label, side, *wanted = line.split()
        found[label] = (side == "l", tuple(frozenset(w.split("|")) for w in wanted))
    return found


TABLES: Final[dict[str, Rules]] = {
    "collins": _rules(_COLLINS),
    "yamada-matsumoto": _rules(_YAMADA_MATSUMOTO),
}


def percolate(doc: Document, table: str = "collins") -> Document:
    """Give the words of a document the heads that its phrase structure implies; returns it.

    A document without phrase structure is left as it is. Relations become `root` and `dep`.
    """
    if table not in TABLES:
        raise UsageError(
            f"unknown head table {table!r}", remedy=f"Tables are: {', '.join(TABLES)}."
        )
    if not len(doc.node_label):
        return doc
    rules, collins = TABLES[table], table == "collins"
    labels = [_bare(label) for label in doc.strings.take(doc.node_label)]
    children: list[list[int]] = [[] for _ in labels]
    heads = np.full(doc.n_words, UNKNOWN, dtype=np.int32)
    #: The word that a node is headed by; -1 for a node without words.
    lexical = np.full(len(labels), -1, dtype=np.int64)
    # preorder backwards: children before parents, rightmost first
    for node in range(len(labels) - 1, -1, -1):
        leaf = int(doc.node_leaf[node])
        if leaf >= 0:
            lexical[node] = leaf
        elif children[node]:
            children[node].reverse()
            below = children[node]
            chosen = below[_head(labels[node], [labels[c] for c in below], rules, collins)]
            lexical[node] = lexical[chosen]
            for child in below:
                if child != chosen:
                    heads[lexical[child]] = lexical[node]
        parent = int(doc.node_parent[node])
        if lexical[node] < 0:
            continue
        if parent >= 0:
            children[parent].append(node)
        else:
            heads[lexical[node]] = ROOT
    doc.head = heads
    root, dep = doc.strings.add("root"), doc.strings.add("dep")
    doc.deprel = np.where(heads == ROOT, root, np.where(heads >= 0, dep, 0)).astype(np.int32)
    return doc


def _bare(label: str) -> str:
    """A label without function tags and indices; `-LRB-` keeps its hyphens."""
    if label.startswith("-"):
        return label
    return label.split("-")[0].split("=")[0].split("|")[0]


def _head(phrase: str, labels: Sequence[str], rules: Rules, collins: bool) -> int:
    """Which of the children is the head."""
    words = [i for i, label in enumerate(labels) if label not in _MARKS]
    if not words:
        return len(labels) - 1
    if collins and phrase in ("NP", "NX"):
        found = _noun_phrase([labels[i] for i in words])
        return words[_over_coordination([labels[i] for i in words], found)]
    left, wanted = rules.get(phrase, (True, ()))
    order = words if left else words[::-1]
    for label in wanted:
        for i in order:
            if labels[i] in label:
                if not collins:
                    return i
                kept = [labels[w] for w in words]
                return words[_over_coordination(kept, words.index(i))]
    return order[0]


def _noun_phrase(labels: Sequence[str]) -> int:
    """Collins' rules for noun phrases."""
    last = len(labels) - 1
    if labels[last] == "POS":
        return last
    for names, from_left in (
        (_NOUNS, False),
        ("NP", True),
        ("$ ADJP PRN", False),
        ("CD", False),
        ("JJ JJS RB QP", False),
    ):
        wanted = names.split()
        order = range(len(labels)) if from_left else range(last, -1, -1)
        for i in order:
            if labels[i] in wanted:
                return i
    return last


def _over_coordination(labels: Sequence[str], head: int) -> int:
    """Collins: where a conjunction stands before the head, what stands before that is the head."""
    if head >= 2 and labels[head - 1] == "CC":
        return head - 2
    return head
