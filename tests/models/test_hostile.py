"""Model files that lie: what a kernel would stumble over is refused when the file is loaded.

The numbers are those of a real model with one change each, and the checksum fits.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from caesura import cli
from caesura.errors import ModelError
from caesura.models import file as model_file
from caesura.models.file import Part, load, save
from caesura.pipeline import load as load_pipeline

Change = Callable[[dict[str, Part]], None]


def option(part: str, name: str, value: object) -> Change:
    def change(parts: dict[str, Part]) -> None:
        parts[part].config[name] = value

    return change


def number(part: str, name: str, value: float, at: int = 0) -> Change:
    def change(parts: dict[str, Part]) -> None:
        array = parts[part].arrays[name].copy()
        array.reshape(-1)[at] = value
        parts[part].arrays[name] = array

    return change


def labels(part: str, name: str, more: int) -> Change:
    def change(parts: dict[str, Part]) -> None:
        parts[part].labels[name] += [f"x{n}" for n in range(more)]

    return change


def chunks(parts: dict[str, Part]) -> None:
    """One more character than a chunk may have, which the core could not shift to."""
    parts["tokenizer"].labels["chunks"] = ["didn\tn't", "x" * 20 + "\ty"]


CHANGES: dict[str, Change] = {
    "a beam that fills the memory": option("parser", "beam", 65535),
    "a beam that is a flag": option("parser", "beam", True),
    "a beam that is text": option("parser", "beam", "8"),
    "no words of patience": option("parser", "patience", 0),
    "a bonus that is no number": option("parser", "bonus", "much"),
    "an option that overflows": option("parser", "bonus", 1e300),
    "a template that is none": option("parser", "templates", ["s0.w", 7]),
    "a template of unknown atoms": option("parser", "templates", ["nothing"]),
    "more templates than scores can add": option("parser", "templates", ["s0.w"] * 5000),
    "a calibration without numbers": option("parser", "calibration", {"arcs": ["x"]}),
    "a calibration of one number": option("parser", "calibration", {"starts": [1.0]}),
    "a scale of the bias that falls": option("parser", "bias-scale", {"edited": [1.0] * 9}),
    "tags that nobody knows": option("parser", "tags", ["colour"]),
    "a label that is none": number("parser", "left", 10_000),
    "a negative label": number("parser", "root", -1),
    "a column beyond the table": number("parser", "columns", 255),
    "a scale beyond all numbers": number("parser", "exponents", 127),
    "one weight more than there are": number("parser", "counts", 255),
    "an order of three": option("tagger", "order", 3),
    "a tagger of columns that nobody knows": option("tagger", "chain", ["colour"]),
    "templates far away": option("tagger", "templates", ["lower[99]"]),
    "keys that do not rise": number("tagger", "chain.gaps", 0, at=1),
    "options beyond their list": number("tagger", "lemma.options", 100_000),
    "bounds that fall": number("tagger", "lemma.bounds", 1_000_000, at=1),
    "sixty thousand labels": labels("tagger", "chain", 60_000),
    "tables of all memory": option("tokenizer", "bits", 60),
    "a scale that is not finite": number("tokenizer", "cut_scale", float("inf")),
    "a scale without end": number("tokenizer", "cut_scale", 1e38),
    "rows outside of their table": number("tokenizer", "cut_gaps", 0),
    "chunks that are too long": chunks,
}


@pytest.fixture(scope="module")
def parts(tiny_model: Path) -> dict[str, Part]:
    return load(tiny_model).parts


def changed(parts: dict[str, Part], change: Change) -> dict[str, Part]:
    copies = {
        name: Part(
            part.kind,
            json.loads(json.dumps(part.config)),
            {key: list(values) for key, values in part.labels.items()},
            dict(part.arrays),
        )
        for name, part in parts.items()
    }
    change(copies)
    return copies


@pytest.mark.parametrize("name", CHANGES)
def test_what_lies_is_refused(name: str, parts: dict[str, Part], tmp_path: Path) -> None:
    path = tmp_path / "lies.caesura"
    try:
        save(path, changed(parts, CHANGES[name]))
    except (ValueError, OverflowError):
        pytest.skip("cannot even be written")
    with pytest.raises(ModelError) as caught:
        load_pipeline(path)
    assert "\n" not in str(caught.value)


def test_sizes_are_looked_at_before_anything_is_unpacked(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / "bomb.caesura"
    with zipfile.ZipFile(tiny_model) as old, zipfile.ZipFile(bomb, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == "labels.json":
                data = b'{"a": ["' + b"x" * (33 << 20) + b'"]}'
            new.writestr(info.filename, data, zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ModelError, match=r"labels\.json is larger than 32 MB unpacked"):
        load(bomb)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([[[[[[[1]]]]]]], "deep"),
        ([0] * 200_000, "options"),
        (float("nan"), "no number"),
        (1 << 70, "neither"),
    ],
)
def test_options_are_plain(value: object, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        model_file._check_values({"a": value}, model_file._DEEPEST)


def test_verify_builds_and_parses(
    parts: dict[str, Part], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lies.caesura"
    save(path, changed(parts, option("parser", "beam", 65535)))
    load(path)  # the file itself is sound
    assert cli.run(["models", "verify", str(path)]) == 1
    said = capsys.readouterr()
    assert "BAD" in said.out
    assert "beam is 65535" in said.err


def test_a_card_is_shown_as_text(
    parts: dict[str, Part], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "card.caesura"
    save(path, parts, card="# Mine\x1b]0;owned\x07\n\nAll\tof it.\x9b2J")
    assert cli.run(["models", "show", str(path)]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\x9b" not in said
    assert "# Mine\\x1b]0;owned\\x07\n\nAll" in said
