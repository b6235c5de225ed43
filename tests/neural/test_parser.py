"""The bundled neural model keeps the same laws and obeys the same constraints as the linear one."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura import cli
from caesura.document import UNKNOWN, YES, Document
from caesura.errors import ModelError, UsageError
from caesura.learn.network.examples import DECISIONS, Labels, feats_seen_with
from caesura.models.file import load
from caesura.paths import bundled_models
from caesura.pipeline import Pipeline
from caesura.stages.network import NeuralParser
from caesura.stages.network_labels import FEATS_BY_XPOS
from tests.pipeline.laws import check

pytest.importorskip("tokenizers", reason="tokenizers is not installed")

TEXT = "The harbour was quiet. Nobody came, and the boats didn't move\n\nWe waited all night."


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    path = bundled_models() / "en.caesura"
    if not path.exists():
        pytest.skip("the model en is not bundled")
    return Pipeline(load(path))


def test_a_text_is_parsed(nlp: Pipeline) -> None:
    doc = nlp(TEXT, confidence=True)
    check(doc, TEXT)
    assert [sentence.text for sentence in doc.sentences] == [
        "The harbour was quiet.",
        "Nobody came, and the boats didn't move",
        "We waited all night.",
    ]
    quiet = doc.words[3]
    assert (quiet.upos, quiet.deprel, quiet.is_root) == ("ADJ", "root", True)
    assert [word.lemma for word in doc.sentences[2].words] == ["we", "wait", "all", "night", "."]
    for column in (doc.sent_conf, doc.arc_conf, doc.tag_conf):
        assert column is not None
        assert np.all((column >= 0) & (column <= 1))


def test_a_transcript_is_split(nlp: Pipeline) -> None:
    text = "we went to the harbour but it was quiet do you know why nobody came i have no idea"
    starts = [sentence.text.split()[0] for sentence in nlp(text).sentences]
    assert starts == ["we", "do", "i"]


@settings(max_examples=15)
@given(st.text(max_size=120).map(lambda text: text.replace("\0", "")))
def test_any_text_keeps_the_laws(nlp: Pipeline, text: str) -> None:
    check(nlp(text), text)


@settings(max_examples=15)
@given(st.data())
def test_given_boundaries_are_obeyed(nlp: Pipeline, data: st.DataObject) -> None:
    plain = nlp(TEXT)
    offsets = [token.start for token in plain.tokens]
    chosen = data.draw(st.lists(st.sampled_from(offsets), unique=True, max_size=6))
    half = len(chosen) // 2
    doc = nlp(TEXT, sentence_starts=chosen[:half], no_boundary=[o for o in chosen[half:] if o])
    check(doc, TEXT)
    found = {sentence.start for sentence in doc.sentences}
    assert set(chosen[:half]) <= found | {0}
    assert not set(chosen[half:]) & (found - {0})


@settings(max_examples=15)
@given(st.data())
def test_given_heads_and_labels_are_obeyed(nlp: Pipeline, data: st.DataObject) -> None:
    plain = nlp(TEXT)
    given = plain.cut(0, plain.n_tokens)
    keep = data.draw(st.lists(st.booleans(), min_size=len(given), max_size=len(given)))
    given.head = np.where(keep, given.head, UNKNOWN).astype(np.int32)
    given.deprel = np.where(keep, given.deprel, 0).astype(np.int32)
    doc = nlp(given, keep=("tokens", "sentences", "heads"))
    check(doc, TEXT)
    assert np.array_equal(doc.head[keep], plain.head[keep])
    assert [w.deprel for w, k in zip(doc.words, keep, strict=True) if k] == [
        w.deprel for w, k in zip(plain.words, keep, strict=True) if k
    ]


def test_given_tags_and_tokens_are_kept(nlp: Pipeline) -> None:
    plain = nlp(TEXT)
    odd = replace(plain)
    odd.upos = odd.strings.ids(["X", *plain.column("upos")[1:]])
    doc = nlp(odd, keep=("tags",))
    assert doc.words[0].upos == "X"
    assert [t.text for t in doc.tokens] == [t.text for t in plain.tokens]


def test_the_best_analyses_differ(nlp: Pipeline) -> None:
    found = nlp.k_best("I saw the man with the telescope.", 4)
    trees = [(tuple(doc.head.tolist()), tuple(doc.sent_start.tolist())) for doc in found]
    assert 1 < len(set(trees)) == len(trees) <= 4


def test_a_long_document_is_read_in_blocks(nlp: Pipeline) -> None:
    text = " ".join(f"The {n} boats came home late , and nobody spoke ." for n in range(1000))
    doc = nlp(text)
    assert doc.n_words > 8000
    assert doc.text == text
    tokens = doc.cut(0, doc.n_tokens)
    again = nlp(tokens, keep=("tokens",))
    assert again.n_words == doc.n_words
    assert np.mean(again.head == doc.head) > 0.99


def test_one_word_of_a_megabyte(nlp: Pipeline) -> None:
    doc = nlp("a" * 1_000_000 + " came .")
    check(doc, doc.text)


def test_damaged_networks_are_refused(nlp: Pipeline) -> None:
    part = nlp.stage(NeuralParser).to_part()
    broken = replace(part, arrays={**part.arrays, "graph": np.zeros(100, np.uint8)})
    with pytest.raises(ModelError, match="cannot be read"):
        NeuralParser.from_part(broken)
    broken = replace(part, arrays={**part.arrays, "subwords": np.full(5, 255, np.uint8)})
    with pytest.raises(ModelError, match="vocabulary"):
        NeuralParser.from_part(broken)
    broken = replace(part, labels={**part.labels, "deprel": []})
    with pytest.raises(ModelError, match="labels"):
        NeuralParser.from_part(broken)


def test_threads_make_no_difference(nlp: Pipeline) -> None:
    texts = [TEXT, "It rained.", "no capitals here and no full stop", ""]
    alone = [doc.contents() for doc in nlp.pipe(texts)]
    assert [doc.contents() for doc in nlp.pipe(texts, threads=2)] == alone


def test_a_network_is_made_once_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    import caesura.stages.network as module

    made = []

    class Counted(module.Encoder):
        def __init__(self, *arguments: object, threads: int = 1, **options: object) -> None:
            made.append(threads)
            super().__init__(*arguments, threads=threads, **options)

    monkeypatch.setattr(module, "Encoder", Counted)
    Pipeline(load(bundled_models() / "en.caesura"), threads=2)
    assert made == [2]


def test_the_first_token_always_starts_a_sentence(nlp: Pipeline) -> None:
    doc: Document = nlp("Yes")
    assert doc.sent_start.tolist() == [YES]


def test_a_bias_gives_half_and_twice_as_many_boundaries(nlp: Pipeline) -> None:
    """Measured on a text of our own, edited and as a transcript has it."""
    from caesura.learn.network.export import measure_scale
    from caesura.stages.network import SCALE
    from caesura.transform import speech

    sentences = [
        f"{who} {said} {what}{end}"
        for who, what in (("The pilot", "it was late"), ("Ada", "we should go and wait there"))
        for said in ("thought", "told me", "didn't say that", "says she knows")
        for end in (".", " because nobody had come back.", "; the boats were gone, too!")
    ]
    written = nlp(" ".join(sentences))
    parser = nlp.stage(NeuralParser).with_search()
    parser.scale = measure_scale(parser, [written, speech(written)])
    assert parser.scale.edited != SCALE.edited
    assert parser.scale.unedited != SCALE.unedited
    again = NeuralParser.from_part(parser.to_part())
    assert again.scale == parser.scale
    for text in (written, speech(written)):

        def count(bias: float, text: Document = text) -> int:
            doc = replace(text, fixed=frozenset())
            again.with_search(bias=bias).annotate([doc])
            return doc.n_sentences - 1

        counts = [count(bias) for bias in (-1.0, 0.0, 1.0)]
        assert counts[0] == pytest.approx(counts[1] / 2, abs=2)
        assert counts[2] == pytest.approx(counts[1] * 2, abs=3)


def test_no_bias_changes_nothing_and_a_wrong_one_is_refused(nlp: Pipeline) -> None:
    one, other = nlp(TEXT), nlp(TEXT)
    nlp.stage(NeuralParser).with_search(bias=0.0).annotate([other])
    assert other.contents() == one.contents()
    with pytest.raises(UsageError, match="must be from -2 to 2"):
        nlp.stage(NeuralParser).with_search(bias=float("nan"))


def test_the_pipeline_obeys_a_bias(nlp: Pipeline) -> None:
    text = "we went to the harbour but it was quiet do you know why nobody came i have no idea"
    found = [nlp.with_search(bias=bias)(text).n_sentences for bias in (-2.0, 0.0, 2.0)]
    assert found[0] < found[1] < found[2]
    with pytest.raises(UsageError, match="has no width"):
        nlp.with_search(width=3)


def test_an_older_network_says_bias_and_means_bonus(nlp: Pipeline) -> None:
    from caesura.stages.network import SCALE

    part = nlp.stage(NeuralParser).with_search(bonus=0.5).to_part()
    del part.config["bias-scale"]
    part.config["bias"] = part.config.pop("bonus")
    older = NeuralParser.from_part(part)
    assert (older.settings.bonus, older.settings.bias) == (0.5, 0.0)
    assert older.scale == SCALE


def test_its_search_is_obeyed(nlp: Pipeline) -> None:
    changed = nlp.with_search(beam=4, margin=0.5, bias=2.0)
    assert changed.stage(NeuralParser) is not None
    found = changed.stage(NeuralParser).settings
    assert (found.beam, found.margin, found.bias) == (4, 0.5, 2.0)
    assert changed.stage(NeuralParser).encoder is nlp.stage(NeuralParser).encoder, (
        "the network is shared"
    )
    assert nlp.stage(NeuralParser).settings.margin == math.inf, "the first one is as it was"
    check(changed(TEXT), TEXT)
    # Blank lines are boundaries whatever the bias, so there are none.
    line = "The harbour was quiet - nobody came: we waited all night; then it rained... we went "
    line += "home (and the boats stayed). Call me - thanks, Ann"
    more, fewer = (nlp.with_search(bias=x)(line).n_sentences for x in (2.0, -2.0))
    assert more > nlp(line).n_sentences > fewer
    again = type(nlp.stage(NeuralParser)).from_part(changed.stage(NeuralParser).to_part())
    assert again.settings == replace(found, bias=0.0), "a model keeps no bias"
    with pytest.raises(UsageError, match="has no labels"):
        nlp.with_search(labels=1.0)
    with pytest.raises(UsageError, match="margin is -1"):
        nlp.with_search(margin=-1.0)


def test_its_search_is_obeyed_from_the_command_line(
    nlp: Pipeline, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    call = ["parse", str(tmp_path / "a.txt"), "-m", "en", "-q"]
    split = ["split", str(tmp_path / "a.txt"), "-m", "en", "-q"]
    parsed, lines = [], []
    for bias in ("2", "-2"):
        assert cli.run([*call, "--beam", "4", "--margin", "3", "--bias", bias]) == 0
        parsed.append(capfd.readouterr().out.count("# sent_id"))
        assert cli.run([*split, "--bias", bias]) == 0
        lines.append(len(capfd.readouterr().out.splitlines()))
    assert parsed[0] > parsed[1]
    assert lines[0] > lines[1]


def test_layout_is_trusted_as_much_as_the_settings_say(nlp: Pipeline) -> None:
    """Older files say nothing of it, and are read as they were."""
    parser = nlp.stages[-1]
    assert isinstance(parser, NeuralParser)
    text = "Flour 500 g\nButter 250 g\nSugar 1 cup\n* milk\n* eggs\n"
    many = nlp.with_search(layout=50.0)(text)
    assert [many.text[s.start : s.end] for s in many.sentences][-2:] == ["* milk", "* eggs"]
    kept = NeuralParser.from_part(parser.with_search(layout=1.5).to_part())
    assert kept.settings.layout == 1.5
    part = parser.to_part()
    del part.config["trust-layout"]
    assert NeuralParser.from_part(part).settings.layout == 0.0


def test_the_tokenisers_evidence_counts_as_often_as_the_settings_say(nlp: Pipeline) -> None:
    parser = nlp.stages[-1]
    assert isinstance(parser, NeuralParser)
    text = "The ferry left at nine. We waited on the quay. Nobody came."
    doc = nlp.tokenise(Document(text=text))
    doc.start_evidence = np.full(doc.n_tokens, 0.999, np.float32)
    chances = [
        parser.with_search(evidence=weight).start_chances(doc, parser.encoder.starts(doc))
        for weight in (0.0, 50.0)
    ]
    assert (chances[0][1:] < 0.5).any()
    assert (chances[1] > 0.5).all()
    kept = NeuralParser.from_part(parser.with_search(evidence=1.5).to_part())
    assert kept.settings.evidence == 1.5
    part = parser.to_part()
    del part.config["trust-evidence"]
    assert NeuralParser.from_part(part).settings.evidence == 0.0


def test_features_agree_with_the_fine_tag(nlp: Pipeline) -> None:
    parser = nlp.stages[-1]
    assert isinstance(parser, NeuralParser)
    part = parser.to_part()
    part.arrays.pop(FEATS_BY_XPOS, None)
    free = NeuralParser.from_part(part)
    assert free.features is None
    labels = Labels(**{name: tuple(parser.labels[name]) for name in DECISIONS})
    text = "The ferry left at nine. We waited on the quay."
    taught = nlp(text)
    table = feats_seen_with([taught] * 5, labels)
    assert table.any(axis=1).all()
    assert table.shape == (len(labels.xpos), len(labels.feats))
    tag, features = taught.column("xpos")[0], taught.column("feats")[0]
    assert table[labels.xpos.index(tag)].sum() == 1  # seen with one alone
    only = np.zeros_like(table)
    only[:, labels.feats.index(features)] = True
    free.features = only
    again = NeuralParser.from_part(free.to_part())
    doc = nlp.tokenise(Document(text=text))
    again.annotate([doc])
    assert set(doc.column("feats")) == {features}
    for damaged in (np.zeros_like(np.packbits(only, axis=1)), np.packbits(only, axis=1)[1:]):
        part.arrays[FEATS_BY_XPOS] = damaged
        with pytest.raises(ModelError, match="tags and features"):
            NeuralParser.from_part(part)


def test_features_that_are_all_that_a_word_has_are_no_errors() -> None:
    forms = ["it"] * 6 + ["ours"] * 2 + ["us"] * 3
    feats = ["Case=Nom"] * 6 + ["Poss=Yes"] * 2 + ["Case=Acc", "Case=Acc", "Case=Nom"]
    ends = np.cumsum([len(form) + 1 for form in forms]) - 1
    starts = [end - len(form) for end, form in zip(ends, forms, strict=True)]
    doc = Document.from_spans(" ".join(forms), starts, ends)
    doc.xpos = doc.strings.ids(["PRP"] * len(forms)).astype(np.int32)
    doc.feats = doc.strings.ids(feats).astype(np.int32)
    known = ("Case=Nom", "Poss=Yes", "Case=Acc")
    labels = Labels(**dict.fromkeys(DECISIONS, ()) | {"xpos": ("PRP",), "feats": known})
    assert feats_seen_with([doc], labels).tolist() == [[True, True, False]]


def test_evidence_is_looked_for_where_it_counts(nlp: Pipeline) -> None:
    unread = nlp.with_search(evidence=0.0)
    part = unread.stages[-1].to_part()
    parts = {**nlp.file.parts, "neural": part}
    quiet = Pipeline(replace(nlp.file, parts=parts))
    text = "They came. Nobody left."
    assert quiet(text).start_evidence is None
    asked = quiet.with_search(evidence=1.0)(text)
    assert asked.start_evidence is not None
    loud = nlp.with_search(evidence=1.0)(text)
    assert asked.sent_start.tolist() == loud.sent_start.tolist()
