"""The features of the branching parser: the set of Zhang & Nivre (2011) without distances.

S0 is the top of the stack and N0 the next word, the two that a transition is about. Templates are
written as those of the joint parser, `s0.p n0.w n1.p`, and compiled to the integers that the core
interprets. Words below the top of the stack and in the deque tell crossing arcs apart; for
treebanks with two tag sets, all templates with tags are there twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from caesura.stages import templates as learned
from caesura.stages.joint_features import COLUMNS, N_COLUMNS
from caesura.stages.templates import Templates, Vocabulary, parse_table

#: Words that templates may look at: the pair, the next ones, heads and children, what is below the
#: top of the stack, what was passed last, and neighbours in the text.
POSITIONS: Final = tuple(
    "s0 n0 n1 n2 s0h s0h2 s0l s0l2 s0r s0r2 n0l n0l2 s1 s2 d0 n0-1 s0-1 s0+1 n0h".split()  # noqa: SIM905
)
#: What is known of the state: labels of words, valencies, label sets, the distance of the pair.
STATE: Final = tuple(
    (  # noqa: SIM905
        "none s0.l s0h.l s0l.l s0l2.l s0r.l s0r2.l n0.l n0l.l n0l2.l s0.vl s0.vr n0.vl s0.sl s0.sr "
        "n0.sl s0n0.d flags"
    ).split()
)
FIRST_STATE: Final = len(POSITIONS) * N_COLUMNS
N_SLOTS: Final = FIRST_STATE + len(STATE)

_TABLE: Final = """
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
# what crossing arcs need
s1.w | s1.p | d0.w | d0.p | s1.p s0.p n0.p | d0.p s0.p n0.p | n0.l | flags | flags s0.p n0.p
n0h.p n0.p s0.p
"""
#: What is added to the paper's set: morphology, word classes, lower-cased forms, suffixes,
#: neighbours in the text.
_MORE: Final = """
s0.m | n0.m | s0.m n0.m | s0.c | n0.c | s0.c n0.c | s0.n | n0.n | s0.n n0.n | s0.e | n0.e
s0.c n0.p | s0.p n0.c | s0.n n0.p | s0.p n0.n | n0-1.w | n0-1.p | s0+1.w | s0+1.p | s0-1.p
s0.p s0+1.p n0-1.p n0.p | s0.p n0-1.p n0.p | s0.p s0+1.p n0.p | s0-1.p s0.p n0.p
s1.p s0.p n0.p n1.p | s2.p s1.p s0.p n0.p | s0.w n0.p n1.p | s0.p n0.w n1.p | s0.p n0.p n1.w
s0h.w s0.w n0.w | s0h.w n0.w | s0h.p n0.w | s0h.w n0.p | s1.w n0.w | s1.w n0.p | s1.p n0.w
s0r.p s0.w n0.p | s0r.w n0.p | s0r.w n0.w | s0.l s0.p n0.p | s0r.l s0.p n0.p | s0.l n0.p
"""
DEFAULT_TEMPLATES: Final = parse_table(_TABLE + _MORE)


def templates_for(tags: Sequence[str], templates: Sequence[str]) -> tuple[str, ...]:
    """Templates for data with these tag columns.

    Where there is a second tag set, templates with tags are doubled; without tags or morphology,
    templates that name them are left out.
    """
    found = list(templates)
    if "upos" in tags and "xpos" in tags:
        for template in templates:
            atoms = template.split()
            if any(atom.endswith(".p") for atom in atoms):
                fine = [atom[:-1] + "x" if atom.endswith(".p") else atom for atom in atoms]
                found.append(" ".join(fine))
    missing = {".p": "upos", ".wp": "upos", ".x": "xpos", ".m": "feats"}
    gone = tuple(end for end, column in missing.items() if column not in tags)
    if "upos" not in tags and "xpos" in tags:
        found = [t.replace(".p", ".x").replace(".wp", ".w") for t in found]
        gone = tuple(end for end in gone if end == ".m")
    kept = (
        [t for t in found if not any(atom.endswith(gone) for atom in t.split())] if gone else found
    )
    return tuple(dict.fromkeys(kept))


_NAMES: Final = (*(f"{position}.{column}" for position in POSITIONS for column in COLUMNS), *STATE)
VOCABULARY: Final = Vocabulary(
    {name: slot for slot, name in enumerate(_NAMES) if name != "none"}, FIRST_STATE
)


def compile_templates(templates: Sequence[str]) -> Templates:
    """Slots and seeds of templates."""
    return learned.compile_templates(templates, VOCABULARY)
