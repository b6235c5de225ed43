"""Texts of our own, made by rule and the same for ever: written, spoken, and hard to read.

They need not mean anything; they must reach every branch. So the words of some sentence patterns
are shuffled, some are invented from syllables, and between the sentences stand lists, headings,
quotes, abbreviations, links, numbers, emoji and other scripts. The numbers are not those of the
library, so that a new version of Python makes the same texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

T = TypeVar("T")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS: Final = _words(
    "harbour boat gull net rope crate pilot tide van coffee pier lamp ferry letter engine storm "
    "market price crab mackerel island lighthouse ticket window captain bridge map bucket radio "
    "winter morning neighbour daughter baker doctor kitchen garden bicycle song station train "
    "question answer mistake café façade naïveté co-operation mother-in-law"
)
VERBS: Final = _words(
    "sees finds mends sells brings wants forgets loses keeps carries paints opens closes follows "
    "reads hears likes watches fears counts"
)
SAYING: Final = _words("says thinks knows hopes doubts insists believes remembers")
GOING: Final = _words("sleeps waits leaves arrives sings falls works rests shouts returns")
ADJECTIVES: Final = _words(
    "old cold green quiet broken early late strong empty wet honest narrow foreign blue last"
)
ADVERBS: Final = _words("slowly often never again today really quietly almost yesterday soon")
NAMES: Final = _words("Ines Tomas Okafor Lena Björn Siobhán Marek Adaeze Yusuf O'Neill McKay")
PREPOSITIONS: Final = _words("at by under behind without near from with over until")
PRONOUNS: Final = _words("he she it they we you I somebody nobody")
TITLES: Final = ("Mrs.", "Dr.", "Prof.", "Capt.", "Mr", "St.")
FILLERS: Final = ("uh", "um", "well", "you know", "i mean", "like", "so", "okay")
ODD: Final = (
    "See https://example.org/a?b=c&d=1#e or write to ines.okafor@example.org!",
    "Prices: 3.20, 7,80 and 1,000.50; e.g. cod (gone by 8 a.m.), crab etc.",
    "OMG!!! That's soooo good :-) 👍🏽👍🏽 #harbour @ines ...",
    "“Why,” asked the U.S. pilot, ‘didn’t you call?’ — Nobody knew…",
    "It cost $5-$6 (about 5% more than in '98), i.e. too much.",
    "* a list\n* of two\n  - and a half",
    "CHAPTER 4\n\nThe Night",
    "Das Schiff fährt ab. Le café est fermé, n'est-ce pas ? ¿Dónde está el barco?",
    "船は港に着いた。風が強い。",
    "البحر هادئ اليوم. שלום לכולם.",
    "The end\tof\u00a0a\u2009line\u200b is not the end.",
    "He can't, won't, shouldn't've; they'd gonna, I'm, y'all're.",
    "A. B. C. x.y.z 1. 2) iv. §3 no. 7",
    "word" * 40,
    "e\u0301te\u0301 cafe\u0301 na\u0308ive",
)  # fmt: skip
SYLLABLES: Final = _words("ba ko ri lun tes mar vo shi dra pel quin os ethe garn ul")


class Dice:
    """Numbers that look random: xorshift over 64 bits."""

    def __init__(self, seed: int) -> None:
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x1234567) & (1 << 64) - 1

    def below(self, n: int) -> int:
        x = self.state
        x ^= (x << 13) & (1 << 64) - 1
        x ^= x >> 7
        x ^= (x << 17) & (1 << 64) - 1
        self.state = x
        return (x >> 11) % n

    def one(self, of: Sequence[T]) -> T:
        return of[self.below(len(of))]

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def shuffled(self, of: Sequence[T]) -> list[T]:
        found = list(of)
        for i in range(len(found) - 1, 0, -1):
            j = self.below(i + 1)
            found[i], found[j] = found[j], found[i]
        return found


def invented(dice: Dice) -> str:
    return "".join(dice.one(SYLLABLES) for _ in range(2 + dice.below(3)))


def _noun(dice: Dice) -> str:
    return invented(dice) if dice.chance(12) else dice.one(NOUNS)


def _phrase(dice: Dice) -> str:
    if dice.chance(20):
        title = dice.one(TITLES) + " " if dice.chance(40) else ""
        return title + dice.one(NAMES)
    if dice.chance(20):
        return dice.one(PRONOUNS)
    words = [dice.one(("the", "a", "this", "every", "no", "my"))]
    if dice.chance(40):
        words.append(dice.one(ADJECTIVES))
    words.append(_noun(dice))
    if dice.chance(25):
        words += [dice.one(PREPOSITIONS), "the", _noun(dice)]
    if dice.chance(8):
        words += ["that", dice.one(PRONOUNS), dice.one(VERBS)]
    return " ".join(words)


def _clause(dice: Dice) -> str:
    kind = dice.below(6)
    subject = _phrase(dice)
    if kind == 0:
        return f"{subject} {dice.one(GOING)} {dice.one(ADVERBS)}"
    if kind == 1:
        return f"{subject} {dice.one(SAYING)} that {_clause(dice)}"
    if kind == 2:
        return f"{subject} doesn't {dice.one(VERBS)[:-1]} {_phrase(dice)}"
    if kind == 3:
        return f"{subject}'s {_noun(dice)} is {dice.one(ADJECTIVES)}"
    end = f" {dice.one(PREPOSITIONS)} {_phrase(dice)}" if dice.chance(40) else ""
    return f"{subject} {dice.one(VERBS)} {_phrase(dice)}{end}"


def _sentence(dice: Dice) -> str:
    text = _clause(dice)
    if dice.chance(30):
        text += dice.one(
            (", and ", ", but ", "; ", " because ", " - ", ", which means ")
        ) + _clause(dice)
    if dice.chance(10):
        text = f"“{text},” {dice.one(SAYING)} {dice.one(NAMES)}"
    text = text[0].upper() + text[1:]
    return text + dice.one((".", ".", ".", ".", "?", "!", "...", ":"))


def written(size: int, seed: int = 1) -> str:
    """About `size` characters of edited text in paragraphs."""
    dice = Dice(seed)
    parts: list[str] = []
    length = 0
    odd = dice.shuffled(ODD)
    while length < size:
        if dice.chance(5):
            paragraph = odd.pop() if odd else invented(dice).title()
            odd = odd or dice.shuffled(ODD)
        else:
            lines = [_sentence(dice) for _ in range(1 + dice.below(7))]
            paragraph = dice.one((" ", " ", " ", "\n", "  ")).join(lines)
        parts.append(paragraph)
        length += len(paragraph) + 2
    return "\n\n".join(parts) + "\n"


def spoken(size: int, seed: int = 2, *, lines: bool = False) -> str:
    """About `size` characters without case and punctuation, on one line or one line a turn."""
    dice = Dice(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        words = _clause(dice).replace(".", "").lower().split()
        for _ in range(dice.below(3)):
            words.insert(dice.below(len(words) + 1), dice.one(FILLERS))
        if dice.chance(10):
            words.insert(0, words[0])  # a word said twice
        parts.append(" ".join(words))
        length += len(parts[-1]) + 1
    if not lines:
        return " ".join(parts) + "\n"
    return "".join(part + ("\n" if dice.chance(40) else " ") for part in parts) + "\n"


def shuffled_words(size: int, seed: int = 3) -> str:
    """Words in any order: no grammar to lean on, boundaries anywhere."""
    dice = Dice(seed)
    words = [*NOUNS, *VERBS, *SAYING, *ADJECTIVES, *ADVERBS, *NAMES, *PREPOSITIONS, *PRONOUNS]
    parts: list[str] = []
    length = 0
    while length < size:
        parts += [
            word + dice.one(("", "", "", "", "", "", ",", ".", "?", "\n", "'s"))
            for word in dice.shuffled(words)
        ]
        length = sum(map(len, parts)) + len(parts)
    return " ".join(parts) + "\n"


#: A line for each language, most of them written for this file by hand.
LANGUAGES: Final = """\
Το πλοίο έφτασε στο λιμάνι. Πού πας; Στο σπίτι, στους δρόμους της ΠΟΛΗΣ.
İstanbul'a gidiyoruz. Ilık bir gün; gemi IŞIKLARI söndü. Nereye gidiyorsun?
وصلت السفينة إلى الميناء. هل وصلت الرسالة؟ لا أعرف.
船到了港口。你好！我是小王。他说：“我不去。”大家都很惊讶。
これはペンです。それはマーカーです。すごい！！やった！
Das Schiff fährt um 8 Uhr ab. Wohin gehst du? Die Straße war naß.
Le bateau n'est pas arrivé. Où va-t-il ? Aujourd'hui, il y a du vent.
Лодка пришла в порт. Куда ты идёшь? Ветер был сильный.
वह घर गया। तुम कहाँ जा रहे हो? हवा तेज़ थी।
הספינה הגיעה לנמל. לאן אתה הולך? הרוח הייתה חזקה.
배가 항구에 도착했다. 어디 가니? 바람이 강했다.
Tàu đã đến cảng. Bạn đi đâu? Gió rất mạnh.
"""


def every_character() -> str:
    """Words with every character that a file may hold, forty to a line."""
    lines = []
    found = [chr(c) for c in range(1, 0x30000) if not 0xD800 <= c < 0xE000]
    for at in range(0, len(found), 40):
        part = "".join(found[at : at + 40])
        lines.append(f"a{part[:10]} b{part[10:20]}c {part[20:30]} {' '.join(part[30:])}.")
    return "\n".join(lines[:200] + lines[200::12]) + "\n"
