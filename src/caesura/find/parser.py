"""The text of a pattern to its tree: recursive descent, one method a rule of the grammar.

    pattern  = clauses { "|" clauses }
    clauses  = clause { ";" clause }
    clause   = chain | "!" "(" pattern ")" | "(" pattern ")"
    chain    = word { link }
    link     = [ "!" ] relation target | "(" { link } { "|" { link } } ")"
    target   = word | "(" chain ")"
    word     = [ name ] "[" [ tests ] "]" [ "=" name ] | name
    tests    = both { "|" both }
    both     = single { ( "," | "&" ) single }
    single   = "!" single | "(" tests ")" | attribute [ operator values ]
    values   = value { "|" value }
    value    = bare | quoted | "/" regex "/" [ "i" ] | name "." attribute

All links of a chain start at its first word, as in Semgrex. docs/reference/patterns.md explains it.
"""

from __future__ import annotations

import re
from typing import Final, NoReturn

from caesura.find.attributes import KNOWN, NUMBERS, attribute_of
from caesura.find.syntax import (
    FAR,
    All,
    Any,
    Attribute,
    Choice,
    Every,
    Formula,
    Has,
    Literal,
    Mention,
    Number,
    PatternError,
    Reference,
    Reject,
    Related,
    Relation,
    Test,
    Value,
    Without,
)

__all__ = ["LONGEST", "parse"]

#: Characters of a pattern, and how deep brackets may be nested.
LONGEST: Final = 10_000
_DEEPEST: Final = 40

_SPACE: Final = re.compile(r"\s*")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_ATTRIBUTE: Final = re.compile(r"[^\W\d][\w]*(?:\.[^\s\[\](){}|,&;\"/!=<>]+)?")
#: Values that need no quotes, and labels of arcs, which end at a blank.
_BARE: Final = re.compile(r"[^\s\[\](){}|,&;\"/!=<>]+")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_REGEX: Final = re.compile(r"/((?:[^/\\]|\\.)*)/(i?)")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_OPERATOR: Final = re.compile(r"!=|<=|>=|=|<|>")
_RANGE: Final = re.compile(r"\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}")
#: The arrow of Grew; -[] without its head is a word that the first one follows.
_ARROW: Final = re.compile(r"-\[[^\[\]]*\]->")
_BACK: Final = re.compile(r"([^\W\d]\w*)\.(.+)")
#: What may follow `|` between values for it to part tests instead: an attribute and an operator.
_TEST_AHEAD: Final = re.compile(r"\s*(?:!|\(|[^\W\d]\w*(?:\.[^\s\[\](){}|,&;\"/!=<>]+)?\s*[!=<>])")
#: Relations, the longer signs first: kind, whether its words are exchanged, nearest and farthest,
#: and whether it takes a distance.
_RELATIONS: Final[tuple[tuple[str, str, bool, int, int, bool], ...]] = (
    ("$++", "sibling-before", False, 1, FAR, False),
    ("$--", "sibling-before", True, 1, FAR, False),
    ("$+", "sibling-next", False, 1, FAR, False),
    ("$-", "sibling-next", True, 1, FAR, False),
    ("$", "sibling", False, 1, FAR, False),
    (">>", "descendant", False, 1, FAR, True),
    ("<<", "descendant", True, 1, FAR, True),
    ("->", "child", False, 1, 1, False),
    ("--", "before", True, 1, FAR, True),
    ("..", "before", False, 1, FAR, True),
    (">", "child", False, 1, 1, False),
    ("<", "child", True, 1, 1, False),
    (".", "before", False, 1, 1, False),
    ("-", "before", True, 1, 1, False),
)
_SIGNS: Final = ("$", ">", "<", "-", ".")


