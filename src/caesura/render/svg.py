"""A tree as SVG: arcs above the words, drawn from a layout; nothing fetched, nothing executed."""

from __future__ import annotations

import re
from html import escape

from caesura.document import ROOT, UNKNOWN
from caesura.render.layout import LayoutOptions, lay_out
from caesura.render.picture import Box, Picture, Segment
from caesura.render.style import FOUND, PICTURE, PICTURE_ALONE
from caesura.render.tree import Tree

#: Characters that XML cannot hold.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LIMITS = (0.5, 0.7, 0.85, 0.95)
_CORNER = 6.0


def safe(text: str) -> str:
    """A text as XML."""
    return escape(_CONTROL.sub("�", text), quote=True)


def tint(confidence: float | None) -> int | None:
    """The strength of the tint of a confidence: 0 (unsure) to 3, None for sure or unknown."""
    if confidence is None or confidence != confidence:
        return None
    return next((step for step, limit in enumerate(_LIMITS) if confidence < limit), None)


def tree_svg(
    tree: Tree, options: LayoutOptions | None = None, *, style: bool = True, alone: bool = False
) -> str:
    """A tree as one SVG element.

    Without `style` the rules for its classes must be on the page; `alone` makes it a file.
    """
    return picture_svg(lay_out(tree, options), style=style, alone=alone)


def picture_svg(picture: Picture, *, style: bool = True, alone: bool = False) -> str:
    """A layout as one SVG element."""
    return _element(
        picture.width,
        picture.height,
        picture.tree.text or " ".join(picture.tree.forms),
        _body(picture),
        style=style,
        alone=alone,
        found=picture.tree.found is not None,
    )


def stacked_svg(
    pictures: list[Picture], title: str, *, style: bool = True, alone: bool = False
) -> str:
    """Several trees below each other in one element."""
    y, parts = 0.0, []
    for picture in pictures:
        parts.append(f'<g transform="translate(0 {y:.1f})">{_body(picture)}</g>')
        y += picture.height + 16
    width = max((picture.width for picture in pictures), default=1.0)
    found = any(picture.tree.found is not None for picture in pictures)
    height = max(y - 16, 1)
    return _element(width, height, title, "".join(parts), style=style, alone=alone, found=found)


def _element(
    width: float, height: float, title: str, body: str, *, style: bool, alone: bool, found: bool
) -> str:
    more = (FOUND if found else "") + (PICTURE_ALONE if alone else "")
    rules = f"<style>{PICTURE}{more}</style>" if style else ""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    name = safe(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="caesura" {size} role="img" '
        f'aria-label="{name}"><title>{name}</title>{rules}{body}</svg>'
    )


def _body(picture: Picture) -> str:
    parts: list[str] = []
    tree = picture.tree
    for row in picture.rows:
        for place, form in enumerate(row.forms):
            word = row.first + place
            parts.append(_word(picture, word, form, row.tags[place] if row.tags else None))
        for a, b, y, box in row.groups:
            parts.append(
                f'<path class="line" d="M{a:.1f} {y - 4:.1f}V{y:.1f}H{b:.1f}V{y - 4:.1f}"/>'
                + _text("surface", box, picture.right_to_left)
            )
        for segment in row.segments:
            parts.append(_segment(tree, segment, row.floor))
    return "".join(parts)


def _text(kind: str, box: Box, mirrored: bool = False) -> str:
    if not box.text:
        return ""
    way = ' direction="rtl"' if mirrored else ""
    return f'<text class="{kind}" x="{box.x:.1f}" y="{box.y:.1f}"{way}>{safe(box.text)}</text>'


