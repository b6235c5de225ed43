"""Models are built stage by stage, from inputs that are what the plan says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from benchmarks import build_models
from benchmarks.build_models import STAGES, Build, read_plan

from caesura.errors import InputError
from caesura.learn.fingerprint import file_digest
from caesura.pipeline import load
from caesura.train import Report
from tests.pipeline.laws import check
from tests.pipeline.tiny import EXAMPLES

RAW = "# newdoc id = a\nThe ferry left late. Nobody cared.\n# newdoc id = b\nWe went home, then.\n"
PLAN = """
train = {{ path = "harbour.conllu", sha256 = "{gold}" }}
dev = {{ path = "harbour.conllu", sha256 = "{gold}" }}
text = [{{ path = "raw.txt", sha256 = "{raw}" }}]

[teacher]
encoder = "scratch"
seeds = [1, 2]
options = {{ epochs = 1, batch_pieces = 1024, relaid = 0.5 }}

[students.small]
encoder = "scratch"
options = {{ epochs = 1, batch_pieces = 1024, arc_size = 64 }}
licence = "CC0-1.0"

[linear]
name = "fast"
folds = 2
tokenizer = {{ bits = 12, epochs = 1, rare_cut = 1, rare_start = 1 }}
tagger = {{ epochs = 1, cutoff = 1 }}
parser = {{ bits = 12, epochs = 1 }}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "harbour.conllu", tmp_path)
    (tmp_path / "raw.txt").write_text(RAW, encoding="utf-8")
    path = tmp_path / "plan.toml"
    sums = {"gold": "harbour.conllu", "raw": "raw.txt"}
    found = {name: file_digest(tmp_path / file) for name, file in sums.items()}
    path.write_text(PLAN.format(**found), encoding="utf-8")
    return path


def test_the_tokeniser_is_built_once_and_inputs_are_checked(plan: Path, tmp_path: Path) -> None:
    build = Build(read_plan(plan), tmp_path / "work", report=Report())
    build.tokeniser()
    made = tmp_path / "work" / "tokenizer.caesura"
    first = made.read_bytes()
    (tmp_path / "harbour.conllu").write_text("changed\n", encoding="utf-8")
    build.tokeniser()  # was done before, and reads nothing
    assert made.read_bytes() == first
    made.unlink()
    with pytest.raises(InputError, match=r"harbour.conllu: its SHA-256 is"):
        build.tokeniser()
    (tmp_path / "harbour.conllu").unlink()
    with pytest.raises(InputError, match="there is no such file"):
        build.tokeniser()
    plan.write_text("train = 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="is no plan"):
        read_plan(plan)


def test_all_stages_of_a_toy(plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As when the script itself is run.
    monkeypatch.syspath_prepend(str(Path(build_models.__file__).parent))
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("onnx", reason="onnx is not installed")
    for device in ("cpu", "auto"):  # the exported network, and PyTorch
        work = tmp_path / device
        for stage in STAGES:
            # Each stage on a machine of its own, which has but the folder.
            getattr(Build(read_plan(plan), work, device=device, report=Report()), stage)()
        text = "The ferry left late."
        for name in ("small", "fast"):
            check(load(work / f"{name}.caesura")(text), text)
        assert load(work / "small.caesura").file.meta["licence"] == "CC0-1.0"
        assert "as floats" in load(work / "small.caesura").file.card
        assert not list(work.glob("*.parts"))
    one, other = (
        load(tmp_path / device / "small.caesura").file.meta["silver"] for device in ("cpu", "auto")
    )
    assert one["words"] == other["words"]
