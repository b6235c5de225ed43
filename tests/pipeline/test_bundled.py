"""The bundled models `en` and `en-fast`: what a new user tries first."""

from __future__ import annotations

import pytest

import caesura
from caesura.paths import bundled_models
from caesura.pipeline import Pipeline
from tests.pipeline.laws import check


@pytest.fixture(scope="module", params=["en", "en-fast"])
def nlp(request: pytest.FixtureRequest) -> Pipeline:
    if not (bundled_models() / f"{request.param}.caesura").exists():
        pytest.skip(f"the model {request.param} is not bundled")
    return caesura.load(request.param)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "of",
        "Hello",
        "!",
        "1",
        "a b",
        "she said hi",
        "\u202e\u0645\u0631\u062d\u0628\u0627",
    ],
)
def test_the_shortest_texts_are_parsed(nlp: Pipeline, text: str) -> None:
    check(nlp(text), text)


def test_many_short_texts_at_once(nlp: Pipeline) -> None:
    texts = ["of", "", "The boats came home.", "no", "it is late we should go"]
    for doc, text in zip(nlp.pipe(texts), texts, strict=True):
        check(doc, text)


def test_a_text_with_everything(nlp: Pipeline) -> None:
    doc = nlp("The boats didn't come back. Nobody knew why")
    assert [s.text for s in doc.sentences] == ["The boats didn't come back.", "Nobody knew why"]
    did = doc.words[2]
    assert (did.form, did.lemma, did.upos, did.deprel) == ("did", "do", "AUX", "aux")
    assert did.token.is_multiword
    assert did.head is not None
    assert did.head.form == "come"


def test_contractions_in_a_row(nlp: Pipeline) -> None:
    text = "We'd've lost the boat. The keeper shouldn't've left, and she couldn’t’ve known."
    doc = nlp(text)
    check(doc, text)
    words = [(word.form, word.lemma) for word in doc.words]
    assert words[:3] == [("We", "we"), ("'d", "would"), ("'ve", "have")]
    for row in (("should", "n't", "'ve"), ("could", "n’t", "’ve")):
        at = words.index((row[0], row[0]))
        assert words[at : at + 3] == list(zip(row, (row[0], "not", "have"), strict=True))


def test_possessive_pronouns(nlp: Pipeline) -> None:
    doc = nlp(
        "The boat is theirs. The lamp is ours. That net is hers. Is it yours? No, it is mine."
    )
    lemmas = {"theirs": "their", "ours": "our", "hers": "her", "yours": "your", "mine": "my"}
    found = {word.form: word for word in doc.words if word.form in lemmas}
    assert {form: word.lemma for form, word in found.items()} == lemmas
    for word in found.values():
        assert word.feats["Poss"] == "Yes"
        assert "Case" not in word.feats


def test_emoji_are_symbols(nlp: Pipeline) -> None:
    doc = nlp("The boats are back 🎉 Good work 👍🏽 Thank you so much ❤️")
    emoji = [word for word in doc.words if not word.form.isascii()]
    assert [(word.lemma, word.upos, word.deprel) for word in emoji] == [
        (form, "SYM", "discourse") for form in ("🎉", "👍🏽", "❤️")
    ]


def test_emoji_do_not_disturb_what_is_around_them(nlp: Pipeline) -> None:
    doc = nlp("Great job everyone! 🎉 See you at the harbour 😀")
    nouns = [word for word in doc.words if word.form in ("job", "harbour")]
    assert [dict(word.feats) for word in nouns] == [{"Number": "Sing"}] * 2


def test_temperatures(nlp: Pipeline) -> None:
    for text in (
        "Heat it to 180°C. Wait.",
        "Heat it to 180 °C. Wait.",
        "Heat it to 180 ° C. Wait.",
    ):
        doc = nlp(text)
        assert [w.form for w in doc.words][3:] == ["180", "°", "C", ".", "Wait", "."]
        assert len(list(doc.sentences)) == 2


def test_no_sentence_ends_within_a_word(nlp: Pipeline) -> None:
    text = "It was an import-\nant matter for all the keep-\ners. Nobody slept."
    assert len(list(nlp(text).sentences)) == 2


def test_split() -> None:
    if not (bundled_models() / "en.caesura").exists():
        pytest.skip("the model en is not bundled")
    assert caesura.split("It rained. We stayed.") == ["It rained.", "We stayed."]


def test_a_blank_line_ends_a_sentence(nlp: Pipeline) -> None:
    text = "opening hours\n\nwe are open from nine and\n\nclosed on sundays"
    doc = nlp(text)
    assert [s.text for s in doc.sentences] == text.split("\n\n")
    assert [s.text for s in nlp(text, no_boundary=[42]).sentences] == [
        "opening hours",
        "we are open from nine and\n\nclosed on sundays",
    ]
    many = list(nlp.pipe([text, "It rained. We stayed.", text]))
    assert [doc.n_sentences for doc in many] == [3, 2, 3]


def test_a_paragraph_without_punctuation_is_split_among_others(nlp: Pipeline) -> None:
    """A page may have a comment that nobody punctuated: it is read as if it stood alone."""
    plain = "the train leaves at nine we should hurry do you have the tickets i left mine at home"
    written = 'Dr. Okafor landed at six; nobody met her. "Where is everyone?" she asked.'
    alone = [s.text for s in nlp(plain).sentences]
    around = [s.text for s in nlp(written).sentences]
    assert len(alone) == 4
    found = [s.text for s in nlp(f"{written}\n\n{plain}").sentences]
    assert found == around + alone
    quick = nlp.quick()(f"{written}\n\n{plain}")
    assert [s.text.strip() for s in quick.sentences] == around + alone


@pytest.mark.parametrize("name", ["en", "en-fast"])
def test_a_note_belongs_to_the_sentence_before_it(name: str) -> None:
    """But where it opens a line it is one of a list of notes."""
    text = "The mill burned down in May. [6] Nobody was hurt. [12]\n\n[13] See the county records."
    doc = caesura.load(name)(text)
    assert [sentence.text.strip() for sentence in doc.sentences] == [
        "The mill burned down in May. [6]",
        "Nobody was hurt. [12]",
        "[13] See the county records.",
    ]
    for notes in ("[6]", "[6] [7]", "[6][7]"):
        doc = caesura.load(name)(f"It rained. {notes} Nobody came.")
        found = [sentence.text.strip() for sentence in doc.sentences]
        assert found == [f"It rained. {notes}", "Nobody came."]
    assert caesura.load(name)("He met Dr. [6] Smith and left.").n_sentences == 1
