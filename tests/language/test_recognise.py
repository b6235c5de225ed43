"""Telling many languages apart, on texts of our own and with nothing but them to learn from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from modelling.multi.recogniser_training import RecogniserOptions, calibrated, train_recogniser

from caesura.document import Document
from caesura.errors import ModelError, UsageError
from caesura.language.recognise import NONE, Recogniser, features, sparse
from caesura.models.file import Part

TEXTS = {
    "en": "The ferry was late again this morning and nobody on the quay was surprised. They had "
    "brought tea and a pack of cards and would have stayed until noon. Then it began to rain, and "
    "the harbour master shut his window and said that there would be no boat before the evening.",
    "de": "Das Boot kommt heute nicht, und niemand weiß warum. Wir haben den ganzen Morgen auf dem "
    "Steg gewartet, aber es war kein Schiff zu sehen, und dann hat es auch noch geregnet. Der "
    "Hafenmeister schloss sein Fenster und sagte, dass vor dem Abend keines mehr fahren werde.",
    "fr": "Le bateau ne vient pas aujourd'hui et personne ne sait pourquoi. Nous avons attendu sur "
    "le quai toute la matinée, mais il n'y avait rien à voir, et puis la pluie est arrivée. Le "
    "maître du port a fermé sa fenêtre et il a dit qu'il n'y aurait rien avant le soir.",
    "ru": "Корабль сегодня не придёт, и никто не знает почему, но мы ждали его всё утро. Потом "
    "начался дождь, и начальник порта закрыл окно и сказал, что до вечера ничего не будет.",
}
HELD = {
    "en": "Nobody knew when the boat would come, but they were waiting for it with their tea.",
    "de": "Niemand wusste, wann das Schiff kommt, aber sie haben auf dem Steg gewartet.",
    "fr": "Personne ne savait quand le bateau viendrait, mais nous avons attendu sur le quai.",
    "ru": "Никто не знал, когда придёт корабль, но все ждали его до вечера.",
}
OPTIONS = RecogniserOptions(bits=12, pieces=1500, epochs=1, prune=0.0)


def words(text: str) -> Document:
    """A document whose tokens are what stands between blanks."""
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    starts = np.concatenate(([0], ends[:-1] + 1))
    return Document.from_spans(text, starts, ends)


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return train_recogniser({code: [words(text)] for code, text in TEXTS.items()}, OPTIONS)


@pytest.mark.parametrize("code", HELD)
def test_languages_are_told(recogniser: Recogniser, code: str) -> None:
    found = recogniser.of(HELD[code])
    assert found.language == code
    assert found.nearest[0] == (code, found.confidence)
    assert len(found.nearest) == min(3, len(TEXTS))
    chances = [chance for _, chance in found.nearest]
    assert chances == sorted(chances, reverse=True)
    assert 0.5 < found.confidence <= 1.0


@pytest.mark.parametrize("text", ["", "12 + 30", "?!", "a"])
def test_what_says_nothing_is_no_language(recogniser: Recogniser, text: str) -> None:
    assert recogniser.of(text) == (None, 0.0, ())


def test_paragraphs_differ_where_they_surely_do(recogniser: Recogniser) -> None:
    text = f"{TEXTS['de']}\n\n{HELD['de']}\n\n{TEXTS['ru']}\n\nOk.\n"
    regions = recogniser.regions(text)
    assert [region.guess.language for region in regions] == ["de", "ru", "de"]
    assert "".join(text[region.start : region.end] for region in regions) == text
    assert text[regions[1].start : regions[1].end].strip() == TEXTS["ru"]


def test_a_paragraph_may_be_sure_only_of_what_it_is_not() -> None:
    """Two languages that are one to the recogniser, and another that most of the text is in."""
    weights = np.zeros((1 << 16, 4), np.int8)
    weights[features(TEXTS["fr"], 16)] = (0, 20, 20, 0)
    weights[features(TEXTS["de"], 16), 0] = 20
    made = Recogniser(("de", "fr", "oc", NONE), sparse(weights), 0.05)
    assert made.of(TEXTS["fr"]).confidence == pytest.approx(0.5, abs=0.01)
    regions = made.regions(f"{TEXTS['de']}\n\n{TEXTS['de']}\n\n{TEXTS['fr']}")
    assert [region.guess.language for region in regions] == ["de", "fr"]


@pytest.mark.parametrize(
    ("text", "of_main"),
    [
        ("Никто из New York не знал, что John придёт.", "Никто из не знал, что придёт."),
        ("Nobody knew Иван Петров yet.", "Nobody knew yet."),
        ("قال John Smith إن القارب لم يأت إلى London.", "قال إن القارب لم يأت إلى ."),
        ("他在 Google 工作了十年", "他在 工作了十年"),
        ("東京タワーへ行きました", "東京タワーへ行きました"),
        ("naïve, café, Ǆ", "naïve, café, Ǆ"),
        ("ab вг", "ab вг"),
    ],
)
def test_names_in_another_script_have_no_say(text: str, of_main: str) -> None:
    found = features(text, 20, in_main_script=True)
    assert sorted(found) == sorted(features(of_main, 20))


def test_names_do_not_hide_a_language(recogniser: Recogniser) -> None:
    text = HELD["ru"].replace("корабль", "Star of the Sea")
    assert recogniser.of(text).language == "ru"


@given(st.text(st.sampled_from("aб \n.\r\u2028é"), max_size=60))
def test_regions_cover_the_text(text: str) -> None:
    made = Recogniser(("en", "ru", NONE), sparse(np.zeros((16, 3), np.int8)), 1.0)
    regions = made.regions(text)
    assert "".join(text[region.start : region.end] for region in regions) == text


@pytest.mark.parametrize("size", [1 << 12, 1 << 30])
def test_blanks_without_end_cost_no_more_than_others(size: int) -> None:
    """Looking at each of them from each of them would take hours."""
    made = Recogniser(("en", "ru", NONE), sparse(np.zeros((16, 3), np.int8)), 1.0)
    for text in ("a" + "\n" * 300_000, " \n" * 200_000, "\n" * 150_000 + "b", "a" * 300_000):
        blocks = [text[at : at + size] for at in range(0, len(text), size)]
        assert "".join(part for _, part in made.runs(blocks)) == text


def test_a_language_that_was_named_and_is_plainly_not(recogniser: Recogniser) -> None:
    assert recogniser.is_plainly_other(TEXTS["de"], "en") == "de"
    assert recogniser.is_plainly_other(TEXTS["de"], "de-AT") is None
    assert recogniser.is_plainly_other(TEXTS["de"], "xx") is None


def test_some_of_the_languages(recogniser: Recogniser) -> None:
    few = recogniser.only(["de", "fr"])
    assert few.languages == ("de", "fr", NONE)
    assert few.of(HELD["fr"]).language == "fr"
    with pytest.raises(UsageError, match="xx is no language"):
        recogniser.only(["xx"])


def test_chances_are_scaled_on_held_out_text(recogniser: Recogniser) -> None:
    shy = Recogniser(recogniser.languages, recogniser.weights, recogniser.scale / 20)
    again = calibrated(shy, {code: [text] for code, text in HELD.items()})
    assert again.scale > shy.scale
    assert calibrated(shy, {}) is shy


def test_n_grams_are_those_of_words_with_their_ends() -> None:
    """_a ab b_ and so on: 1 to 4 letters with the edges, and the word."""
    assert len(features("ab", 20)) == len({"a", "b", "_a", "ab", "b_", "_ab", "ab_", "_ab_", "W"})
    assert sorted(features("ab, AB", 20)) == sorted([*features("ab", 20)] * 2)
    assert len(features("12 .", 20)) == 0


def test_a_recogniser_survives_a_model_file(recogniser: Recogniser) -> None:
    again = Recogniser.from_part(recogniser.to_part())
    assert again.of(HELD["en"]) == recogniser.of(HELD["en"])


@pytest.mark.parametrize(
    ("labels", "rows", "scale", "told"),
    [
        (["en", "de"], 16, 1.0, "names no languages"),
        (["en", "en", NONE], 16, 1.0, "names no languages"),
        (["en", NONE], 15, 1.0, "do not fit"),
        (["en", NONE], 16, 0.0, "do not fit"),
    ],
)
def test_a_damaged_part_is_refused(labels: list[str], rows: int, scale: float, told: str) -> None:
    weights = np.zeros((rows, len(labels)), np.int8)
    part = Part("language", {"scale": scale}, {"languages": labels}, {"weights": weights})
    with pytest.raises(ModelError, match=told):
        Recogniser.from_part(part)


def test_weights_that_are_zero_are_not_kept(recogniser: Recogniser) -> None:
    """A slow, obvious twin: the table with all its zeros, as older files have it."""
    begin, label, value = recogniser.weights
    table = np.zeros((len(begin) - 1, len(recogniser.languages)), np.int8)
    table[np.repeat(np.arange(len(begin) - 1), np.diff(begin)), label] = value
    assert 0 < np.count_nonzero(table) == len(value) < table.size
    part = recogniser.to_part()
    older = Part(part.kind, part.config, part.labels, {"weights": table})
    for other in (Recogniser.from_part(part), Recogniser.from_part(older)):
        for text in TEXTS.values():
            rows = features(text, recogniser.bits)
            found, n = other.scores(text)
            wanted = table[rows].sum(0, dtype=np.int64) * recogniser.scale / np.sqrt(n)
            assert n == len(rows)
            assert np.allclose(found, wanted)
    few = recogniser.only(["en"])
    at = [recogniser.languages.index("en"), len(recogniser.languages) - 1]
    assert np.allclose(few.scores(TEXTS["en"])[0], recogniser.scores(TEXTS["en"])[0][at])
    broken = {**part.arrays, "labels": part.arrays["labels"] + np.uint16(9)}
    with pytest.raises(ModelError, match="do not fit"):
        Recogniser.from_part(Part(part.kind, part.config, part.labels, broken))


def test_rows_that_most_languages_know_are_added_as_a_whole() -> None:
    """A slow, obvious twin: the table with all its zeros."""
    random = np.random.default_rng(7)
    names = (*(f"x{n}" for n in range(40)), "")
    table = random.integers(-127, 128, (256, len(names))).astype(np.int8)
    table[random.random(table.shape) < random.random((256, 1))] = 0
    many = Recogniser(names, sparse(table), 1.0)
    assert 0 < len(many._full.table) - 1 < 256
    for text in TEXTS.values():
        rows = features(text, 8)
        wanted = table[rows].sum(0, dtype=np.int64) / np.sqrt(len(rows))
        assert np.allclose(many.scores(text)[0], wanted)


def test_one_language_cannot_be_told_from_others() -> None:
    with pytest.raises(UsageError, match="one language"):
        train_recogniser({"en": [words(TEXTS["en"])]})
