"""Transcriptions in tiers: ELAN, Praat TextGrid, and CHAT (CHILDES and TalkBank, read only).

Annotations, intervals and main lines are read as cues. Sentences are written back as further tiers
into a copy of the file that the document was read from, so that all else stays as it is.

ELAN: the transcription is in the top-level tiers with times; one whose annotations hold no words,
such as a tier of numbers, is replaced by its first dependent tier with words.

TextGrid: tiers of phones and of points are left out. Tiers of words, as forced aligners write them,
are words with times, and give cues if there is no tier of utterances.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any, BinaryIO, Final, TypeVar
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from caesura.document import Document
from caesura.errors import InputError
from caesura.formats.html import unescape
from caesura.formats.io import lines, open_read, whole_text
from caesura.formats.options import ReadOptions, WriteOptions
from caesura.formats.units import UNKNOWN, Said, Unit, document, of_words, settled
from caesura.formats.xml_tree import parse_xml

R = TypeVar("R", bound=tuple[Any, ...])
#: The end of the names of tiers of sentences, which are written and not read.
SENTENCES: Final = "-sentences"
_TYPE: Final = "caesura-sentences"
_HAS_WORDS: Final = re.compile(r"[^\W\d_]{2}|[\u0e00-\uffff]")


def _in_time(units: Iterable[R]) -> list[R]:
    """Rows whose first value is a unit, ordered by time; units without a time come last."""
    return sorted(units, key=lambda row: np.nan_to_num(row[0].begin, nan=np.inf))


def _free_name(tier: str, taken: Iterable[str]) -> str:
    """A name for the tier of the sentences of a tier."""
    known = set(taken)
    names = (f"{tier}{'' if n == 1 else f'-{n}'}{SENTENCES}" for n in count(1))
    return next(name for name in names if name not in known)


def _parts_of_sentences(doc: Document, units: Sequence[Unit]) -> list[list[str]]:
    """For each unit that was read, the parts of sentences that are in its turn of the document."""
    texts = [unit.text for unit in settled(units)]
    spans = list(zip(doc.turn_start.tolist(), doc.turn_end.tolist(), strict=True))
    if [doc.text[a:b] for a, b in spans] != texts:
        raise InputError(
            "the file that the document was read from has changed, or is not there any more",
            file=doc.source,
            remedy="Parse it again.",
        )
    starts = doc.token_start[doc.sentence_bounds[:-1]].tolist()
    found = []
    for begin, end in spans:
        inside = starts[bisect_right(starts, begin) : bisect_left(starts, end)]
        cuts = [begin, *inside, end]
        parts = (doc.text[a:b].strip() for a, b in pairwise(cuts))
        found.append([part for part in parts if part])
    return found


def _source_of(
    documents: Iterable[Document], extension: str, name: str, options: WriteOptions
) -> tuple[Document, str]:
    """The one document of a file, and the text of that file."""
    docs = list(documents)
    if len(docs) != 1 or not (docs[0].source or "").lower().endswith(extension.lower()):
        raise InputError(
            f"{name} is written from the one document of {name}",
            file=options.file,
            remedy=f"Parse {'an' if extension == '.eaf' else 'a'} {extension} file, "
            "or write another format.",
        )
    source = docs[0].source or ""
    with open_read(source) as raw:
        return docs[0], whole_text(raw, ReadOptions(file=source), keep_crlf=True)


# ----------------------------------------------------------------------- ELAN


@dataclass(slots=True)
class _Annotation:
    id: str
    text: str
    begin: float
    end: float


@dataclass(slots=True)
class _ElanTier:
    name: str
    speaker: str
    parent: str
    annotations: list[_Annotation] = field(default_factory=list)


def read_elan(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The document of a file."""
    units = _elan_units(whole_text(stream, options), options)
    yield document((unit for unit, _, _ in units), options)


