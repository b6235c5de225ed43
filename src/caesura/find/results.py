"""Matches: which words of a document a pattern found, by name and by number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from caesura.document import Document, Ints, Sentence, Word, turn_of

__all__ = ["Match", "Matches", "spoken"]


class Match:
    """One match: `match["x"]` is the word named x, `match.words` all of them in order."""

    __slots__ = ("_keys", "_order", "_row", "doc")

    def __init__(
        self, doc: Document, keys: Sequence[str], row: Sequence[int], order: Sequence[int] = ()
    ) -> None:
        self.doc = doc
        self._keys = keys
        self._row = row
        self._order = order or range(len(keys))

    @property
    def first(self) -> Word:
        """The word that the pattern mentions first."""
        return Word(self.doc, next(self._row[n] for n in self._order if self._row[n] >= 0))

    @property
    def indices(self) -> tuple[int, ...]:
        """The numbers of its words in the document, from 0, rising."""
        return tuple(sorted({word for word in self._row if word >= 0}))

    @property
    def words(self) -> list[Word]:
        return [Word(self.doc, index) for index in self.indices]

    @property
    def named(self) -> dict[str, int]:
        """The number of the word of each name; an alternative need not have all names."""
        pairs = zip(self._keys, self._row, strict=True)
        return {key: word for key, word in pairs if word >= 0 and not key.startswith("#")}

    @property
    def nodes(self) -> dict[str, Word]:
        """The word of each name."""
        return {name: Word(self.doc, index) for name, index in self.named.items()}

    @property
    def sentence(self) -> Sentence:
        return Word(self.doc, self.indices[0]).sentence

    def __getitem__(self, name: str) -> Word:
        found = self.named
        if name not in found:
            known = ", ".join(found) or "none"
            raise KeyError(f"the match has no word {name!r}; its names are: {known}")
        return Word(self.doc, found[name])

    def get(self, name: str) -> Word | None:
        """The word of a name, or None if the match has none."""
        index = self.named.get(name)
        return None if index is None else Word(self.doc, index)

    def __contains__(self, name: object) -> bool:
        return name in self.named

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Match):
            return NotImplemented
        same = self.named == other.named and self.indices == other.indices
        return same and self.doc is other.doc

    def __hash__(self) -> int:
        return hash((id(self.doc), self.indices))

    def __repr__(self) -> str:
        names = {index: name for name, index in self.named.items()}
        shown = (f"{names[w.index]}={w.form}" if w.index in names else w.form for w in self.words)
        return f"<Match {' '.join(shown)}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: numbers of words count from 0, `id` from 1 in the sentence."""
        sentence = self.sentence
        names = {index: name for name, index in self.named.items()}
        return {
            "document": self.doc.id,
            "sent_id": sentence.id,
            "sentence": sentence.index,
            "text": sentence.text,
            **spoken(sentence),
            "nodes": self.named,
            "words": [_plain(word, names.get(word.index), sentence) for word in self.words],
        }


def spoken(sentence: Sentence) -> dict[str, Any]:
    """The speaker and the times of a sentence in a transcript, as far as they are known."""
    doc = sentence.doc
    if not len(doc.turn_start) and doc.token_time is None:
        return {}
    piece = doc.cut(sentence.first_token, sentence.last_token)
    return turn_of(piece, 0, piece.n_tokens - 1)


def _plain(word: Word, name: str | None, sentence: Sentence) -> dict[str, Any]:
    doc, first = word.doc, sentence.first_word
    token = word.token
    head = word.head_index
    return {
        "name": name,
        "word": word.index,
        "id": word.index - first + 1,
        "form": word.form,
        "lemma": word.lemma,
        "upos": word.upos,
        "xpos": word.xpos,
        "feats": doc.strings[doc.feats[word.index]],
        "head": head - first + 1 if head >= 0 else (0 if word.is_root else None),
        "deprel": word.deprel,
        "start": token.start,
        "end": token.end,
    }


class Matches(Sequence[Match]):
    """The matches in a document, in the order of the text; each is made when it is asked for."""

    def __init__(
        self,
        doc: Document,
        keys: Sequence[str],
        rows: Ints,
        cut: tuple[int, ...] = (),
        order: Sequence[int] = (),
    ) -> None:
        self.doc = doc
        self._order = order or range(len(keys))
        #: Names of words, and `#0`, `#1`, … for those without one: the columns of `rows`.
        self.keys = tuple(keys)
        #: A row for each match: the number of each word in the document, -1 for none.
        self.rows = rows
        #: Sentences (from 0) that were cut short, so that matches of theirs may be missing.
        self.cut = cut

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(key for key in self.keys if not key.startswith("#"))

    @property
    def n_sentences(self) -> int:
        """The number of sentences that have matches."""
        if not len(self.rows):
            return 0
        return len(np.unique(self.doc.word_sentence[self.rows.max(axis=1)]))

    def head(self, number: int) -> Matches:
        """The first matches alone."""
        return Matches(self.doc, self.keys, self.rows[:number], self.cut, self._order)

    def column(self, name: str | None = None) -> Ints:
        """For each match the number of the word of a name, -1 where it has none.

        Without a name: of the word that the pattern mentions first.
        """
        if name is not None:
            found: Ints = self.rows[:, self.keys.index(name)]
            return found
        first = np.full(len(self.rows), -1, dtype=np.int32)
        for number in self._order:
            first = np.where(first < 0, self.rows[:, number], first)
        return first

    def by_sentence(self) -> Iterator[tuple[Sentence, list[Match]]]:
        """The sentences with matches, each with its own."""
        if not len(self.rows):
            return
        sentence_of = self.doc.word_sentence
        sentences = self.doc.sentences
        last, held = -1, list[Match]()
        for match, number in zip(self, sentence_of[self.rows.max(axis=1)].tolist(), strict=True):
            if number != last and held:
                yield sentences[last], held
                held = []
            last = number
            held.append(match)
        yield sentences[last], held

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data for JSON: all matches, and the sentences that were cut short."""
        return {"matches": [match.to_dict() for match in self], "cut": list(self.cut)}

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> list[Match]: ...
    def __getitem__(self, index: int | slice) -> Match | list[Match]:
        if isinstance(index, slice):
            rows = self.rows[index].tolist()
            return [Match(self.doc, self.keys, row, self._order) for row in rows]
        return Match(self.doc, self.keys, self.rows[index].tolist(), self._order)

    def __iter__(self) -> Iterator[Match]:
        for row in self.rows.tolist():
            yield Match(self.doc, self.keys, row, self._order)

    def __repr__(self) -> str:
        return f"<Matches: {len(self)} of {', '.join(self.names) or 'words without names'}>"
