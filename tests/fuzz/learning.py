"""Fuzz targets that learn or compare: train, induce, cluster, evaluate and align.

Each takes files as bytes; a NUL separates two files. Training and induction run with the smallest
options, so that an input takes a fraction of a second.
"""

from __future__ import annotations

import io
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from caesura.cluster import cluster, load_classes, save_classes
from caesura.document import ROOT, Document
from caesura.errors import CaesuraError
from caesura.evaluate import evaluate
from caesura.evaluate.token_ranges import align_to_text
from caesura.formats import conllu
from caesura.formats.options import ReadOptions
from caesura.induce import InduceOptions, Inducer
from caesura.tokenize import RuleTokenizer
from tests.fuzz.mutate import mutated
from tests.pipeline.laws import check

__all__ = ["LEARNERS", "learner_target"]

Told = Callable[[CaesuraError], None]
Target = Callable[[bytes], None]

#: Ways of learning, by the first byte of the input: options of induction and of clustering.
_INDUCED: Final[tuple[dict[str, Any], ...]] = (
    {"classes": "3", "recipe": "fixed"},
    {"classes": "upos", "rules": "none", "recipe": "short-first", "reparse": 1},
    {"classes": "2,3", "context": 1, "predicates": 2},
    {"classes": "form", "recipe": "basic", "model": "dmv"},
    {"classes": "upos", "model": "gb"},
    {"classes": "3", "recipe": "recombine", "model": "dbm2", "morphology": 1.0},
    {"classes": "auto", "recipe": "standard", "model": "evg"},
    {"classes": "xpos", "recipe": "curriculum", "lexical": 2},
)
_CLUSTERED: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"method": "brown"},
    {"morphology": 2.0},
    {"min_count": 2},
    {"method": "brown", "min_count": 3},
)
#: Settings of `train pipeline` that learn little and quickly.
_TRAINED: Final = (
    "tokenizer.bits=10", "tokenizer.epochs=1", "tokenizer.rare_cut=1", "tokenizer.rare_start=1",
    "tokenizer.own_from=1", "tagger.epochs=1", "tagger.cutoff=1", "parser.bits=10",
    "parser.epochs=1", "parser.search.beam=2", "folds=2",
)  # fmt: skip
_TRAININGS: Final[tuple[tuple[str, ...], ...]] = (
    (),
    ("tagger.learner=perceptron", "parser.search.beam=1"),
    ("tokenizer.relaid=0", "tokenizer.speech=false", "tagger.order=1"),
    ("parser.step=perceptron", "speech=0.3"),
)
#: A document of more words is not learned from: the cost of an input is bounded.
_MOST_WORDS: Final = 300


def train_target(told: Told) -> Target:
    """Train a pipeline on a treebank; the model keeps the laws of texts and trees."""
    from caesura.learn.pipeline import train_pipeline
    from caesura.learn.run import Data, Run
    from caesura.pipeline import load

    folder = tempfile.TemporaryDirectory()
    model, treebank = Path(folder.name, "m.caesura"), Path(folder.name, "t.conllu")

    def one(data: bytes, folder: Any = folder) -> None:
        way, body = _way(data, len(_TRAININGS))
        treebank.write_bytes(body.decode("utf-8", "replace").encode())
        shutil.rmtree(f"{model}.parts", ignore_errors=True)  # that of a training that failed
        try:
            if sum(doc.n_words for doc in _read(body)) > _MOST_WORDS:
                return
            settings = (*_TRAINED, *_TRAININGS[way])
            train_pipeline(Run(str(model), Data([str(treebank)], skip_bad=True), settings=settings))
            nlp = load(model)
            text = "The boats didn't come back. 12 men waited\nthere"
            adds = {column for stage in nlp.stages for column in stage.adds}
            if {"token_start", "head"} <= adds:
                check(nlp(text), text)
        except CaesuraError as error:
            told(error)

    return one


def induce_target(told: Told) -> Target:
    """Induce a grammar from a text or a treebank; its parse of the same words has one root each."""

    def one(data: bytes) -> None:
        way, body = _way(data, len(_INDUCED))
        options = InduceOptions(
            limit=8, longest=12, restarts=1, groups=2, frequent=4, **_INDUCED[way]
        )
        try:
            docs = _documents(body)
            if sum(doc.n_words for doc in docs) > _MOST_WORDS:
                return
            Inducer(docs, options).run().annotate(docs)
            for doc in docs:
                doc.check()
                roots = np.bincount(doc.word_sentence[doc.head == ROOT], minlength=doc.n_sentences)
                assert np.all(roots == 1)
        except CaesuraError as error:
            told(error)

    return one


