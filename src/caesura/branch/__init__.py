"""Selectional branching: beam-search accuracy at nearly greedy speed (Choi & McCallum 2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.branch.options import BranchOptions, BranchTraining
    from caesura.branch.parser import BranchingParser
    from caesura.branch.train import train_branching

__all__ = ["BranchOptions", "BranchTraining", "BranchingParser", "train_branching"]

_HOMES = {
    "BranchOptions": "options",
    "BranchTraining": "options",
    "BranchingParser": "parser",
    "train_branching": "train",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
