"""The treebanks of the model of many languages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import DATA
from modelling.multi.tokenizers import Treebank, find_treebanks

ENGLISH = "UD_English-EWT"
PORTUGUESE = "UD_Portuguese-Bosque"
#: Treebanks that a language is measured on, where it has several.
MAIN = (
    "UD_Armenian-BSUT", "UD_Chinese-GSD", "UD_Chinese-GSDSimp", "UD_Czech-CAC", "UD_Dutch-Alpino",
    "UD_Finnish-TDT",
    "UD_French-GSD", "UD_Georgian-GNC", "UD_German-GSD", "UD_Hausa-NorthernAutogramm",
    "UD_Hebrew-IAHLTwiki", "UD_Icelandic-Modern", "UD_Indonesian-GSD", "UD_Irish-IDT",
    "UD_Italian-MarkIT", "UD_Japanese-GSD", "UD_Korean-GSD", "UD_Latin-CIRCSE",
    "UD_Lithuanian-ALKSNIS", "UD_Persian-PerDT", "UD_Portuguese-Bosque", "UD_Romanian-RRT",
    "UD_Russian-Taiga", "UD_Slovenian-SSJ", "UD_Spanish-GSD", "UD_Swedish-Talbanken",
    "UD_Thai-TUD", "UD_Turkish-BOUN", "UD_Uzbek-UzUDT",
)  # fmt: skip
#: Treebanks that help another language, too.
ALSO = {"UD_Chinese-HK": "yue"}
#: The licence of these is told in two ways.
LEFT_OUT = ("UD_Dutch-LassySmall", "UD_Dutch-LassySmall-2017")


def all_treebanks(folder: Path) -> list[Treebank]:
    found = find_treebanks([folder])
    return [*found, *find_treebanks([DATA / name for name in (ENGLISH, PORTUGUESE)])]


def treebanks_of(only: Sequence[str] | None = None) -> list[Treebank]:
    """All treebanks that are learned from, by language, the main ones first."""
    found = [t for t in all_treebanks(DATA / "open") if t.name not in LEFT_OUT]
    found += [t._replace(language=ALSO[t.name]) for t in found if t.name in ALSO]
    found = [t._replace(main=t.name in MAIN) for t in found]
    found.sort(key=lambda t: (t.language, not t.main, t.name))
    return [t for t in found if not only or t.language in only]


def main_treebanks() -> list[Treebank]:
    """The treebanks that languages are measured on."""
    found = [t for t in all_treebanks(DATA / "open") if t.name not in LEFT_OUT]
    several = {t.language for t in found if t.name in MAIN}
    return [t for t in found if t.dev and (t.name in MAIN or t.language not in several)]
