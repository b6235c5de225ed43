"""The best tree for the literal reading of strict and loose, see `_literal`; compiled code only."""

from __future__ import annotations

import numpy as np

from caesura.induce.factors import Factors, bounds, look_up, new_factors
from caesura.induce.literal import sealable
from caesura.induce.parameters import Floats, Ints, Parameters
from caesura.jit import kernel


@kernel
def literal_tree(
    classes: Ints,
    marks: Ints,
    fragments: Ints,
    comp: int,
    parameters: Parameters,
    constraint: int,
    heads: Ints,
) -> float:
    """The best tree under the literal strict or loose; -inf where there is none."""
    n = classes.shape[0]
    s = new_factors(n)
    look_up(s, parameters, classes, marks, fragments, comp)
    return _search(s, n, parameters.fringe[0], parameters.attach.shape[2] - 1, constraint, heads)


@kernel
def literal_arcs(
    arcs: Floats, roots: Floats, fragments: Ints, constraint: int, heads: Ints
) -> float:
    """The tree whose arcs have the largest sum: minimum-risk decoding of posteriors."""
    n = roots.shape[0]
    s = new_factors(n)
    s.stop[:] = 0.0
    s.go[:] = 0.0
    for h in range(n):
        s.root[h] = roots[h]
        for d in range(n):
            s.far[h * n + d] = arcs[h, d]
    bounds(fragments, s.first, s.last)
    return _search(s, n, 0, 0, constraint, heads)


@kernel
def _search(s: Factors, n: int, fringe: int, adjacent: int, constraint: int, heads: Ints) -> float:
    # [direction, head, edge], with the split and the dependent that gave the best score
    side = np.full((2, n, n), -np.inf)
    split = np.zeros((2, n, n), np.int32)
    child = np.zeros((2, n, n), np.int32)
    for j in range(n):
        side[0, j, j] = side[1, j, j] = 0.0
        for i in range(j - 1, -1, -1):
            for out in range(2):
                h, e = (i, j) if out == 1 else (j, i)
                best = -np.inf
                # the head's side reached out to k before it took d, which covers the rest
                for k in range(i, j) if out == 1 else range(i + 1, j + 1):
                    near = 1 if k == h else 0
                    base = side[out, h, k] + s.go[out, near, k if fringe else h]
                    if base == -np.inf:
                        continue
                    a, b = (k + 1, j) if out == 1 else (i, k - 1)
                    for d in range(a, b + 1):
                        v = base + (s.near[h * n + d] if adjacent and near else s.far[h * n + d])
                        v += side[0, d, a] + s.stop[0, 1 if a == d else 0, a if fringe else d]
                        v += side[1, d, b] + s.stop[1, 1 if b == d else 0, b if fringe else d]
                        if v > best and sealable(constraint, s, a, d, b):
                            best = v
                            split[out, h, e] = k
                            child[out, h, e] = d
                side[out, h, e] = best
    best = -np.inf
    root = -1
    for r in range(n):
        v = s.root[r] + side[0, r, 0] + side[1, r, n - 1]
        v += s.stop[0, 1 if r == 0 else 0, 0 if fringe else r]
        v += s.stop[1, 1 if r == n - 1 else 0, n - 1 if fringe else r]
        if v > best and sealable(constraint, s, 0, r, n - 1):
            best = v
            root = r
    if root < 0:
        return best
    heads[root] = -1
    agenda = np.empty((4 * n + 8, 3), np.int32)
    agenda[0, 0], agenda[0, 1], agenda[0, 2] = 0, root, 0
    agenda[1, 0], agenda[1, 1], agenda[1, 2] = 1, root, n - 1
    size = 2
    while size > 0:
        size -= 1
        out, h, e = agenda[size, 0], agenda[size, 1], agenda[size, 2]
        if h == e:
            continue
        k, d = split[out, h, e], child[out, h, e]
        heads[d] = h
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, h, k
        size += 1
        agenda[size, 0], agenda[size, 1], agenda[size, 2] = out, d, e
        size += 1
        agenda[size, 0], agenda[size, 1] = 1 - out, d
        agenda[size, 2] = k + 1 if out == 1 else k - 1
        size += 1
    return best
