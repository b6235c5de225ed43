"""What an induction tells of its runs, and runs that are told of afterwards."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caesura.induce.checkpoint import Checkpoint
from caesura.induce.em import Step
from caesura.induce.grammar import Grammar
from caesura.induce.recipes import TrainingStage
from caesura.induce.selection import Candidate
from caesura.induce.training import Learnt

__all__ = ["Event", "finished", "looks", "rounds_of", "standing", "told"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: a number of `classes` was tried, data are ready (`start`), something
    is odd about them (`warning`), an interrupted run goes on (`resumed`), a `step` of EM, a
    `restart` is done, a `round` of the last stage, a grammar that will vote (`member`), all is
    `done`."""

    kind: str
    restart: int = 0
    step: Step | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)


def rounds_of(teaching: Generator[float, None, Grammar]) -> Generator[Event, None, Grammar]:
    """Tells of the rounds of an arc model (see `reparse`)."""
    number = 0
    while True:
        try:
            changed = next(teaching)
        except StopIteration as end:
            grammar: Grammar = end.value
            return grammar
        number += 1
        yield Event("round", number, stats={"changed": changed})


def looks(candidate: Candidate, alike: float) -> dict[str, Any]:
    """What a record says of a candidate's trees."""
    arc = round(candidate.arc, 4) if np.isfinite(candidate.arc) else None
    return {"arc": arc, "chain": candidate.chain, "agreement": alike}


def standing(kept: Checkpoint, stages: tuple[TrainingStage, ...]) -> dict[str, Any]:
    """Where an interrupted induction goes on: restarts that are done, and the one under way."""
    about: dict[str, Any] = {"restarts": len(kept.restarts)}
    place = kept.places.get(len(kept.restarts))
    if place is not None:
        about |= {"stage": stages[place.stage].name, "iteration": place.state.iteration}
    return about


def finished(
    run: Generator[Step, None, Learnt], stop: threading.Event
) -> tuple[list[Step], Learnt]:
    steps: list[Step] = []
    while True:
        if stop.is_set():
            raise KeyboardInterrupt
        try:
            steps.append(next(run))
        except StopIteration as end:
            return steps, end.value


def told(steps: list[Step], learnt: Learnt) -> Generator[Step, None, Learnt]:
    yield from steps
    return learnt
