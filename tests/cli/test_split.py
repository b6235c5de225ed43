"""`caesura split` by example."""

from __future__ import annotations

import gzip
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

import caesura
from caesura import cli
from tests.pipeline.tiny import EXAMPLES, TEXT

HARBOUR = str(EXAMPLES / "harbour.txt")


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert cli.run(["split", *arguments]) == 0
    return capfd.readouterr().out.splitlines()


def test_one_sentence_a_line(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model))
    assert len(lines) > 1
    assert " ".join(lines) == " ".join(TEXT.split())


def test_offsets(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model), "--offsets")
    sentences = run(capfd, HARBOUR, "-m", str(tiny_model))
    for line, plain in zip(lines, sentences, strict=True):
        start, end, sentence = line.split("\t")
        assert sentence == plain
        assert " ".join(TEXT[int(start) : int(end)].split()) == sentence


def test_json(tiny_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model), "--json")
    sentences = run(capfd, HARBOUR, "-m", str(tiny_model))
    for line, plain in zip(lines, sentences, strict=True):
        said = json.loads(line)
        assert " ".join(said["text"].split()) == plain
        assert said["file"] == HARBOUR
        assert TEXT[said["start"] : said["end"]] == said["text"]


def test_offsets_of_a_long_text_count_from_its_beginning(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = TEXT * 150
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    lines = run(capfd, str(tmp_path / "long.txt"), "-m", str(tiny_model), "--json")
    assert all(text[s["start"] : s["end"]] == s["text"] for s in map(json.loads, lines))
    assert json.loads(lines[-1])["end"] == len(text.rstrip())


def test_a_tokeniser_is_enough(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from caesura.models import load, save

    save(tmp_path / "t.caesura", {"tokenizer": load(tiny_model).parts["tokenizer"]})
    lines = run(capfd, HARBOUR, "-m", str(tmp_path / "t.caesura"))
    assert " ".join(lines) == " ".join(TEXT.split())
    (tmp_path / "list.txt").write_text("mackerel 3.20\ncod 7.80\n", encoding="utf-8")
    call = [str(tmp_path / "list.txt"), "-m", str(tmp_path / "t.caesura")]
    assert run(capfd, *call, "--newline-is-boundary") == ["mackerel 3.20", "cod 7.80"]


def test_a_bad_file_is_told_and_passed_over(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    assert cli.run(["split", str(tmp_path / "bad.txt"), HARBOUR, "-m", str(tiny_model)]) == 1
    out, err = capfd.readouterr()
    assert "byte 0xff is not UTF-8" in err
    assert " ".join(out.split()) == " ".join(TEXT.split())


CHAT = "hey are you there\nyes just got in the boat was late again\nok see you at six\nfine"


@pytest.mark.parametrize("model", ["tiny", "en"])
def test_split_and_parse_give_the_same_sentences(
    model: str, tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from caesura import formats
    from caesura.paths import bundled_models
    from caesura.pipeline import split

    if model == "en" and not (bundled_models() / "en.caesura").exists():
        pytest.skip("the model en is not bundled")
    name = str(tiny_model) if model == "tiny" else model
    for text in (CHAT, TEXT.lower().replace(".", "").replace(",", "")):
        (tmp_path / "chat.txt").write_text(text, encoding="utf-8")
        out = tmp_path / "chat.conllu"
        assert cli.run(["parse", str(tmp_path / "chat.txt"), "-m", name, "-o", str(out)]) == 0
        parsed = [" ".join(s.text.split()) for doc in formats.read(out) for s in doc.sentences]
        capfd.readouterr()
        assert run(capfd, str(tmp_path / "chat.txt"), "-m", name) == parsed
        assert [" ".join(s.split()) for s in split(text, name)] == parsed


def test_the_default_is_that_of_parse() -> None:
    from caesura.cli.parse import command as parse
    from caesura.cli.split import command as split

    defaults = [
        {option.name: option.default for option in command.params if option.name == "model"}
        for command in (parse, split)
    ]
    assert defaults[0] == defaults[1]


def test_into_a_file(tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, HARBOUR, "-m", str(tiny_model))
    for name in ("out.txt", "out.txt.gz"):
        assert run(capfd, HARBOUR, "-m", str(tiny_model), "-o", str(tmp_path / name)) == []
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").splitlines() == lines
    packed = gzip.decompress((tmp_path / "out.txt.gz").read_bytes()).decode()
    assert packed.splitlines() == lines
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.txt", "out.txt.gz"]


@pytest.mark.parametrize(
    ("option", "ending"), [(None, "txt"), ("--offsets", "tsv"), ("--json", "jsonl")]
)
def test_into_a_folder(
    option: str | None,
    ending: str,
    tiny_model: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT, encoding="utf-8")
    (folder / "b.txt").write_text("They left. Did you?", encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"\xff")
    more = [option] if option else []
    call = ["split", str(folder), "-m", str(tiny_model), "-o", f"{tmp_path}/out/", *more]
    assert cli.run(call) == 1
    assert "byte 0xff" in capfd.readouterr().err
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == [f"a.{ending}", f"b.{ending}"]
    for name in "ab":
        lines = run(capfd, str(folder / f"{name}.txt"), "-m", str(tiny_model), *more)
        found = (tmp_path / "out" / f"{name}.{ending}").read_text(encoding="utf-8")
        assert found.splitlines() == lines


def test_an_older_result_stays_when_every_file_fails(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    (tmp_path / "out.txt").write_text("older", encoding="utf-8")
    call = ["split", str(tmp_path / "bad.txt"), "-m", str(tiny_model), "-o"]
    assert cli.run([*call, str(tmp_path / "out.txt")]) == 1
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "older"
    assert "byte 0xff" in capfd.readouterr().err


def test_the_input_is_not_replaced(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    path = str(tmp_path / "a.txt")
    assert cli.run(["split", path, "-m", str(tiny_model), "-o", path]) == 2
    assert "both the input and the output" in capfd.readouterr().err
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == TEXT


# ------------------------------------------------------------- paragraphs, turns, confidence


def test_paragraphs(tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "They left.\nHe stayed.\n\n\nIt rained.\n\nNobody came.\n"
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    call = [str(tmp_path / "a.txt"), "-m", str(tiny_model)]
    flat = run(capfd, *call)
    lines = run(capfd, *call, "--paragraphs")
    assert [line for line in lines if line] == flat
    opened = [after.split()[0] for line, after in pairwise(lines) if not line]
    assert opened == ["It", "Nobody"]
    found = run(capfd, *call, "--paragraphs", "--json")
    numbers = [json.loads(line)["paragraph"] for line in found]
    assert numbers == sorted(numbers)
    assert numbers[-1] == lines.count("") + 1


def test_json_has_speakers_times_and_confidences(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(
        "[00:01 - 00:02] Ann: so they\n[00:03] Bo: yes\n", encoding="utf-8"
    )
    call = [str(tmp_path / "a.txt"), "-m", str(tiny_model), "--json"]
    for more in ([], ["--quick"]):
        first, *_, last = (json.loads(line) for line in run(capfd, *call, *more))
        assert (first["speaker"], first["start_time"], first["end_time"]) == ("Ann", 1, 2)
        assert (last["speaker"], last["start_time"]) == ("Bo", 3)
        assert "end_time" not in last
        assert first["confidence"] == last["confidence"] == 1.0


# ------------------------------------------------------------------------------- the quick way


@pytest.mark.parametrize("model", ["tiny", "en-fast"])
def test_quick_is_the_scorer_alone_but_for_unedited_text(model: str, tiny_model: Path) -> None:
    import caesura
    from caesura.models import load
    from caesura.paths import bundled_models
    from caesura.pipeline import Pipeline, split

    if model == "en-fast" and not (bundled_models() / "en-fast.caesura").exists():
        pytest.skip("the model en-fast is not bundled")
    name = str(tiny_model) if model == "tiny" else model
    file = load(bundled_models() / "en-fast.caesura" if model == "en-fast" else tiny_model)
    file.parts = {"tokenizer": file.parts["tokenizer"]}
    alone = Pipeline(file)
    assert split(TEXT, name, quick=True) == [s.text for s in alone(TEXT).sentences]
    spoken = " ".join(re.findall(r"[^\W_]+", TEXT.lower()))
    assert split(spoken, name, quick=True) == split(spoken, name)
    nlp = caesura.load(name)
    assert split(TEXT, nlp, quick=True) == split(TEXT, name, quick=True)
    quick = nlp.quick()
    doc = quick(TEXT, confidence=True)
    assert doc.has_sentences
    assert not (doc.head >= 0).any()
    drawn = doc.sent_start == 1
    assert (doc.sent_conf[drawn] >= 0.5).all()
    assert (doc.sent_conf[~drawn] < 0.5).all()


def test_quick_obeys_a_bias_and_streams_as_it_reads(tiny_model: Path) -> None:
    import caesura
    from caesura.document import Document

    nlp = caesura.load(tiny_model)
    text = TEXT * 20
    quick = nlp.quick()
    whole = quick(text)
    pieces = list(quick.stream(text[at : at + 700] for at in range(0, len(text), 700)))
    assert Document.join(pieces).sent_start.tolist() == whole.sent_start.tolist()
    more = nlp.with_search(bias=2).quick()(text).n_sentences
    assert more == quick.with_search(bias=2)(text).n_sentences
    assert more > whole.n_sentences


def test_the_quick_way_of_a_network(tmp_path: Path) -> None:
    import caesura
    from caesura.paths import bundled_models

    if not (bundled_models() / "en.caesura").exists():
        pytest.skip("the model en is not bundled")
    doc = caesura.load("en").quick()(TEXT, confidence=True)
    assert doc.has_sentences
    assert not (doc.head >= 0).any()
    assert ((doc.sent_conf > 0.5) == (doc.sent_start == 1)).all()


# ------------------------------------------------------------------------------- bounded delay


@pytest.mark.parametrize("size", [1, 50, 10**6])
def test_sentences_come_within_some_words(tiny_model: Path, size: int) -> None:
    import caesura
    from caesura.pipeline.blocks import stream_within

    nlp = caesura.load(tiny_model)
    text = TEXT * 3
    taken = 0

    def blocks():  # type: ignore[no-untyped-def]
        nonlocal taken
        for at in range(0, len(text), size):
            taken = min(at + size, len(text))
            yield text[at : at + size]

    found, end, late = [], 0, 0
    for piece in stream_within(nlp, blocks(), 20):
        assert piece.continues == bool(found)
        found.append(piece)
        first = piece.sentence_bounds[1]
        behind = end + int(piece.token_end[first - 1])
        late = max(late, len(text[behind:taken].split()))
        end += len(piece.text)
    assert "".join(piece.text for piece in found) == text
    assert len(found) > 5
    assert size > 1 or late <= 21
    again = [piece.text for piece in stream_within(nlp, [text], 20)]
    assert again == [piece.text for piece in found]


def test_a_sentence_without_an_end_is_ended_by_force(tiny_model: Path) -> None:
    import caesura
    from caesura.pipeline.blocks import stream_within

    nlp = caesura.load(tiny_model)
    text = "word " * 3000

    def one(text: str):  # type: ignore[no-untyped-def]
        return nlp(text, no_boundary=range(1, len(text)))

    pieces = list(stream_within(one, [text], 2))
    assert "".join(piece.text for piece in pieces) == text
    assert len(pieces) > 1


def test_an_empty_pipe(tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    assert run(capfd, str(tmp_path / "a.txt"), "-m", str(tiny_model), "--within", "5") == []


def test_chunks_of_a_long_text(
    tiny_model: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """They add up to each text, in pieces too, and none is of two files."""
    texts = {"long.txt": TEXT * 150, "short.txt": TEXT}
    paths = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        paths.append(str(tmp_path / name))
    lines = run(capfd, *paths, "-m", str(tiny_model), "--json", "--max-chars", "50")
    found = [json.loads(line) for line in lines]
    for path, text in zip(paths, texts.values(), strict=True):
        own = [one for one in found if one["file"] == path]
        assert all(text[one["start"] : one["end"]] == one["text"] for one in own)
        assert max(len(one["text"]) for one in own) <= 50
        assert "".join("".join(one["text"].split()) for one in own) == "".join(text.split())


def test_chunks_in_python(tiny_model: Path) -> None:
    found = caesura.split(TEXT, str(tiny_model), max_words=5)
    assert " ".join(" ".join(found).split()) == " ".join(TEXT.split())
    assert len(found) > len(caesura.split(TEXT, str(tiny_model)))
