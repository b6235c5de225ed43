"""What the network learns from: the documents of all treebanks as arrays, and what they name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from modelling.multi.encoder import Packed
from modelling.multi.tokenizers import Treebank
from numpy.typing import NDArray

from caesura.document import YES, Document
from caesura.document.slicing import cut
from caesura.formats import read
from caesura.learn.network.examples import Examples, Labels, by_temperature, prepare
from caesura.learn.run import transcripts
from caesura.stages.lemmas import rule_of
from caesura.stages.network_labels import Attributes
from caesura.stages.network_reading import FEATURE_SIZES
from caesura.stages.network_subwords import Unigram
from caesura.transform import relaid

#: Words of each treebank that are learned from at most.
MOST = 110_000
#: Lemma rules, relations and values that occur less often are not learned.
RULES, RELATIONS, VALUES = 3, 5, 3
#: Words of each dev file that the network is watched on.
WATCHED = 400
#: Languages that are not written with spaces: transcripts would put some in.
UNSPACED = ("zh", "yue", "ja", "th")
#: The copies that are learned from.
COPIES = ("written", "speech", "relaid")


@dataclass(frozen=True)
class Names:
    """The languages, labels and values that the network decides between."""

    codes: tuple[str, ...]
    labels: Labels
    attributes: Attributes
    #: The lemma rules that each language takes.
    rules: Mapping[str, Sequence[str]]
    #: Treebanks with habits of their own, which have vectors.
    treebanks: tuple[str, ...] = ()

    def save(self, path: Path) -> None:
        found = {
            "codes": self.codes,
            "labels": self.labels.as_lists(),
            "attributes": self.attributes.pairs,
            "rules": dict(self.rules),
            "treebanks": self.treebanks,
        }
        path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Names:
        found = json.loads(path.read_text("utf-8"))
        labels = Labels(**{name: tuple(own) for name, own in found["labels"].items()})
        attributes = Attributes(tuple(found["attributes"]))
        treebanks = tuple(found.get("treebanks", ()))
        return cls(tuple(found["codes"]), labels, attributes, found["rules"], treebanks)


#: The documents of some treebanks.
Banks = Sequence[tuple[Treebank, Sequence[Document]]]


def by_treebank(treebanks: Iterable[Treebank], most: int = MOST) -> Banks:
    """The training documents of each treebank, at most so many words of each."""
    return [
        (bank, [doc for doc in first_words(read(bank.train), most) if doc.n_words])
        for bank in treebanks
    ]


def by_language(banks: Banks) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for treebank, docs in banks:
        found.setdefault(treebank.language, []).extend(docs)
    return found


def documents(treebanks: Iterable[Treebank], most: int = MOST) -> dict[str, list[Document]]:
    """The training documents of each language, of each treebank at most so many words."""
    return by_language(by_treebank(treebanks, most))


def with_habits(treebanks: Iterable[Treebank]) -> tuple[str, ...]:
    """The treebanks that are not the main ones of a language which has such."""
    banks = list(treebanks)
    several = {bank.language for bank in banks if bank.main}
    return tuple(
        f"{bank.language} {bank.name}"
        for bank in banks
        if bank.language in several and not bank.main
    )


def first_words(docs: Iterable[Document], words: int) -> list[Document]:
    """The first documents with so many tokens, the last one cut between sentences."""
    found: list[Document] = []
    left = words
    for doc in docs:
        if doc.n_tokens > left:
            starts = np.flatnonzero(doc.sent_start == YES)
            inside = starts[(starts > 0) & (starts <= left)]
            if len(inside):
                found.append(cut(doc, 0, int(inside[-1])))
            break
        found.append(doc)
        left -= doc.n_tokens
    return found


def names_of(docs: Mapping[str, Sequence[Document]]) -> Names:
    """What documents name often enough."""
    rules = {code: _rules(own) for code, own in docs.items()}
    often: Counter[str] = Counter()
    for own in rules.values():
        often.update(own)
    kept = [rule for rule, n in often.most_common() if n >= RULES]
    known = set(kept)
    counts: dict[str, Counter[str]] = {"upos": Counter(), "deprel": Counter()}
    for own in docs.values():
        for doc in own:
            for name, counter in counts.items():
                counter.update(doc.column(name))
    tags = tuple(tag for tag, _ in counts["upos"].most_common() if tag)
    relations = tuple(name for name, n in counts["deprel"].most_common() if name and n >= RELATIONS)
    everything = [doc for own in docs.values() for doc in own]
    attributes = Attributes.of(everything, VALUES)
    labels = Labels(tags, ("",), attributes.pairs, tuple(kept), relations)
    taken = {code: sorted(set(own) & known) for code, own in rules.items()}
    return Names(tuple(docs), labels, attributes, taken)


def _rules(docs: Iterable[Document]) -> Counter[str]:
    found: Counter[str] = Counter()
    for doc in docs:
        pairs = Counter(zip(doc.form.tolist(), doc.lemma.tolist(), strict=True))
        for (form, lemma), n in pairs.items():
            if lemma:
                found[rule_of(doc.strings[form], doc.strings[lemma])] += n
    return found


def needed_pieces(
    subwords: Unigram, docs: Mapping[str, Sequence[Document]], size: int
) -> list[int]:
    """The pieces of documents, as they are and in lower case, and the likeliest of the others."""
    used: Counter[int] = Counter()
    for code, own in docs.items():
        copies = [] if code in UNSPACED else transcripts(own)
        for doc in (*own, *copies):
            numbers, counts = np.unique(subwords.pieces(doc)[0], return_counts=True)
            used.update(dict(zip(numbers.tolist(), counts.tolist(), strict=True)))
    pieces = subwords.pieces_
    letters = {n for n, piece in enumerate(pieces) if len(piece.lstrip("▁")) == 1}
    others = np.argsort(-np.array(subwords.scores), kind="stable").tolist()
    order = dict.fromkeys([*(n for n, _ in used.most_common()), *sorted(letters), *others])
    return list(order)[:size]


def examples_of(banks: Banks, names: Names, subwords: Unigram, copy: str) -> Examples:
    """One of the copies of all documents; the same languages have the same numbers in all.

    Where treebanks have vectors, features end with the number of the treebank, 0 for a main one.
    """
    found = []
    random = np.random.default_rng(1)
    number = {code: n for n, code in enumerate(names.codes, 1)}
    habit = {name: n for n, name in enumerate(names.treebanks, 1)}
    for bank, docs in sorted(banks, key=lambda pair: number[pair[0].language]):
        own, seen = list(docs), True
        if copy == "speech":
            own, seen = ([] if bank.language in UNSPACED else transcripts(own)), False
        elif copy == "relaid":
            own = [doc for doc in (relaid(doc, random) for doc in own) if doc.n_words]
        if own:
            made = prepare(
                own, names.labels, subwords, seen=None if copy == "relaid" else seen,
                attributes=names.attributes, language=number[bank.language],
            )  # fmt: skip
            if habit:
                column = np.full((made.n_words, 1), habit.get(f"{bank.language} {bank.name}", 0))
                made.features = np.concatenate([made.features, column], 1)
            found.append(made)
    return Examples.join(found)


def often(
    data: Examples, power: float, main: float, favours: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How often an epoch reads each document: those of small languages and main treebanks more.

    Where treebanks have vectors, a main one is read `main` times as often as the others of its
    language, and that as often as without. `favours` are by the number of a language.
    """
    found = by_temperature(data, power)
    languages, *habits = data.features[data.doc_ptr[:-1], len(FEATURE_SIZES) :].T
    if favours is not None:
        found = found * favours[languages]
    if not habits:
        return found
    weight = np.where(habits[0] == 0, main, 1.0)
    read_words = found * np.diff(data.doc_ptr)
    total, wanted = (np.bincount(languages, read_words * factor) for factor in (1.0, weight))
    share: NDArray[np.float64] = (total / np.maximum(wanted, 1e-9))[languages]
    return found * weight * share


