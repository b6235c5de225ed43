"""Accuracy of language recognition: documents, paragraphs, close pairs, unknown languages.

    python -m modelling.multi.recogniser                        # train on open/
    python -m modelling.multi.recogniser --model multi.caesura  # the one of a model

Trained on the training files of all treebanks, measured on the first 200 pieces of their dev
files; the scale of confidences is chosen on 20 pieces of each language, which are excluded from the
figures of 20 words. A document is two hundred tokens or more of consecutive sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from benchmarks.common import DATA, find_file, options
from modelling.multi.recogniser_training import (
    RecogniserOptions,
    calibrated,
    pieces_of,
    train_recogniser,
)
from modelling.multi.tokenizers import Treebank, by_language
from modelling.multi.treebanks import all_treebanks

from caesura.formats import read
from caesura.language.recognise import NONE, Recogniser
from caesura.stages.several_tokenizers import recogniser_of

#: Pairs that are hard to tell apart.
PAIRS = (("da", "nb"), ("nb", "nn"), ("hr", "sr"), ("gl", "pt"), ("id", "jv"), ("cs", "sk"))
#: Treebanks of languages that the folder does not have.
UNSEEN = ("UD_Basque-BDT", "UD_Bulgarian-BTB", "UD_Catalan-AnCora", "UD_Hungarian-Szeged")
#: Pieces of each language that are looked at, and those of them that the scale is chosen on.
MOST = 200
HELD = 20


def pieces(treebanks: Iterable[Treebank], size: int) -> dict[str, list[str]]:
    """Pieces of so many tokens of the dev files, by language; short documents are put together."""
    random = np.random.default_rng(0)
    found: dict[str, list[str]] = {}
    for code, docs in by_language(treebanks, "dev", 6000).items():
        own, waiting, tokens = found.setdefault(code, []), [], 0
        for doc in docs:
            if doc.n_tokens >= size:
                own += list(pieces_of(doc, random, size))[: doc.n_tokens // size]
                continue
            waiting.append(doc.text)
            tokens += doc.n_tokens
            if tokens >= size:
                own.append("\n".join(waiting))
                waiting, tokens = [], 0
        del own[MOST:]
    return {code: own for code, own in found.items() if own}


def report(recogniser: Recogniser, treebanks: Sequence[Treebank]) -> None:
    for name, tokens in (("documents", 200), ("paragraphs of 20 words", 20), ("of 8 words", 8)):
        texts = {
            code: kept
            for code, own in pieces(treebanks, tokens).items()
            if (kept := own[HELD if tokens == 20 else 0 :])
        }
        said = {code: [recogniser.of(text).language for text in own] for code, own in texts.items()}
        mean = np.mean([100 * own.count(code) / len(own) for code, own in said.items()])
        print(f"{name}: {mean:.2f} (mean of {len(said)} languages)")
        for a, b in PAIRS:
            if a in said and b in said:
                wrong = [f"{x} as {y} {said[x].count(y)} of {len(said[x])}" for x, y in
                         ((a, b), (b, a))]  # fmt: skip
                print(f"  {', '.join(wrong)}")
    for name in UNSEEN:
        path = find_file(name, "dev") or find_file(name, "train")
        if path is None:
            continue
        random = np.random.default_rng(0)
        texts = [p for doc in read(path) for p in pieces_of(doc, random, 40)][:MOST]
        guesses = [recogniser.of(text) for text in texts]
        none = 100 * sum(g.language is None or g.confidence < 0.8 for g in guesses) / len(guesses)
        taken = Counter(g.language for g in guesses).most_common(3)
        print(f"{name}, not known: {none:.1f} told as none or unsure; {taken}")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--model", help="measure the recogniser of this model")
    given = parser.parse_args()
    treebanks = all_treebanks(DATA / "open")
    if given.model:
        recogniser = recogniser_of(given.model)
    else:
        settings = RecogniserOptions(bits=18, pieces=150_000, epochs=3)
        recogniser = train_recogniser(by_language(treebanks), settings)
        held = {code: own[:HELD] for code, own in pieces(treebanks, 20).items()}
        recogniser = calibrated(recogniser, held)
    assert recogniser.languages[-1] == NONE
    report(recogniser, treebanks)


if __name__ == "__main__":
    main()
