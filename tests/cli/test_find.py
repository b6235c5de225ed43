"""`caesura find`: what it prints and writes, and how a treebank is mended with it."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.cli import search

TREE = """\
# newdoc id = trip
# sent_id = t1
# text = Ada sees the boats
1\tAda\tAda\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_
2\tsees\tsee\tVERB\tVBZ\tMood=Ind\t0\troot\t_\tGloss=voit
3\tthe\tthe\tDET\tDT\t_\t4\tdet\t_\t_
4\tboats\tboat\tNOUN\tNNS\tNumber=Plur\t2\tobj\t_\t_

# newpar
# sent_id = t2
# text = They don't wait.
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\twait\twait\tVERB\tVB\t_\t0\troot\t4:root\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

"""


@pytest.fixture
def trip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "trip.conllu"
    path.write_text(TREE, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert cli.run(["find", *arguments]) == status
    return capsys.readouterr().out


def test_the_match_is_marked_in_its_sentence(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["find", "[upos=VERB]=v >nsubj s[]", str(trip)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ("t1: [s=Ada] [v=sees] the boats\n" + "t2: [s=They] don't [v=wait].\n")
    assert captured.err == "2 matches in 2 of 2 sentences.\n"
    assert run(capsys, "[lemma=not]", "trip.conllu") == "t2: They [don't] wait.\n"


def test_several_files_are_named(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("more").mkdir()
    plain = "1\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    Path("more/go.conllu").write_text(plain * 2, encoding="utf-8")
    Path("more/note.txt").write_text("Nothing to search.", encoding="utf-8")
    assert cli.run(["find", "[upos=VERB]", "trip.conllu", "more"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        "trip.conllu: t1: Ada [sees] the boats",
        "trip.conllu: t2: They don't [wait].",
        "more/go.conllu: 1: [go]",
        "more/go.conllu: 2: [go]",
    ]
    assert "more/note.txt: warning: there are no words to search" in captured.err


def test_colours_and_hostile_text(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "x[upos=NOUN]", "trip.conllu", "--color")
    assert out == "t1: Ada sees the \x1b[2mx=\x1b[0m\x1b[1;31mboats\x1b[0m\n"
    trip.write_text(TREE.replace("boats", "bo\x1b]ats"), encoding="utf-8")
    assert "\x1b" not in run(capsys, "[upos=NOUN]", "trip.conllu")


def test_matches_in_misc(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "v[upos=VERB] > []", "trip.conllu", "--to", "conllu", "--limit", "2")
    expected = (
        TREE.split("# newpar")[0]
        .replace("nsubj\t_\t_", "nsubj\t_\tMatch=1")
        .replace("Gloss=voit", "Gloss=voit|Match=1:v,2:v")
        .replace("obj\t_\t_", "obj\t_\tMatch=2")
    )
    assert out == expected


def test_all_sentences_and_only_those_with_matches(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = run(capsys, "[lemma=they]", "trip.conllu", "--to", "conllu", "--all")
    assert everything == TREE.replace("nsubj\t_\t_\n2-3", "nsubj\t_\tMatch=1\n2-3")
    some = run(capsys, "[lemma=they]", "trip.conllu", "--to", "conllu")
    assert some.startswith("# newdoc id = trip\n# newpar\n# sent_id = t2\n")
    assert "t1" not in some
    (Path("old.conllu")).write_text(everything, encoding="utf-8")
    again = run(capsys, "[lemma=wait]", "old.conllu", "--to", "conllu", "--all")
    assert again.count("Match=") == 1, "marks of an older search are taken out"


def test_json_lines(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "v[upos=VERB] >nsubj []", "trip.conllu", "-o", "found.jsonl")
    assert out == ""
    rows = [json.loads(line) for line in Path("found.jsonl").read_text().splitlines()]
    assert [row["match"] for row in rows] == [1, 2]
    assert rows[1]["file"] == "trip.conllu"
    assert rows[1]["sent_id"] == "t2"
    assert [word["id"] for word in rows[1]["words"]] == [1, 4]
    assert rows[1]["nodes"] == {"v": 7}


def test_a_long_document_is_searched_in_pieces(
    trip: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers in JSON are those in the whole document, whatever the pieces."""
    long = TREE.replace("# newdoc id = trip\n", "") * 5
    trip.write_text(f"# newdoc id = long\n{long}# newdoc id = other\n{long}", encoding="utf-8")
    call = ["v[upos=VERB] >nsubj []", "trip.conllu"]
    whole = run(capsys, *call, "--to", "jsonl"), run(capsys, *call, "--to", "conllu", "--all")
    lines = run(capsys, *call)
    monkeypatch.setattr(search, "PIECES", 7)
    assert run(capsys, *call, "--to", "jsonl") == whole[0]
    assert run(capsys, *call, "--to", "conllu", "--all") == whole[1]
    assert run(capsys, *call) == lines
    last = json.loads(whole[0].splitlines()[-1])
    assert (last["document"], last["sentence"], last["nodes"]["v"]) == ("other", 9, 43)


