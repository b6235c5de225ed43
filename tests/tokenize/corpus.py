"""A small made-up treebank: sentences with contractions, abbreviations, numbers and addresses."""

from __future__ import annotations

import random

import numpy as np

from caesura.document import Document

SUBJECTS = ["The cook", "Dr. Miller", "My aunt", "A tall man", "She", "He", "Nobody", "Our dog"]
VERBS = ["sees", "doesn't like", "won't buy", "paints", "isn't", "reads", "can't find"]
OBJECTS = ["3.5 apples", "the U.S. flag", "it's box", "a well-known song", "www.tea.org", "$40"]
ENDS = [".", "!", "?", "..."]
WORDS = {
    "doesn't": ("does", "n't"),
    "won't": ("wo", "n't"),
    "isn't": ("is", "n't"),
    "can't": ("ca", "n't"),
    "it's": ("it", "'s"),
}


def sentence(rng: random.Random) -> list[tuple[str, bool]]:
    """Tokens with whether a space follows."""
    chosen = f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(OBJECTS)}".split()
    tokens: list[tuple[str, bool]] = []
    for word in chosen:
        if word.startswith("$"):
            tokens += [("$", False), (word[1:], True)]
        elif word == "well-known":
            tokens += [("well", False), ("-", False), ("known", True)]
        else:
            tokens.append((word, True))
    tokens[-1] = (tokens[-1][0], False)
    return [*tokens, (rng.choice(ENDS), True)]


def document(seed: int, sentences: int = 12) -> Document:
    rng = random.Random(seed)
    text = ""
    starts, ends, begins, words, owner, paragraphs = [], [], [], [], [], [0]
    for number in range(sentences):
        if number and rng.random() < 0.2:
            text = text.rstrip(" ") + "\n\n"
            paragraphs.append(len(text))
        for position, (token, space) in enumerate(sentence(rng)):
            starts.append(len(text))
            ends.append(len(text) + len(token))
            begins.append(1 if position == 0 else 0)
            for word in WORDS.get(token, (token,)):
                words.append(word)
                owner.append(len(starts) - 1)
            text += token + (" " if space else "")
    doc = Document(text=text.rstrip(" "))
    doc.token_start = np.array(starts, dtype=np.int64)
    doc.token_end = np.array(ends, dtype=np.int64)
    doc.sent_start = np.array(begins, dtype=np.int8)
    doc.token_misc = np.zeros(len(starts), dtype=np.int32)
    doc.word_token = np.array(owner, dtype=np.int32)
    doc.form = doc.strings.ids(words)
    doc.paragraph_start = np.array(paragraphs, dtype=np.int64)
    doc.blank_words()
    doc.check()
    return doc


def documents(n: int, first: int = 0) -> list[Document]:
    return [document(seed) for seed in range(first, first + n)]


def unspaced_document(seed: int, sentences: int = 12) -> Document:
    """Sentences of Chinese words with nothing between them."""
    rng = random.Random(seed)
    text, starts, ends, begins = "", [], [], []
    for _ in range(sentences):
        words = [rng.choice(["我们", "他", "老师", "图书馆", "小猫"]), rng.choice(["看", "喜欢"])]
        words += [rng.choice(["书", "电影", "小说", "图书馆"]), rng.choice(["。", "！"])]
        for position, word in enumerate(words):
            starts.append(len(text))
            text += word
            ends.append(len(text))
            begins.append(1 if position == 0 else 0)
    doc = Document.from_spans(text, starts, ends)
    doc.sent_start = np.array(begins, dtype=np.int8)
    return doc
