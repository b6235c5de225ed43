"""Aligned tables of text, and elements and pages of HTML and SVG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

#: Characters that XML cannot hold.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def text_table(rows: Sequence[Sequence[str]], *, indent: int = 2, right: str = "") -> str:
    """Rows as aligned columns; `right` names columns to align right, e.g. "lrr"."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(" " * indent + "  ".join(cells).rstrip())
    return "\n".join(lines)


def html_table(rows: Iterable[Sequence[str]]) -> str:
    """Rows as a table, of which the first is the head."""
    lines = []
    for number, row in enumerate(rows):
        cells = (element("td" if number else "th", escape(cell)) for cell in row)
        lines.append(element("tr", "".join(cells)))
    return element("table", "".join(lines))


def safe(text: str) -> str:
    """A text as XML."""
    return escape(_CONTROL.sub("�", text))


def shown_text(text: str | None) -> str:
    """A text as HTML, which has a place for all characters but one."""
    return escape(text or "").replace("\x00", "�")


def element(name: str, content: str | None = None, /, **attributes: str | float | None) -> str:
    """An element around some markup; without content it closes itself.

    Attributes that are None are left out; fractions get one decimal; `cls` stands for `class`.
    """
    opening = name
    for key, value in attributes.items():
        if value is not None:
            shown = f"{value:.1f}" if isinstance(value, float) else safe(str(value))
            opening += f' {"class" if key == "cls" else key.replace("_", "-")}="{shown}"'
    return f"<{opening}/>" if content is None else f"<{opening}>{content}</{name}>"


def svg(
    width: int, height: int, title: str, body: str, *, style: str = "", cls: str | None = None
) -> str:
    """A picture; one with a class can be a file of its own."""
    return element(
        "svg",
        element("title", safe(title)) + (element("style", style) if style else "") + body,
        xmlns=None if cls is None else "http://www.w3.org/2000/svg",
        cls=cls,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=title,
    )


def page_start(title: str, style: str, *, cls: str | None = None) -> str:
    """The beginning of a page, up to its body; nothing is fetched."""
    body = "<body>" if cls is None else f'<body class="{cls}">'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{shown_text(title)}</title><style>{style}</style></head>{body}"
    )


PAGE_END: Final = "</body></html>\n"
