"""Raw text to learn from: files of any readable format, checked before a teacher labels them.

Plain text may hold several documents, each after a line `# newdoc id = NAME`. Text in another
encoding or another language than it should be is refused; a document in another language among
many is left out and told of.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from caesura import formats
from caesura.document import Document
from caesura.errors import InputError
from caesura.formats.text import paragraph_starts
from caesura.language import Tally, language_name
from caesura.train.report import Report

__all__ = ["in_language", "read_raw", "refuse_garbled"]

_NEW: Final = re.compile(
    r"^#[ \t]*newdoc(?:[ \t]+id[ \t]*=[ \t]*(.*?))?[ \t]*\r?$\n?", re.MULTILINE
)
#: A share of replacement characters that no text has of its own.
_REPLACED: Final = 1e-3
#: Lines beyond ASCII that must be garbled to call a file so, and their share.
_GARBLED: Final = 3
_SHARE: Final = 0.5


def read_raw(
    paths: Sequence[str], report: Report, *, encoding: str = "utf-8"
) -> dict[str, list[Document]]:
    """The documents of each file, without tokens; a file that tells no format is plain text."""
    found: dict[str, list[Document]] = {}
    for path in paths:
        name = formats.format_of(path, default="text")
        docs: list[Document] = []
        with report.counting(f"Reading {os.path.basename(path)}", unit="documents") as count:
            for doc in formats.read(path, name, encoding=encoding):
                for one in _documents(doc) if name == "text" else [_bare(doc)]:
                    if one.text.strip():
                        docs.append(one)
                        count.advance()
        refuse_garbled(path, (doc.text for doc in docs))
        found[path] = docs
    if not any(found.values()):
        where = paths[0] if paths else None
        raise InputError("there is no text in it", file=where, remedy="Check the path.")
    return found


def _documents(doc: Document) -> Iterator[Document]:
    """The documents of a plain text."""
    marks = list(_NEW.finditer(doc.text))
    begins = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(doc.text)]
    names = [doc.id, *(mark[1] or None for mark in marks)]
    for name, begin, end in zip(names, begins, ends, strict=True):
        text = doc.text[begin:end]
        yield Document(
            text=text, id=name, source=doc.source, paragraph_start=paragraph_starts(text)
        )


def _bare(doc: Document) -> Document:
    """A document whose tokens and trees, if it has any, are forgotten."""
    if not doc.n_tokens:
        return doc
    return Document(
        text=doc.text, id=doc.id, source=doc.source, paragraph_start=doc.paragraph_start
    )


def refuse_garbled(path: str, texts: Iterable[str]) -> None:
    """Refuse text that was decoded, here or by others before, as what it is not."""
    characters = replaced = beyond = garbled = 0
    for text in texts:
        characters += len(text)
        replaced += text.count("\ufffd")
        if text.isascii():
            continue
        for line in text.splitlines():
            if not line.isascii():
                beyond += 1
                garbled += _is_garbled(line)
    what = ""
    if replaced > _REPLACED * characters:
        what = f"{replaced:,} of its {characters:,} characters could not be decoded"
    elif garbled >= _GARBLED and garbled > _SHARE * beyond:
        what = "it is UTF-8 that was decoded as Windows-1252 or Latin-1"
    if what:
        raise InputError(what, file=path, remedy="Name its encoding with --encoding, or mend it.")


def _is_garbled(line: str) -> bool:
    for encoding in ("cp1252", "latin-1"):
        try:
            line.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


def in_language(
    raw: dict[str, list[Document]], language: str | None, report: Report
) -> dict[str, list[Document]]:
    """The documents that may be in a language; a file mostly in another one is refused."""
    if language is None:
        return raw
    found: dict[str, list[Document]] = {}
    for path, docs in raw.items():
        kept: list[Document] = []
        others: Counter[str] = Counter()
        whole = Tally()
        for doc in docs:
            tally = Tally()
            tally.add(doc.text)
            whole.add(doc.text)
            other = tally.other(language) if tally.enough else None
            if other is None:
                kept.append(doc)
            else:
                others[other] += len(doc.text)
        size = sum(len(doc.text) for doc in docs)
        other = others.most_common(1)[0][0] if others else whole.other(language)
        if 2 * others.total() > size or whole.other(language) is not None:
            raise InputError(
                f"the text looks like {language_name(other or '')}, "
                f"and the treebank is {language_name(language)}",
                file=path,
                remedy="Give text in the language of the treebank.",
            )
        if others:
            names = ", ".join(sorted(map(language_name, others)))
            number = len(docs) - len(kept)
            report.say(f"{path}: {number} documents left out that look like {names}")
        found[path] = kept
    return found
