"""A treebank by rule: documents of small sentences with trees, to learn from and to convert.

It has what treebanks have: documents and paragraphs, lemmas, tags and features, words that share a
token, spaces that are missing, arcs that cross, comments, a sentence without its full stop.
"""

from __future__ import annotations

from benchmarks.golden.texts import (
    ADJECTIVES,
    ADVERBS,
    GOING,
    NAMES,
    NOUNS,
    PREPOSITIONS,
    VERBS,
    Dice,
)

#: form, lemma, upos, xpos, feats, head, deprel
Word = list[object]


def _noun_phrase(words: list[Word], head: int, relation: str, dice: Dice) -> None:
    if dice.chance(25):
        name = dice.one(NAMES)
        words.append([name, name, "PROPN", "NNP", "Number=Sing", head, relation])
        return
    place = len(words)
    adjective = dice.chance(40)
    noun = place + 1 + adjective
    article = dice.one(("the", "a", "this"))
    kind = "Definite=Def|PronType=Art" if article == "the" else "_"
    words.append([article, article, "DET", "DT", kind, noun, "det"])
    if adjective:
        word = dice.one(ADJECTIVES)
        words.append([word, word, "ADJ", "JJ", "Degree=Pos", noun, "amod"])
    word = dice.one(NOUNS)
    words.append([word, word, "NOUN", "NN", "Number=Sing", head, relation])


def sentence(dice: Dice) -> tuple[list[Word], int]:
    """Words whose heads count from 0 (-1: the root), and where a multi-word token is, or -1."""
    words: list[Word] = []
    _noun_phrase(words, -2, "nsubj", dice)
    together = -1
    transitive = dice.chance(65)
    form = dice.one(VERBS if transitive else GOING)
    if dice.chance(25):
        together = len(words)
        words.append(["does", "do", "AUX", "VBZ", "Tense=Pres", -2, "aux"])
        words.append(["n't", "not", "PART", "RB", "Polarity=Neg", -2, "advmod"])
        form = form.removesuffix("s")
    verb = len(words)
    feats = "Number=Sing|Person=3|Tense=Pres"
    words.append([form, form.removesuffix("s"), "VERB", "VBZ", feats, -1, "root"])
    if transitive:
        _noun_phrase(words, verb, "obj", dice)
    if dice.chance(45):
        place = len(words)
        preposition = dice.one(PREPOSITIONS)
        words.append([preposition, preposition, "ADP", "IN", "_", -3, "case"])
        # Sometimes it belongs to the subject, and its arc crosses the verb's.
        owner = verb if dice.chance(85) else next(i for i, w in enumerate(words) if w[5] == -2)
        _noun_phrase(words, owner, "obl" if owner == verb else "nmod", dice)
        words[place][5] = len(words) - 1
    if dice.chance(30):
        word = dice.one(ADVERBS)
        words.append([word, word, "ADV", "RB", "_", verb, "advmod"])
    for row in words:
        if row[5] == -2:
            row[5] = verb
    if dice.chance(92):
        mark = dice.one((".", ".", ".", "?", "!"))
        words.append([mark, mark, "PUNCT", ".", "_", verb, "punct"])
    first = str(words[0][0])
    words[0][0] = first[0].upper() + first[1:]
    return words, together


def conllu(documents: int, seed: int, *, sentences: int = 8) -> str:
    """So many documents as CoNLL-U."""
    dice = Dice(seed)
    lines: list[str] = []
    for number in range(1, documents + 1):
        lines.append(f"# newdoc id = rule-{seed}-{number}")
        for place in range(sentences):
            if place % 3 == 0:
                lines.append("# newpar")
            words, together = sentence(dice)
            glue = [
                i == together or (i + 1 < len(words) and words[i + 1][2] == "PUNCT")
                for i in range(len(words))
            ]
            text = "".join(
                str(word[0]) + ("" if stuck else " ")
                for word, stuck in zip(words, glue, strict=True)
            ).rstrip()
            lines += [f"# sent_id = rule-{seed}-{number}-{place + 1}", f"# text = {text}"]
            for i, (form, lemma, upos, xpos, feats, head, relation) in enumerate(words):
                if i == together:
                    lines.append(f"{i + 1}-{i + 2}\tdoesn't" + "\t_" * 8)
                misc = "SpaceAfter=No" if glue[i] and i != together else "_"
                cells = [i + 1, form, lemma, upos, xpos, feats, int(str(head)) + 1, relation, "_"]
                lines.append("\t".join(map(str, [*cells, misc])))
            lines.append("")
    return "\n".join(lines) + "\n"


def brackets(count: int, seed: int) -> str:
    """Phrase structure as in the Penn Treebank, with function tags and empty elements."""
    dice = Dice(seed)
    lines = []
    for _ in range(count):
        words, _ = sentence(dice)
        leaves = [f"({word[3]} {word[0]})" for word in words]
        root = next(i for i, word in enumerate(words) if word[5] == -1)
        last = len(leaves) - (words[-1][2] == "PUNCT")
        subject = " ".join(leaves[:root])
        rest = " ".join(leaves[root + 1 : last])
        inner = f" (NP {rest})" if rest else ""
        trace = " (NP-SBJ (-NONE- *T*-1))" if dice.chance(20) else ""
        end = "" if last == len(leaves) else " " + leaves[last]
        lines.append(f"( (S (NP-SBJ {subject}) (VP {leaves[root]}{inner}{trace}){end}) )")
    return "\n".join(lines) + "\n"


def damaged(text: str, seed: int) -> str:
    """A system's output: the same text with some heads, labels and tags changed."""
    dice = Dice(seed)
    lines = text.split("\n")
    for place, line in enumerate(lines):
        cells = line.split("\t")
        if len(cells) != 10 or not cells[0].isdigit():
            continue
        if dice.chance(10):
            cells[7] = dice.one(("obj", "nsubj", "obl", "advmod", "nmod"))
        if dice.chance(10):
            cells[3] = dice.one(("NOUN", "VERB", "ADJ", "PROPN"))
        if dice.chance(8) and cells[7] == "advmod" and cells[6] != "1" and cells[0] != "1":
            cells[6] = "1"
        lines[place] = "\t".join(cells)
    return "\n".join(lines)
