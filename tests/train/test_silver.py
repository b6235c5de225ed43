"""Learning from raw text: what is read, what is refused, how labels are kept, what is learned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import caesura
from caesura import cli, formats
from caesura.document import Document
from caesura.errors import InputError, ModelError, UsageError
from caesura.learn import silver
from caesura.learn.network.examples import Soft
from caesura.learn.raw_text import in_language, read_raw, sequences, without_overlap
from caesura.learn.run import Report
from caesura.learn.silver import Lessons, SilverOptions
from caesura.learn.stages import PipelineTrainer
from caesura.learn.teachers import Teachers
from caesura.models import Part, load, save
from caesura.options import PLAIN, Request
from caesura.pipeline import Pipeline
from caesura.stages.network import NeuralParser
from tests.encoders import save_encoder
from tests.pipeline.laws import check
from tests.pipeline.test_languages import many_model  # noqa: F401
from tests.pipeline.tiny import EXAMPLES, treebank
from tests.train.test_stages import OPTIONS

HARBOUR = str(EXAMPLES / "harbour.conllu")
RAW = """# newdoc id = ferry
The ferry left late. Nobody on the pier was surprised, and the gulls did not care.

We went home.
# newdoc id = lamp
The keeper lit the lamp. It was dark, and the boats were out.
"""
NOTHING = Report()


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "raw.txt"
    path.write_text(RAW, encoding="utf-8")
    return path


def lessons(tmp_path: Path, raw: Path, *teachers: Path) -> Lessons:
    return Lessons(tmp_path / "labels", [str(raw)], [str(path) for path in teachers])


def label(given: Lessons, held: Sequence[Document] = ()) -> silver.Silver:
    return silver.label(given, treebank(), {"dev": held}, SilverOptions(), NOTHING, "en")


# ------------------------------------------------------------------------- raw text


def test_plain_text_may_hold_several_documents(raw: Path) -> None:
    docs = read_raw([str(raw)], NOTHING)[str(raw)]
    assert [doc.id for doc in docs] == ["ferry", "lamp"]
    assert docs[0].text.startswith("The ferry left late.")
    assert len(docs[0].paragraph_start) == 2
    assert "newdoc" not in "".join(doc.text for doc in docs)


def test_any_format_is_raw_text() -> None:
    docs = read_raw([HARBOUR], NOTHING)[HARBOUR]
    assert [doc.text for doc in docs] == [doc.text for doc in treebank()]
    assert not any(doc.n_tokens for doc in docs)


def test_text_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    lines = ["Das Café war zu.\n", "Die Fähre kam spät.\n", "Größe ist schön.\n"]
    path.write_text("".join(lines), encoding="latin-1")
    with pytest.raises(InputError, match=r"is not UTF-8.*--text-encoding latin-1"):
        read_raw([str(path)], NOTHING)
    assert read_raw([str(path)], NOTHING, encoding="latin-1")
    path.write_text("".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"is UTF-8, decoded as latin-1\. Leave --text-enc"):
        read_raw([str(path)], NOTHING, encoding="latin-1")
    path.write_text("".join(lines).replace("ä", "\ufffd"), encoding="utf-8")
    with pytest.raises(InputError, match="could not be decoded"):
        read_raw([str(path)], NOTHING)
    path.write_text(" \n", encoding="utf-8")
    with pytest.raises(InputError, match="there is no text in it"):
        read_raw([str(path)], NOTHING)


GERMAN = "Das Boot kommt heute nicht, und niemand weiß warum es so ist. " * 4
ENGLISH = "The boat does not come today, and nobody knows why it is so late. " * 4


def test_text_in_another_language_is_refused_or_left_out() -> None:
    told: list[str] = []

    class Telling(Report):
        def say(self, line: str) -> None:
            told.append(line)

    english, german = (Document(text=text) for text in (ENGLISH, GERMAN))
    kept = in_language({"a.txt": [english, german, english]}, "en", Telling())
    assert kept == {"a.txt": [english, english]}
    assert told == ["a.txt: 1 documents left out that look like German"]
    with pytest.raises(InputError, match="looks like German, and the treebank is English"):
        in_language({"a.txt": [german]}, "en", NOTHING)
    assert in_language({"a.txt": [german]}, None, NOTHING) == {"a.txt": [german]}


def test_held_out_text_in_raw_text_is_told() -> None:
    held = [Document(text=ENGLISH[:66])]
    same = Document(text="Again: THE BOAT does not come, today; and nobody knows why it is", id="x")
    other = Document(text="Nobody has ever seen so many boats in this harbour, she said.")
    raw = {"raw.txt": [other, same]}
    with pytest.raises(InputError, match=r"words of dev stand in this text \(first in document x"):
        without_overlap(raw, {"dev": held}, share=0.01, how="refuse", report=NOTHING)
    kept = without_overlap(raw, {"dev": held}, share=0.01, how="drop", report=NOTHING)
    assert kept == {"raw.txt": [other]}
    assert without_overlap(raw, {}, share=0.0, how="refuse", report=NOTHING) == raw


def test_sequences_are_of_words_or_of_ideographs() -> None:
    assert len(sequences("One, two three four five six seven eight. Nine")) == 2
    assert len(sequences("seven words are not quite enough here")) == 0
    assert len(sequences("船今天不来没有人知道")) == 3


# --------------------------------------------------------------------------- labels


def test_labels_are_kept_and_go_on_after_an_interruption(
    tmp_path: Path, raw: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silver, "_PART", 10)
    given = lessons(tmp_path, raw, tiny_model)
    done = label(given)
    assert [doc.id for doc in done.docs] == ["ferry", "lamp"]
    for doc in done.docs:
        check(doc, doc.text)
        assert doc.arc_conf is not None
    whole = {path.name: path.read_bytes() for path in given.folder.iterdir()}
    assert sorted(whole) == ["00001.jsonl.gz", "00002.jsonl.gz", "silver.json"]

    other = replace(given, folder=tmp_path / "other")
    label_one = Teachers.label

    def stop(self: Teachers, docs: Sequence[Document]) -> tuple[list[Document], Soft | None]:
        if docs[0].id == "lamp":
            raise KeyboardInterrupt
        return label_one(self, docs)

    monkeypatch.setattr(Teachers, "label", stop)
    with pytest.raises(KeyboardInterrupt):
        label(other)
    with pytest.raises(InputError, match="interrupted: part 2 of 2 is not there"):
        silver.load_silver(other.folder)
    monkeypatch.setattr(Teachers, "label", label_one)
    assert [doc.text for doc in label(other).docs] == [doc.text for doc in done.docs]
    assert {path.name: path.read_bytes() for path in other.folder.iterdir()} == whole


def test_several_processes_may_share_the_labelling(
    tmp_path: Path, raw: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silver, "_PART", 10)
    given = lessons(tmp_path, raw, tiny_model)
    label(given)
    whole = {path.name: path.read_bytes() for path in given.folder.iterdir()}
    shared = replace(given, folder=tmp_path / "shared")
    assert not silver.is_complete(shared.folder)
    for turn in (1, 0, 2):  # a process labels every third part
        teachers = Teachers(shared.teachers)
        parts = silver.raw_parts(
            shared, treebank(), {"dev": ()}, SilverOptions(), NOTHING, "en", teachers
        )
        for n in silver.missing_parts(shared.folder, range(turn, len(parts), 3), NOTHING):
            silver.label_part(shared.folder, n, parts[n], teachers)
        assert silver.is_complete(shared.folder) is (turn != 1)
    assert {path.name: path.read_bytes() for path in shared.folder.iterdir()} == whole


def test_labels_of_others_and_damaged_ones_are_refused(
    tmp_path: Path, raw: Path, tiny_model: Path
) -> None:
    given = lessons(tmp_path, raw, tiny_model)
    label(given)
    raw.write_text("Another text.\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds labels of other text, or by another teacher"):
        label(given)
    part = given.folder / "00001.jsonl.gz"
    part.write_bytes(part.read_bytes()[:40])
    with pytest.raises(InputError, match="these labels are damaged"):
        silver.load_silver(given.folder)
    (given.folder / "silver.json").unlink()
    with pytest.raises(InputError, match=r"it has no silver\.json"):
        silver.load_silver(given.folder)
    with pytest.raises(InputError, match="there is no such folder of labels"):
        silver.load_silver(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="go together"):
        label(replace(given, teachers=()))


def test_teachers_that_do_not_fit_are_refused(tmp_path: Path, raw: Path, tiny_model: Path) -> None:
    rules = tmp_path / "rules.caesura"
    save(rules, {"rules": Part("rules")})
    with pytest.raises(ModelError, match="draws no trees"):
        label(lessons(tmp_path, raw, rules))
    file = load(tiny_model)
    german = tmp_path / "german.caesura"
    save(german, file.parts, meta={"language": "de"}, kind="pipeline")
    with pytest.raises(InputError, match="the teacher is for German, and the treebank is English"):
        label(lessons(tmp_path, raw, german))
    gold = treebank()
    for doc in gold:
        doc.set_column("deprel", [f"{name}:ours" for name in doc.column("deprel")])
    teachers = Teachers([str(tiny_model)])
    with pytest.raises(InputError, match="DEPREL labels are not those of the treebank"):
        teachers.check(gold, "en")
    parts = {name: part for name, part in file.parts.items() if name != "tokenizer"}
    save(german, parts, kind="pipeline")
    with pytest.raises(ModelError, match="has no tokenizer"):
        Teachers([str(german)])


def test_a_teacher_of_many_languages_speaks_that_of_the_treebank(
    tmp_path: Path,
    raw: Path,
    many_model: Path,  # noqa: F811
) -> None:
    teachers = Teachers([str(many_model)])
    assert teachers.pipelines[0].language is None
    teachers.speak(None)
    assert teachers.pipelines[0].language is None
    teachers.speak("da")
    assert teachers.pipelines[0].language == "da"
    said, _ = teachers.label(read_raw([str(raw)], NOTHING)[str(raw)])
    assert said
    assert all(doc.token_language is not None for doc in said)
    assert label(lessons(tmp_path, raw, many_model)).n_words
    with pytest.raises(UsageError, match="the model does not know Finnish"):
        Teachers([str(many_model)]).speak("fi")


def test_teachers_vote(tmp_path: Path, raw: Path, tiny_model: Path) -> None:
    teachers = Teachers([str(tiny_model)] * 3)
    docs = read_raw([str(raw)], NOTHING)[str(raw)]
    # One of them thinks that everything hangs on the first word.
    wild = teachers.pipelines[1]

    class Wild(Pipeline):
        def annotate(self, docs: Sequence[Document], request: Request = PLAIN) -> None:
            super().annotate(docs, request)
            for doc in docs:
                first = np.flatnonzero(doc.word_sent_start == 1)[doc.word_sentence]
                doc.head = np.where(first == np.arange(doc.n_words), -1, first).astype(np.int32)
                doc.upos[:] = doc.strings.add("X")

    wild.__class__ = Wild
    said, soft = teachers.label(docs)
    assert soft is None
    alone, _ = Teachers([str(tiny_model)]).label(docs)
    for one, other in zip(said, alone, strict=True):
        check(one, one.text)
        assert one.column("upos") == other.column("upos")
        assert one.head.tolist() == other.head.tolist()
        assert one.arc_conf is not None
        assert {round(3 * float(x)) for x in one.arc_conf} <= {2, 3}


def test_networks_speak_by_their_mean(raw: Path) -> None:
    docs = read_raw([str(raw)], NOTHING)[str(raw)]
    one = Teachers(["en"])
    said, soft = one.label(docs)
    assert soft is not None
    for doc in said:
        check(doc, doc.text)
    plain = one.pipelines[0](docs[0].text)
    assert said[0].head.tolist() == plain.head.tolist()
    assert said[0].column("upos") == plain.column("upos")
    n = sum(doc.n_words for doc in said)
    assert len(soft.start) == n
    heads = np.concatenate(
        [said[0].head, np.where(said[1].head < 0, -1, said[1].head + said[0].n_words)]
    )
    assert soft.answers["head"][:, 0].tolist() == heads.tolist()
    for name, chances in soft.chances.items():
        total = chances.astype(float).sum(1)
        assert np.all((total > 0.2) & (total < 1.01)), name
    numbers = {label: i for i, label in enumerate(one.labels["upos"])}
    tags = [numbers[tag] for doc in said for tag in doc.column("upos")]
    assert soft.answers["upos"][:, 0].tolist() == tags
    # Twice the same network says the same.
    both, mean = Teachers(["en", "en"]).label(docs)
    assert [doc.head.tolist() for doc in both] == [doc.head.tolist() for doc in said]
    assert mean is not None
    for name, chances in soft.chances.items():
        assert np.allclose(chances, mean.chances[name], atol=2e-3), name
    assert np.allclose(soft.start, mean.start, atol=2e-3)


# ---------------------------------------------------------------------- confidences


def test_a_network_of_many_languages_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the chances of attributes, and none of whole FEATS that a student could learn."""
    nlp = caesura.load("en")
    network = nlp.stage(NeuralParser)
    assert network is not None
    monkeypatch.setattr("caesura.learn.teachers.load", lambda model: nlp)
    assert len(Teachers(["en"]).networks) == 1
    network.languages = object()  # type: ignore[assignment]
    many = Teachers(["en"])
    assert many.networks == []
    assert many.labels == {}


