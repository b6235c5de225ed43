"""Priors of an induction by its options, and a start from another language.

Delexicalised transfer (Zeman & Resnik 2008; McDonald, Petrov & Hall 2011) starts from the trees of
a parser that sees universal tags and no words. EM then learns the word order of the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from caesura.document import UNKNOWN, Document
from caesura.errors import UsageError
from caesura.induce.context import FREQUENT, PREDICATE
from caesura.induce.corpus import Classifier, Corpus, gold_heads
from caesura.induce.em import Demand
from caesura.induce.options import InduceOptions
from caesura.induce.parameters import Floats, Ints
from caesura.induce.priors import Pull, both, by_head, by_root, reduce_documents, stop_estimates
from caesura.induce.training import View, openness
from caesura.induce.universal_rules import Rules, are_universal, load_rules
from caesura.stage import Stage

#: How strongly frequent words are drawn to be heads where content words are to be; chosen on the
#: dev parts of EWT and Hungarian, where a third of it gives nearly the same.
CLOSED = 0.1
#: How strongly other classes are drawn to be roots where predicates are known; chosen on the dev
#: part of WSJ-sample.
OTHER_ROOTS = 0.1


@dataclass(frozen=True, slots=True)
class Guidance:
    """Priors, and the trees to start from; `rules` is the name of the universal rules."""

    rules: str = "none"
    pull: Pull | None = None
    demand: Demand | None = None
    stops: tuple[Floats, float] | None = None
    begin: Ints | None = None

    def view(self, words: Corpus) -> View:
        """The words of a text under plain classes, with these priors."""
        return View(words.sentences, words.names, {}, self.pull, self.demand, self.stops)


def guide(
    options: InduceOptions,
    words: Corpus,
    text: Sequence[Document],
    classes: Classifier,
    parsed: Sequence[Document] | None = None,
) -> Guidance:
    """The guidance that the options ask for.

    `text` is all text of the language, `parsed` the documents with trees to start from, if any.
    """
    names = words.names
    pull = None
    if options.head_convention == "content":
        pull = by_head(_openness(options, words))
    predicate = np.array([PREDICATE in name for name in names])
    if predicate.any():
        pull = both(pull, by_root(np.where(predicate, 1.0, OTHER_ROOTS)))
    rules, demand = _rules(options, words), None
    if rules is not None:
        if options.obey != "expectation":
            pull = both(pull, rules.pull(names))
        if options.obey != "pull":
            demand = Demand(rules.followed(names), options.share)
    stops = None
    if options.reducible:
        found = reduce_documents(text, words, classes)
        mean = words.sentences.n_words / max(1, len(names) - 1)
        stops = stop_estimates(found), options.reducible * mean
    begin = None if parsed is None else gold_heads(parsed, words)[0]
    return Guidance("none" if rules is None else rules.name, pull, demand, stops, begin)


def _openness(options: InduceOptions, words: Corpus) -> Floats:
    """How strongly each class is drawn to be a head: frequent words little, where they are apart.

    Where they are not, classes with many different words are drawn most. That says more than is
    meant: nouns have more different words than verbs.
    """
    closed = np.array([name.endswith(FREQUENT) for name in words.names])
    if options.iterations and closed.any():
        return np.where(closed, CLOSED, 1.0)
    return openness(words.sentences, words.words, len(words.names))


def _rules(options: InduceOptions, words: Corpus) -> Rules | None:
    """The universal rules of the options, or those that fit the classes."""
    counts = np.bincount(words.sentences.classes, minlength=len(words.names))
    universal = options.classes == "upos" and are_universal(words.names, counts)
    if options.rules == "auto":
        return load_rules("ud") if universal else None
    rules = load_rules(options.rules)
    if rules is not None and not universal:
        raise UsageError(
            f"--rules {options.rules}: rules are about universal tags, and the classes are "
            + ("other tags" if options.classes in ("upos", "xpos") else "no tags"),
            remedy="Give a file with UPOS tags and --classes upos, or leave the rules out.",
        )
    return rules


def bare(doc: Document) -> Document:
    """A copy of a document with tokens, sentences and universal tags, and without words."""
    empty = np.zeros(doc.n_words, dtype=np.int32)
    return replace(
        doc,
        form=doc.upos.copy(),
        lemma=empty.copy(),
        xpos=doc.upos.copy(),  # a parser may ask for other tags, and finds none that it knows
        feats=empty.copy(),
        deprel=empty.copy(),
        head=np.full(doc.n_words, UNKNOWN, dtype=np.int32),
        fixed=frozenset({"tokens", "sentences", "tags"}),
    )


def transferred(parser: Stage, documents: Sequence[Document]) -> list[Document]:
    """Bare copies of documents with the trees of a parser of another language."""
    if not any(np.any(doc.upos) for doc in documents):
        raise UsageError(
            "--transfer goes by universal tags, and the text has none",
            remedy="Give a tagged file.",
        )
    copies = [bare(doc) for doc in documents]
    parser.annotate([doc for doc in copies if doc.n_words])
    return copies
