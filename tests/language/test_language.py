"""Text in another language than the model's: told once, never without reason."""

from __future__ import annotations

import gzip
import io
import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import pytest

from caesura import cli
from caesura.errors import OtherLanguage
from caesura.language import Tally, Watch, language_name, language_of_model, other, watch_for
from caesura.language.words import NAMES, SCRIPTS, WORDS

ENGLISH = (
    "The ferry was late again this morning, and nobody on the quay was surprised. They had brought "
    "tea and a pack of cards, and they would have stayed until noon if it had not begun to rain."
)
TEXTS = {
    "de": "Das Boot kommt heute nicht, und niemand weiß warum. Wir haben den ganzen Morgen auf dem "
    "Steg gewartet, aber es war kein Schiff zu sehen, und dann hat es auch noch geregnet.",
    "fr": "Le bateau ne vient pas aujourd'hui et personne ne sait pourquoi. Nous avons attendu sur "
    "le quai toute la matinée, mais il n'y avait rien à voir, et puis la pluie est arrivée.",
    "es": "El barco no viene hoy y nadie sabe por qué. Hemos esperado toda la mañana en el muelle, "
    "pero no había nada que ver, y luego empezó a llover sobre las casas del puerto.",
    "nl": "De boot komt vandaag niet en niemand weet waarom. Wij hebben de hele ochtend op de "
    "steiger gewacht, maar er was geen schip te zien, en toen begon het ook nog te regenen.",
    "el": "Το πλοίο δεν έρχεται σήμερα και κανείς δεν ξέρει γιατί.",
    "ru": "Корабль сегодня не придёт, и никто не знает почему, но мы ждали его всё утро.",
    "he": "הספינה לא באה היום ואף אחד לא יודע למה, אבל חיכינו כל הבוקר על הרציף.",
    "ar": "لم تأت السفينة اليوم ولا أحد يعرف لماذا، وقد انتظرنا كل الصباح على الرصيف.",
    "ja": "今日は船が来ません。誰もその理由を知りませんが、"
    "私たちは朝からずっと桟橋で待っていました。",
    "zh": "今天船没有来，没有人知道为什么。我们整个早上都在码头上等着，"
    "可是什么也没有看到，后来又下起了雨，大家只好回家。",
    "ko": "오늘은 배가 오지 않고 아무도 그 이유를 모릅니다. "
    "우리는 아침 내내 부두에서 기다렸지만 아무것도 보이지 않았습니다.",
    "th": "วันนี้เรือไม่มาและไม่มีใครรู้ว่าทำไม เรารออยู่ที่ท่าเรือตลอดเช้า",
}  # fmt: skip


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_told(language: str) -> None:
    assert other(TEXTS[language], "en") == language
    assert other(TEXTS[language], language) is None


@pytest.mark.parametrize("language", ["de", "fr", "el", "ja", "zh"])
def test_english_is_told_from_what_others_expect(language: str) -> None:
    assert other(ENGLISH, language) == "en"
    assert other(ENGLISH, "en") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Das Boot kommt nicht.",
        "Ολα καλά",
        "São Paulo, Köln, Łódź, İzmir, Århus, Reykjavík, Málaga, Besançon " * 4,
        "for (int i = 0; i < n; i++) { sum += a[i] * b[i]; } return sum; " * 10,
        "1 kg cod 7.80\n2 kg mackerel 3.20\n5 l oil 12.00\n" * 10,
        "la la la la na na na hey hey goodbye " * 10,
        ENGLISH + " He said: «Das Boot kommt heute nicht, und niemand weiß warum.»",
        ENGLISH + " 今日は船が来ません。",
        "https://de.wikipedia.org/wiki/Die_und_der_und_das " * 30,
    ],
)
def test_no_false_alarm(text: str) -> None:
    assert other(text, "en") is None


def test_a_language_that_is_not_in_the_table_is_not_judged() -> None:
    assert other(TEXTS["de"], "fo") is None
    assert other(TEXTS["de"], "en-GB") == "de"
    assert other("Eg veit ikkje kva dei skal gjere, men vi får sjå. " * 4, "nb") is None
    assert language_name("pt_BR") == "Portuguese"
    assert language_name("tlh") == "tlh"


def test_the_language_of_training_data() -> None:
    for language, text in {**TEXTS, "en": ENGLISH}.items():
        tally = Tally()
        tally.add(text)
        assert tally.language() == language
    tally = Tally()
    tally.add("Okafor Lindqvist Moreau " * 20)
    assert tally.language() is None


def test_the_table_is_sound() -> None:
    assert set(WORDS) <= set(NAMES)
    assert all(language in NAMES for _, languages in SCRIPTS.values() for language in languages)
    for language, words in WORDS.items():
        assert len(words) > 20, language
        assert all(word == word.lower() for word in words), language


# ------------------------------------------------------------------- models


def test_what_a_model_is_for() -> None:
    assert language_of_model({"language": "en"}) == "en"
    many = {"languages": ["cs", "de"], "trained_on": ["UD_German-GSD train"]}
    assert language_of_model(many) is None
    assert language_of_model({"trained_on": ["UD_German-GSD train"]}) == "de"
    assert language_of_model({"trained_on": ["/data/no_nynorsklia-ud-train.conllu.gz"]}) == "no"
    assert language_of_model({"trained_on": ["mine.conllu"]}) is None
    assert language_of_model({}) is None
    assert watch_for({}) is None


