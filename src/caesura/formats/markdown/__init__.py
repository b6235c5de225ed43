"""Markdown (read only): the text that a reader of the page sees, with inline elements as spans.

Blocks follow CommonMark 0.31 with the tables of GitHub, footnotes and a front matter, which is left
out. Headings, paragraphs, items, cells and code are paragraphs of the text; the HTML in the file
goes to the reader of HTML, which also folds blanks, so that a page reads alike in both formats.
"""

from __future__ import annotations

from caesura.formats.markdown.read import read

__all__ = ["read"]
