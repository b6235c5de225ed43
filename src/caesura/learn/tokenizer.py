"""Training a tokeniser: what the training loop needs, and evidence for the training data itself.

A parser that learns from the tokeniser's evidence must see in training what it will see in use:
`cross_evidence` gives each document the evidence of a tokeniser that did not learn from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import TokenLesson, TokenTable, TokenVocabulary
from caesura.document import YES, Document
from caesura.document.characters import CLOSE, OPEN, STOP, classes_of, code_points
from caesura.errors import InputError
from caesura.evaluate.conll import conll18
from caesura.layout import breaks
from caesura.learn.fingerprint import digest, file_digest
from caesura.learn.folds import at_random, epoch_order, generator
from caesura.learn.loop import Loop, Progress, silent
from caesura.learn.run import Result, Run, card, follow, refuse_empty, score_table
from caesura.learn.token_knowledge import (
    Known,
    known_of,
    learn_habits,
    remembered_chunks,
    splitter_of,
    unspaced_words,
)
from caesura.learn.tuning import boundaries, measured, sample
from caesura.models.file import Part
from caesura.models.packing import encode
from caesura.models.store import find
from caesura.stages.multiword_tokens import Splitter
from caesura.stages.token_knowledge import LONGEST_NAMED, CodedWeights, Habits, vocabulary_of
from caesura.stages.tokenizer import KIND, Tokenizer, TokenizerOptions
from caesura.transform import relaid, speech
from caesura.transform.respell import MANNERS, Copy, exchanged, roughened

#: Classes of marks at which copies tell something about sentence starts: behind and before them.
_MARKS = (STOP, CLOSE)
_OPENERS = (OPEN,)
_COUNT = -1.0  # the rate at which features are counted
_PASS = 2  # the bit of starts that are known but not learned


class _Lesson(NamedTuple):
    """A document as the core learns from it, and whether token boundaries are learned, too."""

    core: TokenLesson
    cuts: bool


def _lesson(
    doc: Document,
    vocabulary: TokenVocabulary,
    options: TokenizerOptions,
    cuts: bool = True,
    changed: NDArray[np.bool_] | None = None,
) -> _Lesson:
    codes = code_points(doc.text)
    classes = classes_of(codes)
    columns = (doc.token_start, doc.token_end, doc.paragraph_start)
    begins, ends, paragraphs = (np.ascontiguousarray(column, np.int64) for column in columns)
    shown = breaks(doc) if options.layout else np.zeros(0, np.uint8)
    starts = (doc.sent_start == YES).astype(np.int8)
    if changed is not None:
        starts[~_at_marks(doc, classes, changed)] |= _PASS
    lesson = TokenLesson(vocabulary, codes, begins, ends, paragraphs, shown, starts)
    return _Lesson(lesson, cuts)


def _at_marks(
    doc: Document, classes: NDArray[np.uint8], changed: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Where a copy shows more about sentence starts than the document: at new marks.

    An address put between two words says nothing about the sentences of texts with addresses, and
    other quotation marks change none.
    """
    last = np.isin(classes[doc.token_end - 1], _MARKS)
    first = np.isin(classes[doc.token_start], _OPENERS)
    behind: NDArray[np.bool_] = np.zeros(len(changed), dtype=bool)
    behind[1:] = (changed[1:] | changed[:-1]) & last[:-1]
    long = doc.token_end - doc.token_start > 1
    return behind | (changed & (first | (last & long)))


def _copied(copy: Copy, vocabulary: TokenVocabulary, options: TokenizerOptions) -> _Lesson:
    return _lesson(copy.doc, vocabulary, options, changed=copy.changed)


