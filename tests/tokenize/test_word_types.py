"""What is known of word types: kinds of abbreviations, case, parts of speech, and what for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura._core import _testing
from caesura.document import Document
from caesura.document.characters import classes_of, code_points
from caesura.errors import InputError, ModelError
from caesura.language.lexicon import KINDS, language_lexicon, read_lexicon
from caesura.learn.multiword_tokens import learn_splitter
from caesura.learn.token_knowledge import (
    BEFORE_LOWER,
    BEFORE_NUMBER,
    BEFORE_UPPER,
    learn_abbreviations,
    learn_case,
    learn_classes,
    type_bits,
)
from caesura.stages.token_knowledge import vocabulary_of, word_classes
from caesura.tokenize import Tokenizer, train
from tests.tokenize.conftest import SMALL
from tests.tokenize.corpus import documents
from tests.tokenize.test_multiword import treebank


def bits(form: str, known: dict[str, int]) -> int:
    codes = code_points(f"a {form} z")
    classes_of(codes)  # as a text is read
    return int(_testing.type_bits(vocabulary_of(types=known), codes, 2, 2 + len(form)))


def test_types_are_looked_up_in_any_case() -> None:
    known = {"sgt.": 1, "kg": 2, "u.s.": 4}
    assert [bits(form, known) for form in ("Sgt.", "KG", "u.S.", "sgt", "k")] == [1, 2, 4, 0, 0]
    assert bits("x" * 40, known) == 0
    assert bits("sgt.", {}) == 0


def test_kinds_come_from_the_lexicon() -> None:
    known = type_bits(language_lexicon("en"), {}, {})
    assert known["sgt."] & 1 << KINDS.index("title")
    assert known["ltd."] & 1 << KINDS.index("company")
    assert known["e."], "the beginning of e.g."
    assert known["kg"], "a unit without its period"
    assert known["ex-"]


def test_case_is_that_inside_sentences() -> None:
    starts = [0, 4, 8, 12, 15, 17, 21, 24, 26, 29]
    ends = [3, 7, 11, 15, 16, 20, 24, 25, 28, 32]
    doc = Document.from_spans("His dog saw Ann. his dog. My Ann", starts, ends)
    doc.sent_start = np.array([1, 0, 0, 0, 0, 1, 0, 0, 1, 0], dtype=np.int8)
    found = learn_case([doc, doc])
    assert found["dog"] == found["his"] != found["ann"]
    assert "my" not in found


def test_parts_of_speech_come_from_tags() -> None:
    doc = treebank(("a", ("a",)), ("roof", ("roof",)))
    assert not word_classes(learn_classes([doc, doc]))
    doc.upos = doc.strings.ids(["DET", "NOUN"])
    classes = word_classes(learn_classes([doc, doc]))
    assert set(classes) == {"a", "roof"}
    assert classes["a"] != classes["roof"]


def test_raw_text_shows_abbreviations() -> None:
    text = (
        "Vgl. Abb. 3 und Abb. 4, bzw. die Tab. 2. Das gilt usw. auch hier. Dr. Huber kam. "
        "Dr. Maier ging. Dr. Wolf blieb. Vgl. auch Abb. 7, bzw. nicht. Er kam bzw. ging."
        " Das Haus. Ein Haus. Mein Haus. Das Haus steht. "
    )
    found = learn_abbreviations([text])
    assert found["abb."] == BEFORE_NUMBER
    assert found["bzw."] == BEFORE_LOWER
    assert found["dr."] == BEFORE_UPPER
    assert "haus." not in found


def test_training_without_types_knows_none() -> None:
    plain = train(documents(4), replace(SMALL, types=False))
    assert not plain.types
    assert "types" not in plain.to_part().labels


def test_types_are_kept_in_the_model(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "model"
    tokenizer.save(path)
    again = Tokenizer.load(path)
    assert again.types == tokenizer.types
    assert again.types["sgt."] & 1
    assert again.splitter.classes == tokenizer.splitter.classes
    text = "Sgt. Holm doesn't like 3.5 apples. She reads."
    assert again.tokenize(text).text == text


def test_types_that_do_not_fit_are_refused(tokenizer: Tokenizer) -> None:
    part = tokenizer.to_part()
    part.labels["types"] = ["x" * 99, *part.labels["types"][1:]]
    with pytest.raises(ModelError, match="too long"):
        Tokenizer.from_part(part)


def test_a_language_file_of_ones_own_teaches_other_titles(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[abbreviations]\ntitle = "Zqr. Dr."\n', encoding="utf-8")
    docs = documents(20)
    own = train(docs, replace(SMALL, language_file=str(path), exchange=False, roughen=False))
    assert set(read_lexicon(path).kinds()) <= set(own.types)
    assert own.tokenize("Zqr. Miller sees it's box.").column("form")[0] == "Zqr."


def test_raw_text_teaches_abbreviations_of_a_language_without_a_file(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text("Vgl. xqv. 3 und xqv. 4, xqv. 5 und xqv. 7.\n", encoding="utf-8")
    bare = tmp_path / "empty.toml"
    bare.write_text("", encoding="utf-8")
    own = replace(SMALL, language_file=str(bare), raw_text=str(path))
    tokenizer = train(documents(4), own)
    assert tokenizer.types["xqv."] == BEFORE_NUMBER
    config = tokenizer.to_part().config
    assert (config["language_file"], config["raw_text"]) == ("empty.toml", "raw.txt")


def test_raw_text_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        train(documents(2), replace(SMALL, raw_text=str(tmp_path / "none.txt")))
    path = tmp_path / "latin.txt"
    path.write_bytes(b"\xff\xfe\xe9")
    with pytest.raises(InputError, match="not readable as text"):
        train(documents(2), replace(SMALL, raw_text=str(path)))


def test_learning_goes_on_with_the_types_of_a_model(tokenizer: Tokenizer) -> None:
    new = Document.from_spans("Nul. Eins.", [0, 3, 5, 9], [3, 4, 9, 10])
    new.sent_start = np.array([1, 0, 1, 0], dtype=np.int8)
    further = train([new], SMALL, init=tokenizer)
    assert further.types["sgt."] == tokenizer.types["sgt."]


def test_contractions_fill_what_the_treebank_lacks() -> None:
    seen = treebank(("don't", ("do", "n't")), ("lets", ("lets",)))
    splitter = learn_splitter([seen], contractions={"'tis": ("'t", "is"), "lets": ("let", "s")})
    assert splitter.candidate("'Tis") == ("'T", "is")
    assert splitter.candidate("lets") is None, "the treebank has it as one word"


def test_the_other_apostrophe_is_no_other_word() -> None:
    splitter = learn_splitter([treebank(("You're", ("You", "'re")))])
    assert splitter.candidate("You’re") == ("You", "’re")
    assert splitter.candidate("o’clock") is None


def test_the_class_of_the_next_word_decides_about_a_doubtful_form() -> None:
    nouns, verbs = ("roof", "door", "wall", "lamp"), ("fine", "good", "great", "late")
    docs = [treebank(("its", ("its",)), (noun, (noun,))) for noun in nouns for _ in range(4)]
    docs += [treebank(("its", ("it", "s")), (verb, (verb,))) for verb in verbs for _ in range(4)]
    classes = dict.fromkeys((*nouns, "gate"), 1) | dict.fromkeys((*verbs, "odd"), 2)
    splitter = learn_splitter(docs, classes=classes)
    assert not splitter.agrees("Its", (), ("gate",))
    assert splitter.agrees("Its", (), ("odd",))
