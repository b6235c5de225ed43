"""Changes to documents, on small documents of our own."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, token_turn
from caesura.document.schema import Floats, Ints, Longs, column
from caesura.document.trees import crossing_arcs, nonprojective
from caesura.errors import UsageError
from caesura.transform import (
    LAYOUTS,
    deal,
    drop,
    drop_punct,
    hard_wrapped,
    keep,
    lower,
    one_line_paragraphs,
    projectivise,
    relaid,
    speech,
)


def build(*sentences: list[tuple[str, str, int, str]], gap: str = " ") -> Document:
    """A document of sentences of (form, upos, head from 1 in the sentence, deprel)."""
    text, starts, ends, sent_start, heads = "", [], [], [], []
    for sentence in sentences:
        base = len(starts)
        for i, (form, _, head, _) in enumerate(sentence):
            starts.append(len(text))
            text += form
            ends.append(len(text))
            text += gap
            sent_start.append(YES if i == 0 else NO)
            heads.append(base + head - 1 if head > 0 else (ROOT if head == 0 else UNKNOWN))
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = np.array(sent_start, dtype=np.int8)
    doc.head = np.array(heads, dtype=np.int32)
    rows = [row for sentence in sentences for row in sentence]
    doc.set_column("upos", [row[1] for row in rows])
    doc.set_column("deprel", [row[3] for row in rows])
    doc.set_column("lemma", [row[0] for row in rows])
    doc.check()
    return doc


MAY = [("May", "PROPN", 2, "nsubj"), ("sings", "VERB", 0, "root"), ("!", "PUNCT", 2, "punct")]


def heads(doc: Document) -> list[int]:
    return doc.head.tolist()


def test_speech_is_lower_case_without_punctuation() -> None:
    doc = speech(build(MAY, MAY))
    doc.check()
    assert doc.text == "may sings may sings"
    assert doc.column("form") == ["may", "sings", "may", "sings"]
    assert doc.column("lemma") == ["may", "sings", "may", "sings"]
    assert heads(doc) == [1, ROOT, 3, ROOT]
    assert doc.sent_start.tolist() == [YES, NO, YES, NO]
    assert [token.text for token in doc.tokens] == doc.column("form")


@pytest.mark.parametrize(
    ("forms", "before", "after"),
    [
        ("so ( , go", (3, 4, 2, 0), [1, ROOT]),  # words climb to the closest kept ancestor
        ("— one two three", (0, 1, 1, 3), [ROOT, 0, 1]),  # the first orphan becomes the root
        ("… so go", (0, 1, 0), [1, ROOT]),  # orphans join a root that is kept
        ("a , ;", (2, 3, 2), [UNKNOWN]),  # a cycle of marks leaves the head unknown
    ],
)
def test_words_under_marks(forms: str, before: tuple[int, ...], after: list[int]) -> None:
    rows = zip(forms.split(), before, strict=True)
    doc = speech(
        build(
            [
                (form, "X" if form.isalpha() else "PUNCT", head, "dep" if head else "root")
                for form, head in rows
            ]
        )
    )
    assert doc.column("form") == [form for form in forms.split() if form.isalpha()]
    assert heads(doc) == after
    assert doc.column("deprel") == ["root" if head == ROOT else "dep" for head in after]


def test_sentences_of_marks_disappear_and_their_newdoc_moves_on() -> None:
    doc = build([("***", "PUNCT", 0, "root")], MAY)
    doc.comments = {
        0: ("# newdoc id = a", "# sent_id = 1", "# text = ***"),
        1: ("# sent_id = 2", "# text = May sings !", "# gloss = x"),
    }
    doc.paragraph_start = np.array([0, 4])
    new = speech(doc)
    assert new.n_sentences == 1
    assert new.comments == {0: ("# newdoc id = a", "# sent_id = 2", "# text = may sings")}
    assert not len(new.paragraph_start)


def test_a_document_of_marks_alone_comes_back_empty() -> None:
    doc = speech(build([("...", "PUNCT", 0, "root")]))
    assert doc.n_tokens == doc.n_words == 0
    assert doc.text == ""
    doc.check()


def test_case_is_kept_by_drop_punct() -> None:
    assert drop_punct(build(MAY)).text == "May sings"


@pytest.mark.parametrize(
    ("marks", "text"),
    [*((marks, "may sings") for marks in ("auto", "xpos", "unicode", ". ,")), ("NNP", "sings !")],
)
def test_punctuation_without_upos(marks: str, text: str) -> None:
    doc = build(MAY)
    doc.set_column("upos", ["", "", ""])
    doc.set_column("xpos", ["NNP", "VBZ", "."])
    assert speech(doc, marks=marks).text == text


def test_unknown_boundaries_stay_unknown() -> None:
    doc = build(MAY)
    doc.sent_start[:] = MAYBE
    assert speech(doc).sent_start.tolist() == [MAYBE, MAYBE]


def test_speech_leaves_its_argument_alone() -> None:
    doc = build(MAY)
    before = doc.contents()
    speech(doc)
    lower(doc)
    assert doc.contents() == before


def test_phrases_lose_their_empty_branches() -> None:
    doc = build(MAY)
    doc.node_label = doc.strings.ids(["S", "NP", "", "VP", "", "PRN", ""])
    doc.node_parent = np.array([-1, 0, 1, 0, 3, 0, 5], dtype=np.int32)
    doc.node_leaf = np.array([-1, -1, 0, -1, 1, -1, 2], dtype=np.int32)
    new = speech(doc)
    assert new.strings.take(new.node_label) == ["S", "NP", "", "VP", ""]
    assert new.node_parent.tolist() == [-1, 0, 1, 0, 3]
    assert new.node_leaf.tolist() == [-1, -1, 0, -1, 1]


def test_turns_follow_their_words() -> None:
    doc = build(MAY, [("?", "PUNCT", 0, "root")], MAY)
    doc.turn_start = doc.token_start[[0, 3, 4]]
    doc.turn_end = doc.token_end[[2, 3, 6]]
    doc.turn_speaker = doc.strings.ids(["A", "B", "A"])
    doc.turn_time = np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0]])
    new = speech(doc)
    spans = zip(new.turn_start.tolist(), new.turn_end.tolist(), strict=True)
    assert [new.text[a:b] for a, b in spans] == ["may sings", "may sings"]
    assert new.turn_time.tolist() == [[0.0, 1.0], [2.0, 3.0]]


def contraction() -> Document:
    """`Don't go.` of the words do, n't, go and a full stop, said by Ann."""
    doc = Document.from_spans("Don't go.", [0, 6, 8], [5, 8, 9])
    doc.word_token = np.array([0, 0, 1, 2], dtype=np.int32)
    doc.form = doc.strings.ids(["Do", "n't", "go", "."])
    doc.upos = doc.strings.ids(["AUX", "PART", "VERB", "PUNCT"])
    doc.blank_words()
    doc.sent_start = np.array([YES, NO, NO], dtype=np.int8)
    doc.head = np.array([2, 2, ROOT, 2], dtype=np.int32)
    doc.comments = {0: ("# sent_id = 1", "# text = Don't go.")}
    doc.turn_start, doc.turn_end = np.array([0]), np.array([9])
    doc.turn_speaker, doc.turn_time = doc.strings.ids(["Ann"]), np.array([[0.0, 1.0]])
    doc.sent_conf = np.array([1.0, 0.25, 0.5], dtype=np.float32)
    doc.check()
    return doc


