"""CoNLL-U: ten columns, multi-word tokens, empty nodes, comments, documents and paragraphs.

The text of a document is its surface forms joined by what MISC and `# newpar` say. Everything else
stays as it is written, so that a file read and written again is the same, byte for byte. Without
`# newdoc` the whole file is one document.

CoNLL-X (2006) and CoNLL 2007 share the code: CPOSTAG and POSTAG are read as UPOS and XPOS, PHEAD
and PDEPREL are kept in MISC as `PHead` and `PDeprel`, and comments in the manner of CoNLL-U are
understood. Multi-word tokens and empty nodes are not written.
"""

from __future__ import annotations

from functools import partial

from caesura.formats.conllu.read import read_conllu
from caesura.formats.conllu.write import write_conllu

__all__ = ["read_conllu", "read_conllx", "write_conllu", "write_conllx"]

read_conllx = partial(read_conllu, x=True)
write_conllx = partial(write_conllu, x=True)
