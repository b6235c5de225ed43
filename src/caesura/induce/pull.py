"""How strongly pairs of classes are drawn to be head and dependent while expectations are taken.

A pull multiplies the probabilities of arcs and roots in the E-step only; what is re-estimated is
the grammar itself, so a pull decides among analyses that the text leaves open and no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.induce.parameters import Floats, Longs, Parameters

__all__ = [
    "Harmony",
    "Pull",
    "both",
    "by_head",
    "by_root",
    "in_harmony",
    "lexical",
    "one_sided",
    "pulled",
    "to_the",
]


class Harmony(NamedTuple):
    """Classes whose arcs lie on the side on which some heads have some dependents."""

    #: By class, one or zero: the heads and the dependents that lead, and those that follow.
    heads: Floats
    dependents: Floats
    follow: Floats


class Pull(NamedTuple):
    """Factors of roots [class] and of arcs [direction, class of the head, of the dependent]."""

    root: Floats
    attach: Floats
    #: By class: how strongly its words are kept to one side of their heads; see `one_sided`.
    sided: Floats
    #: Which classes branch to the same side as others do, if any; see `in_harmony`.
    harmony: Harmony | None = None


def by_head(weight: Floats) -> Pull:
    """A pull by the class of the head alone, which the root has, too."""
    size = len(weight)
    attach = np.ascontiguousarray(np.broadcast_to(weight[None, :, None], (2, size, size)))
    return Pull(weight, attach, np.zeros(size))


def by_root(weight: Floats) -> Pull:
    """A pull on roots alone."""
    size = len(weight)
    return Pull(weight, np.ones((2, size, size)), np.zeros(size))


def pulled(parameters: Parameters, pull: Pull) -> Parameters:
    """Parameters under which every arc and every root weighs by its classes."""
    return parameters._replace(
        attach=parameters.attach * pull.attach[:, None, None],
        root=parameters.root * pull.root[None],
    )


def one_sided(pull: Pull, counts: Parameters | None) -> Pull:
    """The pull, with arcs of one-sided classes multiplied by how often the side was theirs.

    Adpositions, articles and their like stand before their heads or after them, whatever these
    are; a split-head grammar has no number for that. The shares are those of the last counts.
    """
    if counts is None or not pull.sided.any():
        return pull
    arcs = counts.attach.sum(axis=(1, 2, 3)) + 1.0
    share = (arcs / arcs.sum(axis=0)) ** pull.sided
    return pull._replace(attach=pull.attach * share[:, None, :])


def in_harmony(pull: Pull, counts: Parameters | None) -> Pull:
    """The pull, with arcs of classes in harmony multiplied by how often the side was that of verbs.

    Where verbs stand behind their nouns, heads stand behind their dependents in general (Greenberg
    1963). The factor is twice the share of the side in the last counts and at most one, so a
    language in which verbs have nouns on both sides is left as it is.
    """
    if counts is None or pull.harmony is None:
        return pull
    heads, dependents, follow = pull.harmony
    leading = counts.attach.sum(axis=(1, 2)) * heads[:, None] * dependents
    arcs = leading.sum(axis=(1, 2)) + 1.0
    factor = np.minimum(2.0 * arcs / arcs.sum(), 1.0)
    both_follow = np.outer(follow, follow) > 0
    side = np.where(both_follow, factor[:, None, None], 1.0)
    return pull._replace(attach=pull.attach * side)


def to_the(power: float, pull: Pull) -> Pull:
    """The same pull, stronger or weaker."""
    return pull._replace(root=pull.root**power, attach=pull.attach**power)


def both(one: Pull | None, two: Pull | None) -> Pull | None:
    """Two pulls at once."""
    if one is None or two is None:
        return one or two
    return Pull(
        one.root * two.root,
        one.attach * two.attach,
        one.sided + two.sided,
        one.harmony or two.harmony,
    )


def lexical(pull: Pull, classes: Longs) -> Pull:
    """The pull over new classes, each of which is part of an old one."""
    return Pull(
        pull.root[classes],
        np.ascontiguousarray(pull.attach[:, classes][:, :, classes]),
        pull.sided[classes],
        None if pull.harmony is None else Harmony(*(table[classes] for table in pull.harmony)),
    )
