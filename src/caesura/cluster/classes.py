"""Word classes as a file and as a mapping: `word TAB class TAB count`, one word a line.

Classes are names (numbers, or for Brown's the path in the tree of merges, of which a prefix is a
coarser class). In memory a class is a number from 1 on and 0 stands for a word without a class.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from caesura.errors import FormatError, InputError
from caesura.formats.io import open_write


class WordClasses(Mapping[str, int]):
    """From words to numbers of classes."""

    def __init__(self, rows: Iterable[tuple[str, str, int]]) -> None:
        #: Names of the classes; the number of a class is its place here, and 0 is no class.
        self.names: list[str] = [""]
        self.counts: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        numbers: dict[str, int] = {"": 0}
        for word, name, count in rows:
            if name not in numbers:
                numbers[name] = len(self.names)
                self.names.append(name)
            self._classes[word] = numbers[name]
            self.counts[word] = count

    def of(self, word: str) -> int:
        """The class of a word, else of its lower-case form, else 0."""
        found = self._classes.get(word)
        if found is None:
            found = self._classes.get(word.lower(), 0)
        return found

    def __getitem__(self, word: str) -> int:
        return self._classes[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def rows(self) -> Iterator[tuple[str, str, int]]:
        for word, number in self._classes.items():
            yield word, self.names[number], self.counts[word]

    def __repr__(self) -> str:
        return f"<WordClasses: {len(self)} words in {len(self.names) - 1} classes>"


def load_classes(path: str | os.PathLike[str]) -> WordClasses:
    """Read a file of word classes; the count may be missing."""
    name = os.fspath(path)
    try:
        lines = Path(name).read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise InputError("there is no such file", file=name, remedy="Check the path.") from None
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not UTF-8", file=name, remedy="Convert the file to UTF-8."
        ) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=name) from None
    rows = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        cells = line.removesuffix("\r").split("\t")
        bad = len(cells) not in (2, 3) or not cells[0] or not cells[1]
        if bad or (len(cells) == 3 and not cells[2].isdecimal()):
            raise FormatError(
                "a line of word classes is a word, a class and a count, with tabs between",
                file=name,
                line=number,
                remedy="Make the file with `caesura cluster`.",
            )
        rows.append((cells[0], cells[1], int(cells[2]) if len(cells) == 3 else 1))
    if not rows:
        raise InputError("there are no word classes in it", file=name)
    return WordClasses(rows)


def save_classes(classes: WordClasses, path: str | os.PathLike[str]) -> None:
    """Write word classes, by class and falling frequency, when all is ready; `-` is stdout."""
    order = sorted(classes.rows(), key=lambda row: (row[1], -row[2], row[0]))
    with open_write(path) as stream:
        for word, name, count in order:
            stream.write(f"{word}\t{name}\t{count}\n".encode("utf-8", "surrogatepass"))
