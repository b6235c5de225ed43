"""Documents to ten columns: CoNLL-U and CoNLL-X.

Comments and MISC are written as they are. Spacing attributes are made anew only for tokens whose
MISC does not say what the text says, and a sentence without comments of its own gets the customary
ones: document, paragraph, number, text. What is not a cell of a word (comments, multi-word tokens,
empty nodes) is written with the cell of the word before or behind which it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import numpy as np

from caesura.document import CONFIDENCE_KEYS, UNKNOWN, Document
from caesura.errors import InputError
from caesura.formats.build import BLANKS, encoded, one_line, with_next
from caesura.formats.conllu import cells
from caesura.formats.conllu.cells import ByString, Cells, Objects, cell
from caesura.formats.conllu.comments import NEWDOC, newdoc_id, starts_paragraph
from caesura.formats.conllu.spacing import (
    opens_paragraph,
    respaced,
    spacing_codes,
    with_attributes,
)
from caesura.formats.conllu.turns import TurnWriter
from caesura.formats.options import WriteOptions

__all__ = ["rows", "write", "write_rows"]

#: The columns of strings, by their places; ID and HEAD are numbers.
_STRINGS: Final = {1: "form", 2: "lemma", 3: "upos", 4: "xpos", 5: "feats", 7: "deprel"}
_ID, _FORM, _HEAD, _DEPS, _MISC = 0, 1, 6, 8, 9
#: Words whose cells are joined at once, few enough for the processor's caches.
_AT_ONCE: Final = 4096


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as CoNLL-U."""
    write_rows(documents, stream, options, x=False)


