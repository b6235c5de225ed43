"""Expectation maximisation, soft and hard, and its stopping rules.

Lateen EM (Spitkovsky et al. 2011, 2012) optimises one objective and observes the other: in early
stopping the run ends when the observed one gets worse, in alternation the two take turns until
neither improves. Patience is the rule of S11: so many steps without a new best, which is returned.
A run reports its state after each iteration, from which it can continue to the same result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeVar

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
    """One iteration: bits per word of the optimised objective and of the observed one."""

    stage: str
    iteration: int
    objective: str
    bits: float
    watched: float | None
    #: Sentences that the constraint left without a tree, parsed without it.
    lifted: int
    seconds: float


class Turn(NamedTuple):
    """The state of alternation: turn, objective, lowest bits of both, turns without improvement."""

    number: int = 0
    objective: str = "soft"
    soft: float = np.inf
    hard: float = np.inf
    idle: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """Everything that a run needs to continue after an iteration."""

    iteration: int
    parameters: Parameters
    #: The parameters one iteration ago, those with the fewest bits, and the last counts; the same
    #: as `parameters`, or None, if the regime does not use them.
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
    """The roots and arcs that follow rules, and the demanded share of all."""

    follows: Pull
    share: float = 0.8


@dataclass(frozen=True, slots=True)
class Task:
    """Sentences over the classes of a model, a regime, and priors.

    Expectations are taken with the `pull`, and parameters re-estimated without; with a `demand`, a
    share of the arcs follows rules. The `prior` is added to all counts.
    """

    words: Sentences
    model: Model
    regime: Regime
    stage: str = ""
    workers: int = 1
    pull: Pull | None = None
    demand: Demand | None = None
    prior: Parameters | None = None


Run = Generator[Step, None, Parameters]
#: Receives the state after an iteration.
Keep = Callable[[State], None]
Item = TypeVar("Item")
Event = TypeVar("Event")
Result = TypeVar("Result")


def relay(
    run: Generator[Item, None, Result], event: Callable[[Item], Event]
) -> Generator[Event, None, Result]:
    """Yield an event for each step of a run, and return its result."""
    while True:
        try:
            item = next(run)
        except StopIteration as end:
            result: Result = end.value
            return result
        yield event(item)


def recorded(
    run: Generator[Item, None, Result], items: list[Item]
) -> Generator[Item, None, Result]:
    """Yield the steps of a run, and append them to a list."""

    def record(item: Item) -> Item:
        items.append(item)
        return item

    return (yield from relay(run, record))


def finish(run: Generator[Item, None, Result]) -> Result:
    """The result of a run."""
    while True:
        try:
            next(run)
        except StopIteration as end:
            result: Result = end.value
            return result


def _e_step(
    task: Task, parameters: Parameters, iteration: int = 0, pull: Pull | None = None
) -> tuple[Parameters, float, int]:
    """Counts, the objective, and the number of lifted constraints."""
    words, model, regime, workers = task.words, task.model, task.regime, task.workers
    drawn = parameters if pull is None else pulled(parameters, pull)
    if regime.objective == "soft" and regime.sharpness != 1.0 and iteration > 1:
        grown = min(1.0, (iteration - 1) / max(1, regime.sharpening))
        power = 1.0 + (regime.sharpness - 1.0) * grown
        sharp = each(lambda table: table**power, drawn)
        counts = expect(words, sharp, model, regime.constraint, workers).counts
        scores = likelihood(words, parameters, regime.constraint, workers)
        return counts, float(scores.sum()), 0
    if regime.objective == "soft":
        found = expect(words, drawn, model, regime.constraint, workers)
        return found.counts, float(found.scores.sum()), int(found.lifted.sum())
    trees = best(words, drawn, regime.constraint, seed=regime.ties, workers=workers)
    counts = count(words, trees.heads, model, parameters.root.shape[-1], workers)
    return counts, float(trees.scores.sum()), int(trees.lifted.sum())


def _pull_now(task: Task, parameters: Parameters, counts: Parameters | None) -> Pull | None:
    """The pull of an iteration: the given one, by the last counts, and the factor of the rules."""
    pull = task.pull
    if pull is not None:
        pull = in_harmony(one_sided(pull, counts), counts)
    if task.demand is None:
        return pull
    drawn = parameters if pull is None else pulled(parameters, pull)
    follows, share = task.demand
    constraint = task.regime.constraint
    factor = factor_for(task.words, drawn, task.model, follows, share, constraint, task.workers)
    return both(pull, with_factor(follows, factor))


def _observed(task: Task, parameters: Parameters) -> float:
    """The other objective, without constraints."""
    if task.regime.objective == "soft":
        return float(best(task.words, parameters, workers=task.workers).scores.sum())
    return float(likelihood(task.words, parameters, workers=task.workers).sum())


def run(
    task: Task, parameters: Parameters, *, state: State | None = None, keep: Keep | None = None
) -> Run:
    """Run EM from the given parameters; yield a step per iteration and return the parameters.

    With a `state`, the run continues from it instead; `keep` receives the states on the way.
    """
    regime, model = task.regime, task.model
    if regime.stop == "alternate":
        return (yield from _alternate(task, parameters, state, keep))
    per_bit = -1.0 / (np.log(2.0) * max(1, task.words.n_words))
    now = state or State(0, parameters, parameters, parameters)
    parameters, last_counts = now.parameters, now.counts
    previous, kept = now.previous, now.kept
    before, watched_before, lowest, since = now.before, now.watched, now.lowest, now.since
    pull = task.pull
    keeps = regime.final_smoothing is not None or (pull is not None and bool(pull.sided.any()))
    for iteration in range(now.iteration + 1, regime.iterations + 1):
        clock = time.perf_counter()
        counts, score, lifted = _e_step(
            task, parameters, iteration, _pull_now(task, parameters, last_counts)
        )
        bits = score * per_bit
        watched = _observed(task, parameters) * per_bit if regime.stop == "lateen" else None
        seconds = time.perf_counter() - clock
        yield Step(task.stage, iteration, regime.objective, bits, watched, lifted, seconds)
        if watched is not None:
            if watched > watched_before + CONVERGED:
                return previous
            watched_before = watched
        since += 1
        if bits < lowest:
            lowest, kept, since = bits, parameters, 0
        if regime.stop == "patience" and since >= regime.patience:
            break
        if regime.stop in ("converged", "lateen") and abs(before - bits) < CONVERGED:
            break
        before, previous = bits, parameters
        last_counts = counts if task.prior is None else add([counts, task.prior])
        parameters = normalise(last_counts, model, regime.smoothing)
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
        if regime.final_smoothing is None:
            return kept
        return normalise(_e_step(task, kept)[0], model, regime.final_smoothing)
    if regime.final_smoothing is not None and last_counts is not None:
        return normalise(last_counts, model, regime.final_smoothing)
    return parameters


def _alternate(task: Task, parameters: Parameters, state: State | None, keep: Keep | None) -> Run:
    """Soft and hard EM in turns, each to convergence, until neither lowers its own objective."""
    begin = Turn(objective=task.regime.objective)
    if state is not None and state.turn is not None:
        begin = state.turn
    objective: Literal["soft", "hard"] = "hard" if begin.objective == "hard" else "soft"
    lowest = {"soft": begin.soft, "hard": begin.hard}
    idle = begin.idle
    for number in range(begin.number, 20):
        regime = replace(task.regime, objective=objective, stop="converged")
        steps: list[Step] = []
        before = np.inf if state is None else state.before
        turn = Turn(number, objective, lowest["soft"], lowest["hard"], idle)
        one = replace(task, regime=regime)
        turns = run(one, parameters, state=state, keep=_within(turn, keep))
        parameters = yield from recorded(turns, steps)
        state = None
        bits = steps[-1].bits if steps else before
        idle = idle + 1 if bits > lowest[objective] - CONVERGED else 0
        lowest[objective] = min(lowest[objective], bits)
        if idle == 2:
            break
        objective = "hard" if objective == "soft" else "soft"
    return parameters


def _within(turn: Turn, keep: Keep | None) -> Keep | None:
    """Adds the turn to states."""
    return None if keep is None else lambda state: keep(replace(state, turn=turn))
