"""The slow, obvious twin of the search: every word is tried for every node, nothing is compiled.

It goes through the tree of a pattern instead of multiplying alternatives out, and asks the views of
the document instead of columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from caesura.document import Document, Word
from caesura.find.syntax import (
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
    Reference,
    Reject,
    Related,
    Relation,
    Test,
    Without,
)

Env = dict[str, Word]
Found = tuple[tuple[tuple[str, int], ...], tuple[int, ...]]


def find(doc: Document, formula: Formula) -> set[Found]:
    """The matches: the number of the word of each name, and those of the words without one."""
    found = set()
    for sentence in doc.sentences if doc.n_words else ():
        for env in solve(formula, {}, list(sentence.words)):
            named = sorted((key, word.index) for key, word in env.items() if key[0] != "#")
            others = sorted(word.index for key, word in env.items() if key[0] == "#")
            found.add((tuple(named), tuple(others)))
    return found


def solve(formula: Formula, outer: Env, words: list[Word]) -> Iterator[Env]:
    """Ways to choose words; those of one part are different, but may be words that are outside."""
    for env, pending in bind(formula, outer, [], words, outer):
        if all(holds(part, env, words) for part in pending):
            yield env


def bind(
    formula: Formula, env: Env, pending: list[Formula], words: list[Word], outer: Env
) -> Iterator[tuple[Env, list[Formula]]]:
    """All ways to choose words and alternatives; what is to be checked then is collected."""
    if isinstance(formula, All):
        if not formula.parts:
            yield env, pending
            return
        for inner, todo in bind(formula.parts[0], env, pending, words, outer):
            yield from bind(All(formula.parts[1:]), inner, todo, words, outer)
    elif isinstance(formula, Any):
        for part in formula.parts:
            yield from bind(part, env, pending, words, outer)
    elif isinstance(formula, Mention) and formula.key not in env:
        for word in words:
            if word not in [env[key] for key in env if key not in outer]:
                yield {**env, formula.key: word}, [*pending, formula]
    else:
        yield env, [*pending, formula]


def holds(part: Formula, env: Env, words: list[Word]) -> bool:
    if isinstance(part, Mention):
        return part.test is None or passes(part.test, env[part.key], env)
    if isinstance(part, Related):
        return related(part.relation, env, words)
    assert isinstance(part, Without)
    return not any(True for _ in solve(part.part, env, words))


def related(relation: Relation, env: Env, words: list[Word]) -> bool:
    a, b = env[relation.first], env[relation.second]
    low, high = relation.low, relation.high
    if relation.label is not None and not passes(relation.label, b, env):
        return False
    if relation.kind == "child":
        return b.head == a
    if relation.kind == "descendant":
        above = b.head
        for depth in range(1, len(words) + 1):
            if above is None:
                return False
            if above == a and low <= depth <= high:
                return True
            above = above.head
        return False
    if relation.kind == "before":
        return low <= b.index - a.index <= high
    if a.head is None or a.head != b.head or a == b:
        return False
    if relation.kind == "sibling":
        return True
    if a.index >= b.index:
        return False
    between = (word for word in words if a.index < word.index < b.index)
    return relation.kind == "sibling-before" or all(word.head != a.head for word in between)


def passes(test: Test, word: Word, env: Env) -> bool:
    if isinstance(test, Reject):
        return not passes(test.test, word, env)
    if isinstance(test, Every):
        return all(passes(part, word, env) for part in test.tests)
    if isinstance(test, Choice):
        return any(passes(part, word, env) for part in test.tests)
    value = value_of(test.attribute, word)
    if isinstance(test, Has):
        return value != ""
    if isinstance(test, Reference):
        return value != "" and value == value_of(test.other, env[test.name])
    if isinstance(test, Number):
        try:
            number = float(value)
        except ValueError:
            return False
        compare = {"<": number < test.number, "<=": number <= test.number}
        compare |= {">": number > test.number, ">=": number >= test.number}
        return compare[test.operator]
    several = value.split(",") if test.attribute.name == "feats" and test.attribute.key else []
    return any(fits(test, one) for one in [value, *several])


def fits(test: Literal, value: str) -> bool:
    for wanted in test.values:
        if wanted.is_regex:
            flags = re.IGNORECASE if wanted.ignore_case else 0
            if re.fullmatch(wanted.text, value, flags):
                return True
        elif wanted.text == value:
            return True
    bases = {f"{value.split(':')[0]}:*"} if test.attribute == Attribute("deprel") else set()
    return bool(bases & {wanted.text for wanted in test.values if not wanted.is_regex})


def value_of(attribute: Attribute, word: Word) -> str:
    name, key = attribute.name, attribute.key
    if name in ("feats", "misc") and key:
        items = getattr(word, name)
        return items[key] or key if key in items else ""
    if name in ("feats", "misc", "deps"):
        return word.doc.strings[getattr(word.doc, name)[word.index]]
    if name == "udeprel":
        return word.deprel.split(":")[0]
    if name == "sdeprel":
        return word.deprel.partition(":")[2]
    if name == "token":
        return word.token.text
    if name == "id":
        return str(word.id)
    if name == "head":
        return str(word.head.id) if word.head else ("0" if word.is_root else "")
    if name == "children":
        return str(len(word.children))
    if name == "depth":
        depth, above = 0, word
        while above.head is not None:
            above = above.head
            depth += 1
            if depth > word.doc.n_words:
                return ""
        return str(depth) if above.is_root else ""
    if name == "sent":
        return {"id": word.sentence.id or "", "length": str(len(word.sentence))}[key]
    if name == "doc":
        return word.doc.id or ""
    return str(getattr(word, name))
