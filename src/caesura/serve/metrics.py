"""What the server counts, in the text format of Prometheus.

Labels are names of routes, statuses and models that the server itself knows, never anything that a
request says, so that nobody can make them many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import caesura
from caesura.paths import resident

if TYPE_CHECKING:
    from caesura.serve.workers import Workers

__all__ = ["BUCKETS", "Metrics"]

#: Seconds up to which answers are counted together.
BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """Counts since the server was started."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.received: Counter[str] = Counter()
        #: By route: answers in each bucket, the last one without a bound, and all seconds.
        self.times: dict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self.seconds: Counter[str] = Counter()

    def count(self, route: str, status: int, seconds: float, received: int) -> None:
        """An answer was given."""
        self.requests[route, status] += 1
        self.received[route] += received
        self.times[route][bisect_left(BUCKETS, seconds)] += 1
        self.seconds[route] += seconds  # type: ignore[assignment]

    def text(self, workers: Workers) -> str:
        """All of it, as Prometheus reads it."""
        return "\n".join([*self._own(), *_of_workers(workers), ""])

    def _own(self) -> Iterator[str]:
        version = {_said(version=caesura.__version__): 1}
        answers = {_said(route=r, status=s): n for (r, s), n in sorted(self.requests.items())}
        received = {_said(route=route): n for route, n in sorted(self.received.items())}
        yield from _family("build_info", "gauge", "The version.", version)
        yield from _family("requests_total", "counter", "Answers by route and status.", answers)
        yield from _family("request_bytes_total", "counter", "Bytes of bodies by route.", received)
        name = "caesura_request_seconds"
        yield f"# HELP {name} Time to answer by route, waiting and sending included."
        yield f"# TYPE {name} histogram"
        for route, buckets in sorted(self.times.items()):
            total = 0
            for bound, number in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
                total += number
                yield f"{name}_bucket{_said(route=route, le=bound)} {total}"
            yield f"{name}_sum{_said(route=route)} {self.seconds[route]:.6f}"
            yield f"{name}_count{_said(route=route)} {total}"
        yield from _family("server_memory_bytes", "gauge", "Of the server.", {"": resident()})


def _of_workers(workers: Workers) -> Iterator[str]:
    alive, busy = workers.alive, workers.busy
    states = {_said(state="busy"): busy, _said(state="idle"): max(0, len(alive) - busy)}
    memory = {_said(worker=n): resident(one.process.pid) for n, one in enumerate(alive, 1)}
    loaded = {
        _said(model=name): sum(name in worker.models for worker in alive)
        for name in workers.models.paths
    }
    families: tuple[tuple[str, str, str, int | Mapping[str, float]], ...] = (
        ("words_total", "counter", "Words of answers.", workers.words),
        ("places", "gauge", "Requests that may run or wait.", workers.places),
        ("places_taken", "gauge", "Requests that run or wait.", workers.taken),
        ("queue", "gauge", "Requests that wait for a worker.", max(0, workers.taken - busy)),
        ("workers", "gauge", "Workers by what they do.", states),
        (
            "worker_restarts_total",
            "counter",
            "Workers that ended and were replaced.",
            workers.restarts,
        ),
        ("worker_memory_bytes", "gauge", "Of each worker.", memory),
        ("model_workers", "gauge", "Workers that have loaded a model.", loaded),
        (
            "model_unloads_total",
            "counter",
            "Models that were unloaded to keep memory low.",
            workers.unloads,
        ),
    )
    for name, kind, does, rows in families:
        yield from _family(name, kind, does, {"": rows} if isinstance(rows, int) else rows)


def _family(name: str, kind: str, does: str, rows: Mapping[str, float]) -> Iterator[str]:
    name = f"caesura_{name}"
    yield f"# HELP {name} {does}"
    yield f"# TYPE {name} {kind}"
    for labels, value in rows.items():
        yield f"{name}{labels} {value}"


def _said(**labels: object) -> str:
    """Labels as they stand behind a name."""
    parts = [f'{name}="{_escaped(str(value))}"' for name, value in labels.items()]
    return f"{{{','.join(parts)}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
