"""Pipelines in pickles and in other processes: by name and checksum, never by content."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from caesura.errors import ModelError, UsageError
from caesura.models import save
from caesura.models.file import load as load_file
from caesura.pipeline import Pipeline, load
from caesura.pipeline.loading import load_once

TEXT = "The harbour wakes. Nobody asks why they argue."

SPAWN = """
import multiprocessing, sys
import caesura

def main(model, kind):
    nlp = caesura.load(model).with_search(margin=0.1)
    texts = ["The harbour wakes.", "Nobody asks.", ""] * 2
    with multiprocessing.get_context(kind).Pool(2) as pool:
        found = pool.map(nlp, texts, chunksize=1)
    assert found == [nlp(text) for text in texts]
    print(sum(len(doc) for doc in found))

if __name__ == "__main__":
    main(*sys.argv[1:])
"""

FORK = """
import multiprocessing, sys
import caesura
import caesura.pipeline

def work(text):
    return caesura.split(text, sys.argv[1])

if __name__ == "__main__":
    texts = ["The harbour wakes.", "Nobody asks.", ""] * 2
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map(work, texts, chunksize=1)
    assert found == [work(text) for text in texts]
    print(sum(map(len, found)))
"""


def test_a_pickle_is_small_and_gives_the_same_pipeline(tiny: Pipeline) -> None:
    data = pickle.dumps(tiny)
    assert len(data) < 1000
    again = pickle.loads(data)
    assert again(TEXT) == tiny(TEXT)


def test_what_was_changed_stays_changed(tiny_model: Path) -> None:
    two = load(tiny_model, threads=2)
    for nlp in (
        two,
        two.with_search(bias=0.5),
        two.with_search(bias=0.5).quick(),
        two.unwatched().uncalibrated(),
        two.quick().with_search(bias=-0.5),
    ):
        again = pickle.loads(pickle.dumps(nlp))
        assert (again.how, again.steps) == ((2, True), nlp.steps)
        assert again.search == nlp.search
        assert [type(stage) for stage in again.stages] == [type(stage) for stage in nlp.stages]
        assert (again.watch is None) == (nlp.watch is None)
        assert again(TEXT) == nlp(TEXT)


def test_copies_share_the_stages(tiny: Pipeline) -> None:
    """A copy is not loaded anew, as a pickle is."""
    assert copy.copy(tiny).stages is tiny.stages
    assert tiny.unwatched().stages is tiny.stages


def test_a_model_is_loaded_once_in_a_process(tiny_model: Path) -> None:
    data = pickle.dumps(load(tiny_model))
    first, second = pickle.loads(data), pickle.loads(data)
    assert first.stages is second.stages
    assert load_once(tiny_model).stages is first.stages


def test_a_model_that_was_changed_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.caesura"
    shutil.copy(tiny_model, path)
    data = pickle.dumps(load(path))
    pickle.loads(data)
    file = load_file(path)
    save(path, file.parts, meta={"name": "trained anew"}, card="")
    with pytest.raises(ModelError, match=r"own\.caesura: is not the model that was pickled"):
        pickle.loads(data)
    path.unlink()
    with pytest.raises(ModelError, match="there is no such model file"):
        pickle.loads(data)


def test_an_installed_model_goes_by_its_name(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it is found where another machine keeps it."""
    for home in ("one", "two"):
        (tmp_path / home / "models").mkdir(parents=True)
        shutil.copy(tiny_model, tmp_path / home / "models" / "mine.caesura")
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "one"))
    data = pickle.dumps(load("mine"))
    assert str(tmp_path).encode() not in data
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "two"))
    assert Path(pickle.loads(data).file.path).is_relative_to(tmp_path / "two")


def test_a_pipeline_without_a_file_is_refused(tiny_model: Path) -> None:
    file = load_file(tiny_model)
    file.path = ""
    with pytest.raises(UsageError, match="has no model file"):
        pickle.dumps(Pipeline(file))


def run(script: str, folder: Path, *arguments: str) -> str:
    """A script of its own, since other processes import it."""
    (folder / "work.py").write_text(script, encoding="utf-8")
    call = [sys.executable, str(folder / "work.py"), *arguments]
    result = subprocess.run(call, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_processes_that_are_spawned(tiny_model: Path, tmp_path: Path) -> None:
    assert int(run(SPAWN, tmp_path, str(tiny_model), "spawn")) > 8


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_processes_that_are_forked_before_a_model_is_loaded(
    tiny_model: Path, tmp_path: Path
) -> None:
    assert int(run(FORK, tmp_path, str(tiny_model))) >= 4
