"""An interrupted induction goes on to the same grammar, from wherever it stood."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, checkpoint, em, induction
from caesura.induce.initialise import initialise
from caesura.induce.parameters import Parameters, find_model
from caesura.induce.recipes import RECIPES, Regime
from tests.induce.test_learning import toy
from tests.reference.grammars import made_up

#: Steps after which to interrupt; from the end if negative.
WHEN = (1, 2, 7, -3, -1)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(60)


@pytest.fixture(autouse=True)
def write_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)


def run(inducer: Inducer, steps: int = -1) -> int:
    """Run to the end, or until so many steps are done; how many there were."""
    done = 0
    with closing(iter(inducer)) as events:
        for event in events:
            done += event.kind == "step"
            if done == steps:
                break
    return done


def same(one: Grammar | None, two: Grammar | None) -> bool:
    assert one is not None
    assert two is not None
    mine, others = one.to_part(), two.to_part()
    assert (mine.config, mine.labels) == (others.config, others.labels)
    assert one.history["restarts"] == two.history["restarts"]
    return all(np.array_equal(mine.arrays[name], others.arrays[name]) for name in mine.arrays)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_goes_on_from_every_stage(
    documents: list[Document], name: str, tmp_path: Path
) -> None:
    options = InduceOptions(recipe=name, classes="upos", lexical=10)
    whole = Inducer(documents, options)
    steps = run(whole)
    path = tmp_path / "run"
    for when in WHEN:
        stop = when if when > 0 else steps + 1 + when
        run(Inducer(documents, options, checkpoint=path, resume=True), stop)
        rest = Inducer(documents, options, checkpoint=path, resume=True)
        # The step at which it was interrupted is the one that may be done twice.
        assert run(rest) <= steps - stop + 2
        assert same(whole.grammar, rest.grammar)
        rest.finish()
        assert not path.exists()


@pytest.mark.parametrize("heads", ["any", "content"])
def test_an_interruption_of_an_interruption(
    documents: list[Document], heads: str, tmp_path: Path
) -> None:
    options = InduceOptions(classes="upos", heads=heads)
    whole = Inducer(documents, options)
    run(whole)
    for _ in range(12):
        again = Inducer(documents, options, checkpoint=tmp_path / "run", resume=True)
        run(again, 6)
    run(again := Inducer(documents, options, checkpoint=tmp_path / "run", resume=True))
    assert same(whole.grammar, again.grammar)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("restarts", [0, 1, 2])
def test_finished_restarts_are_not_run_again(
    documents: list[Document], workers: int, restarts: int, tmp_path: Path
) -> None:
    options = InduceOptions("standard", "dmv", "upos", restarts=3, workers=workers)
    whole = Inducer(documents, options)
    run(whole)
    first = Inducer(documents, options, checkpoint=tmp_path / "run")
    with closing(iter(first)) as events:
        for event in events:
            if event.kind == "step" and event.restart == restarts:
                break
    rest = Inducer(documents, options, checkpoint=tmp_path / "run", resume=True)
    said = list(rest)
    assert same(whole.grammar, rest.grammar)
    assert {event.restart for event in said if event.kind == "restart"} == {*range(restarts, 3)}
    if restarts:
        assert next(e.stats["restarts"] for e in said if e.kind == "resumed") == restarts


def test_word_classes_are_not_learnt_again(
    documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = InduceOptions(classes="4", frequent=6, groups=2)
    whole = Inducer(documents, options)
    run(whole)
    run(Inducer(documents, options, checkpoint=tmp_path / "run"), 1)

    def learn(*_: object) -> Any:
        raise AssertionError

    monkeypatch.setattr(induction, "learn_classifier", learn)
    rest = Inducer(documents, options, checkpoint=tmp_path / "run", resume=True)
    run(rest)
    assert same(whole.grammar, rest.grammar)


def test_other_text_and_other_options_are_told(documents: list[Document], tmp_path: Path) -> None:
    path = tmp_path / "run"
    options = InduceOptions(classes="upos")
    run(Inducer(documents, options, checkpoint=path), 3)
    kept = path.read_bytes()
    with pytest.raises(UsageError, match="interrupted induction is kept"):
        run(Inducer(documents, options, checkpoint=path))
    retagged = made_up(60)
    retagged[0].set_column("upos", ["X"] * retagged[0].n_words)
    others = [
        (documents[1:], options),
        (retagged, options),
        (documents, replace(options, seed=5)),
        (documents, replace(options, heads="content")),
        (documents, replace(options, restarts=2)),
    ]
    for docs, other in others:
        with pytest.raises(ModelError, match=r"other options or other text.*--anew"):
            run(Inducer(docs, other, checkpoint=path, resume=True))
    with pytest.raises(ModelError, match="other options or other text"):
        run(Inducer(documents, options, class_text=documents, checkpoint=path, resume=True))
    assert path.read_bytes() == kept
    # Threads change nothing in the result, so they may differ.
    run(Inducer(documents, replace(options, workers=2), checkpoint=path, resume=True))


@pytest.mark.parametrize("stop", ["fixed", "converged", "lateen", "alternate", "patience"])
@pytest.mark.parametrize("final", [None, 0.5])
def test_every_way_to_stop_goes_on_from_every_state(stop: Any, final: float | None) -> None:
    words, row = toy(sentences=30), find_model("dmv")
    parameters = initialise("random", words, row, 4, seed=3)
    regime = Regime("hard", stop, iterations=12, patience=3, final_smoothing=final)
    states: list[em.State] = []

    def finish(state: em.State | None = None, keep: em.Keep | None = None) -> Parameters:
        return em.finish(em.run(em.Task(words, row, regime), parameters, state=state, keep=keep))

    whole = finish(keep=states.append)
    assert states
    for state in states:
        # Through a file and back.
        place = checkpoint._to_place(checkpoint._of_place(checkpoint.Place(0, 9, state)))
        for one, two in zip(finish(place.state), whole, strict=True):
            np.testing.assert_array_equal(one, two)


def test_states_are_not_written_all_the_time(
    documents: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[int] = []
    real = checkpoint.save

    def save(path: Path, parts: Any, **settings: Any) -> None:
        writes.append(len(parts))
        real(path, parts, **settings)

    monkeypatch.setattr(checkpoint, "save", save)
    monkeypatch.setattr(checkpoint, "PAUSE", float("inf"))
    options = InduceOptions("standard", "dmv", "upos", restarts=2)
    run(Inducer(documents, options, checkpoint=tmp_path / "run"))
    # The first state, and the two restarts as they are done.
    assert len(writes) == 3
    assert json.loads(checkpoint.load(tmp_path / "run").part("run").labels["restarts"][1])
