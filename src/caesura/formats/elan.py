"""ELAN: annotations of tiers as cues; sentences are written back as dependent tiers.

The transcription is in the top-level tiers with times; one whose annotations hold no words, such as
a tier of numbers, is replaced by its first dependent tier with words. The writer copies the file
that a document was read from and inserts tiers, so that all else stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from caesura.document import Document
from caesura.errors import InputError
from caesura.formats.html_tokens import unescape
from caesura.formats.io import blocks, open_read
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.units import (
    SENTENCES,
    UNKNOWN,
    Unit,
    document,
    free_name,
    in_time,
    parts_of_sentences,
)
from caesura.formats.xml_tree import parse_xml

__all__ = ["read", "write"]

_TYPE: Final = "caesura-sentences"
_WORDS: Final = re.compile(r"[^\W\d_]{2}|[\u0e00-\uffff]")


@dataclass(slots=True)
class _Annotation:
    id: str
    text: str
    begin: float
    end: float


@dataclass(slots=True)
class _Tier:
    name: str
    speaker: str
    parent: str
    annotations: list[_Annotation] = field(default_factory=list)


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The document of a file."""
    text = "".join(block for block, _ in blocks(stream, options))
    yield document((unit for unit, _, _ in _units(text, options)), options)


def _units(text: str, options: ReadOptions) -> list[tuple[Unit, _Tier, _Annotation]]:
    """The cues of a file by time, with their tiers and annotations."""
    root = parse_xml(text, options)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise options.error(f"this is no ELAN file: its root is {root.tag!r}", 1, remedy="")
    tiers = _tiers(root, options)
    found = []
    for tier in tiers.values():
        if tier.parent or tier.name.endswith(SENTENCES):
            continue
        chosen = tier
        if not any(_WORDS.search(one.text) for one in tier.annotations):
            others = [one for one in tiers.values() if one.parent == tier.name]
            chosen = next(
                (one for one in others if any(_WORDS.search(a.text) for a in one.annotations)), tier
            )
        for one in chosen.annotations:
            if one.text.strip():
                unit = Unit(one.text, tier.speaker or tier.name, one.begin, one.end)
                found.append((unit, chosen, one))
    return in_time(found)


def _tiers(root: Element, options: ReadOptions) -> dict[str, _Tier]:
    slots = {}
    for slot in root.iter("TIME_SLOT"):
        value = slot.get("TIME_VALUE", "")
        known = value.isascii() and value.isdigit() and len(value) < 13
        slots[slot.get("TIME_SLOT_ID", "")] = int(value) / 1000 if known else UNKNOWN
    tiers: dict[str, _Tier] = {}
    by_id: dict[str, _Annotation] = {}
    for element in root.iter("TIER"):
        name = element.get("TIER_ID", "")
        tier = _Tier(name, element.get("PARTICIPANT", ""), element.get("PARENT_REF", ""))
        if name in tiers:
            raise options.error(f"there are two tiers {name!r}", remedy="Rename one of them.")
        tiers[name] = tier
        for one in element.iter("ALIGNABLE_ANNOTATION"):
            begin = slots.get(one.get("TIME_SLOT_REF1", ""), UNKNOWN)
            end = slots.get(one.get("TIME_SLOT_REF2", ""), UNKNOWN)
            end = UNKNOWN if end < begin else end
            text = one.findtext("ANNOTATION_VALUE") or ""
            made = _Annotation(one.get("ANNOTATION_ID", ""), text, begin, end)
            tier.annotations.append(made)
            by_id[made.id] = made
    for element in root.iter("TIER"):
        for one in element.iter("REF_ANNOTATION"):
            parent = by_id.get(one.get("ANNOTATION_REF", ""))
            begin, end = (parent.begin, parent.end) if parent else (UNKNOWN, UNKNOWN)
            text = one.findtext("ANNOTATION_VALUE") or ""
            made = _Annotation(one.get("ANNOTATION_ID", ""), text, begin, end)
            tiers[element.get("TIER_ID", "")].annotations.append(made)
            by_id.setdefault(made.id, made)
    return tiers


# -------------------------------------------------------------------- writing


