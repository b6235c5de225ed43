"""Universal rules: which universal tags head which, read from a small table that people can edit.

After Naseem, Chen, Barzilay & Johnson (2010). The rules become a pull on arcs and roots, or a
demand that a share of all arcs follows them (see `priors`); either way they only say what is
usual in every language, and the text decides what is usual in this one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caesura.errors import InputError, UsageError
from caesura.induce.parameters import Floats
from caesura.induce.priors import Harmony, Pull

#: The tables that come with the package.
BUILT_IN = ("ud", "function")
#: Universal tags of words; CONJ is that of version 1.
_WORDS = "ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN SCONJ SYM VERB X"
UPOS = frozenset(_WORDS.split())
#: Tags of version 1, by those of version 2.
OLD = {"CONJ": "CCONJ"}
ROOT = "ROOT"
ANY = "*"
#: Lines about sets of tags.
SETS = ("one-side", "harmony")
#: Whose sides lead where words of other tags are in harmony with them.
LEADERS, LED = ("VERB",), ("NOUN", "PROPN", "PRON")
SIDES = {"left": 0, "right": 1}
#: Pairs that weigh at least so much follow the rules.
FOLLOWS = 0.5


@dataclass(frozen=True, slots=True)
class Rules:
    """Rows of a table: head, dependent, weight, side (none for both); and two sets of tags."""

    name: str
    rows: tuple[tuple[str, str, float, int | None], ...]
    #: Tags that stand on one side of their heads, and tags that branch as verbs do.
    sided: frozenset[str] = frozenset()
    harmony: frozenset[str] = frozenset()

    def pull(self, names: Sequence[str]) -> Pull:
        """The weights over classes that are tags; an unknown tag weighs as any."""
        tags = [OLD.get(name, name) for name in names]
        size = len(tags)
        root, attach = np.ones(size), np.ones((2, size, size))

        def places(tag: str) -> np.ndarray:
            return np.array([tag in (ANY, name) for name in tags], dtype=bool)

        for head, dependent, weight, side in self.rows:
            below = places(dependent)
            if head in (ROOT, ANY) and side is None:
                root[below] = weight
            if head != ROOT:
                for at in (0, 1) if side is None else (side,):
                    attach[at][np.ix_(places(head), below)] = weight

        def among(chosen: Collection[str]) -> Floats:
            return np.array([float(ANY in chosen or tag in chosen) for tag in tags])

        follow = among(self.harmony)
        harmony = Harmony(among(LEADERS), among(LED), follow) if follow.any() else None
        return Pull(root, attach, among(self.sided), harmony)

    def followed(self, names: Sequence[str]) -> Pull:
        """One for roots and arcs that follow the rules, zero for the others."""
        weights = self.pull(names)
        return Pull(
            (weights.root >= FOLLOWS).astype(np.float64),
            (weights.attach >= FOLLOWS).astype(np.float64),
            weights.sided,
        )


def parse_rules(text: str, name: str = "rules", file: str | None = None) -> Rules:
    """Rules from the lines of a table; `ud.rules` describes the format."""
    rows: list[tuple[str, str, float, int | None]] = []
    sets: dict[str, set[str]] = {name: set() for name in SETS}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.partition("#")[0].split()
        if not cells:
            continue
        if cells[0] in SETS and len(cells) > 1:
            sets[cells[0]].update(c if c == ANY else _tag(c, file, number) for c in cells[1:])
            continue
        if len(cells) not in (3, 4) or (len(cells) == 4 and cells[3] not in SIDES):
            raise InputError(
                f"{line.strip()!r} is no rule",
                file=file,
                line=number,
                remedy="A rule is HEAD DEPENDENT WEIGHT and perhaps left or right.",
            )
        try:
            weight = float(cells[2])
        except ValueError:
            weight = float("nan")
        if not 0.0 < weight <= 1.0:
            raise InputError(
                f"the weight {cells[2]} is not above 0 and at most 1",
                file=file,
                line=number,
                remedy="Give 1 to what is usual and less to the rest.",
            )
        head = cells[0] if cells[0] in (ROOT, ANY) else _tag(cells[0], file, number)
        dependent = cells[1] if cells[1] == ANY else _tag(cells[1], file, number)
        rows.append((head, dependent, weight, SIDES[cells[3]] if len(cells) == 4 else None))
    if not rows:
        raise InputError("there is no rule in the file", file=file, remedy="Write at least one.")
    return Rules(name, tuple(rows), *(frozenset(sets[one]) for one in SETS))


def _tag(cell: str, file: str | None, number: int) -> str:
    tag = OLD.get(cell, cell)
    if tag not in UPOS:
        raise InputError(
            f"{cell!r} is no universal tag of words",
            file=file,
            line=number,
            remedy=f"Tags are: {', '.join(sorted(UPOS - OLD.keys()))}.",
        )
    return tag


def load_rules(name: str) -> Rules | None:
    """A table of the package by its name, or one in a file; nothing for `none`."""
    if name == "none":
        return None
    path = Path(__file__).parent / "rules" / f"{name}.rules" if name in BUILT_IN else Path(name)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"--rules {name}: no such table and no readable file",
            remedy=f"Tables are: {', '.join(BUILT_IN)}, none; or give a file of rules.",
        ) from error
    return parse_rules(text, name if name in BUILT_IN else path.name, str(path))


def are_universal(names: Sequence[str], counts: Sequence[int] | np.ndarray) -> bool:
    """Whether classes are universal tags: nineteen of twenty words have one."""
    known = np.array([name in UPOS for name in names], dtype=bool)
    total = float(np.sum(counts))
    return total > 0 and float(np.asarray(counts)[known].sum()) >= 0.95 * total
