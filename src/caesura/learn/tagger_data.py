"""What a tagger learns: its options, its columns and labels, and documents as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.errors import InputError, UsageError
from caesura.options import EPOCHS, SEED, option
from caesura.stages.labeller import START
from caesura.stages.tagger import COLUMNS
from caesura.stages.tagger_features import AFFIX, Ints, Longs, distinct, typed

#: For the chain.
CHAIN_TEMPLATES: Final = (
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    "class[0]",
    "edges[0]",
    *(f"prefix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"suffix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"lower[{d}]" for d in (-2, -1, 1, 2)),
    *(f"shape[{d}]" for d in (-1, 1)),
    *(f"suffix{n}[{d}]" for n in (2, 3) for d in (-1, 1)),
    *(f"class[{d}]" for d in (-2, -1, 1, 2)),
    "lower[-1]+lower[0]",
    "lower[0]+lower[1]",
    "lower[-1]+lower[1]",
    "lower[-2]+lower[-1]",
    "lower[1]+lower[2]",
    "suffix3[-1]+lower[0]",
    "lower[0]+suffix3[1]",
    "lower[-1]+suffix3[0]",
    "suffix3[0]+lower[1]",
    "shape[-1]+shape[0]",
    "shape[0]+shape[1]",
    "shape[-1]+shape[0]+shape[1]",
)
#: For the boundary labeller, which looks further and at more words together.
BOUNDARY_TEMPLATES: Final = (
    *CHAIN_TEMPLATES,
    "lower[-3]",
    "lower[3]",
    "lower[-1]+lower[0]+lower[1]",
    "lower[0]+lower[1]+lower[2]",
    "suffix3[-1]+suffix3[0]",
    "suffix3[0]+suffix3[1]",
    "break[0]",
    "break[0]+lower[-1]",
    "break[0]+lower[0]",
    "break[0]+shape[-1]+shape[0]",
)
#: For a column given the tag of the word, which every feature sees.
GIVEN_TEMPLATES: Final = (
    "tag[0]",
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    "class[0]",
    *(f"suffix{n}[0]" for n in range(1, 7)),
    *(f"prefix{n}[0]" for n in range(1, 4)),
    *(f"lower[{d}]" for d in (-3, -2, -1, 1, 2)),
    *(f"tag[{d}]" for d in (-3, -2, -1, 1, 2)),
    "tag[-2]+tag[-1]",
    "tag[1]+tag[2]",
    "tag[-1]+tag[1]",
    "lower[-1]+lower[0]",
    "lower[0]+lower[1]",
    "lower[0]+tag[-1]",
    "lower[0]+tag[1]",
    "lower[-2]+tag[-1]",
    "lower[-3]+tag[-2]+tag[-1]",
)
#: For a lemma, which depends on the word and its tag only.
LEMMA_TEMPLATES: Final = (
    "tag[0]",
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    *(f"suffix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"prefix{n}[0]" for n in range(1, 5)),
    "suffix2[0]+prefix2[0]",
)


@dataclass(frozen=True)
class TaggerOptions:
    """How to train a tagger."""

    #: Columns that are one label of the chain; empty: UPOS and XPOS, or what there is of them.
    chain: tuple[str, ...] = ()
    #: Columns given the label; empty: FEATS and lemma, and XPOS where its tags are too many.
    given: tuple[str, ...] = ()
    order: Literal[1, 2] = 2
    learner: Literal["crf", "perceptron"] = "crf"
    epochs: int = option(10, **EPOCHS)
    patience: int = 3
    #: Train on single sentences, on whole documents, or on both views of the data.
    views: Literal["sentences", "documents", "both"] = "both"
    rate: float = 0.1
    offset: float = 0.1
    l2: float = 0.0
    #: Features seen fewer times than this are left out.
    cutoff: int = 2
    #: At most this many candidate labels a word, within the margin of the best one: in training
    #: and for probabilities, and for the best labels alone.
    width: int = 8
    margin: float = 6.0
    narrow_width: int = 6
    narrow_margin: float = 3.5
    #: A label this far ahead by the words around alone is taken without looking at their pairs.
    clear: float = 4.0
    #: Words of a document that are one step of training.
    chunk: int = 64
    #: Weights smaller than this are dropped from the finished model.
    floor: float = 0.05
    bits: Literal[8, 16] = 8
    templates: tuple[str, ...] = CHAIN_TEMPLATES
    given_templates: tuple[str, ...] = GIVEN_TEMPLATES
    lemma_templates: tuple[str, ...] = LEMMA_TEMPLATES
    #: A language file of one's own for irregular forms, instead of that of the language that the
    #: text looks like.
    language_file: str = ""
    seed: int = option(1, **SEED)


def boundary_options(chain: tuple[str, ...] = ("xpos", "start")) -> TaggerOptions:
    """Options of the boundary labeller: tag and sentence start are one label, whole documents."""
    return TaggerOptions(chain=chain, views="documents", templates=BOUNDARY_TEMPLATES)


#: With more joint labels than this, XPOS is predicted given UPOS instead of with it.
_MOST_LABELS = 256


def check_documents(docs: Sequence[Document]) -> None:
    """Training data must have words."""
    if not any(doc.n_words for doc in docs):
        raise InputError(
            "there are no words to learn from",
            file=docs[0].source if docs else None,
            remedy="Give a file with annotated sentences.",
        )


def _there(docs: Sequence[Document], column: str) -> bool:
    if column == START:
        return any(doc.has_sentences for doc in docs)
    return any(bool(np.any(getattr(doc, column))) for doc in docs)


def boundary_chain(docs: Sequence[Document]) -> tuple[str, ...]:
    """The label of the boundary labeller: the finest tag there is, and the sentence start."""
    tag = next((column for column in ("xpos", "upos") if _there(docs, column)), None)
    return (tag, START) if tag else (START,)


def labeller_options(docs: Sequence[Document]) -> TaggerOptions:
    """Options of a labeller whose output has all the tags that a parser learns from `docs`."""
    options = boundary_options(boundary_chain(docs))
    beside = (column for column in ("upos", "feats") if column not in options.chain)
    return replace(options, given=tuple(column for column in beside if _there(docs, column)))


def choose_columns(
    docs: Sequence[Document], options: TaggerOptions
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the chain and those given its label: the chosen ones, or those in the data."""
    for column in options.chain + options.given:
        if column not in COLUMNS:
            raise UsageError(
                f"no tagger learns {column!r}", remedy=f"Columns are: {', '.join(COLUMNS)}."
            )
        if not _there(docs, column):
            raise InputError(
                f"no word has a value in the column {column}",
                file=docs[0].source,
                remedy="Choose other columns, or give data that have it.",
            )
    given = options.given
    if options.chain:
        return options.chain, given
    tags = [column for column in ("upos", "xpos") if _there(docs, column)]
    rest = [column for column in ("feats", "lemma") if _there(docs, column)]
    if not tags:
        raise InputError(
            "the columns UPOS and XPOS are both empty",
            file=docs[0].source,
            remedy="Name the column to learn, e.g. --set chain='[\"feats\"]'.",
        )
    if len(tags) == 2 and len(label_names(docs, ("upos", "xpos"))[0]) > _MOST_LABELS:
        tags, rest = ["upos"], ["xpos", *rest]
    return tuple(tags), given or tuple(rest)


