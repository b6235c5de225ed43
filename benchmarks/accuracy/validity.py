"""How valid trees are: violations of the UD guidelines in what models make of raw dev text.

    python -m benchmarks.accuracy.validity                              # en-fast, en on EWT and GUM
    python -m benchmarks.accuracy.validity --validator udvalidate --each --json
    python -m benchmarks.accuracy.validity --model multi --treebank open/UD_Finnish-TDT

Errors per 1,000 words of gold text, with the guidelines and without, beside those of the gold
annotation, and the scores. Without a validator they are those of `caesura validate` with the table
of the model; UD's own validator (`pip install udtools`, a separate program under the GPL) also has
lists that no treebank shows. `--each` switches each group of rules off in turn. Of the changes of
relations, heads and tags that the rules make, `better` agree with gold and `worse` disagreed only
then.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.common import (
    SCORES,
    conll,
    dev_docs,
    file_of,
    keep_json,
    machine,
    options,
    show,
)

from caesura.document import Document
from caesura.guidelines import check
from caesura.guidelines.table import DEPENDENTS_OF, RIGHTWARD, UPOS_OF, Tables
from caesura.pipeline import Pipeline, load

GROUPS = {
    "marks": ["punct-is-nonproj", "leaf-punct"],
    "features": ["feature-upos-not-permitted"],
    "auxiliaries": ["aux-lemma", "cop-lemma"],
    "subjects and objects": ["too-many-subjects", "too-many-objects"],
    "dependents": sorted({rule for rule, _ in DEPENDENTS_OF.values()} - {"leaf-punct"}),
    "direction": [f"right-to-left-{relation}" for relation in RIGHTWARD],
    "tags and relations": [
        *(f"rel-upos-{relation}" for relation in UPOS_OF),
        "upos-rel-punct",
        "obl-should-be-nmod",
    ],
    "closed classes": ["closed-class-tag", "punct-with-letters"],
}
_ERROR = re.compile(r"\[L\d (?!Metadata)(?!METADATA)\w+ ([\w-]+)\]")


def limited(nlp: Pipeline, code: str, off: Sequence[str]) -> Pipeline:
    """A pipeline whose table for a language has some more rules switched off."""
    table = table_of(nlp, code)
    changed = replace(table, off=table.off | frozenset(off))
    for stage in nlp.stages:
        stage.obey(Tables({code: changed.content()}), code)
    return nlp


def table_of(nlp: Pipeline, code: str) -> Any:
    table = Tables.of(nlp.file).get(code) or Tables.of(nlp.file).of_model(code)
    if table is None:
        raise SystemExit(f"{nlp.name} has no guideline table for {code}")
    return table


def validated(
    validator: str | None, code: str, table: Any
) -> Callable[[Sequence[Document]], Counter[str]]:
    """What counts the errors of documents by rule."""
    if validator is None:
        return lambda docs: Counter(found.rule for doc in docs for found in check(doc, table))

    def run(docs: Sequence[Document]) -> Counter[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "parsed.conllu"
            path.write_text("".join(doc.to_conllu() for doc in docs), encoding="utf-8")
            command = [validator, "--lang", code, "--no-warnings", "--max-err", "0", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = Counter(_ERROR.findall(done.stdout + done.stderr))
        del found["non-unique-sent-id"]  # documents are joined
        return found

    return run


def agreement(
    gold: Sequence[Document], off: Sequence[Document], on: Sequence[Document]
) -> dict[str, int]:
    """Of the words that the rules change, how many are right afterwards, before, or never."""
    found: Counter[str] = Counter()
    for right, plain, ruled in zip(gold, off, on, strict=True):
        truth, old, new = (dict(rows(doc)) for doc in (right, plain, ruled))
        for key in new.keys() & old.keys() & truth.keys():
            if old[key] != new[key]:
                better, worse = new[key] == truth[key], old[key] == truth[key]
                found["better" if better else "worse" if worse else "neither"] += 1
    return {name: found[name] for name in ("better", "worse", "neither")}


def rows(doc: Document) -> Iterator[tuple[tuple[int, str], tuple[str, str, int]]]:
    """By word: its place and form; its tag, its relation, and the place of its head."""
    token, start = doc.word_token.tolist(), doc.token_start.tolist()
    columns = (
        token,
        doc.column("form"),
        doc.column("upos"),
        doc.column("deprel"),
        doc.head.tolist(),
    )
    for own, form, upos, deprel, head in zip(*columns, strict=True):
        place = start[token[head]] if head >= 0 else -1
        yield (start[own], form), (upos, deprel.partition(":")[0], place)


def measured(name: str, treebank: str, chosen: Any) -> list[dict[str, Any]]:
    """The rows of a model on a treebank."""
    gold = dev_docs(treebank, chosen.limit)
    code = file_of(treebank, "dev").name.partition("_")[0]
    total = sum(doc.n_words for doc in gold)

    def made(off: Sequence[str] = ()) -> Pipeline:
        nlp = load(name)
        nlp = nlp.with_search(language=code) if "language" in nlp.offers else nlp
        return limited(nlp, code, off) if off else nlp

    nlp = made()
    errors = validated(chosen.validator, code, table_of(nlp, code))
    texts = [doc.text for doc in gold]
    found: list[dict[str, Any]] = []

    def add(what: str, docs: Sequence[Document]) -> None:
        counts = errors(docs)
        row = {"model": name, "treebank": treebank, "rules": what}
        row["errors"] = round(1000 * counts.total() / total, 2)
        scores = conll(gold, docs, SCORES[1:]) if docs is not gold else {}
        most = ", ".join(f"{rule} {n}" for rule, n in counts.most_common(4))
        found.append(row | scores | {"most": most})

    plain = nlp.with_search(guidelines="off").batch(texts)
    ruled = nlp.batch(texts)
    add("gold", gold)
    add("off", plain)
    add("on", ruled)
    found[-1] |= agreement(gold, plain, ruled)
    for group, off in GROUPS.items() if chosen.each else ():
        add(f"without {group}", made(off).batch(texts))
    return found


def main() -> None:
    parser = options(__doc__, "--model", "--treebank", "--limit", "--json", "--output")
    parser.add_argument("--validator", help="the command of UD's validator")
    parser.add_argument("--each", action="store_true", help="switch each group of rules off")
    chosen = parser.parse_args()
    models, banks = chosen.model or ["en-fast", "en"], chosen.treebank or ["EWT", "GUM"]
    found = [row for name in models for bank in banks for row in measured(name, bank, chosen)]
    if chosen.output:
        about = {"machine": machine(), "validator": chosen.validator}
        keep_json(chosen.output, {**about, "rows": found})
    show(found, chosen.json)


if __name__ == "__main__":
    main()
