"""Words that were seen take the rules they were seen with; others make words that are known."""

from __future__ import annotations

from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura._core import DamagedModel, best_rules
from caesura._core import LemmaEndings as CoreEndings
from caesura.document import Document
from caesura.errors import ModelError
from caesura.formats import read
from caesura.stages.hash_table import HashTable
from caesura.stages.lemmas import apply_rule, rule_of
from caesura.stages.network_lemmas import NEVER, LemmaEndings, LemmaLexicon

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
    assert np.array_equal(again.table.keys, lexicon.table.keys)
    assert again.is_known("Condemn")
    assert not again.is_known("condemne")
    assert LemmaLexicon.from_arrays(lexicon.rules, {}) is None


def test_the_lexicon_of_an_older_file_has_its_keys_as_they_are(lexicon: LemmaLexicon) -> None:
    names = ("keys", "first", "rules", "known")
    table = lexicon.table
    kept = (table.keys, table.first, *table.columns, lexicon.known)
    older = {f"lexicon-{name}": array for name, array in zip(names, kept, strict=True)}
    again = LemmaLexicon.from_arrays(lexicon.rules, older)
    assert again is not None
    found = (again.table.keys, again.table.first, *again.table.columns, again.known)
    assert all(np.array_equal(a, b) for a, b in zip(found, kept, strict=True))
    with pytest.raises(ModelError, match="lexicon of lemmas is damaged"):
        LemmaLexicon.from_arrays(lexicon.rules, {**older, "lexicon-first": table.first[1:]})


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


@st.composite
def counted(draw: st.DrawFn) -> dict[str, dict[int, int]]:
    """Counts of rules by ending."""
    rows = st.dictionaries(st.integers(0, 20), st.integers(1, 65535), min_size=1, max_size=6)
    return draw(st.dictionaries(st.sampled_from(["", "s", "gs", "ogs"]), rows))


def chances_of(counts: dict[str, dict[int, int]], form: str) -> dict[int, float]:
    """The chances of rules: those of an ending, smoothed with those of the next shorter one."""
    found: dict[int, float] = {}
    floor = 1e-6
    for size in range(len(form)):
        row = counts.get(form[len(form) - size :])
        if row is None:
            break
        share = sum(row.values()) / (sum(row.values()) + 2.0)
        found = {rule: (1 - share) * one for rule, one in found.items()}
        floor *= 1 - share
        for rule, count in row.items():
            found[rule] = found.get(rule, 0.0) + share * count / sum(row.values())
    return {rule: one + floor for rule, one in found.items()}


def endings_of(counts: dict[str, dict[int, int]]) -> LemmaEndings:
    rows = {LemmaEndings.hash("", "X", end): sorted(row.items()) for end, row in counts.items()}
    return LemmaEndings(HashTable.of(rows, 2))


@given(counted())
def test_chances_are_smoothed(counts: dict[str, dict[int, int]]) -> None:
    endings = endings_of(counts)
    rules, chances = endings.core.chances(np.array(endings.of_word("Dogs", "X"), np.uint32))
    assert dict(zip(rules.tolist(), chances.tolist(), strict=True)) == pytest.approx(
        chances_of(counts, "dogs")
    )


@given(counted(), st.lists(st.floats(-20, 20, width=32), min_size=3, max_size=15), st.booleans())
def test_candidates_are_the_likeliest_rules(
    counts: dict[str, dict[int, int]], numbers: list[float], few: bool
) -> None:
    scores = np.array([numbers[::-1], numbers], np.float32)
    own = np.arange(len(numbers), dtype=np.int64) * 2 if few else None
    column = {
        rule: n for n, rule in enumerate(range(len(numbers)) if own is None else own.tolist())
    }
    endings, chances = endings_of(counts), chances_of(counts, "dogs")
    hashes = np.array(endings.of_word("dogs", "X"), np.uint32)
    bounds = np.array([0, len(hashes)], np.int64)
    first, rules, points = endings.core.candidates(scores, np.array([1]), hashes, bounds, 6.0, own)
    assert first.tolist() == [0, len(rules)]
    if not chances:
        assert not len(rules)
        return
    order = np.argsort(-scores[1], kind="stable")[:8].tolist()
    tried = {*chances, *(rule for rule, n in column.items() if n in order)}
    wanted = {
        rule: 0.5 * (float(scores[1, column[rule]]) if rule in column else -1e9)
        + log(chances.get(rule, 1e-6))
        for rule in sorted(tried)
    }
    most = max(wanted.values())
    found = dict(zip(rules.tolist(), points.tolist(), strict=True))
    assert list(found) == sorted(found)
    for rule, point in wanted.items():
        if point > most - 6.0 + 1e-9:
            assert found[rule] == pytest.approx(point)
        elif point < most - 6.0 - 1e-9:
            assert rule not in found


@given(st.lists(st.floats(-20, 20, width=32), min_size=6, max_size=6), st.data())
def test_the_best_rule_is_found_without_trying_all(
    lexicon: LemmaLexicon, points: list[float], data: st.DataObject
) -> None:
    form = data.draw(st.sampled_from(["dogs", "running", "sees", "happy"]))
    tried = list(enumerate(points[: len(lexicon.rules)]))

    def total(rule: int) -> float:
        return points[rule] + 6.0 * lexicon.is_known(apply_rule(form, lexicon.rules[rule]))

    assert lexicon._best(form, tried, "") == max((rule for rule, _ in tried), key=total)


def test_arguments_that_do_not_fit_are_refused() -> None:
    scores, none = np.zeros((2, 3), np.float32), np.zeros(0, np.int64)
    kinds, one = np.zeros(2, np.int64), np.ones(1, np.int64)
    choices = np.zeros(1, np.uint16)
    assert best_rules(scores, kinds, one, one, choices).tolist() == [0, 0]
    with pytest.raises(ValueError, match="kinds has the value 1"):
        best_rules(scores, kinds + 1, one, one, choices)
    with pytest.raises(ValueError, match="last must"):
        best_rules(scores, kinds, one, one + 1, choices)
    with pytest.raises(ValueError, match="rules must rise"):
        best_rules(scores, kinds, one, one, choices, np.array([1, 1, 2]))
    core = endings_of({}).core
    with pytest.raises(ValueError, match="rows has the value 2"):
        core.candidates(scores, one + 1, choices.astype(np.uint32), np.array([0, 1]), 6.0)
    with pytest.raises(DamagedModel):
        CoreEndings(np.zeros(1, np.uint32), none, choices, choices)
