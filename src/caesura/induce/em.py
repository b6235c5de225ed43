"""Expectation maximisation, soft and hard, and when to stop it.

Lateen EM (Spitkovsky et al. 2011, 2012) lets one objective steer and the other watch: in early
stopping the watcher ends the run when it gets worse, in alternation the two take turns until
neither improves. Patience is the rule of S11: so many steps without a new best, which is returned.
After each iteration a run can tell its state, from which it goes on to the same result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from caesura.induce.inference import best, count, expect, likelihood
from caesura.induce.parameters import Model, Parameters, add, each, normalise
from caesura.induce.priors import Pull, both, factor_for, in_harmony, one_sided, pulled, with_factor
from caesura.induce.recipes import Regime
from caesura.induce.sentences import Sentences

#: Change of the objective, in bits a token, under which a run has converged.
CONVERGED = 2.0**-20


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration: bits a word of the objective that steers and of the one that watches."""

    stage: str
    iteration: int
    objective: str
    bits: float
    watched: float | None
    #: Sentences that the constraint left without a tree, parsed without it.
    lifted: int
    seconds: float


class Turn(NamedTuple):
    """Where alternation stands: the turn, whose it is, the lowest bits of both, turns in vain."""

    number: int = 0
    objective: str = "soft"
    soft: float = np.inf
    hard: float = np.inf
    idle: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """All that a run needs to go on after an iteration."""

    iteration: int
    parameters: Parameters
    #: The parameters one iteration ago, those with the fewest bits, and the last counts; the same
    #: as `parameters`, or none, where the regime never looks at them.
    previous: Parameters
    kept: Parameters
    counts: Parameters | None = None
    before: float = np.inf
    watched: float = np.inf
    lowest: float = np.inf
    since: int = 0
    #: As in the step.
    lifted: int = 0
    turn: Turn | None = None


class Demand(NamedTuple):
    """Which roots and arcs follow rules, and what share of them is to."""

    follows: Pull
    share: float = 0.8


Run = Generator[Step, None, Parameters]
#: Told of the state after an iteration.
Keep = Callable[[State], None]


def _e_step(
    objective: str,
    words: Sentences,
    parameters: Parameters,
    model: Model,
    regime: Regime,
    workers: int,
    iteration: int = 0,
    pull: Pull | None = None,
) -> tuple[Parameters, float, int]:
    true = parameters
    if pull is not None:
        parameters = pulled(parameters, pull)
    if objective == "soft" and regime.sharpness != 1.0 and iteration > 1:
        grown = min(1.0, (iteration - 1) / max(1, regime.sharpening))
        power = 1.0 + (regime.sharpness - 1.0) * grown
        sharp = each(lambda table: table**power, parameters)
        counts = expect(words, sharp, model, regime.constraint, workers).counts
        scores = likelihood(words, true, regime.constraint, workers)
        return counts, float(scores.sum()), 0
    if objective == "soft":
        found = expect(words, parameters, model, regime.constraint, workers)
        return found.counts, float(found.scores.sum()), int(found.lifted.sum())
    trees = best(words, parameters, regime.constraint, seed=regime.ties, workers=workers)
    counts = count(words, trees.heads, model, parameters.root.shape[-1], workers)
    return counts, float(trees.scores.sum()), int(trees.lifted.sum())


def _now(
    words: Sentences,
    parameters: Parameters,
    model: Model,
    regime: Regime,
    workers: int,
    pull: Pull | None,
    demand: Demand | None,
    counts: Parameters | None,
) -> Pull | None:
    """The pull of this iteration: what is given, the sides found so far, what rules demand."""
    if pull is not None:
        pull = in_harmony(one_sided(pull, counts), counts)
    if demand is None:
        return pull
    drawn = parameters if pull is None else pulled(parameters, pull)
    factor = factor_for(
        words, drawn, model, demand.follows, demand.share, regime.constraint, workers
    )
    return both(pull, with_factor(demand.follows, factor))


def _watch(objective: str, words: Sentences, parameters: Parameters, workers: int) -> float:
    """The other objective, without constraints."""
    if objective == "soft":
        return float(best(words, parameters, workers=workers).scores.sum())
    return float(likelihood(words, parameters, workers=workers).sum())


