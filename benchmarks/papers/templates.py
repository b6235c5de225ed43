"""The papers' own feature templates, as far as they are known: ours without what was added here.

Björkelund et al. (2016) say that theirs follow Zhang & Nivre (2011), Bohnet & Kuhn (2012) and
Bohnet et al. (2013), and list none: what is left is the set of Zhang & Nivre mapped to
arc-standard, the last transitions, the neighbours in the text, and the words around a boundary.
Choi & McCallum (2013) use the set of Zhang & Nivre without distances, with tags of both sets and
morphology.
"""

from __future__ import annotations

from typing import Final

from caesura.stages import branching_features as hybrid_features
from caesura.stages import joint_features as features
from caesura.stages.templates import parse_table

__all__ = ["BRANCHING_TEMPLATES", "JOINT_TEMPLATES"]

#: What goes beyond the papers: word classes, suffixes, lower-cased forms, further tags and
#: morphology, longer combinations, breaks, speakers, evidence and layout.
_ADDED_TO_JOINT: Final = """
s1.w s0.p b0.p | s1.p s0.p s0l.l | s1.p s0.p s0r.l | s1.p s0.p s1l.l | s1.p s0.p s1r.l | t1 s0.p
t1 t2 s0.p s1.p | s0-1.p s0.p s1.p | s0+1.p s0.p s1.p | s1-1.p s1.p s0.p | s1+1.p s1.p s0.p | s0.x
s1.x | b0.x | s1.x s0.x | s0.x b0.x | s1.x s0.x b0.x | s0.m | s1.m | b0.m | s1.m s0.m | s0.c
s1.c | b0.c | s1.c s0.c | s0.c b0.c | s0.n | s1.n | b0.n | s1.n s0.n | s0.e | s1.e | b0.e
s1.c s0.p | s1.p s0.c | b0-1.w b0.p | b0-1.p b0.w | b0-1.n b0.n | b0-1.w b0.w b1.w | b0.w b1.w
b0.n b1.p | b0-1.w b0.x | b0-1.e b0.e | b0-2.w b0-1.w | b0-2.w b0-1.w b0.w | b0.w b1.w b2.w
b0-1.n b0.n b1.n | b0-2.p b0-1.p b0.p | b0-1.p b0.p b1.p b2.p | b0-1.p b0.p b1.p
b0-1.w b0.p b1.p | b0-1.p b0.w b1.p | b0-1.p b0.w b1.w | b0.w b1.p b2.p | b0-1.x b0.x
b0-1.x b0.x b1.x | b0.x b1.x b2.x | b0-1.w b0.w s1.p | s2.p s1.p s0.p b0.p | s1.sl s1.p s0.p b0.p
s1.sr s1.p s0.p b0.p | s0.sl s0.p b0.p b1.p | length b0.w | length b0-1.p b0.w
length b0-1.p b0.p | flags t1 | flags s0.p b0.p | flags s1.p s0.p | break | break b0-1.p b0.p
break b0-1.w | break flags | speaker | speaker b0-1.w | speaker flags | evidence | evidence flags
evidence b0.p | evidence break b0-1.p | layout | layout b0-1.p b0.p | layout b0-1.w | layout b0.w
layout evidence | layout flags
"""
_ADDED_TO_BRANCHING: Final = """
s1.w | s1.p | d0.w | d0.p | s1.p s0.p n0.p | d0.p s0.p n0.p | n0.l | flags | flags s0.p n0.p
n0h.p n0.p s0.p | s0.m n0.m | s0.c | n0.c | s0.c n0.c | s0.n | n0.n | s0.n n0.n | s0.e | n0.e
s0.c n0.p | s0.p n0.c | s0.n n0.p | s0.p n0.n | n0-1.w | n0-1.p | s0+1.w | s0+1.p | s0-1.p
s0.p s0+1.p n0-1.p n0.p | s0.p n0-1.p n0.p | s0.p s0+1.p n0.p | s0-1.p s0.p n0.p
s1.p s0.p n0.p n1.p | s2.p s1.p s0.p n0.p | s0.w n0.p n1.p | s0.p n0.w n1.p | s0.p n0.p n1.w
s0h.w s0.w n0.w | s0h.w n0.w | s0h.p n0.w | s0h.w n0.p | s1.w n0.w | s1.w n0.p | s1.p n0.w
s0r.p s0.w n0.p | s0r.w n0.p | s0r.w n0.w | s0.l s0.p n0.p | s0r.l s0.p n0.p | s0.l n0.p
"""


def _less(ours: tuple[str, ...], added: str) -> tuple[str, ...]:
    left_out = set(parse_table(added))
    if not left_out <= set(ours):
        raise ValueError(f"not among ours: {sorted(left_out - set(ours))}")
    return tuple(template for template in ours if template not in left_out)


JOINT_TEMPLATES: Final = _less(features.DEFAULT_TEMPLATES, _ADDED_TO_JOINT)
BRANCHING_TEMPLATES: Final = _less(hybrid_features.DEFAULT_TEMPLATES, _ADDED_TO_BRANCHING)
