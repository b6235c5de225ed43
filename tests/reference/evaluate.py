"""Slow, obvious twins of the evaluation: the CoNLL 2018 scores, alignment, bracket scores.

The scorer reads CoNLL-U text line by line and keeps every word as an object, as the definition of
the shared task describes it; it refuses files whose characters differ.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise


def _names(listed: str) -> set[str]:
    return set(listed.split())


CONTENT = _names(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep"
)
FUNCTIONAL = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
FEATURES = _names(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
    "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite"
)


@dataclass(eq=False)
class Word:
    start: int
    end: int
    multi: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    parent: Word | None = None
    function_words: list[Word] = field(default_factory=list)


@dataclass
class File:
    characters: str = ""
    tokens: list[tuple[int, int]] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)


def load(lines: Iterable[str]) -> File:
    """Read CoNLL-U."""
    file = File()
    pieces: list[str] = []
    at = begin = 0
    first_word: int | None = None
    inside = 0
    for raw in lines:
        line = raw.rstrip("\r\n")
        if first_word is None:
            if line.startswith("#") or not line:
                continue
            first_word, begin, inside = len(file.words), at, 0
        if not line:
            _link(file.words[first_word:])
            file.sentences.append((begin, at))
            first_word = None
            continue
        columns = line.split("\t")
        if "." in columns[0]:
            continue
        if inside:
            inside -= 1
            file.words.append(_word(columns, *file.tokens[-1], True))
            continue
        form = "".join(c for c in columns[1] if unicodedata.category(c) != "Zs")
        pieces.append(form)
        file.tokens.append((at, at + len(form)))
        at += len(form)
        if "-" in columns[0]:
            low, high = map(int, columns[0].split("-"))
            inside = high - low + 1
        else:
            columns[1] = form
            file.words.append(_word(columns, *file.tokens[-1], False))
    file.characters = "".join(pieces)
    return file


def _word(columns: list[str], start: int, end: int, multi: bool) -> Word:
    feats = sorted(f for f in columns[5].split("|") if f.split("=")[0] in FEATURES)
    return Word(
        start,
        end,
        multi,
        columns[1],
        columns[2],
        columns[3],
        columns[4],
        "|".join(feats),
        int(columns[6]),
        columns[7].split(":")[0],
    )


def _link(words: list[Word]) -> None:
    for word in words:
        if word.head:
            word.parent = words[word.head - 1]
    if sum(word.parent is None for word in words) != 1:
        raise ValueError("not exactly one root")
    for word in words:
        seen = {id(word)}
        above = word.parent
        while above is not None:
            if id(above) in seen:
                raise ValueError("a cycle")
            seen.add(id(above))
            above = above.parent
        if word.parent is not None and word.deprel in FUNCTIONAL:
            word.parent.function_words.append(word)


def align(gold: Sequence[Word], system: Sequence[Word]) -> list[tuple[Word, Word]]:
    """Pairs of words that are the same."""
    pairs: list[tuple[Word, Word]] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        one, other = gold[g], system[s]
        if one.multi or other.multi:
            if one.multi:
                end = one.end
                if not other.multi and other.start < one.start:
                    s += 1
            else:
                end = other.end
                if one.start < other.start:
                    g += 1
            from_g, from_s = g, s

            def open_(words: Sequence[Word], i: int, limit: int) -> bool:
                if i >= len(words):
                    return False
                return words[i].start < limit if words[i].multi else words[i].end <= limit

            while open_(gold, g, end) or open_(system, s, end):
                if g < len(gold) and (s >= len(system) or gold[g].start <= system[s].start):
                    if gold[g].multi:
                        end = max(end, gold[g].end)
                    g += 1
                else:
                    if system[s].multi:
                        end = max(end, system[s].end)
                    s += 1
            left, right = gold[from_g:g], system[from_s:s]
            found = lcs([w.form.lower() for w in left], [w.form.lower() for w in right])
            pairs += [(left[i], right[j]) for i, j in found]
        elif (one.start, one.end) == (other.start, other.end):
            pairs.append((one, other))
            g += 1
            s += 1
        elif one.start <= other.start:
            g += 1
        else:
            s += 1
    return pairs


def lcs(left: Sequence[object], right: Sequence[object]) -> list[tuple[int, int]]:
    """A longest common subsequence; equal elements that meet first are taken."""
    n, m = len(left), len(right)
    size = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            size[i][j] = max(size[i + 1][j], size[i][j + 1])
            if left[i] == right[j]:
                size[i][j] = max(size[i][j], size[i + 1][j + 1] + 1)
    pairs = []
    i = j = 0
    while i < n and j < m:
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif size[i][j] == size[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


Triple = tuple[float, float, float]


def rates(gold: int, system: int, correct: int) -> Triple:
    """Precision, recall and F1 in per cent."""
    return (
        100 * correct / system if system else 0.0,
        100 * correct / gold if gold else 0.0,
        200 * correct / (gold + system) if gold + system else 0.0,
    )


def conll18(gold: File, system: File) -> dict[str, Triple]:
    """The thirteen scores."""
    if gold.characters != system.characters:
        raise ValueError("the characters differ")
    pairs = align(gold.words, system.words)
    gold_of = {id(other): one for one, other in pairs}

    def spans(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> Triple:
        return rates(len(left), len(right), len(set(left) & set(right)))

    def head(word: Word, aligned: bool) -> object:
        if word.parent is None:
            return "root"
        return id(gold_of.get(id(word.parent))) if aligned else id(word.parent)

    def same_head(one: Word, other: Word) -> bool:
        if other.parent is not None and id(other.parent) not in gold_of:
            return False
        return head(one, False) == head(other, True)

    def lemma(one: Word, other: Word) -> bool:
        return one.lemma in ("_", other.lemma)

    def function_words(word: Word, aligned: bool) -> list[object]:
        return [
            (
                id(gold_of[id(c)]) if aligned and id(c) in gold_of else (0 if aligned else id(c)),
                c.deprel,
                c.upos,
                c.feats,
            )
            for c in word.function_words
        ]

    def labelled(one: Word, other: Word) -> bool:
        return same_head(one, other) and one.deprel == other.deprel

    tests = {
        "Words": lambda one, other: True,
        "UPOS": lambda one, other: one.upos == other.upos,
        "XPOS": lambda one, other: one.xpos == other.xpos,
        "UFeats": lambda one, other: one.feats == other.feats,
        "AllTags": lambda one, other: (
            (one.upos, one.xpos, one.feats) == (other.upos, other.xpos, other.feats)
        ),
        "Lemmas": lemma,
        "UAS": same_head,
        "LAS": labelled,
    }
    content_tests = {
        "CLAS": labelled,
        "MLAS": lambda one, other: (
            labelled(one, other)
            and (one.upos, one.feats) == (other.upos, other.feats)
            and function_words(one, False) == function_words(other, True)
        ),
        "BLEX": lambda one, other: labelled(one, other) and lemma(one, other),
    }
    found = {
        "Tokens": spans(gold.tokens, system.tokens),
        "Sentences": spans(gold.sentences, system.sentences),
    }
    for name, test in tests.items():
        correct = sum(1 for one, other in pairs if test(one, other))
        found[name] = rates(len(gold.words), len(system.words), correct)
    of_gold = sum(word.deprel in CONTENT for word in gold.words)
    of_system = sum(word.deprel in CONTENT for word in system.words)
    for name, test in content_tests.items():
        correct = sum(1 for one, other in pairs if one.deprel in CONTENT and test(one, other))
        found[name] = rates(of_gold, of_system, correct)
    return found


# ------------------------------------------------------------------ brackets

Tree = tuple[str, list["Tree"]] | tuple[str, str]


def brackets(
    tree: Tree, delete: set[str], equate: dict[str, str], truncate: bool = True
) -> Counter[tuple[str, int, int]]:
    """Labelled brackets of a tree over the words that are left."""
    found: Counter[tuple[str, int, int]] = Counter()

    def name(label: str) -> str:
        if truncate and label and label[0] not in "-=":
            label = label.replace("=", "-").split("-")[0]
        return equate.get(label, label)

    def walk(node: Tree, at: int) -> int:
        label, inside = node
        if isinstance(inside, str):
            return at if label in delete else at + 1
        end = at
        for child in inside:
            end = walk(child, end)
        if end > at and label not in delete and name(label) not in delete:
            found[name(label), at, end] += 1
        return end

    walk(tree, 0)
    return found


def parseval(
    gold: Sequence[Tree], system: Sequence[Tree], delete: set[str], equate: dict[str, str]
) -> tuple[int, int, int]:
    """Brackets of gold, of the system, and of both."""
    of_gold = of_system = both = 0
    for one, other in zip(gold, system, strict=True):
        left, right = brackets(one, delete, equate), brackets(other, delete, equate)
        of_gold += left.total()
        of_system += right.total()
        both += (left & right).total()
    return of_gold, of_system, both


# ----------------------------------------------------------------- alignment


def hashes(points: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """A number for the characters of each span, computed without bounds and cut to 64 bits."""
    found = []
    for start, end in spans:
        value = 14695981039346656037
        for point in points[start:end]:
            value = (value ^ point) * 1099511628211 % 2**64
            value ^= value >> 29
        found.append(value >> 1)
    return found


def expand(
    ours: Sequence[int],
    theirs: Sequence[int],
    their_start: Sequence[int],
    tokens: Sequence[tuple[int, int, int]],
) -> list[int]:
    """The letters of tokens that are matched: first letter of ours, characters, place of theirs."""
    at = [-1] * len(ours)
    for first, size, there in tokens:
        letters = [i for i, start in enumerate(their_start) if there <= start < there + size]
        if list(ours[first : first + len(letters)]) == [theirs[i] for i in letters]:
            at[first : first + len(letters)] = letters
    return at


def prefer(best: Sequence[int], other: Sequence[int]) -> list[int]:
    """Between letters that both match alike, the alignment that matches more, or the first."""
    alike = [-1, *(i for i, a in enumerate(best) if a >= 0 and a == other[i]), len(best)]
    found = list(best)
    for before, after in pairwise(alike):
        part = slice(before + 1, after)
        if sum(a >= 0 for a in other[part]) > sum(a >= 0 for a in best[part]):
            found[part] = other[part]
    return found


def align_bare(
    gold: Sequence[tuple[int, int]], system: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Words of no width, place and form: those at one place by a longest common subsequence."""
    pairs = []
    for place in sorted({at for at, _ in gold}):
        left = [i for i, (at, _) in enumerate(gold) if at == place]
        right = [i for i, (at, _) in enumerate(system) if at == place]
        found = lcs([gold[i][1] for i in left], [system[i][1] for i in right])
        pairs += [(left[i], right[j]) for i, j in found]
    return pairs
