"""What the caller fixed, checked and prepared for the search: boundaries, heads, labels, some or all.

Combinations that no tree can satisfy are refused here, by name, before the search starts.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from caesura.parse.transitions.joint import Limits

__all__ = ["no_limits"]


@cache
def no_limits() -> Limits:
    """Nothing is fixed."""
    none = np.zeros(0, np.int32)
    return Limits(np.zeros(0, np.int8), none, none, none, none, none, 0)
