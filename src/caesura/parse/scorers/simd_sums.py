"""Adding weight rows, the inner loop of all scoring.

In LLVM's vector instructions if that works here (see `caesura.jit.trusted`), else plainly.
"""

from __future__ import annotations

from typing import Any

from caesura.jit import chosen

__all__ = [
    "add_low_rows",
    "add_rows",
    "add_up",
    "at_least",
    "highest",
    "join",
    "lowest_bit",
]

_chosen = chosen("caesura.parse.scorers.simd_llvm", "caesura.parse.scorers.simd_plain")

#: sums[place] = the sum of rows[first:last] of a table; a row of bytes is shifted by its last byte.
add_rows: Any = _chosen.add_rows
#: The same of bytes whose sums, and those of some of them, fit into 16 bits.
add_low_rows: Any = _chosen.add_low_rows
#: out[:] = the sum of four rows of sums, times a unit.
add_up: Any = _chosen.add_up
#: sums[target] = the sum of the first rows of sums that are named; out[:] = the same times a unit.
join: Any = _chosen.join
#: The highest of scores, whose number is a multiple of 32.
highest: Any = _chosen.highest
#: Which of the 32 scores from the first on are at least as high as a floor, as bits.
at_least: Any = _chosen.at_least
#: The number of the lowest bit that is set.
lowest_bit: Any = _chosen.lowest_bit
