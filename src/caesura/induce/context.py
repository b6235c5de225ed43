"""Word classes by context, by a hidden Markov model, and predicates among them.

A frequent word is a symbol of its own, a rare one is represented by its shape, and a mark by its
function. Symbols are clustered, and a hidden Markov model that starts from the clusters finds the
class of each word in its sentence (see `caesura.cluster.hidden`). Marks have states of their own.
The most frequent words of a class may be a class of their own: they are mostly function words.

Predicates are the words of which nearly every sentence has one. Over the Penn tags these are MD,
VBD, VBP and VBZ. So `find_predicates` searches for the set of classes that occurs in more sentences
than expected by its frequency and the lengths of sentences. Fragments are not used, since most of
them begin with a noun phrase.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from caesura.cluster.clustering import RARE as RARE_ROW
from caesura.cluster.clustering import count_bigrams, exchange
from caesura.cluster.hidden import Hidden, best_states, fit
from caesura.document import Document
from caesura.document.punctuation import is_mark
from caesura.errors import ModelError
from caesura.induce.parameters import Floats, Ints, Longs
from caesura.models.file import Part

#: What marks do; each is a symbol and a state.
MARKS = ("mark end", "mark open", "mark close", "mark dash", "mark inner")
#: How the name of a class ends that holds the frequent words of another.
FREQUENT = " frequent"
#: What stands in the name of a class of words without which hardly a sentence is.
PREDICATE = " predicate"
#: How often the words are visited when symbols are clustered.
PASSES = 15


@dataclass(frozen=True)
class Context:
    """A hidden Markov model over symbols; the states of marks stand last."""

    #: Names of the rows of the model's table of symbols; the row after them is for unknown ones.
    symbols: tuple[str, ...]
    endings: tuple[str, ...]
    hidden: Hidden
    #: Words in lower case that are separated from the others of their classes.
    frequent: frozenset[str] = frozenset()
    #: Symbols of predicates, which are separated from the others of their classes.
    predicates: frozenset[str] = frozenset()

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each symbol."""
        return {symbol: row for row, symbol in enumerate(self.symbols)}

    def classify(self, doc: Document) -> list[str]:
        """The class of each word of a document in its sentence."""
        starts = doc.first_word[doc.sentence_bounds].astype(np.int64)
        forms = doc.column("form")
        symbols = [
            symbol
            for first, last in pairwise(starts.tolist())
            for symbol in self.symbols_of(forms[first:last])
        ]
        text = [self.rows.get(symbol, len(self.symbols)) for symbol in symbols]
        states = best_states(np.array(text, dtype=np.int32), starts, self.hidden)
        names = _names(len(self.hidden.start) - len(MARKS))
        return [
            names[state]
            + (PREDICATE if symbol in self.predicates else "")
            + (FREQUENT if form.lower() in self.frequent else "")
            for state, symbol, form in zip(states.tolist(), symbols, forms, strict=True)
        ]

    def symbols_of(self, words: Sequence[str]) -> list[str]:
        """The symbols of a sentence."""
        return _symbols(words, self.rows, self.endings)


def learn_context(
    sentences: Sequence[Sequence[str]], number: int, iterations: int, rare: int, endings: int
) -> Context:
    """So many classes of the words of sentences.

    Words that occur less than `rare` times are represented by their shape, with so many `endings`.
    """
    seen = Counter(word for words in sentences for word in words if not is_mark(word, True))
    known = {word for word, count in seen.items() if count >= rare}
    often: Counter[str] = Counter()
    for word, count in seen.items():
        if count < rare and len(word) > 3 and word.isalpha():
            often.update((word[-2:].lower(), word[-1:].lower()))
    found = sorted(often, key=lambda ending: (-often[ending], ending))[:endings]
    rows = [_symbols(words, known, found) for words in sentences]
    clustered, bigrams, _ = count_bigrams(rows, 1)
    classes = exchange(bigrams, number, PASSES)
    words = [symbol for symbol in clustered[RARE_ROW + 1 :] if symbol not in MARKS]
    state = dict(zip(clustered, (classes - RARE_ROW - 1).tolist(), strict=True))
    symbols = (*words, *MARKS)
    first = np.array([state[word] for word in words] + [number + i for i in range(len(MARKS))])
    allowed = np.zeros((len(symbols), number + len(MARKS)), dtype=bool)
    allowed[: len(words), :number] = True
    allowed[np.arange(len(words), len(symbols)), first[len(words) :]] = True
    row = {symbol: at for at, symbol in enumerate(symbols)}
    text, starts = _flat([[row[symbol] for symbol in line] for line in rows])
    model = fit(text, starts, first.astype(np.int32), allowed, iterations)
    # an unknown symbol is a word of any class: its neighbours decide
    unknown = np.concatenate((np.ones(number), np.zeros(len(MARKS))))
    return Context(symbols, tuple(found), model._replace(emit=np.vstack((model.emit, unknown))))


