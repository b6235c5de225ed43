"""An interrupted induction in a file: word classes, finished restarts, and where EM stands.

States of EM are written after an iteration, but not so often that writing takes a noticeable share
of the time; with large parameters a few iterations may be lost. A file is identified by a
fingerprint of the text and of the options.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from caesura.errors import ModelError
from caesura.induce import em
from caesura.induce.context import get_context, put_context
from caesura.induce.grammar import get_nested, put_nested
from caesura.induce.parameters import Parameters
from caesura.induce.training import Learnt, Place
from caesura.induce.word_classes import WordClassifier
from caesura.models.file import Part, load, save

#: States are written after so many times the seconds that the last writing took.
PAUSE = 20.0


@dataclass
class Checkpoint:
    """The state of an induction; written whenever something is added."""

    path: Path
    fingerprint: str
    classifier: WordClassifier | None = None
    #: Of finished restarts: seed, bits per word, sentences without a tree under the constraint.
    restarts: list[dict[str, Any]] = field(default_factory=list)
    #: Their results, in the same order.
    learnt: list[Learnt] = field(default_factory=list)
    #: The states of unfinished restarts.
    places: dict[int, Place] = field(default_factory=dict)
    #: Finished grammars that will vote with this one.
    done: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0.0

    def keep_classes(self, classifier: WordClassifier) -> None:
        """Store the word classes."""
        with self._lock:
            self.classifier = classifier
            self._save()

    def keep_place(self, restart: int, place: Place) -> None:
        """Store the state after an iteration of a restart; called by several threads."""
        with self._lock:
            self.places[restart] = place
            if time.monotonic() >= self._next:
                self._save()

    def keep_restart(self, record: dict[str, Any], learnt: Learnt) -> None:
        """Store the next restart."""
        with self._lock:
            self.places.pop(len(self.restarts), None)
            self.restarts.append(dict(record))
            self.learnt.append(learnt)
            self._save()

    def remove(self) -> None:
        """Remove the file, once the grammar is written."""
        self.path.unlink(missing_ok=True)

    def _save(self) -> None:
        clock = time.monotonic()
        parts = {"run": Part("run", {"fingerprint": self.fingerprint})}
        parts["run"].labels["restarts"] = [json.dumps(record) for record in self.restarts]
        if self.classifier is not None:
            parts["classes"] = _of_classifier(self.classifier)
        for number, learnt in enumerate(self.learnt):
            parts[f"learnt-{number}"] = _of_learnt(learnt)
        for number, place in self.places.items():
            parts[f"place-{number}"] = _of_place(place)
        if self.done:
            parts["done"] = Part("done")
            put_nested(parts["done"], self.done)
        save(self.path, parts, kind="checkpoint", compress=False)
        now = time.monotonic()
        self._next = now + PAUSE * (now - clock)

    @classmethod
    def read(cls, path: Path, fingerprint: str) -> Checkpoint:
        """What was kept, if it belongs to this induction."""
        parts = load(path).parts
        run = parts.get("run", Part("run"))
        if run.config.get("fingerprint") != fingerprint:
            raise ModelError(
                "the checkpoint belongs to an induction with other options or other text",
                file=str(path),
                remedy="Go on with the options and the text of that run, "
                "or delete it and start again with --anew.",
            )
        classes = parts.get("classes")
        restarts = [json.loads(line) for line in run.labels["restarts"]]
        return cls(
            path,
            fingerprint,
            None if classes is None else _to_classifier(classes),
            restarts,
            [_to_learnt(parts[f"learnt-{number}"]) for number in range(len(restarts))],
            {
                int(name.removeprefix("place-")): _to_place(part)
                for name, part in parts.items()
                if name.startswith("place-")
            },
            get_nested(parts["done"]) if "done" in parts else [],
        )


def read_done(path: Path) -> list[Part]:
    """The finished grammars in a checkpoint that will vote; none if there is no file."""
    parts = load(path).parts if path.exists() else {}
    return get_nested(parts["done"]) if "done" in parts else []


# -------------------------------------------------------------------- as parts of a file


def _of_classifier(classifier: WordClassifier) -> Part:
    words, endings = classifier.words, classifier.endings
    labels = {"words": list(words), "classes": list(words.values()), "endings": list(endings)}
    part = Part("classes", {}, labels)
    if classifier.context is not None:
        put_context(part, classifier.context)
    return part


def _to_classifier(part: Part) -> WordClassifier:
    words = dict(zip(part.labels["words"], part.labels["classes"], strict=True))
    return WordClassifier(words, tuple(part.labels["endings"]), get_context(part))


def _put(part: Part, name: str, parameters: Parameters) -> None:
    for field_, table in zip(Parameters._fields, parameters, strict=True):
        part.arrays[f"{name}.{field_}"] = table


def _get(part: Part, name: str) -> Parameters:
    # Copies, because arrays of a file cannot be written to.
    return Parameters(*(np.array(part.array(f"{name}.{field_}")) for field_ in Parameters._fields))


def _of_learnt(learnt: Learnt) -> Part:
    about = {"model": learnt.model, "lifted": learnt.lifted}
    part = Part("learnt", {}, {"names": list(learnt.names), "about": [json.dumps(about)]})
    rows = [(*key, value) for key, value in learnt.lexicon.items()]
    part.arrays["lexicon"] = np.array(rows, np.int64).reshape(-1, 3)
    _put(part, "tables", learnt.parameters)
    return part


def _to_learnt(part: Part) -> Learnt:
    about = json.loads(part.labels["about"][0])
    lexicon = {(a, b): c for a, b, c in part.array("lexicon", np.int64, (None, 3)).tolist()}
    names = tuple(part.labels["names"])
    return Learnt(_get(part, "tables"), about["model"], names, lexicon, about["lifted"])


#: Parameters of a state, by their names in the file, and its numbers.
_TABLES = {"tables": "parameters", "previous": "previous", "kept": "kept", "counts": "counts"}
_NUMBERS = ("iteration", "before", "watched", "lowest", "since", "lifted")


def _of_place(place: Place) -> Part:
    state = place.state
    about: dict[str, Any] = {name: getattr(state, name) for name in _NUMBERS}
    about |= {"stage": place.stage, "limit": place.limit, "turn": state.turn}
    part = Part("place")
    written: dict[int, str] = {}
    for name, attribute in _TABLES.items():
        parameters = getattr(state, attribute)
        if parameters is None:
            continue
        # Often they are the same ones.
        about[f"{name}_as"] = written.setdefault(id(parameters), name)
        if written[id(parameters)] == name:
            _put(part, name, parameters)
    for name, parameters in place.found.items():
        _put(part, f"found {name}", parameters)
    about["found"] = list(place.found)
    part.labels["about"] = [json.dumps(about)]
    return part


def _to_place(part: Part) -> Place:
    about = json.loads(part.labels["about"][0])
    read = {name: _get(part, name) for name in _TABLES if about.get(f"{name}_as") == name}
    parameters = {
        attribute: read[about[f"{name}_as"]]
        for name, attribute in _TABLES.items()
        if f"{name}_as" in about
    }
    turn = None if about["turn"] is None else em.Turn(*about["turn"])
    state: dict[str, Any] = {**parameters, **{name: about[name] for name in _NUMBERS}, "turn": turn}
    found = {name: _get(part, f"found {name}") for name in about["found"]}
    return Place(about["stage"], about["limit"], em.State(**state), found)
