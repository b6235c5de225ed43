"""Many languages: which model a language gets, what is recognised, what is told; bad input."""

from __future__ import annotations

import pickle
import unicodedata
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from modelling.multi.recogniser_training import RecogniserOptions, train_recogniser

import caesura
from caesura import cli
from caesura.document import Document
from caesura.errors import ModelError, OtherLanguage, UsageError
from caesura.language.box import BOX, code_of, nearest
from caesura.language.choice import Choice, choose_model
from caesura.language.recognise import sparse
from caesura.language.words import NAMES
from caesura.models import load as load_file
from caesura.models import save
from caesura.pipeline import Pipeline, split
from caesura.stages.several_tokenizers import ManyTokenizer, recogniser_of
from caesura.tokenize import Tokenizer

TEXTS = {
    "da": "Båden kommer ikke i dag, og ingen ved hvorfor. Havnen er stille om natten. "
    "Min søster skrev et brev til sin gamle ven, som bor ved havet. Vi venter på svar. "
    "Fiskerne sidder på kajen og taler om vejret, mens mågerne skriger over tagene.",
    "de": "Das Boot kommt heute nicht, und niemand weiß warum. Der Hafen ist nachts still. "
    "Meine Schwester schrieb ihrem alten Freund, der am Meer wohnt. Wir warten auf Antwort. "
    "Die Fischer sitzen auf der Mauer und reden über das Wetter, während die Möwen schreien.",
    "en": "The boat does not come today, and nobody knows why. The harbour is still at night. "
    "My sister wrote to her old friend who lives by the sea. We are waiting for an answer. "
    "The fishermen sit on the wall and talk about the weather while the gulls cry.",
}
HUNGARIAN = (
    "A hajó ma nem érkezik meg, és senki sem tudja, miért. A kikötő éjszaka csendes. A nővérem "
    "levelet írt a régi barátjának, aki a tenger mellett lakik. Válaszra várunk már hetek óta."
)


def _document(text: str) -> Document:
    words = text.split(" ")
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    return Document.from_spans(text, np.concatenate(([0], ends[:-1] + 1)), ends)


