"""Documents as HTML: a fragment for notebooks, and a page of a whole document that needs nothing.

Everything that comes from a document is escaped. Boundaries are bars, low confidence is a warm
tint, and what differs between two analyses is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from caesura.document import Document
from caesura.render.layout import LayoutOptions, lay_out
from caesura.render.svg import FOUND, PAGE, PICTURE, stacked_svg, tint, tree_svg
from caesura.render.tree import Difference, Mark, compare, tree_of

if TYPE_CHECKING:
    from caesura.document import Sentence


#: A notebook shows so many sentences of a document, and draws so many trees.
SHOWN = 20
DRAWN = 5


def sentence_svg(sentence: Sentence, *, width: float = 940, alone: bool = True) -> str:
    """A sentence as one SVG picture."""
    return tree_svg(tree_of(sentence), LayoutOptions(width=width), alone=alone)


def document_svg(
    doc: Document, *, width: float = 940, shown: int | None = None, alone: bool = True
) -> str:
    """The trees of a document, or of its first sentences, as one SVG picture."""
    options = LayoutOptions(width=width)
    pictures = [lay_out(tree_of(sentence), options) for sentence in doc.sentences[:shown]]
    return stacked_svg(pictures, doc.id or "trees", alone=alone)


def sentence_html(sentence: Sentence) -> str:
    """A sentence for a notebook: its tree."""
    return f'<div style="overflow-x:auto">{tree_svg(tree_of(sentence))}</div>'


def document_html(doc: Document, *, shown: int = SHOWN, drawn: int = DRAWN) -> str:
    """A document for a notebook: its size, its sentences, the first of them with their trees."""
    name = f"<b>{_safe(doc.id)}</b> · " if doc.id else ""
    counts = f"{_count(doc.n_sentences, 'sentence')} · {_count(doc.n_words, 'word')}"
    if not doc.n_tokens:
        text = _safe(doc.text[:2000])
        return f'<div><p>{name}a text without tokens</p><p dir="auto">{text}</p></div>'
    has_trees = bool((doc.head >= 0).any())
    parts = [f"<div><p>{name}{counts}</p>"]
    for sentence in doc.sentences[:shown]:
        line = f'<span dir="auto">{_safe(sentence.text)}</span>'
        if has_trees and sentence.index < drawn:
            style = sentence.index == 0
            svg = tree_svg(tree_of(sentence), style=style)
            line = f'<div style="overflow-x:auto">{svg}</div>'
        parts.append(
            f"<p style='margin:.3em 0'><small>{sentence.index + 1}</small> {line}</p>"
            if not line.startswith("<div")
            else line
        )
    rest = doc.n_sentences - shown
    if rest > 0:
        parts.append(f"<p>… and {_count(rest, 'more sentence')}</p>")
    return "".join([*parts, "</div>"])


def page_html(
    documents: Iterable[Document],
    *,
    title: str = "Trees",
    others: Iterable[Document] | None = None,
    names: tuple[str, str] = ("first", "second"),
    width: float = 940,
) -> Iterator[str]:
    """A page of documents, in parts; with `others`, what differs from these is marked."""
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_safe(title)}</title><style>{PICTURE}{PAGE}</style></head>"
        f'<body class="caesura-page"><h1>{_safe(title)}</h1>\n'
    )
    yield _key(others is not None, names)
    options = LayoutOptions(width=width)
    if others is None:
        for number, doc in enumerate(documents):
            yield from _plain_document(doc, number, options)
    else:
        for number, (doc, other) in enumerate(zip(documents, others, strict=True)):
            yield from _compared_document(compare(doc, other), number, options, names)
    yield "</body></html>\n"


def found_html(
    found: Iterable[tuple[Sentence, Mapping[int, str], str]], *, title: str, width: float = 940
) -> Iterator[str]:
    """A page, in parts, of the sentences in which a pattern has found something.

    Each comes with the words that were found, by their numbers in the document and with their names
    in the pattern, and with a line that stands above its tree.
    """
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_safe(title)}</title><style>{PICTURE}{FOUND}{PAGE}</style></head>"
        f'<body class="caesura-page"><h1><code>{_safe(title)}</code></h1>\n'
    )
    options = LayoutOptions(width=width)
    for sentence, words, line in found:
        tree = tree_of(sentence, found=words)
        yield (
            f'<article><h3>{_name(sentence)}</h3><p dir="auto">{_safe(line)}</p>'
            f"{tree_svg(tree, options, style=False)}</article>\n"
        )
    yield "</body></html>\n"


def _key(compared: bool, names: tuple[str, str]) -> str:
    key = (
        '<p class="note key caesura"><b class="b">|</b>a sentence starts · less than '
        '<span class="k0">50%</span><span class="k1">70%</span><span class="k2">85%</span>'
        '<span class="k3">95%</span>sure of the arc or the boundary, where the file says'
    )
    if compared:
        key += (
            f' · <span class="d">differs</span>between {_safe(names[0])} and {_safe(names[1])}; '
            '<b class="b only">|</b>a boundary of one side only'
        )
    return key + "</p>\n"


def _title(doc: Document, number: int) -> str:
    counts = f"{_count(doc.n_sentences, 'sentence')}, {_count(doc.n_words, 'word')}"
    return f"<h2>{_safe(doc.id or f'Document {number + 1}')} <small>{counts}</small></h2>\n"


def _plain_document(doc: Document, number: int, options: LayoutOptions) -> Iterator[str]:
    yield _title(doc, number)
    yield _running_text(doc, f"d{number}", {}, frozenset(), frozenset())
    for sentence in doc.sentences:
        yield _article(sentence, number, options)


def _article(sentence: Sentence, number: int, options: LayoutOptions) -> str:
    return (
        f'<article id="d{number}s{sentence.index}"><h3>{_name(sentence)}</h3>'
        f"{tree_svg(tree_of(sentence), options, style=False)}</article>\n"
    )


def _compared_document(
    difference: Difference, number: int, options: LayoutOptions, names: tuple[str, str]
) -> Iterator[str]:
    doc = difference.left
    yield _title(doc, number)
    regions = difference.regions()
    differing = sum(not region.same for region in regions)
    told = f"{_count(differing, 'stretch', 'stretches')} of {len(regions)} differ"
    yield f'<p class="note">{"The two are the same." if difference.same else told}</p>\n'
    yield _running_text(
        doc, f"d{number}", difference.left_marks, difference.left_only, difference.right_only
    )
    for region in regions:
        if region.same:
            for sentence in region.left:
                yield _article(sentence, number, options)
            continue
        first = region.left[0].index if region.left else 0
        parts = [f'<article id="d{number}s{first}">']
        sides = (
            (names[0], region.left, difference.left_marks),
            (names[1], region.right, difference.right_marks),
        )
        for name, sentences, marks in sides:
            parts.append(f'<p class="side">{_safe(name)}</p>')
            for sentence in sentences:
                parts.append(tree_svg(tree_of(sentence, marks), options, style=False))
        yield "".join([*parts, "</article>\n"])


def _running_text(
    doc: Document,
    name: str,
    marks: Mapping[int, Mark],
    only_here: frozenset[int],
    only_there: frozenset[int],
) -> str:
    """The text with its boundaries; unsure and differing tokens are marked, sentences are links."""
    parts = ['<section class="text caesura" dir="auto">']
    starts, ends = doc.token_start.tolist(), doc.token_end.tolist()
    first_word = doc.first_word.tolist()
    sure = None if doc.arc_conf is None else doc.arc_conf.tolist()
    edge = None if doc.sent_conf is None else doc.sent_conf.tolist()
    at = 0
    for sentence in doc.sentences:
        parts.append(_safe(doc.text[at : sentence.start]))
        kinds = ["b"]
        if sentence.start in only_here:
            kinds.append("only")
        step = tint(edge[sentence.first_token]) if edge is not None else None
        if step is not None:
            kinds.append(f"k{step}")
        parts.append(f'<b class="{" ".join(kinds)}">|</b>')
        parts.append(f'<span class="s"><a href="#{name}s{sentence.index}">')
        at = sentence.start
        for token in range(sentence.first_token, sentence.last_token):
            parts.append(_safe(doc.text[at : starts[token]]))
            if starts[token] in only_there:
                parts.append('<b class="b only">¦</b>')
            at = ends[token]
            words = range(first_word[token], first_word[token + 1])
            parts.append(_token(_safe(doc.text[starts[token] : at]), words, sure, marks))
        parts.append("</a></span>")
    parts.append(_safe(doc.text[at:]))
    return "".join([*parts, "</section>\n"])


def _token(text: str, words: range, sure: list[float] | None, marks: Mapping[int, Mark]) -> str:
    kinds = []
    step = tint(min(sure[word] for word in words)) if sure is not None else None
    if step is not None:
        kinds.append(f"k{step}")
    if any(word in marks for word in words):
        kinds.append("d")
    return f'<span class="{" ".join(kinds)}">{text}</span>' if kinds else text


def _name(sentence: Sentence) -> str:
    return _safe(sentence.id or str(sentence.index + 1))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _safe(text: str | None) -> str:
    return escape(text or "", quote=True).replace("\x00", "�")
