"""Running text that has hardly an English word is told of, whatever language it is in."""

from __future__ import annotations

import pytest

from caesura.language.guess import Tally
from caesura.language.watch import Watch, notice

#: A made-up language: it says its small words again and again, as all languages do.
MADE_UP = (
    "kax moru telu vasu nax kax siru. lof kax pendi nax telu moru, wux lof siru kax. telu gamo nax "
    "kax vasu wux pendi lof. kax telu zuri nax moru wux gamo kax lof. "
) * 4
NAMES = " ".join(f"{first}{last}" for first in ("Bel", "Mor", "Tam", "Vik", "Zor", "Nad", "Lim",
                 "Rok", "Pes", "Gul", "Hab", "Fin") for last in ("ari", "oni", "elu", "iko", "usa",
                 "eto", "ami", "ovi", "era", "ilo"))  # fmt: skip
ENGLISH = (
    "The boats were late, and nobody in the harbour knew why. We waited for an hour on the wall, "
    "and then the first of them came in with her nets torn and her lamps out. "
) * 4


def tally(text: str) -> Tally:
    found = Tally()
    found.add(text)
    return found


@pytest.mark.parametrize(
    ("text", "told"),
    [(MADE_UP, True), (MADE_UP[:200], False), (NAMES, False), (ENGLISH, False), ("", False)],
)
def test_it_must_be_long_and_running_text(text: str, told: bool) -> None:
    assert tally(text).is_surely_not("en") is told
    assert (notice(text, "en") is not None) is told


def test_it_is_said_once_with_what_to_install() -> None:
    watch = Watch("en")
    assert watch.look(ENGLISH) is None
    said = watch.look(MADE_UP)
    assert said == "the text does not look like English, for which the model is"
    assert "pip install ./packages/multi in a checkout" in watch.remedy
    assert watch.look(MADE_UP) is None


def test_of_a_language_without_a_list_of_words_nothing_is_said() -> None:
    assert not tally(MADE_UP).is_surely_not("tlh")
    assert notice(MADE_UP, "tlh") is None
    assert notice(MADE_UP, None) is None
