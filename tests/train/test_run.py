"""What all trainings share: flags from options, fingerprints, cards."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from caesura import cli
from caesura.cli.experiment import experiment, treebank_arguments
from caesura.document import Document
from caesura.learn.fingerprint import digest, fingerprint
from caesura.learn.joint_parser import TrainOptions
from caesura.learn.run import Result, Run
from caesura.learn.stages import PipelineOptions
from caesura.models.file import load
from caesura.options import inner, option, options_of
from tests.conftest import ROOT

TREEBANK = str(ROOT / "examples" / "harbour.conllu")


@dataclass(frozen=True)
class Search:
    beam: int = option(8, "Width.", least=1)
    margin: float = option(0.5, "Margin.")


@dataclass(frozen=True)
class Options:
    search: Search = inner(Search, {"beam": ""})
    epochs: int = option(3, "Passes.", least=1)
    rate: float = 0.1
    shape: str = option("round", "Shape.", name="--form", choices=("round", "flat"))
    quick: float = option(0.0, "Hurry.", value=0.25)
    seed: int = option(1, "Seed.", shown=True)
    more: tuple[int, ...] = field(default=(1, 2))


@click.command()
@treebank_arguments
@experiment("train trial", Options(), example="rate=0.2", kept=["{output}.checkpoint"])
def trial(run: Run) -> Result:
    """A training that only tells its options."""
    Path(run.output).touch()
    options = run.options(Options(), "trial")
    return Result(run.output, {"options": repr(options), "flags": dict(run.flags)}, "Fit: well")


def call(folder: Path, *words: str) -> str:
    found = CliRunner().invoke(trial, [TREEBANK, "-o", str(folder / "out"), "--json", *words])
    assert found.exit_code == 0, found.output
    return found.output


def test_a_field_that_says_so_is_a_flag_with_its_help() -> None:
    told = CliRunner().invoke(trial, ["--help"]).output
    for shown in ("--beam INTEGER RANGE", "Width.", "--form [round|flat]", "--quick  ", "Hurry."):
        assert shown in told
    assert "[default: 1]" in told
    assert "--margin" not in told, "only what is named of options inside of options"
    assert "--rate" not in told


def test_flags_come_to_the_options(tmp_path: Path) -> None:
    said = call(tmp_path, "--beam", "4", "--form", "flat", "--quick", "--seed", "7")
    assert "beam=4" in said
    assert "shape='flat'" in said
    assert "quick=0.25" in said
    assert "seed=7" in said


def test_the_default_of_a_flag_overrules_nothing(tmp_path: Path) -> None:
    assert "seed=5" in call(tmp_path, "--set", "seed=5")
    assert "seed=6" in call(tmp_path, "--set", "seed=5", "--seed", "6")
    config = tmp_path / "options.toml"
    config.write_text("seed = 4\n")
    assert "seed=4" in call(tmp_path, "--config", str(config))


def test_a_seed_that_is_set_is_that_of_the_model(tmp_path: Path) -> None:
    models = []
    for number, seed in enumerate((["--seed", "5"], ["--set", "seed=5"], [])):
        output = str(tmp_path / f"{number}.caesura")
        small = ["--recipe", "fixed", "--model", "dmv", "--classes", "upos", "-q"]
        assert cli.run(["induce", TREEBANK, *small, *seed, "-o", output]) == 0
        models.append(load(output).meta["options"]["seed"])
    assert models == [5, 5, 1]


def test_flags_of_options_inside_of_options() -> None:
    found = options_of(PipelineOptions())
    silver = [f"silver.{name}" for name in ("weight", "least", "last", "overlap")]
    assert list(found) == ["parser.relaid", "speech", *silver, "seed"]
    assert options_of(TrainOptions())["search.beam"].default == 8


@pytest.mark.parametrize(
    ("change", "same"),
    [({"epochs": 9}, True), ({"threads": 2}, True), ({"seed": 2}, False), ({"bits": 12}, False)],
)
def test_a_fingerprint_is_of_what_changes_the_result(change: dict[str, int], same: bool) -> None:
    options = TrainOptions()
    doc = Document.from_spans("It rains.", [0, 3, 8], [2, 8, 9])
    data = digest([doc])
    mine = fingerprint(data, options, free=("epochs",))
    other = fingerprint(data, replace(options, **change), free=("epochs",))
    assert (mine == other) == same
    assert fingerprint(data, replace(options, epochs=9)) != fingerprint(data, options)


def test_a_fingerprint_is_of_the_data() -> None:
    doc = Document.from_spans("It rains.", [0, 3, 8], [2, 8, 9])
    other = replace(doc)
    assert digest([doc]) == digest([other])
    other.set_column("upos", ["PRON", "VERB", "PUNCT"])
    assert digest([doc]) != digest([other])
    assert digest([doc]) != digest([doc, doc])


MEASURED = """
import re, sys
from pathlib import Path
from caesura import cli
assert not cli.run(sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells")
def test_memory_follows_the_data_and_not_the_hashes(tmp_path: Path) -> None:
    """Tables of 2**24 and 2**20 rows, of which fourteen sentences use few."""
    call = ["train", "pipeline", TREEBANK, "-q", "-o", str(tmp_path / "m"), "--set", "folds=2"]
    found = subprocess.run(
        [sys.executable, "-c", MEASURED, *call], check=True, capture_output=True, text=True
    )
    assert int(found.stdout.split()[-1]) < 300_000


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (["--classes", "4"], "Heads: content words"),
        (["--classes", "4", "--heads", "any"], "Heads: any words"),
        (["--classes", "upos"], "Heads: as in the universal rules"),
    ],
)
def test_the_end_of_an_induction_names_the_convention_of_heads(
    more: list[str],
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    small = ["--recipe", "fixed", "--model", "dmv", "-o", str(tmp_path / "g.grammar")]
    assert cli.run(["induce", TREEBANK, *small, *more]) == 0
    found = "".join(capfd.readouterr())
    assert line in found
    assert ("form a chain" in found) == (re.search(r"mean arc (?:0|1\.[012])", found) is not None)
    monkeypatch.setattr("caesura.learn.grammar.CHAIN", 99.0)
    assert cli.run(["induce", TREEBANK, *small, *more, "--anew"]) == 0
    assert "warning: most arcs form a chain" in "".join(capfd.readouterr())
