"""What is counted before weights are learned: word types, unspaced words, chunks, contractions.

It comes from the language file, from raw text and from the treebank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from caesura.document import Document
from caesura.document.characters import LETTERS, MARGIN, WORDLIKE, classify, code_points
from caesura.errors import InputError
from caesura.language.lexicon import (
    Lexicon,
    guessed_lexicon,
    language_lexicon,
    read_lexicon,
)
from caesura.learn.abbreviations import learn_abbreviations
from caesura.learn.shuffle import generator
from caesura.stages.multiword_tokens import Splitter, learn_splitter
from caesura.stages.token_vocabulary import LONGEST, LONGEST_CHUNK, LONGEST_NAMED
from caesura.stages.tokenizer import Tokenizer
from caesura.stages.tokenizer_options import TokenizerOptions
from caesura.stages.word_types import (
    learn_case,
    learn_classes,
    type_bits,
    word_classes,
)
from caesura.transform import speech
from caesura.transform.respell import Items, exchanged

__all__ = ["Known", "known_of", "remembered_chunks", "seen_words", "splitter_of"]
__all__ += ["unspaced_words"]

#: Above this share of tokens right behind another word, a language has no spaces.
_GLUED = 0.2
#: Letters with periods between them: the last period is no end of a sentence alone.
_INNER = re.compile(r"(?:[^\W\d_]+\.){2,}")
#: What may stand right behind an abbreviation.
_MARKS = (
    ")",
    "),",
    ").",
    ");",
    "):",
    "]",
    ",",
    ";",
    ":",
    "!",
    "?",
    '"',
    ',"',
    '",',
    "”",
    ",”",
    "’",
)
#: The stream of random numbers of the copies that multi-word tokens are learned from.
_COPIES = 1 << 20


class Known(NamedTuple):
    """What is known of the language beside the treebank."""

    bits: dict[str, int]
    items: Items
    lexicon: Lexicon


def known_of(
    docs: Sequence[Document],
    options: TokenizerOptions,
    init: Tokenizer | None = None,
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


def seen_words(docs: Sequence[Document]) -> list[str]:
    """Words of letters seen twice or more that a dictionary of a language without spaces can have.

    Unlike those of `unspaced_words` they are as long as words of a dictionary may be.
    """
    seen: Counter[str] = Counter()
    for doc in docs:
        classes, _ = classify(code_points(doc.text))
        letters = np.concatenate([[0], np.cumsum(np.isin(classes, LETTERS))])
        starts, ends = doc.token_start + MARGIN, doc.token_end + MARGIN
        whole = letters[ends] - letters[starts] == ends - starts
        short = whole & (ends - starts <= LONGEST_NAMED)
        spans = zip(doc.token_start[short].tolist(), doc.token_end[short].tolist(), strict=True)
        seen.update(doc.text[start:end] for start, end in spans)
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
