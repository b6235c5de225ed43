"""Documents as HTML: a fragment for notebooks, and a page of a whole document that needs nothing.

Everything that comes from a document is escaped. Boundaries are bars, low confidence is a warm
tint, and what differs between two analyses is marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from caesura.document import Document
from caesura.markup import PAGE_END, element, page_start, shown_text
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


def sentence_html(sentence: Sentence, *, style: bool = True) -> str:
    """A sentence for a notebook: its tree."""
    return f'<div style="overflow-x:auto">{tree_svg(tree_of(sentence), style=style)}</div>'


def document_html(doc: Document, *, shown: int = SHOWN, drawn: int = DRAWN) -> str:
    """A document for a notebook: its size, its sentences, the first of them with their trees."""
    name = f"<b>{shown_text(doc.id)}</b> · " if doc.id else ""
    if not doc.n_tokens:
        text = shown_text(doc.text[:2000])
        return f'<div><p>{name}a text without tokens</p><p dir="auto">{text}</p></div>'
    parts = [f"<div><p>{name}{_size(doc, ' · ')}</p>"]
    trees = drawn if bool((doc.head >= 0).any()) else 0
    for sentence in doc.sentences[:shown]:
        if sentence.index < trees:
            parts.append(sentence_html(sentence, style=sentence.index == 0))
        else:
            parts.append(
                f"<p style='margin:.3em 0'><small>{sentence.index + 1}</small> "
                f'<span dir="auto">{shown_text(sentence.text)}</span></p>'
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
    """A page of documents, in parts; with `others`, the differences from these are marked."""
    yield page_start(title, PICTURE + PAGE, cls="caesura-page")
    yield f"<h1>{shown_text(title)}</h1>\n{_key(others is not None, names)}"
    options = LayoutOptions(width=width)
    pairs: Iterable[tuple[Document, Document | None]] = (
        ((doc, None) for doc in documents)
        if others is None
        else zip(documents, others, strict=True)
    )
    for number, (doc, other) in enumerate(pairs):
        difference = None if other is None else compare(doc, other)
        doc = doc if difference is None else difference.left
        name = shown_text(doc.id or f"Document {number + 1}")
        yield f"<h2>{name} <small>{_size(doc, ', ')}</small></h2>\n"
        if difference is not None:
            yield from _compared(difference, number, options, names)
            continue
        yield _running_text(doc, f"d{number}", {}, frozenset(), frozenset())
        for sentence in doc.sentences:
            yield _article(sentence, number, options)
    yield PAGE_END


def found_html(
    found: Iterable[tuple[Sentence, Mapping[int, str], str]], *, title: str, width: float = 940
) -> Iterator[str]:
    """A page, in parts, of the sentences in which a pattern has found something.

    Each comes with the words that were found, by their numbers in the document and with their names
    in the pattern, and with a line that stands above its tree.
    """
    yield page_start(title, PICTURE + FOUND + PAGE, cls="caesura-page")
    yield f"<h1><code>{shown_text(title)}</code></h1>\n"
    options = LayoutOptions(width=width)
    for sentence, words, line in found:
        tree = tree_svg(tree_of(sentence, found=words), options, style=False)
        above = f'<h3>{_name(sentence)}</h3><p dir="auto">{shown_text(line)}</p>'
        yield f"<article>{above}{tree}</article>\n"
    yield PAGE_END


def _key(compared: bool, names: tuple[str, str]) -> str:
    key = (
        '<p class="note key caesura"><b class="b">|</b>a sentence starts · less than '
        '<span class="k0">50%</span><span class="k1">70%</span><span class="k2">85%</span>'
        '<span class="k3">95%</span>sure of the arc or the boundary, where the file says'
    )
    if compared:
        first, second = map(shown_text, names)
        key += f' · <span class="d">differs</span>between {first} and {second}; '
        key += '<b class="b only">|</b>a boundary of one side only'
    return key + "</p>\n"


def _article(sentence: Sentence, number: int, options: LayoutOptions) -> str:
    tree = tree_svg(tree_of(sentence), options, style=False)
    name = f"d{number}s{sentence.index}"
    return f'<article id="{name}"><h3>{_name(sentence)}</h3>{tree}</article>\n'


def _compared(
    difference: Difference, number: int, options: LayoutOptions, names: tuple[str, str]
) -> Iterator[str]:
    regions = difference.regions()
    differing = _count(sum(not region.same for region in regions), "stretch", "stretches")
    note = f"{differing} of {len(regions)} differ"
    yield f'<p class="note">{"The two are the same." if difference.same else note}</p>\n'
    yield _running_text(
        difference.left,
        f"d{number}",
        difference.left_marks,
        difference.left_only,
        difference.right_only,
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
            parts.append(element("p", shown_text(name), cls="side"))
            parts += (tree_svg(tree_of(one, marks), options, style=False) for one in sentences)
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
        parts.append(shown_text(doc.text[at : sentence.start]))
        kind = "b" + " only" * (sentence.start in only_here)
        kind += _tinted(edge[sentence.first_token] if edge is not None else None)
        parts.append(element("b", "|", cls=kind))
        parts.append(f'<span class="s"><a href="#{name}s{sentence.index}">')
        at = sentence.start
        for token in range(sentence.first_token, sentence.last_token):
            parts.append(shown_text(doc.text[at : starts[token]]))
            if starts[token] in only_there:
                parts.append('<b class="b only">¦</b>')
            at = ends[token]
            words = range(first_word[token], first_word[token + 1])
            kind = _tinted(min(sure[word] for word in words) if sure is not None else None)
            kind += " d" * any(word in marks for word in words)
            text = shown_text(doc.text[starts[token] : at])
            parts.append(element("span", text, cls=kind.strip()) if kind else text)
        parts.append("</a></span>")
    parts.append(shown_text(doc.text[at:]))
    return "".join([*parts, "</section>\n"])


def _tinted(confidence: float | None) -> str:
    """The class of a confidence, behind others."""
    step = tint(confidence)
    return "" if step is None else f" k{step}"


def _name(sentence: Sentence) -> str:
    return shown_text(sentence.id or str(sentence.index + 1))


def _size(doc: Document, between: str) -> str:
    return _count(doc.n_sentences, "sentence") + between + _count(doc.n_words, "word")


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
