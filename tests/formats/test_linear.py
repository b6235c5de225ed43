"""Twice the input costs twice the CPU, whatever is in it: every reader on every fragment.

Costs are CPU times of this process, and the bound is far from both what is linear and what is
quadratic (four times the input: 4 and 16), so that a busy machine changes nothing;
`benchmarks/hardening/linear.py` measures the law itself, on more and larger inputs.
"""

from __future__ import annotations

import io

import pytest
from benchmarks.hardening.linear import READERS, Case, growth, plain

from caesura.errors import CaesuraError
from caesura.formats import ReadOptions, read_stream

#: What is below this is too short to be compared.
FLOOR = 0.02


def is_linear(case: Case, size: int) -> bool:
    once, four = growth(case, size, factor=4)
    if four < FLOOR or four < 8 * once:
        return True
    once, four = growth(case, 2 * size, factor=4, tries=3)
    return four < 8 * once


@pytest.mark.parametrize("reader", READERS)
def test_every_fragment(reader: str) -> None:
    broken = [str(case) for case in plain(reader) if not is_linear(case, 2000)]
    assert not broken


#: What was found by an attack, and what was found later in the same way: each took seconds a page.
ATTACKS = {
    "newdoc": Case("conllu", {}, "a ", "# newdoc id = ", "\x0b\n1" + "\t_" * 9 + "\n\n"),
    "newdoc of blanks": Case("conllu", {}, " ", "# newdoc id = ", "x\n1" + "\t_" * 9 + "\n\n"),
    "sent_id of blanks": Case("conllu", {"skip_bad": True}, " ", "# sent_id = ", "\nx\n\n"),
    "brackets on one line": Case("brackets", {}, "(A (B c)) "),
    "turns": Case("transcript", {"mode": "speaker", "skip_bad": True}, "1:1", "["),
    "tags of a cue": Case("transcript", {"mode": "vtt"}, "<a", "1:1 --> 1:1\n", "\n"),
    "voices of a cue": Case("transcript", {"mode": "vtt"}, "<v a><i>b</i>", "1:1 --> 1:1\n", "\n"),
    "open tags": Case("html", {}, "<a "),
    "open attributes": Case("html", {}, "<a b='"),
    "open comments": Case("html", {}, "<!--"),
    "misnested": Case("html", {}, "<i>a<b>"),
    "closed and never opened": Case("html", {}, "</i>", "<b>" * 3000),
    "carriage returns": Case("conllu", {"skip_bad": True}, "\r", "", "x\r\n"),
    "turns of documents": Case(
        "conllu", {}, "# newdoc\n1\ta" + "\t_" * 7 + "\tNewTurn=Yes|Speaker=a\n\n"
    ),
    "comments without sentences": Case("conllu", {"skip_bad": True}, "# a\n\n", "", "1"),
    "the same, slowly": Case("conllu", {}, "# a\n\n", step=61),
    "spans of blanks": Case("spans", {"skip_bad": True}, " ", "1 2", "x"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks(name: str) -> None:
    assert is_linear(ATTACKS[name], 20_000)


@pytest.mark.parametrize(
    "source", ["<p>one <![foo[ two ]> three", "one<![", "<!", "</", "<", "a<b", "<a b='", "<a/"]
)
def test_marks_of_html_that_nobody_knows(source: str) -> None:
    assert len(list(read_stream(io.BytesIO(source.encode()), "html", ReadOptions()))) == 1


MANY = "9" * 5000
ROW = "\ta" + "\t_" * 8 + "\n"


@pytest.mark.parametrize("reader", [name for name in READERS if name != "spans"])
def test_numbers_with_more_digits_than_python_reads(reader: str) -> None:
    """`int` refuses more than 4,300 digits with an error of its own."""
    sources = (
        f"{MANY}{ROW}\n",
        f"1{ROW}1.{MANY}{ROW}\n",
        f"1-{MANY}{ROW}1{ROW}\n",
        f"{MANY}-2{ROW}1{ROW}\n",
        f"1\ta\t_\t_\t_\t_\t{MANY}\t_\t_\t_\n\n",
        f"1\ta\t_\t_\t_\t_\t_\t_\t_\tTokenRange={MANY}:{MANY}\n\n",
        f"[{MANY}:1:1]A: b\n",
        f"A.{MANY}: b\n",
        f"{MANY}:1:1 --> 1:1\na\n",
        f"&#{MANY}; &#x{MANY}",
        f"{MANY}. a\n",
        f'{{"text":"a","token_start":[{MANY}]}}\n',
        f"({MANY} {MANY})",
    )
    for source in sources:
        for mode in READERS[reader]:
            options = ReadOptions(**{**mode, "token_range": True})
            told = ""
            try:
                list(read_stream(io.BytesIO(source.encode()), reader, options))
            except CaesuraError as error:
                told = str(error)
            assert len(told) < 1000, source[:60]


def test_an_error_is_one_short_line_whatever_it_quotes() -> None:
    told = str(
        CaesuraError("\x1b[2J" + "x" * 100_000, file="a\nb", sent_id="\u202e" + "y" * 10_000)
    )
    assert told.isprintable()
    assert len(told) < 2000
