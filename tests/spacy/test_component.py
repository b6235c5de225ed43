"""Caesura inside the real spaCy: sentences, tags and trees on Docs, our tokens, there and back."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from caesura.constraints import keep as keep_only
from caesura.document import NO, ROOT, YES, Document
from tests.pipeline.tiny import TEXT, treebank

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
ours = import_module("caesura.spacy")

ROOT_FOLDER = Path(__file__).parents[2]


class Rules:
    """Stands for a pipeline: a sentence ends with its full stop, its first word is the root."""

    def batch(self, sources: Sequence[Document], keep: Sequence[str] = ()) -> list[Document]:
        assert "tokens" in keep
        return [self.one(keep_only(source, keep)) for source in sources]

    def one(self, doc: Document) -> Document:
        doc = doc.cut(0, doc.n_tokens)
        forms = doc.column("form")
        starts = doc.word_sent_start.copy()
        first = 0
        heads = []
        for word in range(len(forms)):
            begins = word == 0 or forms[word - 1] == "." or starts[word] == YES
            if begins:
                first = word
            heads.append(ROOT if begins else first)
        doc.head = np.array(heads, np.int32)
        token = doc.word_token[np.flatnonzero(doc.head == ROOT)]
        doc.sent_start = np.full(doc.n_tokens, NO, np.int8)
        doc.sent_start[token] = YES
        doc.set_column("deprel", ["root" if h == ROOT else "nsubj" for h in heads])
        doc.set_column("upos", ["PUNCT" if form == "." else "NOUN" for form in forms])
        doc.set_column("xpos", ["NN"] * len(forms))
        doc.set_column("lemma", [form.lower() for form in forms])
        doc.set_column("feats", ["Number=Sing"] * len(forms))
        return doc

    @property
    def tokenizer(self) -> Any:
        return SimpleNamespace(tokens_of=self.tokens_of)

    def tokens_of(self, text: str) -> Document:
        """Words at spaces; `didn't` is a token of two words."""
        spans, at = [], 0
        for part in text.split(" "):
            end = at + len(part)
            if part.endswith(".") and len(part) > 1:
                spans += [(at, end - 1), (end - 1, end)]
            elif part:
                spans.append((at, end))
            at = end + 1
        doc = Document.from_spans(text, [a for a, _ in spans], [b for _, b in spans])
        words: list[str] = []
        tokens: list[int] = []
        for token, (a, b) in enumerate(spans):
            parts = ["did", "n't"] if text[a:b] == "didn't" else [text[a:b]]
            words += parts
            tokens += [token] * len(parts)
        doc.word_token = np.array(tokens, np.int32)
        doc.form = doc.strings.ids(words)
        doc.blank_words()
        return doc


@pytest.fixture
def nlp() -> Any:
    made = spacy.blank("en")
    component = made.add_pipe("caesura")
    component._pipeline = Rules()
    return made


def test_the_component_sets_sentences_tags_lemmas_and_trees(nlp: Any) -> None:
    doc = nlp("Gulls argue loudly. Nobody asks.")
    assert [sent.text for sent in doc.sents] == ["Gulls argue loudly.", "Nobody asks."]
    assert [token.head.text for token in doc][:4] == ["Gulls"] * 4
    assert doc[0].dep_ == "ROOT"
    assert doc[1].dep_ == "nsubj"
    assert (doc[1].pos_, doc[1].tag_, doc[1].lemma_) == ("NOUN", "NN", "argue")
    assert str(doc[1].morph) == "Number=Sing"
    for name in ("SENT_START", "TAG", "POS", "LEMMA", "DEP", "HEAD", "MORPH"):
        assert doc.has_annotation(name), name


def test_tokens_of_another_tokenizer_are_kept(nlp: Any) -> None:
    text = "  They didn't.\n\nNobody knows.  "
    doc = nlp(text)
    assert doc.text == text
    assert [t.text for t in doc] == [t.text for t in spacy.blank("en")(text)]
    assert [sent.text.strip() for sent in doc.sents] == ["They didn't.", "Nobody knows."]


def test_many_and_none(nlp: Any) -> None:
    texts = ["One came. Two left.", "", "   ", "Three."] * 3
    docs = list(nlp.pipe(texts, batch_size=5))
    assert [doc.text for doc in docs] == texts
    assert [len(list(doc.sents)) for doc in docs[::4]] == [2, 2, 2]


def test_our_tokenizer_keeps_our_words() -> None:
    config = {"nlp": {"tokenizer": {"@tokenizers": "caesura.Tokenizer.v1", "model": "en"}}}
    nlp = spacy.blank("en", config=config)
    nlp.tokenizer._pipeline = Rules()
    doc = nlp("They didn't come.")
    assert [token.text for token in doc] == ["They", "did", "n't", "come", "."]
    assert doc._.mwt == [[1, 3, "didn't"]]
    component = nlp.add_pipe("caesura")
    component._pipeline = Rules()
    doc = nlp("They didn't come.")
    assert [sent.text for sent in doc.sents]
    back = ours.from_spacy(doc)
    assert back.text == "They didn't come."
    assert [token.text for token in back.tokens] == ["They", "didn't", "come", "."]
    assert back.column("form") == ["They", "did", "n't", "come", "."]
    assert back.head.tolist() == [ROOT, 0, 0, 0, 0]
    assert back.column("upos")[0] == "NOUN"


def test_sentence_starts_can_be_kept() -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("caesura", config={"keep_sentences": True})
    component._pipeline = Rules()
    doc = nlp.make_doc("so it goes on and on")
    for token in doc:
        token.is_sent_start = token.i in (0, 3)
    assert [sent.text for sent in component(doc).sents] == ["so it goes", "on and on"]


def test_there_and_back_again(nlp: Any) -> None:
    """What a document of ours says survives spaCy, DocBin included."""
    from spacy.tokens import DocBin

    for doc in treebank():
        made = ours.to_spacy(doc, nlp.vocab)
        data = DocBin(docs=[made], store_user_data=True).to_bytes()
        [again] = DocBin().from_bytes(data).get_docs(nlp.vocab)
        back = ours.from_spacy(again)
        assert back.contents() | {"source": None} == doc.contents() | {"source": None}


def test_a_pipeline_can_be_saved_without_the_model(nlp: Any, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    assert again.pipe_names == ["caesura"]
    assert again.get_pipe("caesura").model == "en"


def test_the_entry_points_lead_to_them() -> None:
    project = tomllib.loads((ROOT_FOLDER / "pyproject.toml").read_text(encoding="utf-8"))
    points = project["project"]["entry-points"]
    for group, name in (
        ("spacy_factories", "caesura"),
        ("spacy_tokenizers", "caesura.Tokenizer.v1"),
    ):
        module, _, attribute = points[group][name].partition(":")
        assert callable(getattr(import_module(module), attribute))


def test_a_model_that_is_not_there_is_told_of() -> None:
    from caesura.errors import ModelError

    nlp = spacy.blank("en")
    nlp.add_pipe("caesura", config={"model": "no-such-model"})
    with pytest.raises(ModelError, match="no-such-model"):
        nlp("a b")


def test_a_real_pipeline_in_spacy(tiny_model: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("caesura", config={"model": str(tiny_model)})
    doc = nlp(TEXT)
    assert doc.text == TEXT
    assert len(list(doc.sents)) > 3
    for sent in doc.sents:
        assert sum(token.dep_ == "ROOT" for token in sent) == 1
