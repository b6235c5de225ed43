"""Score a model of many languages on the dev files of all main treebanks, from raw text.

    python benchmarks/multi_scores.py multi -o scores.json --jobs 2        # 1,200 words of each
    python benchmarks/multi_scores.py multi -o scores.json --words 0 --only da fi

F1 by the CoNLL 2018 definition; the language is recognised, not named, unless --lang. Beside it:
LAS with given words and sentences, F1 of sentence starts inside documents that were made as of
speech (lower case, no punctuation), the share of documents whose language was recognised, and words
a second of one core. With `--search` some settings of the search are tried, as JSON
(`'{"unedited": 1.5}'`). A language none of whose files says where blanks are is scored from given
tokens. Rows are written as they are found, and rows that are there are not made anew.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from build_multi import LEFT_OUT, MAIN
from data import DATA
from recognising import all_treebanks

import caesura
from caesura.document import YES, Document
from caesura.document.slicing import cut
from caesura.evaluate import conll18
from caesura.formats import read
from caesura.learn.several_tokenizers import Treebank, has_spaces
from caesura.transform import speech

NAMES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
#: Languages that are not written with spaces: speech as of transcripts would put some in.
UNSPACED = ("zh", "yue", "ja", "th")


def main_treebanks() -> list[Treebank]:
    """The treebanks that languages are measured on."""
    found = [t for t in all_treebanks(DATA / "open") if t.name not in LEFT_OUT]
    several = {t.language for t in found if t.name in MAIN}
    return [t for t in found if t.dev and (t.name in MAIN or t.language not in several)]


def some(path: Path, words: int) -> list[Document]:
    """The first documents of a file with so many words, the last one cut between sentences."""
    found: list[Document] = []
    left = words
    for doc in read(path):
        if words and doc.n_tokens > left:
            starts = np.flatnonzero(doc.sent_start == YES)
            inside = starts[(starts > 0) & (starts <= max(left, 20))]
            if len(inside):
                found.append(cut(doc, 0, int(inside[-1])))
            elif not found:
                found.append(doc)
            break
        found.append(doc)
        left -= doc.n_tokens
    return found


def starts_f1(gold: list[Document], system: list[Document]) -> tuple[int, int, int]:
    """Right, found and true sentence starts inside documents, by offset."""
    right = found = true = 0
    for one, other in zip(gold, system, strict=True):
        a = set(one.token_start[one.sent_start == YES].tolist()[1:])
        b = set(other.token_start[other.sent_start == YES].tolist()[1:])
        right, found, true = right + len(a & b), found + len(b), true + len(a)
    return right, found, true


def score(nlp: Any, treebank: Treebank, words: int, lang: str | None) -> dict[str, Any]:
    assert treebank.dev is not None
    gold = some(treebank.dev, words)
    if lang:
        nlp = nlp.with_search(language=treebank.language)
    raw = has_spaces(gold)
    clock = time.process_time()
    if raw:
        system = [nlp(doc.text) for doc in gold]
    else:
        system = [nlp(doc, keep=("tokens",)) for doc in gold]
    took = time.process_time() - clock
    scores = conll18(gold, system)
    row: dict[str, Any] = {name: round(float(scores[name].f1), 2) for name in NAMES}
    row |= {"treebank": treebank.name, "raw": raw, "dev": sum(doc.n_words for doc in gold)}
    row["speed"] = round(row["dev"] / max(took, 0.01))
    told = [_language(doc) == treebank.language for doc in system if doc.n_tokens]
    row["recognised"] = round(100 * float(np.mean(told)), 1) if raw and not lang else None
    fixed = nlp.with_search(language=treebank.language)
    given = [fixed(doc, keep=("tokens", "sentences")) for doc in gold]
    with_words = conll18(gold, given)
    row["gold words"] = {name: round(float(with_words[name].f1), 2) for name in NAMES[2:]}
    if treebank.language not in UNSPACED:
        spoken = [doc for doc in map(speech, gold) if doc.n_tokens]
        heard = [fixed(doc.text) for doc in spoken]
        right, found, true = starts_f1(spoken, heard)
        row["speech starts"] = round(200 * right / max(1, found + true), 2)
        row["speech LAS"] = round(float(conll18(spoken, heard)["LAS"].f1), 2)
    return row


def _language(doc: Document) -> str:
    assert doc.token_language is not None
    kinds, counts = np.unique(doc.token_language, return_counts=True)
    return doc.strings[int(kinds[counts.argmax()])]


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def wanted(only: list[str] | None) -> Iterator[Treebank]:
    yield from (t for t in main_treebanks() if not only or t.language in only)


#: What a process has: the model, and what was asked for.
_OWN: dict[str, Any] = {}


def _load(given: argparse.Namespace) -> None:
    nlp = caesura.load(given.model).unwatched()
    _OWN["nlp"] = nlp.with_search(**given.search) if given.search else nlp
    _OWN["words"], _OWN["lang"] = given.words, given.lang


def _row(treebank: Treebank) -> dict[str, Any]:
    row = score(_OWN["nlp"], treebank, _OWN["words"], _OWN["lang"])
    row["language"] = treebank.language
    return row


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="CODE")
    parser.add_argument("--words", type=int, default=1200, help="of each treebank; 0: all")
    parser.add_argument("--lang", action="store_true", help="name the language")
    parser.add_argument("--search", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--jobs", type=int, default=1, help="treebanks at a time")
    given = parser.parse_args()
    rows = rows_of(given.output)
    left = [treebank for treebank in wanted(given.only) if treebank.name not in rows]
    with ProcessPoolExecutor(given.jobs, initializer=_load, initargs=(given,)) as pool:
        runs = {pool.submit(_row, treebank): treebank for treebank in left}
        for run in as_completed(runs):
            treebank, row = runs[run], run.result()
            rows[treebank.name] = row
            text = json.dumps(dict(sorted(rows.items())), indent=1, ensure_ascii=False)
            given.output.write_text(text, encoding="utf-8")
            told = " ".join(f"{name} {row[name]:.1f}" for name in NAMES)
            print(treebank.language, treebank.name, told, row.get("speech starts"), flush=True)
    for name in (*NAMES, "speech starts", "recognised"):
        values = [r[name] for r in rows.values() if r.get(name) is not None]
        print(f"mean {name} of {len(values)}: {np.mean(values):.2f}")


if __name__ == "__main__":
    main()
