"""What a tagger sees of a word, templates, and lemma rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import ModelError
from caesura.stages.lemmas import apply_rule, rule_of
from caesura.stages.tagger_features import AFFIX, ATTRIBUTES, attributes_of, parse_templates
from tests.reference import tag as naive

words = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("ab/"), min_size=1, max_size=14
)


def of(word: str, name: str) -> int:
    return int(attributes_of([word])[0, ATTRIBUTES.index(name)])


def test_affixes_are_those_of_the_lower_case_form() -> None:
    assert of("Sailing", "suffix3") == of("wing", "suffix3") != of("wind", "suffix3")
    assert of("Sailing", "prefix2") == of("said", "prefix2")
    assert of("Sailing", "lower") == of("sailing", "lower")
    assert of("Sailing", "form") != of("sailing", "form")
    assert of("ab", "suffix3") == 0
    assert of("a" * 20, f"suffix{AFFIX}") != 0


@given(st.lists(st.text("abXYZ019", min_size=1, max_size=8), min_size=2, max_size=6))
@settings(max_examples=40, deadline=None)
def test_shapes_agree_where_the_twin_says_so(forms: list[str]) -> None:
    found = attributes_of(forms)[:, ATTRIBUTES.index("shape")].tolist()
    want = [naive.shape(form) for form in forms]
    for a in range(len(forms)):
        for b in range(len(forms)):
            assert (found[a] == found[b]) == (want[a] == want[b])


@given(st.lists(words, min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_a_type_has_the_same_attributes_in_any_company(forms: list[str]) -> None:
    together = attributes_of(forms)
    for row, form in zip(together, forms, strict=True):
        assert np.array_equal(row, attributes_of([form])[0])


def test_classes_are_found_by_form_then_by_lower_case() -> None:
    found = attributes_of(["Boat", "boat", "x"], {"boat": 3, "Boat": 4})
    assert found[:, ATTRIBUTES.index("class")].tolist() == [4, 3, 0]


@given(words, words)
@settings(max_examples=100)
def test_a_rule_makes_its_lemma(form: str, lemma: str) -> None:
    assert apply_rule(form, rule_of(form, lemma)) == lemma


def test_rules_generalise() -> None:
    assert apply_rule("Tries", rule_of("flies", "fly")) == "try"
    assert apply_rule("LAMPS", rule_of("Songs", "song")) == "lamp"
    assert rule_of("The", "the") == rule_of("boat", "boat")
    assert rule_of("Oslo", "Oslo") != rule_of("boat", "boat")
    assert apply_rule("oslo", rule_of("rome", "Rome")) == "Oslo"
    assert apply_rule("a", rule_of("boats", "boat")) == "a"


def test_templates_are_sorted_by_what_they_look_at() -> None:
    templates = parse_templates(["lower[-1]+lower[0]", "form[0]", "suffix3[1]", "shape[-1]"])
    assert templates.places.tolist() == [-1, 0, 1]
    assert len(templates.spot) == 3
    assert len(templates.mixed) == 1
    assert len(templates.own) == 1
    assert len(templates.context) == 3


@pytest.mark.parametrize("bad", ["lower", "lower[x]", "lower[17]", "nose[0]", "tag[-1]", "+", ""])
def test_bad_templates_are_refused(bad: str) -> None:
    with pytest.raises(ModelError):
        parse_templates([bad])