def test_speech_takes_multiword_tokens_apart_unless_tokens_stay_whole() -> None:
    assert speech(contraction()).text == "do n't go"
    doc = speech(contraction(), whole_tokens=True)
    doc.check()
    assert doc.text == "don't go"
    assert [token.text for token in doc.tokens] == ["don't", "go"]
    assert doc.column("form") == ["do", "n't", "go"]
    assert doc.word_token.tolist() == [0, 0, 1]
    assert heads(doc) == [2, 2, ROOT]
    assert doc.comments == {0: ("# sent_id = 1", "# text = don't go")}
    assert (doc.turn_start.tolist(), doc.turn_end.tolist()) == ([0], [8])
    assert doc.sent_conf is not None
    assert doc.sent_conf.tolist() == [1.0, 0.25]


def test_a_token_with_one_word_that_is_no_punctuation_stays_whole() -> None:
    doc = contraction()
    doc.set_column("upos", ["AUX", "PUNCT", "PUNCT", "PUNCT"])
    assert speech(doc, whole_tokens=True).text == "don't"


@pytest.mark.parametrize(
    ("text", "kept"), [("May sings !", "may sings"), ("— 3 ʼ é", "3 é"), ("… *", "")]
)
def test_whole_tokens_without_tags_are_told_by_their_characters(text: str, kept: str) -> None:
    starts = [i for i in range(len(text)) if i == 0 or text[i - 1] == " "]
    doc = Document.from_spans(text, starts, [*[start - 1 for start in starts[1:]], len(text)])
    assert speech(doc, whole_tokens=True).text == kept
    assert speech(doc).text == " ".join(w for w in text.lower().split() if w not in "!—…*")


