"""Markdown by example, and against a renderer whose page is read as HTML."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from caesura import cli, formats
from caesura.document import Document
from caesura.errors import UsageError
from tests.formats import streams

ROOT = Path(__file__).parents[2]


def read(source: str) -> Document:
    (doc,) = streams.read("markdown", source)
    return doc


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("# Boats #\n\nThey *do*\nfloat.", "Boats\n\nThey do float."),
        ("Boats\n=====\nSome\n---\nfloat", "Boats\n\nSome\n\nfloat"),
        ("a **b _c_** `d*e` ~~f~~", "a b c d*e f"),
        ("snake_case_name 2*3*4 \\*no\\*", "snake_case_name 234 *no*"),
        ("[a *b*](/u \"t\") ![gone](p.png) <https://x.y>", "a b https://x.y"),
        ("[the log][1], [log], [none].\n\n[1]: /u 'T'\n[log]: <v>", "the log, log, [none]."),
        ("- one\n- two\n  more\n\n  - deep\n1. three", "one\n\ntwo more\n\ndeep\n\nthree"),
        ("- [ ] buy rope\n- [x] buy tar", "buy rope\n\nbuy tar"),
        ("> quoted\nlazily\n> > twice", "quoted lazily\n\ntwice"),
        ("```python\nx  =  1\n\ny\n```\nend", "x  =  1\n\ny\n\nend"),
        ("text\n\n    code  here\n", "text\n\ncode  here"),
        ("| fish | price |\n|:--|--:|\n| cod | 7 \\| 8 |", "fish\n\nprice\n\ncod\n\n7 | 8"),
        ("a<br>b <b>c</b> <!-- d --> &amp; &eacute;", "a\nb c & é"),
        ("<div>\nin *HTML*\n</div>\n\n*out*", "in *HTML*\n\nout"),
        ("<script>\nx\n\ny\n</script>\nseen", "seen"),
        ("one  \ntwo\\\nthree", "one\ntwo\nthree"),
        ("---\ntitle: Log\n---\nThe log.", "The log."),
        ("---\n\nA rule, no front matter.\n\n---", "A rule, no front matter."),
        ("A note[^1].\n\n[^1]: It is\n    long.", "A note.\n\nIt is long."),
        ("***\na\n***\nb", "a\n\nb"),
        ("", ""),
        ("1986\\. A year\n\nIn\n1986. no list", "1986. A year\n\nIn 1986. no list"),
        ("\\", "\\"),
    ],
)  # fmt: skip
def test_text_without_mark_up(source: str, text: str) -> None:
    assert read(source).text == text


def test_blocks_are_paragraphs_and_inline_elements_are_spans() -> None:
    doc = read("# A *b* c\n\nd [e](f) `g`\n\n- h\n\n~~~\ni\n~~~\n")
    starts = doc.paragraph_start.tolist()
    assert [doc.text[at:].split("\n")[0] for at in starts] == ["A b c", "d e g", "h", "i"]
    assert streams.marked(doc) == [("b", "em"), ("e", "a"), ("g", "code"), ("i", "code")]


PARTS = (
    "a", "word", "*", "**", "_", "__", "~~", "`", "``", "[", "]", "(", ")", "!", "<b>", "</b>",
    "<!-- c -->", "&amp;", "&", "\\*", "\n", "\n\n", "# ", "> ", "- ", "1. ", "2) ", "  ", "---",
    "===", "\n| a | b |\n|---|---|\n", "[x]", "<http://a.b>", "\n<div>\n", "\u00e9", ".", "=", "-",
    "\n- ", "\n> ", "\n\n    ", "\n```\nx\n```\n", "  \n", " (y) ", "[p](q)",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(300))
def test_like_a_renderer(seed: int) -> None:
    parser = pytest.importorskip("markdown_it")
    renderer = parser.MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    chance = random.Random(seed)
    source = "[x]: /u\n\n" + "".join(chance.choice(PARTS) for _ in range(chance.randint(1, 20)))
    if "~~~" in source:  # three of them are taken for two by this renderer
        source = source.replace("~", "-")
    page = renderer.render(source).replace("<s>", "<del>").replace("</s>", "</del>")
    assert [read(source)] == streams.read("html", page), source


def test_our_own_pages_like_a_renderer() -> None:
    parser = pytest.importorskip("markdown_it")
    renderer = parser.MarkdownIt("commonmark", {"html": True}).enable(["table"])
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    assert len(pages) > 3
    for path in pages:
        page = renderer.render(path.read_text(encoding="utf-8"))
        (wanted,) = streams.read("html", page)
        assert next(formats.read(path)) == wanted, path


@pytest.mark.parametrize("hostile", ["- ", "> ", "[a](", "*a", "a<!--", "[", "``a `", "1. "])
def test_hostile_pages_end(hostile: str) -> None:
    """Each of these takes a naive reader hours, or more stack than there is."""
    assert read(hostile * 4000 + "x").text.endswith("x")


def test_it_is_read_and_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.md"
    path.write_text("# Log\n\nNobody *asks*.\n")
    assert formats.format_of("a/README.markdown.gz") == "markdown"
    assert "markdown" in formats.readable()
    assert "markdown" not in formats.writable()
    with pytest.raises(UsageError, match="can be read, not written"):
        formats.write(formats.read(path), tmp_path / "new.md")
    assert cli.run(["convert", str(path), "-o", str(tmp_path / "log.txt")]) == 0
    assert (tmp_path / "log.txt").read_text() == "Log\n\nNobody asks."
    assert cli.run(["tokenize", "--rules", str(path), "-o", str(tmp_path / "new.md")]) == 2
    assert "cannot hold tokens. Formats that can: conllu" in capsys.readouterr().err
