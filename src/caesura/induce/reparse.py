"""A last stage in which a grammar and an arc model teach each other.

The arc model learns from the grammar's posteriors; from the trees that it finds then the grammar
starts again, with a few iterations of EM; where both agree, the next round
believes it more (after Le & Zuidema 2015, "Unsupervised dependency parsing: let's use supervised
parsers", who train a parser on the output of induction and again on its own).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

import numpy as np

from caesura.induce import em
from caesura.induce.arc_model import ArcModel, arc_posteriors, arc_trees, learn_arc_model, tree_arcs
from caesura.induce.corpus import Corpus
from caesura.induce.grammar import Grammar
from caesura.induce.guidance import Guidance
from caesura.induce.inference import count
from caesura.induce.options import InduceOptions
from caesura.induce.parameters import Floats, Ints, Longs, Parameters, find_model, normalise
from caesura.induce.recipes import Regime
from caesura.induce.sentences import Sentences
from caesura.induce.training import Learnt, View, views_of

#: The size of the training sample in words, in sentences spread over the text.
SAMPLE = 250_000
CONSTRAINT = "sprawl"
#: How the grammar learns in a round.
REGIME = Regime("soft", "fixed", 10, constraint=CONSTRAINT, smoothing=0.1)


def sampled(words: Sentences, longest: int) -> np.ndarray:
    """By sentence: whether it is in the training sample."""
    chosen = words.up_to(longest)
    every = max(1, -(-int(words.lengths[chosen].sum()) // SAMPLE))
    chosen[np.flatnonzero(chosen)[np.arange(int(chosen.sum())) % every > 0]] = False
    return chosen


def taught(
    grammar: Grammar, words: Corpus, learnt: Learnt, led: Guidance, options: InduceOptions
) -> Generator[float, None, Grammar]:
    """A grammar with an arc model, after the rounds that the options ask for.

    What was learnt is led on as it was before; yields as `reparse`.
    """
    chosen = sampled(words.sentences, options.longest)
    plain = words.select(chosen)
    view = views_of(led.view(words), words.words, words.forms)(
        options.lexical if learnt.lexicon else 0
    )
    parameters, arcs = yield from reparse(
        plain.sentences,
        replace(view, words=view.words.select(chosen)),
        [words.forms[form] for form in plain.words.tolist()],
        learnt.parameters,
        learnt.model,
        options.rounds,
        seed=options.seed,
        workers=options.workers,
    )
    return replace(grammar, parameters=parameters, arcs=arcs)


def reparse(
    plain: Sentences,
    view: View,
    forms: Sequence[str],
    parameters: Parameters,
    model: str,
    rounds: int,
    *,
    seed: int = 0,
    workers: int = 1,
) -> Generator[float, None, tuple[Parameters, ArcModel]]:
    """So many rounds; yields the share of arcs that changed in each.

    Sentences are given over plain classes, which the arc model sees, and in the view of the
    grammar, with what leads its learning.
    """
    seen = view.words
    aims = arc_posteriors(seen, parameters, CONSTRAINT)
    trees = tree_arcs(plain, arc_trees(plain, aims, CONSTRAINT))
    for _ in range(rounds):
        arcs = learn_arc_model(plain, forms, aims, seed)
        chances = arcs.chances(plain, arcs.numbers(forms))
        heads = arc_trees(plain, _logs(chances), CONSTRAINT)
        parameters = _learnt(view, heads, model, workers)
        aims = _shared(plain, chances * arc_posteriors(seen, parameters, CONSTRAINT))
        before, trees = trees, tree_arcs(plain, heads)
        yield float((trees != before).mean()) if len(trees) else 0.0
    return parameters, arcs


def _learnt(view: View, heads: Ints, model: str, workers: int) -> Parameters:
    """What the grammar learns from trees."""
    row = find_model(model)
    counts = count(view.words, heads, row, len(view.names), workers)
    start = normalise(counts, row, REGIME.smoothing)
    task = em.Task(view.words, row, REGIME, "", workers, view.pull, view.demand, view.prior(row))
    return em.finish(em.run(task, start))


def _logs(chances: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(chances, 1e-12)))


def _shared(words: Sentences, weights: Floats) -> Floats:
    """Weights such that those of the arcs to each word sum to one."""
    dependent = _dependents(words)
    total = np.bincount(dependent, weights, minlength=words.n_words)
    return np.asarray(weights / np.maximum(total, 1e-300)[dependent])


def _dependents(words: Sentences) -> Longs:
    """The word to which each arc goes."""
    parts = [
        np.tile(np.arange(a, b), b - a)
        for a, b in zip(words.starts[:-1].tolist(), words.starts[1:].tolist(), strict=True)
    ]
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)
