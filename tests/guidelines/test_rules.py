"""The rules of the guidelines, each on a sentence that breaks it and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from caesura.errors import InputError
from caesura.formats import from_text
from caesura.guidelines import GENERAL, Guidelines, check, learn, load, save

#: Sentences as words `form/UPOS/head/relation[/lemma[/FEATS]]`, and the rules that they break.
BROKEN = {
    "see/VERB/0/dep": ["0-is-not-root"],
    "see/VERB/0/root it/PRON/1/root": ["root-is-not-0"],
    "see/VERB/0/root soon/ADP/1/advmod": ["rel-upos-advmod"],
    "see/VERB/0/root such/NOUN/1/det:poss": ["rel-upos-det"],
    "see/VERB/0/root ,/PUNCT/1/dep": ["upos-rel-punct"],
    "see/VERB/0/root */SYM/1/punct": ["rel-upos-punct"],
    "see/VERB/0/root will/AUX/1/aux not/PART/2/advmod": ["leaf-aux-cop"],
    "see/VERB/0/root to/ADP/1/case the/DET/2/det": ["leaf-mark-case"],
    "see/VERB/0/root ./PUNCT/1/punct it/PRON/2/obj": ["leaf-punct"],
    "ham/NOUN/2/conj eggs/NOUN/0/root": ["right-to-left-conj"],
    "he/PRON/3/nsubj it/PRON/3/nsubj:pass see/VERB/0/root": ["too-many-subjects"],
    "see/VERB/0/root him/PRON/1/obj it/PRON/1/obj": ["too-many-objects"],
    "see/VERB/0/root house/NOUN/1/obj hill/NOUN/2/obl": ["obl-should-be-nmod"],
    "a/X/4/dep ,/PUNCT/3/punct b/X/1/dep see/VERB/0/root": [],
    "see/VERB/0/root a/X/1/dep ,/PUNCT/1/punct b/X/2/dep": ["punct-causes-nonproj"],
    "a/X/3/dep ,/PUNCT/4/punct see/VERB/0/root b/X/3/dep": ["punct-is-nonproj"],
    "see/VERB/0/root a/ADV/1/advmod/a/Typo=Yes b/X/1/dep bove/X/2/goeswith/_": ["goeswith-gap"],
    "a/ADV/2/advmod/a see/VERB/0/root/_ n/ADV/2/dep/n bove/ADV/3/goeswith/b/Case=Nom": [
        "goeswith-missing-typo", "goeswith-feats", "goeswith-lemma", "goeswith-upos",
    ],
}  # fmt: skip
GOOD = (
    "see/VERB/0/root instead/ADP/1/advmod/instead/ExtPos=ADV of/ADP/2/fixed",
    "he/PRON/3/nsubj:outer it/PRON/3/nsubj see/VERB/0/root him/PRON/3/obj it/PRON/3/iobj",
    "see/VERB/0/root house/NOUN/1/ccomp hill/NOUN/2/obl",
    "see/VERB/0/root a/ADV/1/advmod/a/Typo=Yes bove/X/2/goeswith/_",
    "./PUNCT/0/root",
)


def conllu(sentence: str) -> str:
    rows = []
    for number, word in enumerate(sentence.split(), 1):
        form, upos, head, relation, *rest = word.split("/")
        lemma, feats = [*rest, "_", "_"][:2] if rest else [form, "_"]
        rows.append(
            "\t".join([str(number), form, lemma, upos, "_", feats, head, relation, "_", "_"])
        )
    return "\n".join(rows) + "\n\n"


def rules(sentence: str, table: Guidelines = GENERAL) -> list[str]:
    return [found.rule for found in check(from_text(conllu(sentence), "conllu"), table)]


@pytest.mark.parametrize("sentence", BROKEN)
def test_rules_find_what_breaks_them(sentence: str) -> None:
    assert sorted(rules(sentence)) == sorted(BROKEN[sentence])


@pytest.mark.parametrize("sentence", GOOD)
def test_rules_allow_what_the_guidelines_allow(sentence: str) -> None:
    assert rules(sentence) == []


def test_parts_of_a_word_are_separated_by_a_space() -> None:
    text = conllu("see/VERB/0/root a/ADV/1/advmod/a/Typo=Yes bove/X/2/goeswith/_")
    doc = from_text(text.replace("advmod\t_\t_", "advmod\t_\tSpaceAfter=No"), "conllu")
    assert [found.rule for found in check(doc)] == ["goeswith-nospace"]


def test_a_cycle_is_no_endless_loop() -> None:
    assert rules("a/X/2/dep b/X/1/dep ,/PUNCT/1/punct") == []


TREEBANK = "he/PRON/3/nsubj will/AUX/3/aux/will go/VERB/0/root/go/VerbForm=Inf\n"


def table_of(*sentences: str, copies: int = 1) -> Guidelines:
    return learn([from_text("".join(map(conllu, sentences)) * copies, "conllu")])


def test_a_table_knows_lemmas_features_and_closed_classes() -> None:
    table = table_of(TREEBANK, copies=7000)
    assert table.words == 21_000
    assert table.auxiliaries == {"will"}
    assert table.features["VERB"] == {"VerbForm=Inf"}
    assert table.closed == {"he": {"PRON"}, "will": {"AUX"}}
    assert rules("see/VERB/0/root did/AUX/1/aux/do", table) == ["aux-lemma"]
    assert rules("see/VERB/0/root x/NOUN/1/obj/x/VerbForm=Inf", table) == [
        "feature-upos-not-permitted"
    ]
    assert rules("A4/PUNCT/2/punct see/VERB/0/root", table) == ["punct-with-letters"]
    assert rules("see/VERB/0/root He/PUNCT/1/punct", table) == [
        "closed-class-tag",
        "punct-with-letters",
    ]


def test_a_small_treebank_does_not_limit_features() -> None:
    table = table_of(TREEBANK)
    assert not table.features
    assert rules("see/VERB/0/root x/NOUN/1/obj/x/VerbForm=Inf", table) == []


def test_a_rule_that_gold_violates_is_off() -> None:
    twice = "he/PRON/3/nsubj it/PRON/3/nsubj see/VERB/0/root"
    table = table_of(TREEBANK, twice, copies=60)
    assert table.off == {"too-many-subjects"}
    assert rules(twice, table) == []


def test_a_table_survives_a_file(tmp_path: Path) -> None:
    table = table_of(TREEBANK, copies=7000)
    save(table, tmp_path / "a.json")
    assert load(tmp_path / "a.json") == table


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "is no guideline table"),
        (b"\xff", "is no guideline table"),
        (b'{"words": "x"}', "is no guideline table"),
        (b'{"spam": 1}', "is no guideline table"),
        (b'{"version": 2, "new": 1}', "is a guideline table of version 2; this release reads 1"),
    ],
)
def test_a_damaged_table_is_one_sentence(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(InputError, match=message):
        load(tmp_path / "a.json")
