"""Induction of a grammar from documents: classes, recipe, restarts, and model selection.

Gold heads are never read, and tags only if the classes are tags. Of several restarts, the one that
is no chain and with which the others agree most is kept (see `selection`), or the result of
learning from the trees of the best of them together, or the better of that and of the recipe
without restarts. With a checkpoint, an interrupted induction continues to the same grammar.

Grammars over several numbers of classes vote: no number is the best for all texts, and the tree
whose arcs have the largest sum of posteriors is better than most of theirs (see `arc_model.vote`).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.induce.arc_model import vote
from caesura.induce.checkpoint import Checkpoint, read_done
from caesura.induce.class_number import fewest, numbers_tried
from caesura.induce.context import find_predicates
from caesura.induce.corpus import Corpus, corpus, oddities, word_classes
from caesura.induce.em import Step, finish, relay
from caesura.induce.grammar import Grammar
from caesura.induce.guidance import Guidance, guide, transferred
from caesura.induce.inference import best
from caesura.induce.options import COLUMNS, InduceOptions
from caesura.induce.recipes import TrainingStage
from caesura.induce.reparse import taught
from caesura.induce.selection import (
    CHAIN,
    Candidate,
    agreement,
    arc_length,
    baseline_bits,
    bits_per_word,
    choose,
    fewest_bits,
    looked_at,
    measure,
    root_entropy,
)
from caesura.induce.sentences import Sentences
from caesura.induce.training import Learning, Learnt, learn
from caesura.induce.word_classes import (
    WordClassifier,
    learn_classifier,
    lexicalise,
    regroup,
)
from caesura.learn.fingerprint import digest, fingerprint
from caesura.models.file import Part
from caesura.stage import Stage

#: Tables of so many classes take about half a gigabyte.
MOST_CLASSES = 4000
#: The noise of the start of a second restart.
NUDGE = 0.5


class Inducer:
    """Runs an induction; iterate over it, then take `grammar`."""

    def __init__(
        self,
        documents: Iterable[Document],
        options: InduceOptions | None = None,
        *,
        classifier: WordClassifier | None = None,
        class_text: Iterable[Document] = (),
        transfer: Stage | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        voting: tuple[tuple[str, ...], Sequence[Part]] = ((), ()),
        predicates: frozenset[str] | None = None,
    ) -> None:
        """Classes are learned from the documents and from `class_text`, or given.

        Learning starts from the trees that `transfer` gives the documents, if there is one: a
        parser or a grammar of another language over universal tags.
        With `resume`, an interrupted induction continues from the `checkpoint`.
        `voting` are the numbers of classes of all grammars that will vote, if this is one of them,
        and the finished ones, for the checkpoint; `predicates` are those that another of them found
        in the same text.
        """
        self.options = options or InduceOptions()
        if classifier is not None and self.options.numbers:
            self.options = replace(self.options, classes="file")
        if transfer is not None and not self.options.restarts:
            self.options = replace(self.options, restarts=1)  # it has a start that is better
        self.documents = list(documents)
        self.class_text = list(class_text)
        self.classifier = classifier
        self.transfer = transfer
        self.checkpoint = checkpoint
        self.resume = resume
        self.voting = voting
        self.predicates = predicates
        self.grammar: Grammar | None = None
        #: The name of the rules that were obeyed.
        self.rules = "none"
        self._guidance = Guidance()
        self._candidates: list[Candidate] = []
        #: Sentences on which the grammar is compared with others, over its classes.
        self.sample: Sentences | None = None
        #: Held-out bits by number of classes, where the number was chosen by them.
        self.numbers: dict[int, float] = {}
        #: By restart: seed, bits a word, mean arc, whether it is a chain, agreement with others.
        self.restarts: list[dict[str, Any]] = []

    def __iter__(self) -> Generator[Event, None, None]:
        try:
            yield from votes(self) if self.options.numbers else self._events()
        except InputError:
            self.finish()  # going on would end the same way, and stand in the way of other options
            raise

    def _events(self) -> Generator[Event, None, None]:
        options = self.options
        stages = options.restart_stages()
        if not any(doc.n_words for doc in self.documents):
            raise InputError("there are no words in the text", remedy="Give a text that has some.")
        kept = self._kept()
        yield from self._numbers(kept)
        words = self._corpus(kept)
        if len(words.names) > MOST_CLASSES:
            raise InputError(
                f"{len(words.names):,} classes are too many: tables grow with their square, and "
                f"{MOST_CLASSES:,} is the limit",
                remedy="Ask for fewer, e.g. --classes 30.",
            )
        sentences = words.sentences
        used = sentences.up_to(max(stage.limit for stage in stages))
        yield Event(
            "start",
            stats={
                "sentences": len(sentences),
                "words": sentences.n_words,
                "too_long": int(len(sentences) - used.sum()),
                "classes": len(words.names) - 1,
                "with_marks_inside": int(sentences.inner.sum()),
                "complete": int(sentences.comps.sum()),
                "marks": words.n_marks,
                "stages": [stage.name for stage in stages],
                **({"numbers": dict(self.numbers)} if self.numbers else {}),
            },
        )
        for odd in oddities(words, used):
            yield Event("warning", stats={"what": odd})
        seeds = [options.seed + number for number in range(options.runs)]
        all_learnt: list[Learnt] = []
        if kept is not None:
            self.restarts, all_learnt = list(kept.restarts), list(kept.learnt)
        done = len(self.restarts)
        if kept is not None and (done or kept.places):
            yield Event("resumed", done, stats=_standing(kept, stages))
        self._guidance = guide(
            options,
            words,
            [*self.documents, *self.class_text],
            self._classes,
            None if self.transfer is None else self._transferred,
        )
        self.rules = self._guidance.rules
        runs = self._runs(words, stages, seeds, done, kept)
        for number, (seed, run) in enumerate(zip(seeds[done:], runs, strict=True), start=done):
            learnt = yield from relay(run, partial(Event, "step", number))
            held = self._relabelled(words, learnt).select(used)
            bits = bits_per_word(held, learnt.parameters, options.workers)
            self.restarts.append({"seed": seed, "bits": bits, "lifted": learnt.lifted})
            all_learnt.append(learnt)
            if kept is not None:
                kept.keep_restart(self.restarts[-1], learnt)
            yield Event("restart", number, stats=self.restarts[-1])
        chosen = self._choose(words, used, all_learnt)
        best, learnt = self.restarts[chosen], all_learnt[chosen]
        if options.kept_by != "agreement" and len(all_learnt) > 1:
            best, learnt = yield from self._join(words, used, stages, all_learnt)
        self.sample = self._relabelled(words, learnt).select(used & looked_at(words.sentences))
        self.grammar = self._grammar(words, learnt, best["bits"], best["seed"])
        if options.rounds:
            teaching = taught(self.grammar, words, learnt, self._guidance, options)
            rounds = count(1)
            self.grammar = yield from relay(
                teaching, lambda share: Event("round", next(rounds), stats={"changed": share})
            )
        all_bits = [r["bits"] for r in self.restarts]
        held = words.sentences.select(used)
        yield Event(
            "done",
            stats={
                **best,
                "restarts": len(self.restarts),
                "rules": self.rules,
                "spread": float(np.std(all_bits)) if len(all_bits) > 1 else 0.0,
                "baselines": baseline_bits(held, learnt.model, len(words.names)),
            },
        )

    def _choose(self, words: Corpus, used: np.ndarray, all_learnt: list[Learnt]) -> int:
        """The restart to keep; the criteria are added to the records of all."""
        self._candidates = [
            self._candidate(words, used, one, record["bits"])
            for one, record in zip(all_learnt, self.restarts, strict=True)
        ]
        chosen, shared = choose(self._candidates)
        for record, candidate, alike in zip(self.restarts, self._candidates, shared, strict=True):
            record |= _trees(candidate, alike)
        return chosen

    def _candidate(self, words: Corpus, used: np.ndarray, learnt: Learnt, bits: float) -> Candidate:
        looked = used & looked_at(words.sentences)
        return measure(self._relabelled(words, learnt).select(looked), learnt.parameters, bits)

    def _join(
        self,
        words: Corpus,
        used: np.ndarray,
        stages: tuple[TrainingStage, ...],
        all_learnt: list[Learnt],
    ) -> Generator[Event, None, tuple[dict[str, Any], Learnt]]:
        """Learn once more, from the trees of a few restarts together; also its record."""
        chosen = fewest_bits(self.restarts)
        earlier = {
            f"restart {number + 1}": (all_learnt[number].parameters, stages[-1].lexical)
            for number in chosen
        }
        last = replace(stages[-1], name="join", start="join", of=tuple(earlier), best_of=())
        record, learnt = yield from self._again(words, used, (last,), earlier=earlier)
        seeds = [self.restarts[number]["seed"] for number in chosen]
        record |= {"joined": seeds}
        if self.options.kept_by == "join":
            return record, learnt
        own, rival = yield from self._again(
            words, used, self.options.stages(), begin=self._guidance.begin
        )
        own |= {"rival": record["roots"]}
        record |= {"rival": own["roots"]}
        return (record, learnt) if record["roots"] < own["roots"] else (own, rival)

    def _again(
        self, words: Corpus, used: np.ndarray, stages: tuple[TrainingStage, ...], **more: Any
    ) -> Generator[Event, None, tuple[dict[str, Any], Learnt]]:
        """Learning after the restarts, and its record."""
        options = self.options
        run = self._learn(words, stages, seed=options.seed, workers=options.workers, **more)
        learnt = yield from relay(run, partial(Event, "step", len(self.restarts)))
        held = self._relabelled(words, learnt).select(used)
        bits = bits_per_word(held, learnt.parameters, options.workers)
        found = self._candidate(words, used, learnt, bits)
        shared = float(np.mean([agreement(found.heads, one.heads) for one in self._candidates]))
        plain = words.sentences.select(used & looked_at(words.sentences)).classes
        record = {"seed": options.seed, "bits": bits, "lifted": learnt.lifted}
        roots = root_entropy(plain, found.heads)
        return record | {"roots": roots} | _trees(found, shared), learnt

    def member(self, number: str, done: Sequence[Part]) -> Inducer:
        """The induction of one of the grammars that vote, after those that are done."""
        options = self.options
        return Inducer(
            self.documents,
            replace(
                options, classes=number, recipe=options.chosen_recipe, context=options.iterations
            ),
            class_text=self.class_text,
            transfer=self.transfer,
            checkpoint=self.checkpoint,
            resume=self.resume,
            voting=(options.numbers, done),
            predicates=self.predicates,
        )

    def run(self) -> Grammar:
        """Run to the end and return the grammar."""
        for _ in self:
            pass
        assert self.grammar is not None
        return self.grammar

    def finish(self) -> None:
        """Remove the checkpoint, once the grammar is safely written."""
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)

    # ---------------------------------------------------------------- pieces

    @cached_property
    def _transferred(self) -> list[Document]:
        """The documents with trees by the parser of another language."""
        assert self.transfer is not None
        return transferred(self.transfer, self.documents)

    def _kept(self) -> Checkpoint | None:
        """The checkpoint of this induction, with what an interrupted one left in it."""
        path = self.checkpoint
        if path is None:
            return None
        known = self.classifier
        mine = fingerprint(
            digest(self.documents) + digest(self.class_text),
            self.options,
            None if known is None else (sorted(known.words.items()), known.endings),
            None if self.transfer is None else [doc.head.tobytes() for doc in self._transferred],
            *self.voting[0],
        )
        if not path.exists() or len(read_done(path)) < len(self.voting[1]):
            return Checkpoint(path, mine, done=list(self.voting[1]))
        if not self.resume:
            raise UsageError(
                "an interrupted induction is kept here",
                file=str(path),
                remedy="Go on with it (resume), or remove the file to start anew.",
            )
        return Checkpoint.read(path, mine)

    def _numbers(self, kept: Checkpoint | None) -> Iterator[Event]:
        """Choose the number of classes by held-out bits, if it is `auto`."""
        options = self.options
        done = kept is not None and kept.classifier is not None
        if options.classes != "auto" or self.classifier is not None or done:
            return
        for number, bits in numbers_tried(
            self.documents,
            self.class_text,
            morphology=options.morphology,
            frequent=options.frequent_words,
            groups=options.groups,
            marks=options.mark_source,
        ):
            self.numbers[number] = bits
            yield Event("classes", stats={"number": number, "bits": bits})

    def _corpus(self, kept: Checkpoint | None) -> Corpus:
        options = self.options
        classes: Callable[[Document], Any]
        if options.classes in COLUMNS:
            classes = word_classes(options.classes)
            if options.classes != "form" and not any(
                np.any(getattr(doc, options.classes)) for doc in self.documents
            ):
                raise InputError(
                    f"the text has no {options.classes.upper()} tags",
                    remedy="Give a tagged file, or ask for classes by number: --classes 30.",
                )
        else:
            if kept is not None and kept.classifier is not None:
                self.classifier = kept.classifier
            else:
                self.classifier = self._classifier()
                if kept is not None:
                    kept.keep_classes(self.classifier)
            classes = self.classifier.classify

        self._classes = classes
        known = options.initialiser == "brackets"
        found = corpus(
            self.documents,
            classes,
            marks=options.mark_source,
            markup=options.markup,
            brackets=known,
        )
        if known and not np.any(found.sentences.opening):
            raise InputError(
                "the text has no brackets to start from: no links or emphases, and no phrases",
                remedy="Give HTML or bracketed trees, or another --init.",
            )
        return found

    def _classifier(self) -> WordClassifier:
        """The given or learned classes of words, with frequent words regrouped."""
        options = self.options
        text = [*self.documents, *self.class_text]
        number = str(fewest(self.numbers)) if options.classes == "auto" else options.classes
        found = self.classifier or learn_classifier(
            text, number, options.morphology, options.iterations
        )
        sentences = list(sentences_of(text))
        if options.frequent_words:
            found = regroup(sentences, found, options.frequent_words, options.groups)
        if found.context is None or not options.clusters:
            return found
        if self.predicates is None:
            self.predicates = find_predicates(sentences, found.context, options.clusters)
        return replace(found, context=replace(found.context, predicates=self.predicates))

    def _runs(
        self,
        words: Corpus,
        stages: tuple[TrainingStage, ...],
        seeds: list[int],
        done: int,
        kept: Checkpoint | None,
    ) -> Iterator[Generator[Step, None, Learnt]]:
        """The restarts after those that are `done`: in order, or in parallel and replayed."""

        def one(number: int, workers: int) -> Learning:
            return self._learn(
                words,
                stages,
                seed=seeds[number],
                workers=workers,
                begin=self._guidance.begin,
                nudge=NUDGE if number else 0.0,
                place=None if kept is None else kept.places.get(number),
                keep=None if kept is None else partial(kept.keep_place, number),
            )

        numbers = range(done, len(seeds))
        workers = self.options.workers
        if len(seeds) == 1 or workers <= 1:
            for number in numbers:
                yield one(number, workers)
            return
        stop = threading.Event()
        pool = ThreadPoolExecutor(workers)
        try:
            for steps, learnt in pool.map(lambda n: _finished(one(n, 1), stop), numbers):
                yield _replayed(steps, learnt)
        finally:
            # An interrupt does not wait for the restarts that have not begun.
            stop.set()
            pool.shutdown(cancel_futures=True)

    def _learn(self, words: Corpus, stages: tuple[TrainingStage, ...], **more: Any) -> Learning:
        plain = self._guidance.view(words)
        return learn(plain, stages, forms=words.words, spelling=words.forms, **more)

    def _relabelled(self, words: Corpus, learnt: Learnt) -> Sentences:
        """All sentences over the classes of a grammar, words with a class of their own included."""
        if not learnt.lexicon:
            return words.sentences
        new, _, _ = lexicalise(
            words.sentences.classes, words.words, words.names, words.forms, self.options.lexical
        )
        return words.sentences.with_classes(new)

    def _grammar(self, words: Corpus, learnt: Learnt, bits: float, seed: int) -> Grammar:
        options = self.options
        counts = np.bincount(words.sentences.classes, minlength=len(learnt.names)).astype(float)
        return Grammar(
            learnt.model,
            learnt.parameters,
            learnt.names,
            options.classes if options.classes in COLUMNS else "words",
            self.classifier or WordClassifier(),
            options.mark_source,
            options.markup,
            {
                "recipe": options.chosen_recipe,
                "seed": seed,
                "bits": bits,
                "plain_classes": len(words.names),
                "class_counts": counts,
                "rules": self.rules,
                "restarts": list(self.restarts),
            },
        )


def induce(
    documents: Iterable[Document], options: InduceOptions | None = None, **settings: Any
) -> Grammar:
    """Induce a grammar from documents; see `Inducer` for events on the way."""
    return Inducer(documents, options, **settings).run()


@dataclass(frozen=True, slots=True)
class Event:
    """Progress: a tried number of `classes`, the data (`start`), a `warning` about them, an
    interrupted run (`resumed`), a `step` of EM, a finished `restart`, a `round` of the last stage,
    a grammar that will vote (`member`), the end (`done`)."""

    kind: str
    restart: int = 0
    step: Step | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)


def _trees(candidate: Candidate, alike: float) -> dict[str, Any]:
    """The facts about the trees of a candidate, for its record."""
    arc = round(candidate.arc, 4) if np.isfinite(candidate.arc) else None
    return {"arc": arc, "chain": candidate.chain, "agreement": alike}


def _standing(kept: Checkpoint, stages: tuple[TrainingStage, ...]) -> dict[str, Any]:
    """The state of an interrupted induction: finished restarts, and the unfinished one."""
    about: dict[str, Any] = {"restarts": len(kept.restarts)}
    place = kept.places.get(len(kept.restarts))
    if place is not None:
        about |= {"stage": stages[place.stage].name, "iteration": place.state.iteration}
    return about


def _finished(run: Learning, stop: threading.Event) -> tuple[list[Step], Learnt]:
    """Run to the end, unless another thread stops."""
    steps: list[Step] = []

    def check(step: Step) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        steps.append(step)

    return steps, finish(relay(run, check))


def _replayed(steps: list[Step], learnt: Learnt) -> Learning:
    yield from steps
    return learnt


#: The label of the records of restarts in the part of a finished grammar.
RECORDS = "restarts"


def votes(whole: Inducer) -> Generator[Event, None, None]:
    """Induce a grammar for each number of classes, and let them vote."""
    path, numbers = whole.checkpoint, whole.options.numbers
    done = read_done(path) if path is not None and whole.resume else []
    done = done[: len(numbers) - 1]
    members = [Grammar.from_part(part) for part in done]
    samples = [_sample(whole, member) for member in members]
    for one in members:
        if one.classifier.context is not None:
            whole.predicates = one.classifier.context.predicates
    whole.restarts = [json.loads(one) for part in done for one in part.labels.get(RECORDS, ())]
    if members:
        yield Event("resumed", stats={"members": numbers[: len(members)]})
    stats: dict[str, Any] = {}
    for number in numbers[len(members) :]:
        member = whole.member(number, done)
        for event in member:
            if event.kind == "done":
                stats = dict(event.stats)
                yield Event("member", stats={"number": number, **stats})
            else:
                yield event
        whole.predicates = member.predicates
        assert member.grammar is not None
        assert member.sample is not None
        members.append(member.grammar)
        samples.append(member.sample)
        records = [{"classes": number, **record} for record in member.restarts]
        whole.restarts += records
        done.append(member.grammar.to_part())
        done[-1].labels[RECORDS] = [json.dumps(record) for record in records]
        whole.rules = member.rules
    history = {**members[-1].history, "rules": whole.rules, "restarts": list(whole.restarts)}
    first = replace(members[-1], others=tuple(members[:-1]), history=history)
    whole.grammar = first
    whole.sample = samples[-1]
    yield Event("done", stats=stats | {"voted": list(numbers)} | _votes(members, samples))


def _sample(whole: Inducer, member: Grammar) -> Sentences:
    """The sentences on which a grammar is compared, over its classes."""
    words = member.prepare(whole.documents).sentences
    longest = max(stage.limit for stage in whole.options.restart_stages())
    return words.select(words.up_to(longest) & looked_at(words))


def _votes(members: list[Grammar], samples: list[Sentences]) -> dict[str, Any]:
    """The mean arc of the winning trees, and the agreement of the members with them."""
    views = [(words, one.parameters) for one, words in zip(members, samples, strict=True)]
    if not samples[0].n_words:
        return {"arc": None, "chain": False, "agreement": 1.0}
    heads, _ = vote(views, "sprawl")
    arc = arc_length(samples[0], heads)
    alike = [agreement(heads, best(*view, "sprawl").heads) for view in views]
    return {"arc": round(arc, 4), "chain": arc < CHAIN, "agreement": float(np.mean(alike))}
