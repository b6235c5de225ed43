"""The options of evalb, the customary scorer of phrase structure, and its parameter file.

Only what concerns the comparison is read from a parameter file: labels to delete, labels to
equate, and whether labels count. Punctuation is kept unless the file deletes it, and there is no
limit of length (Dridan & Oepen 2013, section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from caesura.errors import FormatError, InputError

__all__ = ["Evalb", "read_parameters"]

#: Keywords of evalb that do not change what matches.
IGNORED = frozenset(
    {
        "DEBUG",
        "MAX_ERROR",
        "CUTOFF_LEN",
        "DISC_ONLY",
        "DELETE_LABEL_FOR_LENGTH",
        "QUOTE_LABEL",
        "EQ_WORD",
        "DELETE_WORD",
    }
)


@dataclass(frozen=True)
class Evalb:
    """What is left out or taken for equal before spans are compared."""

    #: Phrases with these labels are dropped and their children kept; words with these tags are
    #: dropped, and with them the phrases that have no other word.
    delete: frozenset[str] = frozenset({"TOP", "-NONE-"})
    #: Pairs of labels that count as the same.
    equate: tuple[tuple[str, str], ...] = (("ADVP", "PRT"),)
    #: Cut labels at the first - or = that is not their first character.
    truncate: bool = True
    labelled: bool = True
    #: Lines of a parameter file that were understood and do not matter here.
    ignored: tuple[str, ...] = field(default=(), compare=False)

    def label(self, label: str) -> str:
        """The label as it is compared."""
        if self.truncate:
            for place, character in enumerate(label):
                if place and character in "-=":
                    # Labels such as -LRB- start with the mark and stay whole.
                    if label[0] not in "-=":
                        label = label[:place]
                    break
        for one, other in self.equate:
            if label == other:
                return one
        return label


#: Every node as it stands: what `--tuples` writes.
EVERYTHING = Evalb(delete=frozenset(), equate=(), truncate=False)


def read_parameters(path: str | Path) -> Evalb:
    """The options that a parameter file of evalb asks for."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError("the parameter file is not UTF-8", file=str(path)) from error
    delete: set[str] = set()
    equate: list[tuple[str, str]] = []
    ignored: list[str] = []
    found = Evalb()
    for number, line in enumerate(lines, start=1):
        words = line.split("#", 1)[0].split() if line.lstrip().startswith("#") else line.split()
        if not words:
            continue
        keyword, values = words[0], words[1:]
        wanted = {"DELETE_LABEL": 1, "EQ_LABEL": 2, "LABELED": 1}.get(keyword)
        if wanted is None:
            if keyword not in IGNORED:
                raise FormatError(
                    f"{keyword!r} is no parameter of evalb",
                    file=str(path),
                    line=number,
                    remedy="Parameters are: DELETE_LABEL, EQ_LABEL, LABELED, "
                    + ", ".join(sorted(IGNORED))
                    + ".",
                )
            ignored.append(line.strip())
            continue
        if len(values) < wanted:
            raise FormatError(
                f"{keyword} needs {wanted} value{'s' if wanted > 1 else ''}",
                file=str(path),
                line=number,
                remedy=f"Write for instance: {keyword} {'ADVP PRT' if wanted > 1 else 'TOP'}",
            )
        if keyword == "DELETE_LABEL":
            delete.update(values[:1])
        elif keyword == "EQ_LABEL":
            equate.append((values[0], values[1]))
        else:
            found = replace(found, labelled=values[0] != "0")
    return replace(found, delete=frozenset(delete), equate=tuple(equate), ignored=tuple(ignored))
