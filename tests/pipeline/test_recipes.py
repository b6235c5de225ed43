"""Every recipe of `caesura train parser` makes a model that every door opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.cli.train_parser import RECIPES as _RECIPES
from caesura.constraints import keep as keep_only
from caesura.document import ROOT
from caesura.errors import ModelError
from caesura.learn.joint_parser import RECIPES
from caesura.models.file import load, save
from caesura.stage import stage_of
from caesura.stages.boundaries import Boundaries
from tests.parse.toy import corpus

KEEP = ("tokens", "tags")
NEEDS_SENTENCES = ("gold", "branching")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    for name, seed, count in (("train", 1, 12), ("dev", 2, 2), ("test", 3, 2)):
        formats.write(corpus(seed, count), folder / f"{name}.conllu", "conllu")
    return folder


@pytest.fixture(scope="module")
def made(files: Path) -> Callable[[str], Path]:
    """The model that the command makes by a recipe; each is trained once."""

    @cache
    def make(recipe: str) -> Path:
        model = files / f"{recipe.replace(':', '-')}.caesura"
        call = ["train", "parser", str(files / "train.conllu"), "--dev", str(files / "dev.conllu")]
        call += ["-o", str(model), "--beam", "4", "--set", "bits=12", "-q"]
        if recipe == "branching":
            call += ["--system", "branching", "--set", "rounds=[1]"]
        else:
            call += ["--recipe", recipe, "--epochs", "2"]
        assert cli.run(call) == 0
        return model

    return make


def test_the_recipes_are_those_of_the_paper() -> None:
    assert set(_RECIPES) == set(RECIPES)


@pytest.mark.parametrize("recipe", [*_RECIPES, "branching"])
def test_from_the_command_line_and_from_python(
    recipe: str, made: Callable[[str], Path], files: Path, tmp_path: Path
) -> None:
    model = made(recipe)
    keep = [*KEEP, "sentences"] if recipe in NEEDS_SENTENCES else list(KEEP)
    call = ["parse", str(files / "test.conllu"), "-m", str(model), "-q"]
    call += [f"--keep-{name}" for name in keep]
    assert cli.run([*call, "-o", str(tmp_path / "out.conllu")]) == 0
    printed = list(formats.read(tmp_path / "out.conllu"))
    nlp = caesura.load(model)
    gold = list(formats.read(files / "test.conllu"))
    single = [nlp(doc, keep=keep) for doc in gold]
    batch = nlp.batch(gold, keep=keep)
    for a, b, c in zip(printed, single, batch, strict=True):
        assert np.array_equal(a.head, b.head)
        assert np.array_equal(a.sent_start, b.sent_start)
        assert np.array_equal(b.head, c.head)
        assert a.column("deprel") == b.column("deprel")
        assert b.n_sentences == int((b.head == ROOT).sum())
    starts = sum(
        int((a.sent_start == b.sent_start).sum()) for a, b in zip(single, gold, strict=True)
    )
    assert starts > 0.8 * sum(doc.n_tokens for doc in gold)


@pytest.mark.parametrize("recipe", [*_RECIPES, "branching"])
def test_every_option_of_the_search(recipe: str, made: Callable[[str], Path], files: Path) -> None:
    model = made(recipe)
    keep = [*KEEP, "sentences"] if recipe in NEEDS_SENTENCES else list(KEEP)
    (doc, *_) = formats.read(files / "test.conllu")
    nlp = caesura.load(model).with_search(beam=2, margin=0.5)
    search = nlp.stages[-1].search
    assert (search.beam, search.margin) == (2, 0.5)
    sure = nlp(doc, keep=keep, confidence=True)
    assert sure.arc_conf is not None
    assert sure.sent_conf is not None
    assert np.isfinite(sure.sent_conf).all()
    found = caesura.load(model).k_best(doc, 3, keep=keep)
    assert 1 < len(found) <= 3
    assert len({each.head.tobytes() + each.deprel.tobytes() for each in found}) == len(found)
    for each in found:
        assert each.n_sentences == int((each.head == ROOT).sum())
        each.check()
    if recipe in NEEDS_SENTENCES:
        assert all(np.array_equal(each.sent_start, doc.sent_start) for each in found)


@pytest.mark.parametrize("recipe", ["joint-reparsed", "pipeline:nosyntax"])
def test_reparsed_takes_boundaries_of_one_parser_and_trees_of_the_other(
    recipe: str, made: Callable[[str], Path], files: Path
) -> None:
    path = made(recipe)
    file = load(path)
    assert caesura.load(path).stage(Boundaries) is not None
    doc = next(iter(formats.read(files / "test.conllu")))
    first = caesura.load(path)(doc, keep=KEEP)
    boundaries = stage_of(file.parts["boundaries"])
    trees = stage_of(file.parts["parser"])
    by_hand = keep_only(doc, KEEP)
    boundaries.parse(by_hand)
    starts = by_hand.sent_start.copy()
    trees.parse(by_hand)
    assert np.array_equal(first.sent_start, starts)
    assert np.array_equal(first.head, by_hand.head)
    more = caesura.load(path).with_search(bias=2.0)(doc, keep=KEEP)
    assert more.n_sentences > first.n_sentences


@pytest.mark.parametrize("recipe", NEEDS_SENTENCES)
def test_missing_sentences_are_reported_once(
    recipe: str, made: Callable[[str], Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    docs = corpus(3, 3)
    for number, doc in enumerate(docs):
        doc.id = f"story-{number}"
    formats.write(docs, tmp_path / "unsplit.conllu", "conllu")
    call = ["parse", str(tmp_path / "unsplit.conllu"), "-m", str(made(recipe))]
    capfd.readouterr()
    out = ["-o", str(tmp_path / "out.conllu")]
    assert cli.run([*call, "--keep-tokens", "--keep-tags", *out]) == 1
    err = capfd.readouterr().err
    assert err.count("is not split into any") == 1
    assert "3 documents failed" in err


def test_parts_that_do_not_fit_are_refused(made: Callable[[str], Path], tmp_path: Path) -> None:
    parts = load(made("joint-reparsed")).parts
    save(tmp_path / "swapped.caesura", {"boundaries": parts["parser"], "parser": parts["parser"]})
    with pytest.raises(ModelError, match="must find boundaries"):
        caesura.load(tmp_path / "swapped.caesura")
