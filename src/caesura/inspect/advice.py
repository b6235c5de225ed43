"""What to mind before training, as sentences: fact, consequence, remedy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from caesura.inspect.count import Inspection

__all__ = ["Advice", "advise"]

#: Fewer sentences than this are few, and fewer uses of a label make it rare.
FEW_SENTENCES = 500
RARE = 5
LONG = 250


class Advice(msgspec.Struct, frozen=True):
    """A short name for programs and a sentence for people."""

    name: str
    message: str


def advise(found: Inspection) -> list[Advice]:
    """What to mind in what was found."""
    if not found.words:
        return [Advice("no-words", "There are no words.")]
    return [*_boundaries(found), *_text(found), *_columns(found), *_trees(found), *_size(found)]


def _boundaries(found: Inspection) -> Iterator[Advice]:
    if not found.named_documents and found.documents <= found.files and found.sentences > 1:
        yield Advice(
            "no-newdoc",
            f"There is no `# newdoc`: all {found.sentences:,} sentences count as "
            f"{'one document' if found.documents == 1 else f'{found.documents} documents'}. "
            "If they come from several texts, mark where each starts.",
        )
    if found.one_sentence_documents == found.documents and found.documents > 1:
        yield Advice(
            "one-sentence-documents",
            "Every document has a single sentence, so sentence boundaries cannot be learnt.",
        )
    elif found.documents > 1 and found.repeated_sentences.percent > 10:
        yield Advice(
            "repeated-sentences",
            f"{found.repeated_sentences.percent:.0f}% of the sentences repeat an earlier one. "
            "Scores on data split from it would be too high.",
        )
    if found.sentences < 20:
        return
    if found.final_mark.percent > 98:
        yield Advice(
            "full-stops",
            f"{found.final_mark.percent:.1f}% of the sentences end in a full stop or the like. "
            "A model trained on it will not split text that lacks them; mix in a variant "
            "without punctuation (caesura convert --lower --drop-punct).",
        )
    if found.initial_capital.count == 0:
        yield Advice(
            "no-capitals",
            "No sentence starts with a capital letter. "
            "A model trained on it has never seen capitals.",
        )


def _text(found: Inspection) -> Iterator[Advice]:
    punctuation = found.upos.get("PUNCT", 0) or found.final_mark.count
    if found.no_space_after.count == 0 and punctuation and found.tokens > 100:
        yield Advice(
            "no-space-after",
            "No token touches the next one, though there is punctuation: SpaceAfter=No is missing. "
            "A tokeniser trained on it cannot split real text.",
        )


def _columns(found: Inspection) -> Iterator[Advice]:
    for name, purpose in (
        ("upos", "tagger of parts of speech"),
        ("head", "parser"),
        ("deprel", "parser with labels"),
        ("lemma", "lemmatiser"),
    ):
        share = found.filled[name]
        if share.count == 0:
            yield Advice(
                f"no-{name}", f"The column {name.upper()} is empty; no {purpose} can learn from it."
            )
        elif name != "lemma" and share.count < share.of:
            yield Advice(
                f"partial-{name}",
                f"{share.of - share.count:,} of {share.of:,} words have no {name.upper()}. "
                "They count as unknown.",
            )
    rare = sum(count < RARE for count in found.deprel.values())
    if rare and found.words > 10_000:
        yield Advice(
            "rare-labels",
            f"{rare} of {len(found.deprel)} relation labels are used fewer than {RARE} times "
            "and will hardly be learnt.",
        )


def _trees(found: Inspection) -> Iterator[Advice]:
    share = found.cyclic_sentences
    if share.count:
        yield Advice(
            "cycles",
            f"{share.count:,} sentences have a cycle and are no trees. "
            "caesura convert --strict names their lines.",
        )
    share = found.rootless_sentences
    if share.count > found.cyclic_sentences.count:
        yield Advice("no-root", f"{share.count:,} sentences have no root.")
    share = found.multi_root_sentences
    if share.count:
        yield Advice(
            "several-roots",
            f"{share.count:,} sentences ({share.percent:.1f}%) have several roots. "
            "A parser gives one root a sentence unless it is trained to give several.",
        )
    share = found.nonprojective_sentences
    if share.percent > 15:
        yield Advice(
            "nonprojective",
            f"{share.percent:.0f}% of the trees have crossing arcs. "
            "Use a transition system that can build them (swap).",
        )


def _size(found: Inspection) -> Iterator[Advice]:
    if found.sentences < FEW_SENTENCES:
        yield Advice(
            "small",
            f"{found.sentences:,} sentences are few; expect low and unsteady scores.",
        )
    longest = found.sentence_lengths.longest
    if longest > LONG:
        yield Advice(
            "long-sentences",
            f"The longest sentence has {longest:,} words; look whether a boundary is missing.",
        )
