"""Documents to ten columns: CoNLL-U and CoNLL-X.

Comments and MISC are written as they are. Spacing attributes are made anew only for tokens whose
MISC does not say what the text says, and a sentence without comments of its own gets the customary
ones: document, paragraph, number, text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import numpy as np

from caesura.document import CONFIDENCE_KEYS, UNKNOWN, Document
from caesura.errors import InputError
from caesura.formats.build import BLANKS, encoded, one_line
from caesura.formats.conllu.comments import NEWDOC, newdoc_id, starts_paragraph
from caesura.formats.conllu.spacing import opens_paragraph, respaced, with_attributes
from caesura.formats.conllu.turns import TurnWriter
from caesura.formats.options import WriteOptions

__all__ = ["rows", "write", "write_rows"]

_NUMERALS = [str(number) for number in range(512)]


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
    for doc, following in _with_next(documents):
        more = following if following is not None and following.continues else None
        yield encoded(writer.text(doc, more))


def _with_next(documents: Iterable[Document]) -> Iterator[tuple[Document, Document | None]]:
    previous: Document | None = None
    for doc in documents:
        if previous is not None:
            yield previous, doc
        previous = doc
    if previous is not None:
        yield previous, None


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
        self.turns = TurnWriter()

    def text(self, doc: Document, more: Document | None) -> str:
        """One document, or one piece of it that is followed by `more`."""
        if not doc.continues:
            self.n_documents += 1
            self.offset = 0
            if doc.id:
                self.n_sentences = 0
        self.turns.begin(doc)
        body = self._sentences(doc, more) if doc.n_tokens else []
        if doc.trailer:
            body += [*map(_comment, doc.trailer), ""]
        self.offset += len(doc.text)
        return "\n".join([*body, ""]) if body else ""

    def _sentences(self, doc: Document, more: Document | None) -> list[str]:
        rows, row_bounds = self._rows(doc, more)
        tokens = doc.sentence_bounds.tolist()
        paragraphs = doc.token_paragraph_start
        marked = len(doc.paragraph_start) > 0
        out: list[str] = []
        for s, first in enumerate(tokens[:-1]):
            starts = s == 0 and not doc.continues
            paragraph = marked and bool(paragraphs[first]) and (s > 0 or opens_paragraph(doc))
            own = doc.comments.get(first)
            if own is not None:
                own = tuple(map(_comment, own))
            self.n_sentences += 1
            if own is None:
                out += self._customary(doc, first, tokens[s + 1], starts, paragraph)
            elif starts or paragraph:
                out += self._boundaries(doc, own, starts, paragraph)
            else:
                out += own
            out += rows[row_bounds[s] : row_bounds[s + 1]]
            out.append("")
        return out

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
        self, doc: Document, first: int, last: int, starts: bool, paragraph: bool
    ) -> list[str]:
        comments = [_newdoc(doc)] if starts else []
        if paragraph:
            comments.append("# newpar")
        name = _name(doc)
        number = f"{name}-{self.n_sentences}" if name else str(self.n_sentences)
        comments.append(f"# sent_id = {number}")
        comments += self.turns.comments(first, last)
        text = doc.text[int(doc.token_start[first]) : int(doc.token_end[last - 1])]
        comments.append(f"# text = {' '.join(text.split())}")
        return comments

    # ------------------------------------------------------------------ rows

    def _rows(self, doc: Document, more: Document | None) -> tuple[list[str], list[int]]:
        """The lines of all words, multi-word tokens and empty nodes, and where sentences start."""
        sentence = doc.word_sentence
        n = doc.n_words
        word_bounds = np.searchsorted(sentence, np.arange(doc.n_sentences + 1))
        base = word_bounds[sentence] if n else word_bounds[:0]
        ids = _numerals(np.arange(n) - base + 1)
        local = np.where(doc.head >= 0, doc.head - base + 1, 0)
        counts = np.diff(word_bounds)[sentence]
        if np.any((doc.head >= 0) & ((local < 1) | (local > counts))):
            word = int(np.flatnonzero((doc.head >= 0) & ((local < 1) | (local > counts)))[0])
            raise InputError(
                f"the head of word {word} ({doc.words[word].form!r}) is in another sentence",
                file=self.options.file,
            )
        heads = _numerals(local)
        for word in np.flatnonzero(doc.head == UNKNOWN).tolist():
            heads[word] = "_"
        first_word = doc.first_word
        misc, token_misc = self._misc(doc, first_word, more)
        forms = self._forms(doc)
        values = [_column(doc, name) for name in ("lemma", "upos", "xpos", "feats")]
        deprel = _column(doc, "deprel")
        if self.x:
            tail = _projected(misc)
        else:
            tail = (_column(doc, "deps"), [value or "_" for value in misc])
        columns = (ids, forms, *values, heads, deprel, *tail)
        rows = list(map("\t".join, zip(*columns, strict=True)))
        bounds = word_bounds.tolist()
        if not self.x:
            rows, bounds = self._insert(doc, rows, bounds, first_word, token_misc, base)
        _verify(doc, rows)
        return rows, bounds

    def _forms(self, doc: Document) -> list[str]:
        forms = doc.column("form")
        for i in np.flatnonzero(doc.form == 0).tolist():
            token = doc.words[i].token
            forms[i] = (not token.is_multiword and token.text) or "_"
        if BLANKS.search(" ".join(forms)):
            forms = [one_line(form) for form in forms]
        return forms

    def _insert(
        self,
        doc: Document,
        rows: list[str],
        bounds: list[int],
        first_word: np.ndarray,
        token_misc: dict[int, str],
        base: np.ndarray,
    ) -> tuple[list[str], list[int]]:
        """Add the lines of multi-word tokens and of empty nodes."""
        multiword = np.flatnonzero(np.diff(first_word) > 1).tolist()
        if not multiword and not doc.empty_nodes:
            return rows, bounds
        before: dict[int, list[str]] = {}
        after: dict[int, list[str]] = {}
        for node in doc.empty_nodes:
            line = self._empty(node, base)
            if node.anchor >= 0:
                after.setdefault(node.anchor, []).append(line)
            else:
                before.setdefault(node.word, []).append(line)
        for token in multiword:
            a, b = int(first_word[token]), int(first_word[token + 1])
            start = int(base[a])
            surface = doc.text[int(doc.token_start[token]) : int(doc.token_end[token])]
            rest = doc.token_columns.get(token, ("",) * 7)
            fields = (f"{a - start + 1}-{b - start}", one_line(surface), *rest, token_misc[token])
            before.setdefault(a, []).append("\t".join(value or "_" for value in fields))
        out: list[str] = []
        places = {word: k for k, word in enumerate(bounds)}
        starts = [0] * len(bounds)
        at = 0
        for word in sorted(before.keys() | after.keys() | places.keys()):
            out += rows[at:word]
            at = word
            if word in places:
                starts[places[word]] = len(out)
            out += before.get(word, ())
            if word in after:
                out.append(rows[word])
                out += after[word]
                at = word + 1
        return out, starts

    @staticmethod
    def _empty(node, base: np.ndarray) -> str:  # type: ignore[no-untyped-def]
        major = node.anchor - int(base[node.anchor]) + 1 if node.anchor >= 0 else 0
        fields = (node.form, node.lemma, node.upos, node.xpos, node.feats)
        line = [f"{major}.{node.minor}", *fields, "", "", node.deps, node.misc]
        return "\t".join(value or "_" for value in line)

    # ------------------------------------------------------------------ MISC

    def _misc(
        self, doc: Document, first_word: np.ndarray, more: Document | None
    ) -> tuple[list[str], dict[int, str]]:
        """MISC of the words, and of multi-word tokens, which carry the spacing of theirs."""
        misc = doc.column("misc")
        single = np.diff(first_word) == 1
        of_token = np.where(single, doc.misc[first_word[:-1]], doc.token_misc)
        changed: dict[int, str] = {}
        if not self.x:
            changed, self.carried = respaced(doc, of_token, first_word, more, self.carried)
            self._mark_turns(doc, of_token, changed)
            self._add_attributes(doc, of_token, changed, first_word, misc)
        token_misc: dict[int, str] = {}
        for token in np.flatnonzero(~single).tolist():
            token_misc[token] = changed.pop(token, doc.strings[of_token[token]])
        for token, value in changed.items():
            misc[int(first_word[token])] = value
        return misc, token_misc

    def _mark_turns(self, doc: Document, of_token: np.ndarray, changed: dict[int, str]) -> None:
        for token, (drop, add) in self.turns.marks(doc, of_token).items():
            old = changed.get(token, doc.strings[of_token[token]])
            changed[token] = with_attributes(old, drop, add)

    def _add_attributes(
        self,
        doc: Document,
        of_token: np.ndarray,
        changed: dict[int, str],
        first_word: np.ndarray,
        misc: list[str],
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
        single = np.diff(first_word) == 1
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
                    misc[word] = with_attributes(misc[word], (key,), [f"{key}={values[word]}"])


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


def _verify(doc: Document, rows: list[str]) -> None:
    """No value may hold a tab or a line end."""
    text = "\n".join(rows)
    whole = text.count("\t") == 9 * len(rows) and text.count("\n") < max(len(rows), 1)
    if whole and "\r" not in text:
        return
    for row in rows:
        if row.count("\t") != 9 or "\n" in row or "\r" in row:
            raise InputError(
                f"a value in {row!r} holds a tab or a line end, which the format cannot hold",
                file=doc.source,
                remedy="Change the value, or write jsonl, which holds it.",
            )


def _numerals(numbers: np.ndarray) -> list[str]:
    """Numbers as strings; small ones, which are nearly all, are at hand."""
    values = numbers.tolist()
    if max(values, default=0) < len(_NUMERALS):
        return [_NUMERALS[value] for value in values]
    return [str(value) for value in values]


def _column(doc: Document, name: str) -> list[str]:
    """A column of strings, `_` where there is none."""
    ids: np.ndarray = getattr(doc, name)
    if not ids.any():
        return ["_"] * len(ids)
    strings = doc.strings
    values = {i: strings[i] or "_" for i in set(ids.tolist())}
    return [values[i] for i in ids.tolist()]


def _projected(misc: list[str]) -> tuple[list[str], list[str]]:
    """PHEAD and PDEPREL from the attributes of MISC that keep them."""
    heads, deprels = [], []
    for value in misc:
        head = deprel = "_"
        if "PHead=" in value or "PDeprel=" in value:
            for item in value.split("|"):
                key, _, rest = item.partition("=")
                if key == "PHead":
                    head = rest or "_"
                elif key == "PDeprel":
                    deprel = rest or "_"
        heads.append(head)
        deprels.append(deprel)
    return heads, deprels
