"""Words that were seen take the rules they were seen with; others make words that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.formats import read
from caesura.neural.lemmas import LemmaLexicon
from caesura.tag.lemmas import rule_of

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


def test_an_unknown_word_prefers_a_lemma_that_somebody_wrote(lexicon: LemmaLexicon) -> None:
    makes_condemne, makes_condemn = RULES[2], RULES[1]
    assert choose(lexicon, "condemned", "VERB", {makes_condemne: 5, makes_condemn: 2}) == (
        makes_condemn
    )
    # Far below the best it is not worth it, and of names nobody has a list.
    assert choose(lexicon, "condemned", "VERB", {makes_condemne: 15, makes_condemn: 2}) == (
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