def test_other_lines_keep_the_offsets() -> None:
    doc = build(*[MAY] * 20, gap="  ")
    doc = Document.from_spans(doc.text.replace("!  ", "!\n\n"), doc.token_start, doc.token_end)
    for copy in (one_line_paragraphs(doc), hard_wrapped(doc, 7)):
        copy.check()
        assert len(copy.text) == len(doc.text)
        assert [token.text for token in copy.tokens] == [token.text for token in doc.tokens]
    assert "\n\n" not in one_line_paragraphs(doc).text
    assert max(map(len, hard_wrapped(doc, 7).text.split("\n"))) <= 8


@dataclass(eq=False, repr=False)
class Sung(Document):
    """A document with a column of each kind that it did not have."""

    pitch: Ints = column("word", dtype=np.int32, unknown=0)
    echo: Ints = column("word", "words", unknown=UNKNOWN)
    loud: Floats | None = column("token", dtype=np.float32, optional=True)
    breath: Longs = column("paragraph", "offsets")


def sung() -> Sung:
    plain = contraction()
    doc = Sung(**{field.name: getattr(plain, field.name) for field in fields(plain)})
    doc.pitch = np.array([1, 2, 3, 4], dtype=np.int32)
    doc.echo = np.array([3, UNKNOWN, 0, 2], dtype=np.int32)
    doc.loud = np.array([0.5, 1.0, 0.0], dtype=np.float32)
    doc.breath = np.array([0, 6])
    return doc


def test_columns_of_ones_own_follow() -> None:
    spoken = speech(sung())
    assert isinstance(spoken, Sung)
    assert spoken.pitch.tolist() == [1, 2, 3]
    assert spoken.echo.tolist() == [UNKNOWN, UNKNOWN, 0]  # the mark is gone
    assert spoken.loud is not None
    assert spoken.loud.tolist() == [0.5, 0.5, 1.0]
    apart = drop(sung(), ["multiword"])
    assert isinstance(apart, Sung)
    assert apart.text == "Do n't go."
    assert apart.loud is not None
    assert apart.loud.tolist() == [0.5, 0.5, 1.0, 0.0]
    assert apart.breath.tolist() == [0, 7]
    doc = sung()
    doc.text = "İon't go."
    assert lower(doc).breath.tolist() == [0, 7]  # type: ignore[attr-defined]


def test_lower_keeps_offsets_where_letters_grow() -> None:
    doc = build([("İzmir", "PROPN", 2, "nsubj"), ("ΟΔΟΣ", "NOUN", 0, "root")])
    doc.paragraph_start = np.array([0, int(doc.token_start[1])])
    new = lower(doc)
    new.check()
    assert [token.text for token in new.tokens] == ["i̇zmir", "οδος"] == new.column("form")
    assert new.paragraph_start.tolist() == [0, int(new.token_start[1])]


