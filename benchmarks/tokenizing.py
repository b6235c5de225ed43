"""How well and how fast texts are tokenised, by treebank, and beside UDPipe 1 on the same text.

Every tokeniser is trained on the training split and scored on the raw text of the dev split by the
definition of the CoNLL 2018 shared task. Treebanks that do not say where spaces are (Chinese,
Japanese) are joined without any. `--udpipe` trains a tokeniser of UDPipe 1 (package ufal.udpipe) on
a hundred sentences (with 64 dimensions, as the released models have; the speed does not depend on
the training), and times both in turns. `--levers` trains on EWT without and with
what is known beside the treebank (types, copies with items, copies in other manners), some seeds
each, since one seed says little about sentences; of `tests/cases` the open ones are counted and the
held ones left alone.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from data import DATA, ROOT, file_of

from caesura.cluster import cluster
from caesura.document import Document
from caesura.evaluate import conll18
from caesura.formats import read
from caesura.tokenize import (
    RuleTokenizer,
    Tokenizer,
    TokenizerOptions,
    TokenizerTrainer,
)
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


def load(name: str, split: str, data: Path) -> list[Document]:
    return list(read(file_of(name, split, data), space=TREEBANKS[name]))


def f1(gold: Sequence[Document], system: Sequence[Document]) -> dict[str, float]:
    scores = conll18(list(gold), list(system))
    return {name: round(float(scores[name].f1), 2) for name in METRICS}


def best_rate(work: Callable[[], int], rounds: int = 3) -> float:
    """Words for a second of processor time, the best of some rounds."""
    return max(_rate(work) for _ in range(rounds))


def _rate(work: Callable[[], int]) -> float:
    clock = time.process_time()
    words = work()
    return words / (time.process_time() - clock)


def one(name: str, data: Path, options: TokenizerOptions) -> tuple[dict[str, Any], Tokenizer]:
    train, dev = load(name, "train", data), load(name, "dev", data)
    clock = time.process_time()
    trainer = TokenizerTrainer(train, options)
    for number in range(1, options.epochs + 1):
        trainer.epoch(number)
    tokenizer = trainer.tokenizer()
    seconds = time.process_time() - clock
    texts = [doc.text for doc in dev]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        tokenizer.save(path)
        size = path.stat().st_size
    rules = RuleTokenizer().learn(doc.text for doc in train)
    row: dict[str, Any] = {"treebank": name}
    row |= f1(dev, [tokenizer.tokenize(text) for text in texts])
    by_rule = f1(dev, [rules.tokenize(text) for text in texts])
    row |= {f"rules {metric}": value for metric, value in by_rule.items()}
    row["words/s"] = round(best_rate(lambda: sum(tokenizer.tokenize(t).n_words for t in texts)))
    row["train s"] = round(seconds, 1)
    row["KB"] = round(size / 1000)
    return row, tokenizer


def beside_udpipe(tokenizer: Tokenizer, data: Path) -> dict[str, Any]:
    """Both on the raw text of EWT dev, in turns, one thread."""
    import ufal.udpipe as udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    train = load("English-EWT", "train", data)
    from caesura.formats import write

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "few.conllu"
        write(train[:4], path)
        reader.setText(path.read_text(encoding="utf-8"))
    few = []
    sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
    while len(few) < 100 and reader.nextSentence(sentence, error):
        few.append(sentence)
        sentence = udpipe.Sentence()
    made = udpipe.Trainer.train(
        "morphodita_parsito",
        udpipe.Sentences(few),
        udpipe.Sentences([]),
        "dimension=64;epochs=2",  # as in the released models
        udpipe.Trainer.NONE,
        udpipe.Trainer.NONE,
        error,
    )
    if error.occurred():
        raise SystemExit(f"UDPipe: {error.message}")
    with tempfile.NamedTemporaryFile(suffix=".udpipe") as file:
        data_ = made if isinstance(made, bytes) else made.encode("utf-8", "surrogateescape")
        file.write(data_)
        file.flush()
        model = udpipe.Model.load(file.name)
    texts = [doc.text for doc in load("English-EWT", "dev", data)]

    def theirs() -> int:
        words = 0
        for text in texts:
            tool = model.newTokenizer(udpipe.Model.DEFAULT)
            tool.setText(text)
            found = udpipe.Sentence()
            while tool.nextSentence(found, udpipe.ProcessingError()):
                words += len(found.words) - 1
                found = udpipe.Sentence()
        return words

    def ours() -> int:
        return sum(tokenizer.tokenize(text).n_words for text in texts)

    ours()
    pairs = [(_rate(ours), _rate(theirs)) for _ in range(4)]
    mine, other = max(a for a, _ in pairs), max(b for _, b in pairs)
    return {"caesura words/s": round(mine), "udpipe words/s": round(other), "ratio": mine / other}


#: What is known beside the treebank, switched on one after the other.
LEVERS = ("types", "exchange", "roughen")


def levers(data: Path, seeds: int) -> list[dict[str, Any]]:
    """Means over seeds on EWT and GUM dev, after training on EWT, lever by lever."""
    train = load("English-EWT", "train", data)
    devs = {name: load(f"English-{name}", "dev", data) for name in ("EWT", "GUM")}
    rows = []
    for n in range(len(LEVERS) + 1):
        off = dict.fromkeys(LEVERS[n:], False)
        found: list[dict[str, float]] = []
        for seed in range(1, seeds + 1):
            tokenizer = train_tokenizer(train, replace(TokenizerOptions(), seed=seed, **off))
            scores: dict[str, float] = {}
            for name, dev in devs.items():
                system = [tokenizer.tokenize(doc.text) for doc in dev]
                scores |= {f"{name} {metric}": value for metric, value in f1(dev, system).items()}
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


def clustering(data: Path, tokens: int = 1_000_000) -> list[dict[str, Any]]:
    """Seconds to put a million tokens of English into 200 classes."""
    docs = load("English-EWT", "train", data) + load("English-GUM", "train", data)
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


def table(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    for row in rows:
        cells = [f"{v:.2f}" if isinstance(v, float) else f"{v}" for v in row.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebanks", nargs="*", help=f"of {', '.join(TREEBANKS)}; all by default")
    parser.add_argument("--data", type=Path, default=DATA, help="where the treebanks are")
    parser.add_argument("--epochs", type=int, default=TokenizerOptions().epochs)
    parser.add_argument("--udpipe", action="store_true", help="time UDPipe 1 as well (on EWT)")
    parser.add_argument("--levers", type=int, metavar="SEEDS", help="what each lever gains on EWT")
    parser.add_argument("--cluster", action="store_true", help="time word classes as well")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    chosen = arguments.treebanks or list(TREEBANKS)
    unknown = set(chosen) - set(TREEBANKS)
    if unknown:
        parser.error(f"no such treebank: {', '.join(sorted(unknown))}")
    report: dict[str, Any] = {"treebanks": []}
    for name in () if arguments.levers and not arguments.treebanks else chosen:
        row, tokenizer = one(name, arguments.data, TokenizerOptions(epochs=arguments.epochs))
        report["treebanks"].append(row)
        if name == "English-EWT" and arguments.udpipe:
            report["udpipe"] = [beside_udpipe(tokenizer, arguments.data)]
    if arguments.cluster:
        report["clustering"] = clustering(arguments.data)
    if arguments.levers:
        report["levers"] = levers(arguments.data, arguments.levers)
    if arguments.json:
        print(json.dumps(report, indent=1))
        return
    for rows in report.values():
        if rows:
            print(table(rows) + "\n")


if __name__ == "__main__":
    main()
