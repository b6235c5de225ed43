"""Universal rules: the table, the pull it becomes, and the share of arcs that follows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.induce import InduceOptions, Inducer
from caesura.induce.corpus import corpus, word_classes
from caesura.induce.em import Demand, Task, finish, run
from caesura.induce.inference import expect
from caesura.induce.initialise import harmonic
from caesura.induce.parameters import find_model
from caesura.induce.priors import (
    Harmony,
    Pull,
    both,
    by_head,
    factor_for,
    in_harmony,
    lexical,
    one_sided,
    pulled,
    share_that_follows,
    to_the,
    with_factor,
)
from caesura.induce.recipes import Regime
from caesura.induce.universal_rules import BUILT_IN, are_universal, load_rules, parse_rules
from tests.induce.test_learning import toy
from tests.reference.grammars import made_up

NAMES = ("?", "NOUN", "VERB", "CONJ")


def test_later_rules_override_earlier_ones_and_sides_are_told_apart() -> None:
    rules = parse_rules(
        "* * 0.1\nROOT VERB 1\nVERB NOUN 1 # a comment\nVERB NOUN 0.5 left\nNOUN CCONJ 0.7\n"
        "one-side CCONJ\n"
    )
    pull = rules.pull(NAMES)
    np.testing.assert_allclose(pull.root, [0.1, 0.1, 1.0, 0.1])
    expected = np.full((2, 4, 4), 0.1)
    expected[0, 2, 1], expected[1, 2, 1] = 0.5, 1.0
    expected[:, 1, 3] = 0.7  # CONJ of version 1 is CCONJ
    np.testing.assert_allclose(pull.attach, expected)
    assert pull.sided.tolist() == [0, 0, 0, 1]
    assert parse_rules("* * 1\none-side *\n").pull(NAMES).sided.tolist() == [1, 1, 1, 1]
    follows = rules.followed(NAMES)
    assert follows.root.tolist() == [0, 0, 1, 0]
    assert np.argwhere(follows.attach).tolist() == [[0, 1, 3], [0, 2, 1], [1, 1, 3], [1, 2, 1]]


@pytest.mark.parametrize("name", BUILT_IN)
def test_tables_of_the_package_name_every_tag(name: str) -> None:
    rules = load_rules(name)
    assert rules is not None
    mentioned = {dependent for _, dependent, _, _ in rules.rows}
    assert {"NOUN", "VERB", "ADP", "DET", "PROPN", "AUX"} <= mentioned
    assert load_rules("none") is None


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("VERB NOUN\n", 1, "no rule"),
        ("VERB NOUN 1 above\n", 1, "no rule"),
        ("\nVERB NOUN 2\n", 2, "at most 1"),
        ("VERB NOUN much\n", 1, "weight much"),
        ("VERB NP 1\n", 1, "'NP' is no universal tag"),
        ("one-side IN\n", 1, "'IN' is no universal tag"),
        ("harmony\n", 1, "no rule"),
        ("VERB NOUN 1\nharmony NP\n", 2, "'NP' is no universal tag"),
        ("# nothing\n", None, "no rule in the file"),
    ],
)
def test_a_bad_rule_is_told_with_its_line(
    text: str, line: int | None, what: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.rules"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=what) as error:
        load_rules(str(path))
    assert f"mine.rules:{line}:" in str(error.value) if line else True


def test_rules_that_are_not_there_are_told() -> None:
    with pytest.raises(UsageError, match="no such table"):
        load_rules("latin")


def test_universal_tags_are_recognised() -> None:
    assert are_universal(("?", "NOUN", "VERB"), [1, 50, 50])
    assert not are_universal(("?", "NN", "VERB"), [0, 50, 50])
    assert not are_universal(("?",), [0])


def test_a_pull_multiplies_arcs_and_roots() -> None:
    words, model = toy(), find_model("dbm3")
    parameters = harmonic(words, model, 4)
    rng = np.random.default_rng(0)
    pull = Pull(rng.random(4), rng.random((2, 4, 4)), np.zeros(4))
    found = pulled(parameters, pull)
    for side in (0, 1):
        for h in range(4):
            for d in range(4):
                expected = parameters.attach[side, :, :, h, d] * pull.attach[side, h, d]
                np.testing.assert_allclose(found.attach[side, :, :, h, d], expected)
    np.testing.assert_allclose(found.root, parameters.root * pull.root)
    two = both(pull, by_head(np.array([1.0, 2.0, 3.0, 4.0])))
    assert two is not None
    assert two.attach[1, 2, 3] == pytest.approx(3 * pull.attach[1, 2, 3])
    assert to_the(2.0, pull).root[1] == pytest.approx(pull.root[1] ** 2)
    wider = lexical(pull, np.array([0, 1, 2, 3, 2]))
    assert wider.attach[0, 4, 1] == pull.attach[0, 2, 1]
    assert both(None, pull) is pull


def test_one_sided_classes_go_where_most_of_them_went() -> None:
    words, model = toy(), find_model("dmv")
    counts = expect(words, harmonic(words, model, 4), model).counts
    counts.attach[:] = 0.0
    counts.attach[0, 0, 0, :, 2] = 2.0  # four heads, eight arcs to the left
    pull = by_head(np.ones(4))._replace(sided=np.array([0.0, 0.0, 1.0, 0.0]))
    found = one_sided(pull, counts)
    np.testing.assert_allclose(found.attach[0, :, 2], 0.9)
    np.testing.assert_allclose(found.attach[1, :, 2], 0.1)
    np.testing.assert_allclose(found.attach[:, :, [0, 1, 3]], 1.0)
    assert one_sided(pull, None) is pull


def test_words_in_harmony_branch_as_far_as_verbs_do() -> None:
    words, model = toy(), find_model("dmv")
    counts = expect(words, harmonic(words, model, 4), model).counts
    counts.attach[:] = 0.0
    counts.attach[0, 0, 0, 2, 1] = 8.0  # nouns before their verbs
    counts.attach[1, 0, 0, 1, 1] = 50.0  # not what leads
    pull = parse_rules("* * 1\nharmony NOUN VERB\n").pull(NAMES)
    found = in_harmony(pull, counts)
    np.testing.assert_allclose(found.attach[0], 1.0)
    np.testing.assert_allclose(found.attach[1, 1:3, 1:3], 0.2)  # twice one in ten
    np.testing.assert_allclose(found.attach[1, [0, 3]], 1.0)
    np.testing.assert_allclose(found.attach[1, :, [0, 3]], 1.0)
    counts.attach[1, 0, 0, 2, 1] = 8.0  # nouns on both sides
    np.testing.assert_allclose(in_harmony(pull, counts).attach, 1.0)
    assert in_harmony(pull, None) is pull
    assert in_harmony(by_head(np.ones(4)), counts).harmony is None


def test_harmony_stays_where_pulls_are_joined_and_words_get_classes() -> None:
    pull = parse_rules("* * 1\nharmony NOUN VERB\n").pull(NAMES)
    joined = both(by_head(np.ones(4)), pull)
    assert joined is not None
    assert joined.harmony is pull.harmony
    wider = lexical(pull, np.array([0, 1, 2, 3, 2])).harmony
    assert isinstance(wider, Harmony)
    assert wider.heads.tolist() == [0, 0, 1, 0, 1]
    assert wider.dependents.tolist() == [0, 1, 0, 0, 0]
    assert wider.follow.tolist() == [0, 1, 1, 0, 1]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_the_factor_is_the_smallest_that_reaches_the_share(share: float) -> None:
    words, model = toy(), find_model("dmv")
    parameters = harmonic(words, model, 4)
    follows = Pull(np.array([0, 0, 1.0, 0]), np.zeros((2, 4, 4)), np.zeros(4))
    follows.attach[:, 2, :] = 1.0
    factor = factor_for(words, parameters, model, follows, share)
    for grown, reached in ((factor * 1.01, True), (factor * 0.98, factor == 1.0)):
        drawn = pulled(parameters, with_factor(follows, grown))
        counts = expect(words, drawn, model).counts
        if grown >= 1.0:
            assert (share_that_follows(counts, follows) >= share) == reached


def test_em_keeps_the_share_that_is_demanded() -> None:
    words, model = toy(), find_model("dmv")
    follows = Pull(np.array([0, 0, 1.0, 0]), np.zeros((2, 4, 4)), np.zeros(4))
    follows.attach[:, 2, :] = 1.0
    task = Task(words, model, Regime("soft", "fixed", 6), demand=Demand(follows, 0.7))
    parameters = finish(run(task, harmonic(words, model, 4)))
    free = harmonic(words, model, 4)
    shares = [
        share_that_follows(expect(words, p, model).counts, follows) for p in (free, parameters)
    ]
    assert shares[0] < shares[1]


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return made_up(80)


def test_rules_are_the_default_where_tags_are_universal(documents: list[Document]) -> None:
    names = {}
    for rules in ("auto", "none", "function"):
        inducer = Inducer(documents, InduceOptions(classes="upos", rules=rules))
        names[rules] = inducer.run().history["rules"]
    assert names == {"auto": "ud", "none": "none", "function": "function"}
    clustered = Inducer(documents, InduceOptions(classes="8")).run()
    assert clustered.history["rules"] == "none"


@pytest.mark.parametrize("obey", ["expectation", "both"])
def test_rules_may_be_obeyed_in_expectation(documents: list[Document], obey: str) -> None:
    words = corpus(documents, word_classes("upos"), marks="upos")
    rules = load_rules("function")
    assert rules is not None
    follows = rules.followed(words.names)
    grammars = [
        Inducer(documents, InduceOptions(classes="upos", heads="any", **more)).run()  # type: ignore[arg-type]
        for more in ({"rules": "none"}, {"rules": "function", "obey": obey, "share": 0.9})
    ]
    model = find_model("dbm3")
    free, bound = (
        share_that_follows(expect(words.sentences, g.parameters, model).counts, follows)
        for g in grammars
    )
    assert bound > free


def test_rules_need_universal_tags(documents: list[Document]) -> None:
    with pytest.raises(UsageError, match="about universal tags"):
        Inducer(documents, InduceOptions(classes="8", rules="ud")).run()
    with pytest.raises(UsageError, match="obey=never"):
        InduceOptions(obey="never")
    with pytest.raises(UsageError, match="share"):
        InduceOptions(share=1.5)
