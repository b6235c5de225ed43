"""Irregular forms of a language file: what is kept of them, and that both taggers heed them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.formats import read
from caesura.language.lexicon import Lexicon, language_lexicon
from caesura.learn.tagger import TaggerTrainer
from caesura.learn.tagger_data import TaggerOptions
from caesura.models.file import Part
from caesura.stages.lemmas import LABELS, irregular_forms, read_irregular, rule_of
from caesura.stages.network_encoder import Scores
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_tagging import Tagging
from caesura.stages.tagger import Tagger

EXAMPLES = Path(__file__).parents[2] / "examples"
LEXICON = Lexicon(lemmas={"VBD": {"sang": "sing", "fled": "flee"}, "NNS": {"oxen": "ox"}})


def document(text: str, tags: str) -> Document:
    words = text.split()
    starts = np.cumsum([0, *(len(word) + 1 for word in words[:-1])])
    doc = Document.from_spans(text, starts, starts + [len(word) for word in words])
    doc.xpos = doc.strings.ids(tags.split()).astype(np.int32)
    return doc


def test_what_a_treebank_shows_is_left_to_it() -> None:
    shown = [document("They Fled", "PRP VBD"), document("sang oxen", "NN NN")]
    assert irregular_forms(LEXICON, shown) == ["oxen\tNNS\tox", "sang\tVBD\tsing"]
    assert irregular_forms(Lexicon(), shown) == []


def test_english_has_some_of_every_kind() -> None:
    lemmas = language_lexicon("en").lemmas
    assert set(lemmas) == {"VBD", "VBN", "VBG", "NNS", "JJR", "JJS"}
    assert sum(map(len, lemmas.values())) > 500
    for form, lemma in (("sang", "sing"), ("slew", "slay"), ("lay", "lie")):
        assert lemmas["VBD"][form] == lemma
    assert all(form.islower() and lemma.islower() for known in lemmas.values()
               for form, lemma in known.items())  # fmt: skip


@pytest.mark.parametrize("line", ["sang", "sang\tVBD", "sang\tVBD\tsing\tx", "\tVBD\tsing"])
def test_damaged_lines_are_refused(line: str) -> None:
    with pytest.raises(ModelError, match="irregular form"):
        read_irregular([line])


def test_a_linear_tagger_learns_and_heeds_them(tmp_path: Path) -> None:
    docs = list(read(EXAMPLES / "harbour.conllu"))
    trainer = TaggerTrainer(docs, options=TaggerOptions(epochs=1))
    trainer.epoch(1)
    part = trainer.parts()["tagger"]
    assert "sang\tVBD\tsing" in part.labels[LABELS]
    own = tmp_path / "own.toml"
    own.write_text('[lemmas]\nVBD = "blorp:blerp"\n', encoding="utf-8")
    other = TaggerTrainer(docs, options=TaggerOptions(language_file=str(own)))
    assert other._irregular == ["blorp\tVBD\tblerp"]
    chain = part.labels["chain"]
    past = next(label for label in chain if label.endswith("\tVBD"))
    told = Part(part.kind, part.config, {**part.labels, LABELS: ["zorg\tVBD\tzerg"]}, part.arrays)
    doc = document("Zorg", "VBD")
    doc.upos = doc.strings.ids([past.split("\t")[0]]).astype(np.int32)
    lemmas = []
    for one in (part, told):
        copy = replace(doc.cut(0, 1), fixed=frozenset({"tokens", "tags"}))
        Tagger(one).tag([copy])
        lemmas.append(copy.column("lemma"))
    assert lemmas[0] != ["zerg"]
    assert lemmas[1] == ["zerg"]


def test_a_network_heeds_them() -> None:
    rules = [rule_of("a", "a")]
    docs = list(read(EXAMPLES / "harbour.conllu"))
    lexicon = LemmaLexicon.of(docs, rules)
    assert "sang\tVBD\tsing" in lexicon.irregular
    again = LemmaLexicon.from_arrays(rules, lexicon.arrays())
    assert again is not None
    assert again.irregular == lexicon.irregular
    with pytest.raises(ModelError, match="damaged"):
        LemmaLexicon.from_arrays(
            rules, {**lexicon.arrays(), "lexicon-irregular": np.full(3, 255, np.uint8)}
        )
    labels = {"upos": ["VERB"], "xpos": ["VBD", "NN"], "feats": [""], "lemma": rules}
    tags = {name: np.zeros((2, len(labels[name])), np.float32) for name in labels}
    tags["xpos"][1, 1] = 1.0
    doc = document("Sang sang", "_ _")
    Tagging(labels, again).write(doc, scores_of(tags), confidence=False)
    assert doc.column("xpos") == ["VBD", "NN"]
    assert doc.column("lemma") == ["sing", "sang"]


def test_a_network_heeds_the_words_of_closed_classes() -> None:
    ours = "Number=Plur|Person=1|Poss=Yes|PronType=Prs"
    labels = {
        "upos": ["PRON"],
        "xpos": ["PRP", "NNP"],
        "feats": ["Case=Acc", ours],
        "lemma": [rule_of("a", "a")],
    }
    tags = {name: np.zeros((2, len(labels[name])), np.float32) for name in labels}
    tags["xpos"][1, 1] = tags["feats"][:, 0] = 1.0
    tagging = Tagging(labels)
    for spoken, lemmas, feats in (
        ("", ["ours", "ours"], ["Case=Acc"] * 2),
        ("en", ["our", "ours"], [ours, "Case=Acc"]),
    ):
        tagging.set_language(spoken)
        doc = document("Ours ours", "_ _")
        tagging.write(doc, scores_of(tags), confidence=False)
        assert doc.column("lemma") == lemmas
        assert doc.column("feats") == feats


def test_a_network_takes_emoji_for_symbols() -> None:
    labels = {"upos": ["PUNCT", "SYM"], "xpos": ["NFP"], "feats": [""], "lemma": ['="', "l0//0/"]}
    tags = {name: np.zeros((2, len(labels[name])), np.float32) for name in labels}
    tags["upos"][:, 0] = tags["lemma"][:, 0] = 1.0
    doc = document("👍 !", "_ _")
    lexicon = LemmaLexicon.of([document("a b", "a b")], labels["lemma"])
    Tagging(labels, lexicon).write(doc, scores_of(tags), confidence=False)
    assert doc.column("upos") == ["SYM", "PUNCT"]
    assert doc.column("lemma") == ["👍", "!"]


OURS = "Number=Plur|Person=1|Poss=Yes|PronType=Prs"


def small_tagger() -> Tagger:
    """One that has seen an emoticon, and features of `ours` with another word."""
    rows = [
        *(("it", "PRON", "PRP", "Case=Nom", "it"), ("works", "VERB", "VBZ", "", "work")),
        *((":)", "SYM", "NFP", "", ":)"), (".", "PUNCT", ".", "", ".")),
        *(("$", "SYM", "$", "", "$"), ("us", "PRON", "PRP", OURS, "us")),
    ] * 20
    doc = document(" ".join(row[0] for row in rows), " ".join(row[2] for row in rows))
    for n, column in enumerate(("upos", "xpos", "feats", "lemma"), 1):
        setattr(doc, column, doc.strings.ids([row[n] for row in rows]).astype(np.int32))
    trainer = TaggerTrainer([doc], options=TaggerOptions(epochs=2))
    trainer.epoch(1)
    return Tagger(trainer.parts()["tagger"])


def test_a_linear_tagger_heeds_the_words_of_closed_classes() -> None:
    tagger = small_tagger()
    doc = document("ours", "PRP")
    doc.fixed = frozenset({"tokens", "tags"})
    doc.upos = doc.strings.ids(["PRON"]).astype(np.int32)
    doc.feats = doc.strings.ids([""]).astype(np.int32)
    tagger.set_language("en")
    tagger.tag([doc])
    assert (doc.column("lemma"), doc.column("feats")) == (["our"], [OURS])
    other = replace(doc.cut(0, 1), fixed=frozenset({"tokens", "tags"}))
    tagger.set_language("fi")
    tagger.tag([other])
    assert other.column("lemma") != ["our"]


def test_a_linear_tagger_takes_emoji_for_emoticons() -> None:
    tagger = small_tagger()
    doc = document("it 👍 works 🎉 .", "_ _ _ _ _")
    for confidence in (False, True):
        tagger.tag([doc], confidence=confidence)
        assert doc.column("xpos") == ["PRP", "NFP", "VBZ", "NFP", "."]
        assert doc.column("upos")[1::2] == ["SYM", "SYM"]
        assert doc.column("lemma")[1::2] == ["👍", "🎉"]
    # Who says what it is is obeyed.
    doc.fixed = frozenset({"tokens", "tags"})
    doc.upos = doc.strings.ids(["PRON", "PUNCT", "VERB", "", "PUNCT"]).astype(np.int32)
    doc.xpos = doc.strings.ids(["PRP", ".", "VBZ", "", "."]).astype(np.int32)
    tagger.tag([doc])
    assert doc.column("xpos") == ["PRP", ".", "VBZ", "NFP", "."]


def test_a_number_in_letters_is_not_one_in_digits() -> None:
    feats = ["NumForm=Digit|NumType=Card", "NumForm=Word|NumType=Card", ""]
    labels = {"upos": ["NUM"], "xpos": ["CD"], "feats": feats, "lemma": [rule_of("a", "a")]}
    tags = {name: np.zeros((3, len(labels[name])), np.float32) for name in labels}
    tags["feats"][:] = [[3, 2, 1], [2, 3, 1], [1, 2, 3]]
    doc = document("six 6 7", "_ _ _")
    Tagging(labels).write(doc, scores_of(tags), confidence=False)
    assert doc.column("feats") == [feats[1], feats[0], ""]


def scores_of(tags: dict[str, np.ndarray]) -> Scores:
    """Scores of which nothing but the tags is looked at."""
    fields = dict.fromkeys(Scores.__dataclass_fields__)
    return Scores(**{**fields, "tags": tags})  # type: ignore[arg-type]
