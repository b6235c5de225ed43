"""From documents to a neural parser: labels, examples, training, 8 bits.

`prepare` turns documents into arrays, `NeuralTrainer` learns from them, and `finish` makes the
stage that a pipeline runs. The three may happen on different machines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.neural.examples import (
    IGNORE,
    Examples,
    Labels,
    collect_labels,
    targets,
    unknown,
    word_features,
)
from caesura.neural.languages import Attributes, Languages
from caesura.neural.lemmas import LemmaLexicon
from caesura.neural.parser import NeuralParser, SearchSettings
from caesura.neural.shape import EncoderShape
from caesura.neural.subwords import Subwords
from caesura.neural.tag_lexicon import TagLexicon
from caesura.neural.weights import quantised
from caesura.stages.lemmas import rule_of

if TYPE_CHECKING:
    from caesura.neural.net import Net, NetOptions

__all__ = ["finish", "labels_of", "new_net", "prepare"]

#: Lemma rules seen fewer times are not learned.
_RARE_RULE: Final = 2


def labels_of(docs: Sequence[Document]) -> Labels:
    """The labels of a treebank, lemma rules among them."""
    counts: Counter[str] = Counter()
    for doc in docs:
        pairs = Counter(zip(doc.form.tolist(), doc.lemma.tolist(), strict=True))
        for (form, lemma), n in pairs.items():
            if lemma:
                counts[rule_of(doc.strings[form], doc.strings[lemma])] += n
    rules = [rule for rule, n in counts.most_common() if n >= _RARE_RULE]
    return collect_labels(docs, rules or [rule_of("a", "a")])


def prepare(
    docs: Sequence[Document],
    labels: Labels,
    subwords: Subwords,
    *,
    seen: bool | None = None,
    answers: bool = True,
    attributes: Attributes | None = None,
    language: int | None = None,
) -> Examples:
    """Documents as arrays; without `seen` case and layout are hidden where the text has none.

    Without `answers` nothing is known of the words, since a teacher's answers are to be learned.
    For a network of many languages `attributes` are those of FEATS, and `language` is the number of
    theirs, from 1 on.
    """
    number = {rule: n for n, rule in enumerate(labels.lemma)}
    known: dict[tuple[str, str], int] = {}
    found = []
    for doc in docs:
        pieces, pointer = subwords.pieces(doc)
        gold = targets(doc, labels, _rules(doc, number, known)) if answers else unknown(doc)
        bounds = np.array([0, doc.n_words])
        features = word_features(doc, seen)
        if attributes is not None:
            gold["feats"] = attributes.encode(doc, IGNORE)
        if language is not None:
            features = np.concatenate([features, np.full((doc.n_words, 1), language)], 1)
        found.append(Examples(pieces, pointer, features, bounds, **gold))
    return Examples.join(found)


def _rules(
    doc: Document, number: Mapping[str, int], known: dict[tuple[str, str], int]
) -> NDArray[np.int64]:
    """The number of the lemma rule of each word; `known` are those of pairs met before."""
    names = doc.strings
    pairs = np.stack([doc.form, doc.lemma], 1)
    kinds, which = np.unique(pairs, axis=0, return_inverse=True)
    rules = np.full(len(kinds), IGNORE, dtype=np.int64)
    for place, (form, lemma) in enumerate(kinds.tolist()):
        if lemma:
            pair = names[form], names[lemma]
            if pair not in known:
                known[pair] = number.get(rule_of(*pair), IGNORE)
            rules[place] = known[pair]
    return rules[which.reshape(-1)]


def new_net(encoder: str, labels: Labels, options: NetOptions) -> tuple[Net, Subwords]:
    """Return an untrained network over the encoder in a folder, and its sub-words."""
    from caesura.neural.encoder import load_encoder
    from caesura.neural.net import Net

    folder = Path(encoder)
    subwords = Subwords.from_folder(folder)
    return Net(load_encoder(folder, options.layers), labels.sizes, options), subwords


def finish(
    weights: Mapping[str, NDArray[Any]],
    shape: EncoderShape,
    labels: Labels,
    subwords: Subwords,
    settings: SearchSettings,
    *,
    limit: int,
    lexicon: LemmaLexicon | None = None,
    bits: int = 8,
    languages: Languages | None = None,
    features: NDArray[np.bool_] | None = None,
    tags: TagLexicon | None = None,
) -> NeuralParser:
    """The stage of a pipeline, from the weights that training chose; needs no PyTorch.

    Embeddings are kept in 4 or 8 `bits`.
    """
    label = np.asarray(weights["label"], np.float32)
    return NeuralParser(
        quantised(weights, shape, bits=bits),
        subwords,
        labels.as_lists(),
        label,
        settings,
        limit=limit,
        lexicon=lexicon,
        languages=languages,
        features=features,
        tags=tags,
    )
