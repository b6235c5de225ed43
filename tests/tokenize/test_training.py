"""Training: what it refuses, what it writes, and that it resumes to the same result."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura.document import MAYBE, Document
from caesura.errors import InputError, ModelError
from caesura.learn.loop import Loop
from caesura.models.file import Part, save
from caesura.tokenize import Tokenizer, TokenizerTrainer, cross_evidence, train
from tests.tokenize.conftest import SMALL
from tests.tokenize.corpus import document, documents


def arrays(tokenizer: Tokenizer) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in tokenizer.to_part().arrays.items()}


def test_same_seed_same_model() -> None:
    first, second = train(documents(6), SMALL), train(documents(6), SMALL)
    assert arrays(first) == arrays(second)


def test_resuming_gives_the_same_model(tmp_path: Path) -> None:
    docs = documents(6)
    straight = Loop(TokenizerTrainer(docs, SMALL), 4).run()
    path = tmp_path / "checkpoint"
    interrupted = Loop(TokenizerTrainer(docs, SMALL), 4, checkpoint=path)
    for event in interrupted:
        if event.epoch == 2:
            break
    resumed = Loop(TokenizerTrainer(docs, SMALL), 4, checkpoint=path, resume=True)
    for name, array in resumed.run()["tokenizer"].arrays.items():
        assert np.array_equal(array, straight["tokenizer"].arrays[name]), name


def test_dev_scores_and_their_mean() -> None:
    trainer = TokenizerTrainer(documents(4), SMALL, dev=documents(2))
    trainer.epoch(1)
    scores = dict(trainer.score())
    mean = scores.pop("Mean")
    assert scores.keys() == {"Tokens", "Words", "Sentences"}
    assert mean == sum(scores.values()) / 3


def test_going_on_from_a_model_keeps_what_it_knew(tokenizer: Tokenizer) -> None:
    new = Document.from_spans("Nul. Eins.", [0, 3, 5, 9], [3, 4, 9, 10])
    new.sent_start = np.array([1, 0, 1, 0], dtype=np.int8)
    trainer = TokenizerTrainer([new], SMALL, init=tokenizer)
    trainer.epoch(1)
    further = trainer.tokenizer()
    assert further.tokenize("She won't.").column("form")[:3] == ["She", "wo", "n't"]


def test_an_abbreviation_of_the_language_file_keeps_its_period_before_marks() -> None:
    """Whether the treebank shows it there or not; what the treebank cuts otherwise is obeyed."""
    docs = documents(6)
    tokenizer = train(docs, replace(SMALL, language="en"))
    for chunk, tokens in (
        ("a.m.)", ["a.m.", ")"]),
        ("(P.M.),", ["(", "P.M.", ")", ","]),
        ("R.S.V.P.!", ["R.S.V.P.", "!"]),
    ):
        assert tokenizer.tokenize(f"gone by 8 {chunk}").column("form")[3:] == tokens
    other = Document.from_spans("8 a.m.) 9", [0, 2, 5, 6, 8], [1, 5, 6, 7, 9])
    other.sent_start = np.array([1, 0, 0, 0, 0], dtype=np.int8)
    trainer = TokenizerTrainer([*docs, other], replace(SMALL, language="en"))
    chunks = [chunk.replace("\t", "") for chunk in trainer.tokenizer().chunks]
    assert "a.m.)" not in chunks
    assert "p.m.)" in chunks


@pytest.mark.parametrize("docs", [[], [Document()], [Document(text="words")]])
def test_nothing_to_learn_from(docs: list[Document]) -> None:
    with pytest.raises(InputError, match="no tokens to learn from"):
        TokenizerTrainer(docs, SMALL)


def test_no_sentences_to_learn_from() -> None:
    doc = document(1)
    doc.sent_start = np.full(doc.n_tokens, MAYBE, dtype=np.int8)
    with pytest.raises(InputError, match="where sentences start"):
        TokenizerTrainer([doc], SMALL)


def test_one_label_is_enough() -> None:
    doc = Document.from_spans("one two", [0, 4], [3, 7])
    doc.sent_start = np.array([1, 0], dtype=np.int8)
    found = train([doc], SMALL).tokenize("one two one")
    assert found.n_tokens == 3


def test_evidence_for_the_training_data_comes_from_other_folds() -> None:
    docs = documents(6)
    found = cross_evidence(docs, replace(SMALL, epochs=2), folds=3)
    own = train(docs, replace(SMALL, epochs=2))
    assert [len(column) for column in found] == [doc.n_tokens for doc in docs]
    assert any(
        not np.allclose(column, own.evidence(doc)) for column, doc in zip(found, docs, strict=True)
    )


def test_one_document_is_cut_for_the_folds() -> None:
    doc = document(1, sentences=9)
    (column,) = cross_evidence([doc], replace(SMALL, epochs=1), folds=3)
    assert len(column) == doc.n_tokens


def test_copies_of_a_text_share_a_fold() -> None:
    docs = [document(1), document(1), document(2), document(2)]
    found = cross_evidence(docs, replace(SMALL, epochs=1), folds=2, groups=[0, 0, 1, 1])
    assert np.array_equal(found[0], found[1])


# ------------------------------------------------------------------- files


def test_a_tokeniser_survives_its_file(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "t.caesura"
    tokenizer.save(path)
    again = Tokenizer.load(path)
    text = document(300).text
    assert again.tokenize(text) == tokenizer.tokenize(text)
    assert again.options == tokenizer.options


def test_a_model_of_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "p.caesura"
    save(path, {"parser": Part("parser")})
    with pytest.raises(ModelError, match="no tokenizer"):
        Tokenizer.load(path)
    with pytest.raises(ModelError, match="not a tokenizer"):
        Tokenizer.from_part(Part("parser"))


def test_a_cut_off_model(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "t.caesura"
    tokenizer.save(path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ModelError, match="cut short"):
        Tokenizer.load(path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("cut_codes", np.zeros(3, np.int8), "shape"),
        ("cut_codes", np.zeros((2, 2), np.float32), "float32"),
        ("cut_gaps", np.full(400_000, 255, np.uint8), "shape"),
        ("doubtful_rows", np.array([1 << 20], np.int32), "do not fit"),
        ("start_scale", None, "no array"),
    ],
)
def test_arrays_that_do_not_fit(
    tokenizer: Tokenizer, name: str, value: np.ndarray | None, message: str
) -> None:
    part = tokenizer.to_part()
    if value is None:
        del part.arrays[name]
    else:
        part.arrays[name] = value
    with pytest.raises(ModelError, match=message):
        Tokenizer.from_part(part)


def test_rows_outside_the_table(tokenizer: Tokenizer) -> None:
    part = tokenizer.to_part()
    part.arrays["cut_gaps"] = np.full(400_000, 255, np.uint8)
    part.arrays["cut_codes"] = np.zeros(400_000, np.int8)
    with pytest.raises(ModelError, match="outside its table"):
        Tokenizer.from_part(part)


def test_an_option_of_the_wrong_type(tokenizer: Tokenizer) -> None:
    part = tokenizer.to_part()
    part.config["bits"] = "many"
    with pytest.raises(ModelError, match="wrong type"):
        Tokenizer.from_part(part)


def test_nan_in_a_file_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    part = tokenizer.to_part()
    part.arrays["cut_scale"] = np.array([np.nan], np.float32)
    path = tmp_path / "t.caesura"
    save(path, {"tokenizer": part})
    assert zipfile.is_zipfile(path)
    with pytest.raises(ModelError, match="NaN"):
        Tokenizer.load(path)
