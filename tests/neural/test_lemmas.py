"""Words that were seen take the rules they were seen with; others make words that are known."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.document import Document
from caesura.errors import ModelError
from caesura.formats import read
from caesura.neural.lemma_endings import FLOOR
from caesura.neural.lemmas import NEVER, LemmaLexicon
from caesura.tag.lemmas import apply_rule, rule_of

EXAMPLES = Path(__file__).parents[2] / "examples"
RULES = [rule_of("a", "a"), rule_of("condemned", "condemn"), rule_of("baked", "bake"),
         rule_of("was", "be")]  # fmt: skip


@pytest.fixture(scope="module")
def lexicon() -> LemmaLexicon:
    docs = list(read(EXAMPLES / "harbour.conllu"))
    rules = sorted({
        rule_of(form, lemma)
        for doc in docs
        for form, lemma in zip(doc.column("form"), doc.column("lemma"), strict=True)
    })  # fmt: skip
    return LemmaLexicon.of(docs, [*rules, *RULES], ["condemn"])


def choose(lexicon: LemmaLexicon, form: str, upos: str, likes: dict[str, float]) -> str:
    scores = np.full((1, len(lexicon.rules)), -20.0, np.float32)
    for rule, score in likes.items():
        scores[0, lexicon.rules.index(rule)] = score
    found = lexicon.choose([form], [upos], np.zeros(1, np.int64), scores)
    return lexicon.rules[int(found[0])]


def test_a_seen_word_takes_a_rule_it_was_seen_with(lexicon: LemmaLexicon) -> None:
    doc = next(iter(read(EXAMPLES / "harbour.conllu")))
    form, upos, lemma = (doc.column(name)[1] for name in ("form", "upos", "lemma"))
    wrong = RULES[3]
    assert choose(lexicon, form, upos, {wrong: 9.0}) == rule_of(form, lemma)


def test_rules_without_scores_are_as_if_they_had_the_lowest(lexicon: LemmaLexicon) -> None:
    forms = ["condemned", "boats", "12,000", "a/b", "Zug", "quickly", "the", "rained"]
    tags = ["VERB", "NOUN", "NUM", "X", "NOUN", "ADV", "DET", "VERB"]
    random = np.random.default_rng(3)
    words = np.arange(len(forms))
    n = len(lexicon.rules)
    for _ in range(20):
        rules = np.sort(random.choice(n, 10, replace=False))
        some = random.standard_normal((len(forms), len(rules))).astype(np.float32) * 4
        whole = np.full((len(forms), n), NEVER)
        whole[:, rules] = some
        found = lexicon.choose(forms, tags, words, some, rules=rules)
        assert found.tolist() == lexicon.choose(forms, tags, words, whole).tolist()


def test_an_unknown_word_prefers_a_lemma_that_somebody_wrote(lexicon: LemmaLexicon) -> None:
    makes_condemne, makes_condemn = RULES[2], RULES[1]
    assert choose(lexicon, "condemned", "VERB", {makes_condemne: 5, makes_condemn: 2}) == (
        makes_condemn
    )
    # Far below the best it is not worth it, and of names nobody has a list.
    assert choose(lexicon, "condemned", "VERB", {makes_condemne: 40, makes_condemn: 2}) == (
        makes_condemne
    )
    assert choose(lexicon, "condemned", "PROPN", {makes_condemne: 5, makes_condemn: 2}) == (
        makes_condemne
    )


def test_the_lexicon_survives_a_model_file(lexicon: LemmaLexicon) -> None:
    again = LemmaLexicon.from_arrays(lexicon.rules, lexicon.arrays())
    assert again is not None
    assert np.array_equal(again.keys, lexicon.keys)
    assert again.is_known("Condemn")
    assert not again.is_known("condemne")
    assert LemmaLexicon.from_arrays(lexicon.rules, {}) is None


def test_the_lexicon_of_an_older_file_has_its_keys_as_they_are(lexicon: LemmaLexicon) -> None:
    names = ("keys", "first", "rules", "known")
    kept = (lexicon.keys, lexicon.first, lexicon.choices, lexicon.known)
    older = {f"lexicon-{name}": array for name, array in zip(names, kept, strict=True)}
    again = LemmaLexicon.from_arrays(lexicon.rules, older)
    assert again is not None
    assert all(np.array_equal(a, b) for a, b in zip(
        (again.keys, again.first, again.choices, again.known), kept, strict=True))  # fmt: skip
    with pytest.raises(ModelError, match="lexicon of lemmas is damaged"):
        LemmaLexicon.from_arrays(lexicon.rules, {**older, "lexicon-first": lexicon.first[1:]})


@pytest.mark.parametrize("name", ["gaps", "sizes", "rules", "known-gaps"])
def test_a_damaged_lexicon_is_refused(lexicon: LemmaLexicon, name: str) -> None:
    arrays = lexicon.arrays()
    broken = {**arrays, f"lexicon-{name}": arrays[f"lexicon-{name}"].astype(np.float32)}
    with pytest.raises(ModelError, match="lexicon of lemmas is damaged"):
        LemmaLexicon.from_arrays(lexicon.rules, broken)
    too_high = {**arrays, "lexicon-rules": arrays["lexicon-rules"] + np.uint16(60_000)}
    with pytest.raises(ModelError, match="lexicon of lemmas is damaged"):
        LemmaLexicon.from_arrays(lexicon.rules, too_high)


def test_an_unknown_word_goes_with_words_that_end_alike() -> None:
    """Where both lemmas are words, as `stag` and `stage` are, and where none is."""
    text = [f"{verb}d" for verb in ("manage", "damage", "engage", "rage", "wage")]
    text += [f"{verb}ed" for verb in ("end", "land", "hand", "mend", "tend")]
    lemmas = [word[:-1] if word.endswith("aged") else word[:-2] for word in text]
    starts = np.cumsum([0, *(len(word) + 1 for word in text[:-1])])
    doc = Document.from_spans(" ".join(text), starts, starts + [len(word) for word in text])
    doc.upos = np.full(len(text), doc.strings.ids(["VERB"])[0], np.int32)
    doc.lemma = doc.strings.ids(lemmas).astype(np.int32)
    drops_d, drops_ed, be = RULES[2], RULES[1], RULES[3]
    lexicon = LemmaLexicon.of([doc], RULES, ["stag", "stage", "be"])
    again = LemmaLexicon.from_arrays(RULES, lexicon.arrays())
    assert again is not None
    for one in (lexicon, again):
        assert choose(one, "staged", "VERB", {drops_ed: 4, drops_d: 2}) == drops_d
        assert choose(one, "branded", "VERB", {drops_ed: 1, drops_d: 2}) == drops_ed
        # What one word did is no rule for another, though the network likes it and it is a word.
        assert choose(one, "voyaged", "VERB", {be: 9, drops_d: 2}) == drops_d
        # A network that is very sure is believed.
        assert choose(one, "staged", "VERB", {drops_ed: 40, drops_d: 2}) == drops_ed


def test_numbers_and_addresses_stay_as_they_are(lexicon: LemmaLexicon) -> None:
    same, drops, kept = rule_of("a", "a"), RULES[1], rule_of("Aa", "Aa")
    assert choose(lexicon, "1,250ed", "NUM", {drops: 9, same: 1}) == same
    assert choose(lexicon, "http://a.example/Baked", "X", {drops: 9, same: 5, kept: 1}) == kept
    assert choose(lexicon, "me@a.example", "X", {RULES[3]: 9}) in (same, kept)


def test_damaged_endings_are_refused(lexicon: LemmaLexicon) -> None:
    arrays = lexicon.arrays()
    for name, array in (
        ("lexicon-endings-rules", np.full(len(arrays["lexicon-endings-rules"]), 9999, np.uint16)),
        ("lexicon-endings-counts", arrays["lexicon-endings-counts"][1:]),
        ("lexicon-endings-sizes", arrays["lexicon-endings-sizes"].astype(np.int32)),
        ("lexicon-endings-counts", 0 * arrays["lexicon-endings-counts"]),
    ):
        with pytest.raises(ModelError, match="lexicon of lemmas is damaged"):
            LemmaLexicon.from_arrays(lexicon.rules, {**arrays, name: array})
    older = {name: array for name, array in arrays.items() if "endings" not in name}
    again = LemmaLexicon.from_arrays(lexicon.rules, older)
    assert again is not None
    assert again.endings is None


@given(st.lists(st.floats(-20, 20, width=32), min_size=6, max_size=6), st.data())
def test_the_best_rule_is_found_without_trying_all(
    lexicon: LemmaLexicon, scores: list[float], data: st.DataObject
) -> None:
    n = len(lexicon.rules)
    points = np.resize(np.array(scores, np.float32), n)
    some = st.dictionaries(st.integers(0, n - 1), st.floats(1e-6, 1.0), max_size=n)
    chances = data.draw(some)
    form = data.draw(st.sampled_from(["dogs", "running", "sees", "happy"]))
    tried = {*np.argpartition(-points, min(8, n) - 1)[: min(8, n)].tolist(), *chances}

    def worth(rule: int) -> float:
        known = lexicon.is_known(apply_rule(form, lexicon.rules[rule]))
        return 0.5 * float(points[rule]) + log(chances.get(rule, FLOOR)) + 6.0 * known

    rules = np.array(sorted(chances), np.int64)
    likely = (rules, np.array([chances[rule] for rule in rules.tolist()]))
    found = lexicon._best(form, points, np.arange(n), likely, "")
    assert found == max(sorted(tried), key=worth)