def test_sentences_of_low_confidence_are_left_out() -> None:
    doc = treebank()[0]
    doc.arc_conf = np.ones(doc.n_words, np.float32)
    bounds = doc.sentence_bounds
    doc.arc_conf[doc.word_sentence == 1] = 0.2
    first, rest = silver.confident([doc], 0.5)
    assert first.n_sentences == 1
    assert rest.n_sentences == len(bounds) - 3
    assert rest.text.startswith(doc.sentences[2].text)
    assert silver.confident([doc], 0.0) == [doc]
    assert silver.unsure(doc, 0.5).sum() == (doc.word_sentence == 1).sum()
    doc.arc_conf = None
    with pytest.raises(UsageError, match="gives no confidences"):
        silver.confident([doc], 0.5)


def test_what_is_forgotten_or_unknown_has_no_chance() -> None:
    from caesura.learn.network.examples import Labels

    names = ("upos", "xpos", "feats", "lemma", "deprel")
    soft = Soft(
        np.array([1, 0.5], np.float16),
        {n: np.array([[0, 1], [1, 0]], np.int32) for n in (*names, "head")},
        {n: np.full((2, 2), 0.5, np.float16) for n in (*names, "head")},
    )
    labels = Labels(upos=("NOUN",), xpos=("A", "B"), feats=("B", "A"), lemma=("A",), deprel=("A",))
    theirs = {name: ["VERB", "NOUN"] if name == "upos" else ["A", "B"] for name in names}
    mine = soft.relabelled(theirs, labels)
    assert mine.chances["upos"].tolist() == [[0, 0.5], [0.5, 0]]
    assert mine.answers["feats"].tolist() == [[1, 0], [0, 1]]
    gone = mine.forget(np.array([True, False]))
    assert np.isnan(gone.start[0])
    assert gone.chances["head"].tolist() == [[0, 0], [0.5, 0.5]]
    twice = Soft.join([mine, mine])
    assert twice.answers["head"].tolist() == [[0, 1], [1, 0], [2, 3], [3, 2]]
    again = Soft.from_arrays(twice.arrays())
    assert again.chances["xpos"].tolist() == twice.chances["xpos"].tolist()


