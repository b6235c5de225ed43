"""The papers' own feature templates, as far as they are known, without what is added here.

Björkelund et al. (2016) say that theirs follow Zhang & Nivre (2011), Bohnet & Kuhn (2012) and
Bohnet et al. (2013), and list none: below is the set of Zhang & Nivre mapped to arc-standard, the
last transitions, the neighbours in the text, and the words around a boundary. Choi & McCallum
(2013) use the set of Zhang & Nivre without distances, with tags of both sets and morphology.
"""

from __future__ import annotations

from typing import Final

from caesura.learn.templates import parse_table

__all__ = ["BRANCHING_TEMPLATES", "JOINT_TEMPLATES"]

_JOINT: Final = """
# single words
s0.wp | s0.w | s0.p | s1.wp | s1.w | s1.p | b0.wp | b0.w | b0.p | s2.p | b1.w | b1.p | b2.w | b2.p
# pairs
s1.wp s0.wp | s1.wp s0.w | s1.wp s0.p | s1.w s0.wp | s1.p s0.wp | s1.w s0.w | s1.p s0.p
s0.wp b0.wp | s0.wp b0.w | s0.w b0.wp | s0.wp b0.p | s0.p b0.wp | s0.w b0.w | s0.p b0.p | b0.p b1.p
s1.p b0.p | s1.w b0.p | s1.p b0.w
# triples
s0.p b0.p b1.p | s1.p s0.p b0.p | s0.w b0.p b1.p | s1.p s0.w b0.p | s2.p s1.p s0.p | b0.p b1.p b2.p
s1.p s0.p s1l.p | s1.p s0.p s1r.p | s1.p s0.p s0l.p | s1.p s0.p s0r.p
s1.p s0.w s1l.p | s1.p s0.w s1r.p
# distances
s0.w s1s0.d | s0.p s1s0.d | s1.w s1s0.d | s1.p s1s0.d | s1.w s0.w s1s0.d | s1.p s0.p s1s0.d
s0.w s0b0.d | s0.p s0b0.d | b0.w s0b0.d | b0.p s0b0.d | s0.p b0.p s0b0.d
# valencies
s0.w s0.vr | s0.p s0.vr | s0.w s0.vl | s0.p s0.vl
s1.w s1.vr | s1.p s1.vr | s1.w s1.vl | s1.p s1.vl
# children
s0l.w | s0l.p | s0l.l | s0r.w | s0r.p | s0r.l | s1l.w | s1l.p | s1l.l | s1r.w | s1r.p | s1r.l
s0l2.w | s0l2.p | s0l2.l | s0r2.w | s0r2.p | s0r2.l
s1l2.w | s1l2.p | s1l2.l | s1r2.w | s1r2.p | s1r2.l
s0.p s0l.p s0l2.p | s0.p s0r.p s0r2.p | s1.p s1l.p s1l2.p | s1.p s1r.p s1r2.p
# label sets
s0.w s0.sr | s0.p s0.sr | s0.w s0.sl | s0.p s0.sl
s1.w s1.sr | s1.p s1.sr | s1.w s1.sl | s1.p s1.sl
# history and neighbours in the text
t1 | t1 t2 | s0-1.w | s0-1.p | s0+1.w | s0+1.p | s1-1.w | s1-1.p | s1+1.w | s1+1.p
# boundaries
b0-1.w | b0-1.p | b0-1.w b0.w | b0-1.p b0.p | b0-2.p b0-1.p b0.p b1.p | length | flags
"""
_BRANCHING: Final = """
# single words
s0.wp | s0.w | s0.p | n0.wp | n0.w | n0.p | n1.wp | n1.w | n1.p | n2.wp | n2.w | n2.p
# pairs
s0.wp n0.wp | s0.wp n0.w | s0.w n0.wp | s0.wp n0.p | s0.p n0.wp | s0.w n0.w | s0.p n0.p | n0.p n1.p
# triples
n0.p n1.p n2.p | s0.p n0.p n1.p | s0h.p s0.p n0.p | s0.p s0l.p n0.p | s0.p s0r.p n0.p
s0.p n0.p n0l.p
# valencies
s0.w s0.vr | s0.p s0.vr | s0.w s0.vl | s0.p s0.vl | n0.w n0.vl | n0.p n0.vl
# heads and children
s0h.w | s0h.p | s0.l | s0l.w | s0l.p | s0l.l | s0r.w | s0r.p | s0r.l | n0l.w | n0l.p | n0l.l
# third order
s0h2.w | s0h2.p | s0h.l | s0l2.w | s0l2.p | s0l2.l | s0r2.w | s0r2.p | s0r2.l
n0l2.w | n0l2.p | n0l2.l
s0.p s0l.p s0l2.p | s0.p s0r.p s0r2.p | s0.p s0h.p s0h2.p | n0.p n0l.p n0l2.p
# label sets
s0.w s0.sr | s0.p s0.sr | s0.w s0.sl | s0.p s0.sl | n0.w n0.sl | n0.p n0.sl
# morphology
s0.m | n0.m
"""
JOINT_TEMPLATES: Final = parse_table(_JOINT)
BRANCHING_TEMPLATES: Final = parse_table(_BRANCHING)