def cluster_target(told: Told) -> Target:
    """Cluster the words of a text; every word has a class, and the file is read as it was."""
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name, "classes")

    def one(data: bytes, folder: Any = folder) -> None:
        way, body = _way(data, len(_CLUSTERED))
        try:
            docs = _documents(body)
            number = 1 + len(body) % 9
            options = {"min_count": 1, "passes": 2, **_CLUSTERED[way]}
            found = cluster(docs, number, **options)
        except CaesuraError as error:
            told(error)
            return
        forms = Counter(form for doc in docs for form in doc.column("form"))
        assert found.counts == forms
        assert len(found.names) - 1 <= number + 1  # and that of rare words
        if forms and not any(set(form) & set("\t\r\n") for form in forms):
            save_classes(found, file)
            assert sorted(load_classes(file).rows()) == sorted(found.rows())

    return one


def evaluate_target(told: Told) -> Target:
    """Compare two treebanks; counts are possible, and full if both are the same.

    Without a second treebank the first is compared with itself, or with its text split by rule.
    """

    def one(data: bytes) -> None:
        way, body = _way(data, 4)
        gold, given, system = body.partition(b"\0")
        same = not given and way < 2
        try:
            truth = _read(gold)
            found = _read(system) if given else truth if same else _split(truth)
            text = "\n".join(doc.text for doc in truth) if way % 2 else None
            report = evaluate(truth, found, text=text)
        except CaesuraError as error:
            told(error)
            return
        same &= all(np.all(doc.head >= ROOT) for doc in truth)  # unknown heads are never right
        for name, score in report.scores.items():
            assert 0 <= score.correct <= min(score.gold, score.system), name
            assert not same or score.correct == score.gold, name
        pairs = report.comparison.pairs
        for side in (pairs.g, pairs.s):
            assert len(np.unique(side)) == len(side)

    return one


def align_target(told: Told) -> Target:
    """Align a treebank with a raw text; its tokens have their order and lie in the text.

    Without a text it is that of the treebank, changed at random.
    """

    def one(data: bytes) -> None:
        _, body = _way(data, 1)
        treebank, given, raw = body.partition(b"\0")
        try:
            docs = _read(treebank)
            if not given:
                own = "\n".join(doc.text for doc in docs).encode("utf-8", "replace")
                raw = mutated(random.Random(data), [own])
            text = raw.decode("utf-8", "replace")
            found = align_to_text(docs, text)
        except CaesuraError as error:
            told(error)
            return
        size = len(text)
        assert found.tokens == sum(doc.n_tokens for doc in docs) == len(found.start)
        assert np.all((found.start >= 0) & (found.start <= found.end) & (found.end <= size))
        assert np.all(np.diff(found.end) >= 0)
        assert 0 <= found.lost <= found.tokens

    return one


#: The targets by name.
LEARNERS: Final[dict[str, Callable[[Told], Target]]] = {
    "train": train_target,
    "induce": induce_target,
    "cluster": cluster_target,
    "evaluate": evaluate_target,
    "align": align_target,
}


def learner_target(name: str, told: Told) -> Target:
    """The target of a name; `told` checks an error."""
    return LEARNERS[name](told)


def _way(data: bytes, ways: int) -> tuple[int, bytes]:
    """The way that the first byte chooses, and the rest."""
    return (data[0] % ways, data[1:]) if data[:1] and data[0] < 8 else (0, data)


def _read(data: bytes) -> list[Document]:
    """A treebank; sentences that random changes have broken are left out."""
    return list(conllu.read_conllu(io.BytesIO(data), ReadOptions(skip_bad=True, errors="replace")))


def _split(docs: Sequence[Document]) -> list[Document]:
    """The texts of documents, split by rule."""
    return [RuleTokenizer().tokenize(doc.text) for doc in docs]


def _documents(data: bytes) -> Sequence[Document]:
    """CoNLL-U where the bytes have a tab, else a text split by rule."""
    if b"\t" in data:
        return _read(data)
    text = data.decode("utf-8", "replace").replace("\0", "")
    return [RuleTokenizer().tokenize(text)]
