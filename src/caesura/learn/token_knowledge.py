"""What is counted before the weights of a tokeniser are learned.

Word types, unspaced words, chunks and contractions come from the language file, from raw text and
from the treebank. A type is an abbreviation if it hardly ever stands without its period, and if
what comes after shows that no sentence ends there: lower case, numbers, commas. One that only
stands before capitals (a title) must be short and never be seen bare. Kiss and Strunk (2006) ask
the same of a text by likelihood ratios; here the counts come from more text. Words in lower case
inside sentences (*his*) distinguish a new sentence after an abbreviation from a name (*Hall*).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from caesura.document import YES, Document
from caesura.document.characters import (
    MARGIN,
    TABLE,
    WORDLIKE,
    classify,
    code_points,
    signs_of,
)
from caesura.errors import InputError
from caesura.language.lexicon import KINDS, Lexicon, guessed_lexicon, language_lexicon, read_lexicon
from caesura.learn.folds import generator
from caesura.learn.multiword_tokens import learn_splitter
from caesura.stages.multiword_tokens import Splitter
from caesura.stages.token_knowledge import (
    LONGEST,
    LONGEST_CHUNK,
    LONGEST_TYPE,
    TYPE_CLASS,
    Habits,
    before_units,
    between_pictures,
    word_classes,
)
from caesura.stages.tokenizer import Tokenizer, TokenizerOptions
from caesura.transform import speech
from caesura.transform.respell import Items, exchanged

#: A word, with periods inside it, whether a period is behind it, and what follows.
_WORD: Final = re.compile(
    r"(?<![\w.@/-])([^\W\d_]+(?:\.[^\W\d_]+)*)(?:(\.)(?=(,)|\s+[(\[\"'“‘„«]*(\S)|$)|(?![\w.@/-]))"
)
_LONGEST: Final = 10
_SHORT: Final = 5
#: Occurrences with a period that are enough, the share of them among all, and the share of those
#: before something that starts no sentence.
_ENOUGH_PERIODS: Final = 3
_MOSTLY: Final = 0.8
_INSIDE: Final = 0.2


def learn_abbreviations(texts: Iterable[str]) -> dict[str, int]:
    """Abbreviations with their periods, in lower case, and the bits of what they stand before."""
    bare: Counter[str] = Counter()
    before: dict[str, Counter[str]] = {}
    for text in texts:
        for match in _WORD.finditer(text):
            word = match[1].lower()
            if len(word) > _LONGEST:
                continue
            if not match[2]:
                bare[word] += 1
                continue
            follower = match[4] or ""
            kind = "lower" if match[3] or follower.islower() else "upper"
            if follower.isdigit():
                kind = "number"
            before.setdefault(word, Counter())[kind if match[3] or follower else "end"] += 1
    found = {}
    for word, kinds in before.items():
        bits = _judge(word, kinds, bare[word])
        if bits:
            found[f"{word}."] = bits
    return found


def _judge(word: str, kinds: Counter[str], bare: int) -> int:
    """What an abbreviation stands before; 0 if the word is none."""
    seen = kinds.total()
    inside = kinds["lower"] + kinds["number"]
    if seen < _ENOUGH_PERIODS or seen < _MOSTLY * (seen + bare):
        return 0
    if inside < _INSIDE * seen:
        return BEFORE_UPPER if not bare and len(word) <= _SHORT and not kinds["end"] else 0
    bits = BEFORE_LOWER if 2 * kinds["lower"] >= inside else 0
    bits |= BEFORE_NUMBER if 2 * kinds["number"] >= inside else 0
    return bits | (BEFORE_UPPER if 2 * kinds["upper"] >= seen else 0)


_AFTER: Final = len(KINDS)
#: What raw text shows: an abbreviation before numbers, before lower case, before capitals.
BEFORE_NUMBER, BEFORE_LOWER, BEFORE_UPPER = (1 << bit for bit in range(_AFTER, _AFTER + 3))
#: The beginning of an abbreviation with a period inside; a prefix with its hyphen; a unit without a
#: period; an abbreviation that is an ordinary word without its period.
_BEGINNING, _PREFIX, _UNIT, _ORDINARY = (1 << bit for bit in range(_AFTER + 3, _AFTER + 7))
#: Written in lower case inside sentences, or with a capital.
_COMMON, _NAME = (1 << bit for bit in range(_AFTER + 7, _AFTER + 9))
_UPOS: Final = tuple("NOUN ADJ VERB AUX ADV DET PRON ADP PROPN NUM PART SCONJ CCONJ INTJ X".split())  # noqa: SIM905
# How often a type must be seen to be taken for a word of lower case, or for a name.
_LEAST: Final = 2


def type_bits(
    lexicon: Lexicon,
    learned: Mapping[str, int],
    case: Mapping[str, int],
    classes: Mapping[str, int] = MappingProxyType({}),
) -> dict[str, int]:
    """The bits of every type that is known, in lower case."""
    found: Counter[str] = Counter()
    for form, bits in (*lexicon.kinds().items(), *learned.items()):
        if len(form) <= LONGEST_TYPE:
            found[form] |= bits
    for form in list(found):
        for at in range(1, len(form) - 1):
            if form[at] == ".":
                found[form[: at + 1]] |= _BEGINNING
        if case.get(form.rstrip("."), 0) & _COMMON:
            found[form] |= _ORDINARY
    for form in lexicon.prefixes:
        found[form] |= _PREFIX
    for form in lexicon.abbreviations.get("unit", ()):
        found[form.lower().rstrip(".")] |= _UNIT
    for form, bits in (*case.items(), *classes.items()):
        found[form] |= bits
    return {form: bits for form, bits in sorted(found.items()) if 0 < len(form) <= LONGEST_TYPE}


def learn_case(docs: Iterable[Document]) -> dict[str, int]:
    """Which words are written in lower case inside sentences, and which with a capital."""
    lower: Counter[str] = Counter()
    upper: Counter[str] = Counter()
    for doc in docs:
        spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
        after_word = False
        for (a, b), start in zip(spans, (doc.sent_start == YES).tolist(), strict=True):
            form = doc.text[a:b]
            if form[:1].islower():
                lower[form.lower()] += 1
            elif form[:1].isupper() and after_word and not start:
                upper[form.lower()] += 1
            # After a quotation mark or a colon a capital may belong to a sentence.
            after_word = form[-1:].isalnum() or form == ","
    found = {}
    for form in lower.keys() | upper.keys():
        small, large = lower[form], upper[form]
        if small >= _LEAST and small >= 4 * large:
            found[form] = _COMMON
        elif large >= _LEAST and not small:
            found[form] = _NAME
    return found


def learn_classes(docs: Iterable[Document]) -> dict[str, int]:
    """The part of speech of most occurrences of each word, as bits; nothing without tags."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for doc in docs:
        for form, tag in zip(doc.column("form"), doc.column("upos"), strict=True):
            if tag in _UPOS and form[:1].isalpha():
                seen[form.lower()][tag] += 1
    return {
        form: (_UPOS.index(tags.most_common(1)[0][0]) + 1) << TYPE_CLASS
        for form, tags in seen.items()
        if tags.total() >= _LEAST
    }