def put_context(part: Part, context: Context) -> None:
    """Add the model to a part of a file."""
    part.labels["context symbols"] = list(context.symbols)
    part.labels["context endings"] = list(context.endings)
    part.labels["context frequent"] = sorted(context.frequent)
    if context.predicates:
        part.labels["context predicates"] = sorted(context.predicates)
    for name, table in zip(Hidden._fields, context.hidden, strict=True):
        part.arrays[f"context {name}"] = table


def get_context(part: Part) -> Context | None:
    """The model in a part of a file, checked; none where there is none."""
    symbols = part.labels.get("context symbols")
    if symbols is None:
        return None
    start = part.array("context start", np.float64, (None,))
    states = len(start)
    move = part.array("context move", np.float64, (states, states))
    emit = part.array("context emit", np.float64, (len(symbols) + 1, states))
    if states <= len(MARKS) or not all(
        bool(np.all((table >= 0) & (table <= 1))) for table in (start, move, emit)
    ):
        raise ModelError("the grammar's classes by context hold what is no probability")
    endings = tuple(part.labels.get("context endings", ()))
    frequent = frozenset(part.labels.get("context frequent", ()))
    predicates = frozenset(part.labels.get("context predicates", ()))
    return Context(tuple(symbols), endings, Hidden(start, move, emit), frequent, predicates)


def _names(number: int) -> list[str]:
    width = len(str(number))
    return [*(f"{at + 1:0{width}}" for at in range(number)), *MARKS]


def _flat(rows: Sequence[Sequence[int]]) -> tuple[Ints, Longs]:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    return np.array([at for row in rows for at in row], dtype=np.int32), starts


def _symbols(
    words: Sequence[str], known: set[str] | dict[str, int], endings: Sequence[str]
) -> list[str]:
    """The symbols of a sentence; its first word is in lower case if that is a known word."""
    found: list[str] = []
    begun = False
    for word in words:
        if is_mark(word, True):
            found.append(_mark(word))
            continue
        low = word.lower()
        if not begun and low in known:
            found.append(low)
        elif word in known:
            found.append(word)
        elif low in known:
            found.append(low)
        else:
            found.append(word_shape(word, endings))
        begun = True
    return found


def word_shape(word: str, endings: Collection[str]) -> str:
    """The name of the shape of a rare word: a digit, a capital, its ending if that is listed."""
    if any(c.isdigit() for c in word):
        return "rare #"
    case = "rare A" if word[:1].isupper() else "rare a"
    if len(word) > 3:
        low = word.lower()
        for size in (2, 1):
            if low[-size:] in endings:
                return f"{case} -{low[-size:]}"
    return case


def _mark(form: str) -> str:
    """What a mark does, by its first character."""
    kind = unicodedata.category(form[0])
    if form[0] in ".?!…。！？।؟":
        return MARKS[0]
    if kind in ("Ps", "Pi") or form == "``":
        return MARKS[1]
    if kind in ("Pe", "Pf") or form == "''":
        return MARKS[2]
    return MARKS[3] if kind == "Pd" else MARKS[4]


#: The lengths of sentences that are used: shorter ones are often titles.
SHORTEST, LONGEST = 3, 45
#: The largest sample of sentences, and how many must end in a mark for only these to be used.
SAMPLE, ENOUGH = 5000, 100
#: Classes seen less often have no part in the search.
SEEN = 5
#: Nothing is predicate that is more of the text than this.
SHARE = 0.5
#: What a class must add, in nats a sentence.
LEAST = 1e-3


