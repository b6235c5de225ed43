"""One teacher or several that label text: networks by their mean chances, all others by voting.

Where teachers vote, the tokens are those of the first. They vote on each boundary and each tag; in
the sentences that come of it each draws its trees, and of those of a sentence the one that most
others agree with is taken, so that it is a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import NO, YES, Document
from caesura.errors import InputError, ModelError
from caesura.language import language_name
from caesura.language.guess import plain_code
from caesura.learn.fingerprint import file_digest
from caesura.learn.network.distillation import refuse_other_labels, teach
from caesura.learn.network.examples import DECISIONS, Soft
from caesura.learn.raw_text import ENOUGH, compare_labels
from caesura.pipeline import Pipeline, load
from caesura.pipeline.loading import in_language
from caesura.stages.network import NeuralParser

_TAGS: Final = ("upos", "xpos", "feats", "lemma")


class Teachers:
    """The models that label text, in the order in which they were named."""

    def __init__(self, models: Sequence[str]) -> None:
        self.names = list(models)
        self.pipelines = [load(model).unwatched() for model in models]
        for name, nlp in zip(models, self.pipelines, strict=True):
            if "head" not in nlp.adds:
                held = ", ".join(sorted(nlp.file.parts))
                raise ModelError(
                    f"this model draws no trees (it holds: {held})",
                    file=name,
                    remedy="Take a teacher from `caesura train pipeline`.",
                )
        if not self.pipelines[0].has_tokenizer:
            raise ModelError(
                "this model has no tokenizer, and its words cannot be found in raw text",
                file=models[0],
                remedy="Name a teacher with a tokenizer first.",
            )
        found = [nlp.stage(NeuralParser) for nlp in self.pipelines]
        #: The networks, if all are, and of one language.
        self.networks = [parser for parser in found if parser is not None]
        # One of many languages has the chances of attributes, not of whole FEATS: it votes.
        one = all(network.languages is None for network in self.networks)
        if len(self.networks) < len(found) or not one:
            self.networks = []
        refuse_other_labels(self.networks)

    def described(self) -> list[dict[str, str]]:
        """What a card says of them."""
        return [{"name": nlp.name, "sha256": file_digest(nlp.file.path)} for nlp in self.pipelines]

    @property
    def labels(self) -> dict[str, list[str]]:
        """What the numbers of soft answers mean."""
        if not self.networks:
            return {}
        return {name: list(self.networks[0].labels[name]) for name in DECISIONS}

    def run_on(self, device: str) -> None:
        """Let networks that speak by their chances run on a device; all others stay."""
        if not self.networks:
            return
        self.pipelines = [nlp.with_search(device=device) for nlp in self.pipelines]
        found = [nlp.stage(NeuralParser) for nlp in self.pipelines]
        self.networks = [parser for parser in found if parser is not None]

    # ------------------------------------------------------------- whether they fit

    def speak(self, language: str | None) -> None:
        """Take all text to be in the treebank's language, where a teacher knows many."""
        self.pipelines = [
            in_language(nlp, language) if language and nlp.language is None else nlp
            for nlp in self.pipelines
        ]

    def check(self, gold: Sequence[Document], language: str | None) -> None:
        """Refuse teachers of another language than the treebank's, or with other labels."""
        sample = _sample(gold)
        for name, nlp in zip(self.names, self.pipelines, strict=True):
            theirs = nlp.language
            if language and theirs and plain_code(theirs) != plain_code(language):
                raise InputError(
                    f"the teacher is for {language_name(theirs)}, "
                    f"and the treebank is {language_name(language)}",
                    file=name,
                    remedy="Take a teacher of the treebank's language.",
                )
            said = nlp.batch(sample, keep=("tokens",))
            for column in ("upos", "deprel"):
                compare_labels(
                    sample,
                    said,
                    column,
                    declared=_declared(nlp),
                    file=name,
                    remedy="Take a teacher that was trained on the labels of this treebank.",
                )

    # -------------------------------------------------------------------- labelling

    def label(self, docs: Sequence[Document]) -> tuple[list[Document], Soft | None]:
        """The documents with everything that the teachers find; networks' answers besides."""
        if self.networks:
            made = [self.pipelines[0].tokenise(doc) for doc in docs]
            made = [doc for doc in made if doc.n_words]
            soft = teach(self.networks, made)
            for doc in made:
                doc.fixed = frozenset()
            return made, Soft.join(soft) if soft else None
        first, *others = self.pipelines
        said = [doc for doc in _all(first, docs) if doc.n_words]
        if others:
            said = self._vote(said)
        return said, None

    def _vote(self, first: Sequence[Document]) -> list[Document]:
        """What most of them say; where as many say one as the other, the earlier is right."""
        bare = [replace(doc, fixed=frozenset()) for doc in first]
        each = [list(first)] + [_all(nlp, bare, "tokens") for nlp in self.pipelines[1:]]
        given = []
        for versions in zip(*each, strict=True):
            doc = _copy(versions[0])
            votes = np.sum([version.sent_start == YES for version in versions], axis=0)
            doc.sent_start = np.where(2 * votes > len(versions), YES, NO).astype(np.int8)
            tied = 2 * votes == len(versions)
            doc.sent_start[tied] = versions[0].sent_start[tied]
            doc.sent_start[:1] = YES
            doc.sent_conf = _mean([version.sent_conf for version in versions])
            given.append(doc)
        again = [_all(nlp, given, "tokens", "sentences") for nlp in self.pipelines]
        return [
            _best(doc, versions)
            for doc, versions in zip(given, zip(*again, strict=True), strict=True)
        ]


