"""Random documents for property tests: texts, tokens, trees, comments and all the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from caesura.document import MAYBE, NO, ROOT, UNKNOWN, YES, Document, EmptyNode, KBestTags

#: Characters of surface tokens: letters, marks, symbols, an astral character, MISC's own marks.
LETTERS = "abcXYZäß漢字ا'’-_.,?!|\\=/()&<𝄞0129"
forms = st.text(LETTERS, min_size=1, max_size=6)
labels = st.sampled_from(["", "nsubj", "obl:tmod", "X", "NN-SBJ", "VERB", "a|b", "*"])
gaps = st.sampled_from(["", " ", " ", " ", "  ", "\n", "\n\n", " \t", "\r\n", "\u00a0"])
_features = st.sampled_from(["", "Case=Nom", "Case=Nom|Number=Sing", "Abbr=Yes"])
_misc = st.sampled_from(["", "Gloss=x", "SpaceAfter=No", "Entity=(a|Bridge=b", "Ref=1"])


def unit_floats(n: int) -> st.SearchStrategy[Any]:
    values = st.floats(0, 1, width=32) | st.just(float("nan"))
    return st.lists(values, min_size=n, max_size=n).map(lambda v: np.array(v, dtype=np.float32))


@st.composite
def token_texts(draw: st.DrawFn, *, max_tokens: int = 12, free_gaps: bool = True) -> Document:
    """A text with its tokens and sentence starts, nothing else."""
    n = draw(st.integers(1, max_tokens))
    surfaces = draw(st.lists(forms, min_size=n, max_size=n))
    between = draw(st.lists(gaps, min_size=n + 1, max_size=n + 1)) if free_gaps else []
    text = between[0] if between else ""
    starts, ends = [], []
    for i, surface in enumerate(surfaces):
        starts.append(len(text))
        text += surface
        ends.append(len(text))
        text += between[i + 1] if between else (" " if i + 1 < n else "")
    doc = Document.from_spans(text, starts, ends)
    sent = draw(st.lists(st.sampled_from([NO, NO, YES]), min_size=n, max_size=n))
    doc.sent_start = np.array([YES, *sent[1:]], dtype=np.int8)
    return doc


@st.composite
def documents(
    draw: st.DrawFn,
    *,
    max_tokens: int = 12,
    trees: bool = True,
    multiword: bool = True,
    comments: bool = True,
    unknown: bool = True,
    extras: bool = False,
) -> Document:
    """A document with words, tags, heads (within sentences) and comments.

    `unknown` allows unknown heads; `extras` adds what only JSON Lines can hold.
    """
    doc = draw(token_texts(max_tokens=max_tokens))
    doc.id = draw(st.sampled_from([None, "d1", "weblog/2"]))
    if multiword:
        sizes = draw(
            st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=doc.n_tokens, max_size=doc.n_tokens)
        )
        _split_tokens(draw, doc, sizes)
    n = doc.n_words

    def column(strategy: st.SearchStrategy[str]) -> list[str]:
        return draw(st.lists(strategy, min_size=n, max_size=n))

    lemmas = column(st.just("") | forms)
    for i, form in enumerate(doc.column("form")):
        # CoNLL-U writes an unknown lemma like the lemma `_`, and tells them apart by FORM.
        if lemmas[i] in ("_", "") and (form == "_") != (lemmas[i] == "_"):
            lemmas[i] = "_" if form == "_" else ""
    doc.set_column("lemma", lemmas)
    for name in ("upos", "xpos", "deprel"):
        doc.set_column(name, column(labels))
    doc.set_column("feats", column(_features))
    if trees:
        doc.head = _heads(draw, doc, unknown)
    if comments:
        _comment(draw, doc)
    if extras:
        _extras(draw, doc)
    doc.check()
    return doc


def _split_tokens(draw: st.DrawFn, doc: Document, sizes: list[int]) -> None:
    doc.word_token = np.repeat(np.arange(doc.n_tokens), sizes).astype(np.int32)
    values = []
    misc = []
    for token, size in zip(list(doc.tokens), sizes, strict=True):
        values += [token.text] if size == 1 else draw(st.lists(forms, min_size=size, max_size=size))
        misc.append(draw(_misc) if size > 1 else "")
    doc.form = np.zeros(0, dtype=np.int32)
    doc.blank_words()
    doc.set_column("form", values)
    doc.token_misc = doc.strings.ids(misc)


def _heads(draw: st.DrawFn, doc: Document, unknown: bool) -> np.ndarray:
    heads = []
    for sentence in doc.sentences:
        first, last = sentence.first_word, sentence.last_word
        others = [ROOT, UNKNOWN] if unknown else [ROOT]
        values = st.integers(first, last - 1) | st.sampled_from(others)
        heads += draw(st.lists(values, min_size=last - first, max_size=last - first))
    return np.array(heads, dtype=np.int32)


def _comment(draw: st.DrawFn, doc: Document) -> None:
    bounds = doc.sentence_bounds.tolist()
    paragraphs = []
    for s, token in enumerate(bounds[:-1]):
        own = []
        if s == 0 and doc.id:
            own.append(f"# newdoc id = {doc.id}")
        if draw(st.booleans()):
            own.append("# newpar")
            paragraphs.append(int(doc.token_start[token]))
        own += draw(st.sampled_from([[], [f"# sent_id = s{s}"], ["# note", "#x = y"]]))
        doc.comments[token] = tuple(own)
    doc.paragraph_start = np.array(paragraphs, dtype=np.int64)


def _extras(draw: st.DrawFn, doc: Document) -> None:
    n, m = doc.n_tokens, doc.n_words
    doc.sent_conf = draw(unit_floats(n))
    doc.start_evidence = draw(st.none() | unit_floats(n))
    doc.tag_conf, doc.arc_conf = draw(unit_floats(m)), draw(unit_floats(m))
    doc.set_column("misc", draw(st.lists(_misc, min_size=m, max_size=m)))
    doc.empty_nodes = [EmptyNode(0, 1, "e", deps="1:dep"), EmptyNode(-1, 1, misc="x=y")]
    doc.fixed = draw(st.sampled_from([frozenset(), frozenset({"tokens", "heads"})]))
    doc.trailer = draw(st.sampled_from([(), ("# the end",)]))
    options = doc.strings.ids(["NOUN", "VERB"] * m).reshape(m, 2)
    sure = np.full((m, 2), 0.5, dtype=np.float32)
    doc.tag_options = KBestTags("upos", options, sure)
    if draw(st.booleans()):
        others = {"xpos": options[:, ::-1].copy()}
        doc.tag_options = KBestTags("upos", options, sure, others, np.zeros(m, dtype=np.int32))
    end = len(doc.text)
    doc.turn_start, doc.turn_end = np.array([0]), np.array([end])
    doc.turn_speaker = doc.strings.ids(["Ann"])
    doc.turn_time = np.array([[1.5, np.nan]])
    doc.markup_start, doc.markup_end = np.array([0]), np.array([min(1, end)])
    doc.markup_label = doc.strings.ids(["em"])
    doc.node_label = doc.strings.ids(["S", "X", "-NONE-"])
    doc.node_parent = np.array([-1, 0, 0], dtype=np.int32)
    doc.node_leaf = np.array([-1, 0, -2], dtype=np.int32)
    doc.sent_start[1:] = np.where(doc.sent_start[1:] == NO, MAYBE, doc.sent_start[1:])
