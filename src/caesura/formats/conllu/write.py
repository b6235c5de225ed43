"""Write documents in ten columns: CoNLL-U and CoNLL-X.

Comments and MISC are written as they are. Spacing attributes are made anew only for tokens whose
MISC does not say what the text says. A sentence without comments of its own gets the usual ones:
document, paragraph, number, text. The core writes the lines of words and inserts the lines of
comments, multi-word tokens and empty nodes, which are made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from caesura._core import RowWriter
from caesura.document import CONFIDENCE_KEYS, UNKNOWN, Document, EmptyNode, Strings
from caesura.document.schema import CONLLU
from caesura.document.strings import misc_items
from caesura.errors import InputError
from caesura.formats.build import encoded, one_line, with_next
from caesura.formats.conllu.attributes import (
    NEWDOC,
    MiscChange,
    TurnWriter,
    align_items,
    newdoc_id,
    opens_paragraph,
    respaced,
    starts_paragraph,
    with_attributes,
)
from caesura.formats.options import WriteOptions


def write_conllu(
    documents: Iterable[Document], stream: BinaryIO, options: WriteOptions, *, x: bool = False
) -> None:
    """Write documents as CoNLL-U; `x` for CoNLL-X."""
    for part in rows(documents, options, x=x):
        stream.write(part)


def rows(documents: Iterable[Document], options: WriteOptions, *, x: bool) -> Iterator[bytes]:
    """The same as bytes, a document or a piece of one at a time, once the next one is there."""
    writer = _Writer(options, x)
    for doc, more in with_next(documents):
        yield writer.data(doc, more)
    if writer.open:
        yield b"\n"


class _Writer:
    """Keeps the numbers of documents and sentences over the pieces of a stream."""

    def __init__(self, options: WriteOptions, x: bool) -> None:
        self.options = options
        self.x = x
        self.n_documents = 0
        self.n_sentences = 0
        self.offset = 0
        #: Spaces that the next piece says stand before its first token.
        self.carried = ""
        #: Whether comments behind all sentences came last: read again, they are comments of the
        #: sentence that follows, if one does, whatever stands between.
        self.open = False
        self.turns = TurnWriter()
        self._rows = RowWriter()
        self._strings: Strings | None = None

    def data(self, doc: Document, more: Document | None) -> bytes:
        """One document, or one piece of it that is followed by `more`."""
        if not doc.continues:
            self.n_documents += 1
            self.offset = 0
            if doc.id:
                self.n_sentences = 0
        self.turns.begin(doc)
        parts = self._sentences(doc, more) if doc.n_tokens else []
        parts += [encoded(f"{_comment(comment)}\n") for comment in doc.trailer]
        self.open = bool(doc.trailer) or (self.open and not doc.n_tokens)
        self.offset += len(doc.text)
        return b"".join(parts)

    def _sentences(self, doc: Document, more: Document | None) -> list[bytes]:
        if doc.strings is not self._strings:
            self._strings = doc.strings
            self._rows.set_table(doc.strings.strings)
        bounds, first_word = doc.sentence_bounds, doc.first_word
        starts = first_word[bounds]
        lines = _Lines(doc)
        self._unknown_forms(doc, lines)
        if self.x:
            _project(doc, lines)
        else:
            token_misc = self._misc(doc, first_word, more, lines)
            if doc.empty_nodes or token_misc:
                base = np.repeat(starts[:-1], np.diff(starts))
                self._insert(doc, first_word, base, token_misc, lines)
        comments = ["\n".join(own) for own in self._comments(doc, bounds.tolist())]
        data = self._written(doc, lines, starts, comments)
        if self._rows.outside >= 0:
            word = self._rows.outside
            raise InputError(
                f"the head of word {word} ({doc.words[word].form!r}) is in another sentence",
                file=self.options.file,
            )
        inserted = (line for _, line in (*lines.before, *lines.after))
        if self._rows.is_broken or not all(map(_is_whole, inserted)):
            self._refuse(doc, lines, starts)
        return [data]

    def _written(
        self, doc: Document, lines: _Lines, starts: np.ndarray, comments: list[str]
    ) -> bytes:
        columns = [lines.columns[name] for name in CONLLU]
        rest = (lines.others, starts, comments, lines.before, lines.after)
        arguments: tuple[Any, ...] = (*columns, *rest)
        return self._rows.rows(*arguments)

    def _comments(self, doc: Document, tokens: list[int]) -> Iterator[Iterable[str]]:
        """The comments of each sentence."""
        paragraphs = doc.token_paragraph_start
        marked = len(doc.paragraph_start) > 0
        opens = opens_paragraph(doc)
        name = _name(doc)
        for s, first in enumerate(tokens[:-1]):
            starts = s == 0 and not doc.continues
            paragraph = marked and bool(paragraphs[first]) and (s > 0 or opens)
            own = doc.comments.get(first)
            self.n_sentences += 1
            if own is None:
                yield self._customary(doc, name, first, tokens[s + 1], starts, paragraph)
                continue
            own = tuple(map(_comment, own))
            if starts or paragraph:
                own = self._boundaries(doc, own, starts, paragraph)
            yield own

    def _boundaries(
        self, doc: Document, own: tuple[str, ...], starts: bool, paragraph: bool
    ) -> tuple[str, ...]:
        """Comments of a sentence that say that a document or a paragraph starts."""
        if starts:
            new, name = newdoc_id(own)
            other = name != _name(doc)
            if new and other:
                own = tuple(comment for comment in own if not NEWDOC.match(comment))
            if (not new and (self.n_documents > 1 or doc.id)) or (new and other):
                own = (_newdoc(doc), *own)
        if paragraph and not self.x and not starts_paragraph(own):
            at = 1 if own and NEWDOC.match(own[0]) else 0
            own = (*own[:at], "# newpar", *own[at:])
        return own

    def _customary(
        self,
        doc: Document,
        name: str | None,
        first: int,
        last: int,
        starts: bool,
        paragraph: bool,
    ) -> list[str]:
        comments = [_newdoc(doc)] if starts else []
        if paragraph:
            comments.append("# newpar")
        number = f"{name}-{self.n_sentences}" if name else str(self.n_sentences)
        comments.append(f"# sent_id = {number}")
        comments += self.turns.comments(first, last)
        text = doc.text[int(doc.token_start[first]) : int(doc.token_end[last - 1])]
        comments.append(f"# text = {' '.join(text.split())}")
        return comments

    # ----------------------------------------------------------------- words

    def _unknown_forms(self, doc: Document, lines: _Lines) -> None:
        """Words without a form have that of their token, on one line."""
        forms = {}
        for word in np.flatnonzero(doc.form == 0).tolist():
            token = doc.words[word].token
            forms[word] = one_line((not token.is_multiword and token.text) or "_")
        lines.set("form", forms)

    def _insert(
        self,
        doc: Document,
        first_word: np.ndarray,
        base: np.ndarray,
        token_misc: dict[int, str],
        lines: _Lines,
    ) -> None:
        """The lines of empty nodes and of multi-word tokens."""
        for node in doc.empty_nodes:
            line = self._empty(node, base)
            if node.anchor >= 0:
                lines.after.append((node.anchor, line))
            else:
                lines.before.append((node.word, line))
        for token, misc in token_misc.items():
            a, b = int(first_word[token]), int(first_word[token + 1])
            start = int(base[a])
            surface = doc.text[int(doc.token_start[token]) : int(doc.token_end[token])]
            rest = doc.token_columns.get(token, ("",) * 7)
            fields = (f"{a - start + 1}-{b - start}", one_line(surface), *rest, misc)
            lines.before.append((a, "\t".join(value or "_" for value in fields)))

    @staticmethod
    def _empty(node: EmptyNode, base: np.ndarray) -> str:
        major = node.anchor - int(base[node.anchor]) + 1 if node.anchor >= 0 else 0
        fields = (node.form, node.lemma, node.upos, node.xpos, node.feats)
        line = [f"{major}.{node.minor}", *fields, "", "", node.deps, node.misc]
        return "\t".join(value or "_" for value in line)

    # ------------------------------------------------------------------ MISC

    def _misc(
        self, doc: Document, first_word: np.ndarray, more: Document | None, lines: _Lines
    ) -> dict[int, str]:
        """Set MISC of the words; return that of multi-word tokens, which have the spaces."""
        single = np.diff(first_word) == 1
        if single.all():
            of_token = doc.misc[first_word[:-1]].astype(np.int32, copy=False)
        else:
            of_token = np.where(single, doc.misc[first_word[:-1]], doc.token_misc).astype(
                np.int32, copy=False
            )
        changed, self.carried = respaced(
            doc, of_token, first_word, more, self.carried, self._rows.spacing
        )
        confidences = self.options.confidences
        for token, drop, add in chain(
            self.turns.marks(doc, of_token),
            align_items(doc, of_token, confidences),
            self._token_items(doc),
            _confidence_items(doc, "tag_conf", single) if confidences else (),
            _confidence_items(doc, "arc_conf", single) if confidences else (),
        ):
            old = changed.get(token, doc.strings[of_token[token]])
            changed[token] = with_attributes(old, drop, add)
        of_multiword = {
            token: changed.pop(token, doc.strings[of_token[token]])
            for token in np.flatnonzero(~single).tolist()
        }
        words = first_word[list(changed)].tolist()
        of_words = dict(zip(words, changed.values(), strict=True))
        for name in ("tag_conf", "arc_conf") if confidences and of_multiword else ():
            for word, drop, add in _confidence_items(doc, name, ~single, by_token=False):
                old = of_words.get(word, doc.strings[doc.misc[word]])
                of_words[word] = with_attributes(old, drop, add)
        lines.set("misc", of_words)
        return of_multiword

    def _token_items(self, doc: Document) -> Iterator[MiscChange]:
        """TokenRange and the confidences of boundaries."""
        if self.options.token_range:
            starts = (doc.token_start + self.offset).tolist()
            ends = (doc.token_end + self.offset).tolist()
            for token, (start, end) in enumerate(zip(starts, ends, strict=True)):
                yield token, ("TokenRange",), [f"TokenRange={start}:{end}"]
        if self.options.confidences and doc.sent_conf is not None:
            key = CONFIDENCE_KEYS["sent_conf"]
            for token in np.flatnonzero(~np.isnan(doc.sent_conf)).tolist():
                yield token, (key,), [f"{key}={doc.sent_conf[token]!s}"]

    @staticmethod
    def _refuse(doc: Document, lines: _Lines, starts: np.ndarray) -> None:
        """Raise an error that shows the first line with a tab or a line end in a value."""
        before, after = _by_word(lines.before), _by_word(lines.after)
        base = np.repeat(starts[:-1], np.diff(starts)).tolist()
        for word in range(doc.n_words):
            cells = lines.cells(word, base[word])
            for line in (*before.get(word, ()), "\t".join(cells), *after.get(word, ())):
                if not _is_whole(line):
                    raise InputError(
                        f"a value in {line!r} holds a tab or a line end, "
                        "which the format cannot hold",
                        file=doc.source,
                        remedy="Change the value, or write jsonl, which holds it.",
                    )


def _confidence_items(
    doc: Document, name: str, wanted: np.ndarray, *, by_token: bool = True
) -> Iterator[MiscChange]:
    """What MISC says of the confidences of words whose tokens are wanted."""
    values, key = getattr(doc, name), CONFIDENCE_KEYS[name]
    if values is not None:
        for word in np.flatnonzero(~np.isnan(values) & wanted[doc.word_token]).tolist():
            row = int(doc.word_token[word]) if by_token else word
            yield row, (key,), [f"{key}={values[word]!s}"]


class _Lines:
    """The columns of a document's words as they are written, and the lines between them."""

    def __init__(self, doc: Document) -> None:
        self._doc = doc
        self.columns = {name: np.ascontiguousarray(getattr(doc, name), np.int32) for name in CONLLU}
        #: Values that are not in the table of strings; -1 is the number of the first.
        self.others: list[str] = []
        self._numbers: dict[str, int] = {}
        self.before: list[tuple[int, str]] = []
        self.after: list[tuple[int, str]] = []

    def cells(self, word: int, first: int) -> list[str]:
        """The ten values of a word of the sentence that starts at the word `first`."""
        values = {}
        for name, column in self.columns.items():
            number = int(column[word]) if name != "head" else 0
            string = self.others[-1 - number] if number < 0 else self._doc.strings[number]
            values[name] = string or "_"
        head = int(self.columns["head"][word])
        values["head"] = "_" if head == UNKNOWN else str(head - first + 1 if head >= 0 else 0)
        return [str(word - first + 1), one_line(values.pop("form")), *values.values()]

    def set(self, column: str, values: dict[int, str]) -> None:
        """Write other values for some words."""
        if not values:
            return
        for value in values.values():
            if value not in self._numbers:
                self.others.append(value)
                self._numbers[value] = -len(self.others)
        column_values = self.columns[column].copy()
        column_values[list(values)] = [self._numbers[value] for value in values.values()]
        self.columns[column] = column_values


def _project(doc: Document, lines: _Lines) -> None:
    """PHEAD and PDEPREL, from the attributes of MISC that keep them."""
    for column, key in (("deps", "PHead"), ("misc", "PDeprel")):
        lines.columns[column] = np.zeros(doc.n_words, np.int32)
        if doc.misc.any():
            for word, misc in enumerate(doc.column("misc")):
                if key in misc:
                    lines.set(column, {word: misc_items(misc).get(key, "")})


def _by_word(lines: list[tuple[int, str]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for word, line in lines:
        found.setdefault(word, []).append(line)
    return found


def _name(doc: Document) -> str | None:
    """The id of a document as it can be read again."""
    return one_line(doc.id or "").strip() or None


def _newdoc(doc: Document) -> str:
    name = _name(doc)
    return f"# newdoc id = {name}" if name else "# newdoc"


def _comment(comment: str) -> str:
    """A comment as one line that is one, whatever it holds."""
    line = one_line(comment)
    return line if line.startswith("#") else f"# {line}".rstrip()


def _is_whole(line: str) -> bool:
    return line.count("\t") == 9 and "\n" not in line and "\r" not in line
