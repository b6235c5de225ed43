"""The models: which context each decision of a grammar looks at; a new model is a new row.

The rows are those of Spitkovsky, Alshawi & Jurafsky (2012), with the models they build on: GB
(Paskin 2001), DMV (Klein & Manning 2004) and EVG (Headden et al. 2009).
"""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import UsageError

__all__ = ["MODELS", "Model", "find_model"]


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
    #: Root and stop probabilities are constants and not learnt.
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
