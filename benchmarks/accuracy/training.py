"""What choices in training gain: learners, raw text, few words, a teacher, languages.

    python -m benchmarks.accuracy.training learners --write
    python -m benchmarks.accuracy.training raw-text --text TEXTS --write
    python -m benchmarks.accuracy.training init --write
    python -m benchmarks.accuracy.training teacher --write
    python -m benchmarks.accuracy.training languages --write
    python -m benchmarks.accuracy.training learners --only laso dlaso --share 0.2

Each row is a pipeline that `caesura train pipeline` trains, scored on dev data that it did not see;
seconds are CPU seconds of the training. Rows that the file of results has are not computed again.

learners   updates, rows of weights and look-ahead, with `--speech`, on UD_English-EWT
raw-text   a share of EWT and so many words of raw text that a teacher labels
init       the first words of a treebank: from the network `multi`, and linear from nothing
teacher    10,000 words of a treebank and text that `multi` labels; beside the treebank alone
languages  all stages on treebanks of ten languages

Scores are F1 by the CoNLL 2018 definition from raw text (from gold tokens where the treebank does
not say where blanks are); EWT and GUM also as speech, without case and punctuation, with gold
tokens: F1 of sentence starts inside documents, and LAS.
"""

from __future__ import annotations

import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import (
    DATA,
    RESULTS,
    conll,
    dev_docs,
    fastest,
    file_of,
    find_file,
    first_words,
    markdown,
    options,
    resumed,
)
from modelling.multi.tokenizers import has_spaces

import caesura
from caesura.document import Document
from caesura.evaluate.quick import boundaries
from caesura.formats import read, write
from caesura.learn.pipeline import dev_scores, train_pipeline
from caesura.learn.raw_text import read_raw
from caesura.learn.run import Data, Report, Run
from caesura.learn.silver import Lessons

Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """A training: the file and its documents, settings, and how the model is scored."""

    file: Path
    train: Callable[[], Sequence[Document]]
    score: Callable[[str], Row]
    settings: Mapping[str, Any] = field(default_factory=dict)
    init: str | None = None
    teacher: str | None = None
    #: Raw text that the teacher labels.
    text: Callable[[], str] | None = None
    space: bool = True

    def __call__(self) -> Row:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            few, output = folder / self.file.name.removesuffix(".gz"), str(folder / "m.caesura")
            docs = self.train()
            write(docs, few)
            lessons = None
            if self.teacher is not None and self.text is not None:
                (folder / "raw.txt").write_text(self.text(), encoding="utf-8")
                lessons = Lessons(folder / "silver", [str(folder / "raw.txt")], [self.teacher])
            settings = [f"{name}={value}" for name, value in self.settings.items()]
            clock = time.process_time()
            run = Run(output, Data([str(few)], space=self.space), settings=settings)
            train_pipeline(run, init=self.init, lessons=lessons)
            row: Row = {"seconds": round(time.process_time() - clock)}
            row |= {"words": sum(doc.n_words for doc in docs)}
            row |= {"megabytes": round(Path(output).stat().st_size / 1e6, 1)}
            return row | self.score(output)


# -------------------------------------------------------------------- English: learners, raw text

_LASO = {"parser.update": "laso", "parser.bits": 20}
_DLASO = {"parser.update": "dlaso", "parser.bits": 20}
#: The settings of each learner. All have passive-aggressive steps, 2^20 rows, chunks of ten
#: sentences and one tag per word unless they say otherwise.
LEARNERS: dict[str, dict[str, Any]] = {
    "laso": _LASO,
    "dlaso": _DLASO,
    "laso, 22 bits": _LASO | {"parser.bits": 22},
    "laso, 2 words ahead": _LASO | {"parser.ahead": 2},
    "dlaso, 22 bits": _DLASO | {"parser.bits": 22},
    "dlaso, 2 words ahead": _DLASO | {"parser.ahead": 2},
    "dlaso, 22 bits, 2 words ahead": _DLASO | {"parser.bits": 22, "parser.ahead": 2},
    "dlaso, 21 bits": _DLASO | {"parser.bits": 21},
    "dlaso, 19 bits": _DLASO | {"parser.bits": 19},
    "laso, 21 bits": _LASO | {"parser.bits": 21},
    "laso, 19 bits": _LASO | {"parser.bits": 19},
    "laso, seed 2": _LASO | {"seed": 2},
    "dlaso, seed 2": _DLASO | {"seed": 2},
}


