"""Treebanks with predicted tags: the training documents jackknifed, a tenth of them held out.

Tagged files and taggers are kept in the cache, so that a second run starts where the first ended.
"""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import file_of, find_file, find_folder

from caesura.document import NO, UNKNOWN, YES, Document
from caesura.formats import read, write
from caesura.learn.folds import deal
from caesura.models.file import save
from caesura.tag import Tagger, TaggerOptions, train_tagger

Docs = list[Document]
Rows = list[dict[str, Any]]


def say(message: str) -> None:
    print(f"{time.process_time():7.0f} s  {message}", file=sys.stderr, flush=True)


@dataclass
class Data:
    """A treebank with predicted tags: training documents in both regimes, dev documents."""

    name: str
    gold: Docs
    dev: Docs
    options: Namespace
    _tagged: tuple[Docs, Docs] | None = None
    _tagger: Tagger | None = None

    def __post_init__(self) -> None:
        if not self.dev:
            last = max(1, len(self.gold) // 10)
            self.gold, self.dev = self.gold[:-last], self.gold[-last:]
        fold = deal([doc.n_words for doc in self.gold], 10, 1)
        self.held = [k for k, own in enumerate(fold) if own == 0]
        self.rest = [k for k, own in enumerate(fold) if own != 0]

    @property
    def documents(self) -> Docs:
        """The training documents, tagged as wholes by taggers that have not seen them."""
        return self.tagged[0]

    @property
    def sentences(self) -> Docs:
        """The same, tagged sentence by sentence."""
        return self.tagged[1]

    @property
    def tagged(self) -> tuple[Docs, Docs]:
        if self._tagged is None:
            options = self.options
            many = "" if options.folds == 5 else str(options.folds)
            paths = [self.path(f"train.jack{many}{view}.conllu") for view in (".doc", "")]
            if not all(path.exists() for path in paths):
                tagged = jackknife(self.gold, options.folds, options.tagger_epochs)
                for path, docs in zip(paths, tagged, strict=True):
                    write(docs, path)
            whole, single = (list(read(path)) for path in paths)
            words = sum(doc.n_words for doc in self.gold)
            for docs in (whole, single):
                if sum(doc.n_words for doc in docs) != words:
                    raise SystemExit(
                        f"the tagged files of {self.name} in {options.cache} do not fit"
                    )
            self._tagged = whole, single
        return self._tagged

    def path(self, what: str) -> Path:
        """A file of this treebank in the cache."""
        return Path(self.options.cache) / f"{self.name}-{what}"

    @property
    def tagger(self) -> Tagger:
        """The tagger that learned from all training documents."""
        if self._tagger is None:
            path = Path(self.options.cache) / f"{self.name}.tagger"
            if not path.exists():
                save(path, {"tagger": learn_tagger(self.gold, self.options.tagger_epochs).part})
            self._tagger = Tagger.load(path)
        return self._tagger

    def dev_tagged(self, regime: str) -> Docs:
        """The dev documents with predicted tags, of whole documents or of their sentences."""
        path = self.path(f"dev.pred{'.doc' if regime == 'document' else ''}.conllu")
        if not path.exists():
            write(tagged(self.tagger, self.dev, regime), path)
        return list(read(path))

    def of(self, docs: Docs, part: str) -> Docs:
        return [docs[k] for k in getattr(self, part)]


def open_data(name: str, options: Namespace) -> Data:
    folder = find_folder(name, options.data)
    if folder.is_file():
        return Data(folder.name.split(".")[0], list(read(folder)), [], options)
    short = folder.resolve().name.lower().removeprefix("ud_english-")
    train, dev = list(read(file_of(folder, "train"))), find_file(folder, "dev")
    return Data(short, train, list(read(dev)) if dev else [], options)


def learn_tagger(docs: Docs, epochs: int) -> Tagger:
    feats = any(np.any(doc.feats) for doc in docs)
    chosen = TaggerOptions(epochs=epochs, patience=0, given=("feats",) if feats else ())
    return train_tagger(docs, (), chosen)


def blank(doc: Document, columns: Sequence[str] = ()) -> Document:
    """A copy without sentences, trees and the columns named."""
    marks = np.full(doc.n_tokens, NO, np.int8)
    marks[:1] = YES
    copy = replace(doc, fixed=frozenset(), sent_start=marks)
    copy.head = np.full(doc.n_words, UNKNOWN, np.int32)
    copy.deprel = np.zeros(doc.n_words, np.int32)
    for column in columns:
        setattr(copy, column, np.zeros(doc.n_words, np.int32))
    return copy


def tagged(tagger: Tagger, docs: Docs, regime: Any) -> Docs:
    """Copies with predicted tags; all else is as it was."""
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    for doc in copies:
        for column in ("upos", "xpos", "feats"):
            setattr(doc, column, np.zeros(doc.n_words, np.int32))
    tagger.tag(copies, regime=regime)
    return copies


def jackknife(docs: Docs, folds: int, epochs: int) -> tuple[Docs, Docs]:
    """Documents tagged by taggers that have not seen them, whole and sentence by sentence."""
    folds = min(folds, len(docs))
    if folds < 2:
        raise SystemExit("jackknifing needs two documents at least")
    fold_of = deal([doc.n_words for doc in docs], folds, 1)
    whole, single = list(docs), list(docs)
    for fold in range(folds):
        held = [k for k, own in enumerate(fold_of) if own == fold]
        tagger = learn_tagger([d for k, d in enumerate(docs) if fold_of[k] != fold], epochs)
        for target, regime in ((whole, "document"), (single, "sentences")):
            for k, doc in zip(held, tagged(tagger, [docs[k] for k in held], regime), strict=True):
                target[k] = doc
        say(f"tagged fold {fold + 1} of {folds}")
    return whole, single
