"""The joint parser learns: options, epochs over instances, the recipes of the paper, the command.

With several shards the data are learned in parts side by side, and weights are averaged after each
epoch (iterative parameter mixing, McDonald et al. 2010); the result depends on the number of
shards and not on the number of threads.

The systems of Björkelund et al. (2016) have names. GOLD is trained on single sentences and takes
boundaries as given. NOSYNTAX learns chains of words instead of trees, so that it only finds
boundaries. JOINT learns both at once. JOINT-REPARSED takes the boundaries of JOINT and parses each
sentence with GOLD; a pipeline takes them from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from caesura._core import JointSystem, LearnedWeights, ParserLearner, oracle
from caesura.cluster.classes import load_classes
from caesura.document import UNKNOWN, Document
from caesura.errors import CaesuraWarning, InputError, UsageError, WarningSink
from caesura.learn.fingerprint import digest, file_digest
from caesura.learn.folds import epoch_order, generator
from caesura.learn.gold_trees import Instance, Repairs, Tree, chunks, gold_tree, tags_in
from caesura.learn.loop import Loop, Progress, silent
from caesura.learn.run import Result, Run, card, follow, say_some, score_table
from caesura.learn.tuning import calibrate, measure_scale, scores, tune_bonus
from caesura.learn.weights import rounded
from caesura.models.file import Part
from caesura.options import EPOCHS, SEED, THREADS, check_options, inner, option
from caesura.stages.bias import refuse_bias
from caesura.stages.joint_features import DEFAULT_TEMPLATES, compile_templates, without
from caesura.stages.joint_parser import (
    SB,
    SHIFT,
    SWAP,
    Inventory,
    Parser,
    SearchOptions,
    settings_of,
)
from caesura.stages.parse_constraints import MUST, NEVER, WordConstraints, limits_of
from caesura.stages.templates import Templates
from caesura.stages.tree_parser import entries, padded
from caesura.stages.word_table import (
    EVIDENCE_ODDS,
    LAYOUT_ODDS,
    TAG_COLUMNS,
    Hasher,
    Words,
    cut,
    words_of,
)
from caesura.transform import some_relaid, speech

Update = Literal["dlaso", "max-violation", "early", "laso", "greedy"]
Delayed = Literal["accumulated", "per-update", "in-turn", "in-turn-loss"]
Announced = Literal["early", "late", "latent", "none"]
DELAYED: Final[tuple[str, ...]] = get_args(Delayed)


@dataclass(frozen=True)
class TrainOptions:
    """How to train. The defaults are those of the recipe `joint`."""

    search: SearchOptions = inner(SearchOptions, {"beam": "", "margin": ""})
    epochs: int = option(10, **EPOCHS)
    update: Update = "dlaso"
    #: Perceptron or passive-aggressive steps, the latter with their cap C and with 1 added to the
    #: loss or not. The delayed updates of an instance are made as one step, as one step each, or in
    #: turn, where those that an earlier one has set right are left out: gold is ahead, or, with
    #: `in-turn-loss`, ahead by the errors, as the passive-aggressive rule has it.
    step: Literal["perceptron", "pa"] = "perceptron"
    cap: float = math.inf
    err_plus_one: bool = False
    dlaso_pa: Delayed = "in-turn"
    #: When SB is announced; `none` trains on single sentences.
    boundaries: Announced = "early"
    swap: Literal["lazy", "eager"] = "lazy"
    single_root: bool = True
    #: Sentences of a training instance, about; 0 for whole documents.
    chunk: int = 10
    #: Words after such a run that are seen and not parsed, as those after a sentence are in use;
    #: with early boundaries alone, as a later one is decided when they are parsed already.
    ahead: int = 0
    #: Whether chains of words stand for the trees (the recipe `nosyntax`).
    chains: bool = False
    tags: bool = True
    breaks: bool = True
    bits: int = 20
    templates: tuple[str, ...] = DEFAULT_TEMPLATES
    #: Share of the instances that are seen lower-cased and without punctuation.
    dropout: float = option(
        0.0, "Share of documents seen lower-cased and without punctuation.", least=0, most=1
    )
    #: Share of the documents that are seen laid out anew: wrapped, a sentence a line and so on.
    relaid: float = option(0.0, "Share of documents seen with other line breaks.", least=0, most=1)
    #: Parts of the data that are learned side by side and then averaged.
    shards: int = option(1, "Learn in parts that are then averaged.", least=1)
    threads: int = option(1, **THREADS)
    seed: int = option(1, **SEED)

    def in_use(self, search: SearchOptions | None = None) -> SearchOptions:
        """How the parser searches once it is trained: one that learned greedily decides greedily.

        Its scores compare the transitions of one state, and those of a beam make it worse.
        """
        search = search or self.search
        return replace(search, beam=1) if self.update == "greedy" else search

    def __post_init__(self) -> None:
        refuse_bias(self.search.bias)
        check_options(
            self,
            {
                "update": get_args(Update),
                "step": ("perceptron", "pa"),
                "dlaso_pa": DELAYED,
                "boundaries": get_args(Announced),
                "swap": ("lazy", "eager"),
            },
            epochs=(1, None), chunk=(0, None), ahead=(0, None), shards=(1, None),
            threads=(1, None), bits=(10, 26), dropout=(0, 1), relaid=(0, 1),
        )  # fmt: skip
        if self.ahead and self.boundaries != "early":
            raise UsageError(f"words ahead are seen with early boundaries, not {self.boundaries}")
        if not self.cap > 0:
            raise UsageError(f"cap is {self.cap}, but must be positive")
        if (self.update, self.step, self.dlaso_pa) == ("dlaso", "pa", "per-update") and (
            math.isinf(self.cap)
        ):
            raise UsageError(
                "passive-aggressive steps for every delayed update grow without bound",
                remedy="Set a cap (--set cap=1), or another dlaso_pa (in-turn, accumulated).",
            )
        if not self.templates:
            raise UsageError("there are no templates")
        if self.single_root and self.boundaries in ("late", "latent"):
            raise UsageError(
                f"a single root cannot be guaranteed with {self.boundaries} boundaries",
                remedy="Use early boundaries, or allow several roots (single_root=False).",
            )


#: The numbers of the updates in the core.
_UPDATES: Final = {"laso": 0, "greedy": 0, "early": 1, "max-violation": 2, "dlaso": 3}
#: Features of an update, as a power of two. So many take 400 MB; only the updates of documents of
#: more than ten thousand words, accumulated, have more.
_MOST_BITS: Final = 24


@dataclass
class PassCounts:
    """What happened in a pass: steps of the gold derivations, steps used, updates, and so on.

    `dropped` counts features of updates that did not fit.
    """

    instances: int = 0
    steps: int = 0
    used: int = 0
    updates: int = 0
    clean: int = 0
    skipped: int = 0
    dropped: int = 0

    def __iadd__(self, other: PassCounts) -> PassCounts:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def as_stats(self) -> dict[str, float]:
        rare = {"skipped": float(self.skipped), "dropped": float(self.dropped)}
        return {
            "share": self.used / max(1, self.steps),
            "updates": float(self.updates),
            "clean": self.clean / max(1, self.instances),
        } | {name: value for name, value in rare.items() if value}


class Learner:
    """Weights and working memory; `run` learns from instances in the order given."""

    def __init__(
        self, options: TrainOptions, system: JointSystem, templates: Templates, width: int
    ) -> None:
        self.options = options
        self.system = system
        self.weights = LearnedWeights(options.bits, width)
        self.ticks = 0
        patient = replace(options.search, bias=0.0, bonus=0.0, patience=1 << 30)
        self.core = ParserLearner(
            system,
            *templates,
            settings_of(options.in_use(patient)),
            EVIDENCE_ODDS,
            LAYOUT_ODDS,
            update=_UPDATES[options.update],
            delayed=DELAYED.index(options.dlaso_pa),
            passive_aggressive=options.step == "pa",
            cap=min(options.cap, 1e30),
            plus=float(options.err_plus_one),
            delta_bits=_MOST_BITS,
        )

    def run(self, instances: Sequence[Instance], report: Progress = silent) -> PassCounts:
        """Learn from instances, one tick of the averaging each."""
        tally = PassCounts()
        for done, instance in enumerate(instances):
            report(done / len(instances))
            actions = self.derivation(instance)
            self.ticks += 1
            if actions is None:
                tally.skipped += 1
                continue
            heads, labels, starts = _gold(instance)
            used, updates, dropped = self.core.learn(
                self.weights, self.ticks, *instance.words[:2], actions, heads, labels, starts
            )
            tally.instances += 1
            tally.steps += len(actions)
            tally.used += used
            tally.updates += updates
            tally.clean += int(updates == 0)
            tally.dropped += dropped
        return tally

    def derivation(self, instance: Instance) -> NDArray[np.int32] | None:
        """The gold transitions: the oracle's, or of several right ones those that score highest."""
        options = self.options
        if instance.complete and options.boundaries != "latent":
            late, eager = options.boundaries == "late", options.swap == "eager"
            actions: NDArray[np.int32] = oracle(
                self.system, instance.heads, instance.labels, instance.starts, late, eager
            )
            if actions[0] < 0:
                return None
            if instance.ahead:
                actions = _closed(actions, len(instance.heads))
            return actions
        return self._constrained(instance)

    def _constrained(self, instance: Instance) -> NDArray[np.int32] | None:
        starts = np.where(instance.starts, MUST, NEVER).astype(np.int8)
        starts[0] = 0
        if self.options.boundaries == "none":
            starts[:] = 0
        labels = np.where(instance.heads == UNKNOWN, -1, instance.labels).astype(np.int32)
        limits = limits_of(
            WordConstraints(starts, instance.heads, labels),
            single_root=self.options.single_root,
            patient=self.options.boundaries in ("late", "latent"),
        )
        return self.core.derive(self.weights, *instance.words[:2], limits)