# ------------------------------------------------------------------------- students


def test_a_linear_student_learns_from_gold_and_silver(tmp_path: Path, tiny_model: Path) -> None:
    docs = treebank()
    said = Pipeline(load(tiny_model))(RAW.replace("#", ""), confidence=True)
    plain, made = PipelineTrainer(docs, docs, OPTIONS).run(), []
    for last in (0, 1):
        options = replace(OPTIONS, silver=SilverOptions(weight=0.4, speech=0.5, last=last))
        trainer = PipelineTrainer(docs, docs, options, silver=[said], folder=tmp_path / f"{last}")
        parts = trainer.run()
        assert not list((tmp_path / f"{last}").glob("*.checkpoint"))
        save(tmp_path / "student.caesura", parts)
        text = "It rains. We stay."
        check(Pipeline(load(tmp_path / "student.caesura"))(text), text)
        # The tokeniser learns from gold alone, the others from both.
        one, other = plain["tokenizer"].arrays, parts["tokenizer"].arrays
        assert all(np.array_equal(one[name], other[name]) for name in one)
        assert not np.array_equal(plain["parser"].array("counts"), parts["parser"].array("counts"))
        made.append(parts)
    # What it reads last is for the parser alone.
    one, other = made[0]["tagger"].arrays, made[1]["tagger"].arrays
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert not np.array_equal(made[0]["parser"].array("values"), made[1]["parser"].array("values"))


