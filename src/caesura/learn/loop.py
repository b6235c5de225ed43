"""One loop for everything that learns over epochs.

It yields events (start, epoch, done); the command line draws a progress bar of them, a notebook a
plot, and a test collects them in a list. `inside` receives events inside an epoch. After
an epoch the state can be written to a checkpoint; a run that was interrupted goes on from there to
the same result.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError, UsageError
from caesura.models.file import Part, load, save

#: Receives the share of an epoch that is done, from 0 to 1.
Progress = Callable[[float], None]


def silent(share: float) -> None:
    """Ignore progress."""


class Trainer(Protocol):
    """What the loop needs of a learner."""

    #: Receives the progress of `epoch`; the loop sets it.
    report: Progress

    def epoch(self, number: int) -> Mapping[str, float]:
        """One pass over the data, the same for the same number and state; returns statistics."""

    def score(self) -> Mapping[str, float]:
        """Scores on the dev data, in per cent; empty without dev data."""

    def parts(self) -> dict[str, Part]:
        """The model as it stands now."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs to go on from here to the same result."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None: ...


@dataclass(frozen=True)
class Event:
    """Something that happened in training."""

    kind: Literal["start", "inside", "epoch", "done"]
    epoch: int
    epochs: int
    stats: Mapping[str, float] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    best_epoch: int = 0
    checkpoint: str | None = None
    #: Of the epoch, where the event is `inside` one.
    share: float = 0.0


#: Checkpoints that take at most so many seconds are written after every epoch, others so seldom
#: that they take a small share of the time.
_QUICK: Final = 1.0
_SELDOM: Final = 10.0


@dataclass
class Loop:
    """Runs a trainer for a number of epochs; iterate over it to run, then take `best`.

    With dev scores the model of the epoch with the highest `metric` is kept, and `patience`
    epochs without a new highest end the run; without dev scores it is the last model.
    """

    trainer: Trainer
    epochs: int
    metric: str = ""
    patience: int | None = None
    checkpoint: Path | None = None
    resume: bool = False
    #: What must be equal for a checkpoint to fit (options, data): compared when resuming.
    fingerprint: str = ""
    #: Receives events inside an epoch.
    inside: Callable[[Event], None] | None = None
    best: dict[str, Part] = field(default_factory=dict, init=False)
    best_epoch: int = field(default=0, init=False)
    history: list[Event] = field(default_factory=list, init=False)
    #: When the last checkpoint was written, and how many seconds that took.
    _written: float = field(default=0.0, init=False)
    _cost: float = field(default=0.0, init=False)

    def __iter__(self) -> Iterator[Event]:
        done, best_value = 0, -np.inf
        if self.checkpoint and self.checkpoint.exists():
            if not self.resume:
                raise UsageError(
                    "an interrupted training is kept here",
                    file=str(self.checkpoint),
                    remedy="Go on with it (resume), or remove the file to start anew.",
                )
            done, best_value = self._restore()
        yield Event("start", done, self.epochs, best_epoch=self.best_epoch)
        for number in range(done + 1, self.epochs + 1):
            if self._patience_is_over(number - 1):
                break
            clock = time.perf_counter()
            self.trainer.report = self._report(number)
            stats = dict(self.trainer.epoch(number))
            self.trainer.report(1.0)
            scores = dict(self.trainer.score())
            value = scores[self.metric] if scores and self.metric else float(number)
            if value > best_value or not self.best:
                best_value, self.best_epoch = value, number
                if scores or self.checkpoint:  # else only the last model counts
                    self.best = self.trainer.parts()
            seconds = time.perf_counter() - clock
            path = str(self.checkpoint) if self.checkpoint else None
            event = Event(
                "epoch", number, self.epochs, stats, scores, seconds, self.best_epoch, path
            )
            self.history.append(event)
            if self.checkpoint and self._is_due(number):
                clock = time.perf_counter()
                self._save(number, best_value)
                self._written = time.perf_counter()
                self._cost = self._written - clock
            yield event
        if not self.best:
            self.best = self.trainer.parts()
        last = self.history[-1].epoch if self.history else done
        yield Event("done", last, self.epochs, best_epoch=self.best_epoch)

    def run(self) -> dict[str, Part]:
        """Run to the end and return the best model."""
        for _ in self:
            pass
        return self.best

    @property
    def best_scores(self) -> dict[str, float]:
        """The dev scores of the best epoch, also if that was before an interruption."""
        return next((dict(e.scores) for e in self.history if e.epoch == self.best_epoch), {})

    def finish(self) -> None:
        """Remove the checkpoint, once the model is safely written."""
        if self.checkpoint:
            self.checkpoint.unlink(missing_ok=True)

    def _report(self, number: int) -> Progress:
        tell = self.inside
        if tell is None:
            return silent
        return lambda share: tell(Event("inside", number, self.epochs, share=share))

    def _is_due(self, number: int) -> bool:
        """Whether a checkpoint is due: writing that of a large network takes seconds.

        An interruption then costs a few epochs at most.
        """
        since = time.perf_counter() - self._written
        return number == self.epochs or self._cost <= _QUICK or since >= _SELDOM * self._cost

    def _patience_is_over(self, done: int) -> bool:
        return self.patience is not None and done - self.best_epoch >= self.patience > 0

    def _save(self, number: int, best_value: float) -> None:
        assert self.checkpoint is not None
        state = Part("checkpoint", {"epoch": number, "best": float(best_value)}, {}, {})
        state.config["best_epoch"] = self.best_epoch
        state.config["fingerprint"] = self.fingerprint
        state.labels["history"] = [_line(event) for event in self.history]
        state.arrays = dict(self.trainer.state())
        parts = {"checkpoint": state} | {f"best-{n}": part for n, part in self.best.items()}
        save(self.checkpoint, parts, kind="checkpoint", compress=False)

    def _restore(self) -> tuple[int, float]:
        assert self.checkpoint is not None
        file = load(self.checkpoint)
        state = file.part("checkpoint")
        if state.config.get("fingerprint") != self.fingerprint:
            raise ModelError(
                "the checkpoint belongs to a run with other options or other data",
                file=str(self.checkpoint),
                remedy="Go on with the options and the data of that run, "
                "or delete it and start again with --anew.",
            )
        self.trainer.restore(state.arrays)
        self.best_epoch = int(state.config["best_epoch"])
        self.best = {
            name.removeprefix("best-"): part
            for name, part in file.parts.items()
            if name.startswith("best-")
        }
        self.history = [self._event(line) for line in state.labels.get("history", [])]
        return int(state.config["epoch"]), float(state.config["best"])

    def _event(self, line: str) -> Event:
        return Event(
            "epoch", epochs=self.epochs, checkpoint=str(self.checkpoint), **json.loads(line)
        )


def _line(event: Event) -> str:
    """An epoch as a line of the checkpoint."""
    return json.dumps(
        {
            "epoch": event.epoch,
            "stats": {name: float(value) for name, value in event.stats.items()},
            "scores": {name: float(value) for name, value in event.scores.items()},
            "seconds": event.seconds,
            "best_epoch": event.best_epoch,
        }
    )
