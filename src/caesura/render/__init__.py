"""Documents and trees as something to look at."""

from __future__ import annotations

from caesura.render.html import document_html, sentence_html

__all__ = ["document_html", "sentence_html"]
