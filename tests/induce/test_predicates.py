"""Predicates: the words of which nearly every sentence has one."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import Grammar, InduceOptions, Inducer
from caesura.induce.context import FREQUENT, PREDICATE, find_predicates, in_most_sentences
from caesura.induce.word_classes import learn_classifier, regroup
from caesura.tokenize import RuleTokenizer

NOUNS = [f"n{letter}" for letter in "abcdefghijkl"]
PAST = [f"w{letter}" for letter in "abcdef"]
BARE = [f"v{letter}" for letter in "abcdef"]
#: Nothing else is in these sentences that every one has.
FINITE = {*PAST, "will", "may"}


def sentences(number: int = 600) -> list[list[str]]:
    """Noun phrases in any number around one finite verb, which may be a modal verb."""
    rng = np.random.default_rng(0)

    def phrase() -> list[str]:
        noun = str(rng.choice(NOUNS))
        return ["the", noun] if rng.random() < 0.5 else [noun]

    def some() -> list[str]:
        return [word for _ in range(rng.integers(0, 4)) for word in ["of", *phrase()]]

    def verb() -> list[str]:
        if rng.random() < 0.5:
            return [str(rng.choice(PAST))]
        return [str(rng.choice(["will", "may"])), str(rng.choice(BARE))]

    return [[*phrase(), *some(), *verb(), *phrase(), *some(), "."] for _ in range(number)]


def text(number: int = 200) -> Document:
    lines = (" ".join(words).capitalize() for words in sentences(number))
    return RuleTokenizer().tokenize(Document(" ".join(lines)))


def test_a_set_of_classes_is_found_of_which_every_row_has_one() -> None:
    rng = np.random.default_rng(1)
    counts = rng.poisson(1.0, (400, 6)).astype(np.int32)
    counts[:, [1, 4]] = 0
    turn = rng.random(400) < 0.6
    counts[turn, 1] = 1
    counts[~turn, 4] = 1
    assert np.flatnonzero(in_most_sentences(counts)).tolist() == [1, 4]


def test_nothing_is_found_where_all_is_chance_or_hardly_anything_is_there() -> None:
    assert not in_most_sentences(np.zeros((0, 3), dtype=np.int32)).any()
    assert not in_most_sentences(np.full((9, 1), 4, dtype=np.int32)).any()  # all of the text
    assert not in_most_sentences(np.eye(4, dtype=np.int32)).any()  # each class once


def test_finite_verbs_are_predicates() -> None:
    known = regroup(sentences(), learn_classifier(sentences(), "6", context=5), words=2)
    assert known.context is not None
    found = find_predicates(sentences(), known.context, 12)
    assert found == FINITE
    classifier = replace(known, context=replace(known.context, predicates=found))
    doc = RuleTokenizer().tokenize(Document("the na will va nb ."))
    kinds = classifier.classify(doc)
    assert [PREDICATE in kind for kind in kinds] == [False, False, True, False, False, False]
    assert kinds[0].endswith(FREQUENT)


def test_predicates_are_drawn_to_be_roots() -> None:
    options = InduceOptions(classes="6", context=5, predicates=12)
    grammar = Inducer([text()], options).run()
    doc = grammar.parse(text(50))
    forms = doc.column("form")
    roots = [forms[at] in FINITE for at in np.flatnonzero(doc.head == -1).tolist()]
    assert np.mean(roots) > 0.9
    again = Grammar.from_part(grammar.to_part())
    assert again.classifier.classify(doc) == grammar.classifier.classify(doc)
    assert (again.parse(text(50)).head == doc.head).all()
    assert grammar.to_part().config["version"] == 4


def test_they_are_looked_for_where_heads_are_of_any_kind() -> None:
    assert InduceOptions(heads="any").clusters == 100
    assert InduceOptions(heads="content").clusters == 0
    assert InduceOptions(heads="content", predicates=30).clusters == 30
    assert InduceOptions(predicates=0).clusters == 0
    assert InduceOptions(classes="30").clusters == 0
    assert InduceOptions(classes="upos").clusters == 0
    options = InduceOptions(classes="4", context=3, predicates=0)
    assert not any(PREDICATE in name for name in Inducer([text()], options).run().names)


@pytest.mark.parametrize("settings", [{"classes": "30"}, {"classes": "upos"}, {"context": 0}])
def test_they_need_classes_by_context(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="predicates=30 is about classes by context"):
        InduceOptions(**{"predicates": 30, **settings})  # type: ignore[arg-type]


def test_a_number_of_clusters_is_not_below_zero() -> None:
    with pytest.raises(UsageError, match="predicates=-1"):
        InduceOptions(predicates=-1)


@pytest.mark.parametrize("when", [10, 100])
def test_all_grammars_that_vote_share_them(when: int, tmp_path: Path) -> None:
    options = InduceOptions(classes="4,6", context=3, predicates=12)
    whole = Inducer([text()], options).run()
    (other,) = whole.others
    assert whole.classifier.context is not None
    assert other.classifier.context is not None
    assert whole.classifier.context.predicates == other.classifier.context.predicates == FINITE
    path = tmp_path / "kept"
    with closing(iter(Inducer([text()], options, checkpoint=path))) as events:
        for number, _ in enumerate(events):
            if number == when:
                break
    resumed = Inducer([text()], options, checkpoint=path, resume=True).run()
    np.testing.assert_array_equal(resumed.parameters.attach, whole.parameters.attach)
    assert resumed.classifier.context is not None
    assert resumed.classifier.context.predicates == FINITE
