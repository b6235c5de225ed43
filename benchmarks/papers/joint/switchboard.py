"""Boundaries of Switchboard: systems trained on it, and JOINT transferred from treebanks.

Switchboard-sample is read as dialogues; sentence starts come from turns and slash units. The
mark-up of disfluencies is removed, and so is punctuation; the sample has no trees.
"""

from __future__ import annotations

import difflib
import re
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.papers.joint.data import Data, Docs, blank, open_data, tagged
from benchmarks.papers.joint.systems import crf, learn
from benchmarks.papers.joint.tables import count

from caesura.document import NO, YES, Document
from caesura.learn.tuning import tune_bonus

_MARK_UP = re.compile(r"\{[A-Z]+ |<+[^<>]*>+|[][{}+#*()]|--")


def switchboard(folder: Path) -> Docs:
    """Dialogues as documents: words with tags, lower-cased, starts from turns and slash units."""
    texts = [
        (folder / f"{name}.train.txt").read_text("utf-8").strip().split("\n\n")
        for name in ("disfluency", "tagged")
    ]
    return [
        dialogue(number, *pair) for number, pair in enumerate(zip(*texts, strict=True), start=1)
    ]


def dialogue(number: int, disfluency: str, tags: str) -> Document:
    units = dict(line.split(":", 1) for line in disfluency.splitlines() if ":" in line)
    words: list[str] = []
    names: list[str] = []
    marks: list[int] = []
    for line in tags.splitlines():
        turn, _, rest = line.partition(":")
        pairs = [item.rsplit("/", 1) for item in rest.split() if "/" in item]
        own = [(word.lower(), tag) for word, tag in pairs if re.search(r"\w", word)]
        if not own:
            continue
        begins = unit_starts([word for word, _ in own], units.get(turn, ""))
        words += [word for word, _ in own]
        names += [tag.lstrip("^") or "XX" for _, tag in own]
        marks += [YES if n in begins else NO for n in range(len(own))]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    starts = ends - [len(word) for word in words]
    doc = Document.from_spans(" ".join(words), starts, ends)
    doc.id = f"dialogue-{number}"
    doc.set_column("xpos", names)
    doc.sent_start = np.array(marks, np.int8)
    return doc


def unit_starts(words: Sequence[str], text: str) -> set[int]:
    """The words of a turn that start a unit; the letters of both files are aligned."""
    letters = "".join(re.findall(r"\w", "".join(words)))
    pieces = [re.findall(r"\w", _MARK_UP.sub(" ", p).lower()) for p in text.split("/")]
    plain = "".join("".join(piece) for piece in pieces)
    at = np.cumsum([len(piece) for piece in pieces[:-1]]).tolist()
    if plain != letters:
        matcher = difflib.SequenceMatcher(None, plain, letters, autojunk=False)
        blocks = matcher.get_matching_blocks()
        at = [next((b.b + max(0, a - b.a) for b in blocks if a < b.a + b.size), -1) for a in at]
    offsets = np.cumsum([0] + [len(re.findall(r"\w", word)) for word in words])
    found = {int(np.searchsorted(offsets, a)) for a in at if a >= 0}
    return {0} | {n for n in found if n < len(words)}


def spoken(options: Namespace) -> dict[str, Any]:
    """The labeller and NOSYNTAX trained on Switchboard, JOINT trained on speech variants."""
    data = Data("switchboard", switchboard(options.data / "Switchboard-sample"), [], options)
    nosyntax = learn(data, "nosyntax")
    labeller = crf(data)
    held = data.of(data.documents, "held")
    others = [open_data(name, options) for name in options.transfer]
    joints = [learn(other, "joint") for other in others]
    report: dict[str, Any] = {}
    for state in ("untuned", "tuned"):
        if state == "tuned":
            nosyntax = nosyntax.with_search(bonus=tune_bonus(nosyntax, held)[0])
            labeller = labeller.tune(data.of(data.gold, "held"))
        found = {"labeller": labeller.starts(data.dev)}
        dev = [blank(doc) for doc in data.dev_tagged("document")]
        found["NOSYNTAX"] = [parse.starts for parse in nosyntax.analyse(dev)]
        for k, other in enumerate(others):
            if state == "tuned":
                own = tagged(other.tagger, data.of(data.gold, "held"), "document")
                joints[k] = joints[k].with_search(bonus=tune_bonus(joints[k], own)[0])
            dev = tagged(other.tagger, [blank(doc) for doc in data.dev], "document")
            found[f"JOINT of {other.name}"] = [p.starts for p in joints[k].analyse(dev)]
        report[state] = [count(name, data.dev, s).row() for name, s in found.items()]
    return report
