"""The training loop: what a checkpoint keeps, and that no interrupted run is lost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura.errors import ModelError, UsageError
from caesura.learn.loop import Loop
from caesura.models.file import Part

#: By epoch: the best one comes first.
SCORES = (70.0, 60.0, 65.0, 50.0)


class Counter:
    """Learns to count."""

    def __init__(self) -> None:
        self.count = np.zeros(1, np.int64)

    def epoch(self, number: int) -> Mapping[str, float]:
        self.count += number
        return {"count": float(self.count[0])}

    def score(self) -> Mapping[str, float]:
        number = int((np.sqrt(8 * self.count[0] + 1) - 1) // 2)
        return {"F1": SCORES[number - 1]}

    def parts(self) -> dict[str, Part]:
        return {"counter": Part("counter", arrays={"count": self.count.copy()})}

    def state(self) -> dict[str, NDArray[Any]]:
        return {"count": self.count.copy()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        self.count[:] = state["count"]


def interrupted(path: Path, epochs: int) -> None:
    """A run that ends after so many epochs and leaves its checkpoint."""
    for event in Loop(Counter(), 4, metric="F1", checkpoint=path):
        if event.kind == "epoch" and event.epoch == epochs:
            return


@pytest.mark.parametrize("epochs", [1, 2, 3, 4])
def test_a_resumed_run_knows_the_epochs_before_it(tmp_path: Path, epochs: int) -> None:
    path = tmp_path / "run.checkpoint"
    interrupted(path, epochs)
    loop = Loop(Counter(), 4, metric="F1", checkpoint=path, resume=True)
    assert loop.run()["counter"].array("count")[0] == 1
    assert [event.epoch for event in loop.history] == [1, 2, 3, 4]
    assert [event.stats["count"] for event in loop.history] == [1, 3, 6, 10]
    # The best epoch was before the interruption.
    assert (loop.best_epoch, loop.best_scores) == (1, {"F1": 70.0})


def test_an_interrupted_run_is_not_lost_by_starting_another(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    interrupted(path, 2)
    kept = path.read_bytes()
    with pytest.raises(UsageError, match="interrupted training is kept"):
        Loop(Counter(), 4, checkpoint=path).run()
    assert path.read_bytes() == kept


def test_another_run_does_not_go_on_from_it(tmp_path: Path) -> None:
    path = tmp_path / "run.checkpoint"
    interrupted(path, 2)
    kept = path.read_bytes()
    with pytest.raises(ModelError, match=r"other options or other data.*--anew"):
        Loop(Counter(), 4, checkpoint=path, resume=True, fingerprint="other").run()
    assert path.read_bytes() == kept


class Slow(Counter):
    """Takes twelve seconds for an epoch, by a clock of its own."""

    clock = 100.0

    def score(self) -> Mapping[str, float]:
        Slow.clock += 12
        return super().score()


@pytest.mark.parametrize(
    ("cost", "wanted"), [(0.5, [1, 2, 3, 4]), (2.0, [1, 3, 4]), (60.0, [1, 4])]
)
def test_checkpoints_that_take_long_are_written_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cost: float, wanted: list[int]
) -> None:
    written: list[int] = []

    def save(path: Path, parts: Mapping[str, Part], **_: Any) -> None:
        written.append(parts["checkpoint"].config["epoch"])
        Slow.clock += cost

    monkeypatch.setattr("caesura.learn.loop.save", save)
    monkeypatch.setattr("caesura.learn.loop.time.perf_counter", lambda: Slow.clock)
    Loop(Slow(), 4, metric="F1", checkpoint=tmp_path / "run.checkpoint").run()
    assert written == wanted
