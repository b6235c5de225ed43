"""Frequent words in a few groups, by what stands before and after them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from caesura.cluster import cluster
from caesura.cluster.clustering import sentences_of
from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import InduceOptions, Inducer
from caesura.induce.word_classes import (
    WordClassifier,
    classifier_of,
    group_frequent,
    regroup,
)
from caesura.tokenize import RuleTokenizer

NOUNS = [f"n{i}" for i in range(60)]
VERBS = [f"v{i}" for i in range(60)]


def sentences(number: int = 2000) -> list[list[str]]:
    """DET NOUN (PREP DET NOUN) VERB DET NOUN, with three articles and three prepositions."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(number):
        row = [str(rng.choice(["The", "A", "This"])), str(rng.choice(NOUNS))]
        if rng.random() < 0.5:
            row += [str(rng.choice(["in", "on", "of"])), str(rng.choice(["the", "a", "this"]))]
            row.append(str(rng.choice(NOUNS)))
        row += [str(rng.choice(VERBS)), str(rng.choice(["the", "a", "this"]))]
        found.append([*row, str(rng.choice(NOUNS)), "."])
    return found


def known() -> WordClassifier:
    return WordClassifier(
        {
            **dict.fromkeys(NOUNS, "N"),
            **dict.fromkeys(VERBS, "V"),
            "the": "1",
            "in": "2",
            "The": "3",
        }
    )


def test_articles_and_prepositions_come_together() -> None:
    groups = group_frequent(sentences(), known(), 6, 2)
    assert sorted(map(sorted, groups)) == [["a", "the", "this"], ["in", "of", "on"]]


def test_groups_replace_the_classes_of_frequent_words() -> None:
    classifier = regroup(sentences(), known(), 6, 2)
    assert len({classifier.of(w) for w in ("the", "The", "A", "this")}) == 1
    assert len({classifier.of(w) for w in ("in", "of", "on")}) == 1
    assert classifier.of("n7") == "N"
    assert classifier.of("the") != classifier.of("in")


def test_a_small_text_has_no_frequent_words() -> None:
    few = [["the", "boat", "leaves"]] * 9
    assert regroup(few, known()).words == known().words
    assert group_frequent([], known()) == []


def test_more_text_for_classes_changes_nothing_else() -> None:
    rules = RuleTokenizer()
    text = " ".join(" ".join(s[:-1]) + "." for s in sentences(300))
    doc = rules.tokenize(Document(text=text))
    more = rules.tokenize(Document(text=re.sub("v[0-9]+", "walks", text)))
    assert next(sentences_of([doc]))[-1] == "."
    plain = Inducer([doc], InduceOptions(classes="8", recipe="standard", model="dmv"))
    wider = Inducer(
        [doc], InduceOptions(classes="8", recipe="standard", model="dmv"), class_text=[more]
    )
    one, two = plain.run(), wider.run()
    assert "walks" not in one.classifier.words
    assert "walks" in two.classifier.words
    assert one.prepare([doc]).sentences.n_words == two.prepare([doc]).sentences.n_words


def test_a_file_of_classes_is_regrouped_too(tmp_path: Path) -> None:
    rows = [("the", "7", 90), ("boat", "8", 20), ("rare", "9", 1)]
    assert classifier_of(rows).of("the") == "7"
    assert classifier_of(rows).of("rare").startswith("rare")


def test_endings_and_shapes_draw_rare_words_together() -> None:
    """Two kinds of words in the same places: only their endings tell them apart."""
    stems = ("bar", "kol", "tim", "ran", "sel", "pog", "dur", "wem")
    rng = np.random.default_rng(0)
    words = [stem + ending for stem in stems for ending in ("ness", "tion")]
    text = [["the", str(rng.choice(words)), "is"] for _ in range(60)]
    found = {w: c for w, c, _ in cluster(text, 4, min_count=1, morphology=20).rows()}
    ending = {word: found[word] for word in words if word in found}
    kinds = {e: {c for w, c in ending.items() if w.endswith(e)} for e in ("ness", "tion")}
    assert not kinds["ness"] & kinds["tion"]
    with pytest.raises(UsageError, match="morphology"):
        InduceOptions(morphology=-1.0)
    with pytest.raises(UsageError, match="exchange"):
        cluster(text, 4, method="brown", morphology=1)