def _elan_units(text: str, options: ReadOptions) -> list[tuple[Unit, _ElanTier, _Annotation]]:
    """The cues of a file by time, with their tiers and annotations."""
    root = parse_xml(text, options)
    if root.tag != "ANNOTATION_DOCUMENT":
        raise options.error(f"this is no ELAN file: its root is {root.tag!r}", 1, remedy="")
    tiers = _elan_tiers(root, options)
    found = []
    for tier in tiers.values():
        if tier.parent or tier.name.endswith(SENTENCES):
            continue
        chosen = tier
        if not any(_HAS_WORDS.search(one.text) for one in tier.annotations):
            others = [one for one in tiers.values() if one.parent == tier.name]
            chosen = next(
                (one for one in others if any(_HAS_WORDS.search(a.text) for a in one.annotations)),
                tier,
            )
        for one in chosen.annotations:
            if one.text.strip():
                unit = Unit(one.text, tier.speaker or tier.name, one.begin, one.end)
                found.append((unit, chosen, one))
    return _in_time(found)


def _elan_tiers(root: Element, options: ReadOptions) -> dict[str, _ElanTier]:
    slots = {}
    for slot in root.iter("TIME_SLOT"):
        value = slot.get("TIME_VALUE", "")
        known = value.isascii() and value.isdigit() and len(value) < 13
        slots[slot.get("TIME_SLOT_ID", "")] = int(value) / 1000 if known else UNKNOWN
    tiers: dict[str, _ElanTier] = {}
    for element in root.iter("TIER"):
        name = element.get("TIER_ID", "")
        if name in tiers:
            raise options.error(f"there are two tiers {name!r}", remedy="Rename one of them.")
        tiers[name] = _ElanTier(name, element.get("PARTICIPANT", ""), element.get("PARENT_REF", ""))
    by_id: dict[str, _Annotation] = {}
    for kind in ("ALIGNABLE_ANNOTATION", "REF_ANNOTATION"):
        for element in root.iter("TIER"):
            for one in element.iter(kind):
                parent = by_id.get(one.get("ANNOTATION_REF", ""))
                begin, end = (parent.begin, parent.end) if parent else (UNKNOWN, UNKNOWN)
                if kind == "ALIGNABLE_ANNOTATION":
                    begin = slots.get(one.get("TIME_SLOT_REF1", ""), UNKNOWN)
                    end = slots.get(one.get("TIME_SLOT_REF2", ""), UNKNOWN)
                text = one.findtext("ANNOTATION_VALUE") or ""
                end = UNKNOWN if end < begin else end
                made = _Annotation(one.get("ANNOTATION_ID", ""), text, begin, end)
                tiers[element.get("TIER_ID", "")].annotations.append(made)
                by_id.setdefault(made.id, made)
    return tiers


# -------------------------------------------------------------------- writing


