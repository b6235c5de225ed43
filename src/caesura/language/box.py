"""The languages of the box: those of the package of many languages, and how languages are named.

A language is named by its code (`da`, `da-DK`, `dan`) or in English (`Danish`). Of languages that
nobody has the nearest relatives are known.
"""

from __future__ import annotations

import re
from typing import Final

from caesura.language.words import NAMES

__all__ = ["BOX", "PACKAGE", "UNKNOWN", "code_of", "nearest"]

#: The package of many languages.
PACKAGE: Final = "caesura-multi"
#: "Undetermined", as ISO 639-2 has it: parse as a language that was never learned.
UNKNOWN: Final = "und"
#: The languages of that package, for those who do not have it yet.
BOX: Final = (
    "af", "am", "ar", "be", "bm", "br", "bxr", "cop", "cs", "cy", "da", "de", "el", "en", "es",
    "fa", "fi", "fo", "fr", "ga", "gd", "gl", "grc", "gv", "ha", "he", "hi", "hr", "hsb", "ht",
    "hy", "hyw", "id", "is", "it", "ja", "jv", "ka", "kk", "kmr", "ko", "ky", "la", "lt", "lv",
    "mr", "mt", "myv", "nb", "nds", "nl", "nn", "pl", "pt", "ro", "ru", "sa", "sk", "sl", "sme",
    "sq", "sr", "sv", "ta", "th", "tr", "ug", "uk", "uz", "vi", "wo", "yo", "yue", "zh",
)  # fmt: skip
#: Codes of three letters, and others that are in use.
_ALSO: Final = {
    "afr": "af", "amh": "am", "ara": "ar", "bam": "bm", "bel": "be", "bos": "hr", "bre": "br",
    "bua": "bxr", "ces": "cs", "cze": "cs", "cym": "cy", "wel": "cy", "dan": "da", "ger": "de",
    "ell": "el", "gre": "el", "eng": "en", "fas": "fa", "per": "fa", "fin": "fi", "fao": "fo",
    "fre": "fr", "gle": "ga", "gla": "gd", "glg": "gl", "glv": "gv", "hau": "ha", "heb": "he",
    "hin": "hi", "hrv": "hr", "hat": "ht", "hye": "hy", "arm": "hy", "ind": "id", "isl": "is",
    "ice": "is", "ita": "it", "jpn": "ja", "jav": "jv", "kat": "ka", "geo": "ka", "kaz": "kk",
    "kor": "ko", "kir": "ky", "ku": "kmr", "kur": "kmr", "lat": "la", "lit": "lt", "lav": "lv",
    "mar": "mr", "mlt": "mt", "no": "nb", "nor": "nb", "nob": "nb", "nno": "nn", "nld": "nl",
    "dut": "nl", "pol": "pl", "por": "pt", "ron": "ro", "rum": "ro", "rus": "ru", "san": "sa",
    "slk": "sk", "slo": "sk", "slv": "sl", "se": "sme", "sqi": "sq", "alb": "sq", "srp": "sr",
    "swe": "sv", "tam": "ta", "tha": "th", "tur": "tr", "uig": "ug", "ukr": "uk", "uzb": "uz",
    "vie": "vi", "wol": "wo", "yor": "yo", "zho": "zh", "chi": "zh", "cmn": "zh", "deu": "de",
    "fra": "fr", "spa": "es", "iw": "he", "in": "id", "bs": "hr", "sh": "hr", "eus": "eu",
    "baq": "eu", "cat": "ca", "hun": "hu", "est": "et", "bul": "bg",
}  # fmt: skip
#: For languages that nobody may have: their relatives, the nearest first.
_RELATIVES: Final = {
    "ast": "es gl", "az": "tr uz", "ba": "kk ky", "bg": "ru sr uk", "bn": "hi mr", "ca": "es fr",
    "ckb": "kmr fa", "co": "it", "crh": "tr", "csb": "pl", "dsb": "hsb pl", "et": "fi",
    "fil": "id", "fy": "nl nds", "gsw": "de", "gu": "hi mr", "hu": "fi", "ig": "yo", "kn": "ta",
    "kpv": "myv fi", "krl": "fi", "lb": "de nl", "lo": "th", "mdf": "myv", "mk": "sr hr ru",
    "ml": "ta", "mn": "bxr", "ms": "id", "ne": "hi mr", "oc": "fr es", "olo": "fi", "pa": "hi",
    "pcm": "en", "ps": "fa", "rue": "uk", "sc": "it", "sco": "en", "si": "hi mr", "smn": "sme",
    "sms": "sme", "su": "jv id", "te": "ta", "tg": "fa", "ti": "am", "tk": "tr uz", "tl": "id",
    "tt": "kk ky", "ur": "hi fa", "wa": "fr", "yi": "de",
}  # fmt: skip
#: A code with a script and a region, as `zh-hant-tw`.
_TAG: Final = re.compile(r"([a-z]{2,3})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?")
_BY_NAME: Final = {name.lower(): code for code, name in NAMES.items()} | {"norwegian": "nb"}


def code_of(language: str) -> str | None:
    """The code of a language that is named by any of its codes or in English; None: no language."""
    lower = language.strip().lower().replace("_", "-")
    if lower in _BY_NAME:
        return _BY_NAME[lower]
    tag = _TAG.fullmatch(lower)
    if tag is None:
        return None
    found = _ALSO.get(tag[1], tag[1])
    known = found in NAMES or found in BOX or found in _RELATIVES or found == UNKNOWN
    return found if known else None


def nearest(code: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The relatives of a language among those that are known, the nearest first."""
    return tuple(one for one in _RELATIVES.get(code, "").split() if one in known)
