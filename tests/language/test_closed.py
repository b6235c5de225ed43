"""Words of closed classes: what their tag settles, for a model that knows tag and features."""

from __future__ import annotations

from caesura.language.closed import Told, closed_words

OURS = "Number=Plur|Person=1|Poss=Yes|PronType=Prs"


def test_a_model_heeds_what_it_knows() -> None:
    known = closed_words("en-GB", ["PRP", "VBP"], [OURS])
    assert known["ours", "PRP"] == Told("our", OURS)
    assert ("theirs", "PRP") not in known  # its features are not known
    assert ("'d", "MD") not in known  # nor is the tag of this one


def test_either_apostrophe_serves() -> None:
    known = closed_words("en", ["VBP"], [])
    assert known["'ve", "VBP"] == known["’ve", "VBP"] == Told("have", None)


def test_other_languages_have_none() -> None:
    assert not closed_words("fi", ["PRP"], [OURS])
    assert not closed_words("", ["PRP"], [OURS])
