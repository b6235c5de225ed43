"""XML files as trees, without entities of their own."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree

from caesura.formats.options import ReadOptions

_DECLARATION: Final = re.compile(r"<!ENTITY|<!DOCTYPE[^>]*\[")
_HEAD: Final = 100_000


def parse_xml(text: str, options: ReadOptions) -> ElementTree.Element:
    """The root of a file; a damaged one is one sentence with line and column."""
    if _DECLARATION.search(text, 0, _HEAD):
        raise options.error(
            "this XML declares entities, which are not read", 1, remedy="Resolve them first."
        )
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        line, column = getattr(error, "position", (1, 0))
        what = str(error).partition(":")[0]
        raise options.error(
            f"this is no XML ({what})", line, column + 1, remedy="Get the whole file again."
        ) from None


def local(element: ElementTree.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
