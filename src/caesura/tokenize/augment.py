"""Copies of documents for training: as a transcript would have them, and with other line breaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from caesura.document import Document
from caesura.tokenize.characters import WORDLIKE, classify, code_points

__all__ = ["hard_wrapped", "one_line_paragraphs", "speech_like"]


def speech_like(doc: Document) -> Document:
    """The document in lower case, without punctuation tokens, one space between tokens.

    A sentence of punctuation alone is left out. Only tokens, words, tags and sentence starts are
    kept.
    """
    surfaces = [
        doc.text[start:end].lower()
        for start, end in zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    ]
    forms = [form.lower() for form in doc.column("form")]
    tags = doc.column("upos")
    first = doc.first_word.tolist()
    starts = doc.sent_start.tolist()
    copy = Document(id=doc.id, strings=doc.strings, source=doc.source)
    texts: list[str] = []
    token_start: list[int] = []
    sent_start: list[int] = []
    word_token: list[int] = []
    words: list[int] = []
    at, begins = 0, True
    for token, surface in enumerate(surfaces):
        begins = begins or starts[token] == 1
        own = range(first[token], first[token + 1])
        if _is_punctuation(surface, [tags[word] for word in own]):
            continue
        token_start.append(at)
        sent_start.append(1 if begins else 0)
        word_token += [len(texts)] * len(own)
        words += own
        texts.append(surface)
        at += len(surface) + 1
        begins = False
    copy.text = " ".join(texts)
    copy.token_start = np.array(token_start, dtype=np.int64)
    copy.token_end = copy.token_start + np.array([len(text) for text in texts], dtype=np.int64)
    copy.sent_start = np.array(sent_start, dtype=np.int8)
    copy.token_misc = np.zeros(len(texts), dtype=np.int32)
    copy.word_token = np.array(word_token, dtype=np.int32)
    copy.form = doc.strings.ids(forms[word] for word in words)
    copy.upos = doc.upos[words] if words else copy.upos
    copy.blank_words()
    return copy


def _is_punctuation(surface: str, tags: list[str]) -> bool:
    if any(tags):
        return all(tag == "PUNCT" for tag in tags)
    classes, _ = classify(code_points(surface))
    return not np.isin(classes, WORDLIKE).any()


def one_line_paragraphs(doc: Document) -> Document:
    """The same with one newline, not two, after each paragraph; offsets stay."""
    return replace(
        doc, text=doc.text.replace("\n\n", " \n"), paragraph_start=np.zeros(0, dtype=np.int64)
    )


def hard_wrapped(doc: Document, width: int) -> Document:
    """The same with lines of at most about `width` characters; offsets stay."""
    text = list(doc.text)
    line = space = 0
    for at, character in enumerate(doc.text):
        if character == "\n":
            line = space = at + 1
        elif character == " ":
            space = at
        if at - line >= width and space > line:
            text[space] = "\n"
            line = space + 1
    return replace(doc, text="".join(text), paragraph_start=np.zeros(0, dtype=np.int64))
