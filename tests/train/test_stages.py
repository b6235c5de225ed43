"""Training a whole pipeline: going on from a model, and the same bytes again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura import cli
from caesura.document import Document
from caesura.learn.joint_parser import ParserTrainer, TrainOptions
from caesura.learn.silver import SilverOptions
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.learn.tagger_data import TaggerOptions
from caesura.models.file import load, save
from caesura.stages.joint_parser import Parser, SearchOptions
from caesura.tokenize import TokenizerOptions
from tests.pipeline.tiny import EXAMPLES, treebank

PARSER = TrainOptions(search=SearchOptions(beam=4), bits=12, epochs=2)
OPTIONS = PipelineOptions(
    tokenizer=TokenizerOptions(bits=12, epochs=2, rare_cut=1, rare_start=1),
    tagger=TaggerOptions(epochs=2, cutoff=1),
    parser=PARSER,
    folds=2,
    speech=0.3,
    seed=3,
)


def half(docs: list[Document]) -> list[Document]:
    """Documents of about half the treebank, by sentences."""
    pieces = []
    for doc in docs:
        bounds = doc.sentence_bounds
        pieces.append(doc.cut(0, int(bounds[len(bounds) // 2])))
    return pieces


@pytest.fixture(scope="module")
def parser() -> Parser:
    trainer = ParserTrainer(treebank(), (), PARSER)
    for number in (1, 2, 3):
        trainer.epoch(number)
    return trainer.parser()


def test_a_parser_that_goes_on_starts_where_it_stopped(parser: Parser) -> None:
    docs = treebank()
    # Half the labels are not in the data; other options are overruled by those of the parser.
    again = ParserTrainer(half(docs), (), replace(PARSER, bits=14), init=parser).parser()
    assert again.inventory == parser.inventory
    assert again.templates == parser.templates
    for one, other in zip(again.analyse(docs), parser.analyse(docs), strict=True):
        assert np.array_equal(one.heads, other.heads)
        assert np.array_equal(one.labels, other.labels)
        assert np.array_equal(one.starts, other.starts)


def test_a_parser_goes_on_with_new_labels(parser: Parser) -> None:
    docs = treebank()
    for doc in docs:
        doc.set_column("deprel", [f"{name}:new" for name in doc.column("deprel")])
    trainer = ParserTrainer(docs, (), PARSER, init=parser)
    old = len(parser.inventory.labels)
    assert trainer.inventory.labels[:old] == parser.inventory.labels
    assert all(name.endswith(":new") for name in trainer.inventory.labels[old:])
    for number in range(1, 9):
        trainer.epoch(number)
    found = trainer.parser().analyse(docs)
    labels = np.concatenate([parse.labels for parse in found])
    assert np.mean(labels >= old) > 0.9


def run(path: Path, threads: int = 1, init: Path | None = None) -> Path:
    options = replace(OPTIONS, parser=replace(PARSER, threads=threads, shards=2))
    docs = treebank()
    trainer = PipelineTrainer(docs, docs, options, init=load(init) if init is not None else None)
    save(path, trainer.run(), meta={"left_out": trainer.left_out})
    return path


def test_the_same_treebank_gives_the_same_bytes(tmp_path: Path) -> None:
    first = run(tmp_path / "one.caesura")
    assert run(tmp_path / "two.caesura", threads=2).read_bytes() == first.read_bytes()
    # Going on from a model: every stage knows what it knew, and learns on.
    more = run(tmp_path / "more.caesura", init=first)
    assert run(tmp_path / "same.caesura", init=first).read_bytes() == more.read_bytes()
    old, new = load(first).parts, load(more).parts
    assert new.keys() == old.keys()
    assert new["parser"].labels == old["parser"].labels
    assert not np.array_equal(new["parser"].array("counts"), old["parser"].array("counts"))


# ------------------------------------------------------------------------ greedy


def test_a_greedy_parser_has_no_beam_in_the_model_of_a_pipeline() -> None:
    greedy = replace(OPTIONS, parser=replace(PARSER, update="greedy"))
    assert greedy.search.beam > 1
    part = PipelineTrainer(treebank(), (), greedy).run()["parser"]
    assert Parser.from_part(part).search.beam == 1


@pytest.mark.parametrize("command", ["parser", "pipeline"])
def test_greedy_commands_refuse_a_beam_that_is_asked_for(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    update = "update=greedy" if command == "parser" else "parser.update=greedy"
    call = ["train", command, str(EXAMPLES / "harbour.conllu"), "-o", f"{tmp_path}/m.caesura", "-q"]
    assert cli.run([*call, "--set", update, "--set", "search.beam=4"]) == 2
    assert "without a beam, not with one of 4" in capfd.readouterr().err
    assert not (tmp_path / "m.caesura").exists()


def test_the_command_writes_a_greedy_parser(tmp_path: Path) -> None:
    path = tmp_path / "m.caesura"
    call = ["train", "parser", str(EXAMPLES / "harbour.conllu"), "-o", str(path), "-q"]
    options = ["update=greedy", "bits=12", "epochs=1"]
    assert cli.run([*call, *(part for option in options for part in ("--set", option))]) == 0
    assert Parser.load(path).search.beam == 1


@pytest.mark.parametrize("spoken", [0.0, 0.3])
def test_a_tagger_learns_from_some_of_the_silver_text(spoken: float) -> None:
    docs, silver = treebank(), half(treebank())[:2]
    few = replace(OPTIONS, speech=spoken, silver=SilverOptions(tags=1, speech=1.0))
    trainer = PipelineTrainer(docs, docs, few, silver=silver)
    parts, (written, copies) = trainer.prepare()
    one = PipelineTrainer(docs, docs, few, silver=silver[:1]).stage("tagger")
    assert all(np.array_equal(one.arrays[n], a) for n, a in parts["tagger"].arrays.items())
    # The parser has tags for the rest of it, too.
    assert [doc.n_words for doc in written] == [doc.n_words for doc in (*docs, *silver)]
    assert all((doc.upos > 0).all() for doc in (*written, *copies))
    assert len(copies) == (len(written) if spoken else 0)
