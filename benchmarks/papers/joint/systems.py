"""The systems that are compared: the parsers of the paper, the labeller, classifier and rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from benchmarks.papers.joint.data import Data, Docs, blank, say
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.learn.joint_parser import parser_loop, recipe_options
from caesura.learn.tagger_data import boundary_chain
from caesura.models.file import save
from caesura.parse import Parser, SearchOptions, TrainOptions
from caesura.tag import (
    Tagger,
    boundary_options,
    start_probabilities,
    train_tagger,
)
from caesura.tokenize import RuleTokenizer, TokenizerOptions
from caesura.tokenize import train as train_tokenizer


def common(data: Data, **changes: Any) -> TrainOptions:
    """What all parsers have in common."""
    chosen = data.options
    search = SearchOptions(beam=chosen.beam)
    return TrainOptions(
        search=search,
        epochs=chosen.epochs,
        breaks=chosen.breaks,
        bits=chosen.bits,
        step=chosen.step,
        dlaso_pa=chosen.dlaso_pa,
        **changes,
    )


def learn(data: Data, system: str) -> Parser:
    """A parser of the paper, its best epoch chosen on the held-out part.

    The cache keeps it, and keeps what an interrupted run has learned so far.
    """
    chosen = data.options
    flat = "" if chosen.breaks or system == "gold" else "-flat"
    size = f"e{chosen.epochs}-b{chosen.beam}-r{chosen.bits}{flat}-{chosen.step}-{chosen.dlaso_pa}"
    path = data.path(f"{system}-{size}.caesura")
    if path.exists():
        return Parser.load(path)
    docs = data.sentences if system == "gold" else data.documents
    loop = parser_loop(
        data.of(docs, "rest"),
        data.of(docs, "held"),
        recipe_options(system, common(data)),
        checkpoint=path.with_suffix(".checkpoint"),
        resume=True,
    )
    for event in loop:
        if event.kind == "epoch":
            shown = {k: round(v, 2) for k, v in event.scores.items()}
            say(f"{data.name} {system} epoch {event.epoch} {shown}")
    save(path, {"parser": loop.best["parser"]})
    loop.finish()
    return Parser.load(path)


@dataclass
class Labeller:
    """Sentence starts of words by probability: the CRF over tags and starts, or the tokeniser's."""

    probabilities: Callable[[Docs], list[NDArray[Any]]]
    threshold: float = 0.5

    def starts(self, docs: Docs) -> list[NDArray[np.bool_]]:
        found = [p >= self.threshold for p in self.probabilities(docs)]
        for marks in found:
            marks[:1] = True
        return found

    def tune(self, held: Docs) -> Labeller:
        """The same with the threshold that gives the highest F1."""
        gold = np.concatenate([doc.word_sent_start == YES for doc in held])
        inner = np.concatenate([np.arange(doc.n_words) > 0 for doc in held])
        found = np.concatenate(self.probabilities(held))
        return replace(self, threshold=best_threshold(found, gold, inner)[0])


def best_threshold(
    probabilities: NDArray[Any], gold: NDArray[np.bool_], counted: NDArray[np.bool_]
) -> tuple[float, float]:
    """The threshold with the highest F1 over the counted words, and that F1 in per cent.

    Words that start a document say nothing and should not be counted.
    """
    p, g = probabilities[counted], gold[counted]
    order = np.argsort(-p, kind="stable")
    hits = np.cumsum(g[order])
    f1 = 200.0 * hits / (np.arange(1, len(p) + 1) + max(1, int(g.sum())))
    # Words of equal probability come together or not at all.
    last = np.append(p[order][1:] != p[order][:-1], True) if len(p) else np.zeros(0, bool)
    if not last.any():
        return 0.5, 0.0
    best = int(np.flatnonzero(last)[np.argmax(f1[last])])
    return float(p[order][best]), float(f1[best])


def crf(data: Data) -> Labeller:
    """The CRF over tags and starts; it sees paragraph breaks where the parsers do."""
    flat = "" if data.options.breaks else "-flat"
    path = data.path(f"labeller-{data.options.tagger_epochs}{flat}.caesura")
    if not path.exists():
        own = boundary_options(boundary_chain(data.gold))
        templates = tuple(t for t in own.templates if data.options.breaks or "break[" not in t)
        own = replace(own, epochs=data.options.tagger_epochs, templates=templates)
        save(path, {"tagger": train_tagger(data.of(data.gold, "rest"), (), own).part})
    tagger = Tagger.load(path)

    def probabilities(docs: Docs) -> list[NDArray[Any]]:
        ends = np.cumsum([doc.n_words for doc in docs])
        return np.split(start_probabilities(tagger, docs), ends[:-1])

    return Labeller(probabilities)


def by_word(doc: Document, of_tokens: NDArray[Any]) -> NDArray[Any]:
    """Values of tokens on their first words, zero on the others."""
    values = np.zeros(doc.n_words, of_tokens.dtype)
    first = np.searchsorted(doc.word_token, np.arange(doc.n_tokens))
    values[first] = of_tokens
    return values


def period_classifier(data: Data) -> Labeller:
    """The tokeniser's logistic model of sentence starts, on gold tokens."""
    tokenizer = train_tokenizer(
        data.of(data.gold, "rest"), TokenizerOptions(speech=False, relaid=0.0, epochs=5)
    )
    return Labeller(lambda docs: [by_word(doc, tokenizer.evidence(doc)) for doc in docs])


def rules(data: Data) -> Labeller:
    """The splitter by rule, which has nothing to tune."""
    splitter = RuleTokenizer().learn(doc.text for doc in data.of(data.gold, "rest"))

    def starts(docs: Docs) -> list[NDArray[Any]]:
        given = [replace(blank(doc), fixed=frozenset({"tokens"})) for doc in docs]
        return [
            by_word(doc, (splitter.tokenize(one).sent_start == YES).astype(np.float32))
            for doc, one in zip(docs, given, strict=True)
        ]

    return Labeller(starts)