def run(
    words: Sentences,
    parameters: Parameters,
    model: Model,
    regime: Regime,
    *,
    stage: str = "",
    workers: int = 1,
    pull: Pull | None = None,
    demand: Demand | None = None,
    prior: Parameters | None = None,
    state: State | None = None,
    keep: Keep | None = None,
) -> Run:
    """Run EM from the given parameters; yields a step for each iteration and returns parameters.

    With `pull`, expectations are taken under `pulled` parameters, and re-estimated without; with a
    `demand`, so that a share of the arcs follows rules. A `prior` is added to all counts. With a
    `state`, the run goes on from it instead; `keep` is told of the states on the way.
    """
    if regime.stop == "alternate":
        return (
            yield from _alternate(
                words, parameters, model, regime, stage, workers, pull, demand, prior, state, keep
            )
        )
    per_bit = -1.0 / (np.log(2.0) * max(1, words.n_words))
    begin = state or State(0, parameters, parameters, parameters)
    parameters, previous, kept, last_counts = (
        begin.parameters,
        begin.previous,
        begin.kept,
        begin.counts,
    )
    before, watched_before = begin.before, begin.watched
    lowest, since = begin.lowest, begin.since
    keeps = regime.final_smoothing is not None or (pull is not None and bool(pull.sided.any()))
    for iteration in range(begin.iteration + 1, regime.iterations + 1):
        clock = time.perf_counter()
        counts, score, lifted = _e_step(
            regime.objective,
            words,
            parameters,
            model,
            regime,
            workers,
            iteration,
            _now(words, parameters, model, regime, workers, pull, demand, last_counts),
        )
        bits = score * per_bit
        watched = None
        if regime.stop == "lateen":
            watched = _watch(regime.objective, words, parameters, workers) * per_bit
        seconds = time.perf_counter() - clock
        yield Step(stage, iteration, regime.objective, bits, watched, lifted, seconds)
        if watched is not None:
            if watched > watched_before + CONVERGED:
                return previous
            watched_before = watched
        if bits < lowest:
            lowest, kept, since = bits, parameters, 0
        else:
            since += 1
        if regime.stop == "patience" and since >= regime.patience:
            return _finish(words, kept, model, regime, workers)
        if regime.stop in ("converged", "lateen") and abs(before - bits) < CONVERGED:
            break
        before = bits
        previous = parameters
        if prior is not None:
            counts = add([counts, prior])
        last_counts = counts
        parameters = normalise(counts, model, regime.smoothing)
        if keep is not None:
            keep(
                State(
                    iteration,
                    parameters,
                    previous if regime.stop == "lateen" else parameters,
                    kept if regime.stop == "patience" else parameters,
                    last_counts if keeps else None,
                    before,
                    watched_before,
                    lowest,
                    since,
                    lifted,
                )
            )
    if regime.stop == "patience":
        return _finish(words, kept, model, regime, workers)
    if regime.final_smoothing is not None and last_counts is not None:
        return normalise(last_counts, model, regime.final_smoothing)
    return parameters


def _finish(
    words: Sentences, parameters: Parameters, model: Model, regime: Regime, workers: int
) -> Parameters:
    """The best model of a patient run, smoothed at the end where the regime asks for it."""
    if regime.final_smoothing is None:
        return parameters
    counts, _, _ = _e_step(regime.objective, words, parameters, model, regime, workers)
    return normalise(counts, model, regime.final_smoothing)


def _alternate(
    words: Sentences,
    parameters: Parameters,
    model: Model,
    regime: Regime,
    stage: str,
    workers: int,
    pull: Pull | None,
    demand: Demand | None,
    prior: Parameters | None,
    state: State | None,
    keep: Keep | None,
) -> Run:
    """Soft and hard EM in turns, each to convergence, until neither lowers its own objective."""
    begin = Turn(objective=regime.objective)
    if state is not None and state.turn is not None:
        begin = state.turn
    turn: Literal["soft", "hard"] = "hard" if begin.objective == "hard" else "soft"
    lowest = {"soft": begin.soft, "hard": begin.hard}
    idle = begin.idle
    for number in range(begin.number, 20):
        one = replace(regime, objective=turn, stop="converged", iterations=regime.iterations)
        bits = np.inf if state is None else state.before
        now = Turn(number, turn, lowest["soft"], lowest["hard"], idle)
        runner = run(
            words,
            parameters,
            model,
            one,
            stage=stage,
            workers=workers,
            pull=pull,
            demand=demand,
            prior=prior,
            state=state,
            keep=_within(now, keep),
        )
        state = None
        while True:
            try:
                step = next(runner)
            except StopIteration as end:
                parameters = end.value
                break
            bits = step.bits
            yield step
        idle = idle + 1 if bits > lowest[turn] - CONVERGED else 0
        lowest[turn] = min(lowest[turn], bits)
        if idle == 2:
            break
        turn = "hard" if turn == "soft" else "soft"
    return parameters


def _within(turn: Turn, keep: Keep | None) -> Keep | None:
    """Tells of states in a turn."""
    if keep is None:
        return None
    tell = keep
    return lambda state: tell(replace(state, turn=turn))