#: Above this share of tokens right behind another word, a language has no spaces.
_GLUED = 0.2
#: Letters with periods between them: the last period is no end of a sentence alone.
_INNER = re.compile(r"(?:[^\W\d_]+\.){2,}")
#: What may stand right behind an abbreviation.
_MARKS = tuple(') ), ). ); ): ] , ; : ! ? " ," ", ” ,” ’'.split())  # noqa: SIM905
#: The stream of random numbers of the copies that multi-word tokens are learned from.
_COPIES = 1 << 20


class Known(NamedTuple):
    """What is known of the language beside the treebank."""

    bits: dict[str, int]
    items: Items
    lexicon: Lexicon


def known_of(
    docs: Sequence[Document], options: TokenizerOptions, init: Tokenizer | None = None
) -> Known:
    """What the language file, the documents and raw texts say, and what a model knew before.

    Without a file, or where there are texts, abbreviations are learned from raw text.
    """
    own = [doc.text for doc in docs]
    lexicon = _language(own, options)
    bits: dict[str, int] = {}
    if options.types:
        texts = _raw(options.raw_text)
        asked = texts or not lexicon.abbreviations
        learned = learn_abbreviations((*own, *texts)) if asked else {}
        bits = type_bits(lexicon, learned, learn_case(docs), learn_classes(docs))
        bits = (init.types if init is not None else {}) | bits
    fields = {**lexicon.abbreviations, **lexicon.fields, "prefix": lexicon.prefixes}
    items = Items(lexicon.items, fields)
    return Known(bits, items, lexicon)


def _language(texts: Sequence[str], options: TokenizerOptions) -> Lexicon:
    """The lexicon that the options name, or that of the language that the texts look like."""
    if options.language_file:
        return read_lexicon(options.language_file)
    if options.language:
        return language_lexicon(options.language)
    return guessed_lexicon(texts)


