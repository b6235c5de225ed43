"""Train the tokeniser and the recogniser of many languages, and write them as a model file.

    python benchmarks/build_multi.py -o tokens.caesura          # the treebanks of open/
    python benchmarks/build_multi.py -o few.caesura --only da fi th --most 5000

F1 by the CoNLL 2018 definition on the dev files of each language's main treebanks (MAIN, or its
first), from raw text, is printed as it goes. The network is trained apart (it needs a
GPU), and joins the parts later.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from data import DATA
from recognising import all_treebanks

from caesura.language.learning import RecogniserOptions
from caesura.models.file import save
from caesura.train.many import ManyOptions, train_tokenizers

#: Treebanks that a language is measured on, where it has several.
MAIN = (
    "UD_Armenian-BSUT", "UD_Chinese-GSD", "UD_Chinese-GSDSimp", "UD_Czech-CAC", "UD_Dutch-Alpino",
    "UD_Finnish-TDT",
    "UD_French-GSD", "UD_Georgian-GNC", "UD_German-GSD", "UD_Hausa-NorthernAutogramm",
    "UD_Hebrew-IAHLTwiki", "UD_Icelandic-Modern", "UD_Indonesian-GSD", "UD_Irish-IDT",
    "UD_Italian-MarkIT", "UD_Japanese-GSD", "UD_Korean-GSD", "UD_Latin-CIRCSE",
    "UD_Lithuanian-ALKSNIS", "UD_Persian-PerDT", "UD_Portuguese-Bosque", "UD_Romanian-RRT",
    "UD_Russian-Taiga", "UD_Slovenian-SSJ", "UD_Spanish-GSD", "UD_Swedish-Talbanken",
    "UD_Thai-TUD", "UD_Turkish-BOUN", "UD_Uzbek-UzUDT",
)  # fmt: skip
#: Treebanks that help another language, too.
ALSO = {"UD_Chinese-HK": "yue"}
#: The letters of languages that are written without spaces.
LETTERS = {
    "zh": "\u4e00-\u9fff",
    "yue": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff\u4e00-\u9fff",
    "th": "\u0e00-\u0e7f",
}
#: The licence of these is told in two ways.
LEFT_OUT = ("UD_Dutch-LassySmall", "UD_Dutch-LassySmall-2017")


def words_of(path: Path) -> dict[str, list[str]]:
    """The pieces of an encoder that look like words of languages without spaces."""
    pieces = [p.lstrip("▁") for p, _ in json.loads(path.read_text("utf-8"))["model"]["vocab"]]
    return {
        code: sorted({p for p in pieces if re.fullmatch(f"[{letters}]{{2,12}}", p)})
        for code, letters in LETTERS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", help="codes of languages")
    parser.add_argument("--most", type=int, default=0, help="tokens of each treebank")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--subwords", type=Path, help="a tokenizer.json, of whose pieces words are")
    parser.add_argument("--pieces", type=int, help="texts that the recogniser learns from")
    arguments = parser.parse_args()
    treebanks = [t for t in all_treebanks(DATA / "open") if t.name not in LEFT_OUT]
    treebanks += [t._replace(language=ALSO[t.name]) for t in treebanks if t.name in ALSO]
    treebanks = [t._replace(main=t.name in MAIN) for t in treebanks]
    treebanks.sort(key=lambda t: (t.language, not t.main, t.name))
    if arguments.only:
        treebanks = [t for t in treebanks if t.language in arguments.only]
    options = ManyOptions(most=arguments.most)
    if arguments.epochs:
        tokenizer = replace(options.tokenizer, epochs=arguments.epochs)
        options = replace(options, tokenizer=tokenizer)
    if arguments.pieces:
        recogniser = RecogniserOptions(bits=18, pieces=arguments.pieces, epochs=1)
        options = replace(options, recogniser=recogniser)
    clock = time.process_time()
    found: dict[str, dict[str, float]] = {}

    def report(code: str, scores: dict[str, float]) -> None:
        if not scores:
            print(f"{code}: by rule", flush=True)
            return
        found[code] = dict(scores)
        told = ", ".join(f"{name} {value:.2f}" for name, value in scores.items())
        print(f"{code}: {told} ({time.process_time() - clock:.0f} s)", flush=True)

    named = words_of(arguments.subwords) if arguments.subwords else {}
    made = train_tokenizers(treebanks, options, named=named, report=report)
    save(arguments.output, {"tokenizers": made.to_part()}, kind="tokenizers")
    for name in ("Tokens", "Words", "Sentences"):
        mean = float(np.mean([scores[name] for scores in found.values()]))
        print(f"mean {name} of {len(found)} languages: {mean:.2f}")
    print(f"{arguments.output.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
