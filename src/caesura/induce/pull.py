"""How strongly pairs of classes are drawn to be head and dependent while expectations are taken.

A pull multiplies the probabilities of arcs and roots in the E-step only; what is re-estimated is
the grammar itself, so a pull decides among analyses that the text leaves open and no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.induce.parameters import Floats, Ints, Parameters

__all__ = ["Pull", "by_head", "lexical", "pulled", "to_the"]


class Pull(NamedTuple):
    """Factors of roots [class] and of arcs [class of the head, class of the dependent]."""

    root: Floats
    attach: Floats


def by_head(weight: Floats) -> Pull:
    """A pull by the class of the head alone, which the root has, too."""
    return Pull(weight, np.repeat(weight[:, None], len(weight), axis=1))


def pulled(parameters: Parameters, pull: Pull) -> Parameters:
    """Parameters under which every arc and every root weighs by its classes."""
    return parameters._replace(
        attach=parameters.attach * pull.attach[None, None, None],
        root=parameters.root * pull.root[None],
    )


def to_the(power: float, pull: Pull) -> Pull:
    """The same pull, stronger or weaker."""
    return Pull(pull.root**power, pull.attach**power)


def lexical(pull: Pull, classes: Ints) -> Pull:
    """The pull over new classes, each of which is part of an old one."""
    return Pull(
        np.ascontiguousarray(pull.root[classes]),
        np.ascontiguousarray(pull.attach[np.ix_(classes, classes)]),
    )
