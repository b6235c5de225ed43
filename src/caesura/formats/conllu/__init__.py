"""CoNLL-U: ten columns, multi-word tokens, empty nodes, comments, documents and paragraphs.

The text of a document is its surface forms joined by what MISC and `# newpar` say. Everything else
stays as it is written, so that a file read and written again is the same, byte for byte. Without
`# newdoc` the whole file is one document.
"""

from __future__ import annotations

from caesura.formats.conllu.read import read
from caesura.formats.conllu.write import write

__all__ = ["read", "write"]