def test_dropped_columns_are_unknown() -> None:
    doc = drop(build(MAY), ["lemma", "head", "deprel"])
    assert doc.column("lemma") == ["", "", ""]
    assert heads(doc) == [UNKNOWN] * 3
    assert doc.column("upos") == ["PROPN", "VERB", "PUNCT"]


def test_kept_columns_stay_and_others_go() -> None:
    doc = keep(build(MAY), ["upos"])
    assert doc.column("upos") == ["PROPN", "VERB", "PUNCT"]
    assert doc.column("deprel") == ["", "", ""]
    assert doc.sent_start.tolist() == [YES, NO, NO]


def test_an_unknown_column_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no column colour.*lemma, upos"):
        drop(build(MAY), ["colour"])


def test_multiword_tokens_come_apart() -> None:
    doc = Document(text="I don't.")
    doc.token_start, doc.token_end = np.array([0, 2, 7]), np.array([1, 7, 8])
    doc.sent_start = np.array([YES, NO, NO], dtype=np.int8)
    doc.token_misc = np.zeros(3, dtype=np.int32)
    doc.word_token = np.array([0, 1, 1, 2], dtype=np.int32)
    doc.form = doc.strings.ids(["I", "do", "n't", "."])
    doc.blank_words()
    doc.paragraph_start = np.array([0, 7])
    doc.check()
    new = drop(doc, ["multiword"])
    new.check()
    assert new.text == "I do n't."
    assert [token.text for token in new.tokens] == ["I", "do", "n't", "."]
    assert new.paragraph_start.tolist() == [0, 8]
    assert speech(doc).text == "i do n't"


def test_documents_are_dealt_whole() -> None:
    docs = [build(MAY, MAY), build(MAY), build(MAY), build(MAY)]
    docs[3].continues = True
    assert [number for number, _ in deal(docs, 2)] == [0, 1, 1, 1]


TREES = st.integers(2, 9).flatmap(
    lambda n: st.lists(st.integers(-1, n - 1), min_size=n, max_size=n).map(_to_tree)
)


def _to_tree(parents: list[int]) -> np.ndarray:
    """Any list of heads made a tree: an arc that closes a cycle goes to the root."""
    heads = [ROOT] * len(parents)
    for word, head in enumerate(parents):
        above = head
        while above >= 0 and above != word:
            above = heads[above]
        heads[word] = head if above == ROOT else ROOT
    return np.array(heads, dtype=np.int32)


def _arcs_cross(heads: np.ndarray) -> bool:
    arcs = [sorted((head, word)) for word, head in enumerate(heads.tolist())]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_lifted_trees_are_projective(tree: np.ndarray) -> None:
    assert nonprojective(tree) == _arcs_cross(tree) == bool(crossing_arcs(tree).any())
    n = len(tree)
    doc = build([("w", "X", int(head) + 1, "dep") for head in tree])
    new = projectivise(doc)
    assert not nonprojective(new.head)
    assert len(_to_tree(new.head.tolist())) == n
    assert (_to_tree(new.head.tolist()) == new.head).all()
    if not nonprojective(tree):
        assert new.head.tolist() == tree.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TREES, st.lists(st.booleans(), min_size=9, max_size=9)), min_size=1))
def test_speech_trees_are_trees_inside_their_sentences(
    sentences: list[tuple[np.ndarray, list[bool]]],
) -> None:
    doc = build(
        *(
            [
                ("W", "PUNCT" if mark else "X", int(head) + 1, "dep")
                for head, mark in zip(tree, marks, strict=False)
            ]
            for tree, marks in sentences
        )
    )
    new = speech(doc)
    new.check()
    bounds = new.first_word[new.sentence_bounds].tolist()
    for begin, end in pairwise(bounds):
        local = [head - begin if head >= 0 else head for head in new.head[begin:end].tolist()]
        assert all(-1 <= head < end - begin for head in local)
        assert _to_tree(local).tolist() == local
        assert ROOT in local


# ------------------------------------------------------------------ laid out anew