def test_counts(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "v[upos=VERB] > c[]", "trip.conllu", "--count", "lemma, c.deprel")
    assert out.splitlines()[:2] == ["count     %  lemma  c.deprel", "    1  16.7  see    nsubj"]
    out = run(capsys, "[] > []", "trip.conllu", "--count", "feats.Mood", "--to", "jsonl")
    assert [json.loads(line) for line in out.splitlines()] == [
        {"count": 5, "feats.Mood": ""},
        {"count": 2, "feats.Mood": "Ind"},
    ]


def test_pictures(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "x[upos=VERB] >obj []", "trip.conllu", "-o", "a.svg")
    picture = Path("a.svg").read_text(encoding="utf-8")
    assert picture.count('class="hit"') == 2
    assert "sees · VERB · root · found as x" in picture
    assert 'class="arc found"' in picture
    run(capsys, "x[form=Ada] < <b>", "trip.conllu", "-o", "a.html", status=2)
    assert not Path("a.html").exists()
    run(capsys, '[form!="<b>", upos=VERB]', "trip.conllu", "-o", "a.html")
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<b>" not in page
    assert page.count("<article>") == 2


def test_too_many_pictures(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trip.write_text(TREE * 101, encoding="utf-8")
    assert cli.run(["find", "[upos=VERB]", "trip.conllu", "--to", "svg"]) == 2
    assert "more than 200 trees" in capsys.readouterr().err


def test_a_folder_of_results(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.conllu").write_text(TREE, encoding="utf-8")
    run(capsys, "[upos=NOUN]", "trip.conllu", "b.conllu", "-o", "out/", "--to", "jsonl")
    assert sorted(path.name for path in Path("out").iterdir()) == ["b.jsonl", "trip.jsonl"]
    second = json.loads(Path("out/b.jsonl").read_text())
    assert second["match"] == 2


# ----------------------------------------------------------------- rewriting


def test_a_dry_run_says_what_would_change(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["find", "v[] >obj o[]", "trip.conllu", "--set", "o.deprel=iobj", "--set", "v.misc.Tr=Y"]
    assert cli.run(call) == 0
    captured = capsys.readouterr()
    assert captured.out == "t1: 4 boats: deprel obj → iobj\nt1: 2 sees: misc.Tr _ → Y\n"
    assert "2 words would change (1 deprel, 1 misc.Tr). Add -o FILE or --write" in captured.err
    assert trip.read_text(encoding="utf-8") == TREE
    assert cli.run([*call, "--to", "jsonl"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (first["id"], first["attribute"], first["new"]) == (4, "deprel", "iobj")


def test_files_are_mended_and_all_else_stays(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["find", "v[] >obj o[]", "trip.conllu", "--set", "o.deprel=iobj"]
    call += ["--set", "o.feats.Case=Acc", "--set", "v.misc.Gloss=", "--set", "v.lemma=o.form"]
    wanted = (
        TREE.replace("obj\t", "iobj\t")
        .replace("Number=Plur", "Case=Acc|Number=Plur")
        .replace("Gloss=voit", "_")
        .replace("\tsee\t", "\tboats\t")
    )
    assert cli.run([*call, "-o", "new.conllu"]) == 0
    assert Path("new.conllu").read_text(encoding="utf-8") == wanted
    assert trip.read_text(encoding="utf-8") == TREE
    assert cli.run([*call, "--write"]) == 0
    assert trip.read_text(encoding="utf-8") == wanted
    assert "changed (1 deprel, 1 feats.Case" in capsys.readouterr().err


def test_a_file_in_which_nothing_changes_is_not_touched(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crlf = TREE.replace("\n", "\r\n").encode()
    trip.write_bytes(crlf)
    run(capsys, "[upos=ADJ]", "trip.conllu", "--set", "upos=X", "--write")
    assert trip.read_bytes() == crlf


def test_compressed_files_are_mended(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open("trip.conllu.gz", "wt", encoding="utf-8") as stream:
        stream.write(TREE)
    run(capsys, "[upos=NOUN]", "trip.conllu.gz", "--set", "xpos=N", "--write")
    with gzip.open("trip.conllu.gz", "rt", encoding="utf-8") as stream:
        assert stream.read() == TREE.replace("NNS", "N")


def test_heads_change_and_cycles_are_refused(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["find", "v[] > x[upos=NOUN|PRON]", "trip.conllu", "--set", "v.head=x"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "0 words would change. 2 matches refused: it would make a cycle." in captured.err
    swap = ["--set", "x.head=0", "--set", "v.head=x"]
    out = run(capsys, "v[head=0] >nsubj x[]", "trip.conllu", *swap)
    assert "t1: 1 Ada: head 2 → 0\nt1: 2 sees: head 0 → 1\n" in out
    assert cli.run(["find", "v[] >det x[]", "trip.conllu", "--set", "x.head=0"]) == 0
    assert "with 2 roots" in capsys.readouterr().err
    out = run(capsys, "n[] <obj (v[] >nsubj s[])", "trip.conllu", "--set", "n.head=s")
    assert out == "t1: 4 boats: head 2 → 1\n"


def test_contradictions_are_refused(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["find", "v[id=4] > x[]", "trip.conllu", "--set", "v.lemma=x.lemma"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "t2: 4 wait: lemma wait → they\n" or captured.out.count("\n") == 2
    assert "3 matches refused: it contradicts another match or setting." in captured.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x.deprel=a b", "holds a blank"),
        ("x.misc.Gloss=a|b", "holds a bar"),
        ("x.feats.A=b=c", "holds ="),
        ("x.lemma=a\tb", "holds a tab"),
        ("x.lemma=a\x1bb", "control character"),
        ("x.head=x", "its own head"),
        ("x.head=z", "not 'z'"),
        ("x.colour=red", "no attribute 'colour'"),
        ("y.lemma=a", "'y.lemma' is no attribute"),
        ("x.id=1", "id cannot be set"),
    ],
)
def test_settings_that_cannot_be(
    trip: Path, capsys: pytest.CaptureFixture[str], given: str, said: str
) -> None:
    assert cli.run(["find", "x[]", "trip.conllu", "--set", given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.rstrip().endswith("^")


# -------------------------------------------------------------- what goes wrong


def test_a_wrong_pattern_ends_with_a_caret(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["find", "[upos=NOUN", "trip.conllu"]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == ["  [upos=NOUN", "            ^"]


def test_text_without_words_is_refused(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.txt").write_text("Not parsed yet.", encoding="utf-8")
    assert cli.run(["find", "[]", "a.txt"]) == 1
    assert "Parse it first: caesura parse." in capsys.readouterr().err


def test_a_broken_file_leaves_the_older_result(
    trip: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.conllu").write_text(TREE + "1\tx\n\n", encoding="utf-8")
    Path("found.txt").write_text("older", encoding="utf-8")
    assert cli.run(["find", "[]", "trip.conllu", "bad.conllu", "-o", "found.txt"]) == 1
    assert Path("found.txt").read_text(encoding="utf-8") == "older"
    assert cli.run(["find", "[]", "bad.conllu", "--set", "xpos=X", "--write"]) == 1
    assert Path("bad.conllu").read_text(encoding="utf-8") == TREE + "1\tx\n\n"


def test_a_cut_sentence_is_told(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["find", "[] .. []", "trip.conllu", "--steps", "3"]) == 0
    said = "trip.conllu: warning: sentence has more matches, or takes more steps, than allowed"
    assert said in capsys.readouterr().err
    assert cli.run(["find", "[] .. []", "trip.conllu", "--steps", "3", "--strict"]) == 1


def test_the_standard_input_is_conllu(
    trip: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stdin(io.StringIO):
        buffer = io.BytesIO(TREE.encode())

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert run(capsys, "[upos=NOUN]") == "t1: Ada sees the [boats]\n"
    assert cli.run(["find", "[]", "-", "--set", "upos=X", "--write"]) == 2


@pytest.mark.parametrize("name", ["jsonl", "spacy", "conllx"])
def test_every_format_with_trees_is_searched(
    trip: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    if name == "spacy":
        pytest.importorskip("spacy")
    path = f"trip{formats.FORMATS[name].extensions[0]}"
    formats.write(formats.read(trip), path)
    out = run(capsys, "v[upos=VERB] >nsubj s[]", path, "--from", name)
    assert "[s=They]" in out
    assert out.count("\n") == 2


def test_speaker_and_times(trip: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = "1\tx\t_\tNOUN\t_\t_\t0\troot\t_\tNewTurn=Yes|Speaker={}\n\n"
    more = ("Ann|StartTime=1|EndTime=2.5", "Ben", "_|StartTime=3")
    Path("talk.conllu").write_text("".join(map(row.format, more)), encoding="utf-8")
    out = run(capsys, "[]", "talk.conllu")
    assert out.splitlines()[:2] == ["1 (Ann, 1-2.5 s): [x]", "2 (Ben): [x]"]
    lines = run(capsys, "[]", "talk.conllu", "--to", "jsonl").splitlines()
    first, second = map(json.loads, lines[:2])
    assert [first[name] for name in ("speaker", "start_time", "end_time")] == ["Ann", 1, 2.5]
    assert second["speaker"] == "Ben"
    assert "start_time" not in second
    assert "speaker" not in json.loads(
        run(capsys, "[]", "trip.conllu", "--to", "jsonl").split("\n")[0]
    )
