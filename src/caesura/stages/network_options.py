"""How the scores of a network are searched: options without the network or the search."""

from __future__ import annotations

import math
from dataclasses import dataclass

from caesura.errors import UsageError
from caesura.stages.joint_parser import SearchOptions


@dataclass(frozen=True)
class SearchSettings:
    """How scores become transitions; tuned on held-out text."""

    beam: int = 8
    #: As in `parse.options.SearchOptions`, in the units of the network's scores.
    margin: float = math.inf
    #: What a swap costs, and how much crossing arcs speak against a boundary.
    swap: float = 1.0
    crossing: float = 0.5
    #: What is added to the evidence for a boundary, and how much more where the text has neither
    #: capitals nor punctuation.
    bonus: float = 0.0
    unedited: float = 0.0
    #: How much of `layout.codes.ODDS` is added where a line begins.
    layout: float = 6.0
    #: How often the log-odds of the tokeniser's evidence for a start count, in edited text.
    evidence: float = 0.5
    #: 1 for about twice as many boundaries, -1 for half as many; see `caesura.stages.bias`.
    bias: float = 0.0
    #: Whether the guidelines of UD are obeyed: on, off.
    guidelines: str = "on"

    def __post_init__(self) -> None:
        SearchOptions(  # which checks them
            beam=self.beam, margin=self.margin, bias=self.bias, guidelines=self.guidelines
        )
        for name in ("swap", "crossing", "bonus", "unedited", "layout", "evidence"):
            if not math.isfinite(getattr(self, name)):
                raise UsageError(f"{name} is {getattr(self, name)}, but must be a finite number")
