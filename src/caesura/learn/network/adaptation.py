"""Adaptation of a trained network to a new treebank: its labels and the new ones.

Common labels keep their weights; a relation with a new subtype starts as the relation, a new value
of a feature or a new lemma rule at zero. A network of many languages becomes one of a single
language. Its vector is that of the language, or, if the network does not have it, of the language
with which the network predicts the treebank best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.document.slicing import cut
from caesura.errors import ModelError
from caesura.learn.network.examples import Labels, feats_seen_with
from caesura.learn.network.export import floats, shape_of
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.file import Part
from caesura.stages.network import NeuralParser
from caesura.stages.network_labels import Attributes, Languages
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_tagging import softmax
from caesura.stages.network_tags import TagLexicon

Floats = NDArray[np.float32]

#: Words of the treebank with which languages are compared.
_TRIED: Final = 150
#: The share of known relations from which on a treebank has the same annotation style.
_ALIKE: Final = 0.8
#: The share of languages from which on a lemma rule is a common one.
_MANY: Final = 0.06
#: The initial bias of a new attribute towards its absence.
_ABSENT: Final = 4.0
#: How far below the relation its new subtype starts.
_SUBTYPE: Final = 1.0


@dataclass(frozen=True)
class Base:
    """A network in a model file, as floats."""

    parser: NeuralParser
    weights: Mapping[str, Floats]
    shape: EncoderShape
    #: Bits of its embeddings.
    bits: int

    @classmethod
    def of(cls, part: Part) -> Base:
        parser = NeuralParser.from_part(part)
        if not parser.encoder.layout:
            raise ModelError(
                "its network does not see where lines end, so nothing can go on from it",
                remedy="Go on from a newer model.",
            )
        network = parser.network
        weights = floats(network) | {"label": parser.label_weights}
        return cls(parser, weights, shape_of(network), network.bits)

    @property
    def labels(self) -> Labels:
        own = self.parser.labels
        names = ("upos", "xpos", "feats", "lemma", "deprel")
        return Labels(**{name: tuple(own[name]) for name in names})

    def nearest(self, docs: Sequence[Document], code: str) -> str:
        """The language whose vector a treebank starts from: its own, or the one that fits best.

        Nothing for a network of one language.
        """
        languages = self.parser.languages
        if languages is None:
            return ""
        if code in languages.codes:
            return code
        sample = _sample(docs, _TRIED)
        return max(languages.codes, key=lambda one: self._fit(sample, one))

    def _fit(self, docs: Sequence[Document], code: str) -> float:
        """The log-likelihood of tags and heads of documents as text in a language."""
        total = 0.0
        number = {tag: n for n, tag in enumerate(self.parser.labels["upos"])}
        for doc in docs:
            copy = replace(doc)
            name = int(copy.strings.ids([code])[0])
            copy.token_language = np.full(copy.n_tokens, name, np.int32)
            scores = self.parser.encoder.scores(copy)
            place = np.where(doc.head < 0, 0, doc.head - scores.base + 1)
            known = (doc.head >= -1) & (place >= 0) & (place < scores.arcs.shape[1])
            rows = np.arange(doc.n_words)
            arcs = softmax(scores.arcs)[rows, np.where(known, place, 0)]
            tags = np.array([number.get(tag, -1) for tag in doc.column("upos")])
            upos = softmax(scores.tags["upos"])[rows, np.maximum(tags, 0)]
            total += float(np.log(np.maximum(arcs[known], 1e-6)).sum())
            total += float(np.log(np.maximum(upos[tags >= 0], 1e-6)).sum())
        return total


@dataclass(frozen=True)
class Adapted:
    """A network with the labels of its own and of a treebank, to be trained on that."""

    weights: dict[str, Floats]
    labels: Labels
    languages: Languages | None
    lexicon: LemmaLexicon
    tags: TagLexicon | None
    #: Which FEATS each XPOS may have, in a network of one language.
    features: NDArray[np.bool_] | None

    @property
    def attributes(self) -> Attributes | None:
        return None if self.languages is None else self.languages.attributes

    @property
    def sizes(self) -> dict[str, int]:
        """How wide the heads are."""
        attributes = self.attributes
        own = {} if attributes is None else {"feats": attributes.total}
        return self.labels.sizes | own

    @property
    def settings(self) -> dict[str, Any]:
        """The sizes of the network: see `net.NetOptions`."""
        return {
            "arc_size": self.weights["arc"].shape[0],
            "label_size": self.weights["label"].shape[0] - 1,
            "tag_size": self.weights["tags.linear.weight"].shape[0],
            "mixture": "mixture" in self.weights,
            "languages": 0 if self.languages is None else 1,
            "attributes": () if self.attributes is None else self.attributes.sizes,
        }


def adapt(
    base: Base, docs: Sequence[Document], labels: Labels, code: str, nearest: str = ""
) -> Adapted:
    """The network for documents whose labels are known, in a language of that code."""
    old = base.labels
    languages = base.parser.languages
    if languages is None:
        union = Labels(
            **{name: _union(getattr(old, name), getattr(labels, name)) for name in old.sizes}
        )
        lexicon = LemmaLexicon.of(docs, union.lemma)
        features = feats_seen_with(docs, union)
        if base.parser.features is not None:
            features = _merged_features(base.parser.features, features, old, union)
        weights = _grown(base.weights, old, union, old.feats, union.feats)
        return Adapted(weights, union, None, _joined(lexicon, base), None, features)
    attributes = _attributes(languages.attributes, docs)
    own = code in languages.codes
    kept = _rules_of(languages, old, code) if own else _common_rules(languages, old)
    union = Labels(
        upos=_union(old.upos, labels.upos),
        xpos=labels.xpos or ("",),
        feats=attributes.pairs,
        # The form as it is comes first.
        lemma=_union((old.lemma[0], *kept), labels.lemma),
        deprel=_union(old.deprel, labels.deprel),
    )
    weights = _grown(
        base.weights, old, union, languages.attributes.named_columns, attributes.named_columns
    )
    row = languages.codes.index(nearest or code) + 1
    last = sum(name.startswith("features.") for name in weights) - 1
    for name in (f"features.{last}.weight", "manner.weight"):
        weights[name] = weights[name][[0, row]]
    known = _one_language(code, docs, attributes, union, labels, old, kept)
    lexicon = LemmaLexicon.of_languages({code: docs}, union.lemma)
    tags = TagLexicon.of_languages({code: docs}, union.upos, attributes)
    if own:
        lexicon = _joined(lexicon, base)
        if base.parser.tags is not None:
            tags = tags.joined(base.parser.tags)
    return Adapted(weights, union, known, lexicon, tags, None)


# ------------------------------------------------------------------------- labels


def _union(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def _attributes(old: Attributes, docs: Sequence[Document]) -> Attributes:
    return Attributes.merged(old, Attributes.of(docs))


def _rules_of(languages: Languages, old: Labels, code: str) -> tuple[str, ...]:
    """The lemma rules that a language of the network takes."""
    allowed = languages.masks["lemma"][languages.codes.index(code) + 1]
    return tuple(rule for rule, may in zip(old.lemma, allowed.tolist(), strict=True) if may)


def _common_rules(languages: Languages, old: Labels) -> tuple[str, ...]:
    """The lemma rules that many languages take, of which a small treebank shows few."""
    often = languages.masks["lemma"][1:].sum(0) >= max(2, _MANY * len(languages.codes))
    return tuple(rule for rule, many in zip(old.lemma, often.tolist(), strict=True) if many)


def _one_language(
    code: str,
    docs: Sequence[Document],
    attributes: Attributes,
    union: Labels,
    labels: Labels,
    old: Labels,
    kept: tuple[str, ...],
) -> Languages:
    """The labels of the language: those of the treebank, and likely ones that it may lack.

    That is lemma rules that were kept, relations without a subtype, where the treebank's are of
    the same kind, and all values of the attributes that it has.
    """
    rules = {code: (*labels.lemma, *kept, union.lemma[0])}
    found = Languages.of({code: docs}, attributes, union.deprel, union.lemma, rules)
    masks = {name: mask.copy() for name, mask in found.masks.items()}
    plain = {name for name in old.deprel if ":" not in name}
    theirs = {name.split(":")[0] for name in labels.deprel if name}
    if theirs and len(theirs & plain) >= _ALIKE * len(theirs):
        masks["deprel"][1] |= [name in plain for name in union.deprel]
    columns = attributes.named_columns
    names = [pair.partition("=")[0] for pair in columns]
    shown = np.array([not pair.endswith("=") for pair in columns]) & masks["feats"][1]
    seen = {names[column] for column in np.flatnonzero(shown).tolist()}
    masks["feats"][1] |= [name in seen for name in names]
    return Languages(found.codes, attributes, masks)


def _merged_features(
    old: NDArray[np.bool_], new: NDArray[np.bool_], before: Labels, union: Labels
) -> NDArray[np.bool_]:
    """Which FEATS each XPOS may have by the network's training data, or by the treebank."""
    n, k = old.shape
    # A rare tag may have all.
    told = ~new.all(axis=1, keepdims=True)
    found = np.where(told, new, False)
    found[:n, :k] |= old
    assert union.xpos[:n] == before.xpos, "those of the network come first"
    assert union.feats[:k] == before.feats, "those of the network come first"
    found[~found.any(axis=1)] = True
    return found


