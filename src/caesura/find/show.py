"""A match in its sentence as one line of text: in brackets, or in colours for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.document import Sentence
from caesura.errors import shown

__all__ = ["marked_text"]

_ON, _NAME, _OFF = "\x1b[1;31m", "\x1b[2m", "\x1b[0m"


def marked_text(sentence: Sentence, words: Mapping[int, str], *, color: bool = False) -> str:
    """The text of a sentence with some words marked: by their numbers, each with its name or ''.

    Of a token with several words the whole token is marked. Line ends become blanks, and what a
    terminal would obey is spelled out.
    """
    doc = sentence.doc
    marks: dict[int, list[str]] = {}
    for word, name in sorted(words.items()):
        marks.setdefault(int(doc.word_token[word]), []).append(name)
    parts: list[str] = []
    at = sentence.start
    for token in range(sentence.first_token, sentence.last_token):
        if token not in marks:
            continue
        start, end = int(doc.token_start[token]), int(doc.token_end[token])
        name = "+".join(filter(None, marks[token]))
        text = _line(doc.text[start:end])
        before = _line(doc.text[at:start])
        if color:
            note = f"{_NAME}{name}={_OFF}" if name else ""
            parts.append(f"{before}{note}{_ON}{text}{_OFF}")
        else:
            parts.append(f"{before}[{name}={text}]" if name else f"{before}[{text}]")
        at = end
    parts.append(_line(doc.text[at : sentence.end]))
    return "".join(parts)


def _line(text: str) -> str:
    return shown(" ".join(text.splitlines()) if "\n" in text or "\r" in text else text)
