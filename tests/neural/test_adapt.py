"""A network made ready for a treebank: labels of both, weights of what it knew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.learn.network.examples import labels_of
from caesura.learn.network.export import finish
from caesura.stages.network_options import SearchSettings
from caesura.stages.network_tags import TagLexicon
from tests.neural.small import LABELS, PAIRS, harbour, small_network


def adapted(code: str = "cc", nearest: str = "bb", *, many: bool = True) -> tuple[Any, Any]:
    from caesura.learn.network.adaptation import Base, adapt

    base = Base.of(small_network(many=many))
    docs = harbour()
    return base, adapt(base, docs, labels_of(docs), code, nearest)


def test_what_both_know_keeps_its_weights() -> None:
    base, found = adapted()
    old, new = base.labels, found.labels
    assert new.upos[: len(old.upos)] == old.upos
    assert new.deprel[: len(old.deprel)] == old.deprel
    assert {*labels_of(harbour()).deprel} <= {*new.deprel}
    for name in ("upos.weight", "upos.bias"):
        assert np.array_equal(found.weights[name][: len(old.upos)], base.weights[name])
    n = len(old.deprel)
    assert np.array_equal(found.weights["label"][:, :n], base.weights["label"])
    assert not found.weights["label"][:, new.deprel.index("amod")].any()
    assert len(found.weights["label"][0]) == len(new.deprel)


def test_a_new_subtype_starts_as_its_relation() -> None:
    from caesura.learn.network.adaptation import Base, adapt

    base = Base.of(small_network())
    docs = harbour()
    labels = replace(labels_of(docs), deprel=("nsubj:pass", "dance"))
    found = adapt(base, docs, labels, "cc", "aa")
    at, plain = found.labels.deprel.index("nsubj:pass"), found.labels.deprel.index("nsubj")
    apart = found.weights["label"][:, plain] - found.weights["label"][:, at]
    assert apart[-1, -1] == pytest.approx(1.0)
    assert np.count_nonzero(np.abs(apart) > 1e-6) == 1
    # The relations of the treebank are its own, so none of the network's may come in.
    mask = found.languages.masks["deprel"][1]
    seen = {name for doc in docs for name in doc.column("deprel")}
    assert {name for name, may in zip(found.labels.deprel, mask, strict=True) if may} <= seen


def test_features_are_those_of_both_and_a_new_one_is_absent_at_first() -> None:
    base, found = adapted()
    names = found.attributes.named_columns
    assert {*PAIRS} < {*names}
    assert {"Mood=", "Mood=Ind"} <= {*names}
    bias, weight = found.weights["feats.bias"], found.weights["feats.weight"]
    assert bias[names.index("Mood=")] > 3 > bias[names.index("Mood=Ind")]
    before = base.parser.languages.attributes.named_columns
    for name in before:
        assert np.array_equal(
            weight[names.index(name)], base.weights["feats.weight"][before.index(name)]
        )
    # Of an attribute that the treebank has, all values may be; of others none.
    may = dict(zip(names, found.languages.masks["feats"][1].tolist(), strict=True))
    assert may["Case=Abl"]
    assert may["Tense=Fut"]
    assert may["Mood=Ind"]


def test_it_becomes_a_network_of_one_language() -> None:
    base, found = adapted()
    assert found.languages.codes == ("cc",)
    assert found.settings["languages"] == 1
    for name in ("features.3.weight", "manner.weight"):
        assert np.array_equal(found.weights[name], base.weights[name][[0, 2]])
    doc = harbour()[0]
    assert found.languages.numbers(doc).tolist() == [1] * doc.n_words
    assert found.labels.lemma[0] == LABELS.lemma[0]
    assert {*labels_of(harbour()).lemma} <= {*found.labels.lemma}
    parser = finish(
        found.weights, base.shape, found.labels, base.parser.encoder.subwords, SearchSettings(),
        limit=254, lexicon=found.lexicon, languages=found.languages, tags=found.tags,
        bits=base.bits,
    )  # fmt: skip
    again = type(parser).from_part(parser.to_part())
    again.annotate([doc])
    doc.check()


def test_a_language_that_it_knows_keeps_its_lexica() -> None:
    base, found = adapted("bb", "bb")
    assert set(LABELS.lemma[:5]) <= set(found.labels.lemma)
    word = harbour()[0].column("form")[0]
    ours = found.tags.opinions([(word, "bb")])[0]
    theirs = base.parser.tags.opinions([(word, "bb")])[0]
    assert ours.seen
    assert theirs.seen
    alone = TagLexicon.of_languages({"bb": harbour()}, found.labels.upos, found.attributes)
    counts = [int(tags.table.columns[1].sum()) for tags in (alone, base.parser.tags, found.tags)]
    assert counts[0] + counts[1] == counts[2]
    assert len(found.lexicon.table.keys) >= len(base.parser.lexicon.table.keys)


def test_the_language_that_fits_best_is_found() -> None:
    from caesura.learn.network.adaptation import Base

    base = Base.of(small_network())
    docs = harbour()
    assert base.nearest(docs, "aa") == "aa"
    fits = {code: base._fit(docs, code) for code in ("aa", "bb")}
    found = base.nearest([docs[0]], "cc")
    assert found in fits
    assert all(np.isfinite(value) for value in fits.values())


def test_a_network_of_one_language_learns_more_labels() -> None:
    base, found = adapted("", "", many=False)
    assert base.nearest(harbour(), "cc") == ""
    assert found.languages is None
    assert found.tags is None
    assert found.labels.feats[:11] == LABELS.feats
    assert "Mood=Ind|Tense=Past" in found.labels.feats
    assert found.features.shape == (len(found.labels.xpos), len(found.labels.feats))
    assert found.features[:9, :11][np.eye(9, 11, dtype=bool)].all()
    assert found.features.any(axis=1).all()


def test_a_network_that_does_not_see_lines_is_refused() -> None:
    from caesura.learn.network.adaptation import Base

    part = small_network()
    part.config["layout"] = False
    with pytest.raises(ModelError, match="does not see where lines end"):
        Base.of(part)
