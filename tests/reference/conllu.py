"""A slow, obvious twin of the writer of CoNLL-U and CoNLL-X: a line a word, a word at a time."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.document import CONFIDENCE_KEYS, UNKNOWN, YES, Document
from caesura.errors import InputError
from caesura.formats.build import encoded, one_line
from caesura.formats.conllu.attributes import Spacing, opens_paragraph, spacing, with_attributes
from caesura.formats.conllu.attributes import with_spacing as respelt
from caesura.formats.conllu.write import _Writer
from caesura.formats.options import WriteOptions


def written(documents: Sequence[Document], *, x: bool = False, **options: bool) -> bytes:
    writer = Plain(WriteOptions(**options), x)
    out = b""
    for number, doc in enumerate(documents):
        following = documents[number + 1] if number + 1 < len(documents) else None
        out += writer.data(
            doc, following if following is not None and following.continues else None
        )
    return out + b"\n" * writer.open


class Plain(_Writer):
    """Comments are those of the writer."""

    def _sentences(self, doc: Document, more: Document | None) -> list[bytes]:
        misc, token_misc = self._values(doc, more)
        bounds = doc.sentence_bounds.tolist()
        out: list[str] = []
        for s, comments in enumerate(self._comments(doc, bounds)):
            out += comments
            first, last = (int(doc.first_word[bounds[k]]) for k in (s, s + 1))
            lines: list[str] = []
            for word in range(first, last):
                lines += self._lines(doc, word, first, last, misc, token_misc)
            for line in lines:
                if line.count("\t") != 9 or "\n" in line or "\r" in line:
                    raise InputError("a value holds a tab or a line end")
            out += [*lines, ""]
        return [encoded("".join(line + "\n" for line in out))]

    def _lines(
        self,
        doc: Document,
        word: int,
        first: int,
        last: int,
        misc: list[str],
        token_misc: dict[int, str],
    ) -> list[str]:
        head = int(doc.head[word])
        if head >= 0 and not first <= head < last:
            raise InputError("a head is in another sentence")
        written_head = "_" if head == UNKNOWN else "0" if head < 0 else str(head - first + 1)
        token = int(doc.word_token[word])
        form = doc.column("form")[word]
        if not form:
            it = doc.tokens[token]
            form = (not it.is_multiword and it.text) or "_"
        tail = [doc.column("deps")[word], misc[word]]
        if self.x:
            found = dict(item.partition("=")[::2] for item in misc[word].split("|"))
            tail = [found.get("PHead", ""), found.get("PDeprel", "")]
        tags = [doc.column(name)[word] for name in ("lemma", "upos", "xpos", "feats")]
        values = [one_line(form), *tags, written_head, doc.column("deprel")[word], *tail]
        row = "\t".join([str(word - first + 1), *(value or "_" for value in values)])
        if self.x:
            return [row]
        before = [self._node(n, first) for n in doc.empty_nodes if n.anchor < 0 and n.word == word]
        if token in token_misc and int(doc.first_word[token]) == word:
            end = int(doc.first_word[token + 1])
            rest = doc.token_columns.get(token, ("",) * 7)
            surface = one_line(doc.tokens[token].text)
            fields = (f"{word - first + 1}-{end - first}", surface, *rest, token_misc[token])
            before.append("\t".join(value or "_" for value in fields))
        after = [self._node(n, first) for n in doc.empty_nodes if n.anchor == word]
        return [*before, row, *after]

    @staticmethod
    def _node(node, first: int) -> str:  # type: ignore[no-untyped-def]
        major = node.anchor - first + 1 if node.anchor >= 0 else 0
        fields = (node.form, node.lemma, node.upos, node.xpos, node.feats, "", "", node.deps)
        return "\t".join([f"{major}.{node.minor}", *(v or "_" for v in (*fields, node.misc))])

    def _values(self, doc: Document, more: Document | None) -> tuple[list[str], dict[int, str]]:
        """MISC of the words and of multi-word tokens."""
        misc = doc.column("misc")
        if self.x:
            return misc, {}
        first = doc.first_word.tolist()
        several = [first[t + 1] - first[t] > 1 for t in range(doc.n_tokens)]
        of_token = [
            doc.strings[doc.token_misc[t]] if several[t] else misc[first[t]]
            for t in range(doc.n_tokens)
        ]
        values = self._spaced(doc, of_token, several, more)
        ids = doc.strings.ids(of_token)
        for token, drop, add in self.turns.marks(doc, ids):
            values[token] = with_attributes(values[token], drop, add)
        if self.options.token_range:
            for token in range(doc.n_tokens):
                start, end = (int(at[token]) for at in (doc.token_start, doc.token_end))
                where = f"TokenRange={start + self.offset}:{end + self.offset}"
                values[token] = with_attributes(values[token], ("TokenRange",), [where])
        if self.options.confidences and doc.sent_conf is not None:
            for token, sure in enumerate(doc.sent_conf):
                if sure == sure:
                    values[token] = _with(values[token], "sent_conf", str(sure))
        for name in ("tag_conf", "arc_conf"):
            confidences = getattr(doc, name) if self.options.confidences else None
            for word, sure in enumerate(confidences if confidences is not None else ()):
                token = int(doc.word_token[word])
                if sure == sure and several[token]:
                    misc[word] = _with(misc[word], name, str(sure))
                elif sure == sure:
                    values[token] = _with(values[token], name, str(sure))
        for token in range(doc.n_tokens):
            if not several[token]:
                misc[first[token]] = values[token]
        return misc, {token: values[token] for token in range(doc.n_tokens) if several[token]}

    def _spaced(
        self, doc: Document, of_token: list[str], several: list[bool], more: Document | None
    ) -> list[str]:
        """MISC of the tokens that says what the text says about spaces."""
        values, carried = [], self.carried
        if not doc.continues:
            carried = doc.text[: int(doc.token_start[0])]
        opens = [bool(start) for start in doc.token_paragraph_start]
        opens[0] = opens_paragraph(doc)
        starts = [s == 0 or bool(doc.sent_start[s] == YES) for s in range(doc.n_tokens)]
        for token, misc in enumerate(of_token):
            it, end = spacing(misc), int(doc.token_end[token])
            surface = doc.tokens[token].text
            form = doc.strings[doc.form[doc.first_word[token]]]
            form = surface if several[token] else form
            if token + 1 < doc.n_tokens:
                gap = doc.text[end : int(doc.token_start[token + 1])]
                usual = "\n\n" if opens[token + 1] else " "
                before = spacing(of_token[token + 1]).before or ""
            elif more is not None and more.n_tokens:
                gap = doc.text[end:] + more.text[: int(more.token_start[0])]
                usual = "\n\n" if opens_paragraph(more) else " "
                next_one = more.tokens[0]
                own = more.token_misc[0] if next_one.is_multiword else more.misc[0]
                before = spacing(more.strings[own]).before or ""
            else:
                gap, usual, before = doc.text[end:], "", ""
            inside = opens[token] and not starts[token]
            agrees = (usual if it.after is None else it.after) + before == gap
            same = agrees and (form if it.surface is None else it.surface) == surface
            left = before if agrees else ""
            if same and (it.before or "") == carried and it.new_paragraph == inside:
                values.append(misc)
            else:
                rest = gap[: len(gap) - len(left)]
                wanted = Spacing(
                    before=carried or None,
                    after=None if rest == usual else rest,
                    surface=surface if one_line(form) != surface else None,
                    new_paragraph=inside,
                )
                values.append(respelt(misc, wanted))
            carried = left
        self.carried = carried
        return values


def _with(misc: str, column: str, value: object) -> str:
    key = CONFIDENCE_KEYS[column]
    return with_attributes(misc, (key,), [f"{key}={value}"])
