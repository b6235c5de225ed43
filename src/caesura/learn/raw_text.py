"""Raw text to learn from: files of any readable format, checked before a teacher labels them.

Plain text may hold several documents, each after a line `# newdoc id = NAME`. Text in another
encoding or another language than it should be is refused; a document in another language among
many is left out and reported. Text that holds held-out sentences would make a student score too
well: of each held-out file the share of its sequences of eight words that also stand in the raw
text is measured. The labels of a teacher must be those of the treebank.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from caesura import formats
from caesura.document import Document
from caesura.errors import FormatError, InputError, UsageError
from caesura.formats.text import paragraph_starts
from caesura.language import Tally, language_name

if TYPE_CHECKING:
    from caesura.learn.run import Report

#: Words that show which labels a teacher uses.
ENOUGH: Final = 3000
#: Words whose labels may be unknown to the treebank, or to the teacher.
_THEIRS: Final = 0.1
_OURS: Final = 0.25


def compare_labels(
    gold: Sequence[Document],
    said: Sequence[Document],
    column: str,
    *,
    declared: Iterable[str] | None,
    file: str,
    remedy: str,
) -> None:
    """Refuse a teacher whose labels are not those of the treebank.

    `declared` are further labels that it knows; None if they are unknown.
    """
    ours, theirs = _counts(gold, column), _counts(said, column)
    if not ours:
        return
    strange = Counter({label: n for label, n in theirs.items() if label not in ours})
    missing: Counter[str] = Counter()
    if declared is not None:
        known = {*declared, *theirs}
        missing.update({label: n for label, n in ours.items() if label not in known})
    what = ""
    if strange.total() > _THEIRS * max(1, theirs.total()):
        what = f"it says {strange.most_common(1)[0][0]!r}, which the treebank never does"
    elif missing.total() > _OURS * ours.total():
        what = f"it does not know {missing.most_common(1)[0][0]!r}, which the treebank has"
    if what:
        raise InputError(
            f"the teacher's {column.upper()} labels are not those of the treebank: {what}",
            file=file,
            remedy=remedy,
        )


def _counts(docs: Sequence[Document], column: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for doc in docs:
        numbers, times = np.unique(getattr(doc, column), return_counts=True)
        for number, n in zip(numbers.tolist(), times.tolist(), strict=True):
            if number:
                found[doc.strings[number]] += n
    return found


#: Words of a sequence.
LENGTH: Final = 8
#: Held-out sequences that a document may hold by chance.
_CHANCE: Final = 2
#: A word; characters of scripts without spaces are words of their own.
_WORD: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    "|[^\\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)

Hashes = NDArray[np.uint64]


def sequences(text: str) -> Hashes:
    """A number for each sequence of words in a text, in order."""
    words = _WORD.findall(text.casefold())
    known = {word: crc32(word.encode("utf-8", "surrogatepass")) for word in {*words}}
    values = np.array([known[word] for word in words], np.uint64)
    n = max(0, len(values) - LENGTH + 1)
    found = np.zeros(n, np.uint64)
    with np.errstate(over="ignore"):
        for at in range(LENGTH):
            found = found * _FACTOR + values[at : at + n]
    return found


def without_overlap(
    raw: Mapping[str, Sequence[Document]],
    held: Mapping[str, Sequence[Document]],
    *,
    share: float,
    how: Literal["refuse", "drop"],
    report: Report,
) -> dict[str, list[Document]]:
    """The raw documents that may be learned from.

    If more than a `share` of the sequences of a held-out file stand in them, that is an error, or
    documents that hold several are dropped.
    """
    own = {
        name: np.unique(np.concatenate([sequences(doc.text) for doc in docs]))
        for name, docs in held.items()
        if docs
    }
    every = np.unique(np.concatenate([np.zeros(0, np.uint64), *own.values()]))
    seen = np.zeros(len(every), bool)
    kept: dict[str, list[Document]] = {path: [] for path in raw}
    dropped = 0
    first: tuple[str, Document] | None = None
    for path, docs in raw.items():
        for doc in docs:
            here = np.unique(sequences(doc.text))
            at = np.searchsorted(every, here)
            at = at[at < len(every)]
            hits = at[every[at] == here[: len(at)]] if len(every) else at
            if len(hits) > _CHANCE and first is None:
                first = path, doc
            if how == "drop" and len(hits) > _CHANCE:
                dropped += 1
                continue
            seen[hits] = True
            kept[path].append(doc)
    if dropped:
        report.say(f"{dropped} documents of raw text left out that hold held-out text")
    for name, mine in own.items():
        found = float(seen[np.searchsorted(every, mine)].mean()) if len(mine) else 0.0
        if found > share:
            path, doc = first or (next(iter(raw)), Document())
            where = f" (first in document {doc.id})" if doc.id else ""
            raise InputError(
                f"{found:.1%} of the sequences of {LENGTH} words of {name} stand in this text"
                + where,
                file=path,
                remedy="Leave that text out, or drop its documents with --overlap drop.",
            )
    return kept


#: What names the encoding of raw text.
OPTION: Final = "--text-encoding"

_NEW: Final = re.compile(
    r"^#[ \t]*newdoc(?:[ \t]+id[ \t]*=[ \t]*(.*?))?[ \t]*\r?$\n?", re.MULTILINE
)
#: A share of replacement characters that no text has of its own.
_REPLACED: Final = 1e-3
#: Lines beyond ASCII that must be garbled to call a file so, and their share.
_GARBLED: Final = 3
_SHARE: Final = 0.5
#: What UTF-8 is mostly taken for, as Python and iconv call it.
_WRONG: Final = ("cp1252", "latin1")


def read_raw(
    paths: Sequence[str], report: Report, *, encoding: str = "utf-8"
) -> dict[str, list[Document]]:
    """The documents of each file, without tokens; a file without a known format is plain text."""
    found: dict[str, list[Document]] = {}
    for path in paths:
        name = formats.format_of(path, default="text")
        docs: list[Document] = []
        with report.counting(f"Reading {os.path.basename(path)}", unit="documents") as count:
            for doc in _read(path, name, encoding):
                for one in _documents(doc) if name == "text" else [_bare(doc)]:
                    if one.text.strip():
                        docs.append(one)
                        count.advance()
        refuse_garbled(path, (doc.text for doc in docs), encoding=encoding)
        found[path] = docs
    if not any(found.values()):
        where = paths[0] if paths else None
        raise InputError("there is no text in it", file=where, remedy="Check the path.")
    return found


def _read(path: str, name: str, encoding: str) -> Iterator[Document]:
    try:
        yield from formats.read(path, name, encoding=encoding)
    except FormatError as error:
        # Readers know one option alone, which is that of the treebank here.
        error.remedy = error.remedy.replace("--encoding", OPTION)
        raise


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


def refuse_garbled(
    path: str, texts: Iterable[str], *, encoding: str = "utf-8", option: str = OPTION
) -> None:
    """Refuse text that was decoded, here or by others before, as what it is not.

    It was read as `encoding`, which `option` names.
    """
    ours = () if _name(encoding).startswith("utf") else (encoding,)
    characters = replaced = beyond = garbled = 0
    undone: Counter[str] = Counter()
    for text in texts:
        characters += len(text)
        replaced += text.count("\ufffd")
        if text.isascii():
            continue
        for line in text.splitlines():
            if not line.isascii():
                beyond += 1
                ways = [way for way in (*ours, *_WRONG) if _is_utf8(line, way)]
                undone.update({*ways})
                garbled += bool(ways)
    if replaced > _REPLACED * characters:
        raise InputError(
            f"{replaced:,} of its {characters:,} characters could not be decoded",
            file=path,
            remedy="What they were is lost here: write the file anew from where it is whole.",
        )
    if garbled < _GARBLED or garbled <= _SHARE * beyond:
        return
    if ours and undone[encoding] == garbled:
        what = f"it is UTF-8, decoded as {encoding}"
        raise InputError(what, file=path, remedy=f"Leave {option} out.")
    whole = [way for way in _WRONG if undone[way] == beyond]
    undo = f"iconv -f {encoding} -t {whole[0]} FILE > MENDED" if whole else "the program ftfy"
    raise InputError(
        "it is UTF-8 that was decoded as Windows-1252 or Latin-1, and then encoded once more",
        file=path,
        remedy=f"Undo that, for example with {undo}, and give what that writes.",
    )


def _name(encoding: str) -> str:
    """What Python calls an encoding; files that have their own tell nothing of a wrong name."""
    try:
        "".encode(encoding)  # some codecs are not of text
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise UsageError(
            f"there is no encoding {encoding!r}",
            remedy="Name one of text, for example utf-8, latin-1 or cp1252.",
        ) from None


def _is_utf8(line: str, encoding: str) -> bool:
    """Whether the bytes of which an encoding made the line are UTF-8."""
    try:
        line.encode(encoding).decode("utf-8")
    except UnicodeError:
        return False
    return True


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
