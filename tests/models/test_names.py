"""A model has one name everywhere; an old name finds it and is reported once."""

from __future__ import annotations

import ast
import importlib
import shutil
import warnings
from pathlib import Path

import pytest

import caesura
from caesura import cli
from caesura.errors import ModelError, RenamedModel
from caesura.models import store
from caesura.serve.models import Models
from caesura.serve.refusals import Refused
from tests.pipeline.tiny import EXAMPLES

# -------------------------------------------------------------------------------------------- names

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


# ----------------------------------------------------------------------------------- renamed models

TEXT = str(EXAMPLES / "harbour.txt")


@pytest.fixture
def bundled(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tiny model is bundled under the two names of the package's own models."""
    folder = tmp_path / "bundled"
    folder.mkdir()
    for name in ("en", "en-fast"):
        shutil.copy(tiny_model, folder / f"{name}.caesura")
    monkeypatch.setattr(store, "bundled_models", lambda: folder)
    monkeypatch.setattr("caesura.cli.running.bundled_models", lambda: folder)
    monkeypatch.setattr(store, "model_folder", lambda: tmp_path / "home")
    monkeypatch.setattr(store, "_told", set())
    return folder


def test_the_old_name_loads_the_model_and_warns_once(bundled: Path) -> None:
    with pytest.warns(RenamedModel, match="the model en-neural is now called en") as told:
        nlp = caesura.load("en-neural")
    assert nlp.file.path == str(bundled / "en.caesura")
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.find("en-neural") == bundled / "en.caesura"


def test_the_command_line_says_it_in_a_line(
    bundled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["split", TEXT, "-m", "en-neural"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert told.count("warning: the model en-neural is now called en. Use that name.") == 1
    store._told.clear()
    assert cli.run(["split", TEXT, "-m", "en-neural", "-q"]) == 0
    assert not capsys.readouterr().err


def test_a_model_of_ones_own_keeps_the_old_name(bundled: Path, tmp_path: Path) -> None:
    own = tmp_path / "home" / "en-neural.caesura"
    own.parent.mkdir()
    shutil.copy(bundled / "en.caesura", own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.find("en-neural") == own


def test_the_old_name_means_nothing_without_the_model(bundled: Path) -> None:
    (bundled / "en.caesura").unlink()
    with pytest.raises(ModelError, match=r"there is no model 'en-neural'.*one of: en-fast"):
        store.find("en-neural")


def test_spacy_and_servers_take_the_old_name(bundled: Path) -> None:
    from caesura.serve.server import named_models

    with pytest.warns(RenamedModel):
        found = named_models(["en-neural", "en"])
    assert found.paths == {"en": bundled / "en.caesura"}
    store._told.clear()
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("caesura", config={"model": "en-neural"})
    with pytest.warns(RenamedModel):
        assert len(list(nlp("The harbour wakes.").sents)) == 1


def test_a_request_may_ask_by_the_old_name() -> None:
    models = Models(
        {"en": Path("en.caesura"), "mine": Path("mine.caesura")}, "tests.serve.fake:load"
    )
    assert models.called("en-neural") == "en"
    assert models.called("mine") == "mine"
    assert models.called(None) == models.called("") == "en"
    assert Models({"en-neural": Path("x")}).called("en-neural") == "en-neural"
    with pytest.raises(Refused, match="There is no model of this name"):
        models.get("other")


def test_many_files_with_the_default_model_mention_the_faster_one(
    bundled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text("The harbour wakes.\n", encoding="utf-8")

    def told(*call: str) -> int:
        assert cli.run([*call]) == 0
        return capsys.readouterr().err.count("-m en-fast")

    out = str(tmp_path / "out") + "/"
    assert told("parse", str(folder), "-o", out) == 1
    assert told("split", str(folder)) == 1
    assert told("parse", str(folder / "a.txt")) == 0
    assert told("parse", str(folder), "-o", out, "-q") == 0
    assert told("parse", str(folder), "-o", out, "-m", "en-fast") == 0
    (bundled / "en-fast.caesura").unlink()
    assert told("parse", str(folder), "-o", out) == 0


def test_a_command_that_needs_a_part_names_models_that_have_it(
    bundled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from caesura.models.file import load, save

    parts = load(bundled / "en.caesura").parts
    del parts["tagger"]
    save(bundled / "en.caesura", parts)
    assert cli.run(["tag", "-m", "en", str(EXAMPLES / "harbour.conllu")]) == 1
    told = capsys.readouterr().err
    assert (
        "this model has no tagger (it holds: parser, tokenizer). Use one that has: en-fast." in told
    )