def _lessons(
    docs: Sequence[Document],
    options: TokenizerOptions,
    known: Known,
    vocabulary: TokenVocabulary,
    number: int = 0,
) -> list[_Lesson]:
    """The documents and those copies of them that the options ask for."""
    random = generator(options.seed, number)
    lessons = []
    for doc in docs:
        lessons.append(_lesson(doc, vocabulary, options))
        if options.speech:
            copy = speech(doc, whole_tokens=True)
            if copy.n_tokens:
                lessons.append(_lesson(copy, vocabulary, options))
        for _ in range(int(options.relaid + random.random())):
            copy = relaid(doc, random, whole_tokens=True)
            if copy.n_tokens:
                lessons.append(_lesson(copy, vocabulary, options, cuts=False))
        if options.exchange and known.items:
            lessons.append(_copied(exchanged(doc, known.items, random), vocabulary, options))
        if options.roughen:
            manner = MANNERS[int(random.integers(len(MANNERS)))]
            rough = roughened(doc, manner, random)
            if manner != "spaces":
                rough = rough._replace(changed=np.zeros_like(rough.changed))
            lessons.append(_copied(rough, vocabulary, options))
    return lessons


def _check(docs: Sequence[Document]) -> None:
    if not any(doc.n_tokens for doc in docs):
        raise InputError(
            "there are no tokens to learn from",
            remedy="Give a treebank with at least one sentence.",
        )
    if not any(doc.has_sentences for doc in docs):
        raise InputError(
            "the documents do not say where sentences start",
            remedy="Give a treebank with sentences, such as CoNLL-U.",
        )


class TokenizerTrainer:
    """A tokeniser in training; see `caesura.learn.loop`."""

    def __init__(
        self,
        docs: Sequence[Document],
        options: TokenizerOptions | None = None,
        *,
        dev: Sequence[Document] = (),
        init: Tokenizer | None = None,
        named: Sequence[str] = (),
        starts: Sequence[Document] = (),
    ) -> None:
        """With `named`, words of a dictionary, a language without spaces is cut better.

        `starts` are documents that tell where sentences start, and nothing else.
        """
        options = options or TokenizerOptions()
        _check(docs)
        if init is not None:
            options = replace(options, bits=init.options.bits)
        self.options = options
        self.report: Progress = silent
        self._dev = list(dev)
        self._words = unspaced_words(docs)
        if init is not None:
            self._words = sorted({*self._words, *init.lexicon})
            named = [*named, *init.named]
        short = {word for word in named if 0 < len(word) <= LONGEST_NAMED}
        self._named = sorted(short) if self._words else []
        self._known = known_of(docs, options, init)
        self._vocabulary = vocabulary_of(self._words, self._named, self._known.bits)
        lexicon = self._known.lexicon
        self._chunks = [] if self._words else remembered_chunks(docs, options, lexicon)
        self._habits = learn_habits(docs)
        self._splitter = splitter_of(docs, options, self._known)
        full = [doc for doc in docs if doc.n_tokens]
        self._lessons = _lessons(full, options, self._known, self._vocabulary)
        for doc in starts:
            copies = (doc, speech(doc, whole_tokens=True)) if options.speech else (doc,)
            self._lessons += [
                _lesson(copy, self._vocabulary, options, cuts=False)
                for copy in copies
                if copy.n_tokens
            ]
        self._cuts = TokenTable(options.bits, options.rare_cut)
        self._begins = TokenTable(options.bits, options.rare_start)
        nothing = np.zeros(3)
        for lesson in self._lessons:
            self._learn(lesson, _COUNT, False, nothing, nothing)
        if init is not None:
            _start_from(self._cuts, init.cuts)
            _start_from(self._begins, init.begins)
            self._splitter = _merged(self._splitter, init.splitter)
            self._habits = Habits(*map(any, zip(self._habits, init.habits, strict=True)))

    def _learn(
        self,
        lesson: _Lesson,
        rate: float,
        own: bool,
        cuts: NDArray[np.float64],
        begins: NDArray[np.float64],
    ) -> None:
        if lesson.cuts:
            lesson.core.learn_cuts(self._vocabulary, self._cuts, rate, own, cuts)
        lesson.core.learn_starts(self._begins, rate, own, begins)

    def epoch(self, number: int) -> Mapping[str, float]:
        rate = self.options.rate / (1.0 + self.options.decay * (number - 1))
        own = number >= self.options.own_from
        cuts, begins = np.zeros(3), np.zeros(3)
        order = epoch_order(len(self._lessons), self.options.seed, number).tolist()
        for done, i in enumerate(order):
            self.report(done / len(order))
            self._learn(self._lessons[i], rate, own, cuts, begins)
        return {
            "token loss": float(cuts[1] / max(cuts[0], 1.0)),
            "start loss": float(begins[1] / max(begins[0], 1.0)),
        }

    def tokenizer(self) -> Tokenizer:
        """The tokeniser as it stands now."""
        prune = self.options.prune
        return Tokenizer(
            self.options,
            codes_of(self._cuts, prune),
            codes_of(self._begins, prune),
            self._splitter,
            self._words,
            self._chunks,
            types=self._known.bits,
            named=self._named,
            habits=self._habits,
        )

    def score(self) -> Mapping[str, float]:
        if not self._dev:
            return {}
        tokenizer = self.tokenizer()
        system = [tokenizer.tokenize(_plain(doc)) for doc in self._dev]
        scores = dict(token_scores(self._dev, system))
        scores["Mean"] = sum(scores.values()) / max(1, len(scores))
        return scores

    def parts(self) -> dict[str, Part]:
        return {KIND: self.tokenizer().to_part()}

    def state(self) -> dict[str, NDArray[Any]]:
        state: dict[str, NDArray[Any]] = {}
        for name, table in (("cut", self._cuts), ("start", self._begins)):
            rows, weights, squares = table.entries()
            state[f"{name}_rows"] = rows.astype(np.int32)
            state[f"{name}_weights"] = weights
            state[f"{name}_squares"] = squares
        return state

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        for name, table in (("cut", self._cuts), ("start", self._begins)):
            rows = state[f"{name}_rows"].astype(np.int64)
            table.set_entries(rows, state[f"{name}_weights"], state[f"{name}_squares"])


