"""The search of the joint parser as the core does it, with its errors turned into messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura._core import BeamSettings, SearchReport
from caesura.document import UNKNOWN
from caesura.errors import ModelError
from caesura.stages.parse_analysis import Parse
from caesura.stages.parse_limits import Limits
from caesura.stages.parse_stored import DAMAGED
from caesura.stages.parser_options import SearchOptions

__all__ = ["Found", "Result", "analyses_of", "result_of", "settings_of", "stopped"]

#: A finite number that stands for no margin: infinite minus infinite is no number.
_NO_MARGIN: Final = 1e20


class Result(NamedTuple):
    """Trees and boundaries, with the margins and the shares of what decided them.

    A margin is the distance to the next best transition of the same state (negative for a word that
    starts no sentence); a share is how many items of the beam descend from the decision shortly
    after it.
    """

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.bool_]
    arc_margins: NDArray[np.float32]
    start_margins: NDArray[np.float32]
    arc_shares: NDArray[np.float32]
    start_shares: NDArray[np.float32]


def settings_of(options: SearchOptions) -> BeamSettings:
    """How the core searches with these options."""
    margin = min(options.margin, _NO_MARGIN)

    def margins(share: float) -> float:
        return margin * share if margin < _NO_MARGIN else _NO_MARGIN

    return BeamSettings(
        options.beam,
        margin,
        margins(options.labels),
        margins(options.starts),
        margins(options.behind),
        options.bonus,
        options.bonus + options.unedited,
        options.evidence,
        options.layout,
        options.patience,
    )


#: What the core returns: the columns of a result, and how the search went.
Found = tuple[tuple[Any, ...], SearchReport]


def stopped(report: SearchReport) -> ModelError:
    """What is wrong with a parser that finds no way through words of which nothing is given."""
    what = (
        f"the parser makes {report.steps:,} transitions for {report.words:,} words and goes nowhere"
    )
    if report.dead:
        what = f"the parser finds no transition after {report.steps:,}: its scores are no numbers"
    return ModelError(what, remedy=DAMAGED)


def result_of(found: Found, limits: Limits) -> Result | None:
    """The trees that were found; None if no derivation that was found keeps the limits."""
    columns, report = found
    if report.done:
        return _result(columns)
    if not report.dead or not (len(limits.starts) or len(limits.heads)):
        raise stopped(report)
    return None


def analyses_of(
    found: tuple[Sequence[tuple[tuple[Any, ...], float]], SearchReport], limits: Limits
) -> list[Parse]:
    """The k best analyses that were found; none if no derivation keeps the limits."""
    analyses, report = found
    if not report.done and (not report.dead or not np.any(limits.heads != UNKNOWN)):
        raise stopped(report)
    return [Parse.of(_result(columns), 0, len(columns[0]), score) for columns, score in analyses]


def _result(columns: Sequence[Any]) -> Result:
    heads, labels, starts, *sure = columns
    return Result(heads, labels, starts == 1, *sure)
