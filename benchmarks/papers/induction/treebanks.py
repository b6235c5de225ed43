"""Treebanks made ready for induction: which tags are classes, what is a mark, what is held out.

Classes are the fine tags of the shared tasks where the file has them (POSTAG: the second tag column
of Spanish and Basque, the first one of Danish, whose second holds whole feature bundles), the tags
of the Penn Treebank, and UPOS for Universal Dependencies.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import find_file
from benchmarks.papers.induction.function_heads import function_heads
from research.baselines import accuracy, attach_left, attach_right

from caesura.document import UNKNOWN, Document
from caesura.formats import read
from caesura.induce import Grammar, InduceOptions, Inducer
from caesura.induce.corpus import Corpus, corpus, gold_heads, word_classes
from caesura.induce.parameters import Ints


@dataclass(frozen=True, slots=True)
class Treebank:
    """Where a treebank lies and how it is read."""

    folder: str
    #: The row of S12, table 8, that is nearest.
    published: str | None
    column: str = "upos"
    marks: str = "upos"
    heads: str = "content"
    #: Treebanks of the same language whose training text helps to find word classes.
    class_text: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        name = self.folder.removeprefix("UD_").split("-")[0]
        return {
            "CDT": "Danish",
            "CoNLL": "Spanish",
            "CoNLL2007": "Basque",
            "WSJ": "English",
        }.get(name, name)


TREEBANKS: dict[str, Treebank] = {
    "WSJ": Treebank(
        "WSJ-sample",
        "English 07",
        "xpos",
        "xpos",
        "any",
        class_text=("English-EWT", "English-GUM"),
    ),
    "CDT-Danish": Treebank("CDT-Danish", "Danish 06", heads="any"),
    "CoNLL-Spanish": Treebank("CoNLL-Spanish", "Spanish 06", "xpos", heads="any"),
    "CoNLL2007-Basque": Treebank("CoNLL2007-Basque", "Basque 07", "xpos", heads="any"),
    "English-EWT": Treebank("UD_English-EWT", "English 07", class_text=("WSJ", "English-GUM")),
    "English-GUM": Treebank("UD_English-GUM", "English 07", class_text=("WSJ", "English-EWT")),
    "Arabic-PADT": Treebank("UD_Arabic-PADT", "Arabic 07"),
    "Basque-BDT": Treebank("UD_Basque-BDT", "Basque 07"),
    "Bulgarian-BTB": Treebank("UD_Bulgarian-BTB", "Bulgarian 06"),
    "Catalan-AnCora": Treebank("UD_Catalan-AnCora", "Catalan 07"),
    "Chinese-GSD": Treebank("UD_Chinese-GSD", "Chinese 07"),
    "Czech-CLTT": Treebank("UD_Czech-CLTT", "Czech 07"),
    "Dutch-LassySmall": Treebank("UD_Dutch-LassySmall", "Dutch 06"),
    "German-GSD": Treebank("UD_German-GSD", "German 06"),
    "Greek-GDT": Treebank("UD_Greek-GDT", "Greek 07"),
    "Hungarian-Szeged": Treebank("UD_Hungarian-Szeged", "Hungarian 07"),
    "Italian-ParTUT": Treebank("UD_Italian-ParTUT", "Italian 07"),
    "Japanese-GSD": Treebank("UD_Japanese-GSD", "Japanese 06"),
    "Portuguese-Bosque": Treebank("UD_Portuguese-Bosque", "Portuguese 06"),
    "Slovenian-SST": Treebank("UD_Slovenian-SST", "Slovenian 06"),
    "Swedish-Talbanken": Treebank("UD_Swedish-Talbanken", "Swedish 06"),
    "Turkish-IMST": Treebank("UD_Turkish-IMST", "Turkish 07"),
}


def load(name: str, data: Path) -> tuple[list[Document], list[Document], bool]:
    """Training and test documents, and whether the two are the same."""
    train, dev = (find_file(TREEBANKS[name].folder, split, data) for split in ("train", "dev"))
    test = list(read(dev)) if dev else []
    if train is None:
        return test, test, True
    docs = list(read(train))
    if test:
        return docs, test, False
    if len(docs) >= 10:
        held = max(1, len(docs) // 10)
        return docs[:-held], docs[-held:], False
    whole = Document.join(docs) if len(docs) > 1 else docs[0]
    bounds = whole.sentence_bounds
    at = int(bounds[len(bounds) * 9 // 10])
    return [whole.cut(0, at)], [whole.cut(at, whole.n_tokens)], False


class Bench:
    """A treebank made ready: sentences, classes and gold heads of the test part."""

    def __init__(self, name: str, data: Path, column: str | None = None) -> None:
        self.name = name
        self.treebank = TREEBANKS[name]
        self.column = column or self.treebank.column
        self.marks, self.style = self.treebank.marks, self.treebank.heads
        self.data = data
        self.train, self.test, self.same = load(name, data)
        classes = word_classes(self.column)
        self.words = corpus(self.train, classes, marks=self.marks)
        self.held = corpus(self.test, classes, marks=self.marks, names=self.words.names[1:])
        self.gold, _ = gold_heads(self.test, self.held)

    def turn(self) -> None:
        """Score against function words as heads from now on, where content words are heads."""
        self.test = [function_heads(doc) for doc in self.test]
        self.gold, _ = gold_heads(self.test, self.held)
        self.style = "any"

    def other_text(self) -> list[Document]:
        """Training text of other treebanks of the language."""
        return [doc for name in self.treebank.class_text for doc in load(name, self.data)[0]]

    def induce(self, class_text: Sequence[Document] = (), **settings: Any) -> tuple[Grammar, float]:
        """A grammar, and its CPU seconds; by default without universal rules and with any heads."""
        given = {"classes": self.column, "marks": self.marks, "rules": "none", "heads": "any"}
        given |= settings
        options = InduceOptions(**given)
        clock = time.process_time()
        grammar = Inducer(self.train, options, class_text=class_text).run()
        return grammar, time.process_time() - clock

    def trees(self, grammar: Grammar, constraint: str) -> tuple[Corpus, Ints]:
        """The test part as a grammar sees it, and its heads; no sentence is too long."""
        longest = self.held.sentences.longest
        return grammar.seeing(self.marks).trees(self.test, constraint, longest=longest)

    def score(self, grammar: Grammar, constraint: str = "none") -> tuple[float, float]:
        """Directed accuracy over all sentences, and over those of up to ten words."""
        words, heads = self.trees(grammar, constraint)
        return (
            round(accuracy(words.sentences, heads, self.gold), 1),
            round(accuracy(words.sentences, heads, self.gold, 10), 1),
        )

    def undirected(self, grammar: Grammar, constraint: str = "sprawl") -> float:
        """Accuracy of arcs whichever end is the head, over all sentences."""
        found, heads = self.trees(grammar, constraint)
        words = found.sentences
        begin = np.repeat(words.starts[:-1], words.lengths)
        at = np.arange(words.n_words) - begin
        back = np.where(heads >= 0, self.gold[np.where(heads >= 0, heads + begin, 0)], -3) == at
        scored = self.gold != UNKNOWN
        return round(100 * float(((heads == self.gold) | back)[scored].mean()), 1)

    def chains(self) -> dict[str, float]:
        """What anyone could guess: every word on the one before, or on the next."""
        words = self.held.sentences
        return {"left": self.of(attach_left(words)), "right": self.of(attach_right(words))}

    def of(self, heads: Any) -> float:
        return round(accuracy(self.held.sentences, heads, self.gold), 1)
