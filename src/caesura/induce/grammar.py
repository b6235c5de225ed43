"""A learned grammar as a stage: its parameters, its classes, and trees for documents.

It fills the heads of documents with tokens and sentences. Punctuation attaches to a word of its
sentence. Fixed annotation is not changed; where fixed heads replace others, `mend` restores trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from caesura.constraints import Constraints
from caesura.document import ROOT, UNKNOWN, Document
from caesura.document.punctuation import parse_marks
from caesura.errors import ModelError, UsageError
from caesura.induce.arc_model import ArcModel, arc_trees, get_arcs, put_arcs, vote
from caesura.induce.context import get_context, put_context
from caesura.induce.corpus import Corpus, corpus, gold_heads
from caesura.induce.inference import best, count, least_risk
from caesura.induce.options import COLUMNS, LONGEST, DecodeOptions
from caesura.induce.parameters import Ints, Parameters, empty, find_model, normalise
from caesura.induce.sentences import Sentences
from caesura.induce.word_classes import WordClassifier, apply_lexicon
from caesura.models.file import Part
from caesura.options import PLAIN, Request
from caesura.stage import Stage

VERSION = 1
#: The version of a grammar whose classes depend on context.
WITH_CONTEXT = 2
#: The version of one with an arc model, or with grammars that vote with it.
WITH_MORE = 3
#: The version of one whose classes separate predicates.
WITH_PREDICATES = 4


@dataclass(frozen=True)
class Grammar(Stage):
    """Parameters over word classes, and how a word gets its class."""

    model: str
    parameters: Parameters
    #: Class names by number; 0 is the unknown class, lexical classes stand last.
    names: tuple[str, ...]
    #: Where classes come from: a column of the document (`upos`, `xpos`, `form`) or `words`.
    source: str
    #: The learned classes of words, if there are any.
    classifier: WordClassifier = field(default_factory=WordClassifier)
    #: The definition of punctuation: `unicode`, `upos`, `xpos`, or tags.
    marks: str = "unicode"
    markup: bool = False
    #: Facts of training: recipe, seeds, bits per word, restarts.
    history: Mapping[str, Any] = field(default_factory=dict)
    #: How trees are chosen.
    decoding: DecodeOptions = DecodeOptions()
    #: Chooses trees instead of the parameters (see `reparse`).
    arcs: ArcModel | None = None
    #: Grammars over other classes that vote with this one (see `arc_model.vote`).
    others: tuple[Grammar, ...] = ()

    kind: ClassVar[str] = "grammar"
    title: ClassVar[str] = "a grammar"
    tokens_by: ClassVar[str] = "rules"

    # ---------------------------------------------------------------- parsing

    @property
    def needs(self) -> frozenset[str]:
        """What a document must have; the tags, too, if the grammar is over tags."""
        columns = {self.source, self.marks} & {"upos", "xpos"}
        return frozenset({"tokens", "sentences"}) | columns

    @property
    def adds(self) -> frozenset[str]:
        """Heads and relations."""
        return frozenset({"head", "deprel"})

    @property
    def offers(self) -> frozenset[str]:
        """The names of `DecodeOptions`."""
        return frozenset(option.name for option in fields(DecodeOptions))

    def with_options(self, **changes: Any) -> Self:
        """The same grammar, used in another way; see `DecodeOptions`."""
        self.refuse(changes, self.offers)
        return replace(self, decoding=replace(self.decoding, **changes))

    def classify(self, doc: Document) -> Sequence[str]:
        """The class of each word of a document, by name."""
        if self.source in COLUMNS:
            labels = doc.column(self.source)
            if self.source != "form" and not any(labels):
                raise UsageError(
                    f"the grammar was learnt over {self.source.upper()} tags and the text has none",
                    remedy="Tag it first, keep the tags of its file (--keep-tokens --keep-tags), "
                    "or induce a grammar with --classes NUMBER.",
                )
            return labels
        return self.classifier.classify(doc)

    def prepare(self, documents: Sequence[Document], *, lexical: bool = True) -> Corpus:
        """Documents as the grammar sees them, words with a class of their own included."""
        plain = [n for n in self.names if n not in self._lexical]
        found = corpus(
            documents, self.classify, names=plain[1:], marks=self.marks, markup=self.markup
        )
        if not self._lexical or not lexical:
            return found
        words = [found.forms[f] for f in found.words.tolist()]
        classes = apply_lexicon(found.sentences.classes, words, self.names, self._lexical)
        return replace(found, sentences=found.sentences.with_classes(classes), names=self.names)

    def seeing(self, marks: str) -> Self:
        """The same grammar, for texts with another definition of marks."""
        others = tuple(replace(other, marks=marks) for other in self.others)
        return replace(self, marks=marks, others=others)

    @property
    def _lexical(self) -> dict[str, int]:
        first = int(self.history.get("plain_classes", len(self.names)))
        return {name: number for number, name in enumerate(self.names) if number >= first}

    def heads(
        self, words: Sentences, constraint: str = "sprawl", decoder: str = "best", workers: int = 1
    ) -> Ints:
        """Heads of sentences that were prepared, as positions in the sentence."""
        if decoder == "least-risk":
            return least_risk(words, self.parameters, constraint)
        return best(words, self.parameters, constraint, workers=workers).heads

    def trees(
        self,
        documents: Sequence[Document],
        constraint: str = "sprawl",
        decoder: str = "best",
        *,
        workers: int = 1,
        longest: int = LONGEST,
    ) -> tuple[Corpus, Ints]:
        """Documents as the grammar sees them, and heads as positions in the sentence.

        Grammars that vote take the tree with the most arcs expected to be right; longer sentences
        are chains.
        """
        found = self.prepare(documents, lexical=self.arcs is None)
        words = found.sentences
        fits = words.up_to(longest)
        tree = np.arange(-1, words.n_words - 1, dtype=np.int32)
        tree -= np.repeat(words.starts[:-1], words.lengths).astype(np.int32)
        if not fits.any():
            return found, tree
        short, chosen = words.select(fits), words.words_of(fits)
        if self.others:
            views = [(short, self.parameters)]
            for other in self.others:
                seen = other.prepare(documents).sentences.select(fits)
                views.append((seen, other.parameters))
            tree[chosen] = vote(views, constraint)[0]
        elif self.arcs is not None:
            forms = [found.forms[form] for form in found.words[chosen].tolist()]
            chances = self.arcs.chances(short, self.arcs.numbers(forms))
            weights = chances if decoder == "least-risk" else np.log(np.maximum(chances, 1e-12))
            tree[chosen] = arc_trees(short, weights, constraint)
        else:
            tree[chosen] = self.heads(short, constraint, decoder, workers)
        return found, tree

    def parse(self, doc: Document, **options: Any) -> Document:
        """Fill the heads and relations of one document, in place, and return it."""
        self.with_options(**options).annotate([doc])
        return doc

    def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
        """Fill the heads and relations of documents, in place; there are no confidences.

        Marks hang from the word before them, or the first word of the sentence. A document whose
        heads are fixed keeps those that are known.
        """
        for doc in docs:
            if doc.n_words:
                self._annotate(doc)

    def _annotate(self, doc: Document) -> None:
        options = self.decoding
        heads = np.full(doc.n_words, UNKNOWN, dtype=np.int32)
        mark = parse_marks(self.marks, induction=True).mask(doc)
        if not mark.all():
            found, tree = self.trees(
                [doc],
                options.constraint,
                options.decoder,
                workers=options.workers,
                longest=options.longest,
            )
            words = found.sentences
            begin = np.repeat(words.starts[:-1], words.lengths)
            above = found.index[np.where(tree >= 0, tree + begin, 0)]
            heads[found.index] = np.where(tree >= 0, above, ROOT)
        hang_marks(doc, heads)
        fixed = Constraints.of(doc)
        if fixed.heads is not None:
            known = fixed.has_head(doc.n_words)
            heads[known] = fixed.heads[known]
            mend(doc, heads, known)
        doc.head = heads
        plain = np.where(mark, doc.strings.add("punct"), doc.strings.add("dep"))
        relations = np.where(heads == ROOT, doc.strings.add("root"), plain)
        doc.deprel = np.where(doc.deprel > 0, doc.deprel, relations).astype(np.int32)

    # ------------------------------------------------------------- looking at

    def strongest(self, number: int = 15) -> dict[str, list[tuple[str, ...]]]:
        """The strongest roots, attachments and stops, as rows of readable cells."""
        t = self.parameters
        size = len(self.names)
        used = np.asarray(self.history.get("class_counts", np.ones(size)), dtype=float)
        used = used if len(used) == size else np.ones(size)
        rows: dict[str, list[tuple[str, ...]]] = {"roots": [], "attachments": [], "stops": []}
        root = t.root.mean(axis=0)
        for c in np.argsort(-root)[:number].tolist():
            rows["roots"].append((self.names[c], f"{100 * root[c]:.1f}"))
        attach = t.attach.mean(axis=(1, 2))
        weight = attach * (used / max(used.sum(), 1.0))[None, :, None]
        for at in np.argsort(-weight, axis=None)[: 2 * number].tolist():
            side, h, d = (int(i) for i in np.unravel_index(at, attach.shape))
            arrow = (
                f"{self.names[h]} → {self.names[d]}"
                if side
                else (f"{self.names[d]} ← {self.names[h]}")
            )
            rows["attachments"].append((arrow, f"{100 * attach[side, h, d]:.1f}"))
        stop = t.stop.mean(axis=0)
        order = [c for c in np.argsort(-used).tolist() if used[c] > 0][: 2 * number]
        for c in order:
            cells = [f"{100 * stop[side, near, c]:.0f}" for side in (0, 1) for near in (1, 0)]
            rows["stops"].append((self.names[c], *cells))
        return rows

    # ------------------------------------------------------------------ files

    def to_part(self) -> Part:
        """The grammar as a part of a model file."""
        config = {
            "version": self._version,
            "model": self.model,
            "source": self.source,
            "marks": self.marks,
            "markup": self.markup,
            "plain_classes": int(self.history.get("plain_classes", len(self.names))),
            "recipe": str(self.history.get("recipe", "")),
            "seed": int(self.history.get("seed", 0)),
            "bits": float(self.history.get("bits", 0.0)),
        }
        words = sorted(self.classifier.words)
        arrays = {name: getattr(self.parameters, name) for name in ("root", "attach", "stop")}
        used = np.asarray(self.history.get("class_counts", ()), dtype=np.float64)
        part = Part(
            "grammar",
            config,
            {
                "names": list(self.names),
                "words": words,
                "classes": [self.classifier.words[w] for w in words],
                "endings": list(self.classifier.endings),
            },
            {**arrays, "class_counts": used},
        )
        if self.classifier.context is not None:
            put_context(part, self.classifier.context)
        if self.arcs is not None:
            put_arcs(part, self.arcs)
        put_nested(part, [other.to_part() for other in self.others])
        return part

    @property
    def _version(self) -> int:
        members = (self, *self.others)
        if any(one.classifier.context and one.classifier.context.predicates for one in members):
            return WITH_PREDICATES
        if self.others or self.arcs is not None:
            return WITH_MORE
        return VERSION if self.classifier.context is None else WITH_CONTEXT

    @classmethod
    def from_part(cls, part: Part) -> Self:
        """A grammar from a part of a model file, checked."""
        version = part.option("version", int, 0)
        if version not in (VERSION, WITH_CONTEXT, WITH_MORE, WITH_PREDICATES):
            raise ModelError(
                f"this grammar has version {version}, and this program reads versions {VERSION} "
                f"to {WITH_PREDICATES}",
                remedy="Induce it again, or use the program that made it.",
            )
        model = part.option("model", str, "")
        names = tuple(part.labels.get("names", ()))
        part.array("root", np.float64, (None, len(names)))  # before there is room for their square
        shape = empty(find_model(model), len(names))
        root, attach, stop = (
            part.array(name, np.float64, getattr(shape, name).shape)
            for name in ("root", "attach", "stop")
        )
        for name, table in (("root", root), ("attach", attach), ("stop", stop)):
            if not np.all((table >= 0) & (table <= 1)):
                raise ModelError(f"the grammar's {name} table holds what is no probability")
        parameters = Parameters(
            np.ascontiguousarray(root),
            np.ascontiguousarray(attach),
            np.ascontiguousarray(stop),
            1.0 - stop,
            shape.fringe,
        )
        words, classes = part.labels.get("words", []), part.labels.get("classes", [])
        if len(words) != len(classes):
            raise ModelError("the grammar's list of words does not fit its list of classes")
        history = {
            "plain_classes": part.option("plain_classes", int, len(names)),
            "recipe": part.option("recipe", str, ""),
            "seed": part.option("seed", int, 0),
            "bits": part.option("bits", float, 0.0),
            "class_counts": part.arrays.get("class_counts", np.zeros(0)),
        }
        return cls(
            model,
            parameters,
            names,
            part.option("source", str, "form"),
            WordClassifier(
                dict(zip(words, classes, strict=True)),
                tuple(part.labels.get("endings", ())),
                get_context(part),
            ),
            part.option("marks", str, "unicode"),
            part.option("markup", bool, False),
            history,
            arcs=get_arcs(part),
            others=tuple(cls.from_part(other) for other in get_nested(part)),
        )


def supervised(
    documents: Sequence[Document],
    words: Corpus,
    model: str = "dmv",
    *,
    source: str = "xpos",
    marks: str = "unicode",
    smoothing: float = 1.0,
) -> Grammar:
    """The grammar of annotated trees: relative frequencies of their decisions.

    Sentences with unknown heads, several roots, or, where the fringe matters, crossing arcs are
    left out.
    """
    chosen = find_model(model)
    heads, missing = gold_heads(documents, words)
    owner = words.sentences.owner
    roots = np.bincount(owner[heads == ROOT], minlength=len(words))
    good = (missing == 0) & (roots == 1)
    if chosen.stop_fringe:
        good &= _projective(words.sentences, heads)
    kept = words.sentences.words_of(good)
    counts = count(words.sentences.select(good), heads[kept], chosen, len(words.names))
    parameters = normalise(counts, chosen, smoothing)
    return Grammar(chosen.name, parameters, words.names, source, marks=marks)


def _projective(words: Sentences, heads: Ints) -> np.ndarray:
    """By sentence: whether no two arcs cross."""
    good = np.ones(len(words), dtype=bool)
    for index, (a, b) in enumerate(zip(words.starts, words.starts[1:], strict=False)):
        tree = heads[a:b]
        low = np.minimum(np.arange(len(tree)), tree)
        high = np.maximum(np.arange(len(tree)), tree)
        arcs = tree >= 0
        low, high = low[arcs], high[arcs]
        inside = (low[:, None] < low[None]) & (low[None] < high[:, None])
        good[index] = not np.any(inside & (high[None] > high[:, None]))
    return good


def hang_marks(doc: Document, heads: Ints) -> None:
    """Give every word without a head one in its sentence: a mark hangs from the word before it."""
    sentence = doc.word_sentence
    starts = np.flatnonzero(np.concatenate(([True], sentence[1:] != sentence[:-1])))
    ends = np.append(starts[1:], len(sentence))
    for a, b in zip(starts.tolist(), ends.tolist(), strict=True):
        known = heads[a:b] != UNKNOWN
        if not known.any():
            heads[a:b] = a
            heads[a] = ROOT
            continue
        if known.all():
            continue
        before = a + int(np.argmax(known))
        for word in range(a, b):
            if known[word - a]:
                before = word
            else:
                heads[word] = before


def mend(doc: Document, heads: Ints, fixed: npt.NDArray[np.bool_]) -> None:
    """Make trees again of sentences in which given heads replaced some of the grammar's.

    Only heads that were not given are changed: second roots and words on a circle go to the root.
    """
    sentence = doc.word_sentence
    for number in np.unique(sentence[fixed]).tolist():
        words = np.flatnonzero(sentence == number).tolist()
        roots = [w for w in words if heads[w] == ROOT]
        given = [w for w in roots if fixed[w]]
        root = given[0] if given else next((w for w in roots if not fixed[w]), None)
        if root is None:
            free = [w for w in words if not fixed[w]]
            if not free:
                continue
            root = free[0]
            heads[root] = ROOT
        for word in roots:
            if word != root and not fixed[word]:
                heads[word] = root
        for word in words:
            path: list[int] = []
            at = word
            while at >= 0 and at not in path:
                path.append(at)
                at = int(heads[at])
            if at >= 0:
                circle = path[path.index(at) :]
                free = [w for w in circle if not fixed[w]]
                if free:
                    heads[free[0]] = root


#: More than these no file has.
MOST = 32


def put_nested(part: Part, inner: Sequence[Part]) -> None:
    """Add parts to a part, under names of their own."""
    for number, other in enumerate(inner, start=1):
        name = f"other-{number}"
        part.config[name] = other.config
        part.labels |= {f"{name} {key}": value for key, value in other.labels.items()}
        part.arrays |= {f"{name} {key}": value for key, value in other.arrays.items()}


def get_nested(part: Part) -> list[Part]:
    """The parts that are in a part, in their order."""
    found: list[Part] = []
    while (name := f"other-{len(found) + 1}") in part.config:
        config = part.option(name, dict)
        if len(found) == MOST or any(key.startswith("other-") for key in config):
            raise ModelError("the grammar holds more grammars than can vote")
        start = f"{name} "
        labels = {k.removeprefix(start): v for k, v in part.labels.items() if k.startswith(start)}
        arrays = {k.removeprefix(start): v for k, v in part.arrays.items() if k.startswith(start)}
        found.append(Part(part.kind, config, labels, arrays))
    return found