def _joined(lexicon: LemmaLexicon, base: Base) -> LemmaLexicon:
    other = base.parser.lexicon
    return lexicon if other is None else lexicon.joined(other)


# ------------------------------------------------------------------------ weights


def _grown(
    weights: Mapping[str, Floats],
    old: Labels,
    new: Labels,
    old_feats: Sequence[str],
    new_feats: Sequence[str],
) -> dict[str, Floats]:
    """The weights with a row for each of the new labels."""
    found = {name: np.array(array) for name, array in weights.items()}
    pairs = {name: (getattr(old, name), getattr(new, name)) for name in ("upos", "xpos", "lemma")}
    pairs["feats"] = (old_feats, new_feats)
    for name, (before, after) in pairs.items():
        place = {label: n for n, label in enumerate(before)}
        at = np.array([place.get(label, -1) for label in after])
        weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        known = at >= 0
        found[f"{name}.weight"] = np.where(known[:, None], weight[at], 0).astype(np.float32)
        fresh = np.full(len(after), bias.min(initial=0.0))
        if name == "feats":
            fresh[[label.endswith("=") for label in after]] = _ABSENT
        found[f"{name}.bias"] = np.where(known, bias[at], fresh).astype(np.float32)
    found["label"] = _labels(weights["label"], old.deprel, new.deprel)
    return found


def _labels(weight: Floats, old: Sequence[str], new: Sequence[str]) -> Floats:
    """Weights of relations: a new subtype starts a little below its relation."""
    place = {label: n for n, label in enumerate(old)}
    found = np.zeros((weight.shape[0], len(new), weight.shape[2]), np.float32)
    for n, label in enumerate(new):
        plain = label.split(":")[0]
        if label in place:
            found[:, n] = weight[:, place[label]]
        elif plain in place:
            found[:, n] = weight[:, place[plain]]
            found[-1, n, -1] -= _SUBTYPE
    return found


def _sample(docs: Sequence[Document], words: int) -> list[Document]:
    """The first sentences with so many words."""
    found: list[Document] = []
    left = words
    for doc in docs:
        if left <= 0:
            break
        if doc.n_words > left and not len(doc.turn_start):
            starts = np.flatnonzero(doc.sent_start == 1)
            inside = starts[(starts > 0) & (starts >= min(left, doc.n_tokens - 1))]
            doc = cut(doc, 0, int(inside[0])) if len(inside) else doc
        found.append(doc)
        left -= doc.n_words
    return found
