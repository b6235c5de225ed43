"""An analysis of a document as a search gives it, before it is written into the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from caesura.stages.joint_decode import Result

__all__ = ["Parse"]


@dataclass
class Parse:
    """One analysis of a document, by word: heads, label numbers, sentence starts, and how sure."""

    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    starts: NDArray[np.bool_]
    arc_margins: NDArray[np.float32]
    start_margins: NDArray[np.float32]
    arc_shares: NDArray[np.float32]
    start_shares: NDArray[np.float32]
    score: float = 0.0

    @classmethod
    def of(cls, result: Result, a: int, b: int, score: float = 0.0) -> Parse:
        """Words a..b-1 of what the search wrote."""
        columns: list[Any] = [column[a:b] for column in result]
        parse = cls(*columns)
        parse.score = score
        return parse

    @staticmethod
    def join(parts: Sequence[Parse]) -> Parse:
        """Pieces of one document, whose heads already count from its first word."""
        columns: list[Any] = [
            np.concatenate(column)
            for column in zip(*(part.columns() for part in parts), strict=True)
        ]
        return Parse(*columns)

    def moved(self, by: int) -> Parse:
        """The same for words that stand so much later in a document."""
        heads = np.where(self.heads >= 0, self.heads + by, self.heads).astype(np.int32)
        return replace(self, heads=heads)

    def columns(self) -> list[Any]:
        """All that is said word by word."""
        return [value for name, value in vars(self).items() if name != "score"]
