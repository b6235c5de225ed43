"""Accuracy of language recognition: documents, paragraphs, close pairs, unknown languages.

    python -m modelling.multi.recogniser                        # train on open/
    python -m modelling.multi.recogniser --model multi.caesura  # the one of a model

Trained on the training files of all treebanks, measured on the first 200 pieces of their dev
files; the scale of confidences is chosen on 20 pieces of each language, which are excluded from the
figures of 20 words. A document is two hundred tokens or more of consecutive sentences; a text in
several languages has three paragraphs of each.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

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
from caesura.language.recognise import NONE, Guess, Recogniser
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


def accuracy(
    recogniser: Recogniser, texts: Mapping[str, Sequence[str]]
) -> tuple[dict[str, float], Counter[tuple[str, str | None]], list[tuple[Guess, bool]]]:
    by_code, wrong, said = {}, Counter(), []
    for code, own in texts.items():
        guesses = [recogniser.of(text) for text in own]
        by_code[code] = 100 * sum(g.language == code for g in guesses) / len(guesses)
        wrong.update((code, g.language) for g in guesses if g.language != code)
        said += [(g, g.language == code) for g in guesses]
    return by_code, wrong, said


def mixed(recogniser: Recogniser, texts: Mapping[str, Sequence[str]], languages: int) -> float:
    """How many paragraphs of texts in some languages are told, three of each language."""
    random = np.random.default_rng(1)
    right: list[bool] = []
    for _ in range(600):
        codes = random.choice([code for code in texts if len(texts[code]) >= 10], languages, False)
        rows = [(code, " ".join(text.split())) for code in codes
                for text in random.choice(texts[code], 3)]  # fmt: skip
        regions = recogniser.regions("\n\n".join(text for _, text in rows))
        at = 0
        for code, text in rows:
            right += [one.guess.language == code for one in regions if one.start <= at < one.end]
            at += len(text) + 2
    return 100 * float(np.mean(right))


def report(recogniser: Recogniser, treebanks: Sequence[Treebank]) -> None:
    size = (
        len(zlib.compress(b"".join(a.tobytes() for a in recogniser.to_part().arrays.values()), 9))
        / 1e6
    )
    print(f"{len(recogniser.languages) - 1} languages, {size:.2f} MB")
    for name, tokens in (("documents", 200), ("paragraphs of 20 words", 20), ("of 8 words", 8)):
        texts = {code: own[HELD if tokens == 20 else 0 :] for code, own in
                 pieces(treebanks, tokens).items()}  # fmt: skip
        texts = {code: own for code, own in texts.items() if own}
        by_code, wrong, said = accuracy(recogniser, texts)
        mean = float(np.mean(list(by_code.values())))
        whole = 100 * float(np.mean([right for _, right in said]))
        print(
            f"{name}: {mean:.2f} (mean of {len(texts)} languages), {whole:.2f} of all {len(said)}"
        )
        worst = sorted(by_code.items(), key=lambda row: row[1])[:12]
        print("  worst: " + ", ".join(f"{code} {value:.1f}" for code, value in worst))
        for a, b in PAIRS:
            if a in texts and b in texts:
                print(f"  {a}/{b}: {a} as {b} {wrong[a, b]} of {len(texts[a])}, "
                      f"{b} as {a} {wrong[b, a]} of {len(texts[b])}")  # fmt: skip
        for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
            inside = [(g.confidence, right) for g, right in said if low <= g.confidence < high]
            if inside:
                sure, right = np.mean(inside, axis=0) * 100
                print(f"  sure {low}-{high}: {len(inside)}, said {sure:.1f}, right {right:.1f}")
    texts = pieces(treebanks, 20)
    for languages in (1, 2, 3):
        share = mixed(recogniser, texts, languages)
        print(f"paragraphs of 20 words, three of each of {languages} in a text: {share:.2f}")
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
