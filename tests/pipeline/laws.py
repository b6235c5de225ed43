"""The laws that every result of a pipeline keeps, whatever the text."""

from __future__ import annotations

import re

import numpy as np

from caesura.document import NO, ROOT, YES, Document


def check(doc: Document, text: str) -> None:
    """Slice, join and tree."""
    assert doc.text == text
    doc.check()
    for token, surface in zip(doc.tokens, _surfaces(doc), strict=True):
        assert text[token.start : token.end] == surface
        assert surface.strip() == surface
        if not token.is_multiword and token.words[0].form != surface:
            # A line end parts it; its form is the whole word.
            assert re.fullmatch(r"\w+[-\u2010\xad]\s+\w+", surface)
            assert token.words[0].form == re.sub(r"[-\u2010\xad]\s+", "", surface)
    visible = np.zeros(len(text) + 1, dtype=bool)
    for token in doc.tokens:
        visible[token.start : token.end] = True
    for at, char in enumerate(text):
        assert visible[at] or char.isspace() or not char.isprintable(), (at, char)
    if not doc.n_tokens:
        return
    assert set(doc.sent_start.tolist()) <= {YES, NO}
    assert doc.sent_start[0] == YES
    _trees(doc)


def _surfaces(doc: Document) -> list[str]:
    return [
        doc.text[a:b] for a, b in zip(doc.token_start.tolist(), doc.token_end.tolist(), strict=True)
    ]


def _trees(doc: Document) -> None:
    """One root a sentence, no cycle, no head outside the sentence, every word labelled."""
    sentence = doc.word_sentence
    heads = doc.head.tolist()
    inside = doc.head >= 0
    assert np.all(doc.head >= ROOT)
    assert np.array_equal(sentence[doc.head[inside]], sentence[inside])
    roots = np.bincount(sentence[doc.head == ROOT], minlength=doc.n_sentences)
    assert np.all(roots == 1)
    assert np.all(doc.deprel > 0)
    safe: set[int] = set()
    for word in range(len(heads)):
        path = []
        at = word
        while at != ROOT and at not in safe:
            assert at not in path[-200:] or len(path) < len(heads), "a cycle"
            path.append(at)
            assert len(path) <= len(heads), "a cycle"
            at = heads[at]
        safe.update(path)


def said(doc: Document) -> dict[str, object]:
    """What a document says, without where it came from."""
    contents = doc.contents()
    for name in ("id", "start_evidence", "tag_options", "comments"):
        contents.pop(name)
    return contents
