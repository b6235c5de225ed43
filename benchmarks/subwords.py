"""Our sub-words against the `tokenizers` library: the same pieces for every word type, and time.

    python benchmarks/subwords.py --tokenizer FOLDER/tokenizer.json TEXT…

TEXT are files (gzip included); their words are cut at blanks, and each type is looked up by both,
where a vocabulary sees blanks once with and once without one before it. With `--vocabulary` it
counts the pieces that the texts need, and what their vectors cost in 4 bits.
"""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path

from caesura.neural.subwords import Subwords


def types(paths: list[Path]) -> list[str]:
    """The words of the texts, as they stand between blanks and without the marks around them."""
    found: set[str] = set()
    for path in paths:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                found.update(line.split())
    found |= {word.strip(".,;:!?()[]{}'\"“”‘’") for word in found}
    return sorted(found - {""})


def main() -> None:
    from tokenizers import Tokenizer
    from tokenizers.pre_tokenizers import Metaspace

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--vocabulary", type=int, metavar="SIZE", help="size of a vector")
    parser.add_argument("texts", type=Path, nargs="+")
    arguments = parser.parse_args()
    definition = arguments.tokenizer.read_text(encoding="utf-8")
    theirs = Tokenizer.from_str(definition)
    theirs.no_truncation()
    theirs.no_padding()
    ours = Subwords.from_json(definition)
    named = {ours.pieces_[n] for n in (*ours.special, ours.unknown)}
    words = [word for word in types(arguments.texts) if not any(name in word for name in named)]
    cut = [word[:200] for word in words]
    used: set[int] = set()
    for blank in (True, False) if ours.sees_blanks else (True,):
        if ours.sees_blanks:
            theirs.pre_tokenizer = Metaspace("▁", prepend_scheme="always" if blank else "never")
        clock = time.process_time()
        found = ours.of_words(words, [blank] * len(words))
        mine = time.process_time() - clock
        clock = time.process_time()
        encoded = theirs.encode_batch(cut, add_special_tokens=False)
        wanted = [e.ids[:64] or [ours.unknown] for e in encoded]
        library = time.process_time() - clock
        other = [
            (word, a, b)
            for word, a, b in zip(words, found, wanted, strict=True)
            if list(a) != list(b)
        ]
        before = f", blank before: {blank}" if ours.sees_blanks else ""
        print(f"{len(words):,} types, {len(other)} differ{before}")
        for word, a, b in other[:20]:
            print(f"  {word!r}: ours {_names(ours, a)}, library {_names(ours, b)}")
        each = 1e6 / len(words)
        print(f"ours {mine * each:.1f} µs a type, library {library * each:.1f}")
        used.update(piece for pieces in found for piece in pieces)
    if arguments.vocabulary:
        size = len(used) * (arguments.vocabulary // 2 + arguments.vocabulary // 32 * 2)
        print(f"{len(used):,} of {ours.size():,} pieces occur: {size / 1e6:.1f} MB in 4 bits")


def _names(ours: Subwords, pieces: tuple[int, ...] | list[int]) -> str:
    return " ".join(ours.pieces_[n] for n in pieces)


if __name__ == "__main__":
    main()