def _word(picture: Picture, word: int, form: Box, tag: Box | None) -> str:
    tree = picture.tree
    mark = tree.mark(word)
    parts = [f"<title>{safe(describe(tree, word))}</title>"]
    confidence = tree.arc_conf[word] if tree.arc_conf is not None else None
    step = tint(confidence)
    if step is not None:
        parts.append(
            f'<rect class="tint t{step}" x="{form.left - 3:.1f}" y="{form.top - 3:.1f}" '
            f'width="{form.width + 6:.1f}" height="{form.size + 6:.1f}" rx="4"/>'
        )
    if tree.is_found(word):
        parts.append(
            f'<rect class="hit" x="{form.left - 4:.1f}" y="{form.top - 4:.1f}" '
            f'width="{form.width + 8:.1f}" height="{form.size + 8:.1f}" rx="4"/>'
        )
    parts.append(_text("form", form, picture.right_to_left))
    if tag is not None:
        differs = mark is not None and mark.tag is not None
        parts.append(_text("tag differs" if differs else "tag", tag))
    gone = " gone" if mark is not None and mark.gone else ""
    gone += " found" if tree.is_found(word) else ""
    return f'<g class="word{gone}" data-word="{word}">{"".join(parts)}</g>'


def describe(tree: Tree, word: int) -> str:
    """A word in words: its tag, its arc, how sure they are, what differs, what found it."""
    head = tree.drawn_heads[word]
    parts = [tree.forms[word]]
    if tree.tags[word]:
        sure = _percent(tree.tag_conf[word]) if tree.tag_conf is not None else ""
        parts.append(tree.tags[word] + sure)
    if head == ROOT:
        arc = tree.labels[word] or "root"
    elif head == UNKNOWN:
        arc = "head unknown"
    else:
        arc = f"{tree.labels[word] or 'depends'} ← {tree.forms[head]}"
    sure = _percent(tree.arc_conf[word]) if tree.arc_conf is not None and head != UNKNOWN else ""
    parts.append(arc + sure)
    mark = tree.mark(word)
    if mark is not None:
        parts.append(str(mark))
    if tree.found is not None and tree.is_found(word):
        name = tree.found[word]
        parts.append(f"found as {name}" if name else "found")
    return " · ".join(parts)


def _percent(confidence: float) -> str:
    return f" {100 * confidence:.0f}%" if confidence == confidence else ""


def _segment(tree: Tree, segment: Segment, floor: float) -> str:
    head = tree.drawn_heads[segment.word]
    kinds = ["arc"]
    if head == ROOT:
        kinds.append("root")
    elif head == UNKNOWN:
        kinds.append("unknown")
    mark = tree.mark(segment.word)
    if mark is not None and mark.arc is not None:
        kinds.append("differs")
    if tree.is_found(segment.word) and tree.is_found(head):
        kinds.append("found")
    y, a, b = segment.y, segment.a, segment.b
    if segment.stub:
        x = (a + b) / 2
        path, tip = f"M{x:.1f} {y:.1f}V{floor - 4:.1f}", x
    else:
        path = _arc(segment, floor)
        tip = a if segment.arrow == "a" else b
    arrow = ""
    if segment.arrow:
        arrow = f'<path class="tip" d="M{tip - 3:.1f} {floor - 6:.1f}h6l-3 6z"/>'
    label = _text("label", segment.label) if segment.label is not None else ""
    return (
        f'<g class="{" ".join(kinds)}" data-word="{segment.word}">'
        f'<path class="line" d="{path}"/>{arrow}{label}</g>'
    )


def _arc(segment: Segment, floor: float) -> str:
    y, a, b = segment.y, segment.a, segment.b
    corner = min(_CORNER, (b - a) / 2)
    if segment.open_a:
        path = f"M{a:.1f} {y:.1f}"
    else:
        start = floor - (4 if segment.arrow == "a" else 0)
        path = f"M{a:.1f} {start:.1f}V{y + corner:.1f}Q{a:.1f} {y:.1f} {a + corner:.1f} {y:.1f}"
    if segment.open_b:
        return f"{path}H{b:.1f}"
    end = floor - (4 if segment.arrow == "b" else 0)
    return f"{path}H{b - corner:.1f}Q{b:.1f} {y:.1f} {b:.1f} {y + corner:.1f}V{end:.1f}"
