"""Trees as PNG and PDF (extra `plot`): the same layout, painted by Matplotlib."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any, Final

from caesura.document import ROOT, UNKNOWN
from caesura.errors import MissingExtra
from caesura.render.layout import Box, Picture, Segment
from caesura.render.svg import tint

_INK: Final = "#1c1e21"
_LINE: Final = "#7a828c"
_COLOURS: Final = {"label": "#2f6f9f", "tag": "#6b7280", "root": "#a14f1a", "differs": "#b42318"}
_TINTS: Final = ("#f4b183", "#f8cba6", "#fbe0c6", "#fdf0e2")
#: Tried in turn for every letter; those that are not installed are passed over.
_FONTS: Final = (
    "DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei",
    "Arial Unicode MS", "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic",
    "Malgun Gothic", "Nirmala UI", "Segoe UI",
)  # fmt: skip
_SCALE: Final = 2.0


def pictures_image(pictures: Sequence[Picture], format: str) -> bytes:
    """Pictures below each other as one image: `png` (twice the size in pixels) or `pdf`."""
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.font_manager import fontManager
    except ImportError:
        raise MissingExtra("matplotlib", "plot", f"a picture as {format.upper()}") from None
    width = max((picture.width for picture in pictures), default=1.0)
    height = sum(picture.height + 16 for picture in pictures) or 1.0
    installed = set(fontManager.get_font_names())
    fonts = [name for name in _FONTS if name in installed]
    with matplotlib.rc_context({"font.family": fonts or ["sans-serif"], "pdf.fonttype": 42}):
        figure = Figure(figsize=(width / 72, height / 72))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(height, 0)
        axes.axis("off")
        y = 0.0
        for picture in pictures:
            _Painter(axes, picture, y).paint()
            y += picture.height + 16
        stream = io.BytesIO()
        with warnings.catch_warnings():
            # Letters that no installed font has are drawn as boxes.
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            # No date: the same picture gives the same bytes.
            metadata = {"CreationDate": None} if format == "pdf" else None
            figure.savefig(stream, format=format, dpi=72 * _SCALE, metadata=metadata)
    return stream.getvalue()


class _Painter:
    """Paints one picture into axes whose unit is a pixel of the layout."""

    def __init__(self, axes: Any, picture: Picture, y: float) -> None:
        self.axes = axes
        self.picture = picture
        self.y = y

    def paint(self) -> None:
        tree = self.picture.tree
        for row in self.picture.rows:
            for place, form in enumerate(row.forms):
                word = row.first + place
                step = tint(tree.arc_conf[word]) if tree.arc_conf is not None else None
                if step is not None:
                    self._rectangle(form, _TINTS[step])
                mark = tree.mark(word)
                self._text(form, _COLOURS["differs"] if mark is not None and mark.gone else _INK)
                if row.tags:
                    differs = mark is not None and mark.tag is not None
                    self._text(row.tags[place], _COLOURS["differs" if differs else "tag"])
            for a, b, y, box in row.groups:
                self._line([a, a, b, b], [y - 4, y, y, y - 4], _LINE)
                self._text(box, _COLOURS["tag"], style="italic")
            for segment in row.segments:
                self._segment(segment, row.floor)

    def _segment(self, segment: Segment, floor: float) -> None:
        tree = self.picture.tree
        head = tree.drawn_heads[segment.word]
        mark = tree.mark(segment.word)
        differs = mark is not None and mark.arc is not None
        colour = _COLOURS["differs"] if differs else _COLOURS["root"] if head == ROOT else _LINE
        a, b, y = segment.a, segment.b, segment.y
        if segment.stub:
            tip = (a + b) / 2
            self._line([tip, tip], [y, floor - 4], colour, dashed=head == UNKNOWN)
        else:
            xs = [*([] if segment.open_a else [a]), a, b, *([] if segment.open_b else [b])]
            ys = [*([] if segment.open_a else [floor]), y, y, *([] if segment.open_b else [floor])]
            self._line(xs, ys, colour)
            tip = a if segment.arrow == "a" else b
        if segment.arrow:
            bottom = floor + self.y
            self.axes.fill([tip - 3, tip + 3, tip], [bottom - 6, bottom - 6, bottom], color=colour)
        if segment.label is not None:
            plain = _COLOURS["root"] if head == ROOT else _COLOURS["label"]
            self._text(segment.label, colour if differs else plain)

    def _line(
        self, xs: Sequence[float], ys: Sequence[float], colour: str, *, dashed: bool = False
    ) -> None:
        moved = [y + self.y for y in ys]
        self.axes.plot(xs, moved, color=colour, lw=1.1, ls=":" if dashed else "-",
                       solid_joinstyle="round")  # fmt: skip

    def _text(self, box: Box, colour: str, **style: Any) -> None:
        if box.text:
            # A dollar sign would start a formula.
            self.axes.text(box.x, box.y + self.y, box.text, color=colour, fontsize=box.size,
                           ha="center", va="baseline", parse_math=False, **style)  # fmt: skip

    def _rectangle(self, box: Box, colour: str) -> None:
        xs = [box.left - 3, box.right + 3, box.right + 3, box.left - 3]
        top, bottom = box.top - 3 + self.y, box.top + box.size + 3 + self.y
        self.axes.fill(xs, [top, top, bottom, bottom], color=colour, lw=0)
