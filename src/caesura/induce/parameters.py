"""Grammars and their parameters: probabilities and event counts as tables over word classes.

The models are rows of a table: which context each decision of a grammar sees. They are those of
Spitkovsky, Alshawi & Jurafsky (2012), with the models that these build on: GB (Paskin 2001), DMV
(Klein & Manning 2004) and EVG (Headden et al. 2009). Counts have the shape of probabilities: an
E-step adds to one set of tables, and the M-step converts it into the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura import _core
from caesura.errors import UsageError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
LEFT, RIGHT = 0, 1


class Parameters(NamedTuple):
    """Probabilities, their logarithms, or counts of events.

    An axis that a model does not use has length one, so `attach` of a DMV is 2x1x1xVxV.
    """

    #: [comp, class]
    root: Floats
    #: [direction, cross, adjacent, class of the head, class of the dependent]
    attach: Floats
    #: [comp, direction, adjacent, class of the head or at the fringe]
    stop: Floats
    #: As `stop`: the probability to go on, or how often that happened.
    go: Floats
    #: 1 if stops depend on the fringe.
    fringe: Longs

    @property
    def core(self) -> _core.GrammarTables:
        """The tables for the core to read."""
        root, attach, stop, go = (np.ascontiguousarray(table) for table in self[:4])
        return _core.GrammarTables(root, attach, stop, go, bool(self.fringe[0]))

    @property
    def core_counts(self) -> _core.GrammarCounts:
        """The tables for the core to add to."""
        return _core.GrammarCounts(*self[:4], bool(self.fringe[0]))


def empty(model: Model, classes: int) -> Parameters:
    """Parameters of zeros for a model over so many classes."""
    comp = 2 if model.stop_comp else 1
    return Parameters(
        np.zeros((2 if model.root_comp else 1, classes)),
        np.zeros(
            (2, 2 if model.attach_cross else 1, 2 if model.attach_adj else 1, classes, classes),
        ),
        np.zeros((comp, 2, 2, classes)),
        np.zeros((comp, 2, 2, classes)),
        np.array([int(model.stop_fringe)], dtype=np.int64),
    )


def normalise(counts: Parameters, model: Model, smoothing: float = 1.0) -> Parameters:
    """The M-step: relative frequencies after adding `smoothing` to every count.

    A context never seen gets the uniform distribution.
    """
    classes = counts.root.shape[-1]
    if model.attach_only:
        root = np.full_like(counts.root, 1.0 / classes)
        stop = np.full_like(counts.stop, 0.5)
    else:
        root = _shares(counts.root, smoothing)
        both = counts.stop + counts.go + 2 * smoothing
        stop = np.where(both > 0, (counts.stop + smoothing) / np.where(both > 0, both, 1), 0.5)
    return Parameters(root, _shares(counts.attach, smoothing), stop, 1.0 - stop, counts.fringe)


def _shares(counts: Floats, smoothing: float) -> Floats:
    classes = counts.shape[-1]
    total = counts.sum(axis=-1, keepdims=True) + smoothing * classes
    seen = total > 0
    return np.where(seen, (counts + smoothing) / np.where(seen, total, 1), 1.0 / classes)


def uniform(model: Model, classes: int) -> Parameters:
    """Every distribution uniform."""
    return normalise(empty(model, classes), model, 0.0)


def ones(classes: int = 1, growth: float = 6.75) -> Parameters:
    """Factors under which every tree of a sentence weighs the same.

    The number of trees over n words grows like 6.75^n; its inverse in the attachments keeps the
    charts near one.
    """
    flat = np.ones((1, 2, 2, classes))
    return Parameters(
        np.ones((1, classes)),
        np.full((2, 1, 1, classes, classes), 1.0 / growth),
        flat,
        flat,
        np.zeros(1, dtype=np.int64),
    )


def each(change: Callable[[Floats], Floats], parameters: Parameters) -> Parameters:
    """The parameters with every number changed."""
    root, attach, stop, go = (change(table) for table in parameters[:4])
    return Parameters(root, attach, stop, go, parameters.fringe)


def logs(parameters: Parameters) -> Parameters:
    """Natural logarithms, with -inf for zero."""
    with np.errstate(divide="ignore"):
        return each(np.log, parameters)


def add(parts: Sequence[Parameters]) -> Parameters:
    """The sum of counts, in the order given, so that it never depends on who counted them."""
    total = each(np.copy, parts[0])
    for part in parts[1:]:
        for into, more in zip(total[:4], part[:4], strict=True):
            into += more
    return total


def widen(parameters: Parameters, model: Model) -> Parameters:
    """The same probabilities for a model with more context: missing axes are repeated.

    Attachments across punctuation start uniform where the narrower model knew nothing of them, as
    in the third stage of the curriculum.
    """
    classes = parameters.root.shape[-1]
    shape = empty(model, classes)
    values: list[Any] = [
        np.ascontiguousarray(np.broadcast_to(old, new.shape))
        for old, new in zip(parameters[:4], shape[:4], strict=True)
    ]
    if model.attach_cross and parameters.attach.shape[1] == 1:
        values[1] = values[1].copy()
        values[1][:, 1] = 1.0 / classes
    root, attach, stop, go = values
    return Parameters(root, attach, stop, go, shape.fringe)


@dataclass(frozen=True, slots=True)
class Model:
    """What the three kinds of decision may see, beside the direction that all but the root see.

    The stop decision always sees whether the head already has a dependent on that side.
    """

    name: str
    #: The root's class depends on whether the sentence ends in punctuation.
    root_comp: bool = False
    #: The dependent's class depends on whether it is the first on its side.
    attach_adj: bool = False
    #: The dependent's class depends on whether punctuation stands between it and its head.
    attach_cross: bool = False
    #: Stopping depends on the class at the fringe and not on the class of the head.
    stop_fringe: bool = False
    #: Stopping depends on whether the sentence ends in punctuation.
    stop_comp: bool = False
    #: Root and stop probabilities are constant.
    attach_only: bool = False


MODELS: dict[str, Model] = {
    model.name: model
    for model in (
        Model("gb", attach_only=True),
        Model("dmv"),
        Model("evg", attach_adj=True),
        Model("dbm1", stop_fringe=True),
        Model("dbm2", stop_fringe=True, stop_comp=True, root_comp=True),
        Model("dbm3", stop_fringe=True, stop_comp=True, root_comp=True, attach_cross=True),
    )
}


def find_model(name: str) -> Model:
    """A model by name: `dbm3`, also written `DBM-3`."""
    key = name.lower().replace("-", "")
    if key not in MODELS:
        raise UsageError(f"unknown grammar {name!r}", remedy=f"Grammars are: {', '.join(MODELS)}.")
    return MODELS[key]
