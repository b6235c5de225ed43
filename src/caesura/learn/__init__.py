"""What all linear learners share: feature templates, hashed features, weight tables, updates.

A table is a flat matrix with one row of classes for each feature. The kernels lie in `hashing`,
`index`, `sparse` and `updates`; they import numba and are therefore imported where they are used.
"""

from caesura.learn.shuffle import epoch_order

__all__ = ["epoch_order"]