def _plain(doc: Document) -> Document:
    """The text of a document and nothing that was decided about it."""
    return Document(text=doc.text, id=doc.id, paragraph_start=doc.paragraph_start)


def _start_from(table: TokenTable, codes: CodedWeights) -> None:
    """Go on from given weights with careful steps."""
    rows, weights = codes.entries()
    table.set_entries(rows, weights, (weights != 0.0).astype(np.float32))


def _merged(new: Splitter, old: Splitter) -> Splitter:
    """What the new data say, and what only the old ones said."""
    rows = new.weights == 0.0
    weights = np.where(rows, old.weights, new.weights)
    doubtful = {form: odds for form, odds in old.doubtful.items() if form not in new.known}
    return Splitter(
        old.known | new.known,
        doubtful | new.doubtful,
        old.endings | new.endings,
        old.beginnings | new.beginnings,
        old.marks | new.marks,
        weights,
        new.classes,
    )


def with_scale(part: Part, dev: Sequence[Document]) -> Part:
    """The part of a tokeniser with the scale of its bias, measured on dev documents."""
    chosen = [_plain(doc) for doc in sample([doc for doc in dev if doc.n_tokens])]
    if not chosen:
        return part
    tokenizer = Tokenizer.from_part(part)

    def count(bonus: float) -> int:
        biased = tokenizer.with_bonus(bonus)
        return boundaries(biased.tokenize(doc).n_sentences for doc in chosen)

    scale = measured(tokenizer.scale, {"edited": count})
    return replace(part, config=part.config | {"bias-scale": scale.as_config()})


def train(
    docs: Sequence[Document], options: TokenizerOptions | None = None, **settings: Any
) -> Tokenizer:
    """Train to the end without a loop around it; `settings` as for the trainer."""
    trainer = TokenizerTrainer(docs, options, **settings)
    for number in range(1, trainer.options.epochs + 1):
        trainer.epoch(number)
    return trainer.tokenizer()