def parse(text: str) -> Formula:
    """The tree of a pattern; raises `PatternError`."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.anonymous = 0
        self.depth = 0

    # -------------------------------------------------------------- characters

    def fail(self, what: str, at: int | None = None, remedy: str = "") -> NoReturn:
        raise PatternError(what, self.text, self.at if at is None else at, remedy=remedy)

    def blank(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()

    def sees(self, sign: str) -> bool:
        """Whether a sign is next, blanks apart."""
        self.blank()
        return self.text.startswith(sign, self.at)

    def take(self, sign: str) -> bool:
        if not self.sees(sign):
            return False
        self.at += len(sign)
        return True

    def need(self, sign: str, opened: int, what: str) -> None:
        if not self.take(sign):
            found = f"not {self.text[self.at]!r}" if self.at < len(self.text) else "not the end"
            still = f"The bracket at character {opened + 1} is still open."
            self.fail(f"here must be {what}, {found}", remedy=still)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.fail(f"brackets are nested more than {_DEEPEST} deep")

    # ------------------------------------------------------------ whole patterns

    def whole(self) -> Formula:
        if len(self.text) > LONGEST:
            self.fail(f"the pattern has more than {LONGEST:,} characters", LONGEST)
        self.blank()
        if self.at == len(self.text):
            self.fail("the pattern is empty", remedy="[] is any word, [upos=NOUN] a noun.")
        found = self.pattern()
        self.blank()
        if self.at < len(self.text):
            self.stray()
        return found

    def stray(self) -> NoReturn:
        sign = self.text[self.at]
        if sign in ")]}":
            self.fail(f"{sign!r} closes a bracket that is not open")
        if sign in "[" or _NAME.match(self.text, self.at):
            self.fail(
                "between two words must be a relation or a semicolon",
                remedy="Relations are > < >> << . .. - -- $ $+ $++ $- $--; a label follows > or < "
                "without a blank, a name after a blank.",
            )
        known = "Relations are > < >> << . .. - -- $ $+ $++ $- $--."
        self.fail(f"{sign!r} is no relation", remedy=known)

    def pattern(self) -> Formula:
        self.deeper()
        at = self.at
        parts = [self.clauses()]
        while self.take("|"):
            parts.append(self.clauses())
        self.depth -= 1
        return parts[0] if len(parts) == 1 else Any(tuple(parts), at)

    def clauses(self) -> Formula:
        parts = [self.clause()]
        while self.take(";"):
            self.blank()
            if self.at == len(self.text) or self.text[self.at] in ")|":
                break  # one at the end, as in Grew, is no mistake
            parts.append(self.clause())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def clause(self) -> Formula:
        self.blank()
        at = self.at
        if self.take("!"):
            opened = self.at
            if not self.take("("):
                self.fail(
                    "here must be (",
                    remedy="!( … ) says that there are no such words; [!…] turns a test of a word.",
                )
            found = self.pattern()
            self.need(")", opened, "| or ) or a relation")
            return Without(found, at)
        if self.take("("):
            found = self.pattern()
            self.need(")", at, "| or ) or a relation")
            if self.starts_link():
                self.fail(
                    "a group in brackets cannot have a relation",
                    remedy="Name the word that you mean, and start again with it behind a "
                    "semicolon: x[] > []; x . [].",
                )
            return found
        return self.chain()[1]

    def chain(self) -> tuple[str, Formula]:
        """The key of the first word of a chain, and what the chain says."""
        key, mention = self.word()
        parts: list[Formula] = [mention, *self.links(key)]
        return key, parts[0] if len(parts) == 1 else All(tuple(parts))

    # ------------------------------------------------------------------- words

    def word(self) -> tuple[str, Mention]:
        self.blank()
        at = self.at
        name = _NAME.match(self.text, at)
        if name is not None:
            self.at = name.end()
            if not self.sees("["):
                self.at = name.end()
                return name[0], Mention(name[0], None, at)
        elif not self.text.startswith("[", at):
            found = repr(self.text[at]) if at < len(self.text) else "the end"
            self.fail(
                f"here must be a word, not {found}",
                remedy="A word is [upos=NOUN], [] for any, or the name of one.",
            )
        opened = self.at
        self.at += 1
        test = None if self.sees("]") else self.tests()
        self.need("]", opened, ", & | or ]")
        key = name[0] if name else ""
        if self.text.startswith("=", self.at):
            self.at += 1
            after = _NAME.match(self.text, self.at)
            if after is None:
                self.fail("after ]= must be the name of the word", remedy="For example: []=x.")
            if name is not None:
                self.fail("the word has a name already", remedy="Write x[…] or […]=x.")
            self.at = after.end()
            key = after[0]
        if not key:
            key = f"#{self.anonymous}"
            self.anonymous += 1
        return key, Mention(key, test, at)

    # --------------------------------------------------------------- relations

    def starts_link(self) -> bool:
        self.blank()
        at = self.at + self.text.startswith("!", self.at)
        return self.text.startswith(_SIGNS, at)

    def links(self, first: str) -> list[Formula]:
        """The relations that start at a word."""
        parts: list[Formula] = []
        while True:
            if self.starts_link():
                parts.append(self.link(first))
            elif self.sees("("):
                parts.append(self.choice(first))
            else:
                return parts

    def choice(self, first: str) -> Formula:
        """Alternatives between relations of one word."""
        self.deeper()
        opened = self.at
        self.at += 1
        options: list[Formula] = []
        while True:
            self.blank()
            start = self.at
            parts = self.links(first)
            if not parts:
                self.fail(
                    "here must be a relation", start, "For example: [] (>nsubj [] | >obj [])."
                )
            options.append(parts[0] if len(parts) == 1 else All(tuple(parts)))
            if not self.take("|"):
                break
        self.need(")", opened, "a relation, | or )")
        self.depth -= 1
        return options[0] if len(options) == 1 else Any(tuple(options), opened)

    def link(self, first: str) -> Formula:
        start = self.at
        negated = self.take("!")
        kind, exchanged, low, high, label = self.relation()
        second, target = self.target()
        if second == first:
            self.fail(f"{first} cannot stand in a relation to itself", start)
        pair = (second, first) if exchanged else (first, second)
        found = All((target, Related(Relation(kind, *pair, low, high, label))))
        return Without(found, start) if negated else found

    def target(self) -> tuple[str, Formula]:
        if not self.sees("("):
            return self.word()
        self.deeper()
        opened = self.at
        self.at += 1
        key, formula = self.chain()
        self.need(")", opened, "a relation or )")
        self.depth -= 1
        return key, formula

    def relation(self) -> tuple[str, bool, int, int, Test | None]:
        if _ARROW.match(self.text, self.at):
            return self.arrow()
        known = [row for row in _RELATIONS if self.text.startswith(row[0], self.at)]
        if not known:
            self.stray()
        sign, kind, exchanged, low, high, ranged = known[0]
        self.at += len(sign)
        label: Test | None = None
        if self.text.startswith("{", self.at):
            if not ranged:
                self.fail(f"{sign} takes no distance", remedy="These do: >> << .. --")
            low, high = self.range()
        elif sign in (">", "<"):
            label = self.label()
        return kind, exchanged, low, high, label

    def range(self) -> tuple[int, int]:
        at = self.at
        found = _RANGE.match(self.text, at)
        if found is None or not (found[1] or found[3]):
            self.fail("a distance is {2}, {1,3}, {2,} or {,3}")
        low = _small(found[1]) if found[1] else 1
        high = _small(found[3]) if found[3] else (FAR if found[2] else low)
        if not found[2] and found[3]:
            self.fail("a distance is {2}, {1,3}, {2,} or {,3}")
        if low < 1 or high < low:
            self.fail(f"there is no distance from {low} to {high}", remedy="They start at 1.")
        self.at = found.end()
        return low, high

    def label(self) -> Test | None:
        """The label right behind > or <, if there is one."""
        start = self.at
        turned = self.text.startswith("!", start)
        if turned:
            self.at += 1
        if self.at >= len(self.text) or self.text[self.at].isspace() or self.text[self.at] in "[(":
            if turned:
                self.fail("after ! must be a label", remedy="For example: >!punct [].")
            return None
        values = [self.label_value()]
        while self.text.startswith("|", self.at):
            self.at += 1
            values.append(self.label_value())
        found = Literal(Attribute("deprel"), tuple(values))
        return Reject(found) if turned else found

    def label_value(self) -> Value:
        value = self.value()
        if value is None:
            self.fail("here must be a label", remedy="For example: >nsubj|obj [], >nsubj:* [].")
        return value

    def arrow(self) -> tuple[str, bool, int, int, Test | None]:
        """The arrow of Grew: -[nsubj|obj]-> and -[^punct]->."""
        opened = self.at + 1
        self.at += 2
        turned = self.take("^")
        self.blank()
        values = [self.label_value()]
        while self.take("|"):
            self.blank()
            values.append(self.label_value())
        self.need("]->", opened, "| or ]->")
        found = Literal(Attribute("deprel"), tuple(values))
        return "child", False, 1, 1, Reject(found) if turned else found

    # ------------------------------------------------------------------- tests

    def tests(self) -> Test:
        self.deeper()
        options = [self.both()]
        while self.take("|"):
            options.append(self.both())
        self.depth -= 1
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def both(self) -> Test:
        parts = [self.single()]
        while self.take(",") or self.take("&"):
            parts.append(self.single())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def single(self) -> Test:
        self.blank()
        opened = self.at
        if self.take("!"):
            self.deeper()
            found = Reject(self.single())
            self.depth -= 1
            return found
        if self.take("("):
            inside = self.tests()
            self.need(")", opened, ", & | or )")
            return inside
        attribute = self.attribute()
        self.blank()
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None:
            return Has(attribute)
        self.at = operator.end()
        if operator[0] in ("=", "!="):
            test = self.one_of(attribute)
            return Reject(test) if operator[0] == "!=" else test
        return self.compared(attribute, operator[0], operator.start())

    def attribute(self) -> Attribute:
        at = self.at
        found = _ATTRIBUTE.match(self.text, at)
        if found is None:
            self.fail(
                "here must be an attribute",
                remedy="For example: [lemma=be], [upos=NOUN|PROPN], [feats.Number=Plur].",
            )
        known = attribute_of(found[0])
        if known is None:
            self.fail(f"there is no attribute {found[0]!r}", remedy=f"There are: {KNOWN}.")
        self.at = found.end()
        return known

    def one_of(self, attribute: Attribute) -> Test:
        values: list[Value] = []
        others: list[Test] = []
        while True:
            self.blank()
            at = self.at
            value = self.value()
            if value is None:
                self.fail(
                    "here must be a value",
                    remedy='Put one with blanks or signs in quotes: form="," or form=/.*ing/.',
                )
            back = self.reference(attribute, value, at)
            if back is not None:
                others.append(back)
            else:
                values.append(value)
            if not self.sees("|") or _TEST_AHEAD.match(self.text, self.at + 1):
                break
            self.at += 1
        tests = ([Literal(attribute, tuple(values))] if values else []) + others
        return tests[0] if len(tests) == 1 else Choice(tuple(tests))

    def reference(self, attribute: Attribute, value: Value, at: int) -> Reference | None:
        """A bare value such as x.lemma is the lemma of x; in quotes it is a value."""
        if value.is_regex or self.text[at] == '"':
            return None
        found = _BACK.fullmatch(value.text)
        other = attribute_of(found[2]) if found else None
        if found is None or other is None:
            return None
        return Reference(attribute, found[1], other, at)

    def value(self) -> Value | None:
        at = self.at
        quoted = _QUOTED.match(self.text, at)
        if quoted is not None:
            self.at = quoted.end()
            return Value(_ESCAPED.sub(r"\1", quoted[1]), at=at)
        if self.text.startswith('"', at):
            self.fail("the quotes are not closed", at)
        if self.text.startswith("/", at):
            expression = _REGEX.match(self.text, at)
            if expression is None:
                self.fail("the regular expression is not closed", at, "It ends with a slash: /…/.")
            self.at = expression.end()
            source = expression[1].replace("\\/", "/")
            return Value(source, True, bool(expression[2]), at)
        bare = _BARE.match(self.text, at)
        if bare is None:
            return None
        self.at = bare.end()
        return Value(bare[0], at=at)

    def compared(self, attribute: Attribute, operator: str, at: int) -> Number:
        self.blank()
        start = self.at
        value = self.value()
        try:
            number = float(value.text) if value is not None and not value.is_regex else None
        except ValueError:
            number = None
        if number is None or number != number:
            self.fail(
                f"after {operator} must be a number",
                start,
                f"Attributes that are numbers: {NUMBERS}, and those of MISC.",
            )
        return Number(attribute, operator, number)


def _small(digits: str) -> int:
    return min(int(digits[:12]), FAR)