def _gold(instance: Instance) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Heads, labels and starts; words ahead begin a sentence, of which nothing else is known."""
    heads, labels, starts = instance.heads, instance.labels, instance.starts
    if instance.ahead:
        nothing = np.full(instance.ahead, UNKNOWN, np.int32)
        heads, labels = np.concatenate([heads, nothing]), np.concatenate([labels, nothing])
        starts = np.concatenate([starts, np.arange(instance.ahead) == 0])
    return heads, labels, starts


def _closed(actions: NDArray[np.int32], words: int) -> NDArray[np.int32]:
    """The transitions with the boundary after so many words, as soon as all are shifted."""
    taken = np.cumsum((actions == SHIFT).astype(np.int64) - (actions == SWAP))
    return np.insert(actions, int(np.argmax(taken == words)) + 1, SB)


class ParserTrainer:
    """Learns from documents with trees; `unedited` are the same documents for the dropout."""

    def __init__(
        self,
        train: Sequence[Document],
        dev: Sequence[Document] = (),
        options: TrainOptions | None = None,
        *,
        unedited: Sequence[Document] = (),
        word_classes: Mapping[str, int] | None = None,
        init: Parser | None = None,
        warn: WarningSink | None = None,
    ) -> None:
        """With `init` training goes on from that parser, with its templates and table."""
        options = options or TrainOptions()
        if init is not None:
            bits = len(init.rows).bit_length() - 1
            options = replace(options, bits=bits, templates=init.templates, breaks=init.breaks)
            word_classes = word_classes or init.word_classes
        self.options = options
        self.report: Progress = silent
        self._warn = warn
        self.dev = list(dev)
        docs = [doc for doc in train if doc.n_words]
        if not docs:
            raise InputError("there are no words to train on")
        if unedited and len(unedited) != len(train):
            raise InputError(f"{len(unedited)} unedited documents for {len(train)} edited ones")
        self.repairs = Repairs()
        self.tags = tags_in(docs) if options.tags else ()
        if init is not None:
            self.tags = tuple(tag for tag in self.tags if tag in init.tags)
        self.hasher = Hasher(word_classes)
        self._data = self._prepare(docs, warn)
        self._unedited = self._prepare(
            [d for d, e in zip(unedited, train, strict=False) if e.n_words], None
        )
        trees = [tree for _, tree in (*self._data, *self._unedited)]
        self.inventory = Inventory.learn(
            [(tree.heads, tree.names) for tree in trees],
            single_root=options.single_root,
            sb=options.boundaries != "none",
            known=init.inventory if init is not None else None,
        )
        number = {name: i for i, name in enumerate(self.inventory.labels)}
        for tree in trees:
            tree.number(number)
        #: Templates that name something which the training data do not have would tell nothing.
        self.chosen = without(options.templates, self._absent()) or options.templates
        if init is not None:
            self.chosen = init.templates
        self.templates = compile_templates(self.chosen)
        self.width = padded(self.inventory.size)
        self._system = self.inventory.transitions
        self.learner = self._learner()
        #: From which document on there are so many parts, of which an epoch reads one.
        self._turns = (len(self._data), 1)
        self._more: list[Learner] = []
        if init is not None:
            self._go_on(init)

    def _go_on(self, init: Parser) -> None:
        """Take over the weights; transitions that the parser did not know start with none."""
        column = {name: at for at, name in enumerate(self.inventory.names())}
        columns = np.array([column.get(name, -1) for name in init.inventory.names()])
        numbers, table = init.rows.filled()
        rows, old, weights = entries(table, init.unit)
        kept = columns[old] >= 0
        places = numbers[rows[kept]].astype(np.int64) * self.width + columns[old[kept]]
        weights = weights[kept]
        self.learner.weights.set_entries(places.astype(np.uint64), weights, np.zeros_like(weights))

    def _learner(self) -> Learner:
        return Learner(self.options, self._system, self.templates, self.width)

    def _prepare(
        self, docs: Sequence[Document], warn: WarningSink | None
    ) -> list[tuple[Words, Tree]]:
        options = self.options
        found = []
        for doc in docs:
            words = words_of(doc, self.hasher, tags=self.tags, breaks=options.breaks)
            tree = gold_tree(
                doc, self.repairs, chains=options.chains, single_root=options.single_root, warn=warn
            )
            found.append((words, tree))
        return found

    def _absent(self) -> list[str]:
        """Columns that no training document has."""
        absent = [atom for name, atom in TAG_COLUMNS.items() if name not in self.tags]
        if "xpos" in self.tags and "upos" not in self.tags:
            absent = [atom for atom in absent if atom != "p"]
        absent += [] if self.hasher.classes else ["c"]
        there = [words.context.any(axis=0) for words, _ in (*self._data, *self._unedited)]
        context = np.any(there, axis=0).tolist()
        names = ("break", "speaker", "evidence", "layout")
        learned = context[: len(names)]
        absent += [name for name, any_ in zip(names, learned, strict=True) if not any_]
        absent += ["wp"] if "p" in absent else []
        return absent

    # --------------------------------------------------------------- learning

    def take_turns(self, first: int, parts: int) -> None:
        """Let an epoch read one of so many parts of the documents from the first one named on."""
        self._turns = (first, parts)

    def instances(self, epoch: int) -> list[Instance]:
        """The instances of an epoch in the order in which they are learned."""
        options = self.options
        data = list(self._data)
        if self._unedited and options.dropout > 0:
            chosen = generator(options.seed, epoch, 2).random(len(data)) < options.dropout
            data = [self._unedited[k] if chosen[k] else data[k] for k in range(len(data))]
        trees = [tree for _, tree in data]
        alone = not self.inventory.sb
        found = chunks(trees, options.chunk, options.seed, epoch, sentences=alone)
        first, parts = self._turns
        found = [one for one in found if one[0] < first or (one[0] - epoch) % parts == 0]
        order = epoch_order(len(found), options.seed, epoch)
        return [self._instance(data, *found[k]) for k in order.tolist()]

    def _instance(
        self, data: Sequence[tuple[Words, Tree]], document: int, a: int, b: int
    ) -> Instance:
        words, tree = data[document]
        heads, labels = tree.heads[a:b], tree.labels[a:b]
        # What is unknown is found by a search, which would parse the words ahead, too.
        known = not np.any(heads == UNKNOWN) and not np.any(labels < 0)
        ahead = min(self.options.ahead, len(words.context) - b) if known else 0
        inside = tree.bounds[(tree.bounds >= a) & (tree.bounds < b)] - a
        starts = np.zeros(b - a, np.bool_)
        starts[inside] = True
        return Instance(
            cut(words, np.array([a, b + ahead], np.int64)),
            np.where(heads >= 0, heads - a, heads).astype(np.int32),
            labels.copy(),
            starts,
            ahead,
        )

    def epoch(self, number: int) -> Mapping[str, float]:
        instances = self.instances(number)
        if self.options.shards == 1:
            tally = self.learner.run(instances, self.report)
        else:
            tally = self._mixed(instances)
        if tally.dropped and self._warn is not None:
            self._warn(
                CaesuraWarning(
                    f"epoch {number} had no room for {tally.dropped:,} features of its updates",
                    remedy="Learn from chunks, or make delayed updates in turn.",
                )
            )
        return tally.as_stats() | (self.repairs.as_stats() if number == 1 else {})

    def _mixed(self, instances: Sequence[Instance]) -> Any:
        """Every shard learns from the same weights on; then all are averaged, in a fixed order."""
        shards, main = self.options.shards, self.learner
        while len(self._more) < min(self.options.threads, shards):
            self._more.append(self._learner())
        mixed = LearnedWeights(self.options.bits, self.width)
        tally = PassCounts()
        ticks = main.ticks

        def work(learner: Learner, shard: int) -> PassCounts:
            learner.weights = main.weights.copy()
            learner.ticks = ticks
            return learner.run(instances[shard::shards])

        for first in range(0, shards, len(self._more)):
            wave = range(first, min(first + len(self._more), shards))
            with ThreadPoolExecutor(len(wave)) as pool:
                done = list(pool.map(work, self._more, wave))
            for learner, one in zip(self._more, done, strict=False):
                tally += one
                mixed.add(learner.weights, 1.0 / shards)
            self.report(min(first + len(wave), shards) / shards)
        main.weights = mixed
        # Shards differ by one instance at most; the longest sets the clock.
        main.ticks = ticks + -(-len(instances) // shards)
        return tally

    # ---------------------------------------------------------------- results

    def parser(self) -> Parser:
        """The parser as it stands now, with averaged weights."""
        learner = self.learner
        return Parser(
            self.inventory,
            self.chosen,
            rounded(learner.weights, learner.ticks),
            self.options.in_use(),
            self.tags,
            self.options.breaks,
            self.hasher.classes,
        )

    def score(self) -> Mapping[str, float]:
        """LAS, UAS and F1 of sentence starts on the dev documents, and the mean of LAS and F1."""
        if not self.dev:
            return {}
        parses = self.parser().analyse(self.dev, threads=self.options.threads)
        return scores(self.dev, parses, self.inventory, trees=not self.options.chains)

    def parts(self) -> dict[str, Part]:
        return {"parser": self.parser().to_part()}

    def state(self) -> dict[str, NDArray[Any]]:
        learner = self.learner
        places, weights, totals = learner.weights.entries()
        size = len(learner.weights) * self.width
        return {
            "places": places.astype(np.uint32 if size <= 1 << 32 else np.uint64),
            "weights": weights,
            "summed": totals,
            "ticks": np.array([learner.ticks], np.int64),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        learner = self.learner
        learner.weights = LearnedWeights(self.options.bits, self.width)
        places = state["places"].astype(np.uint64)
        learner.weights.set_entries(places, state["weights"], state["summed"])
        learner.ticks = int(state["ticks"][0])


#: What each recipe trains: the parts of the model file with the options that make them.
RECIPES: Final[Mapping[str, Mapping[str, str]]] = {
    "joint": {"parser": "joint"},
    "gold": {"parser": "gold"},
    "nosyntax": {"parser": "nosyntax"},
    "joint-reparsed": {"boundaries": "joint", "parser": "gold"},
    "pipeline:nosyntax": {"boundaries": "nosyntax", "parser": "gold"},
}
#: The dev score by which the best epoch is chosen (section 5.1 of the paper).
METRIC: Final = {"joint": "mean", "gold": "LAS", "nosyntax": "Starts"}

#: A function that splits documents into sentences, in place.
Splitter = Callable[[Sequence[Document]], None]


def recipe_options(system: str, options: TrainOptions) -> TrainOptions:
    """The options of one system, whatever else was chosen."""
    if system == "gold":
        return replace(options, boundaries="none", breaks=False)
    if system == "nosyntax":
        return replace(options, chains=True)
    if options.boundaries == "none":
        raise UsageError("the recipe joint needs boundaries", remedy="Use the recipe gold.")
    return options


def recipe_stages(recipe: str, options: TrainOptions) -> dict[str, tuple[str, TrainOptions]]:
    """What to train for a recipe: the system of each part of the model file, and its options."""
    if recipe not in RECIPES:
        raise UsageError(
            f"there is no recipe {recipe!r}",
            remedy=f"Recipes are: {', '.join(RECIPES)}. For a pipeline with other boundaries, "
            "train gold and split the documents first.",
        )
    parts = RECIPES[recipe].items()
    return {part: (system, recipe_options(system, options)) for part, system in parts}


@dataclass
class Reparsed:
    """Boundaries from one system, trees from a parser of single sentences.

    `boundaries` is another parser (JOINT-REPARSED, the pipeline of NOSYNTAX), of which nothing else
    is taken, or a function that splits documents in place.
    """

    boundaries: Parser | Splitter
    parser: Parser

    def parse(
        self,
        docs: Document | Iterable[Document],
        *,
        threads: int = 1,
        confidence: bool = False,
        warn: WarningSink | None = None,
    ) -> None:
        """As `Parser.parse`; the confidence of boundaries is that of their own system."""
        batch = [docs] if isinstance(docs, Document) else list(docs)
        split = [replace(doc) for doc in batch]
        if isinstance(self.boundaries, Parser):
            self.boundaries.parse(split, threads=threads, confidence=confidence)
        else:
            self.boundaries(split)
        for doc, other in zip(batch, split, strict=True):
            doc.sent_start = other.sent_start
        self.parser.parse(batch, threads=threads, confidence=confidence, warn=warn)
        for doc, other in zip(batch, split, strict=True):
            doc.sent_conf = other.sent_conf


def parser_loop(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TrainOptions | None = None,
    *,
    unedited: Sequence[Document] = (),
    word_classes: Mapping[str, int] | None = None,
    warn: WarningSink | None = None,
    **kept: Any,
) -> Loop:
    """A training loop over one parser; iterate over it, then take `best`. `kept` is for `Loop`."""
    options = options or TrainOptions()
    trainer = ParserTrainer(
        train, dev, options, unedited=unedited, word_classes=word_classes, warn=warn
    )
    system = "nosyntax" if options.chains else "joint"
    metric = METRIC["gold" if options.boundaries == "none" else system]
    return Loop(trainer, options.epochs, **{"metric": metric, **kept})


def finish(
    parser: Parser,
    held_out: Sequence[Document],
    *,
    tune: bool = False,
    transcripts: Sequence[Document] = (),
) -> Parser:
    """Tune the boundary bonus with `tune`, and calibrate confidences, on held-out documents.

    The scale of the bias is measured on them too, and on the same documents as `transcripts`.
    """
    if not held_out:
        return parser
    if parser.inventory.sb:
        if tune:
            parser = parser.with_search(bonus=tune_bonus(parser, held_out)[0])
        parser = replace(parser, scale=measure_scale(parser, [*held_out, *transcripts]))
    return replace(parser, calibration=calibrate(parser, held_out))


def train_parser(
    run: Run,
    *,
    recipe: str = "joint",
    tune: Sequence[str] = (),
    classes: str | None = None,
    patience: int | None = None,
) -> Result:
    """Train all stages of a recipe and write the model.

    With files to `tune` on, the boundary bonus is tuned on them, else it is 0.
    """
    run.kept.check()
    train, dev = run.read()
    held_out = list(run.data.read(tune, run.report))
    options = _options(run)
    run.kept.begin()
    data, warnings = digest((*train, *dev)), list[str]()
    docs = some_relaid(train, options.relaid, options.seed)
    unedited = [speech(doc) for doc in train] if options.dropout > 0 else ()
    word_classes = dict(load_classes(classes)) if classes else None
    parts: dict[str, Part] = {}
    told: dict[str, dict[str, Any]] = {}
    tables, loops = [], []
    for part, (system, own) in recipe_stages(recipe, options).items():
        loop = parser_loop(
            docs,
            dev,
            own,
            unedited=unedited,
            word_classes=word_classes,
            warn=lambda warning: warnings.append(str(warning)),
            metric=METRIC[system],
            patience=patience,
            **run.keep(part, data, own, file_digest(classes)),
        )
        follow(loop, system.capitalize(), run.report)
        parser = Parser.from_part(loop.best["parser"])
        parser = finish(parser, held_out or dev, tune=bool(held_out))
        parts[part] = parser.to_part()
        told[part] = {
            "system": system,
            "epochs": len(loop.history),
            "best_epoch": loop.best_epoch,
            "bonus": parser.search.bonus,
            "scores": loop.best_scores,
        }
        tables.append(score_table((f"{part} ({system})", "dev"), loop.best_scores))
        loops.append(loop)
    say_some(warnings, run.report)
    words = sum(doc.n_words for doc in train)
    meta = {"trained_on": run.sources(), "recipe": recipe, "words": words, "stages": told}
    run.save(parts, meta, card("Parser", f"Recipe {recipe}, trained on {words} words.", *tables))
    for loop in loops:
        loop.finish()
    about = {"model": run.output, "recipe": recipe, "warnings": len(warnings), "stages": told}
    following = next_command(run.output, sentences=recipe == "gold")
    return Result(run.output, about, told["parser"]["scores"], next=following)


def next_command(output: str, *, sentences: bool) -> tuple[str, ...]:
    """How a parser is tried, on a file that has what it needs."""
    keep = ("--keep-tokens", *(["--keep-sentences"] if sentences else []), "--keep-tags")
    return ("parse", "-m", output, *keep, "tagged.conllu")


def refuse_beam(beam: int) -> None:
    """A parser that learns greedily has no beam."""
    if beam > 1:
        raise UsageError(
            f"the update greedy searches without a beam, not with one of {beam}",
            remedy="Leave the beam out, or choose another update (laso steps at once, too).",
        )


def _options(run: Run) -> TrainOptions:
    """The options of training; a beam does not go with the greedy update."""
    options = run.options(TrainOptions(), "parser")
    if options.update != "greedy":
        return options
    # With a default of 1 a wider beam is one that the caller chose.
    options = run.options(TrainOptions(search=SearchOptions(beam=1)), "parser")
    refuse_beam(options.search.beam)
    return options