def test_a_student_has_no_column_that_gold_lacks() -> None:
    gold, mine = treebank(), treebank()
    for doc in gold:
        doc.xpos[:] = 0
    (found,) = silver.as_gold_has(mine[:1], gold)
    assert not found.xpos.any()
    assert found.upos.any()


def test_tags_that_gold_never_has_together_are_mended() -> None:
    gold, mine = treebank(), treebank()
    doc = mine[0]
    nouns = [n for n, tag in enumerate(doc.column("upos")) if tag == "NOUN"]
    right = doc.column("xpos")
    doc.xpos[nouns[0]] = doc.strings.ids(["UH"])[0]
    doc.upos[nouns[1]] = doc.strings.ids(["X"])[0]  # of which gold knows nothing
    (found,) = silver.as_gold_has([doc], gold)
    assert found.column("xpos")[nouns[0]] in {"NN", "NNS"}
    others = [n for n in range(doc.n_words) if n != nouns[0]]
    assert [found.column("xpos")[n] for n in others] == [right[n] for n in others]


SMALL = (
    *("tokenizer.bits=12", "tokenizer.epochs=1", "tokenizer.rare_cut=1", "tokenizer.rare_start=1"),
    *("tagger.epochs=1", "tagger.cutoff=1", "parser.bits=12", "parser.epochs=1", "folds=2"),
)


