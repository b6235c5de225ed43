"""How a grammar is induced, and how it is used: options of `Inducer` and of `Grammar`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from caesura.errors import UsageError
from caesura.induce.recipes import TrainingStage, recipe
from caesura.options import SEED, THREADS, option

#: Columns of a document that may be the classes of its words.
COLUMNS = ("upos", "xpos", "form")
#: Iterations and frequent words of classes by context; frequent words of other learned classes.
ITERATIONS, APART, GROUPED = 10, 100, 60
#: Clusters among which predicates are chosen.
CLUSTERS = 100
#: Longer sentences are chains and not parsed.
LONGEST = 400
#: The most grammars that vote.
MOST_VOTES = 16
#: Rounds of `reparse` where the classes are tags.
ROUNDS = 9
#: Restarts where these are joined by default.
RESTARTS = 8


@dataclass(frozen=True, slots=True)
class InduceOptions:
    """How a grammar is induced."""

    #: One of `RECIPES`; `auto` is `short-first` with universal rules or several grammars, otherwise
    #: `recombine`.
    recipe: str = option(
        "auto",
        "short-first (default with universal tags or without tags), recombine (default else), "
        "curriculum, standard, fixed, basic, lexicalised, scaffold.",
    )
    model: str = option("dbm3", "gb, dmv, evg, dbm1, dbm2, dbm3 (default).")
    #: `upos`, `xpos`, `form`, a number of classes to learn from the words, several numbers, each
    #: for a grammar that votes, or `auto`, the number with the fewest held-out bits (see
    #: `class_number`).
    classes: str = option(
        "10,12,15,20",
        "Word classes: a number to learn (auto tries several), several numbers, whose grammars "
        "vote (default 10,12,15,20), tags, words, or a file.",
        metavar="N|N,N…|auto|upos|xpos|form|FILE",
        reads=True,
    )
    #: Iterations of a hidden Markov model that chooses the class of a word in its sentence (see
    #: `context`); 0: every word has one class. By default 10 with several numbers of classes and no
    #: `morphology`, otherwise 0.
    context: int | None = None
    #: The weight of endings and shapes in learning classes from the words.
    morphology: float = 0.0
    #: The number of most frequent words that have groups of their own in classes that are learned
    #: from the words, or, with `context`, are separated from the other words of their classes; 0
    #: for none. By default 100 with `context`, otherwise 60.
    frequent: int | None = None
    #: The number of clusters of words among which predicates are chosen (see `context`). They are
    #: separated from the other words of their classes, and tend to be roots; 0 for none. By default
    #: 100 with `context` if `heads` are `any`, otherwise 0.
    predicates: int | None = None
    groups: int = option(
        10, "Groups into which the most frequent words are put (default 10).", least=1
    )
    #: `unicode`, `upos`, `xpos`, or tags; `auto` is the column of the classes, if tags.
    marks: str = option(
        "auto", "Definition of punctuation: unicode, upos, xpos, or tags; else by --classes."
    )
    #: Take fragments from inline mark-up (anchors, bold, italics of HTML) instead of punctuation.
    markup: bool = option(
        False, "Constraints from the inline mark-up of HTML instead of punctuation."
    )
    #: The constraint in training; the recipe's own if none is named.
    constraint: str | None = option(
        None,
        "In training: none, thread, tear, sprawl, loose, strict, loose-split.",
        name="--constraints",
    )
    #: With `content`, classes with many different words tend to be heads, as in Universal
    #: Dependencies; `any` leaves heads to the text. By default `content`, but `any` with universal
    #: rules or if each word is a class (see `head_convention`).
    heads: str | None = option(
        None,
        "content (default without universal rules): content words tend to be heads, as in "
        "Universal Dependencies; any: for treebanks in which function words are heads.",
        choices=("any", "content"),
    )
    #: Universal rules (see `universal_rules`): `ud`, `function`, `none` or a file; `auto` is `ud`
    #: if the classes are universal tags.
    rules: str = option(
        "auto",
        "What heads what, by universal tags: ud (default with them), function, none, or a file.",
        metavar="ud|function|none|FILE",
    )
    #: Rules are a `pull` on arcs, or a demand that a `share` of them follows (`expectation`), or
    #: `both`.
    obey: str = "pull"
    share: float = 0.8
    #: The weight of stops by reducibility (see `priors`), in mean counts of a class.
    reducible: float = 0.0
    initialiser: str | None = option(
        None,
        "random, distance, distance-sides, distance-pairs, harmonic, uniform, brackets.",
        name="--init",
    )
    #: Which stages of the recipe `basic` obey the constraint: `all`, as in its paper, or `long`.
    constrained: str = "all"
    #: Words in the longest sentences of the first stage, and of the others.
    limit: int = 15
    longest: int = option(
        45, "Leave longer sentences out (default 45).", name="--max-length", least=1
    )
    #: How often a word must occur for a class of its own, in the recipe `lexicalised` and, if the
    #: classes are tags, at the end of `recombine`; 0 for none.
    lexical: int = 100
    #: Rounds in which an arc model learns from the grammar and the grammar from the arc model (see
    #: `reparse`); by default 9 if the classes are tags and no recipe is named, otherwise 0.
    reparse: int | None = option(
        None,
        "Rounds of a last stage that sees words and neighbours (default 9 with tags, else 0).",
        least=0,
    )
    #: By default (0) `RESTARTS` if `auto` does not keep one by `agreement`, otherwise 1.
    restarts: int = option(
        0, "Runs with seeds of their own (default 8 with tags and no rules, else 1).", least=1
    )
    #: Of several restarts, keep the one with which the others agree most (`agreement`), or learn
    #: from the trees of the three with the fewest bits together (`join`), or take the one of that
    #: and of the recipe without restarts whose roots are of fewer classes (`roots`). `auto` is
    #: `roots` if the classes are tags and there are no rules and no named recipe (`join` if `heads`
    #: are content words), otherwise `agreement`.
    keep: str = "auto"
    seed: int = option(0, **SEED)
    workers: int = option(1, **THREADS)

    def __post_init__(self) -> None:
        for wrong, what, remedy in self._problems():
            if wrong:
                raise UsageError(what, remedy=remedy)

    def _problems(self) -> Iterator[tuple[bool, str, str]]:
        """Yield conditions that are errors, each with its message and remedy."""
        classes, numbers = self.classes, self.classes.split(",")
        known = self.heads in (None, "any", "content")
        yield not known, f"--heads {self.heads}: no such style", "any or content."
        for name, ways, what in (
            ("obey", ("pull", "expectation", "both"), "way to obey rules"),
            ("keep", ("auto", "agreement", "join", "roots"), "way to choose among restarts"),
            ("constrained", ("all", "long"), "choice of stages"),
        ):
            value, named = getattr(self, name), [way for way in ways if way != "auto"]
            remedy = f"{', '.join(named[:-1])} or {named[-1]}."
            yield value not in ways, f"{name}={value}: no such {what}", remedy
        share = f"share={self.share}: a share of arcs is above 0 and below 1"
        yield not 0.0 < self.share < 1.0, share, "E.g. 0.8."
        for name, example in (("morphology", "3"), ("reducible", "0.2")):
            value = getattr(self, name)
            yield value < 0.0, f"{name}={value}: a weight is not below 0", f"E.g. {example}, or 0."
        for name in ("context", "frequent", "predicates", "reparse"):
            value = getattr(self, name) or 0
            yield value < 0, f"{name}={value}: a number is not below 0", "E.g. 10, or 0."
        yield (
            len(numbers) > 1
            and not (
                all(one.isdecimal() and int(one) for one in numbers)
                and len({int(one) for one in numbers}) == len(numbers)
            ),
            f"--classes {classes}: these are not different numbers of classes",
            "E.g. 10,12,15,20, without spaces.",
        )
        yield (
            len(numbers) > MOST_VOTES,
            f"--classes {classes}: more than {MOST_VOTES} grammars do not vote",
            "Give fewer numbers, e.g. 10,12,15,20.",
        )
        yield (
            len(numbers) > 1 and bool(self.reparse),
            f"--reparse {self.reparse} is for one grammar, and several numbers of classes are "
            "as many",
            "Give one number, e.g. --classes 12, or leave it out.",
        )
        other = self.morphology > 0 or classes in (*COLUMNS, "auto", "file")
        yield (
            self.iterations > 0 and other,
            f"context={self.iterations} is about a number of classes that are learnt from "
            "their neighbours",
            "Give the number (--classes 12), and leave morphology out.",
        )
        yield (
            bool(self.predicates) and not self.iterations,
            f"predicates={self.predicates} is about classes by context",
            "Ask for them (--classes 12 --set context=10), or leave it out.",
        )
        yield (
            self.heads == "content" and classes == "form",
            "--heads content tells open classes by their words, and with --classes form each "
            "has one",
            "Take other classes, e.g. --classes 30.",
        )

    @property
    def head_convention(self) -> str:
        """`content` or `any`, the default resolved."""
        free = self.classes != "form" and not self.led
        return self.heads or ("content" if free else "any")

    @property
    def led(self) -> bool:
        """Whether universal rules lead, which have a convention of heads of their own."""
        return self.classes == "upos" and self.rules != "none"

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of classes of grammars that vote; none where there is one grammar."""
        found = tuple(self.classes.split(","))
        return found if len(found) > 1 else ()

    @property
    def iterations(self) -> int:
        """Iterations of classes by context."""
        if self.context is not None:
            return self.context
        return ITERATIONS if self.numbers and not self.morphology else 0

    @property
    def frequent_words(self) -> int:
        """How many words are the frequent ones."""
        if self.frequent is not None:
            return self.frequent
        return APART if self.iterations else GROUPED

    @property
    def clusters(self) -> int:
        """The number of clusters among which predicates are chosen."""
        if self.predicates is not None:
            return self.predicates
        return CLUSTERS if self.iterations and self.head_convention == "any" else 0

    @property
    def rounds(self) -> int:
        """Rounds of the last stage, which sees words."""
        if self.reparse is not None:
            return self.reparse
        tagged = self.classes in ("upos", "xpos")
        return ROUNDS if tagged and self.recipe == "auto" and self.model != "gb" else 0

    @property
    def _free(self) -> bool:
        """Whether tags are all there is to lead, and how they do is left open."""
        tagged = self.classes in ("upos", "xpos") and self.rules in ("auto", "none")
        return tagged and self.recipe == "auto" and self.chosen_recipe == "recombine"

    @property
    def kept_by(self) -> str:
        """How one of several restarts is kept, `auto` resolved."""
        if self.keep != "auto":
            return self.keep
        if not self._free:
            return "agreement"
        return "join" if self.head_convention == "content" else "roots"

    @property
    def runs(self) -> int:
        """How many restarts there are."""
        return self.restarts or (RESTARTS if self._free and self.keep in ("auto", "roots") else 1)

    @property
    def mark_source(self) -> str:
        if self.marks != "auto":
            return self.marks
        return self.classes if self.classes in ("upos", "xpos") else "unicode"

    @property
    def chosen_recipe(self) -> str:
        """The recipe by its name, `auto` resolved."""
        if self.recipe != "auto":
            return self.recipe
        led = bool(self.numbers) or self.led or self.model == "gb"
        return "short-first" if led else "recombine"

    def stages(self) -> tuple[TrainingStage, ...]:
        return self._stages(self.chosen_recipe)

    def restart_stages(self) -> tuple[TrainingStage, ...]:
        """The stages of each restart: forks and joins are left out where restarts are joined."""
        joined = self.kept_by == "roots" or (self.kept_by == "join" and self.keep == "auto")
        forked = joined and self.runs > 1 and self.chosen_recipe == "recombine"
        return self._stages("short-first" if forked else self.chosen_recipe)

    def _stages(self, name: str) -> tuple[TrainingStage, ...]:
        tagged = self.classes in ("upos", "xpos")
        return recipe(
            name,
            model=self.model,
            constraint=self.constraint,
            initialiser=self.initialiser,
            limit=self.limit,
            longest=self.longest,
            # Classes that were learned from the words already contain most of their information.
            lexical=self.lexical if tagged or name != "recombine" else 0,
            constrained=self.constrained,
        )


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """How a grammar chooses trees."""

    #: What punctuation demands of them (see `punctuation_constraints`).
    constraint: str = "sprawl"
    #: The most probable tree, or the one with the most arcs expected to be right.
    decoder: Literal["best", "least-risk"] = "best"
    #: A sentence of more words is a chain: the chart takes cubic time.
    longest: int = LONGEST
    workers: int = 1