def write_rows(
    documents: Iterable[Document], stream: BinaryIO, options: WriteOptions, *, x: bool
) -> None:
    """Write documents as CoNLL-U, or as CoNLL-X."""
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
        self._cells = Cells()
        self._codes = ByString(spacing_codes, np.int8)
        self._projections = ByString(self._projected, object)

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
        bounds, first_word = doc.sentence_bounds, doc.first_word
        starts = first_word[bounds]
        counts = np.diff(starts)
        base = np.repeat(starts[:-1], counts)
        table = self._table(doc, base, np.repeat(counts, counts))
        extra = _Extra()
        self._misc(doc, table, first_word, more, extra)
        if not self.x:
            self._insert(doc, first_word, base, extra)
        self._verify(doc, table, extra)
        self._put(doc, table, starts.tolist(), bounds.tolist(), extra)
        parts = [
            b"".join(table[at : at + _AT_ONCE].ravel().tolist())
            for at in range(0, len(table), _AT_ONCE)
        ]
        return [*parts, b"\n\n"]

    def _put(
        self, doc: Document, table: Objects, words: list[int], tokens: list[int], extra: _Extra
    ) -> None:
        """Write what stands between lines of words with the cells at their ends."""
        for word, lines in extra.after.items():
            table[word, _MISC] += encoded("\n" + "\n".join(lines))
        starts = set(words)
        for word, lines in extra.before.items():
            if word not in starts:
                table[word, _ID] = encoded("\n" + "\n".join(lines)) + table[word, _ID]
        gap = ""
        for word, comments in zip(words[:-1], self._comments(doc, tokens), strict=True):
            lines = [*comments, *extra.before.get(word, ()), "1"]
            table[word, _ID] = encoded(gap + "\n".join(lines))
            gap = "\n\n"

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

    # ----------------------------------------------------------------- table

    def _table(self, doc: Document, base: np.ndarray, counts: np.ndarray) -> Objects:
        """The cells of all words, MISC as it is."""
        has = doc.head >= 0
        local = np.where(has, doc.head - base + 1, 0)
        outside = has & ((local < 1) | (local > counts))
        if outside.any():
            word = int(np.flatnonzero(outside)[0])
            raise InputError(
                f"the head of word {word} ({doc.words[word].form!r}) is in another sentence",
                file=self.options.file,
            )
        numbers = np.zeros((doc.n_words, 10), np.int32)
        for place, name in _STRINGS.items():
            numbers[:, place] = getattr(doc, name)
        if not self.x:
            numbers[:, _DEPS], numbers[:, _MISC] = doc.deps, doc.misc
        table = self._cells.of(doc.strings, numbers)
        table[:, _ID] = cells.ids(np.arange(1, len(base) + 1) - base)
        table[:, _HEAD] = cells.heads(local)
        table[doc.head == UNKNOWN, _HEAD] = cells.NOTHING
        if self.x and doc.misc.any():
            pairs = self._projections.of(doc.strings, doc.misc).tolist()
            table[:, _DEPS], table[:, _MISC] = zip(*pairs, strict=True)
        self._forms(doc, table)
        return table

    def _projected(self, values: list[str]) -> list[tuple[bytes, bytes]]:
        """The cells of PHEAD and PDEPREL from the attributes of MISC that keep them."""
        self._cells.broken |= any(map(BLANKS.search, values))
        pairs = []
        for misc in values:
            found = {"PHead": "", "PDeprel": ""}
            for item in misc.split("|"):
                key, _, value = item.partition("=")
                if key in found:
                    found[key] = value
            pairs.append((cell(found["PHead"]), cell(found["PDeprel"])))
        return pairs

    def _forms(self, doc: Document, table: Objects) -> None:
        """Forms that are not known are those of their tokens; none is more than one line."""
        for word in np.flatnonzero(doc.form == 0).tolist():
            token = doc.words[word].token
            form = (not token.is_multiword and token.text) or "_"
            table[word, _FORM] = cell(one_line(form))
        if self._cells.broken:
            for word, form in enumerate(doc.column("form")):
                if BLANKS.search(form):
                    table[word, _FORM] = cell(one_line(form))

    def _insert(
        self, doc: Document, first_word: np.ndarray, base: np.ndarray, extra: _Extra
    ) -> None:
        """The lines of empty nodes and of multi-word tokens."""
        for node in doc.empty_nodes:
            line = self._empty(node, base)
            if node.anchor >= 0:
                extra.after.setdefault(node.anchor, []).append(line)
            else:
                extra.before.setdefault(node.word, []).append(line)
        for token, misc in extra.token_misc.items():
            a, b = int(first_word[token]), int(first_word[token + 1])
            start = int(base[a])
            surface = doc.text[int(doc.token_start[token]) : int(doc.token_end[token])]
            rest = doc.token_columns.get(token, ("",) * 7)
            fields = (f"{a - start + 1}-{b - start}", one_line(surface), *rest, misc)
            line = "\t".join(value or "_" for value in fields)
            extra.before.setdefault(a, []).append(line)

    @staticmethod
    def _empty(node, base: np.ndarray) -> str:  # type: ignore[no-untyped-def]
        major = node.anchor - int(base[node.anchor]) + 1 if node.anchor >= 0 else 0
        fields = (node.form, node.lemma, node.upos, node.xpos, node.feats)
        line = [f"{major}.{node.minor}", *fields, "", "", node.deps, node.misc]
        return "\t".join(value or "_" for value in line)

    # ------------------------------------------------------------------ MISC

    def _misc(
        self,
        doc: Document,
        table: Objects,
        first_word: np.ndarray,
        more: Document | None,
        extra: _Extra,
    ) -> None:
        """MISC of the words, and of multi-word tokens, which carry the spacing of theirs."""
        if self.x:
            return
        single = np.diff(first_word) == 1
        of_token = np.where(single, doc.misc[first_word[:-1]], doc.token_misc)
        codes = self._codes.of(doc.strings, of_token)
        changed, self.carried = respaced(doc, of_token, first_word, more, self.carried, codes)
        self._mark_turns(doc, of_token, changed)
        of_words: dict[int, str] = {}
        self._add_attributes(doc, of_token, changed, single, of_words)
        for token in np.flatnonzero(~single).tolist():
            extra.token_misc[token] = changed.pop(token, doc.strings[of_token[token]])
        tokens = np.fromiter(changed, np.int64, len(changed))
        of_words.update(zip(first_word[tokens].tolist(), changed.values(), strict=True))
        made = {value: cell(value) for value in set(of_words.values())}
        for word, value in of_words.items():
            table[word, _MISC] = made[value]

    def _mark_turns(self, doc: Document, of_token: np.ndarray, changed: dict[int, str]) -> None:
        for token, (drop, add) in self.turns.marks(doc, of_token).items():
            old = changed.get(token, doc.strings[of_token[token]])
            changed[token] = with_attributes(old, drop, add)

    def _add_attributes(
        self,
        doc: Document,
        of_token: np.ndarray,
        changed: dict[int, str],
        single: np.ndarray,
        of_words: dict[int, str],
    ) -> None:
        """TokenRange and confidences, where they are asked for."""

        def put(token: int, drop: str, value: str) -> None:
            old = changed.get(token, doc.strings[of_token[token]])
            changed[token] = with_attributes(old, (drop,), [f"{drop}={value}"])

        if self.options.token_range:
            starts = (doc.token_start + self.offset).tolist()
            ends = (doc.token_end + self.offset).tolist()
            for token, (start, end) in enumerate(zip(starts, ends, strict=True)):
                put(token, "TokenRange", f"{start}:{end}")
        if not self.options.confidences:
            return
        if doc.sent_conf is not None:
            for token in np.flatnonzero(~np.isnan(doc.sent_conf)).tolist():
                put(token, CONFIDENCE_KEYS["sent_conf"], str(doc.sent_conf[token]))
        for name in ("tag_conf", "arc_conf"):
            values = getattr(doc, name)
            if values is None:
                continue
            key = CONFIDENCE_KEYS[name]
            for word in np.flatnonzero(~np.isnan(values)).tolist():
                token = int(doc.word_token[word])
                if single[token]:
                    put(token, key, str(values[word]))
                else:
                    old = of_words.get(word, doc.strings[doc.misc[word]])
                    of_words[word] = with_attributes(old, (key,), [f"{key}={values[word]!s}"])

    def _verify(self, doc: Document, table: Objects, extra: _Extra) -> None:
        """No value may hold a tab or a line end."""
        lines = [*extra.before.items(), *extra.after.items()]
        if not self._cells.broken and all(map(_is_whole, (row for _, own in lines for row in own))):
            return
        for word, fields in enumerate(table):
            row = b"".join(fields).decode().removeprefix("\n")
            for line in (*extra.before.get(word, ()), row, *extra.after.get(word, ())):
                if not _is_whole(line):
                    raise InputError(
                        f"a value in {line!r} holds a tab or a line end, "
                        "which the format cannot hold",
                        file=doc.source,
                        remedy="Change the value, or write jsonl, which holds it.",
                    )


class _Extra:
    """What is written beside the words: lines before and after some of them."""

    def __init__(self) -> None:
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}
        #: MISC of multi-word tokens.
        self.token_misc: dict[int, str] = {}


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
