"""A network of many languages: FEATS by attribute, masks by language, a vector for each."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caesura.document import Document
from caesura.errors import ModelError
from caesura.learn.network.examples import (
    DECISIONS,
    IGNORE,
    Examples,
    Labels,
    by_temperature,
    labels_of,
    prepare,
)
from caesura.learn.network.export import finish
from caesura.learn.network.pretrained import EncoderShape
from caesura.models.file import Part
from caesura.stages.lemmas import rule_of
from caesura.stages.network import NeuralParser
from caesura.stages.network_labels import Attributes, Languages
from caesura.stages.network_lemmas import LemmaLexicon
from caesura.stages.network_options import SearchSettings
from tests.encoders import character_pieces
from tests.neural.small import harbour, small_network

PAIRS = ("Case=Gen", "Case=Nom", "Number=Plur", "Number=Sing", "Tense=Past")


def tagged(feats: list[str]) -> Document:
    text = " ".join("w" for _ in feats)
    doc = Document.from_spans(text, range(0, len(text), 2), range(1, len(text) + 1, 2))
    doc.feats = doc.strings.ids(feats).astype(np.int32)
    doc.upos = doc.strings.ids(["X"] * len(feats)).astype(np.int32)
    return doc


# -------------------------------------------------------------------- attributes


def test_values_are_numbers_by_attribute() -> None:
    attributes = Attributes(PAIRS)
    absent = [name for name in attributes.named_columns if name.endswith("=")]
    assert absent == ["Case=", "Number=", "Tense="]
    assert attributes.sizes == (3, 3, 2)
    doc = tagged(["Case=Nom|Number=Sing", "", "Tense=Past|Voice=Pass"])
    assert attributes.encode(doc, IGNORE).tolist() == [[2, 2, 0], [0, 0, 0], [0, 0, 1]]
    doc.upos[1] = 0
    assert attributes.encode(doc, IGNORE)[1].tolist() == [IGNORE] * 3


def test_features_are_chosen_value_by_value() -> None:
    attributes = Attributes(PAIRS)
    scores = np.array([[0, 1, 2, 0, 0, 3, 1, 0], [5, 1, 2, 1, 0, 0, 0, 1]], np.float32)
    assert attributes.choose(scores) == ["Case=Nom|Number=Sing", "Tense=Past"]
    allowed = np.ones((2, 8), bool)
    allowed[0, 2] = allowed[1, 7] = False
    assert attributes.choose(scores, allowed) == ["Case=Gen|Number=Sing", ""]
    assert attributes.choose(scores[:0]) == []
    assert attributes.best(scores).tolist() == [2 + 3 + 1, 5 + 1 + 1]
    values = np.array([0, 1, 3, 4, 6, 7])
    few = scores[:, values]
    assert attributes.choose(few, values=values) == ["Case=Gen", "Tense=Past"]
    assert attributes.choose(few, allowed[:, values], values) == ["Case=Gen", ""]
    assert attributes.best(few, values).tolist() == [1 + 0 + 1, 5 + 1 + 1]


def test_pairs_are_counted_and_sorted_as_universal_dependencies_does() -> None:
    docs = [tagged(["Number=Sing|abc=X", "Number=Sing", "Case=Nom"])]
    assert Attributes.of(docs).pairs == ("abc=X", "Case=Nom", "Number=Sing")
    assert Attributes.of(docs, 2).pairs == ("Number=Sing",)
    for pairs in (("Number=Sing", "Case=Nom"), ("Case",), ("Case=Nom", "Case=Nom")):
        with pytest.raises(ModelError):
            Attributes(pairs)


# ----------------------------------------------------------------------- masks


def languages() -> Languages:
    docs = {"aa": [tagged(["Case=Nom"])], "bb": [tagged(["Number=Sing"])]}
    docs["aa"][0].deprel = docs["aa"][0].strings.ids(["nsubj"]).astype(np.int32)
    deprels, rules = ["nsubj", "obj"], ["l0//0/", "l0//1/"]
    return Languages.of(docs, Attributes(PAIRS), deprels, rules, {"aa": ["l0//1/"]})


def test_a_language_may_have_what_it_had_in_training() -> None:
    masks = languages().masks
    assert masks["deprel"].tolist() == [[True, True], [True, False], [True, True]]
    assert masks["lemma"].tolist() == [[True, True], [False, True], [True, True]]
    assert masks["feats"][1].tolist() == [True, False, True, True, False, False, True, False]


def test_languages_survive_a_model_file() -> None:
    first = languages()
    labels = {"feats": list(PAIRS), "deprel": ["nsubj", "obj"], "lemma": ["l0//0/", "l0//1/"]}
    part = Part("neural", {}, labels | first.labels(), first.arrays())
    again = Languages.from_part(part)
    assert again is not None
    assert again.codes == first.codes
    for name, mask in first.masks.items():
        assert np.array_equal(again.masks[name], mask)
    assert Languages.from_part(Part("neural", {}, labels)) is None
    part.arrays["may-deprel"] = np.zeros_like(part.arrays["may-deprel"])
    with pytest.raises(ModelError, match="may have no deprel"):
        Languages.from_part(part)


def test_words_know_their_language() -> None:
    doc = tagged(["", "", ""])
    found = languages()
    assert found.numbers(doc).tolist() == [0, 0, 0]
    doc.token_language = doc.strings.ids(["bb", "aa", "zz"]).astype(np.int32)
    assert found.numbers(doc).tolist() == [2, 1, 0]


def test_lemmas_of_one_language_are_not_those_of_another() -> None:
    rules = [rule_of("a", "a"), rule_of("dogs", "dog")]
    doc = tagged([""])
    doc.form = doc.strings.ids(["dogs"]).astype(np.int32)
    doc.lemma = doc.strings.ids(["dog"]).astype(np.int32)
    lexicon = LemmaLexicon.of_languages({"aa": [doc], "bb": []}, rules)
    assert lexicon.of_word("dogs", "X", "aa") == (1,)
    assert lexicon.of_word("dogs", "X", "bb") == lexicon.of_word("dogs", "X") == ()
    assert lexicon.is_known("Dog", "aa")
    assert not lexicon.is_known("dog", "bb")
    one = LemmaLexicon.of([doc], rules)
    assert one.of_word("dogs", "X") == (1,)


# --------------------------------------------------------------------- network


def examples(docs: list[Document], attributes: Attributes) -> tuple[Examples, Any, Any]:
    labels = replace(labels_of(docs), feats=attributes.pairs)
    subwords = character_pieces(docs)
    both = [
        prepare(docs, labels, subwords, attributes=attributes, language=number) for number in (1, 2)
    ]
    return Examples.join(both), labels, subwords


def test_arrays_have_a_column_for_the_language(tmp_path: Any) -> None:
    docs = harbour()
    attributes = Attributes.of(docs)
    data, _, _ = examples(docs, attributes)
    assert data.features.shape[1] == 4
    assert sorted(set(data.features[:, 3].tolist())) == [1, 2]
    assert data.feats.shape == (data.n_words, len(attributes.sizes))
    data.save(tmp_path / "x.npz")
    again = Examples.load(tmp_path / "x.npz")
    assert np.array_equal(again.feats, data.feats)


def test_small_languages_are_read_more_often() -> None:
    docs = harbour()
    data, _, _ = examples(docs, Attributes.of(docs))
    small = np.flatnonzero(data.features[data.doc_ptr[:-1], 3] == 2)
    data.features[:, 3] = 1
    data.features[data.doc_ptr[small[0]] : data.doc_ptr[small[0] + 1], 3] = 2
    sizes = np.diff(data.doc_ptr)
    assert by_temperature(data, 1.0) == pytest.approx(np.ones(len(sizes)))
    often = by_temperature(data, 0.5)
    assert often[small[0]] > 1
    assert often @ sizes == pytest.approx(data.n_words)
    alike = by_temperature(data, 0.0)
    assert alike[small[0]] * sizes[small[0]] == pytest.approx(data.n_words / 2)


def test_documents_are_drawn_as_often_as_said() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.trainer import Source

    docs = harbour()
    data, _, _ = examples(docs, Attributes.of(docs))
    n = len(data.doc_ptr) - 1
    often = np.linspace(0.0, 3.0, n)
    source = Source(data, by_document=often)
    random = np.random.default_rng(0)
    counts = np.zeros(n)
    for epoch in range(200):
        counts += np.bincount(source.documents(epoch + 1, random), minlength=n)
    assert counts / 200 == pytest.approx(often, abs=0.15)
    assert Source(data).pieces == len(data.pieces)
    assert Source(data, 2.0, by_document=np.ones(n)).pieces == 2 * len(data.pieces)


def toy(
    attributes: Attributes, labels: Any, subwords: Any, count: int = 2, treebanks: int = 0
) -> Any:
    from caesura.learn.network.net import Net, NetOptions, Transformer

    options = NetOptions(
        arc_size=16, label_size=8, tag_size=16, dropout=0.0, languages=count,
        attributes=attributes.sizes, treebanks=treebanks,
    )  # fmt: skip
    sizes = labels.sizes | {"feats": attributes.total}
    shape = EncoderShape(subwords.size(), 32, 2, 2, 64, 300)
    return Net(Transformer(shape, dropout=0.0), sizes, options)


def test_the_loss_of_attributes_is_the_sum_of_their_losses() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.device_data import Targets
    from caesura.learn.network.trainer import _Values

    random = np.random.default_rng(0)
    sizes = (3, 2, 4)
    points = torch.from_numpy(random.normal(size=(2, 5, 9)) * 60).requires_grad_()
    values = torch.from_numpy(np.stack([random.integers(0, s, (2, 5)) for s in sizes], -1))
    known = torch.from_numpy((random.random((2, 5, 1)) < 0.7).astype(np.float32))
    nothing = torch.zeros(2, 5)
    gold = Targets(nothing, nothing, nothing, {"feats": values}, {"feats": known})
    found = _Values(sizes, "cpu").cross(points, gold)
    wanted = torch.zeros(())
    for part, n in zip(points.float().split(list(sizes), -1), range(3), strict=True):
        each = torch.nn.functional.cross_entropy(
            part.reshape(10, -1), values[..., n].reshape(-1), reduction="none"
        )
        wanted = wanted + (each * known.reshape(-1)).sum()
    assert found.item() == pytest.approx((wanted / known.sum()).item(), rel=1e-5)
    found.backward()
    assert torch.isfinite(points.grad).all()


def test_a_network_of_two_languages_learns_and_becomes_a_stage() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.trainer import NeuralTrainer, Source, TrainOptions

    torch.manual_seed(0)
    docs = harbour()
    attributes = Attributes.of(docs)
    data, labels, subwords = examples(docs, attributes)
    net = toy(attributes, labels, subwords)
    options = TrainOptions(epochs=3, batch_pieces=1024, head_step=5e-3, encoder_step=5e-3)
    trainer = NeuralTrainer(net, [Source(data)], {"dev": data}, subwords.special, options)
    assert 0 <= trainer.score()["dev_feats"] <= 100
    first = trainer.epoch(1)
    for number in (2, 3):
        last = trainer.epoch(number)
    assert last["loss_feats"] < first["loss_feats"]
    assert net.manner.weight.detach().abs().sum() > 0
    rules_of = {"aa": labels.lemma[:3]}
    known = Languages.of(
        {"aa": docs, "bb": docs}, attributes, labels.deprel, labels.lemma, rules_of
    )
    weights = trainer.parts()["weights"].arrays
    parser = finish(
        weights, net.encoder.shape, labels, subwords, SearchSettings(), limit=254,
        languages=known,
        lexicon=LemmaLexicon.of_languages({"bb": docs}, labels.lemma),
    )  # fmt: skip
    again = NeuralParser.from_part(parser.to_part())
    doc = replace(docs[0])
    _same_as_torch(again, net, doc)
    for code in ("aa", "bb"):
        doc.token_language = np.full(doc.n_tokens, doc.strings.ids([code])[0], np.int32)
        _same_as_torch(again, net, doc)
        again.annotate([doc])
        doc.check()
        assert set(doc.column("deprel")) <= set(labels.deprel)
        for feats in set(doc.column("feats")) - {""}:
            assert set(feats.split("|")) <= set(attributes.pairs)
    nothing = Document(text="")
    again.annotate([nothing])
    assert nothing.n_words == 0


def test_a_treebank_with_habits_has_vectors_that_no_stage_has() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.trainer import NeuralTrainer, Source, TrainOptions

    torch.manual_seed(0)
    docs = harbour()
    attributes = Attributes.of(docs)
    data, labels, subwords = examples(docs, attributes)
    # The second half is another treebank of the same language, with habits of its own.
    half = data.n_words // 2
    data.features[:, 3] = 1
    habit = np.repeat([0, 1], [half, data.n_words - half])[:, None]
    data.features = np.concatenate([data.features, habit], 1)
    data.upos[half:] = (data.upos[half:] + 1) % len(labels.upos)
    assert by_temperature(data, 0.5) == pytest.approx(np.ones(len(data.doc_ptr) - 1))
    net = toy(attributes, labels, subwords, count=1, treebanks=1)
    options = TrainOptions(
        epochs=2, batch_pieces=1024, head_step=5e-3, encoder_step=5e-3, word_dropout=0.1
    )
    sources = [Source(data)]
    with pytest.raises(ValueError, match="unknown words"):
        NeuralTrainer(net, sources, {}, subwords.special, options)
    trainer = NeuralTrainer(
        net, sources, {"dev": data}, subwords.special, options, unknown=subwords.unknown
    )
    for number in (1, 2):
        trainer.epoch(number)
    assert 0 <= trainer.score()["dev_upos"] <= 100
    for table in net.habits:
        assert table.weight[1].abs().sum() > 0
        assert not table.weight[0].any(), "a main treebank has none"
    known = Languages.of({"aa": docs}, attributes, labels.deprel, labels.lemma, {})
    parser = finish(
        trainer.parts()["weights"].arrays, net.encoder.shape, labels, subwords, SearchSettings(),
        limit=254, languages=known,
    )  # fmt: skip
    _same_as_torch(parser, net, replace(docs[0]), habit=0)
    with torch.no_grad():
        net.habits[1].weight[1] = 1  # more than rounding to 8 bits changes
    with pytest.raises(AssertionError):
        _same_as_torch(parser, net, replace(docs[0]), habit=1)


def test_some_words_are_hidden_from_the_network_with_all_their_pieces() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from caesura.learn.network.trainer import TrainOptions, _hidden

    torch.manual_seed(0)
    word = torch.tensor([[0, *np.repeat(np.arange(1, 401), 2), 0]])
    ids = torch.arange(word.shape[1])[None] + 10
    seen = _hidden(ids, word, 400, TrainOptions(word_dropout=0.25), 3)
    gone = (seen == 3)[0]
    assert not gone[0]
    assert not gone[-1]
    assert gone[1:-1:2].tolist() == gone[2:-1:2].tolist(), "both pieces of a word or none"
    assert 0.15 < gone[1:-1].float().mean() < 0.35
    assert (seen[0][~gone] == ids[0][~gone]).all()


def _same_as_torch(parser: Any, net: Any, doc: Document, habit: int | None = None) -> None:
    """The stage computes what the network does, the language included."""
    import torch

    from caesura.learn.network.device_data import DeviceData
    from caesura.stages.network_encoder import LIMIT, OVERLAP
    from caesura.stages.network_reading import overlapping

    numbers = parser.languages.numbers(doc)
    data = prepare([doc], _labels(parser), parser.encoder.subwords, language=0)
    data.features[:, 3] = numbers
    if habit is not None:
        data.features = np.concatenate([data.features, np.full((data.n_words, 1), habit)], 1)
    table = DeviceData(data, parser.encoder.subwords.special, "cpu")
    limit = parser.encoder.limit
    windows = overlapping(data.piece_ptr, 0, data.n_words, limit, limit * OVERLAP // LIMIT)[:1]
    place = table.place(windows)
    net.eval()
    with torch.no_grad():
        wanted = net(**table.inputs(torch.from_numpy(place.bounds), place.length, place.width))
    found = parser.encoder.scores(doc)
    n = windows[0].keep_last
    for name in ("upos", "feats", "lemma"):
        theirs = wanted[name][0, :n].numpy()
        few = {"lemma": found.rules, "feats": found.values}.get(name)
        if few is not None:
            theirs = theirs[:, few]
        assert np.abs(found.tags[name][:n] - theirs).max() < 0.05 * np.abs(theirs).max()


def _labels(parser: Any) -> Any:
    return Labels(**{name: tuple(parser.labels[name]) for name in DECISIONS})


def test_only_rules_and_relations_of_the_languages_are_looked_at() -> None:
    part = small_network()
    masks = Languages.from_part(part)
    assert masks is not None
    deprel = masks.masks["deprel"].copy()
    deprel[2, 2:] = False
    part.arrays["may-deprel"] = np.packbits(deprel, axis=1)
    parser = NeuralParser.from_part(part)
    languages = parser.languages
    assert languages is not None
    assert languages.rules(np.array([1, 1])) is None
    assert languages.rules(np.array([2, 2])).tolist() == [0, 1, 2, 3, 4]  # type: ignore[union-attr]
    assert languages.rules(np.array([2, 1])) is None
    doc = harbour()[0]
    doc.token_language = np.full(doc.n_tokens, doc.strings.ids(["bb"])[0], np.int32)
    few = parser.encoder.scores(doc)
    assert few.tags["lemma"].shape == (doc.n_words, 5)
    heads = np.maximum(np.arange(doc.n_words, dtype=np.int32) - 1, -1)
    found = np.concatenate(list(parser._label_points(few, heads)))
    # A slow, obvious twin: every rule, every relation, and then the masks.
    parser.encoder.languages = replace(
        languages, masks={**languages.masks, "lemma": np.ones((3, 13), bool)}
    )
    all_of = parser.encoder.scores(doc)
    assert all_of.rules is None
    whole = np.where(languages.masks["lemma"][2], all_of.tags["lemma"], -np.inf)
    assert np.array_equal(parser._tagging._points(few, slice(0, None)), whole[:, :5])
    weights, one = parser.label_weights, np.ones(1, np.float32)
    for word, head in enumerate(heads.tolist()):
        vector = few.label_root if head < 0 else few.label_head[head]
        points = np.einsum(
            "i,ilj,j->l",
            np.append(few.label_dep[word], one),
            weights,
            np.append(vector, one),
        )
        roots = np.array([name == "root" for name in parser.labels["deprel"]])
        may = roots if head < 0 else languages.masks["deprel"][2] & ~roots
        assert np.allclose(found[word][may], points[may], atol=0.02 * np.abs(points).max())
        assert (found[word][~may] < -1e8).all()
    again = NeuralParser.from_part(part)
    again.annotate([doc])
    assert set(doc.column("deprel")) <= {"root", "nsubj"}


def test_only_values_of_the_languages_are_looked_at() -> None:
    part = small_network()
    known = Languages.from_part(part)
    assert known is not None
    mask = known.masks["feats"].copy()
    mask[2, 0] = mask[2, 2:] = False  # absence is looked at even where a file forgets it
    part.arrays["may-feats"] = np.packbits(mask, axis=1)
    parser = NeuralParser.from_part(part)
    assert parser.languages is not None
    assert parser.languages.values(np.array([1, 1])) is None
    assert parser.languages.values(np.array([2, 1])) is None
    values = parser.languages.values(np.array([2, 2]))
    assert values is not None
    first = np.cumsum((0, *known.attributes.sizes[:-1])).tolist()
    assert values.tolist() == sorted({1, *first})
    doc = harbour()[0]
    doc.token_language = np.full(doc.n_tokens, doc.strings.ids(["bb"])[0], np.int32)
    few = parser.encoder.scores(doc)
    parser.encoder.languages = replace(
        parser.languages, masks={**parser.languages.masks, "feats": np.ones_like(mask)}
    )
    whole = parser.encoder.scores(doc)
    assert whole.values is None
    assert few.values is not None
    assert np.array_equal(few.tags["feats"], whole.tags["feats"][:, values])
    for name in ("upos", "xpos", "lemma"):
        assert np.array_equal(few.tags[name], whole.tags[name])
    made = []
    for scores in (few, whole):
        parser.write_tags(doc, scores, False)
        made.append(list(doc.column("feats")))
    assert made[0] == made[1]


def test_a_language_may_end_sentences_more_readily() -> None:
    part = small_network()
    plain = NeuralParser.from_part(part)
    bonus = np.array([[0, 0], [0, 0], [1, 3]], np.float16)
    part.arrays["start-bonus"] = bonus
    parser = NeuralParser.from_part(NeuralParser.from_part(part).to_part())
    for text, more in (("The boat left. It rained.", 3), ("the boat left it rained", 1)):
        doc = Document.from_spans(text, *zip(*_spans(text), strict=True))
        for code, wanted in (("aa", 0), ("bb", more)):
            doc.token_language = np.full(doc.n_tokens, doc.strings.ids([code])[0], np.int32)
            gained = parser._bonus(doc) - plain._bonus(doc)
            assert gained == pytest.approx(np.full(doc.n_words, wanted))
    part.arrays["start-bonus"] = np.full((3, 2), np.nan, np.float16)
    with pytest.raises(ModelError, match="no number"):
        NeuralParser.from_part(part)


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+|\.", text)]