def find_predicates(
    sentences: Sequence[Sequence[str]], context: Context, number: int
) -> frozenset[str]:
    """The symbols of a context (words, looks of rare ones) that are predicates.

    They are chosen among so many clusters, whose frequent words are separate from the others.
    """
    rows = [context.symbols_of(words) for words in sentences]
    clustered, bigrams, _ = count_bigrams(rows, 1)
    cluster = exchange(bigrams, number, PASSES).tolist()
    place = {
        symbol: 2 * at + (symbol.lower() in context.frequent)
        for symbol, at in zip(clustered, cluster, strict=True)
    }
    sizes = np.array([sum(symbol not in MARKS for symbol in row) for row in rows])
    ended = np.array([bool(row) and row[-1] in MARKS for row in rows], dtype=bool)
    looked = whole_sentences(sizes, ended)
    counts = np.zeros((len(looked), 2 * max(cluster, default=0) + 2), dtype=np.int32)
    for at, index in enumerate(looked.tolist()):
        for symbol in rows[index]:
            if symbol not in MARKS:
                counts[at, place[symbol]] += 1
    found = in_most_sentences(counts)
    return frozenset(s for s, at in place.items() if s not in MARKS and found[at])


def whole_sentences(sizes: NDArray[np.int64], ended: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The sentences that are used, by their numbers of words and whether they end in a mark."""
    chosen = (sizes >= SHORTEST) & (sizes <= LONGEST)
    whole = chosen & ended
    looked = np.flatnonzero(whole if whole.sum() >= ENOUGH else chosen)
    return looked[:: max(1, len(looked) // SAMPLE)]


def in_most_sentences(counts: NDArray[np.int32]) -> NDArray[np.bool_]:
    """The set of columns of which most rows have one, beyond what chance would give.

    `counts` has a row for each sentence and a column for each class. From each class by itself,
    classes are added and taken away one by one while that helps; the best end is taken.
    """
    rows, columns = counts.shape
    sizes = counts.sum(axis=0)
    lengths = np.bincount(counts.sum(axis=1))
    absent = counts == 0
    best, most = np.zeros(columns, dtype=bool), 0.0
    for first in np.flatnonzero(sizes >= SEEN).tolist():
        chosen = np.zeros(columns, dtype=bool)
        chosen[first] = True
        have = counts[:, first].copy()
        now = float(_gains(np.mean(have > 0, keepdims=True), sizes[[first]], lengths)[0])
        while True:
            # How many rows would have none if the choice of a column changed.
            none = absent[have == 0].sum(axis=0)
            inside = np.flatnonzero(chosen)
            none[inside] = (have[:, None] == counts[:, inside]).sum(axis=0)
            size = sizes[chosen].sum() + np.where(chosen, -sizes, sizes)
            gains = _gains(1.0 - none / rows, size, lengths)
            gains[sizes < SEEN] = -np.inf
            at = int(np.argmax(gains))
            if gains[at] <= now + LEAST:
                break
            now = float(gains[at])
            have += -counts[:, at] if chosen[at] else counts[:, at]
            chosen[at] = not chosen[at]
        if now > most:
            best, most = chosen, now
    return best


def _gains(present: Floats, sizes: NDArray[np.int64], lengths: NDArray[np.int64]) -> Floats:
    """How much better the share of rows that have one is than chance, in nats a row."""
    size = np.arange(len(lengths))
    rows, words = max(1, int(lengths.sum())), max(1, int(lengths @ size))
    share = sizes / float(words)
    without = (1.0 - np.minimum(share, 1.0))[:, None] ** size
    tiny = 1e-6
    chance = np.clip(1.0 - without @ lengths / float(rows), tiny, 1.0 - tiny)
    p = np.clip(present, tiny, 1.0 - tiny)
    gain = p * np.log(p / chance) + (1.0 - p) * np.log((1.0 - p) / (1.0 - chance))
    usual = (p > chance) & (share <= SHARE)
    return np.asarray(np.where(usual, gain, -np.inf))
