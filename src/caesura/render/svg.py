"""A tree as SVG: arcs above the words, drawn from a layout; nothing fetched, nothing executed.

Pictures take their ink from what surrounds them (`currentColor`) unless they stand alone.
"""

from __future__ import annotations

from typing import Final

from caesura.document import ROOT, UNKNOWN
from caesura.markup import element, safe, svg
from caesura.render.layout import Box, LayoutOptions, Picture, Segment, lay_out
from caesura.render.tree import Tree

#: Rules for trees; every selector is tied to `.caesura`, since a notebook is one page.
PICTURE: Final = """
.caesura{--c-line:#7a828c;--c-label:#2f6f9f;--c-tag:#6b7280;--c-root:#a14f1a;--c-diff:#b42318;
--c-diff-fill:#fde3df;--c-t0:#f4b183;--c-t1:#f8cba6;--c-t2:#fbe0c6;--c-t3:#fdf0e2;max-width:100%;
height:auto}
@media (prefers-color-scheme:dark){.caesura{--c-line:#8b949e;--c-label:#79b8e8;--c-tag:#9aa4af;
--c-root:#e39a63;--c-diff:#ff8a7a;--c-diff-fill:#59221c;--c-t0:#8a4b1c;--c-t1:#6b3d1b;--c-t2:#4e301b;
--c-t3:#38261a}}
.caesura text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;
text-anchor:middle;fill:currentColor}
.caesura .form{font-size:15px}.caesura .tag{font-size:10.5px;fill:var(--c-tag)}
.caesura .surface{font-size:11.5px;font-style:italic;fill:var(--c-tag)}
.caesura .label{font-size:11px;fill:var(--c-label)}
.caesura .line{fill:none;stroke:var(--c-line);stroke-width:1.2}
.caesura .tip{fill:var(--c-line);stroke:none}
.caesura .root .line{stroke:var(--c-root)}.caesura .root .tip{fill:var(--c-root)}
.caesura .root .label{fill:var(--c-root)}.caesura .unknown .line{stroke-dasharray:3 3}
.caesura .differs .line{stroke:var(--c-diff);stroke-width:1.8}.caesura .differs .tip,
.caesura .differs .label,.caesura .tag.differs{fill:var(--c-diff)}
.caesura .gone .form{fill:var(--c-diff);text-decoration:underline}
.caesura .tint{stroke:none}.caesura .t0{fill:var(--c-t0)}.caesura .t1{fill:var(--c-t1)}
.caesura .t2{fill:var(--c-t2)}.caesura .t3{fill:var(--c-t3)}
""".replace("\n", "")

#: For pictures in which a pattern has found something: its words, and the arcs between them.
FOUND: Final = """
.caesura{--c-hit:#ffe08a;--c-hit-line:#9a6700}
@media (prefers-color-scheme:dark){.caesura{--c-hit:#5c4813;--c-hit-line:#e3b341}}
.caesura .hit{fill:var(--c-hit);stroke:var(--c-hit-line);stroke-width:1}
.caesura .arc.found .line{stroke:var(--c-hit-line);stroke-width:2}
.caesura .arc.found .tip,.caesura .arc.found .label{fill:var(--c-hit-line)}
""".replace("\n", "")

#: For a picture that is a file of its own: ink on whatever paper the viewer has.
PICTURE_ALONE: Final = (
    ".caesura{color:#1c1e21}@media (prefers-color-scheme:dark){.caesura{color:#e4e6ea}}"
)

PAGE: Final = """
:root{color-scheme:light dark;--ink:#1c1e21;--paper:#fff;--soft:#66707a;--rule:#d8dce1;
--card:#f6f7f9;--mark:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#15171a;--soft:#9aa1aa;
--rule:#363b42;--card:#1d2024;--mark:#ff8a7a}}
body{font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);
background:var(--paper);max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}p.note{color:var(--soft)}
section.text{line-height:2;white-space:pre-wrap}
.s{border-bottom:2px solid var(--rule);padding-bottom:2px}.s a{color:inherit;text-decoration:none}
.b{color:var(--soft);font-weight:600;padding:0 .15em}.b.only{color:var(--mark)}
.k0{background:var(--c-t0)}.k1{background:var(--c-t1)}.k2{background:var(--c-t2)}
.k3{background:var(--c-t3)}.k0,.k1,.k2,.k3{border-radius:3px}
.d{text-decoration:underline 2px var(--mark)}
article{border-top:1px solid var(--rule);padding:.6rem 0;overflow-x:auto}
article h3{font-size:.85rem;font-weight:600;color:var(--soft);margin:.2rem 0}
article p{margin:.2rem 0 .6rem}.side{color:var(--soft);font-size:.85rem;margin:.5rem 0 0}
.key span{padding:0 .5em;margin-right:.4em}
""".replace("\n", "")


