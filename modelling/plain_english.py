"""Plain English sentences, which treebanks of the web lack.

    python -m modelling.plain_english --documents 3000 > plain.txt

A small grammar: subject, verb, object; passives, questions, commands, relative clauses, copulas,
coordination. Many of its words are both noun and verb. The root of each sentence is known, so that
a teacher's tree with another root can be discarded. Cases of tests/cases/primer are left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import ROOT, options


def _words() -> dict[str, list[str]]:
    """The entries of plain_english.txt by the name of their section."""
    found: dict[str, list[str]] = {}
    name = ""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            name = line.strip("[]")
            found[name] = []
        elif line and name:
            found[name].append(line)
    return found


WORDS = _words()
FORMS = {name: [entry.split() for entry in entries] for name, entries in WORDS.items()}
PEOPLE_, ANIMALS_, THINGS_ = FORMS["PEOPLE"], FORMS["ANIMALS"], FORMS["THINGS"]
INTRANSITIVE_, TRANSITIVE_ = FORMS["INTRANSITIVE"], FORMS["TRANSITIVE"]
GIVING_, SAYING_ = FORMS["GIVING"], FORMS["SAYING"]
MASS_, ADJECTIVES, ADVERBS = WORDS["MASS"], WORDS["ADJECTIVES"], WORDS["ADVERBS"]
NAMES, PLACES = WORDS["NAMES"], WORDS["PLACES"]
VOWELS = "aeiou"
Phrase = tuple[list[str], bool]  # words, plural


class Maker:
    """Sentences by chance; a sentence is its words and the place of its root."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def noun(self, kinds: list[list[str]], *, deep: bool = True) -> Phrase:
        """A noun phrase of a countable noun."""
        r = self.r
        plural = self.chance(0.4)
        noun = r.choice(kinds)[plural]
        words = [noun]
        if self.chance(0.3):
            words = [r.choice(ADJECTIVES), *words]
        if plural:
            first = r.choice(["the", "the", "", "", "some", "two", "three", "many", "those", "my",
                              "our", "their", "all", "these"])  # fmt: skip
        else:
            first = r.choice(["the", "the", "the", "a", "a", "this", "that", "my", "her", "his",
                              "every", "our", "one", "your", "each"])  # fmt: skip
            if first == "a" and words[0][0] in VOWELS:
                first = "an"
        if first:
            words = [first, *words]
        if deep and self.chance(0.12):
            words += ["with", *self.noun(THINGS_, deep=False)[0]]
        elif deep and self.chance(0.06):
            words += ["of", *self.noun(PEOPLE_, deep=False)[0]]
        return words, plural

    def subject(self) -> Phrase:
        kind = self.r.random()
        if kind < 0.2:
            return self.r.choice([(["I"], True), (["you"], True), (["we"], True), (["they"], True),
                                  (["he"], False), (["she"], False), (["it"], False)])  # fmt: skip
        if kind < 0.35:
            return [self.r.choice(NAMES)], False
        if kind < 0.4:
            return [self.r.choice(NAMES), "and", self.r.choice(NAMES)], True
        return self.noun(self.r.choice([PEOPLE_, ANIMALS_, PEOPLE_, ANIMALS_, THINGS_]))

    def object(self) -> list[str]:
        kind = self.r.random()
        if kind < 0.12:
            return [self.r.choice(["me", "you", "him", "her", "it", "us", "them"])]
        if kind < 0.2:
            return [self.r.choice(NAMES)]
        if kind < 0.32:
            mass = self.r.choice(MASS_)
            return [self.r.choice(["the", "some"]), mass] if self.chance(0.5) else [mass]
        return self.noun(self.r.choice([THINGS_, THINGS_, ANIMALS_, PEOPLE_]))[0]

    def finite(self, verb: list[str], subject: Phrase) -> tuple[list[str], int]:
        """A verb group that agrees, and the place of the verb in it."""
        words, plural = subject
        first = words == ["I"]
        be = "am" if first else ("are" if plural else "is")
        was = "was" if first or not plural else "were"
        have = "have" if plural else "has"
        do = "do" if plural else "does"
        r = self.r
        kind = r.random()
        if kind < 0.4:
            return [verb[0] if plural else verb[1]], 0
        if kind < 0.7:
            return [verb[2]], 0
        if kind < 0.78:
            return [r.choice([be, was]), verb[4]], 1
        if kind < 0.85:
            return [
                r.choice(["will", "can", "must", "should", "may", "could", "would"]),
                verb[0],
            ], 1
        if kind < 0.9:
            return [r.choice([have, "had"]), verb[3]], 1
        if kind < 0.95:
            return [r.choice([do, "did"]), r.choice(["not", "n't"]), verb[0]], 2
        return [r.choice(["wants", "tries", "has"] if not plural else ["want", "try", "have"]),
                "to", verb[0]], 0  # fmt: skip

    def clause(self, *, short: bool = False) -> tuple[list[str], int]:
        """Words of a clause and the place of its root."""
        r = self.r
        subject = self.subject()
        words = list(subject[0])
        kind = r.random()
        if kind < 0.3:
            group, at = self.finite(r.choice(INTRANSITIVE_), subject)
            rest: list[str] = []
        elif kind < 0.72:
            group, at = self.finite(r.choice(TRANSITIVE_), subject)
            rest = self.object()
        elif kind < 0.8:
            group, at = self.finite(r.choice(GIVING_), subject)
            if self.chance(0.6):
                rest = [*self.r.choice([["me"], ["him"], ["her"], ["us"], self.noun(PEOPLE_)[0]]),
                        *self.noun(THINGS_, deep=False)[0]]  # fmt: skip
            else:
                rest = [*self.noun(THINGS_, deep=False)[0], "to", *self.noun(PEOPLE_)[0]]
        elif kind < 0.88:
            be = "am" if words == ["I"] else ("are" if subject[1] else "is")
            group, at = (
                [r.choice([be, be, "was" if words == ["I"] or not subject[1] else "were"])],
                1,
            )
            if self.chance(0.75):
                rest = [r.choice(["very", "too", "so"])] if self.chance(0.25) else []
                at += len(rest)
                rest = [*rest, r.choice(ADJECTIVES)]
            else:
                rest = ["a", r.choice(PEOPLE_)[0]] if not subject[1] else [r.choice(PEOPLE_)[1]]
                at += len(rest) - 1
            return words + group + rest, len(words) + at
        elif kind < 0.95:
            verb = r.choice(TRANSITIVE_)
            be = r.choice(["was" if words == ["I"] or not subject[1] else "were",
                           "am" if words == ["I"] else "are" if subject[1] else "is"])  # fmt: skip
            group, at = [be, verb[3]], 1
            rest = ["by", *self.noun(PEOPLE_ if self.chance(0.7) else ANIMALS_)[0]]
            rest = rest if self.chance(0.6) else []
        else:
            group, at = self.finite(r.choice(SAYING_), subject)
            inner, _ = self.clause(short=True)
            rest = [*(["that"] if self.chance(0.5) else []), *inner]
        at += len(words)
        words = words + group + rest
        if not short and self.chance(0.4):
            words += r.choice(PLACES).split() if self.chance(0.7) else [r.choice(ADVERBS)]
        return words, at

    def question(self) -> tuple[list[str], int]:
        r = self.r
        subject = self.subject()
        plural = subject[1]
        kind = r.random()
        if kind < 0.45:
            verb = r.choice(TRANSITIVE_)
            aux = r.choice(["do" if plural else "does", "did", "can", "will", "should"])
            return [aux, *subject[0], verb[0], *self.object()], 1 + len(subject[0])
        if kind < 0.6:
            verb = r.choice(INTRANSITIVE_)
            aux = r.choice(["do" if plural else "does", "did", "can", "will"])
            return [r.choice(["where", "why", "when", "how"]), aux, *subject[0], verb[0]], 2 + len(
                subject[0]
            )
        if kind < 0.75:
            verb = r.choice(TRANSITIVE_)
            aux = r.choice(["do" if plural else "does", "did", "will"])
            return ["what", aux, *subject[0], verb[0]], 2 + len(subject[0])
        if kind < 0.9:
            verb = r.choice(TRANSITIVE_)
            return ["who", r.choice([verb[2], verb[1]]), *self.object()], 1
        be = "am" if subject[0] == ["I"] else ("are" if plural else "is")
        return [be, *subject[0], r.choice(ADJECTIVES)], 1 + len(subject[0])

    def sentence(self) -> tuple[list[str], int, str]:
        """Words, root and final mark."""
        r = self.r
        kind = r.random()
        if kind < 0.1:
            return *self.question(), "?"
        if kind < 0.18:
            verb = r.choice(TRANSITIVE_)
            start = [["please"], ["do", "not"], ["never"], []][r.choice([0, 1, 2, 3, 3, 3, 3])]
            words = [*start, verb[0], *self.object()]
            if self.chance(0.3):
                words += r.choice(PLACES).split()
            return words, len(start), r.choice([".", ".", "!"])
        if kind < 0.26:
            subject, plural = self.noun(r.choice([PEOPLE_, ANIMALS_]), deep=False)
            inner = r.choice(TRANSITIVE_)
            verb = r.choice(INTRANSITIVE_)
            relative = [
                "who" if self.chance(0.5) else "that",
                r.choice([inner[2], inner[0] if plural else inner[1]]),
                *self.object(),
            ]
            return [*subject, *relative, verb[2]], len(subject) + len(relative), "."
        if kind < 0.34:
            (a, root), (b, _) = self.clause(short=True), self.clause(short=True)
            joint = r.choice(
                [[",", "and"], [",", "but"], ["and"], ["because"], ["when"], ["while"]]
            )
            return [*a, *joint, *b], root, "."
        if kind < 0.38:
            (a, _), (b, root) = self.clause(short=True), self.clause(short=True)
            lead = r.choice([["when"], ["if"], ["because"], ["after"]])
            return [*lead, *a, ",", *b], len(lead) + len(a) + 1 + root, "."
        if kind < 0.41:
            noun, plural = self.noun(r.choice([THINGS_, PEOPLE_, ANIMALS_]), deep=False)
            be = "are" if plural else "is"
            return ["there", be, *noun, *r.choice(PLACES).split()], 1, "."
        return *self.clause(), r.choice([".", ".", ".", ".", "!"])


def spelled(words: list[str], mark: str) -> str:
    """The sentence as it is written."""
    text = " ".join(words).replace(" ,", ",").replace(" n't", "n't")
    return text[0].upper() + text[1:] + mark


def _cases() -> set[str]:
    """Sentences that models are measured on."""
    found = set()
    for path in (ROOT / "tests/cases/primer").glob("*.tsv"):
        for line in path.read_text(encoding="utf-8").splitlines():
            found.update(cell.strip().casefold() for cell in line.split("\t"))
    return found


def documents(n: int, seed: int = 0) -> Iterator[list[tuple[str, str]]]:
    """Documents: sentences with their roots."""
    maker, cases = Maker(seed), _cases()
    for _ in range(n):
        made: list[tuple[str, str]] = []
        for _ in range(maker.r.randint(4, 14)):
            words, root, mark = maker.sentence()
            text = spelled(words, mark)
            if text.casefold() not in cases:
                made.append((text, words[root]))
        yield made


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for number, made in enumerate(documents(arguments.documents, arguments.seed)):
        print(f"# newdoc id = plain-{number}")
        print(" ".join(text for text, _ in made), end="\n\n")


if __name__ == "__main__":
    main()
