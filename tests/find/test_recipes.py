"""Noun phrases, and who does what to whom, on trees of our own."""

from __future__ import annotations

from typing import Any

import pytest

from caesura import Document

SENTENCES = {
    "She is a doctor .": (
        "She/PRON/4/nsubj is/AUX/4/cop a/DET/4/det doctor/NOUN/0/root ./PUNCT/4/punct"
    ),
    "Ann and Bo sell tea and dark coffee .": (
        "Ann/PROPN/4/nsubj and/CCONJ/3/cc Bo/PROPN/1/conj sell/VERB/0/root tea/NOUN/4/obj "
        "and/CCONJ/8/cc dark/ADJ/8/amod coffee/NOUN/5/conj ./PUNCT/4/punct"
    ),
    "The crates were dropped by two gulls .": (
        "The/DET/2/det crates/NOUN/4/nsubj:pass were/AUX/4/aux:pass dropped/VERB/0/root "
        "by/ADP/7/case two/NUM/7/nummod gulls/NOUN/4/obl ./PUNCT/4/punct"
    ),
    "Mary Smith gave my brother 's friend a two year old boat .": (
        "Mary/PROPN/3/nsubj Smith/PROPN/1/flat gave/VERB/0/root my/PRON/5/nmod:poss "
        "brother/NOUN/7/nmod:poss 's/PART/5/case friend/NOUN/3/iobj a/DET/12/det two/NUM/10/nummod "
        "year/NOUN/11/obl old/ADJ/12/amod boat/NOUN/3/obj ./PUNCT/3/punct"
    ),
    "Gulls argue and want to steal a crate by the old , grey pier .": (
        "Gulls/NOUN/2/nsubj argue/VERB/0/root and/CCONJ/4/cc want/VERB/2/conj to/PART/6/mark "
        "steal/VERB/4/xcomp a/DET/8/det crate/NOUN/6/obj by/ADP/14/case the/DET/14/det "
        "old/ADJ/14/amod ,/PUNCT/13/punct grey/ADJ/14/amod pier/NOUN/8/nmod ./PUNCT/2/punct"
    ),
    "He mends nets and ropes them .": (
        "He/PRON/2/nsubj mends/VERB/0/root nets/NOUN/2/obj and/CCONJ/5/cc ropes/VERB/2/conj "
        "them/PRON/5/obj ./PUNCT/2/punct"
    ),
    'It told him to mend " nets " .': (
        "It/PRON/2/expl told/VERB/0/root him/PRON/2/obj to/PART/5/mark mend/VERB/2/xcomp "
        '"/PUNCT/7/punct nets/NOUN/5/obj "/PUNCT/7/punct ./PUNCT/2/punct'
    ),
    "no tree here": "no/DET/_/_ tree/NOUN/_/_ here/ADV/_/_",
}
PHRASES = {
    "She is a doctor .": ["She", "a doctor"],
    "Ann and Bo sell tea and dark coffee .": ["Ann", "Bo", "tea", "dark coffee"],
    "The crates were dropped by two gulls .": ["The crates", "two gulls"],
    "Mary Smith gave my brother 's friend a two year old boat .": [
        "Mary Smith",
        "my brother 's friend",
        "a two year old boat",
    ],
    "Gulls argue and want to steal a crate by the old , grey pier .": [
        "Gulls",
        "a crate",
        "the old , grey pier",
    ],
    "He mends nets and ropes them .": ["He", "nets", "them"],
    'It told him to mend " nets " .': ["him", "nets"],
    "no tree here": ["tree"],
}
TRIPLES = {
    "She is a doctor .": [],
    "Ann and Bo sell tea and dark coffee .": [
        "Ann sell tea",
        "Ann sell coffee",
        "Bo sell tea",
        "Bo sell coffee",
    ],
    "The crates were dropped by two gulls .": ["gulls dropped crates"],
    "Mary Smith gave my brother 's friend a two year old boat .": ["Mary gave boat"],
    # Who steals is the subject of a verb that has none of its own either.
    "Gulls argue and want to steal a crate by the old , grey pier .": [],
    "He mends nets and ropes them .": ["He mends nets", "He ropes them"],
    'It told him to mend " nets " .': [],
    "no tree here": [],
}


