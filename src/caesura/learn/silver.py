"""Silver: raw text as teachers have labelled it, kept in a folder, part by part.

A part is a file of documents (JSON Lines, with confidences) and, if all teachers are networks, one
of their likeliest answers. A part appears whole or not at all, so an interrupted labelling goes on
with the first that is missing, to the same result. `silver.json` says of what and by which models
it all was made; a folder made otherwise is refused. Kept labels are checked as raw text and
teachers are, because the treebank may be another one.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from caesura import formats, layout
from caesura.document import YES, Document
from caesura.durable import replacing
from caesura.errors import CaesuraError, InputError, UsageError
from caesura.learn.fingerprint import digest, file_digest, fingerprint
from caesura.learn.network.examples import Soft
from caesura.learn.raw_text import ENOUGH, compare_labels, in_language, read_raw, without_overlap
from caesura.learn.run import Data, Report
from caesura.learn.teachers import Teachers
from caesura.options import option


@dataclass(frozen=True)
class SilverOptions:
    """How a student learns from raw text that a teacher has labelled (silver), beside gold."""

    #: How often an epoch reads the silver text for once that it reads the treebank. A linear
    #: student reads the treebank 1/weight times instead.
    weight: float = option(
        0.5, "Times that silver text is read for once that gold is.", name="--silver-weight"
    )
    #: Share of the silver documents that are also read as a transcript would have them; linear
    #: students do so if they have `speech`.
    speech: float = 0.5
    #: Sentences whose arcs have a lower mean confidence teach nothing.
    least: float = option(
        0.0, "Learn nothing from sentences of lower confidence.", name="--least-confidence"
    )
    #: Epochs at the end that read gold alone; 0 mixes gold and silver to the end. Of a linear
    #: student its parser alone has them.
    last: int = option(
        0, "Epochs at the end that read gold alone.", name="--gold-last", least=0, metavar="N"
    )
    #: Words of the silver text from which a tokeniser learns where sentences start.
    starts: int = 0
    #: Words of it from which a linear tagger learns, since it needs much memory; 0: all.
    tags: int = 0
    #: An epoch of a linear parser reads one of so many parts of the silver text.
    parts: int = 1
    #: What to do with raw text that holds dev data, or files named by --not-in, and the share of
    #: their sequences of words that may stand in it.
    overlap: Literal["refuse", "drop"] = option(
        "refuse",
        "Raw text that holds held-out text: refuse all, or drop its documents [refuse].",
        choices=("refuse", "drop"),
    )
    share: float = 0.01

    def __post_init__(self) -> None:
        if not 0 < self.weight <= 100:
            raise UsageError(f"silver.weight is {self.weight}, but must be above 0, at most 100")
        for name in ("speech", "least", "share"):
            if not 0 <= getattr(self, name) <= 1:
                value = getattr(self, name)
                raise UsageError(f"silver.{name} is {value}, but must be from 0 to 1")
        for name, least in (("last", 0), ("starts", 0), ("tags", 0), ("parts", 1)):
            if getattr(self, name) < least:
                value = getattr(self, name)
                raise UsageError(f"silver.{name} is {value}, but must be at least {least}")

    @property
    def gold(self) -> int:
        """How often a linear student reads gold for once that it reads silver."""
        return max(1, round(1 / self.weight))


#: What to do if too little of the time is left for raw text.
FEWER_EPOCHS = "Ask for more epochs, or for fewer with --gold-last."
#: Its flags, for all that learn from raw text.
SILVER_FLAGS = {"weight": "", "least": "", "last": "", "overlap": ""}


def that_fit(
    docs: Sequence[Document],
    folder: str,
    labels: Mapping[str, Sequence[str]],
    gold: Sequence[Document],
    held: Mapping[str, Sequence[Document]],
    options: SilverOptions,
    report: Report,
    language: str | None,
) -> list[Document]:
    """The documents of a folder that may be learned from; `labels` are those that networks knew."""
    kept = _fitting({folder: list(docs)}, held, options, report, language)[folder]
    if not kept:
        raise InputError(
            "nothing is left of the text", file=folder, remedy="Name labels of other text."
        )
    enough = sum(doc.n_words for doc in kept) >= ENOUGH
    remedy = "Take labels by a teacher that was trained on the labels of this treebank."
    for column in ("upos", "deprel"):
        known = labels.get(column) or (() if enough else None)
        compare_labels(gold, kept, column, declared=known, file=folder, remedy=remedy)
    return kept


def _fitting(
    raw: dict[str, list[Document]],
    held: Mapping[str, Sequence[Document]],
    options: SilverOptions,
    report: Report,
    language: str | None,
) -> dict[str, list[Document]]:
    """Raw documents in the language of the treebank that hold no held-out text."""
    raw = in_language(raw, language, report)
    return without_overlap(raw, held, share=options.share, how=options.overlap, report=report)


_ABOUT: Final = "silver.json"
_VERSION: Final = 1
#: Characters of a part.
_PART: Final = 200_000
#: How hard parts are compressed: the usual 9 makes them 6 % smaller and takes seven times as long.
_COMPRESSION: Final = 4


@dataclass(frozen=True)
class Lessons:
    """Raw text to learn from, who labels it, and where the labels are kept.

    A folder that is complete needs neither text nor teachers.
    """

    folder: Path
    text: Sequence[str] = ()
    teachers: Sequence[str] = ()
    #: Held-out files besides the dev data, which raw text must not hold.
    not_in: Sequence[str] = ()
    #: Of the raw text, and of the held-out files.
    encoding: str = "utf-8"
    held_encoding: str = "utf-8"


@dataclass
class Silver:
    """Labelled documents, and what networks think of all their words, if networks labelled them."""

    docs: list[Document]
    soft: Soft | None = None
    #: What the numbers in `soft` mean.
    labels: dict[str, list[str]] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def n_words(self) -> int:
        return sum(doc.n_words for doc in self.docs)

    def words(self, least: int = 3) -> list[str]:
        """Words that occur at least so many times, in lower case."""
        counts: dict[str, int] = {}
        for doc in self.docs:
            for word in doc.column("form"):
                counts[word.lower()] = counts.get(word.lower(), 0) + 1
        return [word for word, n in counts.items() if n >= least]

    def only(self, docs: Sequence[Document]) -> Silver:
        """The same of some of its documents, in their order."""
        if len(docs) == len(self.docs):
            return self
        chosen = {id(doc) for doc in docs}
        sizes = [doc.n_words for doc in self.docs]
        keep = np.repeat([id(doc) in chosen for doc in self.docs], sizes)
        soft = self.soft.pick(keep) if self.soft is not None else None
        about = {**self.about, "documents": len(docs), "words": int(keep.sum())}
        about["fingerprint"] = fingerprint(self.about["fingerprint"], digest(docs))
        return Silver(list(docs), soft, self.labels, about)


def label(
    lessons: Lessons,
    gold: Sequence[Document],
    held: Mapping[str, Sequence[Document]],
    options: SilverOptions,
    report: Report,
    language: str | None = None,
) -> Silver:
    """Let the teachers label the text, as far as that is not done; what they say of it.

    `held` are the documents of held-out files by name. Labels that were kept are checked as text
    and teachers are.
    """
    if lessons.text or lessons.teachers:
        if not lessons.text or not lessons.teachers:
            lacking = "--text RAW" if lessons.teachers else "--teacher MODEL"
            raise UsageError(
                "raw text and who labels it go together",
                remedy=f"Add {lacking}, or name labels that are there with --silver DIR.",
            )
        teachers = Teachers(lessons.teachers)
        parts = raw_parts(lessons, gold, held, options, report, language, teachers)
        missing = missing_parts(lessons.folder, range(len(parts)), report)
        if missing:
            with report.counting("Labelling raw text", unit="words") as count:
                for n in missing:
                    count.advance(label_part(lessons.folder, n, parts[n], teachers))
        return load_silver(lessons.folder)
    found = load_silver(lessons.folder)
    held = {**held, **_read_held(lessons, report)}
    folder = str(lessons.folder)
    docs = that_fit(found.docs, folder, found.labels, gold, held, options, report, language)
    return found.only(docs)


def raw_parts(
    lessons: Lessons,
    gold: Sequence[Document],
    held: Mapping[str, Sequence[Document]],
    options: SilverOptions,
    report: Report,
    language: str | None,
    teachers: Teachers,
) -> list[list[Document]]:
    """The text to label, part by part; what it is and who labels it is written into the folder."""
    teachers.speak(language)
    teachers.check(gold, language)  # before there is a folder; the treebank may be a new one
    raw = read_raw(lessons.text, report, encoding=lessons.encoding)
    held = {**held, **_read_held(lessons, report)}
    raw = _fitting(raw, held, options, report, language)
    docs = [doc for found in raw.values() for doc in found]
    if not docs:
        raise InputError(
            "nothing is left of the raw text", file=lessons.text[0], remedy="Give more."
        )
    about: dict[str, Any] = {
        "version": _VERSION,
        "teachers": teachers.described(),
        "text": [{"file": Path(path).name, "sha256": file_digest(path)} for path in lessons.text],
        "documents": len(docs),
        "characters": sum(len(doc.text) for doc in docs),
        "labels": teachers.labels,
    }
    about["fingerprint"] = fingerprint(digest(docs), [one["sha256"] for one in about["teachers"]])
    parts = list(_parts(docs))
    about["parts"] = len(parts)
    if not _goes_on(lessons.folder, about):
        _write(lessons.folder / _ABOUT, _json(about))
    return parts


def missing_parts(folder: Path, numbers: Sequence[int], report: Report) -> list[int]:
    """The parts that are still to be labelled, of some."""
    missing = [n for n in numbers if not _paths(folder, n)[0].exists()]
    if len(missing) < len(numbers):
        done = len(numbers) - len(missing)
        report.say(f"{done} of {len(numbers)} parts of the raw text were labelled before")
    return missing


def label_part(folder: Path, number: int, docs: Sequence[Document], teachers: Teachers) -> int:
    """Let the teachers label a part, and keep what they say; how many words it has."""
    made, soft = teachers.label(docs)
    text, answers = _paths(folder, number)
    if soft is not None:
        with replacing(answers) as stream:
            _write_arrays(stream, soft.arrays())
    with (
        replacing(text) as raw,
        gzip.GzipFile(
            filename="", fileobj=raw, mode="wb", compresslevel=_COMPRESSION, mtime=0
        ) as packed,
    ):
        formats.write_stream(made, cast(BinaryIO, packed), "jsonl", formats.WriteOptions())
    return sum(doc.n_words for doc in made)


def _write_arrays(stream: BinaryIO, arrays: Mapping[str, NDArray[Any]]) -> None:
    """As `numpy.savez_compressed` does, which does not let one choose how hard to compress."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, allow_pickle=False)


