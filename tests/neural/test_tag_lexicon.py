"""Counts of tags and features by word and ending, beside a network's scores."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.stages.network_encoder import Scores
from caesura.stages.network_labels import Attributes, Languages
from caesura.stages.network_tagging import Tagging
from caesura.stages.network_tags import TagLexicon

PAIRS = ("Case=Gen", "Case=Nom", "Number=Plur", "Number=Sing")
UPOS = ("NOUN", "VERB", "PUNCT")
#: Form, tag and FEATS; what the network must not have to know.
WORDS = [
    ("boats", "NOUN", "Case=Nom|Number=Plur"),
    ("boats", "NOUN", "Case=Nom|Number=Plur"),
    ("nets", "NOUN", "Case=Nom|Number=Plur"),
    ("boat", "NOUN", "Case=Nom|Number=Sing"),
    ("boat's", "NOUN", "Case=Gen|Number=Sing"),
    ("Catches", "NOUN", "Case=Nom|Number=Plur"),
    ("catches", "VERB", "Number=Sing|Voice=Act"),
    (".", "PUNCT", ""),
]


def written(words: list[tuple[str, str, str]]) -> Document:
    text, starts, ends = "", [], []
    for form, _, _ in words:
        starts.append(len(text))
        ends.append(len(text) + len(form))
        text += form + " "
    doc = Document.from_spans(text, starts, ends)
    doc.upos = doc.strings.ids([upos for _, upos, _ in words]).astype(np.int32)
    doc.feats = doc.strings.ids([feats for _, _, feats in words]).astype(np.int32)
    return doc


@pytest.fixture
def lexicon() -> TagLexicon:
    return TagLexicon.of_languages({"aa": [written(WORDS)], "bb": []}, UPOS, Attributes(PAIRS))


def tagged(
    lexicon: TagLexicon,
    forms: list[str],
    upos: list[list[float]] | None = None,
    feats: list[list[float]] | None = None,
    language: int = 1,
    fixed: str = "",
    values: list[int] | None = None,
    may: list[int] | None = None,
) -> tuple[list[str], list[str]]:
    """The tags and features of words of which a network says so much.

    `values` are the columns of FEATS that it tells of, `may` those that the language has.
    """
    doc = written([(form, "", "") for form in forms])
    if fixed:
        doc.upos = doc.strings.ids([fixed] * len(forms)).astype(np.int32)
        doc.fixed = doc.fixed | {"upos"}
    n = len(forms)
    zero = np.zeros(n, np.float32)
    tags = {
        "upos": np.array(upos or [[0.0] * len(UPOS)] * n, np.float32),
        "xpos": np.zeros((n, 1), np.float32),
        "feats": np.array(feats or [[0.0] * len(values or range(6))] * n, np.float32),
        "lemma": np.zeros((n, 1), np.float32),
    }
    number = np.zeros(n, np.int32)
    arcs = np.zeros((n, 1), np.float32)
    scores = Scores(
        zero, tags, arcs, number, number, arcs, arcs, zero, np.full(n, language, np.int64),
        values=None if values is None else np.array(values),
    )  # fmt: skip
    masks = {
        "deprel": np.ones((3, 1), bool),
        "feats": np.ones((3, 6), bool),
        "lemma": np.ones((3, 1), bool),
    }
    if may is not None:
        masks["feats"][language] = np.isin(np.arange(6), may)
    known = Languages(("aa", "bb"), lexicon.attributes, masks)
    labels = {"upos": list(UPOS), "xpos": [""], "feats": list(PAIRS), "lemma": ["l0//0/"]}
    Tagging(labels, languages=known, tags=lexicon).write(doc, scores, True)
    assert doc.tag_conf is not None
    assert ((doc.tag_conf > 0) & (doc.tag_conf <= 1)).all()
    return list(doc.column("upos")), list(doc.column("feats"))


def test_a_word_that_was_seen_takes_its_tag_unless_the_network_is_sure(lexicon: TagLexicon) -> None:
    forms = ["catches", "boats", "."]
    assert tagged(lexicon, forms)[0] == ["VERB", "NOUN", "PUNCT"]
    assert tagged(lexicon, ["boats"], [[0.0, 9.0, 0.0]])[0] == ["VERB"]


def test_a_word_that_was_not_seen_goes_by_its_ending(lexicon: TagLexicon) -> None:
    assert tagged(lexicon, ["goats"]) == (["NOUN"], ["Case=Nom|Number=Plur"])


def test_a_word_with_a_capital_is_looked_for_in_lower_case(lexicon: TagLexicon) -> None:
    assert tagged(lexicon, ["Boat"], fixed="NOUN")[1] == ["Case=Nom|Number=Sing"]
    assert tagged(lexicon, ["Catches"])[0] == ["NOUN"]


def test_features_are_those_of_the_tag_and_of_the_words_that_end_alike(lexicon: TagLexicon) -> None:
    # By value the network would say genitive plural, which no noun was.
    points = [[0.0, 3.0, 2.5, 0.0, 3.0, 2.0]]
    assert tagged(lexicon, ["buoy"], [[5.0, 0.0, 0.0]], points)[1] == ["Case=Nom|Number=Plur"]
    points = [[0.0, 2.0, 1.5, 0.0, 2.0, 1.0]]
    assert tagged(lexicon, ["."], [[0.0, 0.0, 5.0]], points)[1] == [""]


def test_features_that_no_tag_was_seen_with_need_a_sure_network(lexicon: TagLexicon) -> None:
    points = [[0.0, 30.0, 0.0, 0.0, 30.0, 0.0]]
    assert tagged(lexicon, ["buoy"], [[5.0, 0.0, 0.0]], points)[1] == ["Case=Gen|Number=Plur"]
    # Where few features were seen once, still more is needed.
    more = [*WORDS, *[(f"{n}s", "NOUN", "Case=Nom|Number=Plur") for n in range(200)]]
    larger = TagLexicon.of_languages({"aa": [written(more)]}, UPOS, lexicon.attributes)
    assert larger._choices("aa", 0).others < lexicon._choices("aa", 0).others - 3


def test_a_tag_that_the_caller_fixed_chooses_the_features(lexicon: TagLexicon) -> None:
    upos, feats = tagged(lexicon, ["catches"], fixed="VERB")
    assert (upos, feats) == (["VERB"], ["Number=Sing"])


@pytest.mark.parametrize("values", [[0, 2, 3, 4, 5], [0, 2, 3, 5], [0, 3, 4]])
def test_scores_of_what_a_language_has_are_enough(lexicon: TagLexicon, values: list[int]) -> None:
    forms = ["boats", "goats", "boat's", "catches", "xyz"]
    random = np.random.default_rng(5)
    for _ in range(30):
        points = (4 * random.standard_normal((len(forms), 6))).astype(np.float32)
        few = points[:, values].tolist()
        whole = tagged(lexicon, forms, feats=points.tolist(), may=values)
        assert tagged(lexicon, forms, feats=few, values=values, may=values) == whole
        # Whoever reads the scores may allow less than those that were read.
        less = [value for value in values if value != 2]
        whole = tagged(lexicon, forms, feats=points.tolist(), may=less)
        assert tagged(lexicon, forms, feats=few, values=values, may=less) == whole


def test_what_no_attribute_has_is_left_out(lexicon: TagLexicon) -> None:
    assert "Number=Sing" in lexicon.feats
    assert not any("Voice" in feats for feats in lexicon.feats)


@pytest.mark.parametrize("language", [0, 2])
def test_of_another_language_it_says_nothing(lexicon: TagLexicon, language: int) -> None:
    points = [[0.0, 3.0, 2.5, 0.0, 3.0, 2.0]]
    found = tagged(lexicon, ["boats"], [[0.0, 1.0, 0.0]], points, language)
    assert found == (["VERB"], ["Case=Gen|Number=Plur"])


def test_chances_are_those_of_the_longest_ending_mixed_with_shorter_ones(
    lexicon: TagLexicon,
) -> None:
    """A slow, obvious twin: all tags and features of each ending as tables."""
    rows = [(form, upos, lexicon.attributes.known(feats)) for form, upos, feats in WORDS]
    for form in ("boats", "goats", "Nets", "s", "xyz"):
        counts = Counter(upos for _, upos, _ in rows)
        upos = {tag: (counts[tag] + 0.1) / (len(rows) + 0.3) for tag in UPOS}
        feats = {
            tag: {x: n / counts[tag] for x, n in Counter(f for _, u, f in rows if u == tag).items()}
            for tag in UPOS
        }
        lower = form.lower()
        levels: list[tuple[list[tuple[str, str, str]], float, float]] = []
        for k in range(1, min(3, len(lower) - 1) + 1):
            own = [r for r in rows if len(r[0]) > k and r[0].lower().endswith(lower[-k:])]
            # An ending that a tag was seen with once is not kept.
            often = Counter(r[1] for r in own)
            levels.append(([r for r in own if often[r[1]] >= 2], 2.0, 2.0))
        exact = [r for r in rows if r[0] == form]
        smaller = [r for r in rows if r[0] == lower]
        seen = bool(exact or (lower != form and smaller))
        levels.append((exact, 1.0, 0.5) if exact or lower == form else (smaller, 2.0, 1.0))
        for own, tag_weight, feats_weight in levels:
            if own:
                total = Counter(r[1] for r in own)
                upos = {
                    t: (total[t] + tag_weight * upos[t]) / (len(own) + tag_weight) for t in UPOS
                }
                for tag in total:
                    mine = Counter(r[2] for r in own if r[1] == tag)
                    feats[tag] = {
                        x: (mine[x] + feats_weight * p) / (total[tag] + feats_weight)
                        for x, p in feats[tag].items()
                    }
        opinion = lexicon.opinions([(form, "aa")])[0]
        assert opinion.seen == seen
        assert np.allclose(opinion.upos, [upos[tag] for tag in UPOS])
        for number, tag in enumerate(UPOS):
            choices = lexicon._choices("aa", number)
            (found,) = lexicon._feats_points([opinion], number, choices)
            found = found / (1.3 if seen else 0.7)
            wanted = [feats[tag][string] for string in choices.strings]
            assert np.allclose(np.exp(found), wanted, atol=1e-5)


def test_the_lexicon_survives_a_model_file(lexicon: TagLexicon) -> None:
    labels = {"upos": list(UPOS), **lexicon.labels()}
    again = TagLexicon.from_part(labels, lexicon.arrays(), lexicon.attributes)
    assert again is not None
    assert np.array_equal(again.table.keys, lexicon.table.keys)
    assert tagged(again, ["goats", "catches"]) == tagged(lexicon, ["goats", "catches"])
    assert TagLexicon.from_part(labels, {}, lexicon.attributes) is None


@pytest.mark.parametrize("name", ["gaps", "sizes", "feats", "counts"])
def test_a_damaged_lexicon_is_refused(lexicon: TagLexicon, name: str) -> None:
    arrays = lexicon.arrays()
    labels = {"upos": list(UPOS), **lexicon.labels()}
    for broken in (arrays[f"tags-{name}"].astype(np.float32), arrays[f"tags-{name}"][1:]):
        with pytest.raises(ModelError, match="lexicon of tags is damaged"):
            TagLexicon.from_part(labels, arrays | {f"tags-{name}": broken}, lexicon.attributes)
    with pytest.raises(ModelError, match="lexicon of tags is damaged"):
        TagLexicon.from_part({**labels, "lexicon-feats": []}, arrays, lexicon.attributes)
    strange = {**labels, "lexicon-feats": ["Mood=Ind"] * len(lexicon.feats)}
    again = TagLexicon.from_part(strange, arrays, lexicon.attributes)
    assert again is not None
    with pytest.raises(ModelError, match="Mood=Ind, which is none of its features"):
        tagged(again, ["boats"])
