"""What a margin of the joint parser's beam costs and saves, beside beams of fixed width.

    python benchmarks/margins.py                         # `en` on EWT dev and EWT-speech dev
    python benchmarks/margins.py --model my.caesura --treebank GUM-speech --beams 16,16:0.2

Tokens are given, tags and the evidence for boundaries are the model's own. Speed is of parsing
alone, in CPU time, best of --repeat interleaved runs, and is told as a ratio to the first beam.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from data import file_of
from parsing_speed import search_of

from caesura.constraints import keep as keep_only
from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.evaluate.quick import boundaries
from caesura.formats import read
from caesura.pipeline import Pipeline, load
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_constraints import no_limits
from caesura.stages.tagger import Tagger
from caesura.stages.tokenizer import Tokenizer


def prepared(nlp: Pipeline, gold: Sequence[Document]) -> list[Document]:
    """The documents with the model's own tags and evidence, and nothing of gold but the tokens."""
    docs = [keep_only(doc, ("tokens",)) for doc in gold]
    tagger, tokenizer = nlp.stage(Tagger), nlp.stage(Tokenizer)
    if tagger is not None:
        tagger.tag(docs, regime="document")
    if tokenizer is not None:
        for doc in docs:
            doc.start_evidence = tokenizer.evidence(doc)
    return docs


def rows(
    parser: Parser, gold: list[Document], docs: list[Document], beams: list[str], repeat: int
) -> list[dict[str, Any]]:
    batch, bounds = parser.batch(docs)
    words = int(bounds[-1])
    parsers = {beam: parser.with_search(**search_of(beam)) for beam in beams}
    decoders = {beam: one.decoder for beam, one in parsers.items()}
    seconds = dict.fromkeys(beams, float("inf"))
    reports = {}
    for round_ in range(repeat + 1):
        for beam, decoder in decoders.items():
            clock = time.process_time()
            reports[beam] = decoder.decode(*batch, bounds, no_limits())[1]
            if round_:  # the first is for the compiler and the caches
                seconds[beam] = min(seconds[beam], time.process_time() - clock)
    found = []
    for beam, one in parsers.items():
        system = [replace(doc) for doc in docs]
        one.parse(system)
        report = reports[beam]
        found.append(
            {
                "beam": beam,
                "speed": round(seconds[beams[0]] / seconds[beam], 2),
                "words_per_second": round(words / seconds[beam]),
                "evaluations_a_word": round(report.scored / words, 2),
                "width": round(report.scored / report.all_steps, 2),
                "Starts": round(boundaries(gold, system)["Starts"].f1, 2),
                "LAS": round(conll18(gold, system)["LAS"].f1, 2),
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--treebank", action="append", help="a folder of the data")
    parser.add_argument(
        "--beams",
        default="16,1,8,16:0.1,16:0.15,16:0.18,16:0.2,16:0.3,32:0.35",
        help="widths, or width:margin; the first is what the others are compared with",
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    nlp = load(arguments.model)
    parser = nlp.stage(Parser)
    assert parser is not None
    for treebank in arguments.treebank or ["UD_English-EWT", "EWT-speech"]:
        gold = list(read(file_of(treebank, "dev")))
        beams = arguments.beams.split(",")
        found = rows(parser, gold, prepared(nlp, gold), beams, arguments.repeat)
        if arguments.json:
            print(json.dumps({"treebank": treebank, "rows": found}))
            continue
        print(f"\n{treebank}\n\n| " + " | ".join(found[0]) + " |")
        print("|---" + "|---:" * (len(found[0]) - 1) + "|")
        for row in found:
            print("| " + " | ".join(map(str, row.values())) + " |")


if __name__ == "__main__":
    main()
