"""CoNLL-X (2006) and CoNLL 2007: ten columns, of which the last are PHEAD and PDEPREL.

CPOSTAG and POSTAG are read as UPOS and XPOS. PHEAD and PDEPREL are kept in MISC as `PHead` and
`PDeprel`. Comments in the manner of CoNLL-U are understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from caesura.document import Document
from caesura.formats.conllu.read import read_rows
from caesura.formats.conllu.write import write_rows
from caesura.formats.options import ReadOptions, WriteOptions

__all__ = ["read", "write"]


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a CoNLL-X file, or their pieces."""
    return read_rows(stream, options, x=True)


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write documents as CoNLL-X; multi-word tokens and empty nodes are left out."""
    write_rows(documents, stream, options, x=True)