def label_names(
    docs: Sequence[Document], columns: Sequence[str], old: Sequence[tuple[str, ...]] = ()
) -> tuple[list[tuple[str, ...]], NDArray[np.int32]]:
    """The labels, most frequent first after the old ones, and the label of each word."""
    tables: list[dict[str, int]] = [{} for _ in columns]
    values = [
        column_values(docs, column, table) for column, table in zip(columns, tables, strict=True)
    ]
    kinds, where, counts = np.unique(
        np.stack(values, axis=1), axis=0, return_inverse=True, return_counts=True
    )
    names = [list(table) for table in tables]
    spelled = [
        tuple(names[c][value].replace("\t", " ") for c, value in enumerate(row))
        for row in kinds.tolist()
    ]
    order = sorted(range(len(spelled)), key=lambda n: (-int(counts[n]), spelled[n]))
    known = {label: n for n, label in enumerate(old)}
    labels = list(old)
    number = np.zeros(len(spelled), np.int32)
    for n in order:
        if spelled[n] not in known:
            known[spelled[n]] = len(labels)
            labels.append(spelled[n])
        number[n] = known[spelled[n]]
    return labels, number[where.ravel()]


@dataclass(frozen=True)
class TaggerCorpus:
    """Words of documents one after the other: their types, where sentences and documents begin.

    Type 0 is the edge of a text.
    """

    types: list[str]
    words: Ints
    sentences: Longs
    documents: Longs


def corpus_of(docs: Sequence[Document], *, breaks: bool = False) -> TaggerCorpus:
    """Number the word types of documents; with `breaks` the layout distinguishes them, too."""
    numbers: dict[str, int] = {}
    types = [""]
    words: list[Ints] = []
    sentences, documents = [np.zeros(1, np.int64)], [0]
    for doc in docs:
        kinds, where = typed(doc, breaks)
        own = np.empty(len(kinds), np.int32)
        for k, form in enumerate(kinds):
            number = numbers.get(form)
            if number is None:
                number = numbers[form] = len(types)
                types.append(form)
            own[k] = number
        words.append(own[where])
        if doc.n_words:
            starts = np.flatnonzero(doc.word_sent_start == YES)
            sentences.append(np.append(starts[1:], doc.n_words) + documents[-1])
        documents.append(documents[-1] + doc.n_words)
    joined = np.concatenate(words) if words else np.zeros(0, np.int32)
    return TaggerCorpus(types, joined, np.concatenate(sentences), np.array(documents, np.int64))


def column_values(docs: Iterable[Document], column: str, numbers: dict[str, int]) -> Ints:
    """A column of all words as numbers of its values; new values are added to `numbers`."""
    parts = []
    for doc in docs:
        if column == START:
            starts = doc.word_sent_start == YES
            yes, no = (numbers.setdefault(name, len(numbers)) for name in ("B", "I"))
            parts.append(np.where(starts, yes, no).astype(np.int32))
            continue
        kinds, where = distinct(getattr(doc, column))
        own = [numbers.setdefault(value, len(numbers)) for value in doc.strings.take(kinds)]
        parts.append(np.array(own, np.int32)[where] if own else np.zeros(0, np.int32))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)
