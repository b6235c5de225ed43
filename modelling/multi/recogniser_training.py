"""Learning to tell languages apart: logistic regression over pieces of text of many lengths.

The class of no language is learned from text that nobody wrote: words of several languages in one
row, which is what a language between them looks like, and words whose letters are shuffled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from caesura.document import Document
from caesura.errors import UsageError
from caesura.language.recognise import NONE, Recogniser, features, quantised

__all__ = ["RecogniserOptions", "pieces_of", "train_recogniser"]


@dataclass(frozen=True)
class RecogniserOptions:
    """How a recogniser is trained."""

    #: The table has 2**bits rows.
    bits: int = 16
    #: Pieces of text of each epoch, and epochs.
    pieces: int = 60_000
    epochs: int = 3
    rate: float = 1.0
    #: Languages are drawn by their words to this power.
    temperature: float = 0.3
    #: The share of texts that nobody wrote.
    none: float = 0.08
    #: Weights below this are not kept.
    prune: float = 0.02
    seed: int = 1

    def __post_init__(self) -> None:
        if not 8 <= self.bits <= 22:
            raise UsageError(f"bits is {self.bits}, but must be 8 to 22")
        if not 0 <= self.none < 1:
            raise UsageError(f"none is {self.none}, but must be a share below 1")


#: Tokens of a piece of text: few, some, many.
_SIZES: Final = ((3, 9), (10, 31), (32, 90))
_OFTEN: Final = (0.25, 0.5, 0.25)
#: Classes that are less likely than this are left alone by a step.
_UNLIKELY: Final = 2e-3


def _learn(rows: NDArray[np.int32], gold: int, weights: NDArray[np.float32], rate: float) -> float:
    """One step; returns the loss before it."""
    share = np.float32(1.0 / np.sqrt(max(len(rows), 1)))
    scores = weights[rows].sum(axis=0, dtype=np.float32) * share
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    loss = -np.log(max(chances[gold], np.float32(1e-9)))
    errors = chances
    errors[gold] -= 1
    wrong = np.flatnonzero(np.abs(errors) >= _UNLIKELY)
    np.subtract.at(weights, (rows[:, None], wrong), np.float32(rate) * share * errors[wrong])
    return float(loss)


def pieces_of(doc: Document, random: np.random.Generator, size: int = 0) -> Iterator[str]:
    """Pieces of a document's text: of so many tokens each, else of all kinds of lengths."""
    at = 0
    while at < doc.n_tokens:
        own = size or int(random.integers(*_SIZES[int(random.choice(3, p=_OFTEN))]))
        end = min(at + own, doc.n_tokens)
        yield doc.text[int(doc.token_start[at]) : int(doc.token_end[end - 1])]
        at = end


def _nobodys(
    texts: Mapping[str, Sequence[str]],
    alike: Mapping[str, Sequence[str]],
    random: np.random.Generator,
) -> str:
    """A text that nobody wrote; `alike` has the languages that share the script of each."""
    language = _draw(list(texts), random)
    if random.random() < 0.7 and len(alike[language]) > 1:
        mixed = []
        for _ in range(int(random.integers(3, 16))):
            words = _draw(texts[_draw(alike[language], random)], random).split()
            at = int(random.integers(len(words)))
            mixed += words[at : at + int(random.integers(1, 3))]
        return " ".join(mixed)
    words = _draw(texts[language], random).split()
    return " ".join("".join(random.permutation(list(word)).tolist()) for word in words)


def _draw(texts: Sequence[str], random: np.random.Generator) -> str:
    return texts[int(random.integers(len(texts)))]


def _alike(texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The languages of the same script; blocks of 512 code points are near enough to one."""
    scripts = {}
    for code, own in texts.items():
        letters = Counter(ord(c) >> 9 for text in own[:100] for c in text if c.isalpha())
        scripts[code] = letters.most_common(1)[0][0] if letters else -1
    return {
        code: [other for other in texts if scripts[other] == script]
        for code, script in scripts.items()
    }


def train_recogniser(
    docs: Mapping[str, Sequence[Document]], options: RecogniserOptions | None = None
) -> Recogniser:
    """A recogniser of the languages whose documents these are."""
    options = options or RecogniserOptions()
    if len(docs) < 2:
        raise UsageError("one language cannot be told from others", remedy="Give two or more.")
    random = np.random.default_rng(options.seed)
    texts = {
        code: [piece for doc in own for piece in pieces_of(doc, random) if piece.split()]
        for code, own in sorted(docs.items())
    }
    for code, own in texts.items():
        if not own:
            raise UsageError(f"there is no text in {code} to learn from")
    alike = _alike(texts)
    languages = (*texts, NONE)
    sizes = np.array([sum(map(len, own)) for own in texts.values()], dtype=np.float64)
    chances = sizes**options.temperature
    chances *= (1 - options.none) / chances.sum()
    chances = np.append(chances, options.none)
    weights = np.zeros((1 << options.bits, len(languages)), np.float32)
    steps = options.pieces * options.epochs
    for step in range(steps):
        label = int(random.choice(len(languages), p=chances))
        code = languages[label]
        text = _draw(texts[code], random) if code else _nobodys(texts, alike, random)
        rows = features(text, options.bits)
        if len(rows):
            _learn(rows, label, weights, options.rate * (1 - 0.95 * step / steps))
    return Recogniser(languages, **quantised(weights, 1.0, options.prune))


def calibrated(
    recogniser: Recogniser, held: Mapping[str, Sequence[str]], least: float = 0.05
) -> Recogniser:
    """The same recogniser with the scale that makes held-out texts likeliest."""
    gold, scores = [], []
    number = {code: n for n, code in enumerate(recogniser.languages)}
    for code, texts in held.items():
        for text in texts:
            found, n = recogniser.scores(text)
            if n:
                gold.append(number[code])
                scores.append(found)
    if not gold:
        return recogniser
    table = np.array(scores)
    rows = np.arange(len(gold))

    def loss(factor: float) -> float:
        points = table * factor
        points -= points.max(1, keepdims=True)
        return float((np.log(np.exp(points).sum(1)) - points[rows, gold]).mean())

    factors = np.geomspace(least, 10.0, 80)
    best = float(factors[int(np.argmin([loss(f) for f in factors]))])
    return Recogniser(recogniser.languages, recogniser.weights, recogniser.scale * best)