def _all(nlp: Pipeline, docs: Sequence[Document], *keep: str) -> list[Document]:
    confidence = "confidence" in nlp.offers
    return [nlp.batch([doc], keep=keep, confidence=confidence)[0] for doc in docs]


def _copy(doc: Document) -> Document:
    return replace(doc, sent_start=doc.sent_start.copy(), fixed=frozenset())


def _mean(columns: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32] | None:
    known = [column for column in columns if column is not None]
    return np.mean(known, axis=0).astype(np.float32) if len(known) == len(columns) else None


def _best(doc: Document, versions: Sequence[Document]) -> Document:
    """Tags by vote, and in each sentence the tree that most agree with."""
    n = len(versions)
    new = _copy(versions[0])
    new.sent_conf = doc.sent_conf
    for column in _TAGS:
        ids = np.array([doc.strings.ids(one.column(column)) for one in versions])
        votes = (ids[:, None] == ids[None]).sum(1)
        setattr(new, column, ids[votes.argmax(0), np.arange(doc.n_words)].astype(np.int32))
        if column == "upos":
            new.tag_conf = (votes.max(0) / n).astype(np.float32)
    new.strings = doc.strings
    heads = np.array([one.head for one in versions])
    labels = np.array([doc.strings.ids(one.column("deprel")) for one in versions])
    agree = ((heads[:, None] == heads[None]) & (labels[:, None] == labels[None])).sum(1)
    new.head, new.deprel = heads[0].copy(), labels[0].astype(np.int32)
    new.form = doc.strings.ids(versions[0].column("form")).astype(np.int32)
    new.arc_conf = np.zeros(doc.n_words, np.float32)
    words = np.concatenate([np.flatnonzero(doc.word_sent_start == YES), [doc.n_words]])
    for a, b in pairwise(words.tolist()):
        chosen = int(agree[:, a:b].sum(1).argmax())
        new.head[a:b], new.deprel[a:b] = heads[chosen, a:b], labels[chosen, a:b]
        new.arc_conf[a:b] = agree[chosen, a:b] / n
    return new


def _sample(gold: Sequence[Document]) -> list[Document]:
    """Gold that a teacher labels to show what its labels are."""
    found: list[Document] = []
    for doc in gold:
        if sum(one.n_words for one in found) >= ENOUGH:
            break
        bounds = doc.sentence_bounds
        room = np.searchsorted(bounds, ENOUGH)
        found.append(doc.cut(0, int(bounds[min(int(room), len(bounds) - 1)])))
    return [doc for doc in found if doc.n_words]


def _declared(nlp: Pipeline) -> frozenset[str]:
    """The labels of all kinds that a model file lists; those of a chain stand between tabs."""
    return frozenset(
        label
        for part in nlp.file.parts.values()
        for values in part.labels.values()
        for value in values
        for label in value.split("\t")
    )