def write_elan(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """The files of documents with a tier of sentences for each tier of the transcription."""
    doc, text = _source_of(documents, ".eaf", "an ELAN file", options)
    units = _elan_units(text, ReadOptions(file=doc.source or ""))
    parts = _parts_of_sentences(doc, [unit for unit, _, _ in units])
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
        lines, last = _elan_tier(tiers[name], own, last, text)
        out += lines
    stream.write(_inserted(text, "\n".join(out), last).encode("utf-8"))


def _elan_tier(
    tier: _ElanTier, rows: list[tuple[_Annotation, list[str]]], last: int, text: str
) -> tuple[list[str], int]:
    """A dependent tier, in which an annotation for each part of a sentence refers to its parent."""
    name = _free_name(tier.name, map(unescape, re.findall(r'TIER_ID="([^"]*)"', text)))
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


_ITEM: Final = re.compile(
    r'"((?:[^"]|"")*)"|\[\d{0,9}\]|(?<![\w.])([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])|(<exists>)'
)
_PHONES: Final = re.compile(r"(?i)phone|phon$|segments?$|syll|pitch|tobi|pos$|lemma")
_WORDS: Final = re.compile(r"(?i)(?:^|[\s_-])(?:words?|wrd|ort)$")


@dataclass(slots=True)
class _IntervalTier:
    name: str
    #: Interval tiers; tiers of points are not read.
    rows: list[tuple[float, float, str]]


def read_textgrid(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The document of a file."""
    units = _textgrid_units(whole_text(stream, options), options)
    yield document((unit for unit, _ in units), options)


def _textgrid_units(text: str, options: ReadOptions) -> list[tuple[Unit, _IntervalTier]]:
    """The cues of a file by time, each with its tier."""
    tiers = [tier for tier in _textgrid_tiers(text, options) if not tier.name.endswith(SENTENCES)]
    tiers = [tier for tier in tiers if not _PHONES.search(tier.name)]
    words = [tier for tier in tiers if _WORDS.search(tier.name)]
    spoken = [tier for tier in tiers if tier not in words] or words
    found = []
    for tier in spoken:
        speaker = _WORDS.sub("", tier.name).strip(" -_") or None
        rows = [row for row in tier.rows if row[2].strip()]
        if tier in words:
            said = ((Said(text.strip(), begin, end), None) for begin, end, text in rows)
            for unit in of_words(said):
                unit.speaker = speaker if len(spoken) > 1 else None
                found.append((unit, tier))
            continue
        who = speaker if len(spoken) > 1 else None
        found += [(Unit(text, who, begin, end), tier) for begin, end, text in rows]
    return _in_time(found)


def _textgrid_tiers(text: str, options: ReadOptions) -> list[_IntervalTier]:
    """The interval tiers of a file in either of Praat's text formats."""
    items = (match for match in _ITEM.finditer(text) if match[0][0] != "[")
    values = [match[1] if match[1] is not None else match[2] or match[3] for match in items]
    found: list[_IntervalTier] = []
    try:
        if values[:2] != ["ooTextFile", "TextGrid"] or values[4] != "<exists>":
            raise ValueError
        at = 6
        for _ in range(int(values[5])):
            kind, name, size = values[at], values[at + 1], int(values[at + 4])
            at += 5
            width = 3 if kind == "IntervalTier" else 2
            own = values[at : at + width * size]
            if len(own) < width * size:
                raise IndexError
            if width == 3:
                rows = zip(own[::3], own[1::3], own[2::3], strict=True)
                found.append(
                    _IntervalTier(
                        name, [(float(a), float(b), t.replace('""', '"')) for a, b, t in rows]
                    )
                )
            at += width * size
    except (ValueError, IndexError):
        raise options.error(
            "this is no TextGrid, or a damaged one", remedy="Save it as a text file in Praat."
        ) from None
    return found


# -------------------------------------------------------------------- writing


def write_textgrid(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """The file of a document with a tier of sentences for each tier of the transcription."""
    doc, text = _source_of(documents, ".TextGrid", "a TextGrid", options)
    reading = ReadOptions(file=doc.source or "")
    units = _textgrid_units(text, reading)
    parts = _parts_of_sentences(doc, [unit for unit, _ in units])
    rows: dict[str, list[tuple[float, float, str]]] = {}
    for (unit, tier), inside in zip(units, parts, strict=True):
        size = sum(map(len, inside)) or 1
        begin = unit.begin
        for part in inside:  # by characters
            end = begin + (unit.end - unit.begin) * len(part) / size
            rows.setdefault(tier.name, []).append((begin, end, part))
            begin = end
    tiers = _textgrid_tiers(text, reading)
    names = {tier.name for tier in tiers}
    sizes = [match for match in _ITEM.finditer(text) if match[2]]  # from, to, number of tiers
    start, until, count = float(sizes[0][2]), float(sizes[1][2]), sizes[2]
    out = []
    for number, (name, own) in enumerate(rows.items(), int(count[2]) + 1):
        title = _free_name(name, names)
        filled = list(_filled(own, start, until))
        out.append(_written(title, filled, (start, until), number, "xmin" in text[:300]))
    head = f"{text[: count.start()]}{int(count[2]) + len(out)}{text[count.end() :].rstrip()}"
    stream.write(("\n".join([head, *out]) + "\n").encode("utf-8"))


def _filled(
    rows: list[tuple[float, float, str]], start: float, until: float
) -> Iterator[tuple[float, float, str]]:
    """Intervals without gaps and overlaps."""
    at = start
    for begin, end, text in rows:
        if begin > at:
            yield at, begin, ""
        if end > max(begin, at):
            yield max(begin, at), end, text
            at = end
    if until > at:
        yield at, until, ""


def _written(
    name: str,
    rows: list[tuple[float, float, str]],
    whole: tuple[float, float],
    number: int,
    long: bool,
) -> str:
    """A tier in Praat's long or short text format."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    times = [f"{one:.6f}".rstrip("0").rstrip(".") for one in whole]
    if not long:
        head = ['"IntervalTier"', quoted(name), *times, str(len(rows))]
        return "\n".join([*head, *(f"{a:.6f}\n{b:.6f}\n{quoted(text)}" for a, b, text in rows)])
    out = [
        f"    item [{number}]:",
        '        class = "IntervalTier"',
        f"        name = {quoted(name)}",
        f"        xmin = {times[0]}",
        f"        xmax = {times[1]}",
        f"        intervals: size = {len(rows)}",
    ]
    for k, (begin, end, text) in enumerate(rows, 1):
        out += [
            f"        intervals [{k}]:",
            f"            xmin = {begin:.6f}",
            f"            xmax = {end:.6f}",
            f"            text = {quoted(text)}",
        ]
    return "\n".join(out)


_MAIN: Final = re.compile(r"\*([^\s:]{1,20}):\s*(.*)", re.DOTALL)
_TIME: Final = re.compile('\x15(?:%snd:"[^"]*"_)?(\\d{1,12})_(\\d{1,12})\x15')
#: Codes, and what is said in their place.
_CODES: Final = tuple(
    (re.compile(pattern), value)
    for pattern, value in (
        ("\x15[^\x15]*\x15", " "),
        (r"\[(?:=!?|%|\+|-|\^|:{1,2})[^\]]*\]|\[[/?!*#<>\\\" ]*\]|\[[a-z]:?[^\]]*\]", " "),
        (r"\(\.{1,3}\)|\([\d.:]+\)", " "),
        (r"&[=~*+][^\s]*", " "),
        (r"&-|&", ""),
        (r"(?<!\S)[+][^\s.?!]*(?=[.?!\s]|$)", " "),
        (r"(?<!\S)(?:0\S*|xxx|yyy|www)(?!\w)", " "),
        (r"@[a-z][\w:$&]*", ""),
        (r"[<>()↑↓→‡„:^ˈˌ≠]", ""),
        (r"(?<=\w)[_+](?=\w)", " "),
        (r"\s+(?=[.?!,;]+(?:\s|$))", ""),
        (r"\s+", " "),
    )
)


def read_chat(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The documents of a file, each from @Begin to @End."""
    units: list[Unit] = []
    seen = False
    for number, row in _chat_rows(stream, options):
        if row.startswith("@"):
            seen = True
            if row.startswith("@End") and units:
                yield document(units, options)
                units = []
            continue
        if row.startswith("%"):
            continue
        match = _MAIN.match(row)
        if match is None:
            what = f"{row[:40]!r} is no line of CHAT, which begin with @, * and %"
            options.skip(options.error(what, number))
            continue
        seen = True
        time = _TIME.search(match[2])
        begin, end = (int(time[1]) / 1000, int(time[2]) / 1000) if time else (UNKNOWN, UNKNOWN)
        text = match[2]
        for pattern, value in _CODES:
            text = pattern.sub(value, text)
        if any(map(str.isalnum, text)):
            units.append(Unit(text, match[1], begin, UNKNOWN if end < begin else end))
    if units or not seen:
        yield document(units, options)


def _chat_rows(stream: BinaryIO, options: ReadOptions) -> Iterator[tuple[int, str]]:
    """The lines, which a tab at the beginning of a line continues."""
    wait: list[str] = []
    begin = 1
    for number, line in lines(stream, options):
        if line.startswith("\t") and wait:
            wait.append(line.strip())
            continue
        if wait:
            yield begin, " ".join(wait)
            wait = []
        if line.strip():
            wait, begin = [line.rstrip()], number
    if wait:
        yield begin, " ".join(wait)
