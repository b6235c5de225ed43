"""From the command line and through the pipeline: train, parse, refuse."""

import numpy as np
import pytest
from click.testing import CliRunner

from caesura import formats
from caesura.cli.train_parser import command as train
from caesura.document import MAYBE, NO, YES
from caesura.errors import UsageError
from caesura.models.file import Part, load, save
from caesura.pipeline.core import Pipeline
from caesura.stage import stage_of
from caesura.stages.branching_parser import BranchingParser
from caesura.stages.tokenizer import take_evidence
from tests.parse.toy import corpus


@pytest.fixture
def files(tmp_path):
    paths = {}
    for name, seed, count in (("train", 1, 4), ("dev", 2, 1)):
        paths[name] = str(tmp_path / f"{name}.conllu")
        formats.write(corpus(seed, count), paths[name], "conllu")
    return paths


def test_a_parser_is_trained_and_loaded_by_its_system(files, tmp_path):
    model = str(tmp_path / "toy.caesura")
    options = ["--system", "branching", "--beam", "4", "--margin", "0.9"]
    options += ["--set", "rounds=[1,1]", "--set", "bits=10", "--quiet"]
    arguments = [files["train"], "--dev", files["dev"], "-o", model, *options]
    train.main(arguments, standalone_mode=False)
    parser = stage_of(load(model).part("parser"))
    assert isinstance(parser, BranchingParser)
    assert (parser.search.beam, parser.search.margin) == (4, 0.9)
    assert not list(tmp_path.glob("*.checkpoint"))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--margin", "2"], "margin is 2"),
        (["--epochs", "3"], "--epochs does not go"),
        (["--recipe", "gold"], "--recipe does not go"),
    ],
)
def test_options_that_do_not_fit_are_refused(files, tmp_path, options, what):
    arguments = [files["train"], "--dev", files["dev"], "-o", str(tmp_path / "m"), "--quiet"]
    arguments += ["--system", "branching", *options]
    result = CliRunner().invoke(train, arguments)
    assert isinstance(result.exception, UsageError)
    assert what in str(result.exception)


def test_the_pipeline_takes_either_parser_and_its_options(toy_parser, tmp_path):
    path = tmp_path / "toy.caesura"
    save(path, {"parser": toy_parser.to_part()})
    pipeline = Pipeline(load(path)).with_search(beam=2, margin=0.5)
    (doc,) = corpus(30, 1)
    parsed = pipeline(doc, keep=("tokens", "sentences", "tags"))
    assert (parsed.head >= -1).all()
    assert np.array_equal(parsed.sent_start, doc.sent_start)
    with pytest.raises(UsageError, match="no bias"):
        pipeline.with_search(bias=1.0)
    assert len(pipeline.k_best(doc, 2, keep=("tokens", "sentences", "tags"))) >= 1


def test_open_boundaries_are_those_of_the_tokeniser():
    (doc,) = corpus(31, 1, 2)
    n = doc.n_tokens
    doc.sent_start = np.full(n, MAYBE, np.int8)
    doc.start_evidence = np.where(np.arange(n) % 3 == 0, 0.9, 0.1).astype(np.float32)
    doc.sent_start[3] = NO
    doc.fixed = frozenset({"sentences"})
    take_evidence([doc])
    assert doc.sent_start[0] == YES
    assert doc.sent_start[3] == NO
    assert doc.sent_start[6] == YES
    assert doc.has_sentences


def test_a_joint_parser_is_not_taken_for_a_branching_one():
    from caesura.errors import ModelError

    with pytest.raises(ModelError, match="not a branching parser"):
        BranchingParser.from_part(Part("parser", {"system": "joint"}))
