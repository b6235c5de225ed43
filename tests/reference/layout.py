"""A slow, obvious twin of the layout kernels: lines as strings, each gap decided from the text."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from caesura.document.characters import (
    ASKING,
    COMMA,
    DASH,
    DIGIT,
    JOINER,
    LETTERS,
    LOWER,
    NEWLINE,
    SPACE,
    STOP,
    TITLE,
    UPPER,
    WORDLIKE,
    classes_of,
    code_points,
)
from caesura.layout import NAMES

CLOSERS = "\"“”„«»「」『』`'’‘ʼ´"
BULLETS = "-–—*+•·◦▪■□●○‣⁃►▸✓✔☐☑→#§"
RULES = set("-–—=_*~#+.·•─━═")


def kinds(text: str) -> list[int]:
    return classes_of(code_points(text)).tolist()


def kind(character: str) -> int:
    return kinds(character)[0]


@dataclass
class Line:
    start: int
    text: str
    is_last: bool = False

    def __post_init__(self) -> None:
        self.long = len(self.text) > 400
        self.ink = "".join(c if kind(c) != SPACE else " " for c in self.text)
        self.blank = not self.ink.strip(" ")
        self.width = len(self.ink.rstrip(" "))
        self._margin()
        rest = self.text[self.at :]
        self.only_margin = not rest
        spaced = self.ink[self.at :]
        self.first = len(spaced.split(" ", 1)[0])
        drawn = [c for c in rest if kind(c) != SPACE]
        self.rule = len(drawn) >= 3 and set(drawn) <= RULES
        mark = 0 if self.rule else item_mark(rest)
        self.item = mark > 0
        self.body = self.indent + mark
        words = rest[mark:]
        self.label = not self.rule and is_label(words)
        self.title = not self.rule and is_title(words)
        self._openings(rest, mark, words)
        self._letters(rest)
        self._end()

    def _margin(self) -> None:
        at = tabs = 0
        while at < len(self.text):
            character, after = self.text[at], self.text[at + 1 : at + 2]
            if character == ">":
                if after and after != ">" and kind(after) != SPACE:
                    break
            elif character == "\t":
                tabs += 1
            elif kind(character) not in (SPACE, JOINER):
                break
            at += 1
        self.at, self.indent = at, at + 3 * tabs

    def _openings(self, rest: str, mark: int, words: str) -> None:
        """How far into the line the text begins behind `>`, behind a mark, behind a label."""
        self.quoted = self.marked = self.labelled = 0
        if self.long or self.rule or self.only_margin:
            return
        if ">" in self.text[: self.at]:
            self.quoted = self.marked = self.at
        number = re.match(r"(..\d?\.)\s+", rest) if not mark else None
        if number and kind(rest[0]) == UPPER and all(kind(c) == DIGIT for c in number[1][1:-1]):
            mark = number.end()
        note = re.match(r"\[(.{1,3})\]\s+", rest)
        if note and all(kind(c) == DIGIT for c in note[1]):
            mark = note.end()
        if mark and not rest.startswith("--"):
            self.marked = self.at + mark
        if self.label:
            after = words.index(":") + 1
            while kind(words[after - 1]) != COLON or words[after : after + 1].strip():
                after = words.index(":", after) + 1
            behind = len(words) - len(words[after:].lstrip())
            remark = re.match(r"\([^()]{0,38}\)\s+", words[behind:])
            behind += remark.end() if remark else 0
            self.labelled = len(self.text) - len(words) + behind

    def _letters(self, rest: str) -> None:
        letters = [kind(c) for c in rest if kind(c) in WORDLIKE]
        first = letters[0] if letters and not self.rule else -1
        self.lower, self.upper = first == LOWER, first in (UPPER, TITLE)

    def _end(self) -> None:
        self.final = self.comma = self.hyphen = self.colon = False
        if self.blank:
            return
        shown = self.text[: self.width]
        last = shown[-1]
        inner = [c for c in shown if kind(c) != SPACE and kind(c) not in CLOSING]
        mark = kind(inner[-1]) if inner else -1
        if last in "-\u00ad\u2010" and len(shown) > 1 and kind(shown[-2]) in LETTERS:
            self.hyphen = True
        elif last == ":":
            self.colon = True
        elif last == ";" or mark in (COMMA, DASH):
            self.comma = last != ")"
        elif mark in (STOP, ASKING):
            self.final = True
        if self.comma or self.hyphen or last == ".":
            self.title = False

    @property
    def ends_block(self) -> bool:
        return self.blank or self.only_margin or self.rule


COLON = kind(":")
CLOSING = {*map(kind, CLOSERS), kind(")")}


def item_mark(text: str) -> int:
    """The width of a list mark and the blanks after it."""
    spaced = "".join(c if kind(c) != SPACE else " " for c in text)
    found = re.match(rf"([{re.escape(BULLETS)}])\1{{0,2}}(?= )", spaced)
    if not found and text[:1] not in tuple(BULLETS):
        found = re.match(r"(?P<open>\(?)(?P<in>[^ .():\n]{1,4})(?P<close>[.)])(?= )", spaced)
        if found and not is_number(found["open"], found["in"], found["close"]):
            found = None
    if not found:
        return 0
    return found.end() + len(spaced[found.end() :]) - len(spaced[found.end() :].lstrip(" "))


def is_number(opening: str, inner: str, closing: str) -> bool:
    own = kinds(inner)
    if any(k not in WORDLIKE for k in own):
        return False
    digits = all(k == DIGIT for k in own)
    numeral = len(inner) > 1 and set(inner) <= set("ivxlIVXL")
    if not (digits or numeral or len(inner) == 1):
        return False
    if closing == ")":
        return True
    if opening or (len(inner) == 1 and own[0] == UPPER):
        return False
    return not (digits and len(inner) > 2)


def is_label(text: str) -> bool:
    for at, character in enumerate(text[:32]):
        if character == ":":
            after = text[at + 1 : at + 2]
            if not after or kind(after) == SPACE:
                return any(kind(c) in LETTERS for c in text[:at])
            if kind(after) != DIGIT:
                return False
        elif kind(character) == SPACE:
            if sum(kind(c) == SPACE for c in text[: at + 1]) > 3:
                return False
        elif kind(character) not in (*LETTERS, DIGIT) and character not in "-_.'’()[]#@&/":
            return False
    return False


def is_title(text: str) -> bool:
    if len(text) > 90:
        return False
    spaced = "".join(c if kind(c) != SPACE else " " for c in text)
    words = []
    for chunk in spaced.split(" "):
        inner = [i for i, c in enumerate(chunk) if kind(c) in WORDLIKE]
        if inner:
            words.append(chunk[inner[0] :])
    # What is before the first letter of a chunk is none of it, nor its capitals.
    letters = [kind(c) for word in words for c in word]
    small = [
        word
        for number, word in enumerate(words)
        if kind(word[0]) == LOWER and (number == 0 or len(word) >= 4)
    ]
    has_upper = any(k in (UPPER, TITLE) for k in letters)
    return has_upper and (not small or LOWER not in letters)


def lines_of(text: str) -> list[Line]:
    found, start, at = [], 0, 0
    while at < len(text):
        if kind(text[at]) == NEWLINE:
            found.append(Line(start, text[start:at]))
            at += 2 if text[at : at + 2] == "\r\n" else 1
            start = at
        else:
            at += 1
    found.append(Line(start, text[start:]))
    return found


def fits(before: Line, line: Line, width: int) -> bool:
    return before.width + 1 + line.first <= width


def parted(before: Line, line: Line) -> bool:
    """Whether a word is hyphenated between two lines, of which the first is no word alone."""
    return before.hyphen and line.lower and before.width > before.indent + before.first


def tally(before: Line, line: Line, width: int, capital: int = -1) -> int:
    if line.item or line.indent > before.body + 1:
        return 0
    if parted(before, line):
        return 4
    if fits(before, line, width):
        return -2
    if line.lower:
        return 4 if before.hyphen else 3
    if line.upper and not before.final:
        return 1 if before.width >= 60 and not before.title else capital
    return 1


def is_full(lines: list[Line], i: int) -> bool:
    """Whether the line before was full, by the width of the text around it."""
    first, last = i - 1, i + 1
    while first > max(0, i - 40) and not lines[first - 1].long:
        first -= 1
    while last < min(len(lines), i + 8) and not lines[last].long:
        last += 1
    around = lines[first:last]
    widths = [
        own.width for own in around if not own.ends_block and own.width > own.indent + own.first
    ]
    width = max(widths, default=0)
    if not 28 <= width <= 160 or fits(lines[i - 1], lines[i], width):
        return False
    votes = [
        tally(a, b, width, capital=0)
        for a, b in itertools.pairwise(around)
        if not a.ends_block and not b.ends_block
    ]
    return sum(votes) > 0


def are_full(block: list[Line], width: int) -> bool:
    """Whether no line of several had room for the first word of the next."""
    return (
        len(block) > 3
        and 28 <= width <= 160
        and not any(own.item or own.label for own in block[1:])
        and not any(fits(a, b, width) for a, b in itertools.pairwise(block))
    )


def heading(block: list[Line], at: int, width: int) -> bool:
    if not block[at].title:
        return False
    if at in (0, len(block) - 1) or block[at - 1].title or block[at + 1].title:
        return True
    return block[at - 1].final and fits(block[at], block[at + 1], width)


def between(lines: list[Line], i: int) -> str:
    """The gap between two lines with ink."""
    before, line = lines[i - 1], lines[i]
    if before.rule or line.rule:
        return "indentation"
    if before.long or line.long:
        return "paragraph a line"
    low, high = i - 1, i + 1
    while low > max(0, i - 8) and not lines[low - 1].ends_block and not lines[low - 1].long:
        low -= 1
    while high < min(len(lines), i + 8) and not lines[high].ends_block and not lines[high].long:
        high += 1
    block, at = lines[low:high], i - low
    width = max(own.width for own in block)
    votes = [tally(a, b, width) for a, b in itertools.pairwise(block)]
    if all(own.first >= 20 and own.width == own.indent + own.first for own in (before, line)):
        return "line"
    full = is_full(lines, i) or are_full(block, width)
    column = any(parted(a, b) for a, b in itertools.pairwise(block))
    wrapped = full or ((12 if column else 28) <= width <= 160 and sum(votes) > 0)
    room = not full and not (before.hyphen and line.lower) and fits(before, line, width)
    others = block[:at] + block[at + 1 :]
    beside = [before, *lines[i + 1 : i + 2]]
    if full and line.quoted and not before.colon and not any(own.quoted for own in beside):
        return "wrapped"
    if line.item and (
        room or not wrapped or before.final or before.item or any(own.item for own in others)
    ):
        return "list item"
    if line.label and (room or not wrapped or before.label) and any(own.label for own in others):
        return "field"
    if not line.lower and not full:
        first, second = heading(block, at - 1, width), heading(block, at, width)
        if first and (second or room or not line.upper):
            return "heading"
        if not first and second and before.final and at + 1 < len(block):
            return "heading"
    if width > 160:
        return "paragraph a line"
    if before.item:
        if abs(line.indent - before.body) > 1 and line.indent <= before.indent:
            return "line" if room or not wrapped else "wrapped"
        return "short line" if room else "wrapped"
    if line.indent - before.indent >= 2:
        return "indentation"
    opened = at == 1 or before.indent - block[at - 2].indent >= 2
    if line.indent - before.indent <= -2 and not opened:
        return "indentation"
    if wrapped:
        return "short line" if room else "wrapped"
    return "verse" if is_verse(lines, low, high, width) else "line"


def is_verse(lines: list[Line], low: int, high: int, width: int) -> bool:
    """Whether lines that are not wrapped are a stanza."""
    first, last = low, high
    while first > max(0, high - 8) and not lines[first - 1].rule and not lines[first - 1].long:
        first -= 1
    while last < min(len(lines), low + 8) and not lines[last].rule and not lines[last].long:
        last += 1
    around = [own for own in lines[first:last] if not own.blank and not own.only_margin]
    commas = sum(own.comma and 2 * own.width >= width for own in around)
    if width < 20:
        return False
    if 4 * commas >= len(around):
        return True
    block = lines[low:high]
    plain = all(
        own.upper and not own.item and not own.label and 2 * own.width >= width for own in block
    )
    over = sum(not own.final for own in block)
    return plain and width <= 56 and block[-1].final and 2 * over >= len(block)


def is_double(lines: list[Line], i: int) -> bool:
    """Whether line i goes on with the one before the blank line before it."""
    chosen = [i - 2, i]
    if any(lines[j].ends_block or lines[j].long for j in chosen):
        return False
    for step, most in ((-2, i - 8), (2, i + 6)):
        while True:
            at = chosen[0] if step < 0 else chosen[-1]
            beyond, middle = at + step, at + step // 2
            if at == most or not 0 <= beyond < len(lines):
                break
            if lines[beyond].ends_block or lines[beyond].long or lines[middle].long:
                break
            if not (lines[middle].blank or lines[middle].only_margin):
                return False
            chosen = sorted([*chosen, beyond])
    block = [lines[j] for j in chosen]
    width = max(own.width for own in block)
    pairs = list(itertools.pairwise(block))
    if not 40 <= width <= 104 or len(pairs) < 2:
        return False
    if sum(tally(a, b, width) for a, b in pairs) <= 0:
        return False
    if 2 * sum(a.final for a, _ in pairs) > len(pairs):
        return False
    if 2 * sum(b.lower for _, b in pairs) < len(pairs):
        return False
    return lines[i].lower or not fits(lines[i - 2], lines[i], width)


def is_opened(lines: list[Line], i: int, kind_of_line: str, offset: int) -> bool:
    """Whether what opens a line reaches up to an offset."""
    line = lines[i]
    inside = offset - line.start
    if kind_of_line in ("wrapped", "short line"):
        return inside <= line.quoted and lines[i - 1].quoted > 0
    if inside <= line.marked:
        return True
    low, high = i, i + 1
    while low > max(0, i - 8) and not lines[low - 1].ends_block and not lines[low - 1].long:
        low -= 1
    while high < min(len(lines), i + 8) and not lines[high].ends_block and not lines[high].long:
        high += 1
    others = lines[low:i] + lines[i + 1 : high]
    return inside <= line.labelled and any(own.label for own in others)


def goes_on_alone(lines: list[Line], i: int) -> bool:
    """Whether the next line stands for itself, and so this one."""
    if i + 1 >= len(lines) or any(own.ends_block or own.long for own in lines[i : i + 2]):
        return False
    return between(lines[: i + 8], i + 1) == "line"


def breaks(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The names of the gaps before tokens."""
    lines = lines_of(text)

    def line_of(offset: int) -> int:
        return max(i for i, line in enumerate(lines) if line.start <= offset)

    found: list[str] = []
    kind_of_line, alone = "", False
    for number, (start, own_end) in enumerate(spans):
        i = line_of(start)
        end = spans[number - 1][1] if number else 0
        if number == 0:
            found.append("start of text")
        elif line_of(max(end - 1, 0)) == i:
            wide = start - end >= 3 or "\t" in text[end:start]
            found.append("wide gap" if wide else "same line")
            if is_opened(lines, i, kind_of_line, start):
                found[-1] = "behind a mark"
            elif not wide and alone:
                found[-1] = "inside a line"
        else:
            j = i - 1
            while j > i - 8 and j >= 0 and (lines[j].blank or lines[j].only_margin):
                j -= 1
            if j == i - 8 or j < 0 or lines[j].blank or lines[j].only_margin:
                found.append("blank line")
            elif j == i - 1:
                found.append(between(lines, i))
            else:
                double = j == i - 2 and is_double(lines, i)
                found.append("double-spaced" if double else "blank line")
        if line_of(max(own_end - 1, 0)) != i:
            kind_of_line, alone = "wrapped", False
        elif number == 0 or line_of(max(end - 1, 0)) != i:
            kind_of_line = found[-1]
            alone = kind_of_line == "line" or goes_on_alone(lines, i)
    assert set(found) <= set(NAMES)
    return found
