"""Documents and trees as something to look at: terminal text, SVG, HTML, PNG, PDF."""

from __future__ import annotations

from caesura.render.html import (
    document_html,
    document_svg,
    found_html,
    page_html,
    sentence_html,
    sentence_svg,
)
from caesura.render.layout import LayoutOptions, lay_out
from caesura.render.svg import tree_svg
from caesura.render.terminal import document_text, sentence_text, tree_text
from caesura.render.tree import Tree, compare, tree_of

__all__ = [
    "LayoutOptions",
    "Tree",
    "compare",
    "document_html",
    "document_svg",
    "document_text",
    "found_html",
    "lay_out",
    "page_html",
    "sentence_html",
    "sentence_svg",
    "sentence_text",
    "tree_of",
    "tree_svg",
    "tree_text",
]
