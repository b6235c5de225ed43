"""Treebanks of many languages: which there are in a folder, and what is learned from all of them.

A treebank is a folder whose files are named as Universal Dependencies names them
(`da_ddt-ud-train.conllu.gz`); the beginning tells the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from caesura.document import Document
from caesura.errors import InputError
from caesura.formats import read

__all__ = ["Treebank", "by_language", "find_treebanks", "has_spaces"]

_FILE: Final = re.compile(r"([a-z]{2,3})_([a-z0-9]+)[a-z0-9_-]*-(train|dev)\.conllu(\.gz)?$")
#: Names of Universal Dependencies that are two languages to us.
_CODES: Final = {("no", "bokmaal"): "nb", ("no", "nynorsk"): "nn", ("no", "nynorsklia"): "nn"}
#: Above this share of tokens with a blank behind them a file does not say where blanks are.
_SPACED: Final = 0.985


class Treebank(NamedTuple):
    """The files of a treebank, and the code of its language."""

    name: str
    language: str
    train: Path
    dev: Path | None = None


def find_treebanks(folders: Iterable[Path]) -> list[Treebank]:
    """The treebanks in some folders or right below them, by name."""
    found: dict[Path, dict[str, Path]] = {}
    codes: dict[Path, str] = {}
    for folder in folders:
        if not folder.is_dir():
            raise InputError("there is no such folder", file=str(folder), remedy="Check the path.")
        for path in sorted({*folder.glob("*.conllu*"), *folder.glob("*/*.conllu*")}):
            match = _FILE.match(path.name)
            if match is not None:
                found.setdefault(path.parent, {})[match[3]] = path
                codes[path.parent] = _CODES.get((match[1], match[2]), match[1])
    return [
        Treebank(home.name, codes[home], files["train"], files.get("dev"))
        for home, files in sorted(found.items())
        if "train" in files
    ]


def has_spaces(docs: Iterable[Document]) -> bool:
    """Whether documents say where blanks are: in most, some tokens have none behind them."""
    tokens = spaced = 0
    for doc in docs:
        tokens += doc.n_tokens
        spaced += int((doc.token_start[1:] > doc.token_end[:-1]).sum()) + 1
    return spaced < _SPACED * max(tokens, 1)


def by_language(
    treebanks: Iterable[Treebank], split: str = "train", most: int = 0
) -> Mapping[str, list[Document]]:
    """The documents of each language, of each treebank at most so many words."""
    found: dict[str, list[Document]] = {}
    for treebank in treebanks:
        path = treebank.train if split == "train" else treebank.dev
        words = 0
        for doc in read(path) if path is not None else ():
            found.setdefault(treebank.language, []).append(doc)
            words += doc.n_words
            if most and words >= most:
                break
    return found