#: Below these confidences a tint is strong, medium, weak and very weak.
_LIMITS = (0.5, 0.7, 0.85, 0.95)
_CORNER = 6.0


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
    picture = lay_out(tree, options)
    title = tree.text or " ".join(tree.forms)
    return _svg([picture], picture.height, title, _body(picture), style=style, alone=alone)


def stacked_svg(
    pictures: list[Picture], title: str, *, style: bool = True, alone: bool = False
) -> str:
    """Several trees below each other in one element."""
    y, parts = 0.0, []
    for picture in pictures:
        parts.append(element("g", _body(picture), transform=f"translate(0 {y:.1f})"))
        y += picture.height + 16
    return _svg(pictures, max(y - 16, 1), title, "".join(parts), style=style, alone=alone)


def _svg(
    pictures: list[Picture], height: float, title: str, body: str, *, style: bool, alone: bool
) -> str:
    width = max((picture.width for picture in pictures), default=1.0)
    found = any(picture.tree.found is not None for picture in pictures)
    rules = PICTURE + (FOUND if found else "") + (PICTURE_ALONE if alone else "")
    return svg(
        round(width), round(height), title, body, style=rules if style else "", cls="caesura"
    )


def _body(picture: Picture) -> str:
    parts: list[str] = []
    for row in picture.rows:
        for place, form in enumerate(row.forms):
            word = row.first + place
            parts.append(_word(picture, word, form, row.tags[place] if row.tags else None))
        for a, b, y, box in row.groups:
            path = f"M{a:.1f} {y - 4:.1f}V{y:.1f}H{b:.1f}V{y - 4:.1f}"
            parts.append(element("path", cls="line", d=path))
            parts.append(_text("surface", box, picture.right_to_left))
        parts += (_segment(picture.tree, segment, row.floor) for segment in row.segments)
    return "".join(parts)


def _text(kind: str, box: Box | None, mirrored: bool = False) -> str:
    if box is None or not box.text:
        return ""
    way = "rtl" if mirrored else None
    return element("text", safe(box.text), cls=kind, x=box.x, y=box.y, direction=way)


def _frame(kind: str, box: Box, air: int) -> str:
    """A rectangle around a text."""
    x, y, width, height = box.left - air, box.top - air, box.width + 2 * air, box.size + 2 * air
    return element("rect", cls=kind, x=x, y=y, width=width, height=height, rx=4)


def _word(picture: Picture, word: int, form: Box, tag: Box | None) -> str:
    tree = picture.tree
    mark = tree.mark(word)
    parts = [element("title", safe(describe(tree, word)))]
    step = tint(tree.arc_conf[word] if tree.arc_conf is not None else None)
    if step is not None:
        parts.append(_frame(f"tint t{step}", form, 3))
    if tree.is_found(word):
        parts.append(_frame("hit", form, 4))
    parts.append(_text("form", form, picture.right_to_left))
    differs = mark is not None and mark.tag is not None
    parts.append(_text("tag differs" if differs else "tag", tag))
    kind = "word" + " gone" * (mark is not None and mark.gone) + " found" * tree.is_found(word)
    return element("g", "".join(parts), cls=kind, data_word=word)


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
    mark = tree.mark(segment.word)
    kind = "arc" + {ROOT: " root", UNKNOWN: " unknown"}.get(head, "")
    kind += " differs" * (mark is not None and mark.arc is not None)
    kind += " found" * (tree.is_found(segment.word) and tree.is_found(head))
    a, b = segment.a, segment.b
    if segment.stub:
        tip = (a + b) / 2
        path = f"M{tip:.1f} {segment.y:.1f}V{floor - 4:.1f}"
    else:
        tip = a if segment.arrow == "a" else b
        path = _arc(segment, floor)
    parts = [element("path", cls="line", d=path)]
    if segment.arrow:
        parts.append(element("path", cls="tip", d=f"M{tip - 3:.1f} {floor - 6:.1f}h6l-3 6z"))
    parts.append(_text("label", segment.label))
    return element("g", "".join(parts), cls=kind, data_word=segment.word)


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
