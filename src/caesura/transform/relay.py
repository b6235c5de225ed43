"""The same words in another layout: wrapped, a sentence a line, as a list, double-spaced, indented.

Words, tags, trees and boundaries stay as they are; the blanks between tokens change, and with them
the offsets. Two layouts change more: a list gets bullets, which are words of their own, and where
words are hyphenated at the end of a line their token spans both parts and the form stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from caesura.document import NO, YES, Document, Longs
from caesura.transform.columns import laid_out, moved_offsets, rows_of, without_text
from caesura.transform.spoken import lower, speech


def one_line_paragraphs(doc: Document) -> Document:
    """The same with one newline, not two, after each paragraph; offsets stay."""
    return replace(
        doc,
        text=doc.text.replace("\n\n", " \n"),
        paragraph_start=np.zeros(0, dtype=np.int64),
        token_break=None,
    )


def hard_wrapped(doc: Document, width: int) -> Document:
    """The same with lines of at most about `width` characters; offsets stay."""
    text = list(doc.text)
    line = space = 0
    for at, character in enumerate(doc.text):
        if character == "\n":
            line = space = at + 1
        elif character == " ":
            space = at
        if at - line >= width and space > line:
            text[space] = "\n"
            line = space + 1
    return replace(
        doc,
        text="".join(text),
        paragraph_start=np.zeros(0, dtype=np.int64),
        token_break=None,
    )


#: The layouts that there are. Chat is lines in lower case or without punctuation.
LAYOUTS: Final = (
    "wrapped",
    "hyphenated",
    "lines",
    "chat",
    "list",
    "double-spaced",
    "no blank lines",
)
#: The probability of each if none is requested.
_SHARES: Final = (0.3, 0.1, 0.15, 0.15, 0.1, 0.08, 0.12)
#: Layouts that leave the words as they are, to the last one.
SAME_WORDS: Final = ("wrapped", "wrapped", "hyphenated", "lines", "double-spaced", "no blank lines")
_NARROWEST, _WIDEST = 40, 100
_BULLETS: Final = ("-", "*", "•")
_VOWELS: Final = frozenset("aeiouyäöüáéíóúàèìòùâêîôû")
#: Words shorter than this are not hyphenated, and so many characters stay on either side.
_LEAST_WORD, _LEAST_PART = 6, 2
#: How often a word that could be hyphenated is.
_HYPHENATED: Final = 0.7


def relaid(
    doc: Document,
    random: np.random.Generator,
    layout: str | None = None,
    *,
    width: int | None = None,
    whole_tokens: bool = False,
) -> Document:
    """A copy of a document with its words in one of `LAYOUTS`, by default a random one.

    The same state of `random` gives the same copy. Lines are at most `width` characters wide where
    they are wrapped, by default 40 to 100. `whole_tokens` as in `speech`.
    """
    if layout is None:
        layout = LAYOUTS[int(random.choice(len(LAYOUTS), p=_SHARES))]
    width = width or int(random.integers(_NARROWEST, _WIDEST + 1))
    if layout == "chat":
        doc = lower(doc) if random.random() < 0.5 else speech(doc, whole_tokens=whole_tokens)
        layout = "lines"
    if not doc.n_tokens:
        return replace(doc, token_break=None)
    plan = _Plan.of(doc)
    if layout == "lines":
        plan.break_sentences("\n")
        if random.random() < 0.5:
            plan.part_paragraphs("\n")
    elif layout == "list":
        plan.break_sentences("\n")
        if not len(doc.node_label):  # phrases have no place for a mark
            plan.mark_items(str(random.choice(_BULLETS)), random)
    elif layout == "no blank lines":
        plan.part_paragraphs("\n")
    else:
        _wrap(plan, random, width, layout)
    return plan.document()


def some_relaid(docs: Sequence[Document], share: float, seed: int) -> list[Document]:
    """The documents, about such a share of them with another layout of the same words."""
    if not share:
        return list(docs)
    random = np.random.default_rng(seed)
    return [
        relaid(doc, random, str(random.choice(SAME_WORDS))) if random.random() < share else doc
        for doc in docs
    ]


def _wrap(plan: _Plan, random: np.random.Generator, width: int, layout: str) -> None:
    """Wrapped prose: with or without blank lines between paragraphs, indented or not."""
    style = random.random()
    indent = " " * int(random.integers(2, 6)) if style < 0.3 else ""
    if layout == "double-spaced":
        plan.part_paragraphs("\n\n\n\n" + indent)
    elif style < 0.2 or style > 0.8:
        plan.part_paragraphs("\n" + indent)
    else:
        plan.part_paragraphs("\n\n" + indent)
    newline = "\n\n" if layout == "double-spaced" else "\n"
    plan.wrap(width, newline, random if layout == "hyphenated" else None)


@dataclass
class _Plan:
    """What stands before each token, how it is written, and the marks that are put before some."""

    doc: Document
    gaps: list[str]
    surfaces: list[str]
    paragraphs: list[int]
    sentences: list[int]
    marks: dict[int, str]

    @classmethod
    def of(cls, doc: Document) -> _Plan:
        """Every gap a blank or nothing."""
        starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
        surfaces = [doc.text[a:b] for a, b in zip(starts, ends, strict=True)]
        before = zip([0, *ends[:-1]], starts, strict=True)
        gaps = [" " if b > a else "" for a, b in before]
        gaps[0] = ""
        opens = doc.token_paragraph_start
        # Lines of the text as it was are paragraphs, too, where sentences start at them.
        told = doc.sent_start == YES
        for t in np.flatnonzero(told).tolist():
            opens[t] |= t > 0 and "\n" in doc.text[ends[t - 1] : starts[t]]
        paragraphs = np.flatnonzero(opens & told)
        return cls(
            doc,
            gaps,
            surfaces,
            [t for t in paragraphs.tolist() if t and gaps[t]],
            [t for t in np.flatnonzero(told).tolist() if t and gaps[t]],
            {},
        )

    def part_paragraphs(self, gap: str) -> None:
        for t in self.paragraphs:
            self.gaps[t] = gap

    def break_sentences(self, gap: str) -> None:
        self.part_paragraphs("\n\n")
        known = {*self.paragraphs}
        for t in self.sentences:
            if t not in known:
                self.gaps[t] = gap

    def mark_items(self, bullet: str, random: np.random.Generator) -> None:
        """Put bullets before sentences that follow another in their paragraph, and blanks."""
        known = {*self.paragraphs}
        indent = " " * int(random.integers(0, 3))
        for t in self.sentences:
            if t not in known and self.surfaces[t][:1].isalnum():
                self.marks[t] = bullet
                self.gaps[t] += indent

    def wrap(self, width: int, newline: str, random: np.random.Generator | None) -> None:
        """Break lines between chunks, and inside words if there is something to decide by."""
        column = len(self.surfaces[0])
        for t in range(1, len(self.gaps)):
            gap = self.gaps[t]
            if "\n" in gap:
                column = len(gap) - gap.rindex("\n") - 1 + len(self.surfaces[t])
                continue
            chunk = self._chunk(t)
            if gap and column + 1 + chunk > width:
                room = width - column - 2
                if random is not None and (at := self._hyphen(t, room, random)):
                    word = self.surfaces[t]
                    self.surfaces[t] = f"{word[:at]}-{newline}{word[at:]}"
                    column = len(word) - at
                    continue
                self.gaps[t] = newline
                column = len(self.surfaces[t])
            else:
                column += len(gap) + len(self.surfaces[t])

    def _chunk(self, t: int) -> int:
        """The width of a token and of those that follow it without a blank."""
        size = len(self.surfaces[t])
        t += 1
        while t < len(self.gaps) and not self.gaps[t]:
            size += len(self.surfaces[t])
            t += 1
        return size

    def _hyphen(self, t: int, room: int, random: np.random.Generator) -> int:
        """After how many characters a word is hyphenated; 0: not at all."""
        word = self.surfaces[t]
        if len(word) < _LEAST_WORD or not word.isalpha() or random.random() > _HYPHENATED:
            return 0
        at = np.flatnonzero(self.doc.word_token == t)
        if len(at) > 1 or self.doc.strings[int(self.doc.form[at[0]])] != word:
            return 0
        lower = word.lower()
        for place in range(min(room, len(word) - _LEAST_PART), _LEAST_PART - 1, -1):
            # Between syllables, more or less: a consonant and a vowel begin the second part.
            after = lower[place] not in _VOWELS and lower[place + 1] in _VOWELS
            if after and any(c in _VOWELS for c in lower[:place]):
                return place
        return 0

    # ------------------------------------------------------------ the document

    def document(self) -> Document:
        doc = self.doc
        gaps: list[str] = []
        surfaces: list[str] = []
        for t, (gap, surface) in enumerate(zip(self.gaps, self.surfaces, strict=True)):
            gaps += [gap, " "] if t in self.marks else [gap]
            surfaces += [self.marks[t], surface] if t in self.marks else [surface]
        tail = "\n" if "\n" in doc.text[int(doc.token_end[-1]) :] else ""
        text, starts, ends = laid_out(gaps, surfaces, tail)
        new = doc if not self.marks else _with_marks(doc, self.marks)
        own = np.flatnonzero(_of_old(doc.n_tokens, self.marks))
        move = _mover(doc, starts[own], ends[own], len(text))
        opens = [gap.count("\n") > 1 for gap in gaps]
        return replace(
            new,
            text=text,
            token_start=starts,
            token_end=ends,
            token_break=None,
            **moved_offsets(doc, move) | {"paragraph_start": np.append(starts[0], starts[opens])},
            comments=without_text(new),
        )


def _of_old(n: int, marks: dict[int, str]) -> list[bool]:
    """For each token of the new text whether it was in the old one."""
    return [old for t in range(n) for old in ([False, True] if t in marks else [True])]


def _mover(doc: Document, starts: Longs, ends: Longs, size: int) -> Any:
    """Where offsets of the old text are in the new one; those in gaps go to their ends."""
    old = np.stack((doc.token_start, doc.token_end), 1).ravel()
    new = np.append(np.stack((starts, ends), 1).ravel(), size)

    def move(offsets: Longs) -> Longs:
        at = old.searchsorted(offsets, side="left")
        exact = at < len(old)
        exact &= old[np.minimum(at, len(old) - 1)] == offsets
        inside = np.where(exact, 0, offsets - old[np.maximum(at - 1, 0)])
        moved = np.where(exact | (at % 2 == 0), new[at], new[np.maximum(at - 1, 0)] + inside)
        return np.minimum(moved, size).astype(np.int64)

    return move


def _with_marks(doc: Document, marks: dict[int, str]) -> Document:
    """The document with list marks before some tokens: words on the root of their sentence."""
    old = np.array(_of_old(doc.n_tokens, marks))
    place = np.flatnonzero(old)  # the new number of each token
    row = np.maximum(np.cumsum(old) - 1, 0)
    row[~old] = np.flatnonzero(~old) - np.arange(int((~old).sum()))  # the token that follows
    first = doc.first_word
    source: list[int] = []
    fresh: list[bool] = []
    token: list[int] = []
    for new, (t, is_old) in enumerate(zip(row.tolist(), old.tolist(), strict=True)):
        begin = int(first[t])
        words = range(begin, int(first[t + 1]) if is_old else begin + 1)
        source += words
        fresh += [not is_old] * len(words)
        token += [new] * len(words)
    added = np.array(fresh)
    number = np.flatnonzero(~added)  # the new number of each word
    values = rows_of(doc, "token", row, ("token_start", "token_end", "token_break"))
    values |= rows_of(doc, "word", source, ("word_token",))
    values["sent_start"] = np.where(old & np.append(False, ~old[:-1]), NO, values["sent_start"])
    values["word_token"] = np.array(token, np.int32)
    values["token_misc"] = np.where(old, values["token_misc"], 0).astype(np.int32)
    for column in doc.schema.at("word", "words"):
        to = values[column.name]
        values[column.name] = np.where(to >= 0, number[to], to).astype(np.int32)
    strings = doc.strings
    said = {"upos": "PUNCT", "xpos": "NFP" if np.any(doc.xpos) else "", "deprel": "punct"}
    for name in doc.schema.word_strings:
        if name not in ("form", "lemma"):
            value = strings.add(said.get(name, ""))
            values[name] = np.where(added, value, values[name]).astype(np.int32)
    bullets = strings.ids(marks[t] for t in sorted(marks))
    for name in ("form", "lemma"):
        column = values[name].copy()
        column[added] = bullets if name == "form" or np.any(doc.lemma) else 0
        values[name] = column
    head = values["head"]
    for at in np.flatnonzero(added).tolist():
        head[at] = _root_after(head, added, at)
    return replace(
        doc,
        **values,
        comments={int(place[t]) - (t in marks): said for t, said in doc.comments.items()},
        token_columns={int(place[t]): said for t, said in doc.token_columns.items()},
        empty_nodes=[
            replace(
                node,
                anchor=int(number[node.anchor])
                if node.anchor >= 0
                else -1 - int(number[-1 - node.anchor]),
            )
            for node in doc.empty_nodes
        ],
    )


def _root_after(head: Any, added: Any, at: int) -> int:
    """The root of the sentence that a mark opens, by climbing from the word after it."""
    word = at + 1
    for _ in range(len(head)):
        if head[word] < 0 or added[word]:
            break
        word = int(head[word])
    return word
