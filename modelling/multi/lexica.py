"""Which treebanks of a language its lexica and masks are made of: all, or the main ones alone.

Treebanks of one language differ in their habits, and the network knows the language and not the
treebank. Where the words of others cost more than they tell, by the dev files of the main ones, the
lexica know nothing of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from modelling.multi.examples import documents, first_words
from modelling.multi.tokenizers import Treebank

from caesura.document import YES, Document
from caesura.document.slicing import cut
from caesura.formats import read
from caesura.stages.network import NeuralParser
from caesura.stages.network_encoder import Scores
from caesura.stages.network_labels import Languages
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_tagging import Tagging
from caesura.stages.network_tags import TagLexicon

#: The first words of a dev file are scored by `scores.py`; these after them are looked at.
SCORED, LOOKED_AT = 800, 800
#: With fewer of them the first ones are looked at as well.
ENOUGH = 300
COLUMNS = ("upos", "feats", "lemma")

Read = list[tuple[Document, Scores]]


def with_lexica(stage: NeuralParser, treebanks: Sequence[Treebank], most: int) -> None:
    """Give a network the lexica and masks of its languages."""
    assert stage.languages is not None, "it is a network of many languages"
    languages: dict[str, list[Treebank]] = {}
    for treebank in treebanks:
        languages.setdefault(treebank.language, []).append(treebank)
    chosen: dict[str, list[Document]] = {}
    for code, own in languages.items():
        everything = chosen[code] = documents(own, most)[code]
        main = [treebank for treebank in own if treebank.main]
        if not main or len(main) == len(own):
            continue
        few = documents(main, most)[code]
        read = _read(stage, main)
        scores = [_right(_tagging(stage, {code: docs}), read) for docs in (few, everything)]
        told = " ".join(f"{100 * score:.2f}" for score in scores)
        print(f"{code}: the main treebanks alone, all: {told}", file=sys.stderr, flush=True)
        if scores[0] >= scores[1]:
            chosen[code] = few
    made = _tagging(stage, chosen)
    stage.tags, stage.lexicon, stage.languages = made.tags, made.lexicon, made.languages


def _read(stage: NeuralParser, treebanks: Sequence[Treebank]) -> Read:
    """What the network says of given words of dev files."""
    found = []
    for treebank in treebanks:
        for doc in later_words(treebank):
            code = int(doc.strings.ids([treebank.language])[0])
            doc.token_language = np.full(doc.n_tokens, code, np.int32)
            found.append((doc, stage.encoder.scores(doc)))
    return found


def later_words(treebank: Treebank, words: int = LOOKED_AT) -> list[Document]:
    """The words of a dev file behind those that are scored, as far as there are enough."""
    if treebank.dev is None:
        return []
    found: list[Document] = []
    skip = SCORED
    for doc in read(treebank.dev):
        starts = np.flatnonzero(doc.sent_start == YES)
        behind = starts[starts >= skip]
        if len(behind):
            found.append(cut(doc, int(behind[0]), doc.n_tokens) if skip else doc)
        skip = max(0, skip - doc.n_tokens)
    if sum(doc.n_tokens for doc in found) < ENOUGH:
        found = list(read(treebank.dev))
    return first_words(found, words)


def _tagging(stage: NeuralParser, docs: dict[str, list[Document]]) -> Tagging:
    """What decides about tags, with the lexica and masks of some documents."""
    known, labels = stage.languages, stage.labels
    assert known is not None
    own = Languages.of(docs, known.attributes, labels["deprel"], labels["lemma"], {})
    masks = {name: mask.copy() for name, mask in known.masks.items()}
    for row, code in enumerate(own.codes, 1):
        # Lemma rules stay those that all treebanks have.
        for name in ("deprel", "feats"):
            masks[name][known.codes.index(code) + 1] = own.masks[name][row]
    return Tagging(
        labels,
        LemmaLexicon.of_languages(docs, labels["lemma"]),
        replace(known, masks=masks),
        None,
        TagLexicon.of_languages(docs, labels["upos"], known.attributes),
    )


def _right(tagging: Tagging, read: Read) -> float:
    """The share of tags, features and lemmas that are right."""
    right = words = 0
    for doc, scores in read:
        made = replace(doc, fixed=frozenset())
        tagging.write(made, scores, False)
        for name in COLUMNS:
            pairs = zip(doc.column(name), made.column(name), strict=True)
            right += sum(one == other for one, other in pairs)
            words += doc.n_words
    return right / max(words, 1)