def story() -> Document:
    """Two paragraphs with trees."""
    text = (
        "The harbour master counted the returning boats. Nobody answered him. "
        "Eventually everybody remembered.\n\nThen the evening ended."
    )
    spans = [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]
    doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
    forms = doc.column("form")
    starts = [0, *(i + 1 for i, form in enumerate(forms[:-1]) if form == ".")]
    doc.sent_start = np.zeros(doc.n_tokens, np.int8)
    doc.sent_start[starts] = YES
    opens = [max(s for s in starts if s <= i) for i in range(len(forms))]
    doc.head = np.array([ROOT if i == s else s for i, s in enumerate(opens)], np.int32)
    doc.set_column("upos", ["PUNCT" if form == "." else "X" for form in forms])
    doc.set_column("deprel", ["root" if i in starts else "dep" for i in range(len(forms))])
    doc.paragraph_start = np.array([0, text.index("Then")])
    doc.comments = {0: ("# sent_id = 1", "# text = stale"), starts[1]: ("# sent_id = 2",)}
    doc.check()
    return doc


def sentences(doc: Document) -> list[list[str]]:
    return [[word.form for word in sentence.words] for sentence in doc.sentences]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(4))
def test_words_laid_out_anew_are_the_same_words(layout: str, seed: int) -> None:
    doc = story()
    copy = relaid(doc, np.random.default_rng(seed), layout, width=22)
    copy.check()
    again = relaid(story(), np.random.default_rng(seed), layout, width=22)
    assert copy.contents() == again.contents()
    assert doc.contents() == story().contents()
    for token in copy.tokens:
        form, surface = token.words[0].form, copy.text[token.start : token.end]
        assert surface == form or re.sub(r"-\n", "", surface) == form
    if layout == "chat":
        assert [len(sentence) for sentence in sentences(copy)] in ([8, 4, 4, 5], [7, 3, 3, 4])
        return
    kept = [word for word in copy.words if word.form not in ("-", "*", "•")]
    assert [word.form for word in kept] == doc.column("form")
    assert [word.upos for word in kept] == doc.column("upos")
    assert [word.deprel for word in kept] == doc.column("deprel")
    heads = [word.head.form if word.head else None for word in doc.words]
    assert [word.head.form if word.head else None for word in kept] == heads
    assert copy.n_sentences == doc.n_sentences
    assert [c for t in sorted(copy.comments) for c in copy.comments[t]] == [
        "# sent_id = 1",
        "# sent_id = 2",
    ]


def test_layouts_look_as_they_are_called() -> None:
    def lines(layout: str, seed: int = 1) -> list[str]:
        return relaid(story(), np.random.default_rng(seed), layout, width=24).text.split("\n")

    assert max(map(len, lines("wrapped"))) <= 24
    assert any(line.endswith("-") and line[-2:-1].isalpha() for line in lines("hyphenated", 2))
    assert "Nobody answered him." in lines("lines")
    assert [line.strip()[:1] for line in lines("list")][1:3] in (["-"] * 2, ["*"] * 2, ["•"] * 2)
    assert lines("double-spaced")[1::2][0] == ""
    assert "" not in lines("no blank lines")


def test_bullets_are_words_of_their_sentences() -> None:
    copy = relaid(story(), np.random.default_rng(1), "list")
    bullets = [word for word in copy.words if word.upos == "PUNCT" and word.form != "."]
    assert len(bullets) == 2
    for bullet in bullets:
        assert bullet.deprel == "punct"
        assert bullet.head is not None
        assert bullet.head.deprel == "root"
        assert bullet.token.index in copy.sentence_bounds.tolist()


def test_turns_go_along() -> None:
    doc = story()
    doc.turn_start, doc.turn_end = np.array([0, 48]), np.array([47, len(doc.text)])
    doc.turn_speaker, doc.turn_time = doc.strings.ids(["a", "b"]), np.zeros((2, 2))
    copy = relaid(doc, np.random.default_rng(3), "wrapped", width=18)
    assert token_turn(copy).tolist() == token_turn(doc).tolist()
