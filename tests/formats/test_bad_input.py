"""One fixture a mistake: what is fatal says where and what; what is odd is told and kept."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from caesura import formats
from caesura.errors import CaesuraError, FormatError, InputError, UsageError
from caesura.formats import Skipped

CASES = Path(__file__).parent.parent / "cases"

#: Fixture, line, column, and the beginning of what the error says.
FATAL = [
    ("bad-brackets/empty-node.mrg", 2, 10, "the node 'NP' has neither word nor child"),
    ("bad-brackets/never-closed.mrg", 2, None, "2 brackets of the tree that starts here never clo"),
    ("bad-brackets/never-opened.mrg", 2, 1, "a bracket closes that never opened"),
    ("bad-brackets/no-words.mrg", 2, None, "the tree has no words"),
    ("bad-brackets/outside.mrg", 2, 1, "'stray' stands outside of all brackets"),
    ("bad-brackets/word-without-tag.mrg", 2, 16, "a bracket opens after a word"),
    (
        "bad-conllu/blanks-on-a-blank-line.conllu",
        11,
        None,
        "the line has only blanks, where a blan",
    ),
    ("bad-conllu/comment-among-words.conllu", 9, None, "a comment stands between the words of a s"),
    ("bad-conllu/duplicate-id.conllu", 9, None, "ID is 1 but 2 was expected: it is repeated or ou"),
    ("bad-conllu/eleven-columns.conllu", 9, None, "the line has 11 columns, not 10"),
    ("bad-conllu/empty-form.conllu", 9, 3, "FORM is empty (an unknown value is written _)"),
    ("bad-conllu/empty-node-misnumbered.conllu", 9, None, "ID is '1.2' but an empty node here mus"),
    ("bad-conllu/empty-node-with-head.conllu", 9, 15, "HEAD of an empty node is '2', not _"),
    ("bad-conllu/empty-upos.conllu", 9, 13, "UPOS is empty (an unknown value is written _)"),
    ("bad-conllu/head-leading-zero.conllu", 8, 23, "HEAD is '02', which is no number"),
    ("bad-conllu/head-negative.conllu", 8, 23, "HEAD is '-1', which is no number"),
    ("bad-conllu/head-not-a-number.conllu", 8, 23, "HEAD is 'two', which is no number"),
    ("bad-conllu/head-out-of-range.conllu", 8, 23, "HEAD is 4 but the sentence has 3 words"),
    ("bad-conllu/id-not-a-number.conllu", 9, None, "ID is 'b', which is no number"),
    ("bad-conllu/inverted-range.conllu", 8, None, "the range 2-1 must rise"),
    ("bad-conllu/latin-1.conllu", 8, 6, "byte 0xe9 is not UTF-8"),
    ("bad-conllu/nine-columns.conllu", 9, None, "the line has 9 columns, not 10"),
    (
        "bad-conllu/not-gzip.conllu.gz",
        None,
        None,
        "the compressed file is damaged (Not a gzipped f",
    ),
    ("bad-conllu/nul.conllu", 8, 5, "there is a NUL character"),
    ("bad-conllu/only-an-empty-node.conllu", 7, None, "the sentence has no words"),
    (
        "bad-conllu/overlapping-ranges.conllu",
        10,
        None,
        "the range 2-3 overlaps the one that ends a",
    ),
    ("bad-conllu/range-misplaced.conllu", 9, None, "the range 1-2 must stand before word 1"),
    ("bad-conllu/range-past-the-end.conllu", 10, None, "the range 3-4 ends after the last word, 3"),
    ("bad-conllu/skipped-id.conllu", 10, None, "ID is 4 but 3 was expected: it skips ids"),
    ("bad-conllu/spaces-for-tabs.conllu", 9, None, "columns are separated by spaces, not by tabs"),
    ("bad-conllu/truncated.conllu.gz", None, None, "the compressed file ends too early"),
    ("bad-conllx/empty-phead.conll", 8, 31, "PHEAD is empty (an unknown value is written _)"),
    ("bad-conllx/head-out-of-range.conll", 8, 23, "HEAD is 9 but the sentence has 3 words"),
    ("bad-conllx/range-in-conllx.conll", 8, None, "ID is '1-2', which is no number"),
    ("bad-jsonl/columns-differ.jsonl", 2, None, "column upos has 2 rows, not 1"),
    ("bad-jsonl/head-outside.jsonl", 2, None, "a head is no word of the document"),
    ("bad-jsonl/no-text.jsonl", 2, None, "this is no document: Object missing required field"),
    ("bad-jsonl/not-json.jsonl", 2, None, "this is no document: Input data was truncated"),
    ("bad-jsonl/span-outside.jsonl", 2, None, "token spans overlap, are out of order or leave the"),
    ("bad-jsonl/unknown-field.jsonl", 2, None, "this is no document: Object contains unknown fiel"),
    ("bad-jsonl/wrong-type.jsonl", 2, None, "this is no document: Expected `int`, got `str` in"),
    ("bad-spans/not-a-span.spans", 2, None, "'six ten token' is not `start end label`"),
    ("bad-spans/span-outside.spans", 2, None, "the span 6 99 leaves the text (11)"),
    ("bad-tokens/two-tokens-on-a-line.vert", 2, None, "the line 'sing\\talways' is not one token"),
    ("bad-transcript/broken-timestamp.srt", 6, None, "the time '00:00:0x,000' is not of the form"),
    ("bad-transcript/broken-timestamp.vtt", 3, None, "the time 'soon' is not of the form hours:mi"),
    ("bad-transcript/ends-before-it-begins.srt", 6, None, "the cue ends at 00:00:04,000, before i"),
    ("bad-transcript/minutes-over-59.srt", 6, None, "the time '00:61:00,000' is not of the form h"),
    ("bad-transcript/no-speaker.transcript", 1, None, "the transcript starts with 'Birds sing.',"),
    ("bad-transcript/no-times.srt", 5, None, "a cue starts with '2' and has no line of times (be"),
]
#: Damage to the whole file, from which no sentence can be saved.
WHOLE = ("latin-1", "nul", "truncated", "not-gzip", "two-tokens-on-a-line")
#: Fixture, the line of the warning, and the beginning of what it says.
ODD = [
    ("byte-order-mark", 1, "starts with a byte order mark"),
    ("crlf", 1, "lines end in CRLF"),
    ("cycle", 2, "heads form a cycle"),
    ("no-final-blank-line", 5, "there is no blank line"),
    ("no-final-newline", 5, "there is no blank line"),
    ("own-head", 2, "word 1 is its own head"),
    ("several-roots", 2, "the sentence has 2 roots"),
    ("text-differs", 2, "# text is not what the tokens give"),
    ("text-differs-in-space", 2, "# text is not what the tokens give"),
]


def test_every_fixture_is_tested():
    bad = {f"{path.parent.name}/{path.name}" for path in CASES.glob("bad-*/*")}
    assert {name for name in bad if not name.endswith(".txt")} == {case[0] for case in FATAL}
    assert {path.stem for path in CASES.glob("odd-conllu/*")} == {case[0] for case in ODD}


@pytest.mark.parametrize(("name", "line", "column", "what"), FATAL, ids=[case[0] for case in FATAL])
def test_fatal(name, line, column, what):
    path = CASES / name
    with pytest.raises(FormatError) as caught:
        list(formats.read(path))
    error = caught.value
    assert (error.where.file, error.where.line, error.where.column) == (str(path), line, column)
    assert error.what.startswith(what)
    assert error.remedy
    assert error.exit_status == 1
    assert "\n" not in str(error)


@pytest.mark.parametrize("name", [case[0] for case in FATAL if not case[0].count("/latin")])
def test_skip_bad_leaves_the_sentence_out_and_tells(name):
    if Path(name).name.split(".")[0] in WHOLE:
        with pytest.raises(FormatError):
            list(formats.read(CASES / name, skip_bad=True))
        return
    told = []
    docs = list(formats.read(CASES / name, skip_bad=True, warn=told.append))
    assert sum(isinstance(warning, Skipped) for warning in told) == 1
    if name.startswith("bad-conllu/"):
        assert [s.id for s in docs[0].sentences] == ["good", "last"]


@pytest.mark.parametrize(("name", "line", "what"), ODD, ids=[case[0] for case in ODD])
def test_odd_is_a_warning_and_strict_makes_it_fatal(name, line, what):
    path = CASES / "odd-conllu" / f"{name}.conllu"
    told = []
    (doc,) = formats.read(path, warn=told.append)
    assert [(warning.where.line, warning.where.file) for warning in told] == [(line, str(path))]
    assert told[0].what.startswith(what)
    assert doc.column("form")[:2] == ["Birds", "sing"]
    with pytest.raises(FormatError) as caught:
        list(formats.read(path, strict=True))
    assert caught.value.where.line == line


def test_a_document_whose_first_sentence_is_left_out_still_starts(tmp_path):
    word = "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    bad = "# newdoc id = two\n# sent_id = x\n1\ta\n\n"
    path = tmp_path / "a.conllu"
    path.write_text("# newdoc id = one\n" + word + bad + word + "# newdoc id = three\n" + word)
    docs = list(formats.read(path, skip_bad=True))
    assert [doc.id for doc in docs] == ["one", "two", "three"]


def test_the_line_is_right_far_into_a_file(tmp_path):
    sentence = "# a comment\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    path = tmp_path / "long.conllu"
    path.write_text(sentence * 30_000 + "1\ta\t_\t_\t_\t_\t7\t_\t_\t_\n\n" + sentence)
    with pytest.raises(FormatError, match=r"long\.conllu:90001:13: HEAD is 7 but"):
        list(formats.read(path))


def test_latin_1_is_read_when_it_is_named():
    docs = list(formats.read(CASES / "bad-conllu" / "latin-1.conllu", encoding="latin-1"))
    assert docs[0].words[3].form == "café"


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (".", "is a directory, not a file"),
        ("nothing.conllu", r"nothing\.conllu: there is no such file"),
        ("a.xyz", "the extension tells no format"),
    ],
)
def test_what_cannot_be_read(tmp_path, path, what):
    with pytest.raises(InputError, match=what) as caught:
        list(formats.read(tmp_path / path, "conllu" if path == "." else None))
    assert caught.value.exit_status == 1


@pytest.mark.parametrize(
    ("path", "what"),
    [(".", "is a directory, not a file"), ("no/a.conllu", "its directory does not exist")],
)
def test_what_cannot_be_written(tmp_path, path, what):
    with pytest.raises(InputError, match=what) as caught:
        formats.write([], tmp_path / path, "conllu")
    assert caught.value.exit_status == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who may not")
def test_a_directory_that_may_not_be_written(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        formats.write([], tmp_path / "a.conllu")


def test_an_unknown_format(tmp_path):
    with pytest.raises(UsageError, match="there is no format 'xyz'"):
        formats.read(tmp_path / "a.conllu", "xyz")
    with pytest.raises(UsageError, match="can be written, not read"):
        formats.read(tmp_path / "a.ann")


def test_damaged_xz_and_zst(tmp_path):
    for extension in (".xz", ".zst"):
        if extension == ".zst":
            pytest.importorskip("zstandard")
        path = tmp_path / f"a.conllu{extension}"
        path.write_bytes(b"no such thing")
        with pytest.raises(FormatError, match="damaged"):
            list(formats.read(path))


def test_truncated_gzip_gives_what_came_before_to_a_stream(tmp_path):
    sentence = "# newdoc\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n"
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(sentence.encode() * 50_000)[:-100])
    stream = formats.read(path)
    assert next(stream).n_words == 1
    with pytest.raises(CaesuraError, match="ends too early"):
        list(stream)