@pytest.fixture(scope="module")
def many_model(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model with a tokeniser of three languages."""
    file = load_file(tiny_model)
    parts = dict(file.parts)
    tokenizer = Tokenizer.from_part(parts.pop("tokenizer"))
    options = RecogniserOptions(bits=12, pieces=600, epochs=2, prune=0.0)
    recogniser = train_recogniser({c: [_document(t)] for c, t in TEXTS.items()}, options)
    tokens = ManyTokenizer(recogniser, {"da": tokenizer, "en": tokenizer})
    path = tmp_path_factory.mktemp("many") / "multi.caesura"
    meta = {"name": "multi", "languages": ["da", "de", "en"], "licence": "CC-BY-SA-4.0"}
    save(path, {"tokenizers": tokens.to_part(), **parts}, meta=meta, card="# multi\n")
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model folder of one's own that is empty."""
    monkeypatch.setenv("CAESURA_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "models"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def multi(home: Path, many_model: Path) -> Path:
    """The model of many languages is installed."""
    (home / "multi.caesura").write_bytes(many_model.read_bytes())
    return home


def languages(doc: Document) -> list[str]:
    assert doc.token_language is not None
    return sorted({doc.strings[i] for i in doc.token_language.tolist()})


# ------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("named", "code"),
    [("da", "da"), ("DA_dk", "da"), ("dan", "da"), ("Danish", "da"), ("nor", "nb"), ("no", "nb"),
     ("zh-Hant", "zh"), ("Norwegian", "nb"), ("und", "und"), ("qq", None), ("klingon", None),
     ("no-such-model", None), ("en-large", None), ("da.caesura", None)],
)  # fmt: skip
def test_languages_have_many_names(named: str, code: str | None) -> None:
    assert code_of(named) == code


def test_every_language_of_the_box_has_a_name() -> None:
    assert len(BOX) == len(set(BOX)) == 74
    assert [code for code in BOX if code not in NAMES] == []
    assert all(code_of(NAMES[code]) == code for code in BOX)
    assert nearest("ca", BOX) == ("es", "fr")
    assert nearest("eu", BOX) == ()


# ------------------------------------------------------------ which model


def test_english_keeps_its_own_models(multi: Path) -> None:
    assert choose_model() == choose_model("en") == choose_model(lang="en") == Choice("en")
    assert choose_model(lang="English") == Choice("en")
    assert choose_model("some.caesura") == Choice("some.caesura")
    assert choose_model("multi") == Choice("multi")
    assert choose_model("da") == choose_model(lang="dan") == Choice("multi", "da")
    assert choose_model("multi", "en") == Choice("multi", "en")
    assert choose_model("nonsense") == Choice("nonsense")  # of which the store tells
    (multi / "da.caesura").write_bytes((multi / "multi.caesura").read_bytes())
    assert choose_model("da") == Choice("da")  # a model of one's own wins


def test_without_the_package_it_says_what_to_install(home: Path) -> None:
    with pytest.raises(
        ModelError, match=r"no model for Danish \(da\).*pip install \./packages/multi"
    ):
        caesura.load("da")
    with pytest.raises(ModelError, match=r"Catalan.*pip install \./packages/multi.*Spanish \(es\)"):
        caesura.load(lang="ca")
    with pytest.raises(ModelError, match="there is no model 'nonsense'"):
        caesura.load("nonsense")
    with pytest.raises(UsageError, match="'qq' is no language"):
        caesura.load(lang="qq")
    with pytest.raises(UsageError, match="named by a string"):
        caesura.load(lang=7)  # type: ignore[arg-type]


def test_a_language_that_the_model_lacks_is_told_with_the_nearest(multi: Path) -> None:
    with pytest.raises(ModelError, match=r"Luxembourgish \(lb\).*German \(de\); --lang de") as told:
        caesura.load("lb")
    assert "--lang und" in str(told.value)
    with pytest.raises(ModelError, match=r"Basque \(eu\). multi has nothing near"):
        caesura.load("eu")


# ------------------------------------------------------------------ in use


def test_a_language_is_recognised_or_named(multi: Path) -> None:
    nlp = caesura.load("multi")
    for code, text in TEXTS.items():
        assert languages(nlp(text)) == [code]
    mixed = f"{TEXTS['da']}\n\n{TEXTS['de']}\n"
    assert languages(nlp.unwatched()(mixed)) == ["da", "de"]
    danish = caesura.load("da").unwatched()
    assert danish.language == "da"
    assert languages(danish(TEXTS["de"])) == ["da"]
    assert languages(caesura.load("multi", lang="de")(TEXTS["de"])) == ["de"]
    nobody = caesura.load("multi", lang="und")
    assert languages(nobody(TEXTS["da"])) == [""]
    assert [s.text for s in nobody(TEXTS["da"]).sentences]
    assert split(TEXTS["da"], "da")
    again = pickle.loads(pickle.dumps(danish))
    assert again(TEXTS["de"]) == danish(TEXTS["de"])
    assert again.language == "da"


def test_a_model_of_one_language_has_no_other(tiny_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "english.caesura"
    save(path, load_file(tiny_model).parts, meta={"name": "english", "language": "en"})
    assert caesura.load(path, lang="en").language == "en"
    with pytest.raises(UsageError, match="is for English, not for Danish"):
        caesura.load(path, lang="da")


def test_what_is_plainly_another_language_is_told_and_obeyed(multi: Path) -> None:
    with pytest.warns(OtherLanguage, match=r"looks like German.*said to be Danish.*all the same"):
        doc = caesura.load("da")(TEXTS["de"])
    assert languages(doc) == ["da"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        caesura.load("da")(TEXTS["da"])
        caesura.load("multi")(TEXTS["da"])
        caesura.load("multi", lang="und")(HUNGARIAN)


def test_text_in_no_language_is_told(multi: Path) -> None:
    recogniser = recogniser_of("multi")
    none = np.zeros((1 << recogniser.bits, len(recogniser.languages)), np.int8)
    none[:, -1] = 127
    many = ManyTokenizer(replace(recogniser, weights=sparse(none)), {})
    watch = many.watch()
    assert watch.look("!") is None  # nothing to judge by
    assert watch.look(HUNGARIAN) == "the text is in no language that the model knows"
    assert "never learned" in watch.remedy
    assert "Nearest: " in watch.remedy
    assert watch.look(HUNGARIAN) is None  # once is enough
    assert languages(many.tokens_of(HUNGARIAN)) == [""]


def test_on_the_command_line(
    multi: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for code, text in TEXTS.items():
        (tmp_path / f"{code}.txt").write_text(text, encoding="utf-8")
    danish, english = str(tmp_path / "da.txt"), str(tmp_path / "en.txt")
    assert cli.run(["parse", danish, "--lang", "da"]) == 0
    named = capsys.readouterr()
    assert "is taken" not in named.err
    for verb in (["parse"], ["split"]):
        assert cli.run([*verb, danish]) == 0
        found = capsys.readouterr()
        assert f"{danish} is in Danish: the model multi is taken." in found.err
        assert cli.run([*verb, danish, "-m", "da", "-q"]) == 0
        assert capsys.readouterr().out == found.out
    assert cli.run(["parse", danish, "-m", "da"]) == 0
    assert capsys.readouterr().out == named.out
    both = tmp_path / "both.txt"
    both.write_text(f"{TEXTS['en']}\n\n{TEXTS['de']}\n", encoding="utf-8")
    assert cli.run(["split", str(both)]) == 0
    assert "is in German: the model multi is taken." in capsys.readouterr().err
    assert cli.run(["split", english, "--quick"]) == 0
    assert "is taken" not in capsys.readouterr().err
    assert cli.run(["split", danish, "--lang", "lb"]) == 1
    assert "--lang de" in capsys.readouterr().err


def test_a_server_has_languages(multi: Path) -> None:
    from caesura.serve.server import named_models

    models = named_models(["da", "multi"])
    assert list(models.paths) == ["da", "multi"]
    assert models.get("da").language == "da"
    assert models.get("multi").language is None


# --------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "text",
    [
        "Привет, мир! שלום עולם. Hello 世界。 Ça va ? नमस्ते ۱۲۳ สวัสดี",
        "1234 5678 +++ --- ### 99,9 % !!! ... ((( )))",
        "אמר John Smith לפני New York, והלך הביתה. ثم قال Peter شيئا.",
        "ขณะนี้เรืออยู่ในทะเล" * 1700,
        "今天船不来没有人知道为什么" * 2600,
        unicodedata.normalize("NFC", TEXTS["da"] + " é ü ñ ố"),
        unicodedata.normalize("NFD", TEXTS["da"] + " é ü ñ ố"),
        "\u0301\u0308" * 50,
        "a\u200bb\u200e\u200fc\ufeffd \u202eabc\u202c",
        " \n\n\t ",
        "",
    ],
    ids=[
        "scripts",
        "none",
        "rtl",
        "thai",
        "chinese",
        "nfc",
        "nfd",
        "marks",
        "hidden",
        "blank",
        "nil",
    ],
)
def test_bad_input_gives_a_result_with_offsets(many_model: Path, text: str) -> None:
    nlp: Pipeline = caesura.load(many_model).unwatched()
    doc = nlp(text)
    doc.check()
    assert doc.text == text
    pieces = [doc.text[a:b] for a, b in zip(doc.token_start, doc.token_end, strict=True)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert (doc.n_sentences >= 1) == bool(text.strip())


# ----------------------------------------------------------------- other doors


def test_frames_take_the_code_of_a_language(multi: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    from caesura.pipeline.frames import parse_frames

    frame = pandas.DataFrame({"id": ["a", "b"], "text": [TEXTS["da"], TEXTS["de"]]})
    for model in ("multi", "da"):
        (found,) = parse_frames([frame], model)
        wanted = [caesura.load(model)(text) for text in frame["text"]]
        assert found["form"].tolist() == [form for doc in wanted for form in doc.column("form")]
        assert found["deprel"].tolist() == [name for doc in wanted for name in doc.column("deprel")]


def test_spacy_takes_the_code_of_a_language(multi: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    nlp = spacy.blank("da")
    nlp.add_pipe("caesura", config={"model": "da"})
    doc = nlp(TEXTS["da"])
    assert doc.has_annotation("DEP")
    assert [token.text for token in doc][:2] == ["Båden", "kommer"]
    both = spacy.blank("xx")
    both.add_pipe("caesura", config={"model": "multi"})
    assert len(list(both(TEXTS["de"]).sents)) >= 1


def test_a_cluster_is_told_the_language(multi: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.pipeline.run import engine_of

    told: dict[str, object] = {}

    def cluster(model: Path, **options: object) -> object:
        told.update(options, model=model)
        return object()

    monkeypatch.setattr("caesura.pipeline.ray.Ray", cluster)
    engine_of(caesura.load("da"), threads=1, cluster=True)
    assert Path(str(told["model"])).name == "multi.caesura"
    assert "'language': 'da'" in str(told)
