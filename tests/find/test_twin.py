"""The search equals its slow twin on random trees and random patterns, and nothing crashes it."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caesura.document import ROOT, UNKNOWN, Document
from caesura.find import Matches, Pattern, PatternError
from caesura.find.parser import parse
from tests.reference import find as twin

VALUES = {
    "form": ["a", "b", "ab", "The"],
    "lemma": ["a", "b", ""],
    "upos": ["NOUN", "VERB", ""],
    "deprel": ["nsubj", "nsubj:pass", "obj", ""],
    "feats": ["", "Number=Sing", "Number=Plur|PronType=Int,Rel", "Poss"],
    "misc": ["", "Gloss=a", "Gloss=b|SpaceAfter=No"],
}
TESTS = [
    "form=a", "form=a|b", "form=/a.*/", "form=/THE/i", 'form="ab"', "lemma", "!lemma", "lemma!=a",
    "upos=NOUN", "upos=NOUN|VERB", "upos!=VERB", "deprel=nsubj", "deprel=nsubj:*", "udeprel=nsubj",
    "sdeprel=pass", "sdeprel", "feats.Number=Sing", "Number", "PronType=Rel", "feats.Poss",
    "misc.Gloss=a|b", "misc.Gloss=/[^a]/", "id=1", "id>2", "id<=3", "head=0", "children>=1",
    "depth<2", "depth=1", "sent.length>3", "sent.id=s1", "doc.id=d", "token=a",
]  # fmt: skip
REFERENCES = ["lemma={}.lemma", "lemma!={}.lemma", "form={}.lemma", "upos={}.upos", "id={}.head"]
REFERENCES += ["feats.Number={}.feats.Number", "deprel={}.udeprel"]
RELATIONS = [
    ">", "<", ">nsubj", "<nsubj|obj", ">nsubj:*", ">!obj", ">/n.*/", ">>", "<<", ">>{2}", "<<{1,2}",
    ".", "..", "-", "--", "..{2,3}", "--{2,}", "..{,2}", "$", "$+", "$++", "$-", "$--", "->",
    "-[nsubj|obj]->", "-[^obj]->",
]  # fmt: skip
NAMES = ["x", "y", "z"]


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """A few short sentences whose heads may be anything inside them, cycles too."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=2))
    n = sum(lengths)
    forms = draw(st.lists(st.sampled_from(VALUES["form"]), min_size=n, max_size=n))
    ends = np.cumsum([len(form) + 1 for form in forms])
    starts = [int(end) - len(form) - 1 for end, form in zip(ends, forms, strict=True)]
    doc = Document.from_spans(" ".join(forms), starts, [int(end) - 1 for end in ends], id="d")
    first, heads = 0, []
    doc.sent_start[:] = 0
    for number, length in enumerate(lengths):
        doc.sent_start[first] = 1
        doc.comments[first] = (f"# sent_id = s{number}",)
        own = st.sampled_from([ROOT, UNKNOWN]) | st.integers(first, first + length - 1)
        heads += draw(st.lists(own, min_size=length, max_size=length))
        first += length
    doc.head = np.array(heads, dtype=np.int32)
    for name in ("lemma", "upos", "deprel", "feats", "misc"):
        doc.set_column(name, draw(st.lists(st.sampled_from(VALUES[name]), min_size=n, max_size=n)))
    return doc


tests = st.recursive(
    st.sampled_from(TESTS)
    | st.builds(lambda form, name: form.format(name), st.sampled_from(REFERENCES), st.just("x")),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(", ".join),
        st.tuples(inner, inner).map(lambda pair: f"({' | '.join(pair)})"),
        inner.map(lambda test: f"!({test})"),
    ),
    max_leaves=3,
)
boxes = st.just("[]") | tests.map(lambda test: f"[{test}]")
words = st.one_of(
    boxes,
    st.sampled_from(NAMES),
    st.tuples(st.sampled_from(NAMES), boxes).map("".join),
    st.tuples(boxes, st.sampled_from(NAMES)).map("=".join),
)
links = st.tuples(st.sampled_from(["", "", "!"]), st.sampled_from(RELATIONS), words).map(
    lambda parts: f"{parts[0]}{parts[1]} {parts[2]}"
)


@st.composite
def chains(draw: st.DrawFn) -> str:
    found = draw(words)
    for link in draw(st.lists(links, max_size=2)):
        found += " " + link
    if draw(st.booleans()) and draw(st.booleans()):
        found += f" ({draw(links)} | {draw(links)})"
    if draw(st.booleans()) and draw(st.booleans()):
        found += f" > ({draw(words)} {draw(links)})"
    return found


@st.composite
def patterns(draw: st.DrawFn) -> str:
    parts = draw(st.lists(chains(), min_size=1, max_size=2))
    found = "; ".join(parts)
    if draw(st.booleans()) and draw(st.booleans()):
        found += f"; !({draw(chains())})"
    if draw(st.booleans()) and draw(st.booleans()):
        found = f"{found} | {draw(chains())}"
    return found


def as_twin(found: Matches) -> list[twin.Found]:
    result = []
    for row in found.rows.tolist():
        pairs = [(key, word) for key, word in zip(found.keys, row, strict=True) if word >= 0]
        named = sorted(pair for pair in pairs if pair[0][0] != "#")
        others = sorted(word for key, word in pairs if key[0] == "#")
        result.append((tuple(named), tuple(others)))
    return result


@settings(max_examples=600, deadline=None)
@given(documents(), patterns())
def test_the_search_equals_its_twin(doc: Document, text: str) -> None:
    try:
        pattern = Pattern(text)
    except PatternError:
        assume(False)
        raise
    found = as_twin(pattern.find(doc))
    assert len(found) == len(set(found)), "a match is found twice"
    assert set(found) == twin.find(doc, parse(text))


def test_random_patterns_and_their_ruins_never_crash() -> None:
    """1,000 random patterns, half of them with characters dropped, doubled or put in."""
    chance = random.Random(7)
    doc = Document.from_spans("ab the a", [0, 3, 7], [2, 6, 8])
    doc.head = np.array([1, -1, 0], dtype=np.int32)
    done = bad = 0
    places, told = [], []
    pieces = ["[", "]", "(", ")", "!", "|", ";", "=", "/", '"', ">", "{", "}", "1", ",", "x", "\\"]
    for _ in range(1000):
        text = "; ".join(random_chain(chance) for _ in range(chance.randint(1, 2)))
        for _ in range(chance.choice([0, 1, 1, 3])):
            at = chance.randrange(len(text) + 1)
            cut = chance.randrange(3)
            text = text[:at] + chance.choice([*pieces, ""]) + text[at + cut :]
        try:
            Pattern(text).find(doc)
            done += 1
        except PatternError as error:
            bad += 1
            places.append(error.at / len(text))
            told.append(str(error).count("\n"))
    assert done > 100
    assert bad > 100
    assert all(0 <= place <= 1 for place in places)
    assert set(told) == {2}, "a sentence, the pattern and the caret"


def random_chain(chance: random.Random) -> str:
    def word() -> str:
        inside = chance.sample(TESTS, chance.randint(0, 2))
        return chance.choice(["", "x", "y"]) + f"[{chance.choice([', ', ' | ']).join(inside)}]"

    found = word()
    for _ in range(chance.randint(0, 2)):
        found += f" {chance.choice(['', '!'])}{chance.choice(RELATIONS)} {word()}"
    return found
