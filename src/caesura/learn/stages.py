"""A whole pipeline from one treebank: tokeniser, tagger, parser, in one go and one file.

The parser learns from what it will see in use: tags by taggers that have not seen the document
(jackknifing), and the evidence of tokenisers that have not seen it either. With `speech`, part of
the training data is seen in lower case and without punctuation, so that one model serves edited
and unedited text. A stage that is done is kept in a folder, from which an interrupted run resumes.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.punctuation import Marks
from caesura.errors import InputError, ModelError, UsageError
from caesura.guidelines.table import PART
from caesura.learn.fingerprint import digest, fingerprint
from caesura.learn.folds import generator
from caesura.learn.joint_parser import ParserTrainer, finish
from caesura.learn.joint_parser import TrainOptions as ParserOptions
from caesura.learn.loop import Loop
from caesura.learn.run import Report, follow, transcripts
from caesura.learn.silver import (
    FEWER_EPOCHS,
    SILVER_FLAGS,
    SilverOptions,
    as_gold_has,
    confident,
    first_words,
)
from caesura.learn.tagger import TaggerTrainer, jackknife
from caesura.learn.tagger_data import TaggerOptions
from caesura.learn.tokenizer import TokenizerTrainer, cross_evidence, with_scale
from caesura.learn.weights import lean_rows
from caesura.models.file import ModelFile, Part, load, save
from caesura.options import SEED, inner, option
from caesura.stages.bias import refuse_bias
from caesura.stages.joint_parser import Parser, SearchOptions
from caesura.stages.tagger import Tagger
from caesura.stages.tokenizer import Tokenizer, TokenizerOptions
from caesura.transform import some_relaid, speech


@dataclass(frozen=True)
class PipelineOptions:
    """How to train a pipeline."""

    tokenizer: TokenizerOptions = field(default_factory=TokenizerOptions)
    tagger: TaggerOptions = field(default_factory=TaggerOptions)
    parser: ParserOptions = inner(
        lambda: ParserOptions(
            search=SearchOptions(beam=32, margin=0.35),
            step="pa",
            dlaso_pa="in-turn",
            bits=21,
            relaid=0.25,
        ),
        {"relaid": ""},
    )
    #: How the parser searches once it is trained: narrower than in training costs nothing.
    search: SearchOptions = field(default_factory=lambda: SearchOptions(beam=16, margin=0.3))
    #: Folds in which tags and evidence for the parser are made.
    folds: int = 10
    #: Share of the training data that is seen as a transcript would have it.
    speech: float = option(0.0, "Also serve text without case and punctuation.", value=0.35)
    #: Share of a parser's weights that are dropped from the file, the smallest of them.
    drop: float = 0.5
    #: How it learns from raw text, if a teacher labels some.
    silver: SilverOptions = inner(SilverOptions, SILVER_FLAGS)
    seed: int = option(1, **SEED)

    def __post_init__(self) -> None:
        refuse_bias(self.search.bias)
        if self.folds < 2:
            raise UsageError(f"folds is {self.folds}, but must be at least 2")
        if not 0 <= self.drop < 1:
            raise UsageError(f"drop is {self.drop}, but must be at least 0 and below 1")
        if not 0 <= self.speech < 1:
            raise UsageError(f"speech is {self.speech}, but must be at least 0 and below 1")

    def check_silver(self) -> None:
        """Refuse to forget what raw text taught; epochs on gold alone come after all others."""
        last, epochs = self.silver.last, self.parser.epochs
        if last and last >= epochs:
            raise UsageError(
                f"{last} epochs on gold alone are not fewer than the {epochs} with silver text "
                "before them",
                remedy=FEWER_EPOCHS,
            )


_SPOKEN: Final = 0x73706F6B


class PipelineTrainer:
    """Trains the stages one after the other; `run` returns the parts of the model file."""

    def __init__(
        self,
        train: Sequence[Document],
        dev: Sequence[Document] = (),
        options: PipelineOptions | None = None,
        *,
        init: ModelFile | None = None,
        silver: Sequence[Document] = (),
        folder: Path | None = None,
        resume: bool = False,
        report: Report | None = None,
    ) -> None:
        """`silver` are documents that a teacher has labelled: see `SilverOptions`."""
        self.options = options or PipelineOptions()
        self.train = [doc for doc in train if doc.n_words]
        if silver:
            self.options.check_silver()
        self.silver = as_gold_has(confident(silver, self.options.silver.least), self.train)
        self.dev = [doc for doc in dev if doc.n_words]
        if not self.train:
            raise InputError("there are no words to train on", remedy="Give a treebank.")
        self.init = init
        if init is not None:
            check_init(init)
        self.folder = folder
        self.report = report or Report()
        self.left_out: list[str] = []
        if folder is not None:
            if not resume and folder.exists() and any(folder.iterdir()):
                raise UsageError(
                    "an interrupted training is kept here",
                    file=str(folder),
                    remedy="Go on with it (resume), or remove the folder to start anew.",
                )
            folder.mkdir(parents=True, exist_ok=True)
        self._data = digest((*self.train, *self.dev, *self.silver))
        if init is not None:
            self._data += str(init.meta.get("sha256"))

    # -------------------------------------------------------------- stages

    def run(self) -> dict[str, Part]:
        """Train everything that the treebank allows."""
        parts, (train, speech) = self.prepare()
        dev = self._prepared_dev(parts, self.dev)
        options = self.options.parser
        if speech:
            options = replace(options, dropout=self.options.speech)

        def work() -> Part:
            parser = self._parser(train, speech, dev, options, self._init_parser())
            spoken = self._prepared_dev(parts, transcripts(self.dev))
            return finish(parser, dev, transcripts=spoken).to_part()

        parts["parser"] = self._stage("parser", work)
        return parts

    def prepare(self) -> tuple[dict[str, Part], tuple[list[Document], list[Document]]]:
        """What comes before the parser: the other parts, and what it will learn from.

        All of it is kept in the folder, where parsers of other options find it.
        """
        parts: dict[str, Part] = {}
        if self.has_text():
            parts["tokenizer"] = self.stage("tokenizer")
        tags = self._has_tags()
        if tags:
            parts["tagger"] = self.stage("tagger")
        return parts, self._prepared(parts.get("tokenizer"), parts.get("tagger"))

    def stage(self, name: Literal["tokenizer", "tagger"]) -> Part:
        """One of the stages that need nothing but the treebank."""
        return self._stage(name, self._tokenizer if name == "tokenizer" else self._tagger)

    def finish(self) -> None:
        """Remove what was kept for an interrupted run."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _stage(self, name: str, work: Callable[[], Part]) -> Part:
        """A stage that was done before is taken from the folder."""
        path = self.folder / f"{name}.part" if self.folder is not None else None
        mine = self.fingerprint(name)
        if path is not None and path.exists():
            file = load(path)
            if file.meta.get("fingerprint") == mine:
                self.report(name, "was done before and is kept")
                return file.part(name)
            if file.meta.get("data", self._data) != self._data:
                raise ModelError(
                    "belongs to a run on other data",
                    file=str(path),
                    remedy="Go on with the data of that run, "
                    "or delete it and start again with --anew.",
                )
            self.report(name, "was done with other options and is done again")
        part = work()
        if path is not None:
            meta = {"fingerprint": mine, "data": self._data}
            save(path, {name: part}, meta=meta, compress=False)
        return part

    def _loop(
        self,
        name: str,
        trainer: Any,
        epochs: int,
        metric: str,
        patience: int,
        *,
        keep: bool = False,
    ) -> Loop:
        """A loop that has run to its end; its checkpoint is removed unless `keep` is set."""
        file = f"{name.replace(' ', '-')}.checkpoint"
        path = self.folder / file if self.folder is not None else None
        loop = Loop(
            trainer,
            epochs,
            metric=metric,
            patience=patience,
            checkpoint=path,
            resume=True,  # what is in the folder belongs to this run
            fingerprint=self.fingerprint(name),
        )
        follow(loop, name, self.report)
        if not keep:
            loop.finish()
        return loop

    def _tokenizer(self) -> Part:
        options = replace(self.options.tokenizer, seed=self.options.seed)
        init = self._init_part("tokenizer")
        trainer = TokenizerTrainer(
            self.train,
            options,
            dev=self.dev,
            init=Tokenizer.from_part(init) if init else None,
            starts=first_words(self.silver, self.options.silver.starts),
        )
        loop = self._loop("tokenizer", trainer, options.epochs, "Mean", options.patience)
        return with_scale(loop.best["tokenizer"], self.dev)

    def _tagger(self) -> Part:
        options = replace(self.options.tagger, seed=self.options.seed)
        n, copies, silver = len(self.train), self._speech(), self._tag_silver()
        docs = [*self._weighed(self.train), *silver]
        spoken = self._spoken(copies[n : n + len(silver)], ()) if copies else ()
        docs += [*self._weighed(copies[:n]), *spoken]
        trainer = TaggerTrainer(docs, self.dev, options, init=self._init_part("tagger"))
        loop = self._loop("tagger", trainer, options.epochs, "mean", options.patience)
        return loop.best["tagger"]

    def _tag_silver(self) -> list[Document]:
        """The silver documents from which a tagger learns."""
        words = self.options.silver.tags
        return first_words(self.silver, words) if words else list(self.silver)

    @property
    def _all(self) -> list[Document]:
        """Gold and silver documents, each once."""
        return [*self.train, *self.silver]

    def _weighed(self, gold: Sequence[Document]) -> list[Document]:
        """Gold documents as often as they are read for once that silver ones are."""
        return list(gold) * (self.options.silver.gold if self.silver else 1)

    def _as_speech(self) -> Callable[[Document], Document]:
        """Makes a transcript of a document or of a piece of one, with the marks of all of them."""
        return partial(speech, marks=Marks().settled(self._all))

    def _speech(self) -> list[Document]:
        """The training documents as transcripts would have them, if that is wanted.

        Every other one is one paragraph, as a text without blank lines is; the rest has none, as
        a treebank without paragraphs.
        """
        if not self.options.speech:
            return []
        copies = list(map(self._as_speech(), self._all))
        for doc in copies[::2]:
            doc.paragraph_start = np.zeros(1, np.int64)
        return copies

    def _spoken(self, docs: Sequence[Document], others: Sequence[Document]) -> list[Document]:
        """Copies of silver documents: those that are read as transcripts, or others for them."""
        random = generator(self.options.seed, _SPOKEN)
        chosen = (random.random(len(self.silver)) < self.options.silver.speech)[: len(docs)]
        if not others:
            return [doc for doc, is_in in zip(docs, chosen, strict=True) if is_in]
        return [
            doc if is_in else other for doc, other, is_in in zip(docs, others, chosen, strict=True)
        ]

    def _relaid(self) -> list[Document]:
        """The training documents for the parser, some of them with other line breaks."""
        if not self.has_text():
            return self._all
        return some_relaid(self._all, self.options.parser.relaid, self.options.seed)

    def _prepared(
        self, tokenizer: Part | None, tagger: Part | None
    ) -> tuple[list[Document], list[Document]]:
        """The training documents, and their transcripts, as the parser shall see them."""
        part = self._stage("prepared", lambda: self._prepare(tokenizer, tagger))
        docs = [replace(doc) for doc in (*self._relaid(), *self._speech())]
        words = np.cumsum([0, *(doc.n_words for doc in docs)])
        tokens = np.cumsum([0, *(doc.n_tokens for doc in docs)])
        for k, doc in enumerate(docs):
            for column in ("upos", "xpos", "feats", "lemma"):
                if column in part.arrays:
                    names = doc.strings.ids(part.labels[column])
                    own = part.array(column, np.int32)[words[k] : words[k + 1]]
                    setattr(doc, column, names[own])
            if "evidence" in part.arrays:
                own = part.array("evidence", np.float32)[tokens[k] : tokens[k + 1]]
                doc.start_evidence = own
        n = len(self._all)
        return docs[:n], docs[n:]

    def _prepare(self, tokenizer: Part | None, tagger: Part | None) -> Part:
        """Tags and evidence for all training documents, by models that have not seen them."""
        options = self.options
        part = Part("prepared")
        if tagger is not None:
            tagged_docs = self._tagged(tagger)
            for column in ("upos", "xpos", "feats"):
                names: dict[str, int] = {}
                values = [
                    names.setdefault(value, len(names))
                    for doc in tagged_docs
                    for value in doc.column(column)
                ]
                part.labels[column] = list(names)
                part.arrays[column] = np.array(values, np.int32)
        if tokenizer is not None:
            self.report("evidence", f"{options.folds} folds")
            found = self._evidence(Tokenizer.from_part(tokenizer))
            part.arrays["evidence"] = np.concatenate(found).astype(np.float32)
        return part

    def _tagged(self, tagger: Part) -> list[Document]:
        """All documents, and their transcripts, with tags of taggers that have not seen them.

        Silver documents from which the tagger itself did not learn get its own.
        """
        options = self.options
        variant = self._as_speech() if options.speech else None
        n = len(self.train) + len(self._tag_silver())
        found = jackknife(
            self._all[:n],
            replace(options.tagger, seed=options.seed),
            options.folds,
            regime="document",
            variant=variant,
            on_fold=lambda k, of: self.report("jackknife", f"fold {k} of {of}"),
        )
        rest = self._all[n:]
        if not rest:
            return found
        own = Tagger(tagger)
        more = [_tagged(own, rest)]
        if variant is not None:
            more.append(_tagged(own, [variant(doc) for doc in rest]))
        return [*found[:n], *more[0], *found[n:], *(more[1] if variant is not None else ())]

    def _evidence(self, tokenizer: Tokenizer) -> list[NDArray[np.float32]]:
        """Evidence for all documents and their transcripts; the tokeniser has seen no silver."""
        options, n = self.options, len(self.train)
        relaid, copies = self._relaid(), self._speech()
        docs = [*relaid[:n], *copies[:n]]
        own = replace(options.tokenizer, seed=options.seed)
        if copies:
            own = replace(own, speech=False)  # the transcripts are there already
        groups = [k % n for k in range(len(docs))]
        found = cross_evidence(docs, own, folds=options.folds, groups=groups)
        silver = [[tokenizer.evidence(doc) for doc in some[n:]] for some in (relaid, copies)]
        return [*found[:n], *silver[0], *found[n:], *silver[1]]

    def _prepared_dev(self, parts: Mapping[str, Part], dev: Sequence[Document]) -> list[Document]:
        """Dev documents with the tags and the evidence of the finished stages."""
        docs = [replace(doc, fixed=frozenset()) for doc in dev]
        if docs and "tagger" in parts:
            docs = _tagged(Tagger(parts["tagger"]), docs)
        if docs and "tokenizer" in parts:
            tokenizer = Tokenizer.from_part(parts["tokenizer"])
            for doc in docs:
                doc.start_evidence = tokenizer.evidence(doc)
        return docs

    def _parser(
        self,
        train: Sequence[Document],
        speech: Sequence[Document],
        dev: Sequence[Document],
        options: ParserOptions,
        init: Parser | None,
    ) -> Parser:
        """Documents are those of gold, then those of silver."""
        options = replace(options, seed=self.options.seed)
        n = len(self.train)
        docs = [*self._weighed(train[:n]), *train[n:]]
        copies = [*self._weighed(speech[:n])]
        copies += self._spoken(speech[n:], train[n:]) if speech and self.silver else []
        trainer = ParserTrainer(docs, dev, options, unedited=copies, init=init)
        trainer.take_turns(len(docs) - len(train[n:]), self.options.silver.parts)
        # A parser may read gold alone at the end; a tagger forgets more than it learns then.
        last = self.options.silver.last if self.silver else 0
        loop = self._loop("parser", trainer, options.epochs, "mean", 3, keep=last > 0)
        if last:
            known = Parser.from_part(loop.best["parser"])
            trainer = ParserTrainer(train[:n], dev, options, unedited=speech[:n], init=known)
            gold = self._loop("parser on gold", trainer, last, "mean", 0)
            loop.finish()
            loop = gold
        parser = Parser.from_part(loop.best["parser"])
        rows = lean_rows(parser.rows, self.options.drop)
        search = options.in_use(self.options.search)
        return replace(parser, rows=rows, packed=None, search=search)

    # -------------------------------------------------------------- what is there

    def has_text(self) -> bool:
        """Whether the treebank shows how tokens are written; if not, no tokeniser is learned."""
        glued = any(
            np.any(doc.token_start[1:] == doc.token_end[:-1]) for doc in self.train if doc.n_tokens
        )
        multiword = any(doc.n_words > doc.n_tokens for doc in self.train)
        if not glued and not multiword:
            self.left_out.append(
                "tokenizer: no SpaceAfter=No and no multi-word token tells how tokens are written"
            )
        return glued or multiword

    def _has_tags(self) -> bool:
        for column in ("upos", "xpos", "feats", "lemma"):
            if not any(np.any(getattr(doc, column)) for doc in self.train):
                self.left_out.append(f"{column}: the treebank has none")
        tags = any(np.any(doc.upos) or np.any(doc.xpos) for doc in self.train)
        if not tags:
            self.left_out.append("tagger: the treebank has no tags")
        return tags

    def _init_part(self, name: str) -> Part | None:
        return self.init.parts.get(name) if self.init is not None else None

    def _init_parser(self) -> Parser | None:
        """The parser to go on from."""
        part = self._init_part("parser")
        return Parser.from_part(part) if part is not None else None

    def fingerprint(self, stage: str, more: Any = None) -> str:
        """What a stage depends on: the data and the options that concern it."""
        options = self.options
        seen: tuple[Any, ...] = (options.seed, options.speech > 0)
        if self.silver:
            seen += (options.silver,)
        if stage == "tokenizer":
            seen = (options.seed, options.tokenizer)
            seen += (options.silver.starts,) if self.silver and options.silver.starts else ()
        elif stage == "tagger":
            seen += (options.tagger,)
        elif stage == "prepared":
            seen += (options.tokenizer, options.tagger, options.folds, options.parser.relaid)
        else:
            seen += (options, more)
        return fingerprint(self._data, stage, *seen)


def check_init(init: ModelFile) -> None:
    """Refuse a model of which a part would be passed over in silence."""
    stages = ("tokenizer", "tagger", "parser", PART)
    others = [name for name in init.parts if name not in stages]
    system = init.parts["parser"].config.get("system") if "parser" in init.parts else "joint"
    if others or system != "joint":
        what = others[0] if others else f"{system} parser"
        raise UsageError(
            f"a pipeline cannot go on from the {what} of {init.path or 'this model'}",
            remedy="Give a model from `caesura train pipeline`, or of one of its stages.",
        )


def _tagged(tagger: Tagger, docs: Sequence[Document]) -> list[Document]:
    """Copies with the tags of a tagger."""
    copies = [replace(doc, fixed=frozenset()) for doc in docs]
    tagger.tag(copies, regime="document")
    return copies
