"""Raw texts made for students: the same by the same plan, and of plain sentences the roots."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from modelling import plain_english
from modelling import texts as made

from caesura.document import ROOT, YES, Document
from caesura.learn.raw_text import read_raw
from caesura.learn.run import Report
from caesura.learn.silver import Silver


def test_texts_in_other_lines_have_the_same_words(tmp_path: Path) -> None:
    source = tmp_path / "raw.txt"
    text = "".join(f"# newdoc id = {n}\n{'one two three ' * 20}\n\nfour\n\n" for n in range(12))
    source.write_text(text, encoding="utf-8")
    path = made.relaid_text([str(source)], tmp_path / "other.txt", 0.5, 1)
    first = path.read_bytes()
    assert made.relaid_text([str(source)], path, 0.5, 1).read_bytes() == first
    assert made.relaid_text([str(source)], path, 0.5, 2).read_bytes() != first
    made.relaid_text([str(source)], path, 0.5, 1)
    old = read_raw([str(source)], Report())[str(source)]
    new = read_raw([str(path)], Report())[str(path)]
    assert [doc.text.split() for doc in old] == [doc.text.split() for doc in new]
    assert [doc.id for doc in old] == [doc.id for doc in new]
    changed = [a.text.strip() != b.text.strip() for a, b in zip(old, new, strict=True)]
    assert 0 < sum(changed) < len(changed)


def _parsed(doc: Document, roots: dict[str, str], wrong: int) -> Document:
    """The sentences of a document as they were made, each under its root but for one."""
    spans, starts, at = [], [], 0
    for sentence in roots:
        for n, word in enumerate(sentence.split()):
            begin = doc.text.index(word, at)
            at = begin + len(word)
            # The marks are tokens of their own.
            body = word.rstrip(".,?!")
            spans += [(begin, begin + len(body))] + [(begin + len(body), at)] * (body != word)
            starts += [n == 0] + [False] * (body != word)
    found = Document.from_spans(doc.text, [a for a, _ in spans], [b for _, b in spans])
    found.id = doc.id
    found.sent_start = np.where(starts, YES, 0).astype(np.int8)
    found.head = np.zeros(found.n_words, np.int32)
    for number, sentence in enumerate(found.sentences):
        words = range(sentence.first_word, sentence.last_word)
        want = list(roots.values())[number].casefold()
        root = next(w for w in words if found.words[w].form.casefold() == want)
        if number == wrong:
            root = words[-1]
        found.head[list(words)] = root
        found.head[root] = ROOT
    found.arc_conf = np.ones(found.n_words, np.float32)
    return found


def test_nothing_is_learned_of_plain_sentences_with_another_root(tmp_path: Path) -> None:
    path = made.plain_text(tmp_path / "plain.txt", 30, 3)
    docs = read_raw([str(path)], Report())[str(path)]
    assert [doc.id for doc in docs] == [f"plain-{n}" for n in range(30)]
    all_made = [dict(one) for one in plain_english.documents(30, 3)]
    # A document all of whose words are apart from their marks.
    doc, roots = next(
        (doc, roots)
        for doc, roots in zip(docs, all_made, strict=True)
        if "n't" not in doc.text and all(root in text.split() for text, root in roots.items())
    )
    labelled = _parsed(doc, roots, wrong=1)
    other = Document.from_spans("So", [0], [2])
    found = made.learned_roots(Silver([labelled, other]), 30, 3)
    confidence = found.docs[0].arc_conf
    lost = [
        not confidence[sentence.first_word : sentence.last_word].any()
        for sentence in labelled.sentences
    ]
    assert lost == [n == 1 for n in range(labelled.n_sentences)]
    assert found.docs[1] is other
    assert labelled.arc_conf is not None
    assert labelled.arc_conf.all()