def test_short_texts_are_judged_together_and_told_of_once() -> None:
    watch = Watch("en")
    said = [watch.look("Das ist ja nicht so gut.") for _ in range(30)]
    told = [text for text in said if text]
    assert told == ["the text looks like German, and the model is for English"]
    mixed = Watch("en")
    assert not any(mixed.look(text) for text in ["Ja, und?", "What is it?", "I do not know."] * 30)


@pytest.fixture
def english_model(tiny_model: Path, tmp_path: Path) -> Path:
    from caesura.models import load, save

    file = load(tiny_model)
    path = tmp_path / "english.caesura"
    save(path, file.parts, meta={"name": "english", "language": "en"})
    return path


def test_in_python(english_model: Path, tiny_model: Path) -> None:
    import caesura.pipeline

    nlp = caesura.pipeline.load(english_model)
    assert nlp.language == "en"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp(ENGLISH)
        nlp("Ja, und?")
        caesura.pipeline.load(tiny_model)(TEXTS["de"])
    with pytest.warns(OtherLanguage, match=r"looks like German.*is for English\. Expect") as told:
        nlp(TEXTS["de"])
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():  # once is enough
        warnings.simplefilter("error")
        list(nlp.pipe([TEXTS["fr"], TEXTS["de"]]))
        list(nlp.stream([TEXTS["de"]]))
    again = caesura.pipeline.load(english_model)
    with pytest.warns(OtherLanguage):
        again.k_best(TEXTS["fr"], 2)


@pytest.mark.parametrize("verb", ["parse", "split"])
def test_on_the_command_line(
    verb: str, english_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, language in enumerate(["en", "de", "fr", "el"]):
        text = ENGLISH if language == "en" else TEXTS[language]
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "4.txt").write_text(TEXTS["de"] * 1000, encoding="utf-8")
    files = [str(tmp_path / f"{number}.txt") for number in range(5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cli.run([verb, *files, "-m", str(english_model)]) == 0
        err = capsys.readouterr().err
        said = "1.txt: warning: the text looks like German, and the model is for English. Expect"
        assert said in err
        assert err.count("looks like") == 1
        for more in (["-q", *files], files[:1]):
            assert cli.run([verb, *more, "-m", str(english_model)]) == 0
            assert "looks like" not in capsys.readouterr().err
        assert cli.run([verb, files[4], "-m", str(english_model)]) == 0
        assert capsys.readouterr().err.count("looks like German") == 1


def test_on_stdin(
    english_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXTS["el"].encode())))
    assert cli.run(["parse", "-m", str(english_model)]) == 0
    assert "<stdin>: warning: the text looks like Greek" in capsys.readouterr().err


def test_an_answer_of_the_server(english_model: Path) -> None:
    from caesura.serve.messages import ParseRequest
    from caesura.serve.models import Models
    from caesura.serve.options import ServeOptions
    from caesura.serve.parsing import Task
    from caesura.serve.wire import JobHead
    from caesura.serve.worker import Job

    models, options = Models({"english": english_model}), ServeOptions()
    job = Job(JobHead("parse", 600), b"", 600)

    def task(text: str) -> Task:
        return Task(ParseRequest(text), models, options, job)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):  # every answer says it
            warning = task(TEXTS["fr"]).answer().warning
            assert warning is not None
            assert warning.startswith("The text looks like French, and the model")
        assert b"looks like French" in next(task(TEXTS["fr"]).events())
        assert task(ENGLISH).answer().warning is None


def test_training_writes_the_language_down() -> None:
    from caesura.learn.pipeline import language_of as _language
    from tests.pipeline.tiny import treebank

    assert _language(treebank()) == {"language": "en"}


# ----------------------------------------------------------------- treebanks

CODES = {
    "Arabic": "ar", "Basque": "eu", "Bulgarian": "bg", "Catalan": "ca", "Chinese": "zh",
    "Czech": "cs", "Danish": "da", "Dutch": "nl", "French": "fr", "German": "de", "Greek":
    "el", "Hungarian": "hu", "Italian": "it", "Japanese": "ja", "Naija": "pcm", "Norwegian":
    "nn", "Portuguese": "pt", "Slovenian": "sl", "Spanish": "es", "Swedish": "sv", "Turkish":
    "tr",
}  # fmt: skip


def test_treebanks(data_dir: Path) -> None:
    """Every treebank is told, nearly all pieces of 140 tokens, and none of English."""
    seen = Counter[str]()
    for path in sorted(data_dir.glob("*/*.conll*.gz")):
        if "train" in path.name and "SST" not in str(path) and "LIT" not in str(path):
            continue
        name = next((name for name in CODES if name in path.parent.name), "")
        wanted = CODES.get(name)
        lines = gzip.decompress(path.read_bytes()).decode("utf-8").split("\n")
        forms = [line.split("\t")[1] for line in lines if re.match(r"\d+\t", line)][:6000]
        gap = "" if wanted in ("zh", "ja") else " "
        pieces = [gap.join(forms[at : at + 140]) for at in range(0, len(forms) - 139, 140)]
        if wanted is None:
            assert not any(other(piece, "en") for piece in pieces), path
            continue
        assert other(gap.join(forms), "en") == wanted, path
        told = sum(other(piece, "en") is not None for piece in pieces)
        assert told >= (0.7 if wanted == "pcm" else 0.9) * len(pieces), path
        seen[name] += 1
    if not seen:
        pytest.skip("no treebanks")
    assert len(seen) >= 15