def english(model: str) -> Row:
    """Sentences and LAS of EWT and GUM, and the same as speech."""
    nlp, found = caesura.load(model), {}
    for name in ("EWT", "GUM"):
        docs = dev_docs(name)
        scores = conll(docs, nlp.pipe(doc.text for doc in docs))
        found |= {f"{name} Sent": scores["Sentences"], f"{name} LAS": scores["LAS"]}
        docs = dev_docs(f"{name}-speech")
        system = list(nlp.pipe(docs, keep=("tokens",)))
        found[f"{name}-speech starts"] = round(boundaries(docs, system)["Starts"].f1, 2)
        found[f"{name}-speech LAS"] = conll(docs, system)["LAS"]
    return {"scores": found}


def _ewt(share: float) -> list[Document]:
    return list(read(file_of("UD_English-EWT", "train")))[:: round(1 / share)]


def learners(given: Namespace) -> Iterator[tuple[str, Trial]]:
    file, train = file_of("UD_English-EWT", "train"), partial(_ewt, given.share)
    for name, chosen in LEARNERS.items():
        yield name, Trial(file, train, english, {"speech": 0.35, "folds": 5, **chosen})


def raw_text(given: Namespace) -> Iterator[tuple[str, Trial]]:
    file, train = file_of("UD_English-EWT", "train"), partial(_ewt, min(given.share, 0.25))
    for words in given.words or (0, 50_000, 150_000, 300_000):
        text = partial(_mixed_text, given.text, words) if words else None
        settings = {"speech": 0.35, "folds": 4} | ({"silver.overlap": "drop"} if words else {})
        yield str(words), Trial(file, train, english, settings, None, given.teacher or "en", text)


def _mixed_text(folder: Path, words: int) -> str:
    """Documents of all texts of a folder in turn, until there are so many words."""
    sources = sorted(str(one) for one in folder.glob("*.txt*"))
    waiting = [docs[::-1] for docs in read_raw(sources, Report()).values()]
    each, found, total = words // 200, list[str](), 0
    while total < words and any(waiting):
        for docs in (some for some in waiting if some):
            kept = docs.pop().text.split("\n\n")
            while kept and len(" ".join(kept).split()) > 2 * each:
                kept.pop()
            found.append(f"# newdoc id = raw-{len(found)}\n" + "\n\n".join(kept) + "\n\n")
            total += len(" ".join(kept).split())
    return "".join(found)


# ---------------------------------------------------------------- other languages: init, teacher

#: Treebanks of languages that `multi` was not trained on.
UNKNOWN = ("UD_Hungarian-Szeged", "UD_Basque-BDT")
WORDS = (100, 500, 2000, 10_000)
#: A treebank to learn from, and one whose text alone is read.
TAUGHT = {
    "UD_German-GSD": "UD_German-PUD",
    "UD_Spanish-GSD": "UD_Spanish-PUD",
    "UD_Finnish-TDT": "UD_Finnish-PUD",
}
OPEN = DATA / "open"
#: Four epochs, so that a training takes minutes.
QUICK = {"folds": 4, "parser.epochs": 4, "tagger.epochs": 4}
LANGUAGES = (
    "UD_Greek-GDT", "UD_Hungarian-Szeged", "UD_Italian-ParTUT", "UD_Turkish-IMST",
    "UD_Swedish-LinES", "UD_French-ParisStories", "UD_Norwegian-NynorskLIA", "UD_Slovenian-SST",
    "UD_Chinese-GSD", "UD_Japanese-GSD",
)  # fmt: skip
#: Treebanks without SpaceAfter whose languages are written without spaces.
NO_SPACES = ("UD_Chinese-GSD", "UD_Japanese-GSD")


