"""Score a model of many languages on the dev files of all main treebanks, from raw text.

    python -m modelling.multi.scores multi -o scores.json --jobs 2        # 1,200 words of each
    python -m modelling.multi.scores multi -o scores.json --words 0 --only da fi

F1 by the CoNLL 2018 definition; the language is recognised unless --lang. Also: LAS with given
words and sentences, F1 of sentence starts inside documents converted to speech (lower case, no
punctuation), the share of documents whose language was recognised, and words per second of one
core. `--search` sets options of the search as JSON (`'{"unedited": 1.5}'`). A language without a
file that says where blanks are is scored from given tokens. Rows that the output has are not
computed again.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import SCORES, conll, f1, first_words, keep_json, options, read_json
from modelling.multi.tokenizers import Treebank, has_spaces
from modelling.multi.treebanks import main_treebanks

import caesura
from caesura.document import YES, Document
from caesura.transform import speech

#: Languages that are not written with spaces: speech as of transcripts would put some in.
UNSPACED = ("zh", "yue", "ja", "th")


def starts(gold: list[Document], system: list[Document]) -> tuple[int, int, int]:
    """Right, found and true sentence starts inside documents, by offset."""
    right = found = true = 0
    for one, other in zip(gold, system, strict=True):
        a = set(one.token_start[one.sent_start == YES].tolist()[1:])
        b = set(other.token_start[other.sent_start == YES].tolist()[1:])
        right, found, true = right + len(a & b), found + len(b), true + len(a)
    return right, found, true


def score(nlp: Any, treebank: Treebank, words: int, lang: bool) -> dict[str, Any]:
    assert treebank.dev is not None
    gold = first_words(treebank.dev, words)
    if lang:
        nlp = nlp.with_search(language=treebank.language)
    raw = has_spaces(gold)
    clock = time.process_time()
    system = [nlp(doc.text) if raw else nlp(doc, keep=("tokens",)) for doc in gold]
    took = time.process_time() - clock
    row: dict[str, Any] = conll(gold, system)
    row |= {"treebank": treebank.name, "raw": raw, "dev": sum(doc.n_words for doc in gold)}
    row["speed"] = round(row["dev"] / max(took, 0.01))
    told = [_language(doc) == treebank.language for doc in system if doc.n_tokens]
    row["recognised"] = round(100 * float(np.mean(told)), 1) if raw and not lang else None
    fixed = nlp.with_search(language=treebank.language)
    given = [fixed(doc, keep=("tokens", "sentences")) for doc in gold]
    row["gold words"] = conll(gold, given, SCORES[2:])
    if treebank.language not in UNSPACED:
        spoken = [doc for doc in map(speech, gold) if doc.n_tokens]
        heard = [fixed(doc.text) for doc in spoken]
        row["speech starts"] = round(f1(*starts(spoken, heard)), 2)
        row["speech LAS"] = conll(spoken, heard)["LAS"]
    return row


def _language(doc: Document) -> str:
    assert doc.token_language is not None
    kinds, counts = np.unique(doc.token_language, return_counts=True)
    return doc.strings[int(kinds[counts.argmax()])]


#: The model and the options of a process.
_OWN: dict[str, Any] = {}


def _load(given: Namespace) -> None:
    nlp = caesura.load(given.model).unwatched()
    _OWN["nlp"] = nlp.with_search(**given.search) if given.search else nlp
    _OWN["words"], _OWN["lang"] = given.words, given.lang


def _row(treebank: Treebank) -> dict[str, Any]:
    row = score(_OWN["nlp"], treebank, _OWN["words"], _OWN["lang"])
    row["language"] = treebank.language
    return row


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("model")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--only", nargs="+", metavar="CODE")
    parser.add_argument("--words", type=int, default=1200, help="of each treebank; 0: all")
    parser.add_argument("--lang", action="store_true", help="name the language")
    parser.add_argument("--search", type=json.loads, default={}, metavar="JSON")
    parser.add_argument("--jobs", type=int, default=1, help="treebanks at a time")
    given = parser.parse_args()
    rows = read_json(given.output)
    wanted = [t for t in main_treebanks() if not given.only or t.language in given.only]
    left = [treebank for treebank in wanted if treebank.name not in rows]
    with ProcessPoolExecutor(given.jobs, initializer=_load, initargs=(given,)) as pool:
        runs = {pool.submit(_row, treebank): treebank for treebank in left}
        for run in as_completed(runs):
            treebank, row = runs[run], run.result()
            rows[treebank.name] = row
            keep_json(given.output, dict(sorted(rows.items())))
            told = " ".join(f"{name} {row[name]:.1f}" for name in SCORES)
            print(treebank.language, treebank.name, told, row.get("speech starts"), flush=True)
    for name in (*SCORES, "speech starts", "recognised"):
        values = [r[name] for r in rows.values() if r.get(name) is not None]
        print(f"mean {name} of {len(values)}: {np.mean(values):.2f}")


if __name__ == "__main__":
    main()