def test_the_command_labels_and_learns(
    tmp_path: Path, raw: Path, tiny_model: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    student = tmp_path / "student.caesura"
    call = ["train", "pipeline", HARBOUR, "--dev", HARBOUR, "-o", str(student), "--json"]
    call += [word for option in SMALL for word in ("--set", option)]
    folder = tmp_path / "texts"
    folder.mkdir()
    raw.rename(folder / "raw.txt")
    taught = [*call, "--text", str(folder), "--teacher", str(tiny_model), "--silver-weight", "1"]
    assert cli.run(taught) == 0, capfd.readouterr().err
    meta = load(student).meta
    assert meta["silver"]["text"][0]["file"] == "raw.txt"
    assert meta["silver"]["teachers"][0]["name"] == "tiny"
    assert "Also on raw text labelled by tiny: raw.txt" in load(student).card
    before = json.loads((tmp_path / "student.caesura.silver" / "silver.json").read_text("utf-8"))
    assert before["documents"] == 2
    capfd.readouterr()
    # The labels stay: again the same, this time from the folder alone.
    first = student.read_bytes()
    again = [*call, "--silver", f"{student}.silver", "--silver-weight", "1"]
    assert cli.run(again) == 0, capfd.readouterr().err
    assert student.read_bytes() == first


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--text", HARBOUR, "--teacher", "MODEL"], "of harbour.conllu stand in this text"),
        (["--text", "RAW"], "Add --teacher MODEL"),
        (["--teacher", "MODEL"], "Add --text RAW"),
        (["--gold-last", "2"], "--gold-last does not go with a treebank alone"),
        (["--text", "RAW", "--teacher", "MODEL", "--silver-weight", "0"], "must be above 0"),
        (["--text", "RAW", "--teacher", "MODEL", "--not-in", "RAW"], "words of raw.txt stand in"),
        (["--encoder", "FOLDER"], "has no tokenizer.json"),
    ],
    ids=["overlap", "no teacher", "no text", "no silver", "weight", "not in", "encoder"],
)
def test_bad_calls_are_told(
    more: list[str],
    told: str,
    tmp_path: Path,
    raw: Path,
    tiny_model: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    places = {"MODEL": str(tiny_model), "RAW": str(raw), "FOLDER": str(tmp_path)}
    call = ["train", "pipeline", HARBOUR, "--dev", HARBOUR, "-o", str(tmp_path / "m.caesura"), "-q"]
    assert cli.run([*call, *(places.get(word, word) for word in more)]) in (1, 2)
    assert told in capfd.readouterr().err
    assert not (tmp_path / "m.caesura").exists()


def test_an_encoder_of_another_architecture_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    vocabulary = {name: n for n, name in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a"))}
    model = {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": vocabulary}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": model}), encoding="utf-8")
    call = ["train", "pipeline", HARBOUR, "-o", str(tmp_path / "m.caesura"), "-q"]
    assert cli.run([*call, "--encoder", str(tmp_path)]) == 1
    assert "the encoder lacks config.json" in capfd.readouterr().err
    (tmp_path / "config.json").write_text('{"model_type": "t5"}', encoding="utf-8")
    assert cli.run([*call, "--encoder", str(tmp_path)]) == 1
    assert "its kind is t5. Use an encoder of one of these kinds: bert" in capfd.readouterr().err


