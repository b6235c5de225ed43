"""`--bias` by every door: pipeline, tokeniser alone, parser without boundaries, commands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from caesura import cli
from caesura.document import Document
from caesura.errors import UsageError
from caesura.models.file import load as load_file
from caesura.models.file import save
from caesura.pipeline import Pipeline, load
from caesura.stages.bias import GRID
from caesura.stages.joint_parser import SCALE
from tests.pipeline.tiny import EXAMPLES, TEXT

HARBOUR = str(EXAMPLES / "harbour.txt")


def number(nlp: Pipeline, texts: Sequence[str] = (TEXT,)) -> int:
    return sum(nlp(Document(text=text)).n_sentences - 1 for text in texts)


def test_no_bias_changes_no_byte(tiny: Pipeline) -> None:
    assert tiny.with_search(bias=0.0)(TEXT).contents() == tiny(TEXT).contents()


def test_every_door_obeys_the_bias_alike(tiny: Pipeline, tmp_path: Path) -> None:
    more = tiny.with_search(bias=1.0)
    starts = more(TEXT).sent_start.tolist()
    assert sum(starts) > sum(tiny(TEXT).sent_start.tolist())
    texts = [TEXT, "no capitals here and no full stop so it goes on and on", TEXT]
    for one, other in zip(more.pipe(texts), texts, strict=True):
        assert one.contents() == more(other).contents()
    streamed = Document.join(list(more.stream([TEXT[:500], TEXT[500:]])))
    assert streamed.sent_start.tolist() == starts


@pytest.mark.parametrize("command", ["parse", "split"])
@pytest.mark.parametrize("bias", ["1e39", "nan", "inf", "-inf", "2.5"])
def test_what_is_no_bias_is_one_sentence(
    command: str, bias: str, tiny_model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.run([command, HARBOUR, "-m", str(tiny_model), "--bias", bias]) == 2
    out, err = capfd.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert "must be from -2 to 2" in err
    assert "Traceback" not in err


def test_a_cluster_is_not_asked_with_a_bad_bias(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["parse", HARBOUR, "--engine", "ray", "--bias", "7"]) == 2
    assert "the bias is 7, but must be from -2 to 2" in capfd.readouterr().err


def test_the_command_obeys_it(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = []
    for bias in ("-1", "0", "1"):
        assert cli.run(["split", HARBOUR, "-m", str(tiny_model), "--bias", bias]) == 0
        found.append(len(capfd.readouterr().out.splitlines()))
    assert found == sorted(found)
    assert found[0] < found[-1]


# ------------------------------------------------------ sentences of the tokeniser


def test_a_tokeniser_alone_obeys_it(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tokenizer.caesura"
    save(path, {"tokenizer": load_file(tiny_model).parts["tokenizer"]})
    found = [number(load(path).with_search(bias=bias)) for bias in GRID]
    assert found == sorted(found)
    assert found[0] < found[-1]
    lines = []
    for options in ((), ("--bias", "0"), ("--bias", "2")):
        assert cli.run(["split", HARBOUR, "-m", str(path), *options]) == 0
        lines.append(capfd.readouterr().out)
    assert lines[0] == lines[1]
    assert len(lines[2].splitlines()) == found[-1] + 1


def test_a_tokeniser_is_measured_on_dev_text() -> None:
    from caesura.learn.tokenizer import with_scale
    from caesura.tokenize import Tokenizer
    from tests.tokenize.conftest import SMALL, documents, train

    part = train(documents(20), SMALL).to_part()
    dev = documents(50)[20:]
    assert with_scale(part, []) is part
    tokenizer = Tokenizer.from_part(with_scale(part, dev))
    assert tokenizer.scale != Tokenizer.from_part(part).scale

    def count(bias: float) -> int:
        biased = tokenizer.with_bias(bias)
        return sum(biased.tokenize(doc.text).n_sentences - 1 for doc in dev)

    assert count(-1.0) == pytest.approx(count(0.0) / 2, rel=0.15)
    assert count(1.0) == pytest.approx(count(0.0) * 2, rel=0.15)


def test_a_parser_without_boundaries_has_the_bias_of_its_tokeniser(
    tiny: Pipeline, tiny_model: Path, tmp_path: Path
) -> None:
    from caesura.learn.joint_parser import parser_loop, recipe_options
    from tests.pipeline.tiny import treebank
    from tests.train.test_stages import PARSER

    loop = parser_loop(treebank(), (), recipe_options("gold", PARSER))
    list(loop)
    parts = load_file(tiny_model).parts | {"parser": loop.best["parser"]}
    save(tmp_path / "gold.caesura", parts, kind="pipeline")
    nlp = load(tmp_path / "gold.caesura")
    tokenizer = nlp.tokenizer.with_bias(2.0)
    assert number(nlp.with_search(bias=2.0)) == tokenizer.tokenize(TEXT).n_sentences - 1
    assert number(nlp.with_search(bias=2.0, beam=2)) > number(nlp)
    assert nlp.with_search(bias=0.0)(TEXT).contents() == nlp(TEXT).contents()
    del parts["tokenizer"]
    save(tmp_path / "trees.caesura", parts, kind="pipeline")
    with pytest.raises(UsageError, match="no bias"):
        load(tmp_path / "trees.caesura").with_search(bias=1.0)


# ------------------------------------------------------------------- models


def test_training_measures_what_a_bias_is_worth() -> None:
    from dataclasses import replace

    from caesura.learn.run import transcripts
    from caesura.learn.stages import PipelineTrainer
    from caesura.stages.joint_parser import Parser
    from tests.parse.toy import corpus
    from tests.train.test_stages import OPTIONS

    docs, dev = corpus(1, 20), corpus(2, 8)
    options = replace(OPTIONS, drop=0.0, parser=replace(OPTIONS.parser, epochs=4))
    assert transcripts(dev)[0].n_words < dev[0].n_words
    scale = Parser.from_part(PipelineTrainer(docs, dev, options).run()["parser"]).scale
    assert scale.edited != SCALE.edited
    assert scale.unedited != SCALE.unedited
    without = Parser.from_part(PipelineTrainer(docs, (), options).run()["parser"])
    assert without.scale == SCALE


@pytest.mark.parametrize(
    ("verb", "options"),
    [(["parser"], []), (["pipeline"], []), (["pipeline"], ["--encoder", "folder"])],
)
def test_training_refuses_a_bias_that_the_model_would_not_keep(
    verb: list[str], options: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    call = ["train", *verb, str(EXAMPLES / "harbour.conllu"), "-o", str(tmp_path / "m.caesura")]
    assert cli.run([*call, *options, "--set", "search.bias=1", "-q"]) == 2
    assert "Set search.bonus" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("folder", ["UD_English-EWT", "EWT-speech"])
def test_the_bundled_model_keeps_its_word(folder: str, data_dir: Path) -> None:
    """Half and twice as many on text that it was measured on, written and spoken."""
    from caesura.formats import read
    from caesura.learn.tuning import sample

    (path,) = (data_dir / folder).glob("*-dev.conllu.gz")
    docs = sample(list(read(path)), 6000)
    nlp = load("en-fast")

    def count(bias: float) -> int:
        """The boundaries that the model draws; one at a blank line is there whatever the bias."""
        return sum(
            "\n\n" not in doc.text[left.end : right.start]
            for doc in nlp.with_search(bias=bias).pipe(docs, keep=("tokens",))
            for left, right in pairwise(doc.sentences)
        )

    base = count(0.0)
    # A scale is measured over all boundaries. Where blank lines have many, which stay, the others
    # must give way for them: of edited text -1 leaves a third of these and not half.
    assert count(-1.0) == pytest.approx(base / 2, rel=0.35)
    assert count(1.0) == pytest.approx(base * 2, rel=0.25)
