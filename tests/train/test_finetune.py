"""Going on from a network: `caesura train pipeline TRAIN --init multi`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from modelling.multi.recogniser_training import RecogniserOptions, train_recogniser

import caesura
from caesura import cli
from caesura.errors import MissingExtra, UsageError
from caesura.learn.network.training import FinetuneOptions, code_of_files, is_network, train_from
from caesura.learn.pipeline import train_pipeline
from caesura.learn.run import Data, Run
from caesura.models import load as load_file
from caesura.models import save
from caesura.stages.several_tokenizers import ManyTokenizer
from caesura.tokenize import Tokenizer
from tests.neural.small import harbour, small_network
from tests.pipeline.tiny import EXAMPLES

TREEBANK = str(EXAMPLES / "harbour.conllu")
FEW = ("finetune.epochs=2", "pipeline.tokenizer.epochs=1")


@pytest.fixture(scope="module")
def network(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two languages with a small network."""
    tokenizer = Tokenizer.from_part(load_file(tiny_model).parts["tokenizer"])
    options = RecogniserOptions(bits=10, pieces=100, epochs=1, prune=0.0)
    recogniser = train_recogniser({"aa": harbour(), "bb": harbour()}, options)
    tokens = ManyTokenizer(recogniser, {"aa": tokenizer, "bb": tokenizer})
    path = tmp_path_factory.mktemp("network") / "multi.caesura"
    meta = {"name": "multi", "languages": ["aa", "bb"]}
    save(path, {"tokenizers": tokens.to_part(), "neural": small_network()}, meta=meta)
    return path


def run(output: Path, *settings: str, train: str = TREEBANK, **flags: Any) -> Run:
    return Run(str(output), Data([train]), settings=settings, flags=flags)


# ---------------------------------------------------------------------- options


def test_small_treebanks_are_read_more_often() -> None:
    options = FinetuneOptions(pieces=1000, least=2, most=40)
    assert [options.passes(n) for n in (1, 100, 250, 10_000)] == [40, 10, 4, 2]
    assert FinetuneOptions(epochs=3).passes(1) == 3


def test_layers_stay_as_they_are_if_that_is_wanted() -> None:
    assert FinetuneOptions().layers(12) == 0
    assert FinetuneOptions(frozen=-1).layers(12) == 8
    with pytest.raises(UsageError, match="13 layers shall stay as they are, but there are 12"):
        FinetuneOptions(frozen=13).layers(12)


@pytest.mark.parametrize("bad", [{"frozen": -2}, {"epochs": -1}, {"least": 9, "most": 8}])
def test_bad_options_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        FinetuneOptions(**bad)


def test_files_tell_the_language() -> None:
    assert code_of_files(["x/eu_bdt-ud-train.conllu.gz"]) == "eu"
    assert code_of_files(["mine.conllu", "no_bokmaal-ud-train.conllu"]) == "nb"
    assert code_of_files(["mine.conllu"]) is None


# ----------------------------------------------------------------------- errors


def test_networks_are_told_from_linear_models(network: Path, tiny_model: Path) -> None:
    assert is_network(str(network))
    assert not is_network(str(tiny_model))


def test_without_pytorch_one_sentence_says_what_to_install(
    network: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    there = importlib.util.find_spec

    def nothing(name: str, package: str | None = None) -> Any:
        return None if name == "torch" else there(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", nothing)
    with pytest.raises(MissingExtra, match="torch"):
        train_from(harbour(), [], str(network), FinetuneOptions())
    output = str(tmp_path / "my.caesura")
    command = ["train", "pipeline", TREEBANK, "--init", str(network), "-o", output, "-q"]
    assert cli.run(command) == 1
    said = capsys.readouterr().err
    assert "torch" in said
    assert "neural-train" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--init", "multi"), "pip install ./packages/multi in a checkout"),
        (("--init", "da"), "pip install ./packages/multi in a checkout"),
        (("--freeze", "3"), "--freeze does not go with a training from nothing"),
        (("--init", "en-fast", "--freeze", "3"), "--freeze does not go with a linear model"),
        (("--encoder", "folder", "--freeze", "3"), "--freeze does not go with --encoder"),
        (("--init", "en", "--speech"), "--speech does not go with a network"),
        (("--init", "en", "--teacher", "en"), "--teacher does not go with a network"),
    ],
)
def test_what_does_not_go_together_is_told(
    options: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    output = str(tmp_path / "my.caesura")
    assert cli.run(["train", "pipeline", TREEBANK, "-o", output, "-q", *options]) in (1, 2)
    told = capsys.readouterr().err
    assert said in told
    assert not Path(output).exists()


# --------------------------------------------------------------------- training


def test_a_treebank_makes_a_model_of_its_own(network: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.adaptation import Base

    output = tmp_path / "my.caesura"
    result = train_pipeline(run(output, *FEW, frozen=1), init=str(network))
    assert result.file == str(output)
    file = load_file(output)
    assert set(file.parts) == {"tokenizer", "neural"}
    assert file.meta["init"] == str(network)
    assert "Gone on from" in file.card
    assert file.parts["neural"].labels["languages"] == ["en"]
    doc = caesura.load(str(output))("The boats were late. Nobody knew why.")
    doc.check()
    assert doc.n_sentences >= 1
    assert set(doc.column("deprel")) <= {*file.parts["neural"].labels["deprel"]}
    before = Base.of(load_file(network).parts["neural"]).weights
    after = Base.of(file.parts["neural"]).weights
    frozen = ("encoder.pieces.weight", "encoder.layers.0.ff1.weight", "features.1.weight")
    for name in frozen:
        assert np.allclose(before[name], after[name], atol=2e-3), name
    assert not np.allclose(before["encoder.layers.2.ff1.bias"], after["encoder.layers.2.ff1.bias"])
    whole = tmp_path / "whole.caesura"
    train_pipeline(run(whole, *FEW), init=str(network))
    learned = Base.of(load_file(whole).parts["neural"]).weights
    name = "encoder.layers.0.ff1.bias"
    assert not np.allclose(before[name], learned[name], atol=1e-6)
    assert np.array_equal(before["encoder.pieces.weight"], learned["encoder.pieces.weight"])
    again = tmp_path / "again.caesura"
    train_pipeline(run(again, *FEW, frozen=1), init=str(network))
    same, wanted = (one.parts["neural"].arrays for one in (load_file(again), file))
    assert all(np.array_equal(same[name], array) for name, array in wanted.items())


def test_without_spaces_the_tokeniser_is_kept(network: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    lines = Path(TREEBANK).read_text("utf-8").splitlines()
    words = [line for line in lines if "-" not in line.split("\t")[0] or line.startswith("#")]
    plain = [line.replace("SpaceAfter=No", "_") for line in words if not line.startswith("# text")]
    treebank = tmp_path / "aa_plain-ud-train.conllu"
    treebank.write_text("\n".join(plain) + "\n\n", encoding="utf-8")
    output = tmp_path / "my.caesura"
    settings = (*FEW, "finetune.language=aa", "finetune.speech=false")
    result = train_pipeline(run(output, *settings, train=str(treebank)), init=str(network))
    assert "the one of multi is kept" in " ".join(result.told["left_out"])
    assert "tokenizer" in load_file(output).parts