def other(dev: Sequence[Document], model: str, lang: str | None = None) -> Row:
    """Scores of a model on dev documents, and its words per CPU second."""
    nlp = (caesura.load(model, lang=lang) if lang else caesura.load(model)).unwatched()
    raw = has_spaces(dev)
    system = [nlp(doc.text) if raw else nlp(doc, keep=("tokens",)) for doc in dev]
    seconds = fastest({"": lambda: [nlp(doc.text) for doc in dev]}, 2, warm_up=False)[""]
    words = sum(doc.n_words for doc in dev)
    return {"raw": raw, **conll(dev, system), "words a second": round(words / seconds)}


def init(given: Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    network = given.teacher or "multi"
    for treebank in UNKNOWN:
        file, dev = file_of(treebank, "train"), first_words(file_of(treebank, "dev"), 2000)
        score = partial(other, dev)
        yield f"{treebank}/0/network", partial(score, network, "und")
        for words in given.words or WORDS:
            train = partial(first_words, file, words)
            yield f"{treebank}/{words}/network", Trial(file, train, score, init=network)
            settings = {"folds": 4, "parser.epochs": 8}
            yield f"{treebank}/{words}/linear", Trial(file, train, score, settings)


def teacher(given: Namespace) -> Iterator[tuple[str, Callable[[], Row]]]:
    network = given.teacher or "multi"
    for treebank, beside in TAUGHT.items():
        file = file_of(treebank, "train", OPEN)
        train = partial(first_words, file, (given.words or [10_000])[0])
        score = partial(other, first_words(file_of(treebank, "dev", OPEN), 0))
        text = partial(_text_alone, file_of(beside, "train", OPEN))
        yield f"{treebank}/alone", Trial(file, train, score, QUICK)
        yield f"{treebank}/taught", Trial(file, train, score, QUICK, None, network, text)
        yield f"{treebank}/teacher", partial(score, network, file.name.split("_")[0])


def _text_alone(path: Path) -> str:
    return "\n\n".join(doc.text.strip() for doc in read(path)) + "\n"


def languages(given: Namespace) -> Iterator[tuple[str, Trial]]:
    for treebank in LANGUAGES:
        space = treebank not in NO_SPACES
        file, dev = file_of(treebank, "train"), find_file(treebank, "dev")
        train = list(read(file, space=space))
        held = list(read(dev, space=space)) if dev else train[-max(1, len(train) // 10) :]
        kept = train if dev else train[: -len(held)]
        settings = {"folds": 4, "parser.epochs": 6}
        score = partial(_dev, held)
        yield treebank, Trial(file, partial(list, kept), score, settings, space=space)


def _dev(dev: Sequence[Document], model: str) -> Row:
    return dict(dev_scores(model, list(dev)))


#: The studies and the files of their results.
STUDIES: dict[str, tuple[Callable[[Namespace], Iterator[tuple[str, Any]]], str]] = {
    "learners": (learners, "learners"),
    "raw-text": (raw_text, "silver"),
    "init": (init, "finetuning"),
    "teacher": (teacher, "distilling"),
    "languages": (languages, "languages"),
}


def main() -> None:
    parser = options(__doc__, "--write", "--output")
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument("--only", nargs="+", metavar="ROW", help="rows by the start of their names")
    parser.add_argument("--words", type=int, nargs="+", help="of the treebank, or of raw text")
    parser.add_argument("--share", type=float, default=1.0, help="of the documents of EWT")
    parser.add_argument("--text", type=Path, help="a folder of raw texts (raw-text)")
    parser.add_argument("--teacher", help="the model that labels text or that is adapted")
    given = parser.parse_args()
    if given.study == "raw-text" and given.text is None:
        parser.error("raw-text needs --text")
    study, name = STUDIES[given.study]
    with tempfile.TemporaryDirectory() as place:
        path = given.output or (RESULTS if given.write else Path(place)) / f"{name}.json"
        wanted = tuple(given.only or ("",))
        trials = (trial for trial in study(given) if trial[0].startswith(wanted))
        for name, row in resumed(path, trials):
            print(f"{markdown([{'': name, **row.get('scores', row)}])}\n", flush=True)


if __name__ == "__main__":
    main()
