"""Hash kernel (Bohnet 2010): a feature is a 64-bit mix of its template and its values.

The mixer is the finaliser of SplitMix64. Zero is kept for "absent", so that a template with an
absent value yields no feature.
"""

from __future__ import annotations

import numpy as np

from caesura.jit import kernel

__all__ = ["fold", "mix"]

_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)
_C = np.uint64(0x9E3779B97F4A7C15)
_S30 = np.uint64(30)
_S27 = np.uint64(27)
_S31 = np.uint64(31)


@kernel(inline="always")
def mix(value: np.uint64) -> np.uint64:
    """Scramble 64 bits so that every bit of the result depends on every bit of the value."""
    value = (value ^ (value >> _S30)) * _A
    value = (value ^ (value >> _S27)) * _B
    return value ^ (value >> _S31)


@kernel(inline="always")
def fold(state: np.uint64, value: np.uint64) -> np.uint64:
    """Take one more value into a hash."""
    state = (state ^ value) * _C
    return state ^ (state >> _S31)
