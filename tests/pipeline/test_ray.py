"""A small cluster gives what one machine gives, and tries again what fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.pipeline.tiny import EXAMPLES, TEXT

ray = pytest.importorskip("ray", reason="the package ray is not installed")


@pytest.fixture(scope="module")
def cluster():
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    except Exception as error:
        pytest.skip(f"Ray does not start here: {error}")
    yield
    ray.shutdown()


def outputs(tiny_model: Path, folder: Path, out: Path, *engine: str) -> bytes:
    from caesura import cli

    call = ["parse", str(folder), str(EXAMPLES), "-m", str(tiny_model), "-o", str(out), "-q"]
    assert cli.run([*call, *engine]) == 1
    return out.read_bytes()


def test_a_cluster_gives_the_same(cluster, tiny_model: Path, tmp_path: Path, capsys) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.txt").write_text(TEXT[number:], encoding="utf-8")
    (folder / "long.txt").write_text(TEXT * 120, encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"\xff")
    local = outputs(tiny_model, folder, tmp_path / "local.conllu")
    told = capsys.readouterr().err
    assert outputs(tiny_model, folder, tmp_path / "ray.conllu", "--engine", "ray") == local
    assert capsys.readouterr().err == told


def test_a_worker_that_dies_is_replaced(cluster, tiny_model: Path, tmp_path: Path) -> None:
    from caesura.document import Document
    from caesura.options import PLAIN
    from caesura.pipeline.jobs import Source
    from caesura.pipeline.ray import Ray
    from caesura.pipeline.run import annotate_files

    class Deadly(Ray):
        """Its first worker leaves a note and dies."""

        def __init__(self, model: Path, note: Path) -> None:
            super().__init__(model)
            task = self._task._function

            def work(*arguments):
                if not note.exists():
                    note.touch()
                    os._exit(1)
                return task(*arguments)

            self._task = ray.remote(num_cpus=1, max_retries=3)(work)

    source = Source(str(EXAMPLES / "harbour.txt"), "text", "harbour")
    engine = Deadly(tiny_model, tmp_path / "note")
    events = list(annotate_files(engine, [source], PLAIN))
    assert (tmp_path / "note").exists()
    assert [event.text for event in events if isinstance(event, Document)] == [TEXT]


def test_a_batch_that_the_cluster_gives_up_is_told(tiny_model: Path, tmp_path: Path) -> None:
    """Workers died or are out of reach: its files fail, those before and behind are written."""
    from types import SimpleNamespace

    from caesura.options import PLAIN
    from caesura.pipeline.jobs import Source
    from caesura.pipeline.loading import load
    from caesura.pipeline.ray import Ray
    from caesura.pipeline.run import Begin, End, Failed, annotate_batch, annotate_files

    nlp = load(tiny_model)

    class Cut(Ray):
        """A cluster of which the second batch never comes back."""

        def __init__(self) -> None:
            self.sent = 0
            self.watch = None
            self._under_way = 1
            self._recipe = self._model = None
            self._task = SimpleNamespace(remote=self.send)
            self._ray = SimpleNamespace(get=self.get, exceptions=ray.exceptions)

        def send(self, recipe, model, tasks, options):
            self.sent += 1
            return self.sent, tasks, options

        def get(self, sent):
            number, tasks, options = sent
            if number == 2:
                raise ray.exceptions.WorkerCrashedError
            return annotate_batch(nlp, tasks, options)

    sources = []
    for number in range(40):
        path = tmp_path / f"{number:02}.txt"
        path.write_text(TEXT * 8, encoding="utf-8")
        sources.append(Source(str(path), "text", path.stem))
    engine = Cut()
    events = list(annotate_files(engine, sources, PLAIN))
    assert engine.sent > 2
    lost = [event for event in events if isinstance(event, Failed)]
    assert 0 < len(lost) < 40
    for event in lost:
        assert "gave it up: WorkerCrashedError" in str(event.error)
        assert "--resume" in str(event.error)
    assert sum(isinstance(event, Begin) for event in events) == 40
    assert sum(isinstance(event, End) for event in events) == 40
    assert len({event.error.where.file for event in lost}) == len(lost)
