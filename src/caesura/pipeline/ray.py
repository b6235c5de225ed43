"""The engine of a cluster: batches of documents are tasks of Ray, which retries those that fail.

Files are read and results written by the one who asks, so workers need the model's file but no
shared disk, and the output is what one machine would give. A worker loads the model once.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from caesura.errors import CaesuraError, InputError, MissingExtra
from caesura.language import watch_for
from caesura.models.store import digest, load_model
from caesura.options import Request
from caesura.pipeline.loading import choose
from caesura.pipeline.run import (
    End,
    Engine,
    Event,
    Failed,
    LongText,
    Task,
    Unit,
    annotate_batch,
    annotate_long,
)

if TYPE_CHECKING:
    from caesura.pipeline.core import Pipeline

__all__ = ["Ray"]

#: How often a task is tried again after a worker died or broke.
RETRIES: Final = 3
#: Batches that are under way for each worker.
_AHEAD: Final = 2


class _Recipe(NamedTuple):
    """What a worker needs to make its pipeline: the model's file is in Ray's store."""

    digest: str
    search: tuple[tuple[str, float], ...]


#: The pipelines that this worker has made.
_made: dict[_Recipe, Pipeline] = {}


def _pipeline(recipe: _Recipe, model: list[Any]) -> Pipeline:
    """The pipeline of a worker, made once."""
    import ray

    if recipe not in _made:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.caesura"
            path.write_bytes(ray.get(model[0]))
            # While the file is there: with options a network is read once more. Texts are looked
            # at where they are read.
            nlp = choose(load_model(path), search=dict(recipe.search))
            _made[recipe] = nlp.unwatched()
    return _made[recipe]


def _work(recipe: _Recipe, model: list[Any], batch: list[Task], request: Request) -> list[Event]:
    """What a worker does: parse a batch, or one long text."""
    nlp = _pipeline(recipe, model)
    first = batch[0]
    if isinstance(first, LongText):
        return list(annotate_long(nlp, first, request))
    return annotate_batch(nlp, batch, request)


class Ray(Engine):
    """Parses on the cluster at RAY_ADDRESS, or on the cores of this machine."""

    def __init__(
        self, model: Path, *, search: Mapping[str, float] | None = None, retries: int = RETRIES
    ) -> None:
        try:
            import ray
        except ImportError:
            raise MissingExtra("ray", "ray", "--engine ray") from None
        if not ray.is_initialized():
            options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
            if "RAY_ADDRESS" not in os.environ:
                options["include_dashboard"] = False
            try:
                ray.init(**options)
            except Exception as error:  # Ray raises all sorts of them, some of them bare
                what = f"Ray does not start ({str(error).splitlines()[0].rstrip('.')})"
                raise InputError(what, remedy="See `ray status`, or leave --engine out.") from error
        self.watch = watch_for(load_model(model).meta)
        self._ray = ray
        # In a list, so that Ray does not fetch it for every task.
        self._model = [ray.put(model.read_bytes())]
        self._recipe = _Recipe(digest(model), tuple(sorted((search or {}).items())))
        self._task = ray.remote(num_cpus=1, max_retries=retries, retry_exceptions=True)(_work)
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        self._under_way = _AHEAD * max(1, int(resources.get("CPU", 1)))

    def __call__(self, batches: Iterator[list[Task]], request: Request) -> Iterator[Event]:
        """The events of all batches, in order."""
        waiting: deque[tuple[Any, list[Task]]] = deque()
        for batch in batches:
            tasks = [_sendable(task) for task in batch]
            sent = self._task.remote(self._recipe, self._model, tasks, request)
            waiting.append((sent, batch))
            if len(waiting) > self._under_way:
                yield from self._events(*waiting.popleft())
        while waiting:
            yield from self._events(*waiting.popleft())

    def _events(self, sent: Any, batch: list[Task]) -> Iterator[Event]:
        """The events of a batch; where the cluster gives it up, each of its documents fails."""
        try:
            yield from self._ray.get(sent)
        except self._ray.exceptions.RayError as error:
            yield from _given_up(batch, error)


def _given_up(batch: list[Task], error: Exception) -> Iterator[Event]:
    """The events of a batch that failed too often: workers died, or cannot be reached."""
    told = (str(error).splitlines() or [""])[0][:200].rstrip(".")
    what = f"the cluster gave it up: {type(error).__name__}" + (f" ({told})" if told else "")
    remedy = "See `ray status`, then start again with --resume."
    for task in batch:
        if isinstance(task, Unit):
            yield Failed(InputError(what, file=task.document.source, remedy=remedy))
        elif isinstance(task, LongText):
            yield End(task.source, InputError(what, file=task.source.shown, remedy=remedy))
        else:
            yield task


def _sendable(task: Task) -> Task:
    """A task that can travel: a long text is read to its end, so that an error is found here."""
    if not isinstance(task, LongText):
        return task
    try:
        return LongText(task.source, iter(list(task.blocks)))
    except CaesuraError as error:
        return End(task.source, error)
