"""Treebanks of many languages: which there are in a folder, and what is learned from all of them.

A treebank is a folder whose files are named as Universal Dependencies names them
(`da_ddt-ud-train.conllu.gz`); the beginning tells the language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from modelling.multi.recogniser_training import (
    RecogniserOptions,
    calibrated,
    pieces_of,
    train_recogniser,
)

from caesura.document import YES, Document
from caesura.document.characters import LETTERS, MARGIN, classify, code_points
from caesura.document.slicing import cut
from caesura.errors import InputError
from caesura.formats import read
from caesura.learn.token_knowledge import unspaced_words
from caesura.learn.tokenizer import token_scores, train
from caesura.stages.several_tokenizers import ManyTokenizer
from caesura.stages.token_knowledge import LONGEST_NAMED
from caesura.stages.tokenizer import Tokenizer, TokenizerOptions

_FILE: Final = re.compile(r"([a-z]{2,3})_([a-z0-9]+)[a-z0-9_-]*-(train|dev)\.conllu(\.gz)?$")
#: Names of Universal Dependencies that are two languages to us.
_CODES: Final = {("no", "bokmaal"): "nb", ("no", "nynorsk"): "nn", ("no", "nynorsklia"): "nn"}
#: Above this share of tokens with a blank behind them a file does not say where blanks are.
_SPACED: Final = 0.985
#: With fewer tokens to learn from, what was seen so often is learned, where words have blanks.
_FEW: Final = 30_000
_RARE: Final = 2
#: Held-out texts of each language, and their tokens.
_HELD: Final = 20
_HELD_SIZE: Final = 20


class Treebank(NamedTuple):
    """The files of a treebank, and the code of its language."""

    name: str
    language: str
    train: Path
    dev: Path | None = None
    #: Whether its language is measured on it; with none, that is the first of the language.
    main: bool = False


def find_treebanks(folders: Iterable[Path]) -> list[Treebank]:
    """The treebanks in some folders or right below them, by name."""
    found: dict[Path, dict[str, Path]] = {}
    codes: dict[Path, str] = {}
    for folder in folders:
        if not folder.is_dir():
            raise InputError("there is no such folder", file=str(folder), remedy="Check the path.")
        for path in sorted({*folder.glob("*.conllu*"), *folder.glob("*/*.conllu*")}):
            match = _FILE.match(path.name)
            if match is not None:
                found.setdefault(path.parent, {})[match[3]] = path
                codes[path.parent] = _CODES.get((match[1], match[2]), match[1])
    return [
        Treebank(home.name, codes[home], files["train"], files.get("dev"))
        for home, files in sorted(found.items())
        if "train" in files
    ]


def has_spaces(docs: Iterable[Document]) -> bool:
    """Whether documents say where blanks are: in most, some tokens have none behind them."""
    tokens = spaced = 0
    for doc in docs:
        tokens += doc.n_tokens
        spaced += int((doc.token_start[1:] > doc.token_end[:-1]).sum()) + bool(doc.n_tokens)
    return spaced < _SPACED * max(tokens, 1)


def by_language(
    treebanks: Iterable[Treebank], split: str = "train", most: int = 0
) -> Mapping[str, list[Document]]:
    """The documents of each language, of each treebank at most so many words."""
    found: dict[str, list[Document]] = {}
    for treebank in treebanks:
        path = treebank.train if split == "train" else treebank.dev
        words = 0
        for doc in read(path) if path is not None else ():
            found.setdefault(treebank.language, []).append(doc)
            words += doc.n_words
            if most and words >= most:
                break
    return found


@dataclass(frozen=True)
class ManyOptions:
    """How a tokeniser of many languages is trained."""

    #: Each language has tables of 2**bits rows.
    tokenizer: TokenizerOptions = field(
        default_factory=lambda: TokenizerOptions(bits=20, epochs=6, relaid=0.5, prune=0.04)
    )
    recogniser: RecogniserOptions = field(
        default_factory=lambda: RecogniserOptions(bits=18, pieces=150_000, epochs=3)
    )
    #: Tokens of each treebank that are learned from; 0: all.
    most: int = 0


def train_tokenizers(
    treebanks: Sequence[Treebank],
    options: ManyOptions | None = None,
    *,
    named: Mapping[str, Sequence[str]] | None = None,
    report: Callable[[str, Mapping[str, float]], None] = lambda code, scores: None,
) -> ManyTokenizer:
    """A recogniser and a tokeniser for each language, from all of their treebanks.

    `named` has words of languages without spaces, from a dictionary or the pieces of an encoder.
    """
    options = options or ManyOptions()
    languages: dict[str, list[Treebank]] = {}
    for treebank in treebanks:
        languages.setdefault(treebank.language, []).append(treebank)
    tokenizers: dict[str, Tokenizer] = {}
    for code, own in languages.items():
        trained, scores = train_tokenizer(code, own, options, (named or {}).get(code, ()))
        if trained is not None:
            tokenizers[code] = trained
        report(code, scores)
    return join_tokenizers(treebanks, tokenizers, options)


def join_tokenizers(
    treebanks: Sequence[Treebank],
    tokenizers: Mapping[str, Tokenizer],
    options: ManyOptions | None = None,
) -> ManyTokenizer:
    """The tokenisers of languages, and a recogniser that is trained on their treebanks."""
    options = options or ManyOptions()
    recogniser = train_recogniser(by_language(treebanks), options.recogniser)
    return ManyTokenizer(calibrated(recogniser, _held_out(treebanks)), dict(tokenizers))


def _held_out(treebanks: Sequence[Treebank]) -> dict[str, list[str]]:
    """Short texts of the dev files, by which the recogniser learns how sure it may be."""
    random = np.random.default_rng(0)
    return {
        code: [text for doc in docs for text in pieces_of(doc, random, _HELD_SIZE)][:_HELD]
        for code, docs in by_language(treebanks, "dev", _HELD * _HELD_SIZE).items()
    }


def train_tokenizer(
    code: str, treebanks: Sequence[Treebank], options: ManyOptions, named: Sequence[str] = ()
) -> tuple[Tokenizer | None, Mapping[str, float]]:
    """The tokeniser of a language, and its scores on the dev files.

    A language is measured on its main treebanks, or on the first; the others are taken with them
    where their dev files say that they help, one by one: as a whole, or for sentence starts alone,
    since habits differ most in what a word is. Where there are no spaces, words that were seen are
    taken into the dictionary if that helps. A language none of whose files says where blanks are
    gets no tokeniser, and rules are taken for it.
    """
    main = [treebank for treebank in treebanks if treebank.main] or [treebanks[0]]
    others = [treebank for treebank in treebanks if treebank not in main]
    docs = [_some(read(treebank.train), options.most) for treebank in others]
    first = [doc for treebank in main for doc in _some(read(treebank.train), options.most)]
    usable = [own for own in (first, *docs) if own and has_spaces(own)]
    if not usable:
        return None, {}
    dev = [doc for treebank in main if treebank.dev is not None for doc in read(treebank.dev)]
    settings = replace(options.tokenizer, language=code)
    best = _trained(_Lessons(usable[0]), settings, named, dev)
    for own in usable[1:]:
        known = best.lessons
        for more in (
            known._replace(docs=[*known.docs, *own]),
            known._replace(starts=[*known.starts, *own]),
        ):
            best = max(best, _trained(more, settings, named, dev), key=_score)
    if named and unspaced_words(best.lessons.docs):
        seen = [*named, *seen_words(best.lessons.docs)]
        best = max(best, _trained(best.lessons, settings, seen, dev), key=_score)
    return best.tokenizer, best.scores


class _Lessons(NamedTuple):
    """What is learned from, and what tells of sentence starts alone."""

    docs: Sequence[Document]
    starts: Sequence[Document] = ()


class _Trained(NamedTuple):
    """A tokeniser, what it has learned from, and how well it does."""

    lessons: _Lessons
    tokenizer: Tokenizer
    scores: Mapping[str, float]


def _trained(
    lessons: _Lessons, options: TokenizerOptions, named: Sequence[str], dev: Sequence[Document]
) -> _Trained:
    # Copies as of speech have blanks between words, where there are none in the language.
    spaced = not unspaced_words(lessons.docs)
    options = replace(options, speech=options.speech and spaced)
    if spaced and sum(doc.n_tokens for doc in lessons.docs) < _FEW:
        options = replace(options, rare_cut=min(options.rare_cut, _RARE))
    tokenizer = train(lessons.docs, options, named=named, starts=lessons.starts)
    return _Trained(lessons, tokenizer, _scores(tokenizer, dev))


def _score(trained: _Trained) -> float:
    return sum(trained.scores.values())


def _scores(tokenizer: Tokenizer, dev: Sequence[Document]) -> Mapping[str, float]:
    if not dev:
        return {}
    texts = [Document(text=doc.text, paragraph_start=doc.paragraph_start) for doc in dev]
    return token_scores(dev, [tokenizer.tokenize(doc) for doc in texts])


def _some(docs: Iterable[Document], most: int) -> list[Document]:
    """Documents with so many tokens together."""
    found: list[Document] = []
    tokens = 0
    for doc in docs:
        if most and tokens + doc.n_tokens > most:
            starts = np.flatnonzero(doc.sent_start == YES)
            inside = starts[starts <= most - tokens]
            if len(inside) and inside[-1]:
                found.append(cut(doc, 0, int(inside[-1])))
            break
        found.append(doc)
        tokens += doc.n_tokens
    return found


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
