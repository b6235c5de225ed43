"""Our sub-words against the `tokenizers` library: the same pieces for every word type, and time.

    python benchmarks/subwords.py --tokenizer FOLDER/tokenizer.json TEXT…

TEXT are files of any format that Caesura reads (plain text, gzip included); their words are cut at
blanks, and each type is looked up by both.
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

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("texts", type=Path, nargs="+")
    arguments = parser.parse_args()
    definition = arguments.tokenizer.read_text(encoding="utf-8")
    theirs = Tokenizer.from_str(definition)
    theirs.no_truncation()
    theirs.no_padding()
    ours = Subwords.from_json(definition)
    words = types(arguments.texts)
    clock = time.process_time()
    found = [ours.of_word(word) for word in words]
    mine = time.process_time() - clock
    clock = time.process_time()
    cut = [word[:200] for word in words]
    wanted = [
        e.ids[:64] or [ours.unknown] for e in theirs.encode_batch(cut, add_special_tokens=False)
    ]
    library = time.process_time() - clock
    other = [
        (word, a, b) for word, a, b in zip(words, found, wanted, strict=True) if list(a) != list(b)
    ]
    print(f"{len(words):,} types, {len(other)} differ")
    for word, a, b in other[:20]:
        print(f"  {word!r}: ours {a}, library {b}")
    print(f"ours {mine * 1e6 / len(words):.1f} µs a type, library {library * 1e6 / len(words):.1f}")


if __name__ == "__main__":
    main()
