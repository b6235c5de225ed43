"""Predicates, which nearly every sentence has, and how many of the annotated roots they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.papers.induction.treebanks import Bench

from caesura.cluster.clustering import sentences_of
from caesura.induce import InduceOptions
from caesura.induce.context import PREDICATE, find_predicates, in_most_sentences, whole_sentences
from caesura.induce.options import APART
from caesura.induce.word_classes import learn_classifier, regroup

__all__ = ["predicates"]


def predicates(bench: Bench) -> dict[str, Any]:
    """What nearly every sentence has, over tags and over words, and how many roots are among it.

    Gold trees are looked at for the shares of roots only.
    """
    words, held = bench.words.sentences, bench.held.sentences
    names = np.array(bench.words.names)
    looked = whole_sentences(words.lengths, words.comps > 0)
    counts = np.zeros((len(words), len(names)), dtype=np.int32)
    np.add.at(counts, (words.owner, words.classes), 1)
    found = in_most_sentences(counts[looked])
    often = np.bincount(words.classes, minlength=len(names))
    order = [k for k in np.argsort(-often) if found[k] and often[k] >= 0.001 * words.n_words]
    sentences = list(sentences_of(bench.train))
    known = regroup(sentences, learn_classifier(sentences, "12", context=1), APART)
    assert known.context is not None
    clusters = InduceOptions().clusters
    known = replace(
        known,
        context=replace(
            known.context, predicates=find_predicates(sentences, known.context, clusters)
        ),
    )
    kinds = [known.classify(doc) for doc in bench.test]
    places = zip(bench.held.document.tolist(), bench.held.index.tolist(), strict=True)
    chosen = np.array([PREDICATE in kinds[number][at] for number, at in places], dtype=bool)
    tagged, roots = found[held.classes], bench.gold == -1
    return {
        "over tags": " ".join(names[order].tolist()),
        "words": round(100 * float(tagged.mean()), 1),
        "roots": round(100 * float(tagged[roots].mean()), 1),
        "words, no tags": round(100 * float(chosen.mean()), 1),
        "roots, no tags": round(100 * float(chosen[roots].mean()), 1),
    }