def cross_evidence(
    docs: Sequence[Document],
    options: TokenizerOptions | None = None,
    *,
    folds: int = 10,
    groups: Sequence[int] | None = None,
) -> list[NDArray[np.float32]]:
    """For each document the evidence of a tokeniser that was trained on the other folds.

    Documents of one group (copies of the same text) are in one fold. Where there are fewer
    documents than folds, they are cut between sentences.
    """
    options = options or TokenizerOptions()
    _check(docs)
    parts = at_random(docs, folds, options.seed, groups)
    known = known_of(docs, options)
    vocabulary = vocabulary_of(types=known.bits)
    lessons = [
        _lessons([piece], options, known, vocabulary, i) for i, piece in enumerate(parts.pieces)
    ]
    found: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(lessons)
    for _, held, rest in parts:
        own = [lesson for i in rest for lesson in lessons[i]]
        tokenizer = _starts_only(own, options, known.bits)
        for i in held:
            found[i] = tokenizer.evidence(parts.pieces[i])
    nothing = np.zeros(0, np.float32)
    return [np.concatenate([nothing, *own]) for own in parts.by_document(found, len(docs))]


def _starts_only(
    lessons: Sequence[_Lesson], options: TokenizerOptions, types: Mapping[str, int]
) -> Tokenizer:
    """A tokeniser that knows about sentence starts and nothing else."""
    table = TokenTable(options.bits, options.rare_start)
    statistics = np.zeros(3)
    for number in range(options.epochs + 1):
        order = epoch_order(len(lessons), options.seed, number).tolist()
        rate = options.rate / (1.0 + options.decay * (number - 1)) if number else _COUNT
        own = number >= options.own_from
        for i in order:
            lessons[i].core.learn_starts(table, rate, own, statistics)
    no_cuts = CodedWeights(6, encode(np.zeros(64, np.float32), 1.0))
    starts = codes_of(table, options.prune)
    return Tokenizer(options, no_cuts, starts, Splitter(), types=types)


def codes_of(table: TokenTable, prune: float) -> CodedWeights:
    """The codes of learned weights; those smaller than `prune` become zero."""
    rows, weights, _ = table.entries()
    return CodedWeights(table.bits, encode(weights, prune, rows))


def train_tokenizer(run: Run, *, init: str | None = None) -> Result:
    """Train a tokeniser; with dev data the model of the best epoch is kept."""
    run.kept.check()
    options = run.options(TokenizerOptions(), "tokenizer")
    train, dev = run.read()
    refuse_empty(run.data.train, train)
    refuse_empty(run.data.dev, dev)
    start = Tokenizer.load(init) if init else None
    trainer = TokenizerTrainer(train, options, dev=dev, init=start)
    run.kept.begin()
    older = file_digest(find(init)) if init else ""
    loop = Loop(
        trainer,
        options.epochs,
        metric="Mean",
        patience=options.patience,
        **run.keep("", digest((*train, *dev)), options, older),
    )
    follow(loop, "Training the tokeniser", run.report)
    scores = loop.best_scores
    scores.pop("Mean", None)
    files = (*run.data.train, *run.data.dev)
    meta = {
        "training_data": {Path(file).name: file_digest(file) for file in files if file != "-"},
        "scores": scores,
        "spaces": run.data.space,
    }
    parts = dict(loop.best) | {"tokenizer": with_scale(loop.best["tokenizer"], dev)}
    told = f"Trained on {', '.join(run.sources())}."
    run.save(parts, meta, card("A tokeniser", told, score_table(("dev", "F1"), scores)))
    loop.finish()
    about = {"model": run.output, "epoch": loop.best_epoch, "scores": scores}
    return Result(run.output, about, scores, next=("tokenize", "-m", run.output, "text.txt"))


def token_scores(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, float]:
    """F1 of tokens, words and sentences."""
    scores = conll18(gold, system)
    return {name: float(scores[name].f1) for name in ("Tokens", "Words", "Sentences")}
