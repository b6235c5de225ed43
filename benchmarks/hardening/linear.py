"""How the cost of reading grows: every reader, every kind of fragment that can be repeated.

    python -m benchmarks.hardening.linear
    python -m benchmarks.hardening.linear html markdown --size 100000 --mixed 2000
    python -m benchmarks.hardening.linear --write

A fragment is repeated up to a size and to twice that size, and both are read. Twice the input must
cost at most 2.3 times the CPU time, however the bytes arrive (whole, or a few at a time); errors
count as reading. Besides every fragment alone, random pairs and nested fragments are tried. A step
(a text that no longer fits into one block, an array that no longer fits into the cache) is not
growth: a case that seems to break the law is measured for two more doublings, of which the least
counts. Broken cases are shown, and the exit status is 1.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import random
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.common import RESULTS, cpu, keep_json, options

from caesura.errors import CaesuraError, CaesuraWarning
from caesura.formats import read_stream
from caesura.formats.io import HEAD
from caesura.formats.options import ReadOptions
from caesura.formats.standoff import read_spans

#: Seconds that can be compared; a quicker case is tried with more characters, up to so many.
_FLOOR: Final = 0.005
_LARGEST: Final = 1_500_000
#: How much more twice the input may cost.
LAW: Final = 2.3


def _ignored(warning: CaesuraWarning) -> None:
    """Discard a warning, whose creation is part of the cost."""


#: Readers, each with the modes in which it works differently.
READERS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "conllu": ({}, {"skip_bad": True, "warn": _ignored}, {"pieces": 50, "token_range": True}),
    "conllx": ({}, {"skip_bad": True}),
    "brackets": ({}, {"skip_bad": True}, {"pieces": 50}),
    "text": ({}, {"mode": "line"}, {"pieces": 50}),
    "tokens": ({}, {"mode": "token"}, {"pieces": 50}),
    "transcript": (
        {"mode": "speaker", "skip_bad": True},
        {"mode": "srt", "skip_bad": True},
        {"mode": "vtt", "skip_bad": True},
    ),
    "asr": ({"skip_bad": True}, {"mode": "ctm", "skip_bad": True}),
    "fields": ({"mode": "csv", "skip_bad": True}, {"mode": "jsonl"}),
    "elan": ({},),
    "textgrid": ({},),
    "chat": ({"skip_bad": True},),
    "html": ({},),
    "markdown": ({},),
    "jsonl": ({}, {"skip_bad": True}),
    "spans": ({"skip_bad": True},),
}

_ROW: Final = "\ta\t_\t_\t_\t_\t_\t_\t_\t_\n"
#: What is repeated, in any reader: its own words, and those of all others.
FRAGMENTS: Final[tuple[str, ...]] = (
    "a", "a ", " ", "\t", "\n", "\r", "\r\n", "\n\n", " \n", "\u3000", "\u2028", "é", "1", "1 ",
    "0", "(", ")", "( ", "(A ", "(A b", "(A b) ", "(A (-NONE- x)) ", "()", "-LRB-", "\\/",
    "a\\/-LRB- ", "[", "]", "[]", "[1:1", "1:1", "[1:1]", "[1:1] ", ":", "A:", "A: ", "A: a\n",
    "A.1: a\n", "a.1", ".1", "-->", "1:1 --> 1:1\n", "1\n00:00:01,000 --> 00:00:02,000\na\n\n",
    "<v a>", "<v.a", "</v>", "NOTE ", "<", ">", "</", "<a", "<a ", "<a>", "</a>", "<a b", "<a b=",
    "<a b='", '<a b="', "<a b=c ", "a=\"'", "=", "<!", "<!-", "<!--", "<!-- a", "<!--a-->", "--",
    "--!>", "<![", "<![foo[", "<![CDATA[", "]]>", "<?", "<?a", "<i>", "</i>", "<i>a", "<i><b>",
    "<i>a<b>b</i>c</b>", "<b>a<i>", "<pre>", "<pre>\n", "<p>", "<br>", "<br/>", "<script>",
    "</script", "<script>a</script>", "<svg>", "<title>", "</title>", "<article class=document>a",
    "&", "&a", "&amp", "&amp;", "&#", "&#1", "&#x1", "&;", "<A@", "<a@b.", "<a:", "<http://a", "*",
    "**", "*a", "*a ", "a*", "**a*", "_a", "_a_", "***a**b_", "*_", "~~", "~~a", "`", "`a", "`a`` ",
    "``` \n", "~~~\n", "```a\n", "![", "![a", "[a", "[a]", "[a](", "[a](<", "[a](b", '[a](b "',
    "[a](b 'c", '(a "', "[a]()", "[a][", "[a][b]", "[^a]", "[^a]: b\n", "[a]: b\n", "[a]: b 'c\n",
    "[a]:\n", "[a]: <b\n", "]:", "](", "> ", ">", "> a\n", ">\n", "- ", "- a\n", "-\n", "* a\n\n",
    "1. ", "1. a\n", "  - a\n", "    a\n", "+ +\n", "|", "|a", "|a|b|\n", "|-", "|a|\n|-|\n", "-|",
    "---\n", "===\n", "a\n===\n", "# ", "# a\n", "#", "######", " #", '\\', '\\\\', "\\[", '"', "'",
    "\n\\\n", "  \n", "<div>\n", "<div>\n\n", "</div>\n", "<!-- \n", "<? \n", "{", '{"a":', "[[",
    '{"text":"a"}\n', '{"text":""}\n', '"\\u0041', "1e9", "{}\n", ",", "null\n", "#\n", "# newdoc",
    "# newdoc ", "# newdoc id = ", "# newdoc = a\n", "# newpar\n", "newpar", "# sent_id = a\n",
    "# newdoc id = a\n1" + _ROW + "\n", "# text = a\n1" + _ROW + "\n", "# text =",
    "1" + _ROW + "\n", "1" + _ROW, "1-2" + _ROW + "1" + _ROW + "2" + _ROW + "\n",
    "1" + _ROW + "1.1" + _ROW + "\n", "2" + _ROW + "\n",
    "1\ta\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\n",
    "1\ta\t_\t_\t_\t_\t_\t_\t_\tSpacesBefore=\\s\n\n",
    "1\ta\t_\t_\t_\t_\t_\t_\t_\tNewTurn=Yes|Speaker=a\n\n",
    "1\ta\t_\t_\t_\t_\t_\t_\t_\tSentConf=0.5|ArcConf=1\n\n", "A=b|", "|", "TokenRange=1:", "Conf=",
    'SpacesAfter=\\', "\\s",
)  # fmt: skip
#: What stands before and behind the repeated part.
FRAMES: Final[tuple[tuple[str, str], ...]] = (
    ("", ""), ("a\n", "\n"), ("# newdoc id = ", "x\n1" + _ROW + "\n"),
    ("# newdoc", "\n1" + _ROW + "\n"), ("# text = ", "\n1" + _ROW + "\n"),
    ("# sent_id = ", "\n1" + _ROW + "\n"), ("1\t", "\t_" * 8 + "\n\n"),
    ("1\ta\t_\t_\t_\t_\t_\t_\t_\t", "\n\n"), ("1\ta\t_\t_\t_\t", "\t0\t_\t_\t_\n\n"),
    ("(A (B ", ") )\n"), ("A: ", "\n"), ("[", "]A: b\n"), ("1:1 --> 1:1\n", "\n"),
    ("1:1 --> ", "\na\n"), ("WEBVTT\n\n1:1 --> 1:2\n", "\n"), ("<p>", "</p>"), ("<a ", ">"),
    ("<a b=\"", "\">"), ("<!--", "-->"), ("<pre>", "</pre>"), ("<script>", "</script>"),
    ("[a](", ")"), ("[a]: ", "\n"), ("`", "`"), ("```\n", "\n```\n"), ("|a|\n|-|\n|", "|\n"),
    ("> ", "\n"), ("- ", "\n"), ("{\"text\":\"", "\"}\n"), ("{\"text\":\"a\",\"x\":", "}\n"),
    ("[", "]"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """What is read, and how: a fragment again and again, behind and before something."""

    reader: str
    options: dict[str, Any]
    fragment: str
    before: str = ""
    behind: str = ""
    #: How many bytes arrive at a time; 0 for all that are asked for.
    step: int = 0

    def data(self, size: int) -> bytes:
        """A text of about so many characters."""
        return (self.before + self.fragment * (size // len(self.fragment)) + self.behind).encode()

    def __str__(self) -> str:
        told = [f"{key}={value}" for key, value in self.options.items() if key != "warn"]
        told += [f"step={self.step}"] if self.step else []
        frame = f" in {self.before!r} … {self.behind!r}" if self.before or self.behind else ""
        return f"{self.reader}({', '.join(told)}): {self.fragment!r}{frame}"


class Drip(io.RawIOBase):
    """A stream that gives few bytes at a time, as a slow pipe does."""

    def __init__(self, data: bytes, step: int) -> None:
        super().__init__()
        self._data, self._step, self._at = data, step, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        end = self._at + (self._step if size < 0 else min(size, self._step))
        found = self._data[self._at : end]
        self._at += len(found)
        return found


def seconds(case: Case, size: int) -> float:
    """The CPU time of reading, with or without an error of ours.

    Garbage collection is off, since its cost depends on other objects of the process.
    """
    gc.collect(0)
    gc.disable()
    try:
        return _seconds(case, size)
    finally:
        gc.enable()


def _seconds(case: Case, size: int) -> float:
    data, chosen = case.data(size), replace(ReadOptions(), **case.options)
    with tempfile.TemporaryDirectory() as folder:
        if case.reader == "spans":
            path = os.path.join(folder, "a.spans")
            Path(path).write_bytes(data)
            Path(folder, "a.txt").write_bytes(b"one two " * (len(data) // 8))
        stream: Any = Drip(data, case.step) if case.step else io.BytesIO(data)

        def work() -> None:
            with contextlib.suppress(CaesuraError):
                if case.reader == "spans":
                    list(read_spans(path, chosen))
                else:
                    deque(read_stream(stream, case.reader, chosen), maxlen=0)

        return cpu(work)


def growth(case: Case, size: int, factor: int = 2, tries: int = 1) -> tuple[float, float]:
    """What a size costs, and so many times that size: the least of some tries."""
    head = HEAD if case.step else 0  # what is read at once, however the bytes arrive
    once = min(seconds(case, head + size) for _ in range(tries))
    return once, min(seconds(case, head + factor * size) for _ in range(tries))


#: Readers that are also fed a few bytes at a time: one that cuts and one that gathers are enough.
_DRIPPED: Final = ("conllu", "text", "html")


def plain(reader: str) -> Iterator[Case]:
    """Every fragment alone, in every mode; once also a few bytes at a time."""
    for number, mode in enumerate(READERS[reader]):
        for fragment in FRAGMENTS:
            yield Case(reader, mode, fragment)
            if not number and reader in _DRIPPED:
                yield Case(reader, mode, fragment, step=61)


def mixed(reader: str, count: int, seed: int) -> Iterator[Case]:
    """Fragments in pairs, and inside of something else."""
    rng = random.Random(f"{reader} {seed}")
    for _ in range(count):
        fragment = "".join(rng.choices(FRAGMENTS, k=rng.choice((1, 1, 2, 2, 3))))
        before, behind = rng.choice(FRAMES)
        yield Case(reader, rng.choice(READERS[reader]), fragment, before, behind)


@dataclass(slots=True)
class Row:
    """The counts of one reader."""

    cases: int = 0
    #: Cases whose cost is too small to compare at any size.
    quick: int = 0
    worst: float = 0.0
    of: str = ""
    broken: int = 0


def measure(cases: Iterator[Case], size: int, row: Row) -> None:
    """Check the law; a case that seems to break it is measured again."""
    for case in cases:
        row.cases += 1
        try:
            once, twice, enough = 0.0, 0.0, size
            while twice < _FLOOR and enough <= _LARGEST:
                once, twice = growth(case, enough)
                enough *= 8
            for tries in (3, 5, 9):
                if twice < _FLOOR or twice <= LAW * once:
                    break
                once, twice = growth(case, enough // 8, tries=tries)
            ratio = twice / max(once, 1e-9)
            for more in (2, 4):
                if twice >= _FLOOR and ratio > LAW:
                    low, high = growth(case, more * enough // 8, tries=3)
                    ratio = min(ratio, high / max(low, 1e-9))
        except Exception as error:
            row.broken += 1
            print(f"  {case}: {type(error).__name__}: {str(error)[:100]}")
            continue
        if twice < _FLOOR:
            row.quick += 1
            continue
        if ratio > row.worst:
            row.worst, row.of = ratio, str(case)
        if ratio > LAW:
            row.broken += 1
            print(f"  {case}: {once:.3f} s, {twice:.3f} s, {ratio:.1f} times")


def main() -> None:
    parser = options(__doc__, "--write")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}")
    parser.add_argument("--size", type=int, default=20_000, help="characters (20,000)")
    parser.add_argument("--mixed", type=int, default=300, help="random cases per reader (300)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if unknown := set(given.readers) - set(READERS):
        parser.error(f"there is no reader {', '.join(sorted(unknown))}")
    rows: dict[str, Row] = {}
    for reader in given.readers or READERS:
        rows[reader] = row = Row()
        measure(plain(reader), given.size, row)
        measure(mixed(reader, given.mixed, given.seed), given.size, row)
        told = f"{row.cases} cases, {row.quick} too fast to compare"
        print(f"{reader}: {told}, at most {row.worst:.2f} times ({row.of})", flush=True)
    if given.write:
        table = {name: asdict(row) | {"worst": round(row.worst, 2)} for name, row in rows.items()}
        told = {"law": LAW, "size": given.size, "mixed": given.mixed, "readers": table}
        keep_json(RESULTS / "linear.json", told)
    sys.exit(any(row.broken for row in rows.values()))


if __name__ == "__main__":
    main()
