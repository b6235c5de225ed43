"""Checks the trees of documents, and learns the guideline table of a language from treebanks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from caesura.document import ROOT, Document
from caesura.guidelines.rules import SentenceView, check_sentence
from caesura.guidelines.table import GENERAL, UPOS, Guidelines, names

__all__ = ["Found", "check", "learn", "table_of", "views"]

#: Tables of fewer words do not limit features.
_FEW_WORDS: Final = 20_000
#: A rule that the treebanks violate in a larger share of the cases is off.
_MOST_VIOLATIONS: Final = 0.005
#: UPOS of closed classes.
_CLOSED: Final = names("ADP AUX CCONJ DET PART PRON SCONJ")
#: A closed-class word is one that is frequent and mostly has tags of closed classes.
_FREQUENT: Final = 50
_MOSTLY: Final = 0.9
#: Relations that every treebank of UD has.
_COMMON: Final = names("advmod case nsubj punct root")


@dataclass(frozen=True, slots=True)
class Found:
    """A problem with its place: sentence of the document, `sent_id`, and line of the file."""

    rule: str
    message: str
    sentence: int
    #: The word of the document.
    word: int
    form: str
    sent_id: str | None
    line: int | None


def views(doc: Document) -> Iterator[tuple[int, int, SentenceView]]:
    """The sentences of a document: number, first word, and columns."""
    columns = {name: doc.column(name) for name in ("form", "lemma", "upos", "deprel", "feats")}
    items: dict[str, dict[str, str]] = {}
    ends, text = doc.token_end.tolist(), doc.text
    gaps = [text[end : end + 1].isspace() for end in ends]
    last = doc.first_word[1:].tolist()
    # A space follows a word if it follows its token, and the word is the token's last.
    token_of = doc.word_token.tolist()
    spaced = [gaps[t] and last[t] == w + 1 for w, t in enumerate(token_of)]
    head = doc.head.tolist()
    bounds = doc.first_word[doc.sentence_bounds].tolist()
    for number, (first, end) in enumerate(pairwise(bounds)):
        feats = []
        for value in columns["feats"][first:end]:
            if value not in items:
                items[value] = _items(value)
            feats.append(items[value])
        heads = [
            h - first if first <= h < end else (-1 if h == ROOT else -2) for h in head[first:end]
        ]
        yield (
            number,
            first,
            SentenceView(
                columns["form"][first:end],
                [lemma or "_" for lemma in columns["lemma"][first:end]],
                [upos or "_" for upos in columns["upos"][first:end]],
                feats,
                heads,
                columns["deprel"][first:end],
                spaced[first:end],
            ),
        )


def _items(feats: str) -> dict[str, str]:
    pairs = (item.partition("=") for item in feats.split("|") if "=" in item)
    return {name: value for name, _, value in pairs}


def check(doc: Document, table: Guidelines = GENERAL) -> Iterator[Found]:
    """The problems of a document, in its order."""
    for number, first, sentence in views(doc):
        problems = check_sentence(sentence, table)
        if not problems:
            continue
        token = int(doc.sentence_bounds[number])
        line = doc.sent_line.get(token)
        for problem in problems:
            word = first + problem.word
            yield Found(
                problem.rule,
                problem.message,
                number,
                word,
                sentence.form[problem.word],
                doc.sentences[number].id,
                None if line is None else line + _rows_before(doc, token, first, word),
            )


def _rows_before(doc: Document, token: int, first: int, word: int) -> int:
    """The lines between the first line of a sentence and that of a word."""
    last = int(doc.word_token[word])
    starts = doc.first_word
    ranges = sum(int(starts[t + 1] - starts[t]) > 1 for t in range(token, last + 1))
    empty = sum(node.anchor < word for node in doc.empty_nodes if first <= node.word < word) + sum(
        node.anchor == -1 - word for node in doc.empty_nodes
    )
    return word - first + ranges + empty


def learn(documents: Iterable[Document]) -> Guidelines:
    """The guideline table of a language, from the annotation of its treebanks."""
    sentences = [sentence for doc in documents for _, _, sentence in views(doc)]
    words = sum(map(len, sentences))
    auxiliaries: Counter[str] = Counter()
    copulas: Counter[str] = Counter()
    features: defaultdict[str, Counter[str]] = defaultdict(Counter)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    punctuation: Counter[str] = Counter()
    for s in sentences:
        for word, upos in enumerate(s.upos):
            form = s.form[word].lower()
            tags[form][upos] += 1
            if upos == "AUX":
                auxiliaries[s.lemma[word]] += 1
            if s.relation[word] == "cop":
                copulas[s.lemma[word]] += 1
            if upos == "PUNCT" and any(map(str.isalnum, form)):
                punctuation[form] += 1
            for name, values in s.feats[word].items():
                features[upos].update(f"{name}={value}" for value in values.split(","))
    table = Guidelines(
        words=words,
        auxiliaries=frozenset(auxiliaries) - {"_"},
        copulas=frozenset(copulas) - {"_"},
        features=(
            {upos: frozenset(known) for upos, known in features.items()}
            if words >= _FEW_WORDS
            else {}
        ),
        closed={form: frozenset(known) for form, known in tags.items() if _is_closed(known)},
        punctuation=frozenset(punctuation),
    )
    return replace(table, off=_violated(sentences, table))


def table_of(documents: Sequence[Document]) -> Guidelines | None:
    """The table of training data that are annotated as UD asks for; None: they are not."""
    upos: set[str] = set()
    relations: set[str] = set()
    for doc in documents:
        upos |= set(doc.strings.take(np.unique(doc.upos)))
        relations |= set(doc.strings.take(np.unique(doc.deprel)))
    if not {"NOUN", "PUNCT", "VERB"} <= upos <= UPOS | {""} or not relations >= _COMMON:
        return None
    return learn(documents)


def _is_closed(tags: Counter[str]) -> bool:
    total = sum(tags.values())
    return total >= _FREQUENT and sum(tags[tag] for tag in _CLOSED) >= _MOSTLY * total


def _violated(sentences: list[SentenceView], table: Guidelines) -> frozenset[str]:
    """The rules that the annotation itself violates too often, of the cases that they cover."""
    violations: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    heads: Counter[str] = Counter()
    for s in sentences:
        relations.update(s.relation)
        heads.update(s.relation[s.head[w]] for w in range(len(s)) if s.head[w] >= 0)
        violations.update(problem.rule for problem in check_sentence(s, table))
    words = sum(relations.values())

    def cases(rule: str) -> int:
        kind, _, name = rule.rpartition("-")
        if kind in ("rel-upos", "right-to-left"):
            return relations[name]
        covered = {
            "leaf-aux-cop": heads["aux"] + heads["cop"] + relations["aux"] + relations["cop"],
            "leaf-mark-case": relations["mark"] + relations["case"],
            "too-many-subjects": relations["nsubj"] + relations["csubj"],
            "too-many-objects": relations["obj"],
            "obl-should-be-nmod": relations["obl"] + relations["nmod"],
            "cop-lemma": relations["cop"],
            "aux-lemma": relations["aux"] + relations["cop"],
            "0-is-not-root": relations["root"],
            "root-is-not-0": relations["root"],
        }
        if rule in covered:
            return covered[rule]
        if kind == "leaf":
            return relations[name]
        if rule.startswith(("punct-is", "punct-causes", "upos-rel")):
            return relations["punct"]
        return relations["goeswith"] if kind.startswith("goeswith") else words

    return frozenset(
        rule for rule, count in violations.items() if count > _MOST_VIOLATIONS * cases(rule)
    )
