"""A model has one name everywhere: every command and every class finds it alike."""

from __future__ import annotations

import ast
import importlib
import shutil
from pathlib import Path

import pytest

import caesura
from caesura import cli
from caesura.models import store
from tests.pipeline.tiny import EXAMPLES

HARBOUR = str(EXAMPLES / "harbour.conllu")
SMALL = ("--epochs", "1", "-q")


@pytest.fixture
def named(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The tiny model is called `mine`; a folder of that name lies where the command runs."""
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(tiny_model, folder / "mine.caesura")
    monkeypatch.setattr(store, "model_folder", lambda: folder)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.mark.parametrize(
    "call",
    [
        ["parse", str(EXAMPLES / "harbour.txt"), "-m", "mine", "-q"],
        ["split", str(EXAMPLES / "harbour.txt"), "-m", "mine", "-q"],
        ["tokenize", str(EXAMPLES / "harbour.txt"), "-m", "mine", "-q"],
        ["tag", HARBOUR, "-m", "mine", "-q"],
        ["train", "tokenizer", HARBOUR, "--init", "mine", "-o", "out.caesura", *SMALL],
        ["train", "tagger", HARBOUR, "--init", "mine", "-o", "out.caesura", *SMALL],
        ["models", "show", "mine"],
        ["models", "verify", "mine"],
    ],
    ids=lambda call: " ".join(call[:2]) if call[0] in ("train", "models") else call[0],
)
def test_commands_find_a_model_by_its_name(
    named: pytest.MonkeyPatch, call: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(call) == 0, capfd.readouterr().err
    unknown = ["other" if word == "mine" else word for word in call]
    assert cli.run(unknown) == 1
    told = "".join(capfd.readouterr())
    assert "there is no model 'other'" in told
    assert "one of: mine" in told


def test_train_pipeline_finds_it(
    named: pytest.MonkeyPatch, tiny_model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen = []

    class Stop(Exception):
        pass

    def trainer(*args: object, init: caesura.models.file.ModelFile, **others: object) -> None:
        seen.append(init.path)
        raise Stop

    named.setattr("caesura.learn.pipeline.PipelineTrainer", trainer)
    named.setenv("CAESURA_TRACEBACK", "1")
    with pytest.raises(Stop):
        cli.run(["train", "pipeline", HARBOUR, "--init", "mine", "-o", "out.caesura", "-q"])
    assert seen == [str(store.find("mine"))]


def test_a_grammar_is_inspected_by_its_name(
    named: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "home" / "news.caesura")
    call = ["induce", HARBOUR, "-o", path, "--classes", "upos", "--recipe", "fixed", "-q"]
    assert cli.run([*call, "--model", "dmv"]) == 0
    assert cli.run(["inspect", "news"]) == 0
    assert "Grammar dmv" in capsys.readouterr().out
    assert cli.run(["parse", HARBOUR, "-m", "news", "--keep-tags", "-q", "-o", "out.conllu"]) == 0


def test_python_finds_it(named: pytest.MonkeyPatch) -> None:
    from caesura.serve.server import named_models
    from caesura.stages.joint_parser import Parser
    from caesura.stages.tagger import Tagger
    from caesura.tokenize import Tokenizer

    assert caesura.load("mine").name == "tiny"
    assert caesura.split("It rains.", "mine")
    for kind in (Parser, Tagger, Tokenizer):
        assert isinstance(kind.load("mine"), kind)
    assert named_models(["mine"]).default == "mine"
    spacy = pytest.importorskip("spacy")
    importlib.import_module("caesura.spacy")

    nlp = spacy.blank("en")
    nlp.add_pipe("caesura", config={"model": "mine"})
    assert list(nlp("It rains.").sents)


#: What reads files that it has written itself, which have no names.
OWN = {
    "models/store.py",
    "models/__init__.py",
    "learn/loop.py",
    "induce/checkpoint.py",
    "learn/stages.py",
}


def test_nobody_reads_a_model_another_way() -> None:
    package = Path(caesura.__file__).parent
    found = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                ("caesura.models.file", "caesura.models")
            ):
                names = {alias.name for alias in node.names}
                if "load" in names and not (node.module or "").endswith("store"):
                    found.add(file.relative_to(package).as_posix())
    assert found == OWN