def _read_held(lessons: Lessons, report: Report) -> dict[str, list[Document]]:
    data = Data(lessons.not_in, encoding=lessons.held_encoding)
    return {
        Path(path).name: [doc for doc in data.read([path], report) if doc.text]
        for path in lessons.not_in
    }


def _parts(docs: Sequence[Document]) -> Iterator[list[Document]]:
    """Documents in groups of about the same length."""
    group: list[Document] = []
    size = 0
    for doc in docs:
        group.append(doc)
        size += len(doc.text)
        if size >= _PART:
            yield group
            group, size = [], 0
    if group:
        yield group


def _goes_on(folder: Path, about: Mapping[str, Any]) -> bool:
    """Whether labels of the same text by the same teachers are in the folder already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = any(not one.name.startswith(".") for one in folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})", file=str(folder)) from None
    if not there:
        return False
    known = _about(folder)
    if known.get("fingerprint") == about["fingerprint"]:
        return True
    theirs = ", ".join(str(one.get("name")) for one in known.get("teachers", []))
    raise InputError(
        f"holds labels of other text, or by another teacher ({theirs})",
        file=str(folder),
        remedy="Name another folder with --silver, or delete this one.",
    )


def _about(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"is no folder of labels: it has no {_ABOUT}",
            file=str(folder),
            remedy="Name a folder that is empty, or that `train pipeline --text` has made.",
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot be read ({error})", file=str(folder / _ABOUT), remedy="Delete the folder."
        ) from None
    if not isinstance(found, dict) or found.get("version") != _VERSION:
        raise InputError(
            "was made by another version", file=str(folder), remedy="Delete it and label again."
        )
    return found


def _paths(folder: Path, part: int) -> tuple[Path, Path]:
    """Where the documents of a part are, and the answers of networks."""
    return folder / f"{part + 1:05d}.jsonl.gz", folder / f"{part + 1:05d}.npz"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode()


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as stream:
        stream.write(data)


def is_complete(folder: Path) -> bool:
    """Whether all parts are labelled."""
    if not (folder / _ABOUT).exists():
        return False
    parts = range(int(_about(folder)["parts"]))
    return all(_paths(folder, part)[0].exists() for part in parts)


def load_silver(folder: Path) -> Silver:
    """The labels in a folder, which must be complete."""
    if not folder.is_dir():
        raise InputError(
            "there is no such folder of labels",
            file=str(folder),
            remedy="Give --text and --teacher.",
        )
    about = _about(folder)
    docs: list[Document] = []
    soft: list[Soft] = []
    for n in range(int(about["parts"])):
        text, answers = _paths(folder, n)
        if not text.exists():
            raise InputError(
                f"the labelling was interrupted: part {n + 1} of {about['parts']} is not there",
                file=str(folder),
                remedy="Give the same --text and --teacher again; it goes on where it stopped.",
            )
        try:
            mine = list(formats.read(text, "jsonl"))
            if about["labels"]:
                with np.load(answers, allow_pickle=False) as arrays:
                    soft.append(Soft.from_arrays(arrays))
                if len(soft[-1].start) != sum(doc.n_words for doc in mine):
                    raise ValueError("they are of other words")
        except (CaesuraError, OSError, ValueError, KeyError, EOFError) as error:
            raise InputError(
                f"these labels are damaged ({error})",
                file=str(text),
                remedy="Delete the file; the same command labels that part again.",
            ) from None
        docs += mine
    about["words"] = sum(doc.n_words for doc in docs)
    return Silver(docs, Soft.join(soft) if soft else None, dict(about["labels"]), about)


# ------------------------------------------------------------------ confidences


def unsure(doc: Document, least: float) -> NDArray[np.bool_]:
    """The words of sentences whose arcs have a lower mean confidence."""
    if least <= 0 or not doc.n_words:
        return np.zeros(doc.n_words, bool)
    if doc.arc_conf is None:
        raise UsageError("the teacher gives no confidences", remedy="Leave --least-confidence out.")
    sentence = doc.word_sentence
    total = np.bincount(sentence, doc.arc_conf)
    found: NDArray[np.bool_] = (total / np.bincount(sentence) < least)[sentence]
    return found


def confident(docs: Sequence[Document], least: float) -> list[Document]:
    """The documents without sentences of low confidence: what lies between these, each alone."""
    found = []
    for doc in docs:
        out = unsure(doc, least)
        if not out.any():
            found.append(doc)
            continue
        layout.breaks(doc)  # which a piece alone does not show
        words = np.flatnonzero(doc.word_sent_start == YES)
        keep = np.concatenate([[False], ~out[words], [False]])
        edges = np.flatnonzero(keep[1:] != keep[:-1])
        bounds = doc.sentence_bounds
        for a, b in pairwise(edges.tolist()):
            if keep[a + 1]:
                found.append(doc.cut(int(bounds[a]), int(bounds[b])))
    return found


def first_words(docs: Sequence[Document], words: int) -> list[Document]:
    """The first documents that have so many words."""
    before = np.cumsum([0, *(doc.n_words for doc in docs)])
    return [doc for doc, n in zip(docs, before.tolist(), strict=False) if n < words]


def as_gold_has(docs: Sequence[Document], gold: Sequence[Document]) -> list[Document]:
    """The documents that have words, without columns that no gold document has.

    A teacher that chooses UPOS and XPOS each by itself says some together that gold never has: the
    XPOS is then the one that gold mostly has with the UPOS.
    """
    absent = [
        name
        for name in ("upos", "xpos", "feats", "lemma")
        if not any(np.any(getattr(doc, name)) for doc in gold)
    ]
    found = [doc for doc in docs if doc.n_words]
    for doc in found:
        for name in absent:
            setattr(doc, name, np.zeros(doc.n_words, np.int32))
    if not {"upos", "xpos"} & {*absent}:
        _agree(found, Counter(pair for doc in gold for pair in _tags(doc)))
    return found


def _agree(docs: Sequence[Document], known: Counter[tuple[str, str]]) -> None:
    """Give words the XPOS of gold whose pair of tags is not known."""
    mostly = {upos: xpos for (upos, xpos), _ in reversed(known.most_common())}
    for doc in docs:
        kinds, which = np.unique(np.stack([doc.upos, doc.xpos], 1), axis=0, return_inverse=True)
        names = [(doc.strings[upos], doc.strings[xpos]) for upos, xpos in kinds.tolist()]
        mended = [xpos if (upos, xpos) in known else mostly.get(upos, xpos) for upos, xpos in names]
        if mended != [xpos for _, xpos in names]:
            doc.xpos = doc.strings.ids(mended)[which.reshape(-1)]


def _tags(doc: Document) -> Iterator[tuple[str, str]]:
    return zip(doc.column("upos"), doc.column("xpos"), strict=True)
