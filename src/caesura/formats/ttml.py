"""TTML (Timed Text Markup Language): its paragraphs as cues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from caesura.errors import FormatError
from caesura.formats.cues import Cue
from caesura.formats.options import ReadOptions
from caesura.formats.units import UNKNOWN, clock, span
from caesura.formats.xml_tree import local, parse_xml

__all__ = ["cues_of"]

_FRAMES: Final = re.compile(r"(\d+):(\d\d):(\d\d):(\d+(?:\.\d+)?)$")
_OFFSET: Final = re.compile(r"(\d{1,12}(?:\.\d+)?)(h|ms|m|s|f|t)$")
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_METADATA: Final = "{http://www.w3.org/ns/ttml#metadata}"
_PARAMETER: Final = "{http://www.w3.org/ns/ttml#parameter}"
_BLANKS: Final = re.compile(r"\s+")


def cues_of(text: str, options: ReadOptions) -> list[Cue]:
    """The cues of a file."""
    root = parse_xml(text, options)
    if local(root) != "tt":
        raise options.error(f"this is no TTML: its root is {local(root)!r}", 1, remedy="")
    frames = _number(root.get(f"{_PARAMETER}frameRate"), 30.0)
    ticks = _number(root.get(f"{_PARAMETER}tickRate"), frames)
    names = {}
    for agent in root.iter(f"{_METADATA}agent"):
        name = next(iter(agent.itertext()), "").strip()
        name = next((n for e in agent for n in e.itertext() if n.strip()), name).strip()
        names[agent.get("{http://www.w3.org/XML/1998/namespace}id", "")] = name
    found: list[Cue] = []
    for element, shift in _paragraphs(root, 0.0, frames, ticks):
        own = [one for one in element.iter() if local(one) == "span" and one.get("begin")]
        begin = _time(element.get("begin"), frames, ticks)
        end = _time(element.get("end"), frames, ticks)
        if end != end:
            end = begin + _time(element.get("dur"), frames, ticks)
        if begin != begin and own:  # times of its words alone
            begin = _time(own[0].get("begin"), frames, ticks)
            end = _time(own[-1].get("end"), frames, ticks)
        who = element.get(f"{_METADATA}agent")
        speaker = None if who is None else names.get(who) or who
        try:
            begin, end = span(begin + shift, end + shift, None, options)
        except FormatError as error:
            options.skip(error)
            continue
        found.append(Cue("".join(_text(element)), begin, end, speaker))
    return found


def _paragraphs(
    element: Element, shift: float, frames: float, ticks: float
) -> Iterator[tuple[Element, float]]:
    """The paragraphs, each with the beginning of the elements that it is in."""
    for child in element:
        if local(child) == "p":
            yield child, shift
        elif local(child) in ("body", "div"):
            begin = _time(child.get("begin"), frames, ticks)
            yield from _paragraphs(child, shift + (begin if begin == begin else 0.0), frames, ticks)


def _text(element: Element) -> Iterator[str]:
    if element.text:
        yield _BLANKS.sub(" ", element.text)
    for child in element:
        if local(child) == "br":
            yield "\n"
        elif local(child) != "metadata":
            yield from _text(child)
        if child.tail:
            yield _BLANKS.sub(" ", child.tail)


def _number(value: str | None, default: float) -> float:
    try:
        return max(float(value or default), 1e-3)
    except ValueError:
        return default


def _time(value: str | None, frames: float, ticks: float) -> float:
    """A time expression in seconds; NaN if there is none."""
    value = (value or "").strip()
    match = _FRAMES.match(value)
    if match:
        hours, minutes, seconds = (int(match[k]) for k in (1, 2, 3))
        return round(hours * 3600 + minutes * 60 + seconds + float(match[4]) / frames, 3)
    match = _OFFSET.match(value)
    if match:
        unit = {"f": 1 / frames, "t": 1 / ticks} | _SECONDS
        return round(float(match[1]) * unit[match[2]], 3)
    found = clock(value)
    return UNKNOWN if found is None else found
