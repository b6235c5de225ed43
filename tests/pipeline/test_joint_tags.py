"""A pipeline whose parser chooses tags: trained as a whole, from the shell, with given tags."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.models.file import save
from caesura.parse.options import SearchOptions
from caesura.parse.options import TrainOptions as ParserOptions
from caesura.pipeline import Pipeline, load
from caesura.tag.options import TaggerOptions
from caesura.tag.tagger import Tagger
from caesura.tokenize.options import TokenizerOptions
from caesura.train import PipelineOptions, PipelineTrainer
from tests.pipeline.laws import check
from tests.pipeline.tiny import TEXT, treebank

PARSER = ParserOptions(search=SearchOptions(beam=3), bits=12, epochs=2, choices=3, choice_floor=0.0)


@pytest.fixture(scope="module")
def choosing(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    docs = treebank()
    options = PipelineOptions(
        tokenizer=TokenizerOptions(bits=12, epochs=2, rare_cut=1, rare_start=1),
        tagger=TaggerOptions(epochs=2, cutoff=1),
        parser=PARSER,
        folds=2,
        drop=0.0,
    )
    folder = tmp_path_factory.mktemp("choosing")
    trainer = PipelineTrainer(docs, docs[:1], options, folder=folder / "parts")
    save(folder / "model.caesura", trainer.run(), kind="pipeline")
    # A run that was interrupted finds the options of its training documents again.
    again = PipelineTrainer(docs, docs[:1], options, folder=folder / "parts", resume=True)
    for train in again._prepared(True, True)[0]:
        assert train.tag_options is not None
        assert train.tag_options.right is not None
        assert np.array_equal(train.tag_options.ids[:, 0], train.upos)
    return load(folder / "model.caesura")


def test_texts_streams_and_k_best(choosing: Pipeline) -> None:
    assert choosing.stages[-1].readings == 3
    doc = choosing(TEXT, confidence=True)
    check(doc, TEXT)
    assert doc.tag_options is None
    assert doc.tag_conf is not None
    assert all(doc.column("upos"))
    assert all(doc.column("lemma"))
    assert choosing(TEXT).tag_conf is None
    pieces = list(choosing.stream([TEXT[at : at + 50] for at in range(0, len(TEXT), 50)]))
    assert "".join(piece.text for piece in pieces) == TEXT
    assert all(found.tag_options is None for found in choosing.k_best(TEXT[:150], 3))


def test_a_batch_gives_what_single_texts_give(choosing: Pipeline) -> None:
    texts = [TEXT[:120], TEXT[120:300], TEXT[300:450]]
    for text, doc in zip(texts, choosing.batch(texts), strict=True):
        alone = choosing(text)
        assert doc.column("upos") == alone.column("upos")
        assert np.array_equal(doc.head, alone.head)


def test_given_tags_are_obeyed(choosing: Pipeline) -> None:
    source = choosing(TEXT)
    rng = np.random.default_rng(1)
    given = rng.random(source.n_words) < 0.4
    odd = source.strings.ids(["INTJ"])[0]
    source.upos = np.where(given, odd, 0).astype(np.int32)
    source.xpos[:] = 0
    source.lemma = np.where(given, source.strings.ids(["mine"])[0], 0).astype(np.int32)
    doc = choosing(source, keep=("tokens", "tags", "lemmas"))
    assert set(np.array(doc.column("upos"))[given]) == {"INTJ"}
    assert set(np.array(doc.column("lemma"))[given]) == {"mine"}
    assert all(doc.column("upos"))


def test_from_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from caesura import formats
    from caesura.cli import run

    train, model = tmp_path / "train.conllu", tmp_path / "m.caesura"
    formats.write(treebank(), train)
    quick = ["--epochs", "1", "--set", "bits=12", "--beam", "2", "--quiet"]
    arguments = ["train", "parser", str(train), "--dev", str(train), "-o", str(model), *quick]
    assert run([*arguments, "--tags", "2", "--json"]) == 0
    assert '"Tags"' in capsys.readouterr().out
    nlp = load(model)
    assert nlp.stages[-1].readings == 2
    assert nlp.stage(Tagger) is not None
    doc = next(iter(formats.read(train)))
    assert all(nlp(doc, keep=("tokens",)).column("upos"))
