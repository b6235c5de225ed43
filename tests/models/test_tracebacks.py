"""Ten model files that once ended in a traceback: each is one sentence now, from the command line.

Their names say where: the line of commit 579bdd5 that fell over what the file holds.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from caesura import cli
from caesura.models.file import Part, load, save
from tests.models.test_hostile import Change, changed, labels, number, option


def weights(parts: dict[str, Part]) -> None:
    """Scales so large that a score is no number."""
    exponents = parts["parser"].arrays["exponents"].copy()
    exponents[:] = np.iinfo(exponents.dtype).max
    parts["parser"].arrays["exponents"] = exponents


TRACEBACKS: dict[str, Change] = {
    "stages/tagger_features.py:74": option("tagger", "templates", ["lower[0]", 7]),
    "stages/tagger.py:70": option("tagger", "chain", [["upos"]]),
    "stages/joint_parser.py:197": option("parser", "tags", [["upos"]]),
    "stages/joint_parser.py:356": weights,
    "parse/features.py:210": option("parser", "templates", [7]),
    "stages/tree_parser.py:61": option("parser", "calibration", {"starts": [1.0]}),
    "parse/search.py:141": option("parser", "beam", -1),
    "beam 65535": option("parser", "beam", 65535),
    "60,000 labels": labels("tagger", "chain", 60_000),
    # Further ones of the same lines.
    "stages/joint_parser.py:356, a bonus": option("parser", "bonus", 1e39),
    "stages/confidence.py:61, words": option("parser", "calibration", {"arcs": ["a", "b", "c"]}),
    "parse/search.py:141, memory": option("parser", "beam", 1 << 62),
    "one exponent": number("parser", "exponents", 127),
}


@pytest.fixture(scope="module")
def parts(tiny_model: Path) -> dict[str, Part]:
    return load(tiny_model).parts


@pytest.mark.parametrize("name", TRACEBACKS)
def test_one_sentence(
    name: str, parts: dict[str, Part], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, text = tmp_path / "lies.caesura", tmp_path / "a.txt"
    save(model, changed(parts, TRACEBACKS[name]))
    text.write_text("The boats came back.\n", encoding="utf-8")
    call = ["parse", "-q", "--confidence", "-m", str(model), str(text)]
    assert cli.run(call) == 1
    said = capsys.readouterr()
    assert not said.out
    _one_sentence(said.err)
    assert cli.run(["models", "verify", str(model)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def _one_sentence(told: str) -> None:
    """One line, from us, that names a remedy, and no mistake inside."""
    assert re.fullmatch(r"[^\n]+\n", told), told
    assert "Traceback" not in told
    assert "mistake of Caesura" not in told


def test_neural_stage_214(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer labels than the network has outputs."""
    from caesura.paths import bundled_models

    path = bundled_models() / "en.caesura"
    if not path.exists():
        pytest.skip("the model en is not bundled")

    def fewer(parts: dict[str, Part]) -> None:
        del parts["neural"].labels["upos"][3:]

    model, text = tmp_path / "lies.caesura", tmp_path / "a.txt"
    save(model, changed(load(path).parts, fewer), compress=False)
    text.write_text("The boats came back.\n", encoding="utf-8")
    assert cli.run(["parse", "-q", "-m", str(model), str(text)]) == 1
    told = capsys.readouterr().err
    _one_sentence(told)
    assert "17 numbers a word for upos, of which there are 3" in told
