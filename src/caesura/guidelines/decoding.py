"""Guideline tables as decoders use them: which labels the words of a document may have.

`Rules` makes the core's `Guide` of a table and of the labels of a parser, and says what the guide
sees of each word: its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura import _core
from caesura.constraints import Constraints
from caesura.document import UNKNOWN, YES, Document, Strings
from caesura.document.slicing import runs
from caesura.guidelines.table import (
    DEPENDENTS_OF,
    NOMINAL_RELATIONS,
    NOMINALS,
    RIGHTWARD,
    UPOS,
    UPOS_OF,
    Guidelines,
    Tables,
    base,
    names,
)

__all__ = ["Guided", "Rules", "TagRules"]

#: Kinds of dependents, as in core/guidelines/guide.h; those from _FREE on only matter to leaves.
_SUBJECT, _OBJECT, _OBLIQUE, _PREDICATE, _MARK, _OBLIQUE_OF_NOMINAL, _FREE = (
    1 << bit for bit in range(7)
)
#: Relations that no rule about dependents tells apart, and their kind.
_KINDS: Final = (
    (_SUBJECT, names("nsubj csubj")),
    (_OBJECT, names("obj")),
    (_OBLIQUE, names("obl")),
    (_PREDICATE, names("cop")),
    (_MARK, names("punct")),
    (_FREE, names("conj goeswith reparandum")),
    (_FREE << 1, names("fixed")),
    (_FREE << 2, names("cc")),
    (_FREE << 3, names("advmod")),
    (_FREE << 4, names("case clf compound det discourse flat parataxis")),
)
_OTHER: Final = _FREE << 5
#: The number of a tag; 0 stands for none.
_UPOS: Final = {upos: number for number, upos in enumerate(sorted(UPOS), 1)}
_TYPES: Final = len(_UPOS) + 1
#: Strings as bit fields: their number as a tag, that of their ExtPos, and two kinds of lemmas.
_EXTERNAL: Final = 5
_COPULA, _AUXILIARY = 1 << 10, 1 << 11
#: Treebanks of fewer words do not show all auxiliaries and copulas of a language.
_ALL_AUXILIARIES: Final = 5_000
#: The score of what cannot be.
NEVER: Final = np.float32(-1e9)


class Trees(Protocol):
    """Heads and sentence starts by word."""

    @property
    def heads(self) -> NDArray[np.int32]: ...
    @property
    def starts(self) -> NDArray[Any]: ...


class Second(NamedTuple):
    """The second best tag of each word, as a string of the document, and what it costs."""

    upos: NDArray[np.int32]
    loss: NDArray[np.float32]

    def part(self, a: int, b: int) -> Second:
        return Second(self.upos[a:b], self.loss[a:b])


class Rules:
    """The guidelines of a language for a parser with these labels. Threads may share them."""

    def __init__(self, table: Guidelines, labels: Sequence[str]) -> None:
        if table.words < _ALL_AUXILIARIES:
            table = replace(table, auxiliaries=frozenset(), copulas=frozenset())
        self.table, self.labels = table, labels
        kind = [self._kind(label) for label in labels]
        barred = [self._barred(base(label)) for label in labels]
        rightward = [
            base(label) in RIGHTWARD and f"right-to-left-{base(label)}" not in table.off
            for label in labels
        ]
        tags = ("", *_UPOS)
        flags = [
            (tag == "PUNCT" and "leaf-punct" not in table.off) + 2 * (tag in NOMINALS)
            for tag in tags
        ]
        allowed = [[self._allows(tag, base(label)) for label in labels] for tag in tags]
        # The same types once more, for words whose lemma is no copula.
        copula = np.array([base(label) == "cop" for label in labels])
        may = np.array(allowed, np.uint8)
        self.guide = _core.Guide(
            np.array(kind, np.uint16),
            np.array(barred, np.uint16),
            np.array(rightward, np.uint8),
            np.array(flags * 2, np.uint8),
            np.concatenate([may, may * ~copula]).astype(np.uint8),
        )
        #: What is known of tags and lemmas.
        self._special = dict(_UPOS)
        for lemmas, bit in ((table.copulas, _COPULA), ({*table.auxiliaries, ""}, _AUXILIARY)):
            for lemma in lemmas:
                self._special[lemma] = self._special.get(lemma, 0) | bit
        #: The last table of strings, and what is known of each.
        self._known: tuple[Strings | None, NDArray[np.uint16]] = None, np.zeros(0, np.uint16)

    def _kind(self, label: str) -> int:
        relation = base(label)
        found = next((kind for kind, some in _KINDS if relation in some), _OTHER)
        if found == _SUBJECT and (
            label.endswith(":outer") or "too-many-subjects" in self.table.off
        ):
            return _PREDICATE
        return _OTHER if found == _OBJECT and "too-many-objects" in self.table.off else found

    def _barred(self, relation: str) -> int:
        """The kinds of dependents that a word with a relation must not have."""
        found = 0
        rule, allowed = DEPENDENTS_OF.get(relation, ("", frozenset()))
        if rule and rule not in self.table.off:
            found = _OTHER | sum(kind for kind, some in _KINDS if not some <= allowed)
        if relation in NOMINAL_RELATIONS and "obl-should-be-nmod" not in self.table.off:
            found |= _OBLIQUE_OF_NOMINAL
        return found

    def _allows(self, tag: str, relation: str) -> bool:
        off = self.table.off
        if tag == "PUNCT" and relation not in ("punct", "root") and "upos-rel-punct" not in off:
            return False
        allowed = UPOS_OF.get(relation)
        return not tag or allowed is None or tag in allowed or f"rel-upos-{relation}" in off

    def retag(self, docs: Sequence[Document]) -> None:
        """Make verbs of auxiliaries whose lemma is none of the language's."""
        if not self.table.auxiliaries or "aux-lemma" in self.table.off:
            return
        for run in runs(docs):
            strings = run[0].strings
            auxiliary = strings.find("AUX")
            known = self._of(strings) & _AUXILIARY != 0
            for doc in run if auxiliary is not None else ():
                for word in np.flatnonzero((doc.upos == auxiliary) & ~known[doc.lemma]).tolist():
                    _put(doc, word, "upos", "VERB")

    def types(self, docs: Sequence[Document]) -> NDArray[np.uint8]:
        """What the guide sees of each word of documents."""
        found = [np.zeros(0, np.uint8)]
        for run in runs(docs):
            codes = self._of(run[0].strings)
            tags = codes[np.concatenate([doc.feats for doc in run])] >> _EXTERNAL & 31
            upos = codes[np.concatenate([doc.upos for doc in run])] & 31
            types = np.where(tags > 0, tags, upos)
            if self.table.copulas and "cop-lemma" not in self.table.off:
                lemmas = codes[np.concatenate([doc.lemma for doc in run])]
                types = types + _TYPES * (lemmas & _COPULA == 0)
            found.append(types.astype(np.uint8))
        return np.concatenate(found)

    def choose(
        self,
        doc: Document,
        labels: NDArray[np.float32],
        arcs: NDArray[np.float32],
        base: NDArray[np.int32],
        result: Trees,
        second: Second | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Heads and labels for the trees of a document with tags, by the scores of labels and arcs.

        A word may get its second best tag if that goes with a better label. What the document fixes
        stays.
        """
        self.retag([doc])
        fixed, n = Constraints.of(doc), doc.n_words
        types = self.types([doc])
        others, losses = types, np.zeros(n, np.float32)
        if second is not None and "upos" not in fixed.columns:
            tags = doc.strings.ids(_UPOS)
            order = np.argsort(tags)
            at = np.minimum(np.searchsorted(tags[order], second.upos), len(tags) - 1)
            number = np.where(tags[order][at] == second.upos, order[at] + 1, 0)
            plain = (types % _TYPES == self._of(doc.strings)[doc.upos] & 31) & (number > 0)
            others = np.where(plain, types - types % _TYPES + number, types).astype(np.uint8)
            losses = second.loss
        given = fixed.heads if fixed.heads is not None else np.full(n, UNKNOWN)
        if fixed.deprels is not None:
            numbers = doc.strings.ids(self.labels)
            same = fixed.deprels[:, None] == numbers
            labels = np.where(same.any(1, keepdims=True) & ~same, np.float32(-np.inf), labels)
        heads, chosen, other = self.guide.choose(
            np.ascontiguousarray(labels, np.float32),
            np.ascontiguousarray(arcs),
            base,
            np.asarray(result.starts, np.int8),
            given.astype(np.int32),
            np.asarray(result.heads, np.int32),
            types,
            others,
            losses,
        )
        for word in np.flatnonzero(other).tolist():
            assert second is not None
            _put(doc, word, "upos", doc.strings[second.upos[word]])
        return heads, chosen.astype(np.int64)

    def finish(self, docs: Sequence[Document]) -> None:
        """Mend what no label can: marks whose arcs cross others, and the parts of split words."""
        for run in runs(docs):
            find = run[0].strings.find
            punct, part = find("punct"), find("goeswith")
            deprel = np.concatenate([doc.deprel for doc in run])
            parts = deprel == part if part is not None else np.zeros(len(deprel), np.bool_)
            if punct is not None and "punct-is-nonproj" not in self.table.off:
                self._mend_crossing(run, (deprel == punct) + 2 * parts)
            if parts.any():
                for doc in run:
                    given = Constraints.of(doc).has_head(doc.n_words)
                    for word in np.flatnonzero((doc.deprel == part) & ~given).tolist():
                        self._join(doc, word)

    @staticmethod
    def _mend_crossing(docs: Sequence[Document], no_head: NDArray[np.int64]) -> None:
        """Move marks whose arcs cross others; heads that a document fixes stay."""
        sizes = np.array([doc.n_words for doc in docs])
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        first = np.repeat(bounds[:-1], sizes)
        local = np.concatenate([doc.head for doc in docs])
        heads = np.where(local >= 0, local + first, local).astype(np.int32)
        starts = np.concatenate([_word_starts(doc) for doc in docs])
        starts[bounds[:-1][sizes > 0]] = 1
        given = np.full(len(heads), UNKNOWN, np.int32)
        for doc, at in zip(docs, bounds.tolist(), strict=False):
            if doc.fixed and (fixed := Constraints.of(doc).heads) is not None:
                given[at : at + doc.n_words] = fixed
        found = _core.mend_crossing(no_head.astype(np.uint8), starts, given, heads)
        moved = np.flatnonzero(found != heads)
        for n in {*(bounds.searchsorted(moved, "right") - 1).tolist()}:
            own = slice(bounds[n], bounds[n + 1])
            docs[n].head = np.where(found[own] >= 0, found[own] - first[own], found[own]).astype(
                np.int32
            )

    def _join(self, doc: Document, word: int) -> None:
        """Annotate a later part of a word: it has no lemma and no features."""
        head = int(doc.head[word])
        feats = doc.strings[doc.feats[head]]
        items = sorted({*feats.split("|"), "Typo=Yes"} - {""}, key=str.lower)
        for column, value in (("upos", "X"), ("lemma", ""), ("feats", "")):
            _put(doc, word, column, value)
        _put(doc, head, "feats", "|".join(items))

    def _of(self, strings: Strings) -> NDArray[np.uint16]:
        """What is known of each string of a table, worked out once for each."""
        known, codes = self._known
        if known is not strings:
            codes = codes[:0]
        if len(codes) < len(strings):
            get, new = self._special.get, strings.since(len(codes))
            more = [get(one) or ("ExtPos=" in one and _external(one)) for one in new]
            codes = np.concatenate([codes, np.array(more, np.uint16)])
            self._known = strings, codes
        return codes


def _external(feats: str) -> int:
    """The tag that an expression has as a whole."""
    return _UPOS.get(feats.partition("ExtPos=")[2].partition("|")[0], 0) << _EXTERNAL


def _word_starts(doc: Document) -> NDArray[np.int8]:
    """1 for words with which a sentence starts."""
    found = np.zeros(doc.n_words, np.int8)
    same = doc.n_words == doc.n_tokens
    found[doc.sent_start == YES if same else doc.first_word[:-1][doc.sent_start == YES]] = 1
    return found


def _put(doc: Document, word: int, column: str, value: str) -> None:
    """Write a tag, a lemma or features that the document does not fix."""
    given = Constraints.of(doc).columns.get(column)
    if given is None or given[word] <= 0:
        values = getattr(doc, column).copy()
        values[word] = doc.strings.add(value)
        setattr(doc, column, values)


def pairs_of(feats: str) -> frozenset[str]:
    """The features of a word: `Case=Acc,Nom` are two."""
    pairs = (item.partition("=") for item in feats.split("|") if "=" in item)
    return frozenset(
        f"{name}={value}" for name, _, many in pairs for value in many.split(",") if value
    )


class TagRules:
    """Which tags and features the words of a language may have, for a network with such labels."""

    def __init__(self, table: Guidelines, upos: Sequence[str], feats: Sequence[str]) -> None:
        self._table, self._upos = table, upos
        known = [table.features.get(tag, frozenset()) for tag in upos]
        limited = bool(table.features) and "feature-upos-not-permitted" not in table.off
        #: By tag and label of FEATS.
        self.permitted: NDArray[np.bool_] = np.array(
            [[not limited or pairs_of(label) <= some for label in feats] for some in known], bool
        )

    def limit(
        self, strings: Strings, form: NDArray[np.int32], points: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The scores of the tags of words, without those that words of their form never have."""
        best = points.argmax(1)
        keys, where = np.unique(form.astype(np.int64) * 64 + best, return_inverse=True)
        forms = strings.take((keys // 64).astype(np.int32))
        allowed = [self._allowed(form, tag) for form, tag in zip(forms, keys % 64, strict=True)]
        wrong = np.flatnonzero(np.array([one is not None for one in allowed], bool)[where])
        if not len(wrong):
            return points
        points = points.copy()
        for word in wrong.tolist():
            points[word, ~allowed[where[word]]] = NEVER
        return points

    def _allowed(self, form: str, tag: int) -> NDArray[np.bool_] | None:
        """The tags that a word may have instead of one that it may not have; None if it may."""
        name, form = self._upos[tag], form.lower()
        known = self._table.closed.get(form)
        if known is not None and name not in known and "closed-class-tag" not in self._table.off:
            found = np.array([tag in known for tag in self._upos])
            return found if found.any() else None
        if name == "PUNCT" and any(map(str.isalnum, form)) and self._letters(form):
            return np.array([tag != "PUNCT" for tag in self._upos])
        return None

    def _letters(self, form: str) -> bool:
        """Whether a form with letters is no punctuation."""
        return form not in self._table.punctuation and "punct-with-letters" not in self._table.off

    def agree(
        self,
        upos: NDArray[np.float32],
        feats: NDArray[np.float32],
        chosen: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The best tag and FEATS of each word that go together; `chosen` are the best FEATS."""
        tags = upos.argmax(1)
        for word in np.flatnonzero(~self.permitted[tags, chosen]).tolist():
            both = upos[word][:, None] + feats[word][None, :]
            best = int(np.where(self.permitted, both, NEVER).argmax())
            tags[word], chosen[word] = divmod(best, feats.shape[1])
        return tags, chosen

    def wrong_feats(self, tags: Sequence[str], feats: Sequence[str]) -> list[int]:
        """The words whose features do not go with their tags."""
        if "feature-upos-not-permitted" in self._table.off or not self._table.features:
            return []
        known = self._table.features
        pairs = {
            pair: pairs_of(pair[1]) <= known.get(pair[0], frozenset())
            for pair in {*zip(tags, feats, strict=True)}
        }
        return [word for word, pair in enumerate(zip(tags, feats, strict=True)) if not pairs[pair]]


class Guided:
    """The rules of each language of a parser, worked out when a text in it comes.

    "" stands for the only language of a model.
    """

    def __init__(
        self,
        tables: Tables,
        language: str | None,
        deprel: Sequence[str],
        upos: Sequence[str] = (),
        feats: Sequence[str] = (),
    ) -> None:
        self._tables, self._language = tables, language
        self._deprel, self._upos, self._feats = deprel, upos, feats
        self.rules = cache(self._rules)
        self.tags = cache(self._tags)

    def _table(self, language: str) -> Guidelines | None:
        tables = self._tables
        return tables.get(language) if language else tables.of_model(self._language)

    def _rules(self, language: str) -> Rules | None:
        table = self._table(language)
        return None if table is None else Rules(table, self._deprel)

    def _tags(self, language: str) -> TagRules | None:
        table = self._table(language)
        return None if table is None else TagRules(table, self._upos, self._feats)