def _raw(path: str) -> list[str]:
    """The raw text of a file, if there is one."""
    if not path:
        return []
    try:
        return [Path(path).read_text(encoding="utf-8")]
    except FileNotFoundError:
        fact, remedy = "there is no such file", "Check the path."
    except (UnicodeDecodeError, OSError) as error:
        fact, remedy = f"not readable as text: {error}", "Write it in UTF-8."
    raise InputError(fact, file=path, remedy=remedy)


def splitter_of(docs: Sequence[Document], options: TokenizerOptions, known: Known) -> Splitter:
    copies: list[Document] = []
    if options.exchange and known.items:
        random = generator(options.seed, _COPIES)
        copies = [exchanged(doc, known.items, random).doc for doc in docs]
    classes = word_classes(known.bits)
    return learn_splitter(docs, copies, known.lexicon.contractions, classes)


def unspaced_words(docs: Sequence[Document]) -> list[str]:
    """Words seen twice or more, if words are often not separated by anything.

    Words seen once are left out, so that training shows how unknown words look.
    """
    glued = tokens = 0
    seen: Counter[str] = Counter()
    for doc in docs:
        classes, _ = classify(code_points(doc.text))
        wordlike = np.isin(classes, WORDLIKE)
        at = doc.token_start + MARGIN
        glued += int((wordlike[at] & wordlike[at - 1]).sum())
        tokens += doc.n_tokens
        spans = zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
        seen.update(doc.text[a:b] for a, b in spans if b - a <= LONGEST)
    if glued < _GLUED * tokens:
        return []
    return sorted(word for word, count in seen.items() if count > 1 and word)


def remembered_chunks(
    docs: Sequence[Document], options: TokenizerOptions, lexicon: Lexicon
) -> list[str]:
    """Chunks between white space that were seen often enough and always cut the same way.

    Tabs separate their tokens. An abbreviation with periods inside keeps its last one before any
    mark, whether it was seen before that mark or not.
    """
    seen: Counter[str] = Counter()
    ways: dict[str, tuple[str, ...] | None] = {}
    for doc in docs:
        for text in (doc, speech(doc, whole_tokens=True)) if options.speech else (doc,):
            for tokens in _chunks_of(text):
                chunk = "".join(tokens)
                if len(chunk) <= LONGEST_CHUNK:
                    seen[chunk] += 1
                    if ways.setdefault(chunk, tokens) != tokens:
                        ways[chunk] = None
    often = {chunk for chunk, count in seen.items() if count >= options.rare_chunk}
    for tokens in _marked(lexicon):
        chunk = "".join(tokens)
        if len(chunk) <= LONGEST_CHUNK and ways.setdefault(chunk, tokens) == tokens:
            often.add(chunk)
    return ["\t".join(way) for chunk in sorted(often) if (way := ways[chunk]) is not None]


def _marked(lexicon: Lexicon) -> Iterator[tuple[str, ...]]:
    """The abbreviations with periods inside, before and between the marks that may stand there."""
    forms = {form for kind in lexicon.abbreviations.values() for form in kind}
    for form in sorted(forms):
        if _INNER.fullmatch(form):
            for marks in _MARKS:
                yield (form, *marks)
                yield ("(", form, *marks)


def _chunks_of(doc: Document) -> Iterator[tuple[str, ...]]:
    """The tokens of each stretch without white space."""
    open_: list[str] = []
    before = -1
    for start, end in zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True):
        if start != before and open_:
            yield tuple(open_)
            open_ = []
        open_.append(doc.text[start:end])
        before = end
    if open_:
        yield tuple(open_)


#: How often a habit must be seen.
_ENOUGH: Final = 5


def learn_habits(docs: Iterable[Document]) -> Habits:
    """What most places show in documents whose tokens are known."""
    whole = dict.fromkeys(Habits._fields, 0)
    apart = dict(whole)
    for doc in docs:
        codes = code_points(doc.text)
        signs_of(codes, np.array([len(codes)], np.int64))
        for name, at in (
            ("numbers", TABLE.blanks_in_numbers(codes) + 1),
            ("pictures", between_pictures(doc.text)),
            ("degrees", before_units(doc.text)),
        ):
            cut = int(np.isin(at, doc.token_start).sum())
            apart[name] += cut
            whole[name] += len(at) - cut
    more = {name: whole[name] > apart[name] for name in ("numbers", "pictures")}
    more["degrees"] = apart["degrees"] > whole["degrees"]
    return Habits(**{name: more[name] and whole[name] + apart[name] >= _ENOUGH for name in more})
