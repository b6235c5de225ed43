"""The bonus that gives half and twice as many boundaries, and the boundaries for each bias.

    python -m benchmarks.accuracy.bias
    python -m benchmarks.accuracy.bias --json > docs/figures/bias.jsonl

The bundled models on EWT dev, as it is and as a transcript, tokens given. The scales are `SCALE` in
`stages/joint_parser.py`, `neural/parser.py` and `stages/tokenizer.py`, for model files without one.
Boundaries are counted within documents. `docs._build_tools.figures` draws the figure of the
documentation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from benchmarks.common import file_of, options, show

from caesura.constraints import keep as keep_only
from caesura.document import Document
from caesura.formats import read
from caesura.learn.tuning import boundaries, measure
from caesura.pipeline import Pipeline, load
from caesura.stages.bias import GRID, BiasScale
from caesura.stages.joint_parser import Parser
from caesura.stages.network import NeuralParser
from caesura.stages.tagger import Tagger
from caesura.tokenize import Tokenizer

#: The treebank of each kind of text.
TEXTS = {"edited": "UD_English-EWT", "unedited": "EWT-speech"}
BIASES = [k / 4 for k in range(-8, 9)]
#: The boundaries of a text with a changed search: `bonus=…`, or `bias=…` with a `scale`.
Counter = Callable[..., int]


def linear(parser: Parser, docs: Sequence[Document]) -> Counter:
    def count(*, scale: BiasScale | None = None, bias: float = 0.0, bonus: float = 0.0) -> int:
        own = parser.search.bonus
        other = replace(parser, scale=scale or parser.scale)
        other = other.with_search(bonus=own + bonus, bias=bias)
        return boundaries(int(parse.starts.sum()) for parse in other.analyse(docs))

    return count


def neural(parser: NeuralParser, docs: Sequence[Document]) -> Counter:
    seen = [(doc, parser.encoder.scores(doc)) for doc in docs]

    def count(*, scale: BiasScale | None = None, bias: float = 0.0, bonus: float = 0.0) -> int:
        other = parser.with_search(bonus=parser.settings.bonus + bonus, bias=bias)
        other.scale = scale or parser.scale
        found = [other.decide(doc, scores).starts for doc, scores in seen]
        return boundaries(int(np.count_nonzero(starts == 1)) for starts in found)

    return count


def tokenizing(tokenizer: Tokenizer, docs: Sequence[Document]) -> Counter:
    texts = [Document(text=doc.text, paragraph_start=doc.paragraph_start) for doc in docs]

    def count(*, scale: BiasScale | None = None, bias: float = 0.0, bonus: float = 0.0) -> int:
        other = tokenizer.with_bonus(scale.bonus(bias) if scale is not None else bonus)
        return boundaries(other.tokenize(doc).n_sentences for doc in texts)

    return count


def counters(nlp: Pipeline, gold: Sequence[Document]) -> Iterator[tuple[str, Counter]]:
    """The scorers of a model, by name."""
    tokenizer = nlp.stage(Tokenizer)
    assert tokenizer is not None
    docs = [tokenizer.tokenize(keep_only(d, ("tokens",)), sentences=False) for d in gold]
    network = nlp.stage(NeuralParser)
    if network is not None:
        yield "neural", neural(network, docs)
        return
    yield "tokenizer", tokenizing(tokenizer, docs)
    tagger, parser = nlp.stage(Tagger), nlp.stage(Parser)
    if tagger is not None:
        tagger.tag(docs, regime="document")
    assert parser is not None
    yield "linear", linear(parser, docs)


def rows(models: Sequence[str], limit: int | None) -> Iterator[dict[str, Any]]:
    for model in models:
        nlp = load(model)
        found: dict[str, dict[str, Counter]] = {}
        for kind, treebank in TEXTS.items():
            for scorer, counter in counters(nlp, list(read(file_of(treebank, "dev")))[:limit]):
                found.setdefault(scorer, {})[kind] = counter
        for scorer, by_kind in found.items():
            if scorer == "tokenizer":  # it has one scale for all texts
                by_kind.pop("unedited")
            points = {kind: measure(_by_bonus(count)) for kind, count in by_kind.items()}
            scale = BiasScale(**{kind: values for kind, values in points.items() if values})
            for kind, count in by_kind.items():
                row = {"model": model, "scorer": scorer, "text": kind}
                yield row | {"bonus": dict(zip(GRID, getattr(scale, kind), strict=True))}
                for bias in BIASES:
                    yield row | {"bias": bias, "boundaries": count(scale=scale, bias=bias)}


def _by_bonus(count: Counter) -> Callable[[float], int]:
    return lambda bonus: count(bonus=bonus)


def main() -> None:
    given = options(__doc__, "--model", "--limit", "--json").parse_args()
    found = rows(given.model or ["en", "en-fast"], given.limit)
    if given.json:
        for row in found:
            print(json.dumps(row), flush=True)
        return
    by_bias: dict[str, list[dict[str, Any]]] = {}
    for row in found:
        title = f"{row['scorer']} ({row['model']}), {row['text']} text"
        by_bias.setdefault(title, []).append(
            {"bias": row["bias"], "boundaries": row["boundaries"]}
            if "bias" in row
            else {"bias": "bonus"} | {f"{bias:g}": v for bias, v in row["bonus"].items()}
        )
    show({title: [one] for title, (one, *_) in by_bias.items()})
    show({title: rest for title, (_, *rest) in by_bias.items()})


if __name__ == "__main__":
    main()