def test_a_network_learns_from_soft_answers(tmp_path: Path, raw: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.training import NeuralOptions, train_neural

    docs = treebank()
    encoder = save_encoder(tmp_path / "encoder", docs)
    options = NeuralOptions(epochs=1, batch_pieces=1024)
    parts, _ = train_neural(docs, docs, encoder, options)
    teacher = tmp_path / "teacher.caesura"
    save(teacher, parts, meta={"name": "teacher"}, kind="pipeline")
    said = label(lessons(tmp_path, raw, teacher))
    assert said.soft is not None
    assert len(said.soft.start) == said.n_words
    for least, last in ((0.0, 0), (1.0, 1)):
        how = SilverOptions(least=least, last=last)
        student, _ = train_neural(
            docs, docs, encoder, replace(options, epochs=2, silver=how), silver=said
        )
        assert set(student) == {"tokenizer", "neural"}
    how = SilverOptions(last=1)
    with pytest.raises(UsageError, match="leave none of 1 for silver text"):
        train_neural(docs, docs, encoder, replace(options, silver=how), silver=said)
    hard = replace(said, soft=None)
    train_neural(docs, docs, encoder, replace(options, epochs=1), silver=hard)


def test_labels_survive_as_they_are(tmp_path: Path, raw: Path, tiny_model: Path) -> None:
    given = lessons(tmp_path, raw, tiny_model)
    done = label(given)
    formats.write(done.docs, tmp_path / "seen.conllu")
    assert "ArcConf" in (tmp_path / "seen.conllu").read_text(encoding="utf-8")