def document(text: str) -> Document:
    """A document of one of the sentences above."""
    rows = []
    for number, item in enumerate(SENTENCES[text].split(" "), 1):
        form, upos, head, deprel = item.split("/")
        lemma = form.lower()
        rows.append(f"{number}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n")
    return Document.from_conllu("".join(rows) + "\n")


@pytest.mark.parametrize("text", SENTENCES)
def test_noun_phrases(text: str) -> None:
    doc = document(text)
    assert [phrase.text for phrase in doc.noun_phrases] == PHRASES[text]


@pytest.mark.parametrize("text", SENTENCES)
def test_triples(text: str) -> None:
    doc = document(text)
    assert [" ".join(word.form for word in triple) for triple in doc.triples] == TRIPLES[text]


def test_a_triple_has_names() -> None:
    [triple] = document("The crates were dropped by two gulls .").triples
    assert (triple.subject.form, triple.verb.form, triple.object.form) == (
        "gulls",
        "dropped",
        "crates",
    )


def test_documents_of_several_sentences() -> None:
    docs = [document(text) for text in SENTENCES]
    whole = Document.join(docs)
    assert [p.text for p in whole.noun_phrases] == [p for text in SENTENCES for p in PHRASES[text]]
    assert len(whole.triples) == sum(len(TRIPLES[text]) for text in SENTENCES)
    assert Document().noun_phrases == []
    assert Document(text="a text alone").triples == []


# ------------------------------------------------------------------------- spaCy

PARSED = [text for text in SENTENCES if text != "no tree here"]


@pytest.fixture(scope="module")
def nlp() -> Any:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    made = spacy.blank("en")
    made.add_pipe("caesura")
    return made


@pytest.mark.parametrize("text", PARSED)
def test_noun_chunks_of_spacy_agree(nlp: Any, text: str) -> None:
    """Of a Doc that we made, one that came out of a DocBin, and one without what we know of it."""
    from spacy.tokens import DocBin

    made = document(text).to_spacy(nlp.vocab)
    assert [chunk.text for chunk in made.noun_chunks] == PHRASES[text]
    for along in (True, False):
        data = DocBin(docs=[made], store_user_data=along).to_bytes()
        [again] = DocBin().from_bytes(data).get_docs(nlp.vocab)
        if along or {token.dep_ for token in made} & {"obj", "iobj", "obl", "cop"}:
            assert [chunk.text for chunk in again.noun_chunks] == PHRASES[text]
            [sent] = again.sents
            assert len(list(sent.noun_chunks)) == len(PHRASES[text])


def test_noun_chunks_of_the_component(nlp: Any) -> None:
    """Spaces that are tokens of spaCy and none of ours do not shift them."""

    class Fixed:
        def batch(self, sources: list[Document], keep: tuple[str, ...]) -> list[Document]:
            found = document("He mends nets and ropes them .")
            for source in sources:
                for name in ("head", "upos", "deprel", "lemma"):
                    if name == "head":
                        source.head = found.head
                    else:
                        source.set_column(name, found.column(name))
            return sources

    nlp.get_pipe("caesura")._pipeline = Fixed()
    doc = nlp("  He  mends nets\n\nand ropes them .")
    assert [chunk.text for chunk in doc.noun_chunks] == ["He", "nets", "them"]


def test_docs_of_others_keep_their_iterator(nlp: Any) -> None:
    """A vocabulary may serve models with labels of spaCy's own."""
    from spacy.tokens import Doc

    doc = Doc(
        nlp.vocab,
        words=["He", "mends", "nets"],
        pos=["PRON", "VERB", "NOUN"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "dobj"],
    )
    assert [chunk.text for chunk in doc.noun_chunks] == ["He", "nets"]
    bare = Doc(nlp.vocab, words=["He"])
    with pytest.raises(ValueError, match="E029"):
        list(bare.noun_chunks)
