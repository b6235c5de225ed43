"""How many decisions of the parser a table of sure ones would spare: a study, not a feature.

    python benchmarks/sure.py text.txt.gz more.txt.gz --words 600000 --write

Raw text is parsed by the model itself. Each tree is taken apart into the transitions that build it
(arcs as early as they can be; crossing trees are left out), and for each the exact local context is
hashed: forms and tags of the two words on the stack and the next one, tags of the two after that,
the labels of the last children, the last transition, the layout of the gap. A second kind of
context has tags alone. Where sentences end is taken as known, so this is more than a parser could
have. A context is sure if it was seen --least times and never with another decision. On EWT dev,
parsed by the same model, it is counted how many transitions are sure, and how often the decision is
the parser's own.

What it would save at most: such transitions need no scores. `trees` is what the parser costs, by
results/speed.json; a look into a table of so many entries, which no cache holds, is not deducted.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cost import documents

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "sure.json"
SPEED: Final = RESULTS.with_name("speed.json")
KINDS: Final = ("forms and tags", "tags")
Decision = tuple[str, str]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("texts", nargs="+", type=Path, help="raw text, packed or not")
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--words", type=int, default=600_000, help="of all texts together")
    parser.add_argument("--least", default="2,4,16", help="times that a sure context was seen")
    parser.add_argument("--write", action="store_true", help="keep the figures")
    return parser.parse_args()


def raw(path: Path, characters: int) -> Iterator[str]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as file:
        while characters > 0 and (block := file.read(min(65536, characters))):
            characters -= len(block)
            yield block


def transitions(doc: Any) -> Iterator[tuple[int, int, Decision]]:
    """Contexts, as hashes of both kinds, and the decision in each, of all transitions of a tree."""
    form, tag, label = doc.form.tolist(), doc.xpos.tolist(), doc.column("deprel")
    head, breaks = doc.head.tolist(), doc.token_break
    gap = breaks[doc.word_token].tolist() if breaks is not None else [0] * len(form)
    starts = _starts(doc)
    form += [-1, -1, -1]
    tag += [-1, -1, -1]
    gap += [-1]
    end = len(head)
    for first, last in zip(starts, [*starts[1:], end], strict=True):
        waiting = [0] * (last - first)
        for word in range(first, last):
            if first <= head[word] < last:
                waiting[head[word] - first] += 1
        stack: list[int] = []
        left: dict[int, str] = {}
        right: dict[int, str] = {}
        before = ""
        found = []
        at = first
        while at < last or len(stack) > 1:
            s0 = stack[-1] if stack else -1
            s1 = stack[-2] if len(stack) > 1 else -1
            if s1 >= 0 and head[s1] == s0 and not waiting[s1 - first]:
                decision: Decision = ("left", label[s1])
            elif s1 >= 0 and head[s0] == s1 and not waiting[s0 - first]:
                decision = ("right", label[s0])
            elif at < last:
                decision = ("shift", "")
            else:
                break  # a crossing tree
            known = (
                tag[s1] if s1 >= 0 else -2, tag[s0] if s0 >= 0 else -2, tag[at], tag[at + 1],
                tag[at + 2], left.get(s0), right.get(s0), left.get(s1), right.get(s1), before,
                gap[at], at == last,
            )  # fmt: skip
            words = (form[s1] if s1 >= 0 else -2, form[s0] if s0 >= 0 else -2, form[at])
            found.append((hash((known, words)), hash(known), decision))
            before = f"{decision[0]} {decision[1]}"
            if decision[0] == "left":
                left[s0] = label[s1]
                del stack[-2]
                waiting[s0 - first] -= 1
            elif decision[0] == "right":
                right[s1] = label[s0]
                stack.pop()
                waiting[s1 - first] -= 1
            else:
                stack.append(at)
                at += 1
        else:
            yield from found


def _starts(doc: Any) -> list[int]:
    import numpy as np

    words: list[int] = np.searchsorted(doc.word_token, doc.sentence_bounds[:-1]).tolist()
    return words


def main() -> None:
    import caesura

    args = arguments()
    nlp = caesura.load(args.model)
    seen: tuple[dict[int, list[Any]], ...] = ({}, {})
    numbers: dict[str, int] = {}
    silver = made = 0
    each = 6 * args.words // len(args.texts)
    for path in args.texts:
        for doc in nlp.stream(raw(path, each)):
            doc = _Numbered(doc, numbers)
            silver += doc.n_words
            for *contexts, decision in transitions(doc):
                made += 1
                for table, context in zip(seen, contexts, strict=True):
                    entry = table.get(context)
                    if entry is None:
                        table[context] = [decision, 1]
                    elif entry[0] != decision:
                        entry[0] = None
                    else:
                        entry[1] += 1
    rows = []
    dev = list(nlp.pipe(documents()))
    held = [one for doc in dev for one in transitions(_Numbered(doc, numbers))]
    for kind, table in enumerate(seen):
        for least in map(int, args.least.split(",")):
            sure = {c: e[0] for c, e in table.items() if e[0] is not None and e[1] >= least}
            hits = [(sure[one[kind]], one[2]) for one in held if one[kind] in sure]
            right = sum(a == b for a, b in hits)
            rows.append(
                {
                    "context": KINDS[kind],
                    "least": least,
                    "entries": len(sure),
                    "sure %": round(100 * len(hits) / len(held), 1),
                    "as the parser decides %": round(100 * right / max(1, len(hits)), 2),
                    "other decisions a thousand words": round(
                        1000 * (len(hits) - right) / sum(doc.n_words for doc in dev), 2
                    ),
                }
            )
    told = json.loads(SPEED.read_text(encoding="utf-8"))["models"].get(args.model, {})
    sizes = told.get("sizes", [{}])[-1]
    found = {
        "model": args.model,
        "silver words": silver,
        "silver transitions": made,
        "dev transitions": len(held),
        "trees, microseconds a word": sizes.get("trees"),
        "all, microseconds a word": sizes.get("all"),
        "rows": rows,
    }
    print(json.dumps(found, indent=1))
    if args.write:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


class _Numbered:
    """A document whose forms and tags have the numbers of all documents."""

    def __init__(self, doc: Any, numbers: dict[str, int]) -> None:
        import numpy as np

        self._doc = doc
        for name in ("form", "xpos"):
            column = [numbers.setdefault(value, len(numbers)) for value in doc.column(name)]
            setattr(self, name, np.array(column, np.int64))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._doc, name)


if __name__ == "__main__":
    main()
