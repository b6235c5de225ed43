"""What is refused before anything is trained: kept labels, encodings, teachers, encoders."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.errors import InputError, UsageError
from caesura.learn import silver
from caesura.learn.network.examples import DECISIONS, Soft
from caesura.learn.network.pretrained import check_weights
from caesura.learn.network.training import NeuralOptions
from caesura.learn.raw_text import read_raw
from caesura.learn.run import Data, Report
from caesura.learn.silver import Lessons, SilverOptions, that_fit
from caesura.learn.stages import PipelineTrainer
from caesura.models import load, save
from tests.encoders import save_encoder
from tests.pipeline.tiny import EXAMPLES, treebank
from tests.train.test_silver import ENGLISH, GERMAN, HARBOUR, RAW, SMALL
from tests.train.test_stages import OPTIONS

NOTHING = Report()


class Telling(Report):
    """Remembers what was said."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def say(self, line: str) -> None:
        self.told.append(line)


@pytest.fixture(scope="module")
def labels(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of labels of the text that tests of silver learn from."""
    folder = tmp_path_factory.mktemp("labels")
    raw = folder / "raw.txt"
    raw.write_text(RAW, encoding="utf-8")
    given = Lessons(folder / "kept", [str(raw)], [str(tiny_model)])
    silver.label(given, treebank(), {}, SilverOptions(), NOTHING, "en")
    return given.folder


Call = Callable[..., int]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """The command, on a small treebank, into `m.caesura`."""

    def run(*more: str, train: str = HARBOUR) -> int:
        words = ["train", "pipeline", train, "-o", str(tmp_path / "m.caesura"), "-q"]
        words += [word for option in SMALL for word in ("--set", option)]
        return cli.run([*words, *more])

    return run


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("m.caesura*"))


def kept(
    folder: Path,
    *,
    gold: Sequence[Document] | None = None,
    held: Sequence[Document] = (),
    language: str | None = "en",
    report: Report = NOTHING,
    **options: object,
) -> silver.Silver:
    how = replace(SilverOptions(), **options)  # type: ignore[arg-type]
    gold = treebank() if gold is None else gold
    return silver.label(Lessons(folder), gold, {"dev": held}, how, report, language)


# ------------------------------------------------------------------------- kept labels


def test_kept_labels_of_held_out_text_are_refused_or_dropped(labels: Path) -> None:
    assert [doc.id for doc in kept(labels).docs] == ["ferry", "lamp"]
    held = [Document(text=RAW[RAW.index("The keeper") :])]
    with pytest.raises(InputError, match="words of dev stand in this text") as told:
        kept(labels, held=held)
    assert told.value.where.file == str(labels)
    report = Telling()
    found = kept(labels, held=held, report=report, overlap="drop")
    assert [doc.id for doc in found.docs] == ["ferry"]
    assert report.told == ["1 documents of raw text left out that hold held-out text"]
    whole = silver.load_silver(labels)
    assert found.about["documents"] == 1
    assert found.about["words"] == found.docs[0].n_words < whole.about["words"]
    assert found.about["fingerprint"] != whole.about["fingerprint"]
    held = [Document(text=RAW.replace("#", ""))]
    with pytest.raises(InputError, match="nothing is left of the text"):
        kept(labels, held=held, overlap="drop")


def test_kept_labels_of_text_in_another_language_are_refused(
    tmp_path: Path, tiny_model: Path
) -> None:
    raw = tmp_path / "raw.txt"
    parts = [ENGLISH * 3, GERMAN, ENGLISH * 3]
    raw.write_text("\n# newdoc\n".join(parts), encoding="utf-8")
    given = Lessons(tmp_path / "kept", [str(raw)], [str(tiny_model)])
    silver.label(given, treebank(), {}, SilverOptions(), NOTHING, None)
    report = Telling()
    assert len(kept(given.folder, report=report).docs) == 2
    assert report.told == [f"{given.folder}: 1 documents left out that look like German"]
    with pytest.raises(InputError, match="looks like English, and the treebank is German"):
        kept(given.folder, language="de")


@pytest.mark.parametrize("column", ["upos", "deprel"])
def test_kept_labels_of_another_label_set_are_refused(labels: Path, column: str) -> None:
    gold = treebank()
    for doc in gold:
        doc.set_column(column, [f"{name}2" for name in doc.column(column)])
    what = f"{column.upper()} labels are not those of the treebank: it says"
    with pytest.raises(InputError, match=what) as told:
        kept(labels, gold=gold)
    assert told.value.where.file == str(labels)


def test_what_a_network_did_not_know_is_told_of_kept_labels(labels: Path) -> None:
    found = silver.load_silver(labels)
    gold = [*treebank(), *treebank()]
    for doc in gold[: len(gold) // 2]:
        doc.set_column("upos", [f"{name}2" for name in doc.column("upos")])
    # Of so few words nobody knows what else the teacher would say, unless it has told.
    assert kept(labels, gold=gold).n_words == found.n_words
    about = json.loads((labels / "silver.json").read_text("utf-8"))
    assert about["labels"] == {}
    known = {"upos": sorted({tag for doc in treebank() for tag in doc.column("upos")})}
    with pytest.raises(InputError, match=r"it does not know '.*2', which the treebank has"):
        that_fit(found.docs, "kept", known, gold, {}, SilverOptions(), NOTHING, "en")


def test_answers_of_networks_go_with_their_documents(labels: Path) -> None:
    found = silver.load_silver(labels)
    n, first = found.n_words, found.docs[0].n_words
    heads = np.concatenate([doc.head for doc in found.docs])
    heads[first:][heads[first:] >= 0] += first
    names = (*DECISIONS, "head")
    numbers = np.arange(n, dtype=np.int32)
    soft = Soft(
        np.ones(n, np.float16),
        {name: (heads if name == "head" else numbers)[:, None] for name in names},
        {name: np.ones((n, 1), np.float16) for name in names},
    )
    some = replace(found, soft=soft).only(found.docs[1:])
    assert some.soft is not None
    assert some.soft.answers["upos"][:, 0].tolist() == list(range(first, n))
    assert some.soft.answers["head"][:, 0].tolist() == found.docs[1].head.tolist()
    assert found.only(found.docs) is found


def test_the_command_checks_kept_labels(
    tmp_path: Path, labels: Path, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "held.txt"
    raw.write_text(RAW, encoding="utf-8")
    assert call("--silver", str(labels), "--not-in", str(raw)) == 1
    said = capfd.readouterr().err
    assert f"{labels}: " in said
    assert "words of held.txt stand in this text" in said
    assert left_in(tmp_path) == []


# --------------------------------------------------------------------------- encodings

LINES = ["Das Café war zu.\n", "Die Fähre kam spät.\n", "Größe ist schön.\n"]


def test_raw_text_has_an_encoding_of_its_own(
    tmp_path: Path, tiny_model: Path, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.conllu"
    made = (EXAMPLES / "harbour.conllu").read_text("utf-8").replace("the", "thé")
    gold.write_text(made, encoding="utf-8")
    raw = tmp_path / "raw.txt"
    raw.write_text(RAW.replace("pier", "piér"), encoding="latin-1")
    taught = ["--text", str(raw), "--teacher", str(tiny_model)]
    assert call(*taught, train=str(gold)) == 1
    assert "for example --text-encoding latin-1" in capfd.readouterr().err
    # The encoding of the treebank is not that of raw text, and is not believed.
    assert call(*taught, "--encoding", "latin-1", train=str(gold)) == 1
    told = capfd.readouterr().err
    assert f"{gold}: it is UTF-8, decoded as latin-1. Leave --encoding out." in told
    assert call(*taught, "--text-encoding", "latin-1", train=str(gold)) == 0
    said = silver.load_silver(tmp_path / "m.caesura.silver")
    assert "piér" in "".join(doc.text for doc in said.docs)


def test_a_treebank_in_another_encoding_is_read_and_one_that_is_not_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "gold.conllu"
    made = (EXAMPLES / "harbour.conllu").read_text("utf-8").replace("the", "thé")
    path.write_bytes(made.encode("latin-1", "replace"))
    read = list(Data([str(path)], encoding="latin-1").read([str(path)], NOTHING))
    assert "thé" in read[0].text
    path.write_bytes(made.encode())
    for encoding in ("latin-1", "cp1252", "iso8859-2"):
        data = Data([str(path)], encoding=encoding)
        with pytest.raises(InputError, match=f"it is UTF-8, decoded as {encoding}"):
            list(data.read([str(path)], NOTHING))
    assert list(Data([str(path)], encoding="UTF8").read([str(path)], NOTHING))


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "utf-8\0"])
def test_a_wrong_name_of_an_encoding_is_told_whatever_the_format(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "gold.parquet"
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    formats.write(treebank(), path)
    with pytest.raises(UsageError, match="there is no encoding"):
        read_raw([str(path)], NOTHING, encoding=encoding)
    with pytest.raises(UsageError, match="there is no encoding"):
        list(Data([str(path)], encoding=encoding).read([str(path)], NOTHING))


@pytest.mark.parametrize(
    ("wrong", "more"),
    [("cp1252", "Sie sagte „nein“ – und ging.\n"), ("latin1", "Ágnes kam.\n")],
)
def test_what_is_said_of_text_that_was_encoded_twice_helps(
    tmp_path: Path, wrong: str, more: str
) -> None:
    path, mended = tmp_path / "raw.txt", tmp_path / "mended.txt"
    text = "".join([*LINES, more])
    path.write_bytes(text.encode().decode(wrong).encode())
    with pytest.raises(InputError, match="and then encoded once more") as told:
        read_raw([str(path)], NOTHING)
    assert f"iconv -f utf-8 -t {wrong} FILE > MENDED" in told.value.remedy
    mended.write_bytes(path.read_text("utf-8").encode(wrong))
    assert read_raw([str(mended)], NOTHING)[str(mended)][0].text == text
    # Where some lines are whole, no conversion of all helps.
    path.write_text(path.read_text("utf-8") + "Ψ\n", encoding="utf-8")
    with pytest.raises(InputError, match="and then encoded once more") as told:
        read_raw([str(path)], NOTHING)
    assert "ftfy" in told.value.remedy


# ---------------------------------------------------------------------------- teachers


def test_a_teacher_that_does_not_fit_leaves_nothing(
    tmp_path: Path, tiny_model: Path, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw.txt"
    raw.write_text(RAW, encoding="utf-8")
    german = tmp_path / "german.caesura"
    save(german, load(tiny_model).parts, meta={"language": "de"}, kind="pipeline")
    assert call("--text", str(raw), "--teacher", str(german)) == 1
    assert "the teacher is for German" in capfd.readouterr().err
    other = tmp_path / "other.conllu"
    gold = treebank()
    for doc in gold:
        doc.set_column("deprel", [f"{name}:ours" for name in doc.column("deprel")])
    formats.write(gold, other)
    taught = ["--text", str(raw), "--teacher", str(tiny_model)]
    assert call(*taught, train=str(other)) == 1
    assert "DEPREL labels are not those of the treebank" in capfd.readouterr().err
    assert left_in(tmp_path) == []


def test_more_epochs_on_gold_than_before_are_refused(
    tmp_path: Path, labels: Path, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    assert call("--silver", str(labels), "--gold-last", "99") == 2
    assert "99 epochs on gold alone are not fewer than the 1 with" in capfd.readouterr().err
    encoder = save_encoder(tmp_path / "encoder", treebank())
    more = ("--encoder", encoder, "--set", "epochs=3")
    words = ["train", "pipeline", HARBOUR, "-o", str(tmp_path / "m.caesura"), "-q", *more]
    if importlib.util.find_spec("torch") is not None:
        assert cli.run([*words, "--silver", str(labels), "--gold-last", "3"]) == 2
        assert "leave none of 3 for silver text" in capfd.readouterr().err
    assert left_in(tmp_path) == []
    options = replace(OPTIONS, silver=SilverOptions(last=2))
    with pytest.raises(UsageError, match="2 epochs on gold alone are not fewer than the 2"):
        PipelineTrainer(treebank(), (), options, silver=silver.load_silver(labels).docs)
    PipelineTrainer(treebank(), (), options)  # without silver it means nothing
    replace(NeuralOptions(), silver=SilverOptions(last=49)).check_silver()


# ---------------------------------------------------------------------------- encoders

CONFIG = {
    "model_type": "bert",
    "vocab_size": 5,
    "hidden_size": 4,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 6,
    "max_position_embeddings": 9,
}


def weights(prefix: str = "bert.") -> dict[str, np.ndarray]:
    """Those of an encoder as small as can be."""
    sizes = {"attention.self.query": (4, 4), "attention.self.key": (4, 4)}
    sizes |= {"attention.self.value": (4, 4), "attention.output.dense": (4, 4)}
    sizes |= {"attention.output.LayerNorm": (4,), "intermediate.dense": (6, 4)}
    sizes |= {"output.dense": (4, 6), "output.LayerNorm": (4,)}
    found = {
        "embeddings.word_embeddings.weight": np.ones((5, 4), np.float32),
        "embeddings.position_embeddings.weight": np.ones((9, 4), np.float32),
        "embeddings.LayerNorm.weight": np.ones(4, np.float32),
        "embeddings.LayerNorm.bias": np.ones(4, np.float32),
    }
    for n in range(2):
        for name, size in sizes.items():
            found[f"encoder.layer.{n}.{name}.weight"] = np.ones(size, np.float32)
            found[f"encoder.layer.{n}.{name}.bias"] = np.ones(size[:1], np.float32)
    return {prefix + name: array for name, array in found.items()}


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    from safetensors.numpy import save_file

    folder = tmp_path / "encoder"
    folder.mkdir()
    vocabulary = {name: n for n, name in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"))}
    model = {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": vocabulary}
    (folder / "tokenizer.json").write_text(json.dumps({"model": model}), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    save_file(weights(), folder / "model.safetensors")
    return folder


def test_a_whole_encoder_is_taken(encoder: Path) -> None:
    _, shape = check_weights(encoder, 4)
    assert (shape.layers, shape.hidden, shape.positions) == (2, 4, 9)
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.net import load_encoder

    assert len(load_encoder(encoder, 1).layers) == 1


def test_an_encoder_that_is_not_there_or_broken_is_told_before_anything_is_trained(
    tmp_path: Path, encoder: Path, call: Call, capfd: pytest.CaptureFixture[str]
) -> None:
    file = encoder / "model.safetensors"
    whole = file.read_bytes()

    def told(folder: Path) -> str:
        words = ["train", "pipeline", HARBOUR, "-o", str(tmp_path / "m.caesura"), "-q"]
        assert cli.run([*words, "--encoder", str(folder)]) == 1
        assert left_in(tmp_path) == []
        return capfd.readouterr().err

    assert f"{tmp_path / 'nofolder'}: there is no such folder." in told(tmp_path / "nofolder")
    file.write_bytes(whole[:-10])
    assert f"{file}: the weights of the encoder cannot be read" in told(encoder)
    file.write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert f"{file}: the weights of the encoder cannot be read" in told(encoder)
    file.unlink()
    assert "the encoder lacks model.safetensors" in told(encoder)


def test_weights_that_are_not_those_of_the_configuration_are_told(encoder: Path) -> None:
    from safetensors.numpy import save_file

    file, config = encoder / "model.safetensors", encoder / "config.json"
    some = {name: array for name, array in weights().items() if ".1." not in name}
    save_file(some, file)
    check_weights(encoder, 1)  # a layer that nobody needs may be missing
    with pytest.raises(InputError, match=r"lack encoder\.layer\.1\..*query\.weight and 15 more"):
        check_weights(encoder, 2)
    save_file(weights() | {"bert.embeddings.LayerNorm.bias": np.ones(3, np.float32)}, file)
    with pytest.raises(InputError, match=r"LayerNorm\.bias is 3, but 4 by config\.json") as told:
        check_weights(encoder, 2)
    assert told.value.where.file == str(file)
    save_file(weights(), file)
    config.write_text(json.dumps(CONFIG | {"hidden_act": "relu"}), encoding="utf-8")
    with pytest.raises(InputError, match="its activation is relu and not gelu"):
        check_weights(encoder, 2)
    for changed, what in (({}, "it does not tell vocab_size"), ({"vocab_size": "5"}, "is '5'")):
        rest = {name: value for name, value in CONFIG.items() if name != "vocab_size"}
        config.write_text(json.dumps(rest | changed), encoding="utf-8")
        with pytest.raises(InputError, match=what) as told:
            check_weights(encoder, 2)
        assert told.value.where.file == str(config)


def test_weights_of_a_type_that_is_not_read_are_told(encoder: Path) -> None:
    head = json.dumps({"a": {"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}}).encode()
    file = encoder / "model.safetensors"
    file.write_bytes(len(head).to_bytes(8, "little") + head + b"\0\0")
    with pytest.raises(InputError, match=r"of the type BF16.*single precision"):
        check_weights(encoder, 1)
