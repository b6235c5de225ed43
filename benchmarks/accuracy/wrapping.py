"""How many sentence boundaries move when the lines of a text are broken elsewhere.

    python -m benchmarks.accuracy.wrapping                # bundled models, EWT and GUM dev
    python -m benchmarks.accuracy.wrapping --model my.caesura --widths 40 60 80 --treebank EWT

Each dev document is split as raw text, as the treebank has it and wrapped at several widths, where
only blanks become newlines. A boundary that only one of the two analyses has has moved; the share
is relative to the boundaries of the original text. Sentences F1 of both shows whether a model
splits at all.
"""

from __future__ import annotations

from benchmarks.common import conll, dev_docs, options, show

from caesura.document import YES, Document
from caesura.pipeline import load
from caesura.transform import hard_wrapped

WIDTHS = (40, 55, 72, 85, 100)


def starts(doc: Document) -> set[int]:
    """The offsets at which sentences start, except the first."""
    return {*doc.token_start[1:][doc.sent_start[1:] == YES].tolist()}


def main() -> None:
    parser = options(__doc__, "--model", "--treebank", "--limit", "--json")
    parser.add_argument("--widths", nargs="*", type=int, default=WIDTHS)
    given = parser.parse_args()
    rows = []
    for model in given.model or ["en", "en-fast"]:
        nlp = load(model)
        for treebank in given.treebank or ["UD_English-EWT", "UD_English-GUM"]:
            gold = [doc for doc in dev_docs(treebank, given.limit) if doc.text.strip()]
            plain = list(nlp.pipe(doc.text for doc in gold))
            known = [starts(doc) for doc in plain]
            count = sum(map(len, known))
            for width in (None, *given.widths):
                copies = gold if width is None else [hard_wrapped(doc, width) for doc in gold]
                found = list(nlp.pipe(copy.text for copy in copies))
                pairs = zip(known, found, strict=True)
                moved = sum(len(before ^ starts(after)) for before, after in pairs)
                row = {"model": model, "treebank": treebank, "width": width or "as is"}
                row |= {"moved": moved, "of": count, "%": 100 * moved / max(1, count)}
                rows.append(row | conll(copies, found, ("Sentences",)))
    show(rows, given.json)


if __name__ == "__main__":
    main()
