"""Random changes of bytes: pieces cut, doubled, swapped, crossed, and words that readers know.

Where atheris is not installed this is what looks for inputs; it is quick and needs no coverage.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

__all__ = ["mutated"]

#: What means something to some reader, and what no reader expects.
WORDS: Final = tuple(
    word.encode("utf-8", "surrogatepass")
    for word in (
        "\n", "\n\n", "\t", "\r", "\r\n", " ", "\0", "_", "#", "1", "0", "-1", "9" * 20, "9" * 5000,
        "1-2", "1.1", "# newdoc id = ", "# newpar\n", "# text = ", "# sent_id = ", "SpaceAfter=No",
        "SpacesAfter=\\n", "NewTurn=Yes|Speaker=a", "TokenRange=0:9", "ArcConf=nan", "|", "=",
        "(", ")", "(-NONE- ", "-LRB-", "<", ">", "</", "<!--", "-->", "<![CDATA[", "]]>", "<i>",
        "</i>", "<pre>", "<script>", '<article class="document" id="', "&#x41;", "&#99999999999;",
        "&amp", "<v a>", "00:00:01.000 --> 00:00:02.000\n", "[1:1] ", "A: ", "A.1: ", "WEBVTT\n\n",
        "*", "**", "_", "`", "```\n", "> ", "- ", "1. ", "[a](", "![", "[a]: b\n", "|-|\n", "---\n",
        "{\"text\":", "\"", "[", "]", "{", "}", ",", "null", "1e999", "\\u0000", "\\ud800",
        "\"token_start\":[0]", "\"head\":[99]", "\ufeff", "\u2028", "\u202e", "\x1b[2J", "\ud800",
        "a", "é", "字", "\U0001f9d1\u200d\U0001f680", "the ", "boats ", ". ",
    )
)  # fmt: skip
_MOST: Final = 1 << 14


def mutated(rng: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds after some changes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 20))):
        a = rng.randrange(len(data) + 1)
        b = min(len(data), a + rng.choice((0, 1, 2, 4, 16, 64, 1000)))
        kind = rng.randrange(10)
        if kind == 0:
            data[a:b] = b""
        elif kind == 1:
            data[a:b] = data[a:b] * rng.choice((2, 3, 50))
        elif kind == 2:
            data[a:a] = rng.choice(WORDS)
        elif kind == 3:
            data[a:b] = rng.choice(WORDS) * rng.choice((1, 1, 2, 100))
        elif kind == 4:
            data[a:b] = rng.randbytes(b - a)
        elif kind == 5 and a < len(data):
            data[a] ^= 1 << rng.randrange(8)
        elif kind == 6:
            other = rng.choice(seeds)
            begin = rng.randrange(len(other) + 1)
            data[a:b] = other[begin : begin + rng.choice((4, 40, 400))]
        elif kind > 7:
            _change_cell(rng, data, a, seeds)
        else:
            to = rng.randrange(len(data) + 1)
            data[to:to] = data[a:b]
        del data[_MOST:]
    if rng.random() < 0.5:  # targets take a small number in front for the way to read
        data[:0] = bytes([rng.randrange(1, 8)])
    return bytes(data)


def _change_cell(rng: random.Random, data: bytearray, at: int, seeds: Sequence[bytes]) -> None:
    """Replace one cell of the table row at a place, by a number, a word or a cell of a seed."""
    begin = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    row = data[begin : end if end >= 0 else len(data)]
    cells = row.split(b"\t")
    if len(cells) < 2:
        return
    column = rng.randrange(len(cells))
    kind = rng.randrange(3)
    if kind == 0:
        cell = str(rng.randrange(10)).encode()
    elif kind == 1:
        cell = rng.choice(WORDS)
    else:
        rows = [line.split(b"\t") for line in rng.choice(seeds).split(b"\n")]
        cell = rng.choice([one[column] for one in rows if len(one) == len(cells)] or [b"_"])
    cells[column] = bytearray(cell)
    data[begin : begin + len(row)] = b"\t".join(cells)
