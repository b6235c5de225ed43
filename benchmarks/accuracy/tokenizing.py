"""Accuracy and speed of the tokenisers, by treebank and beside UDPipe 1.

    python -m benchmarks.accuracy.tokenizing
    python -m benchmarks.accuracy.tokenizing English-EWT --udpipe
    python -m benchmarks.accuracy.tokenizing English-EWT --cluster
    python -m benchmarks.accuracy.tokenizing --levers 3

Every tokeniser is trained on the training split and scored on the raw text of the dev split by the
definition of the CoNLL 2018 shared task. Treebanks that do not say where spaces are (Chinese,
Japanese) are joined without any. `--udpipe` trains UDPipe 1 on a hundred sentences (its speed does
not depend on the training) and times both in turns. `--levers` trains on EWT without and with
sources beside the treebank (types, copies with exchanged items, copies in other manners), with
several seeds each; the open cases of `tests/cases` are counted, the held ones are not used.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.common import ROOT, conll, fastest, file_of, options, show
from benchmarks.speed.peers import make_udpipe

from caesura.cluster import cluster
from caesura.document import Document
from caesura.formats import read
from caesura.tokenize import RuleTokenizer, Tokenizer, TokenizerOptions
from caesura.tokenize import train as train_tokenizer

#: Whether words are separated by spaces.
TREEBANKS = {
    "English-EWT": True,
    "English-GUM": True,
    "Chinese-GSD": False,
    "Japanese-GSD": False,
    "Czech-CLTT": True,
    "Greek-GDT": True,
    "Hungarian-Szeged": True,
    "Italian-ParTUT": True,
    "Portuguese-Bosque": True,
    "Swedish-LinES": True,
    "Turkish-IMST": True,
}
METRICS = ("Tokens", "Words", "Sentences")


def load(name: str, split: str) -> list[Document]:
    return list(read(file_of(name, split), space=TREEBANKS[name]))


def one(name: str, settings: TokenizerOptions) -> tuple[dict[str, Any], Tokenizer]:
    train, dev = load(name, "train"), load(name, "dev")
    clock = time.process_time()
    tokenizer = train_tokenizer(train, settings)
    seconds = time.process_time() - clock
    texts = [doc.text for doc in dev]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        tokenizer.save(path)
        size = path.stat().st_size
    rules = RuleTokenizer().learn(doc.text for doc in train)
    found = [tokenizer.tokenize(text) for text in texts]
    by_rule = conll(dev, [rules.tokenize(text) for text in texts], METRICS)
    row: dict[str, Any] = {"treebank": name, **conll(dev, found, METRICS)}
    row |= {f"rules {metric}": value for metric, value in by_rule.items()}
    spent = fastest({"": lambda: [tokenizer.tokenize(text) for text in texts]}, 3)[""]
    row["words/s"] = round(sum(doc.n_words for doc in found) / spent)
    row |= {"train s": round(seconds, 1), "KB": round(size / 1000)}
    return row, tokenizer


def beside_udpipe(tokenizer: Tokenizer) -> dict[str, Any]:
    """Both on the raw text of EWT dev, in turns, one thread."""
    from ufal import udpipe

    with tempfile.TemporaryDirectory() as folder:
        model = udpipe.Model.load(make_udpipe(Path(folder)))
    texts = [doc.text for doc in load("English-EWT", "dev")]
    words = {"caesura": 0, "udpipe": 0}

    def theirs() -> None:
        words["udpipe"] = 0
        for text in texts:
            tool = model.newTokenizer(udpipe.Model.DEFAULT)
            tool.setText(text)
            found = udpipe.Sentence()
            while tool.nextSentence(found, udpipe.ProcessingError()):
                words["udpipe"] += len(found.words) - 1
                found = udpipe.Sentence()

    def ours() -> None:
        words["caesura"] = sum(tokenizer.tokenize(text).n_words for text in texts)

    seconds = fastest({"caesura": ours, "udpipe": theirs}, 4)
    rates = {name: words[name] / spent for name, spent in seconds.items()}
    row: dict[str, Any] = {f"{name} words/s": round(rate) for name, rate in rates.items()}
    return row | {"ratio": rates["caesura"] / rates["udpipe"]}


#: Sources beside the treebank, switched on one after the other.
LEVERS = ("types", "exchange", "roughen")


def levers(seeds: int) -> list[dict[str, Any]]:
    """Means over seeds on EWT and GUM dev, after training on EWT, lever by lever."""
    train = load("English-EWT", "train")
    devs = {name: load(f"English-{name}", "dev") for name in ("EWT", "GUM")}
    rows = []
    for n in range(len(LEVERS) + 1):
        off = dict.fromkeys(LEVERS[n:], False)
        found: list[dict[str, float]] = []
        for seed in range(1, seeds + 1):
            tokenizer = train_tokenizer(train, replace(TokenizerOptions(), seed=seed, **off))
            scores: dict[str, float] = {}
            for name, dev in devs.items():
                system = [tokenizer.tokenize(doc.text) for doc in dev]
                own = conll(dev, system, METRICS)
                scores |= {f"{name} {metric}": value for metric, value in own.items()}
            found.append(scores | open_cases(tokenizer))
        row: dict[str, Any] = {"with": " + ".join(LEVERS[:n]) or "the treebank alone"}
        rows.append(row | {key: mean(scores[key] for scores in found) for key in found[0]})
    return rows


def open_cases(tokenizer: Tokenizer) -> dict[str, float]:
    """Per cent of the open cases (odd lines) of tokens and of sentences that come out right."""
    folder = ROOT / "tests" / "cases"
    lines = (folder / "tokens.tsv").read_text(encoding="utf-8").split("\n")[:-1:2]
    tokens = [spelled(tokenizer.tokenize(text)) == said for text, said in pairs(lines)]
    sentences = []
    for path in sorted((folder / "sentences").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n")[:-1:2]:
            case = json.loads(line)
            found = [sentence.text for sentence in tokenizer.tokenize(case["text"]).sentences]
            sentences.append(found == case["sentences"])
    return {"tokens.tsv": 100 * mean(tokens), "sentences/": 100 * mean(sentences)}


def pairs(lines: Sequence[str]) -> list[tuple[str, str]]:
    return [(text, said) for text, said in (line.split("\t") for line in lines)]


def spelled(doc: Document) -> str:
    """Tokens with spaces between them, words of one token with plus signs."""
    forms, first = doc.column("form"), doc.first_word.tolist()
    return " ".join("+".join(forms[a:b]) for a, b in pairwise(first))


def clustering(tokens: int = 1_000_000) -> list[dict[str, Any]]:
    """Seconds to put a million tokens of English into 200 classes."""
    docs = load("English-EWT", "train") + load("English-GUM", "train")
    forms = [word for doc in docs for word in doc.column("form")]
    sentences = [forms[at : at + 20] for at in range(0, len(forms), 20)]
    text = (sentences * (tokens // len(forms) + 1))[: tokens // 20]
    rows = []
    for method in ("exchange", "brown"):
        cluster(text[:50], 5, method=method)  # type: ignore[arg-type]
        clock = time.process_time()
        found = cluster(text, 200, method=method)  # type: ignore[arg-type]
        spent = time.process_time() - clock
        rows.append({"method": method, "tokens": 20 * len(text), "types": len(found), "s": spent})
    return rows


def main() -> None:
    parser = options(__doc__, "--json")
    parser.add_argument("treebanks", nargs="*", metavar="TREEBANK", help="default: all")
    parser.add_argument("--epochs", type=int, default=TokenizerOptions().epochs)
    parser.add_argument("--udpipe", action="store_true", help="time UDPipe 1 as well (on EWT)")
    parser.add_argument("--levers", type=int, metavar="SEEDS", help="gains of sources on EWT")
    parser.add_argument("--cluster", action="store_true", help="time word classes as well")
    given = parser.parse_args()
    if unknown := set(given.treebanks) - set(TREEBANKS):
        parser.error(f"no such treebank: {', '.join(sorted(unknown))}")
    report: dict[str, list[dict[str, Any]]] = {"treebanks": []}
    for name in given.treebanks or (() if given.levers else TREEBANKS):
        row, tokenizer = one(name, TokenizerOptions(epochs=given.epochs))
        report["treebanks"].append(row)
        if name == "English-EWT" and given.udpipe:
            report["udpipe"] = [beside_udpipe(tokenizer)]
    if given.cluster:
        report["clustering"] = clustering()
    if given.levers:
        report["levers"] = levers(given.levers)
    show(report, given.json)


if __name__ == "__main__":
    main()
