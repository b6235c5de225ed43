"""Speed of pattern search on one core: in memory, from files, and of the command.

    python -m benchmarks.speed.find                               # English-EWT, five patterns
    python -m benchmarks.speed.find UD_English-GUM --pattern '[upos=VERB] >obj []'
    python -m benchmarks.speed.find --command 8                   # the command on 8 copies

For each pattern: the matches, and millions of words per minute for documents in memory and for
files, including reading and counting (`--count upos`). Seconds are CPU seconds. `--command N`
measures the whole process of `caesura find PATTERN FILE --count upos` on a file with N copies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import fastest, file_of, options, show

from caesura.find import Counts, Pattern, fields
from caesura.formats import read
from caesura.formats.io import open_read

PATTERNS = (
    "[upos=NOUN]",
    "[upos=VERB] >nsubj [upos=NOUN]",
    "[upos=VERB]=v >obj []=o !>nsubj []",
    "x[upos=NOUN] .. y[upos=NOUN, lemma=x.lemma]",
    "[form=/.*ing/] >> [upos=PRON]",
)
#: As `caesura find` reads: pieces of so many tokens.
PIECES = 50_000


def command(path: Path, words: int, patterns: list[str], copies: int, repeat: int) -> None:
    """CPU seconds of the whole process."""
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        with open_read(path) as stream:
            file.write(stream.read() * copies)
        file.flush()
        rows = []
        for text in patterns:
            call = [sys.executable, "-m", "caesura", "find", text, file.name, "--count", "upos"]
            best = float("inf")
            for _ in range(repeat):
                before = os.times()
                subprocess.run(call, check=True, capture_output=True)
                after = os.times()
                user = after.children_user - before.children_user
                best = min(best, user + after.children_system - before.children_system)
            rows.append({"pattern": text, "M words/min": 60 * copies * words / best / 1e6})
        show({f"caesura find on {copies * words:,} words": rows})


def main() -> None:
    parser = options(__doc__, "--repeat")
    parser.add_argument("treebank", nargs="?", default="UD_English-EWT")
    parser.add_argument("--split", default="train", help="which of its files")
    parser.add_argument("--pattern", action="append", help="instead of the five")
    parser.add_argument("--command", type=int, metavar="N", help="the command, on N copies")
    given = parser.parse_args()
    path = file_of(given.treebank, given.split)
    docs = list(read(path, pieces=PIECES))
    words = sum(doc.n_words for doc in docs)
    patterns = given.pattern or list(PATTERNS)
    if given.command:
        command(path, words, patterns, given.command, given.repeat)
        return
    rows = []
    for text in patterns:
        pattern = Pattern(text)

        def memory(pattern: Pattern = pattern) -> None:
            for doc in docs:
                pattern.find(doc)

        def files(pattern: Pattern = pattern) -> None:
            counts = Counts(fields("upos", pattern.names))
            for doc in read(path, pieces=PIECES):
                counts.add(pattern.find(doc))

        seconds = fastest({"in memory": memory, "from disk": files}, given.repeat)
        rates = {f"{name}, M words/min": 60 * words / s / 1e6 for name, s in seconds.items()}
        matches = sum(len(pattern.find(doc)) for doc in docs)
        rows.append({"pattern": text, "matches": matches, **rates})
    show({f"{given.treebank} {given.split}: {words:,} words": rows})


if __name__ == "__main__":
    main()
