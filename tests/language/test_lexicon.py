"""Language files: abbreviations by kind, contractions and items, and how a bad one is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from caesura.errors import InputError
from caesura.language.lexicon import KINDS, Lexicon, language_lexicon, read_lexicon


def test_english_knows_several_hundred_abbreviations_of_every_kind() -> None:
    lexicon = language_lexicon("en")
    assert len(lexicon.kinds()) > 500
    assert set(lexicon.abbreviations) == set(KINDS)
    assert all(form.endswith(".") for forms in lexicon.abbreviations.values() for form in forms)


def test_a_form_may_be_of_several_kinds() -> None:
    kinds = language_lexicon("en").kinds()["st."]
    named = {kind for bit, kind in enumerate(KINDS) if kinds >> bit & 1}
    assert {"place", "address"} <= named


def test_contractions_are_spelled_by_their_words() -> None:
    for form, words in language_lexicon("en").contractions.items():
        assert "".join(words) == form


def test_fields_of_items_are_known() -> None:
    lexicon = language_lexicon("en")
    made = {"n", "nn", "d", "dd", "ddd", "dddd", "hour", "year", "w", "W", "I", "prefix"}
    known = {*lexicon.abbreviations, *lexicon.fields, *made}
    for items in lexicon.items.values():
        for item in items:
            assert {name.removeprefix("-") for name in re.findall(r"\{(.*?)\}", item)} <= known


@pytest.mark.parametrize("code", ["xx", None, "", "../en"])
def test_other_languages_have_no_file(code: str | None) -> None:
    assert not language_lexicon(code)
    assert language_lexicon("en-GB") is language_lexicon("en")


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text(
        '[abbreviations]\ntitle = "Hr. Fr."\nunit = ["Std."]\n[prefixes]\nall = "Ex-"\n'
        '[contractions]\nIms = "in das"\n',
        encoding="utf-8",
    )
    lexicon = read_lexicon(path)
    assert lexicon.kinds() == {"hr.": 1, "fr.": 1, "std.": 1 << KINDS.index("unit")}
    assert lexicon.prefixes == ("ex-",)
    assert lexicon.contractions == {"ims": ("in", "das")}
    assert lexicon
    assert not Lexicon()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[abbreviations", "not valid TOML"),
        ("[words]", "is no table of a language file"),
        ('[abbreviations]\nhonour = "Hr."', "honour is no kind"),
        ("[abbreviations]\ntitle = 3", "holds no words"),
        ("abbreviations = 3", "abbreviations is no table"),
        ('[contractions]\nims = "ims"', "is one word"),
        ('[lemmas]\nVBD = "sang"', "lemmas.VBD holds sang, which is no form with its lemma"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)):
        read_lexicon(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_lexicon(tmp_path / "none.toml")