def write(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """The files of documents with a tier of sentences for each tier of the transcription."""
    docs = list(documents)
    if len(docs) != 1 or not (docs[0].source or "").lower().endswith(".eaf"):
        raise InputError(
            "an ELAN file is written from the one document of an ELAN file",
            file=options.file,
            remedy="Parse an .eaf file, or write another format.",
        )
    (doc,) = docs
    source = doc.source or ""
    reading = ReadOptions(file=source)
    with open_read(source) as raw:
        text = "".join(block for block, _ in blocks(raw, reading, keep_crlf=True))
    units = _units(text, reading)
    parts = parts_of_sentences(doc, [unit for unit, _, _ in units], source)
    rows: dict[str, list[tuple[_Annotation, list[str]]]] = {}
    tiers = {}
    for (_, tier, annotation), inside in zip(units, parts, strict=True):
        tiers[tier.name] = tier
        rows.setdefault(tier.name, []).append((annotation, inside))
    used = [int(n) for n in re.findall(r'ANNOTATION_ID="a(\d{1,15})"', text)]
    used += [int(n) for n in re.findall(r'NAME="lastUsedAnnotationId">(\d{1,15})<', text)]
    last = max(used, default=0)
    out = []
    for name, own in rows.items():
        lines, last = _tier(tiers[name], own, last, text)
        out += lines
    stream.write(_inserted(text, "\n".join(out), last).encode("utf-8"))


def _tier(
    tier: _Tier, rows: list[tuple[_Annotation, list[str]]], last: int, text: str
) -> tuple[list[str], int]:
    """A dependent tier, in which an annotation for each part of a sentence refers to its parent."""
    name = free_name(tier.name, map(unescape, re.findall(r'TIER_ID="([^"]*)"', text)))
    speaker = f" PARTICIPANT={quoteattr(tier.speaker)}" if tier.speaker else ""
    out = [
        f'    <TIER LINGUISTIC_TYPE_REF="{_TYPE}" PARENT_REF={quoteattr(tier.name)}{speaker} '
        f"TIER_ID={quoteattr(name)}>"
    ]
    for annotation, parts in rows:
        before = ""
        for part in parts:
            last += 1
            out += [
                "        <ANNOTATION>",
                f'            <REF_ANNOTATION ANNOTATION_ID="a{last}" '
                f"ANNOTATION_REF={quoteattr(annotation.id)}{before}>",
                f"                <ANNOTATION_VALUE>{escape(part)}</ANNOTATION_VALUE>",
                "            </REF_ANNOTATION>",
                "        </ANNOTATION>",
            ]
            before = f' PREVIOUS_ANNOTATION="a{last}"'
    return [*out, "    </TIER>"], last


def _inserted(text: str, tiers: str, last: int) -> str:
    """The file with more tiers, the type that they need and the number of the last annotation."""
    text = re.sub(
        r'(NAME="lastUsedAnnotationId">)\d{1,15}<', lambda at: f"{at[1]}{last}<", text, count=1
    )
    kind = (
        '    <LINGUISTIC_TYPE CONSTRAINTS="Symbolic_Subdivision" GRAPHIC_REFERENCES="false" '
        f'LINGUISTIC_TYPE_ID="{_TYPE}" TIME_ALIGNABLE="false"/>\n'
    )
    constraint = (
        '    <CONSTRAINT DESCRIPTION="Symbolic subdivision of a parent annotation. Annotations '
        'refering to the same parent are ordered" STEREOTYPE="Symbolic_Subdivision"/>\n'
    )
    if f'LINGUISTIC_TYPE_ID="{_TYPE}"' not in text:
        text = _before(text, ("LOCALE", "LANGUAGE", "CONSTRAINT", "CONTROLLED_VOCABULARY"), kind)
    if 'STEREOTYPE="Symbolic_Subdivision"' not in text:
        text = _before(text, ("CONTROLLED_VOCABULARY", "LEXICON_REF", "REF_LINK_SET"), constraint)
    return _before(text, ("LINGUISTIC_TYPE",), f"{tiers}\n")


def _before(text: str, names: tuple[str, ...], what: str) -> str:
    """A text with something before the first of some elements, or at its end."""
    match = re.search(rf"[ \t]*<(?:{'|'.join(names)})\b|\s*</ANNOTATION_DOCUMENT>", text)
    at = match.start() if match else len(text)
    gap = "\n" if match and match[0].lstrip().startswith("</") else ""
    return f"{text[:at]}{gap}{what.rstrip() if gap else what}{text[at:]}"
