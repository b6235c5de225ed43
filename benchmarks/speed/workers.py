"""Throughput of threads, processes and Ray on the cores of one machine.

    python -m benchmarks.speed.workers --write
    python -m benchmarks.speed.workers --model en --workers 4

The texts of EWT dev are parsed by one thread, by --workers threads, by as many processes, each with
its share of the texts and its own model, and by Ray with as many workers. All load their models and
parse some texts before the clock starts, and they take turns; the fastest of --repeat rounds
counts. The throughput of processes is the sum of their rates. Words per second are wall-clock
rates; words per CPU second show the cost of communication, of locks and of shared caches. The CPU
time of Ray is that of its workers and of the calling process.
"""

from __future__ import annotations

import multiprocessing
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.common import RESULTS, dev_texts, keep_json, machine, options, show

BATCH: Final = 16


def texts_of(words: int) -> list[str]:
    """Texts of about so many words together."""
    found: list[str] = []
    while words > 0:
        for text in dev_texts():
            found.append(text)
            words -= len(text.split())
            if words <= 0:
                break
    return found


def counted(nlp: Any, texts: list[str], threads: int = 1) -> int:
    return sum(doc.n_words for doc in nlp.pipe(texts, threads=threads))


def threads(nlp: Any, texts: list[str], count: int) -> tuple[float, float, int]:
    """Seconds of the wall, of all cores, and words."""
    wall, used = time.perf_counter(), time.process_time()
    words = counted(nlp, texts, count)
    return time.perf_counter() - wall, time.process_time() - used, words


def _process(model: str, texts: list[str], pipe: Any) -> None:
    import caesura

    nlp = caesura.load(model)
    counted(nlp, texts[:8])
    pipe.send(None)
    while pipe.recv():
        wall, used, words = threads(nlp, texts, 1)
        pipe.send((words / wall, used, words))


class Processes:
    """Processes that have loaded the model and wait for a start signal."""

    def __init__(self, model: str, texts: list[str], count: int) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipes, self.all = [], []
        for number in range(count):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_process, args=(model, texts[number::count], theirs))
            process.start()
            self.pipes.append(ours)
            self.all.append(process)
        for pipe in self.pipes:
            pipe.recv()

    def __call__(self) -> tuple[float, float, int]:
        for pipe in self.pipes:
            pipe.send(True)
        told = [pipe.recv() for pipe in self.pipes]
        words = sum(n for _, _, n in told)
        return words / sum(rate for rate, _, _ in told), sum(cpu for _, cpu, _ in told), words

    def end(self) -> None:
        for pipe, process in zip(self.pipes, self.all, strict=True):
            pipe.send(False)
            process.join()


class Cluster:
    """Ray on this machine."""

    def __init__(self, model: str, texts: list[str], count: int) -> None:
        import ray

        from caesura.models.store import find
        from caesura.pipeline.ray import Ray

        ray.init(num_cpus=count, include_dashboard=False, log_to_driver=False)
        self.engine, self.texts = Ray(Path(find(model))), texts
        for _ in range(2):
            self()

    def _batches(self) -> Iterator[list[Any]]:
        from caesura.document import Document
        from caesura.pipeline.run import Unit

        for at in range(0, len(self.texts), BATCH):
            yield [Unit(Document(text=text), ()) for text in self.texts[at : at + BATCH]]

    def __call__(self) -> tuple[float, float, int]:
        from caesura.options import PLAIN

        wall, used = time.perf_counter(), _cpu_of_ray()
        words = sum(event.n_words for event in self.engine(self._batches(), PLAIN))
        return time.perf_counter() - wall, _cpu_of_ray() - used, words

    def end(self) -> None:
        import ray

        ray.shutdown()


def _cpu_of_ray() -> float:
    """CPU seconds of this process and of those that it started, Ray's among them."""
    import psutil

    total = time.process_time()
    for process in psutil.Process().children(recursive=True):
        try:
            spent = process.cpu_times()
            total += spent.user + spent.system
        except psutil.Error:
            continue
    return total


def measured(model: str, args: Namespace) -> list[dict[str, Any]]:
    import caesura

    nlp = caesura.load(model)
    words = args.words if not hasattr(nlp.stages[-1], "encoder") else args.words // 12
    texts = texts_of(words)
    counted(nlp, texts[:20])
    processes = Processes(model, texts, args.workers)
    ways: dict[str, Callable[[], tuple[float, float, int]]] = {
        "1 thread": lambda: threads(nlp, texts, 1),
        f"{args.workers} threads": lambda: threads(nlp, texts, args.workers),
        f"{args.workers} processes": processes,
    }
    cluster = None if args.no_ray else Cluster(model, texts, args.workers)
    if cluster is not None:
        ways[f"Ray, {args.workers} workers"] = cluster
    best: dict[str, dict[str, Any]] = {}
    for _ in range(args.repeat):
        for name, way in ways.items():
            wall, used, n = way()
            row = best.setdefault(name, {"how": name, "words/s": 0, "words/CPU s": 0})
            row["words/s"] = max(row["words/s"], round(n / wall))
            row["words/CPU s"] = max(row["words/CPU s"], round(n / used))
            print(model, name, round(n / wall), round(n / used), flush=True)
    processes.end()
    if cluster is not None:
        cluster.end()
    return list(best.values())


def main() -> None:
    parser = options(__doc__, "--model", "--repeat", "--write")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--words", type=int, default=60_000, help="for a linear model")
    parser.add_argument("--no-ray", action="store_true")
    given = parser.parse_args()
    models = {name: measured(name, given) for name in given.model or ["en-fast", "en"]}
    show(models)
    if given.write:
        keep_json(RESULTS / "workers.json", {**machine(), "models": models})


if __name__ == "__main__":
    main()