def save_examples(data: Examples, path: Path) -> None:
    """Small numbers, and each row of FEATS once."""
    arrays = {f.name: _small(getattr(data, f.name)) for f in fields(data)}
    feats = arrays.pop("feats")
    # Rows are told apart by a random sum of theirs, which is quicker than by all of their numbers.
    sums = feats.astype(np.int64) @ np.random.default_rng(0).integers(1, 1 << 50, feats.shape[1])
    _, first, which = np.unique(sums, return_index=True, return_inverse=True)
    assert (feats[first][which] == feats).all(), "rows with the same sum are the same"
    arrays |= {"feats_rows": feats[first], "feats": _small(which)}
    np.savez_compressed(path, **arrays)


def load_examples(path: Path) -> Examples:
    with np.load(path, allow_pickle=False) as found:
        arrays: dict[str, Any] = {name: found[name].astype(np.int64) for name in found.files}
    arrays["feats"] = arrays.pop("feats_rows")[arrays["feats"]]
    return Examples(**arrays)


def _small(array: NDArray[Any]) -> NDArray[Any]:
    if not array.size:
        return array
    kind = np.result_type(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
    return array.astype(kind)


def make(
    treebanks: Sequence[Treebank],
    packed: Packed,
    pieces: int,
    work: Path,
    most: int = MOST,
    *,
    habits: bool = False,
) -> None:
    """Write the encoder with the pieces that are needed, the names, and all examples.

    With `habits` treebanks that are not the main ones of their language are told apart.
    """
    banks = by_treebank(treebanks, most)
    docs = by_language(banks)
    names = names_of(docs)
    if habits:
        names = replace(names, treebanks=with_habits(treebanks))
    cut_ = packed.only(needed_pieces(packed.subwords, docs, pieces))
    for copy in COPIES:
        save_examples(examples_of(banks, names, cut_.subwords, copy), work / f"{copy}.npz")
    held = [
        (bank, first_words(read(bank.dev), WATCHED)) for bank in treebanks if bank.dev is not None
    ]
    save_examples(examples_of(held, names, cut_.subwords, "written"), work / "dev.npz")
    spoken = examples_of(held, names, cut_.subwords, "speech")
    save_examples(spoken, work / "dev-speech.npz")
    cut_.save(work / "encoder.safetensors")
    names.save(work / "names.json")
