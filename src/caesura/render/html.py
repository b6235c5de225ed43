"""A document or a sentence as an HTML table, for notebooks.

Everything that comes from the document is escaped; the style is inline, so that the table looks the
same wherever it is pasted.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from caesura.document import ROOT, Document

if TYPE_CHECKING:
    from caesura.views import Sentence

__all__ = ["document_html", "sentence_html"]

#: A notebook shows so many sentences of a document.
SHOWN = 20
_CELL = "text-align:left;padding:2px 10px 2px 0;border:0;vertical-align:top"
_NUMBER = "text-align:right;padding:2px 10px 2px 0;border:0;opacity:.6"
_COLUMNS = ("lemma", "upos", "xpos", "deprel")


def document_html(doc: Document, *, shown: int = SHOWN) -> str:
    """The sentences of a document, one a row."""
    name = f"<b>{escape(doc.id)}</b> · " if doc.id else ""
    counts = f"{doc.n_sentences:,} sentences · {doc.n_tokens:,} tokens · {doc.n_words:,} words"
    rows = [
        f'<tr><td style="{_NUMBER}">{sentence.index + 1}</td>'
        f'<td dir="auto" style="{_CELL}">{escape(sentence.text)}</td></tr>'
        for sentence in doc.sentences[:shown]
    ]
    if not doc.n_tokens and doc.text:
        rows = [f'<tr><td dir="auto" style="{_CELL}">{escape(doc.text[:2000])}</td></tr>']
    rest = doc.n_sentences - shown
    more = f"<p>… and {rest:,} more sentences</p>" if rest > 0 else ""
    return f"<div><p>{name}{counts}</p><table>{''.join(rows)}</table>{more}</div>"


def sentence_html(sentence: Sentence) -> str:
    """The words of a sentence, one a row, with the head that each hangs on."""
    filled = [name for name in _COLUMNS if any(getattr(word, name) for word in sentence)]
    has_heads = any(word.has_head for word in sentence)
    names = ["", "form", *filled, *(["head"] if has_heads else [])]
    head = "".join(f'<th style="{_CELL}">{name}</th>' for name in names)
    first = sentence.first_word
    rows = []
    for number, word in enumerate(sentence, 1):
        cells = [f'<td dir="auto" style="{_CELL}">{escape(word.form)}</td>']
        cells += [f'<td style="{_CELL}">{escape(getattr(word, name))}</td>' for name in filled]
        if has_heads:
            above = word.head
            if above is not None:
                text = f"{above.index - first + 1} {above.form}"
            else:
                text = "root" if word.head_index == ROOT else "?"
            cells.append(f'<td dir="auto" style="{_CELL}">{escape(text)}</td>')
        rows.append(f'<tr><td style="{_NUMBER}">{number}</td>{"".join(cells)}</tr>')
    title = f'<p dir="auto">{escape(sentence.text)}</p>'
    return f"<div>{title}<table><tr>{head}</tr>{''.join(rows)}</table></div>"
