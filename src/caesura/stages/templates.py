"""The compiler of feature templates: from lines of text to the integers that the core interprets.

A template joins atoms, as `s1.p s0.w b0.p` joins what is known of three words. A
component has a vocabulary, which lists the atoms and the slot of each; here templates are read from
a table, checked, put in groups and turned into rows of slots. The seed of a template
follows from its text, not from its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, UsageError

#: Most atoms that a template joins.
ARITY: Final = 4


def _alone(atoms: Sequence[str]) -> int:
    return 0


@dataclass(frozen=True)
class Vocabulary:
    """The atoms that templates of a component may name.

    `atoms` has the slot of each; `none` is the slot that fills a row up. `sign` stands between
    atoms (None: white space). `group` is the group of a template, of which there are `groups`.
    """

    atoms: Mapping[str, int]
    none: int
    arity: int = ARITY
    sign: str | None = None
    group: Callable[[Sequence[str]], int] = _alone
    groups: int = 1
    #: What an error says that there is (by default all atoms), and what kind of error it is.
    remedy: str = ""
    error: type[CaesuraError] = UsageError


#: Scores of so many features still fit into the 32 bits in which they are added.
_MOST: Final = 500


class Templates(NamedTuple):
    """Templates for the core: the slots that each joins and the seed of each.

    They come group after group; `ends` says where each group ends.
    """

    slots: NDArray[np.int32]
    seeds: NDArray[np.uint64]
    ends: NDArray[np.int64]


def parse_table(table: str) -> tuple[str, ...]:
    """The templates of a table: separated by `|` or line breaks, `#` starts a comment."""
    lines = (line.split("#", 1)[0] for line in table.splitlines())
    found = (" ".join(part.split()) for line in lines for part in line.split("|"))
    return tuple(dict.fromkeys(template for template in found if template))


def in_order(templates: Sequence[str], vocabulary: Vocabulary) -> tuple[list[str], list[int]]:
    """Templates as the core has them, group after group, and where each group ends."""
    groups = [vocabulary.group(template.split(vocabulary.sign)) for template in templates]
    order = sorted(range(len(templates)), key=groups.__getitem__)
    ends = [sum(group <= k for group in groups) for k in range(vocabulary.groups)]
    return [templates[n] for n in order], ends


def compile_templates(templates: Sequence[str], vocabulary: Vocabulary) -> Templates:
    """Slots and seeds of templates, group after group; unknown atoms are refused."""
    if len(templates) > _MOST:
        raise vocabulary.error(f"there are {len(templates)} templates, more than {_MOST}")
    templates, ends = in_order(templates, vocabulary)
    slots = np.full((len(templates), vocabulary.arity), vocabulary.none, np.int32)
    for row, template in enumerate(templates):
        names = template.split(vocabulary.sign)
        unknown = [name for name in names if name not in vocabulary.atoms]
        if unknown:
            raise vocabulary.error(
                f"template {template!r} names {unknown[0]!r}, which is no atom",
                remedy=vocabulary.remedy or f"Atoms are: {' '.join(vocabulary.atoms)}",
            )
        if not 1 <= len(names) <= vocabulary.arity:
            raise vocabulary.error(
                f"template {template!r} joins {len(names)} atoms, not 1 to {vocabulary.arity}",
                remedy="Write it with fewer atoms, or as several templates.",
            )
        slots[row, : len(names)] = [vocabulary.atoms[name] for name in names]
    return Templates(slots, string_hashes(templates), np.array(ends, np.int64))


def string_hashes(strings: Iterable[str]) -> NDArray[np.uint64]:
    """A 64-bit number for each string, the same everywhere and always; 0 for the empty string."""
    values = (
        int.from_bytes(
            blake2b(s.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
        )
        if s
        else 0
        for s in strings
    )
    return np.fromiter(values, np.uint64)
