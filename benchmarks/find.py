"""How fast patterns are searched for, on one core: in memory, and as `caesura find` does it.

    python benchmarks/find.py                               # English-EWT, five patterns
    python benchmarks/find.py UD_English-GUM --pattern '[upos=VERB] >obj []' --times 20
    python benchmarks/find.py --command 8 --repeat 3        # the command on a file of 8 copies

For each pattern: the matches, millions of words a minute for the search of documents in memory, and
for files from the disk, reading and all that is found included (`--count upos`). Seconds are those
of the processor, the best of `--repeat` rounds; kernels are compiled before. The file is read
`--times` times over, one after the other, as a folder of copies would be. `--command N` measures
`caesura find PATTERN FILE --count upos` from its start to its end instead, on a file with N copies.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from data import file_of

from caesura.document import Document
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


def best(work: Callable[[], None], repeat: int) -> float:
    """The least CPU seconds that something takes."""
    found = []
    for _ in range(repeat):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def command(path: Path, words: int, patterns: list[str], copies: int, repeat: int) -> None:
    """How fast the command is, with its start: CPU seconds of its process, user's and system's."""
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        with open_read(path) as stream:
            whole = stream.read()
        for _ in range(copies):
            file.write(whole)
        file.flush()
        print(f"caesura find on a file of {copies * words:,} words: million words a minute\n")
        for text in patterns:
            called = [sys.executable, "-m", "caesura", "find", text, file.name, "--count", "upos"]
            best = float("inf")
            for _ in range(repeat):
                before = os.times()
                subprocess.run(called, check=True, capture_output=True)
                after = os.times()
                user = after.children_user - before.children_user
                best = min(best, user + after.children_system - before.children_system)
            print(f"{60 * copies * words / best / 1e6:>6.1f}  {text}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", nargs="?", default="UD_English-EWT")
    parser.add_argument("--split", default="train", help="which of its files")
    parser.add_argument("--pattern", action="append", help="instead of the five")
    parser.add_argument("--times", type=int, default=3, help="how often the file is read")
    parser.add_argument("--repeat", type=int, default=3, help="rounds, of which the best counts")
    parser.add_argument("--command", type=int, metavar="N", help="the command, on N copies")
    arguments = parser.parse_args()
    path = file_of(arguments.treebank, arguments.split)
    docs: list[Document] = list(read(path, pieces=PIECES))
    words = sum(doc.n_words for doc in docs)
    print(f"{arguments.treebank} {arguments.split}: {words:,} words, {len(docs):,} documents")
    if arguments.command:
        patterns = arguments.pattern or list(PATTERNS)
        command(path, words, patterns, arguments.command, arguments.repeat)
        return
    reading = best(lambda: [None for _ in read(path, pieces=PIECES)] and None, arguments.repeat)
    print(f"reading alone: {60 * words / reading / 1e6:.1f} million words a minute\n")
    print(f"{'matches':>9} {'in memory':>10} {'from disk':>10}  million words a minute")
    for text in arguments.pattern or PATTERNS:
        pattern = Pattern(text)
        matches = sum(len(pattern.find(doc)) for doc in docs)

        def search(pattern: Pattern = pattern) -> None:
            for doc in docs:
                pattern.find(doc)

        def count(pattern: Pattern = pattern) -> None:
            counts = Counts(fields("upos", pattern.names))
            for _ in range(arguments.times):
                for doc in read(path, pieces=PIECES):
                    counts.add(pattern.find(doc))

        memory = 60 * words / best(search, arguments.repeat) / 1e6
        disk = 60 * words * arguments.times / best(count, arguments.repeat) / 1e6
        print(f"{matches:>9,} {memory:>10.1f} {disk:>10.1f}  {text}")


if __name__ == "__main__":
    main()
