"""Feature templates as a readable table, compiled to the integers that the core interprets.

A template is a line of atoms: `s1.p s0.w b0.p` joins the tag of the second stack item, the form of
the first and the tag of the next word. The set is that of Zhang & Nivre (2011) mapped to
arc-standard, with the additions of Huang & Sagae (2010) and of the Bohnet line of parsers, and with
what decides a boundary: the words around it, paragraph breaks, speakers, the tokeniser's evidence,
the layout of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from caesura.stages import templates as learned
from caesura.stages.templates import Templates, Vocabulary, parse_table

#: Words that templates may look at: stack, buffer, their neighbours in the text, their children.
POSITIONS: Final = (
    "s0 s1 s2 b0 b1 b2 s0-1 s0+1 s1-1 s1+1 b0-1 b0-2 s0l s0l2 s0r s0r2 s1l s1l2 s1r s1r2".split()  # noqa: SIM905
)
#: What is known of a word: form, lower-cased form, tag, fine tag, word class, morphological
#: features, form and tag together, suffix.
COLUMNS: Final = ("w", "n", "p", "x", "c", "m", "wp", "e")
N_COLUMNS: Final = len(COLUMNS)
#: What is known of the state: labels of children, valencies and label sets of both sides,
#: distances, the two last transitions, words since the last start, flags, context before b0.
STATE: Final = (  # noqa: SIM905
    "none s0l.l s0l2.l s0r.l s0r2.l s1l.l s1l2.l s1r.l s1r2.l s0.vl s0.vr s1.vl s1.vr s0.sl s0.sr "
    "s1.sl s1.sr s1s0.d s0b0.d t1 t2 length flags break speaker evidence layout"
).split()
FIRST_STATE: Final = len(POSITIONS) * N_COLUMNS
N_SLOTS: Final = FIRST_STATE + len(STATE)
#: Groups of templates, see `_group`.
N_GROUPS: Final = 4
#: Groups for decoding with bytes, whose sums are exact in any order: see `_decoding_group`.
BUFFER, SECOND, WORD, TREE, PAIR, WHOLE = range(6)
N_DECODING: Final = 6

DEFAULT_TABLE: Final = """
# single words
s0.wp | s0.w | s0.p | s1.wp | s1.w | s1.p | b0.wp | b0.w | b0.p | s2.p | b1.w | b1.p | b2.w | b2.p
# pairs of the items under decision
s1.wp s0.wp | s1.wp s0.w | s1.wp s0.p | s1.w s0.wp | s1.p s0.wp | s1.w s0.w | s1.p s0.p
s0.wp b0.wp | s0.wp b0.w | s0.w b0.wp | s0.wp b0.p | s0.p b0.wp | s0.w b0.w | s0.p b0.p | b0.p b1.p
s1.p b0.p | s1.w b0.p | s1.p b0.w
# triples
s0.p b0.p b1.p | s1.p s0.p b0.p | s0.w b0.p b1.p | s1.p s0.w b0.p | s2.p s1.p s0.p | b0.p b1.p b2.p
s1.p s0.p s1l.p | s1.p s0.p s1r.p | s1.p s0.p s0l.p | s1.p s0.p s0r.p
s1.p s0.w s1l.p | s1.p s0.w s1r.p | s1.w s0.p b0.p
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
s1.p s0.p s0l.l | s1.p s0.p s0r.l | s1.p s0.p s1l.l | s1.p s0.p s1r.l
# label sets
s0.w s0.sr | s0.p s0.sr | s0.w s0.sl | s0.p s0.sl
s1.w s1.sr | s1.p s1.sr | s1.w s1.sl | s1.p s1.sl
# history
t1 | t1 t2 | t1 s0.p | t1 t2 s0.p s1.p
# neighbours in the text
s0-1.w | s0-1.p | s0+1.w | s0+1.p | s1-1.w | s1-1.p | s1+1.w | s1+1.p
s0-1.p s0.p s1.p | s0+1.p s0.p s1.p | s1-1.p s1.p s0.p | s1+1.p s1.p s0.p
# fine tags, morphology, classes, suffixes, lower-cased forms
s0.x | s1.x | b0.x | s1.x s0.x | s0.x b0.x | s1.x s0.x b0.x | s0.m | s1.m | b0.m | s1.m s0.m
s0.c | s1.c | b0.c | s1.c s0.c | s0.c b0.c | s0.n | s1.n | b0.n | s1.n s0.n | s0.e | s1.e | b0.e
s1.c s0.p | s1.p s0.c
# boundaries
b0-1.w | b0-1.p | b0-1.w b0.w | b0-1.p b0.p | b0-2.p b0-1.p b0.p b1.p | b0-1.w b0.p | b0-1.p b0.w
b0-1.n b0.n | b0-1.w b0.w b1.w | b0.w b1.w | b0.n b1.p | b0-1.w b0.x | b0-1.e b0.e
b0-2.w b0-1.w | b0-2.w b0-1.w b0.w | b0.w b1.w b2.w | b0-1.n b0.n b1.n | b0-2.p b0-1.p b0.p
b0-1.p b0.p b1.p b2.p | b0-1.p b0.p b1.p | b0-1.w b0.p b1.p | b0-1.p b0.w b1.p | b0-1.p b0.w b1.w
b0.w b1.p b2.p | b0-1.x b0.x | b0-1.x b0.x b1.x | b0.x b1.x b2.x | b0-1.w b0.w s1.p
s2.p s1.p s0.p b0.p | s1.sl s1.p s0.p b0.p | s1.sr s1.p s0.p b0.p | s0.sl s0.p b0.p b1.p
length b0.w | length b0-1.p b0.w
length | length b0-1.p b0.p | flags | flags t1 | flags s0.p b0.p | flags s1.p s0.p
break | break b0-1.p b0.p | break b0-1.w | break flags | speaker | speaker b0-1.w | speaker flags
evidence | evidence flags | evidence b0.p | evidence break b0-1.p
layout | layout b0-1.p b0.p | layout b0-1.w | layout b0.w | layout evidence | layout flags
"""


def atoms() -> dict[str, int]:
    """Every atom that a template may name, with its slot."""
    words = [f"{position}.{column}" for position in POSITIONS for column in COLUMNS]
    return {name: slot for slot, name in enumerate((*words, *STATE)) if name != "none"}


DEFAULT_TEMPLATES: Final = parse_table(DEFAULT_TABLE)


def without(templates: Sequence[str], columns: Iterable[str]) -> tuple[str, ...]:
    """The templates that name none of these columns of words or of the context."""
    absent = set(columns)

    def names(template: str) -> bool:
        return any(atom.split(".")[-1] in absent for atom in template.split())

    return tuple(template for template in templates if not names(template))


def _group(names: Sequence[str]) -> int:
    """The group of a template: it looks at the front of the buffer alone, at s1 alone, at s0 and
    the front of the buffer, or at more. Many states have the sums of the first three in common.
    """
    looked_at = {_source(atom) for atom in names}
    groups = ({"b"}, {"s1"}, {"s0", "b"})
    return next((k for k, sources in enumerate(groups) if looked_at <= sources), N_GROUPS - 1)


def _source(atom: str) -> str:
    """What an atom depends on: the front of the buffer, s0 (and the buffer), s1, or more."""
    if atom.startswith("b") or atom in ("speaker", "evidence", "layout"):
        return "b"
    return atom[:2] if atom.startswith("s0") or (atom.startswith("s1") and atom != "s1s0.d") else ""


def _decoding_group(names: Sequence[str]) -> int:
    """The group of a template by what it looks at.

    The front of the buffer; s1 with its children; the word s0, alone or with the buffer; s0 with
    its children, too; the words s1 and s0; or more. Which words are on top changes less often than
    their children do, and none of them with the last steps.
    """
    looked_at = {source for atom in names for source in _decoding_source(atom)}
    groups = ({"b"}, {"s1", "below s1"}, {"s0", "b"}, {"s0", "below s0", "b"}, {"s0", "s1"})
    return next((k for k, sources in enumerate(groups) if looked_at <= sources), WHOLE)


def _decoding_source(atom: str) -> tuple[str, ...]:
    """What an atom depends on, the children of a word apart from the word."""
    if atom in ("s1s0.d", "s0b0.d"):
        return ("s0", "s1") if atom == "s1s0.d" else ("s0", "b")
    source = _source(atom)
    if source in ("s0", "s1"):
        own = atom.split(".")[0] in (source, f"{source}-1", f"{source}+1")
        if not own or atom.split(".")[1] in ("vl", "vr", "sl", "sr"):
            return (f"below {source}",)
    return (source,)


@cache
def vocabulary(*, decoding: bool = False) -> Vocabulary:
    """What templates may name; with `decoding` they are grouped for that."""
    none = FIRST_STATE + STATE.index("none")
    names = atoms()
    if decoding:
        return Vocabulary(names, none, group=_decoding_group, groups=N_DECODING)
    return Vocabulary(names, none, group=_group, groups=N_GROUPS)


def compile_templates(templates: Sequence[str], *, decoding: bool = False) -> Templates:
    """Slots and seeds of templates."""
    return learned.compile_templates(templates, vocabulary(decoding=decoding))
