"""Grammars over several numbers of classes that vote."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.cli import run
from caesura.errors import ModelError, UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, checkpoint
from caesura.induce.arc_model import arc_places, arc_posteriors, arc_trees, tree_arcs, vote
from caesura.induce.inference import least_risk
from tests.induce.test_context import text

OPTIONS = InduceOptions(classes="3,4,5", context=3)


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Inducer([text()], OPTIONS).run()


def test_several_numbers_are_as_many_grammars(grammar: Grammar) -> None:
    assert len(grammar.others) == 2
    assert not any(other.others for other in grammar.others)
    doc = grammar.parse(text())
    for number in range(doc.n_sentences):
        assert (doc.head[doc.word_sentence == number] == -1).sum() == 1


def test_the_tree_with_the_largest_sum_of_posteriors_wins(grammar: Grammar) -> None:
    members = [grammar, *grammar.others]
    views = [(one.prepare([text()]).sentences, one.parameters) for one in members]
    heads, total = vote(views, "sprawl")
    np.testing.assert_array_equal(grammar.trees([text()])[1], heads)
    words = views[0][0]
    assert total[tree_arcs(words, heads)].sum() == pytest.approx(
        max(total[tree_arcs(words, h)].sum() for h in [heads, *(least_risk(*v) for v in views)])
    )


def test_posteriors_lie_flat_with_roots_on_the_diagonal(grammar: Grammar) -> None:
    words = grammar.prepare([text()]).sentences
    flat, places = arc_posteriors(words, grammar.parameters, "sprawl"), arc_places(words)
    n = words.lengths[3]
    mine = flat[places[3] : places[4]].reshape(n, n)
    alone = arc_posteriors(words.select(np.arange(len(words)) == 3), grammar.parameters, "sprawl")
    np.testing.assert_array_equal(mine, alone.reshape(n, n))
    np.testing.assert_allclose(mine.sum(axis=0), 1.0)
    assert np.diag(mine).sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(
        arc_trees(words, flat, "sprawl"), least_risk(words, grammar.parameters, "sprawl")
    )


def test_all_of_them_are_written_and_read(grammar: Grammar) -> None:
    part = grammar.to_part()
    again = Grammar.from_part(part)
    assert len(again.others) == 2
    assert (again.parse(text()).head == grammar.parse(text()).head).all()
    part.config["other-1"] = {**part.config["other-1"], "other-1": {}}
    with pytest.raises(ModelError, match="more grammars than can vote"):
        Grammar.from_part(part)


def test_they_vote_without_tags_and_nothing_else_is_asked_for() -> None:
    options = InduceOptions()
    assert options.numbers == ("10", "12", "15", "20")
    assert (options.iterations, options.frequent_words, options.rounds) == (10, 100, 0)
    assert options.chosen_recipe == "short-first"
    assert not InduceOptions(classes="upos").numbers
    alone = InduceOptions(classes="30")
    assert (alone.numbers, alone.iterations, alone.frequent_words) == ((), 0, 60)


@pytest.mark.parametrize("when", [1, 75, 100, 150, 200])
def test_an_interrupted_vote_goes_on(
    grammar: Grammar, when: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE", 0.0)
    path = tmp_path / "run"
    with closing(iter(Inducer([text()], OPTIONS, checkpoint=path))) as events:
        steps = 0
        for event in events:
            steps += event.kind == "step"
            if steps == when:
                break
    assert path.exists()
    with pytest.raises(UsageError, match="interrupted"):
        Inducer([text()], OPTIONS, checkpoint=path).run()
    rest = Inducer([text()], OPTIONS, checkpoint=path, resume=True)
    said = list(rest)
    assert rest.grammar is not None
    one, two = grammar.to_part(), rest.grammar.to_part()
    assert (one.config, one.labels) == (two.config, two.labels)
    assert grammar.history["restarts"] == rest.grammar.history["restarts"]
    assert all(np.array_equal(one.arrays[name], two.arrays[name]) for name in one.arrays)
    assert sum(event.kind == "step" for event in said) <= 210 - when + 2
    rest.finish()
    assert not path.exists()


def test_a_vote_goes_on_with_its_own_numbers(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with closing(iter(Inducer([text()], OPTIONS, checkpoint=path))) as events:
        for event in events:
            if event.kind == "member":
                break
    other = replace(OPTIONS, classes="3,4,6")
    with pytest.raises(ModelError, match="other options"):
        Inducer([text()], other, checkpoint=path, resume=True).run()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"classes": "3,x"}, "not different numbers"),
        ({"classes": "3,3"}, "not different numbers"),
        ({"classes": "3,"}, "not different numbers"),
        ({"classes": "0,3"}, "not different numbers"),
        ({"classes": ",".join(map(str, range(1, 30)))}, "do not vote"),
        ({"classes": "3,4", "reparse": 2}, "--reparse 2 is for one grammar"),
        ({"classes": "12", "reparse": -1}, "not below 0"),
    ],
)
def test_what_cannot_vote_is_told(settings: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        InduceOptions(**settings)  # type: ignore[arg-type]


def test_the_command_says_who_votes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, model = tmp_path / "text.txt", tmp_path / "text.grammar"
    file.write_text(text().text, encoding="utf-8")
    call = ["induce", str(file), "-o", str(model), "--classes", "3,4", "--set", "context=2"]
    assert run(call) == 0
    said = "".join(capsys.readouterr())
    assert "grammars over 3, 4 classes vote" in said
    assert "Fit of the grammar over 4 classes" in said
    assert run(["inspect", str(model)]) == 0
    assert "2 grammars" in capsys.readouterr().out
