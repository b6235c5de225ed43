"""Tags, features and lemmas from a network's scores, and from what lexicons know of the words."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import Document
from caesura.document.characters import pictures_of
from caesura.language.closed import Closed, closed_words
from caesura.neural.languages import Languages
from caesura.neural.lemmas import NEVER, LemmaLexicon
from caesura.neural.scores import Scores
from caesura.neural.tag_lexicon import Opinion, TagLexicon
from caesura.stages.lemmas import Irregular, apply_rule, read_irregular

__all__ = ["Tagging", "softmax"]

#: Words whose lemmas are chosen together.
_AT_ONCE: Final = 1024


class Heeded(NamedTuple):
    """What a lexicon of tags says of the words of a document."""

    opinions: list[Opinion]
    #: Which of them is of each word, and their languages.
    where: NDArray[np.int64]
    spoken: list[str]
    #: Scores of tags that heed them.
    upos: NDArray[np.float32]


class Tagging:
    """What decides about the tags of words. It does not change in use."""

    def __init__(
        self,
        labels: dict[str, list[str]],
        lexicon: LemmaLexicon | None = None,
        languages: Languages | None = None,
        features: NDArray[np.bool_] | None = None,
        tags: TagLexicon | None = None,
    ) -> None:
        self.labels = labels
        self.lexicon = lexicon
        self.languages = languages
        self.features = features
        self.tags = tags
        self._irregular = read_irregular(lexicon.irregular) if lexicon is not None else {}
        self._closed: Closed = {}
        self._lemma = lru_cache(1 << 16)(apply_rule)
        feats = labels["feats"]
        self._digits = np.array([("NumForm=Digit" in f) - ("NumForm=Word" in f) for f in feats])

    def speaks(self, language: str) -> None:
        """Heed what is known of the words of a language."""
        if self.languages is None:
            self._closed = closed_words(language, self.labels["xpos"], self.labels["feats"])
            told = {key: word.lemma for key, word in self._closed.items()}
            self._irregular = {**self._irregular, **told}

    def write(self, doc: Document, scores: Scores, confidence: bool) -> None:
        fixed = Constraints.of(doc)
        heeded = self._heeded(doc, scores)
        upos = scores.tags["upos"] if heeded is None else heeded.upos
        for column in ("upos", "xpos", "feats"):
            if column == "feats" and self.languages is not None:
                found = doc.strings.ids(self._feats(doc, scores, heeded)).astype(np.int32)
            else:
                names = doc.strings.ids(self.labels[column])
                if column == "feats":
                    best = self._best_feats(doc, scores)
                else:
                    best = (upos if column == "upos" else scores.tags[column]).argmax(1)
                if column == "upos" and "SYM" in self.labels[column]:
                    best[pictures_of(doc)] = self.labels[column].index("SYM")
                found = names[best].astype(np.int32)
            if column == "feats" and self._closed:
                found = self._closed_feats(doc, found)
            setattr(doc, column, fixed.obeyed(column, found))
        if not ("lemma" in fixed.columns and np.all(doc.lemma > 0)):
            lemmas = self._lemmas(doc, scores)
            if self._irregular:
                lemmas = _corrected(doc, lemmas, self._irregular)
            doc.lemma = fixed.obeyed("lemma", lemmas)
        if confidence:
            doc.tag_conf = softmax(upos).max(1)

    def _best_feats(self, doc: Document, scores: Scores) -> NDArray[np.int64]:
        """FEATS as a whole: the best of those that go with the XPOS and the spelling of a word."""
        spelled = _has_digits(doc) if self._digits.any() else None
        found = []
        for span in _spans(doc.n_words):
            points = scores.tags["feats"][span]
            if self.features is not None:
                allowed = self.features[scores.tags["xpos"][span].argmax(1)]
                points = np.where(allowed, points, NEVER)
            if spelled is not None:
                points = _spelled(spelled[span], points, self._digits)
            found.append(points.argmax(1))
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _closed_feats(self, doc: Document, feats: NDArray[np.int32]) -> NDArray[np.int32]:
        """FEATS, those of words of closed classes as their tags settle them."""
        told = {key: word.feats for key, word in self._closed.items() if word.feats is not None}
        return _corrected(doc, feats, told)

    def _heeded(self, doc: Document, scores: Scores) -> Heeded | None:
        """What the lexicon of tags says of the words; None if there is no lexicon or language."""
        if self.tags is None or self.languages is None or scores.languages is None:
            return None
        codes = ("", *self.languages.codes)
        keys = doc.form.astype(np.int64) * len(codes) + scores.languages
        kinds, where = np.unique(keys, return_inverse=True)
        spoken = [codes[i] for i in (kinds % len(codes)).tolist()]
        forms = doc.strings.take(kinds // len(codes))
        opinions = self.tags.opinions(list(zip(forms, spoken, strict=True)))
        return Heeded(
            opinions, where, spoken, self.tags.tag_points(scores.tags["upos"], opinions, where)
        )

    def _feats(self, doc: Document, scores: Scores, heeded: Heeded | None) -> list[str]:
        """FEATS of a network of many languages: of those that the lexicon knows, or by value."""
        assert self.languages is not None, "only asked for then"
        points, values = scores.tags["feats"], scores.values
        allowed = self._allowed_values(scores)
        if heeded is None or self.tags is None:
            return self.languages.attributes.choose(points, allowed, values)
        may = points if allowed is None else np.where(allowed, points, NEVER)
        known = self.tags.choose_feats(
            may, doc.column("upos"), heeded.spoken, heeded.opinions, heeded.where, values
        )
        rest = np.array([n for n, one in enumerate(known) if one is None], np.int64)
        free = self.languages.attributes.choose(
            points[rest], allowed[rest] if allowed is not None else None, values
        )
        for row, one in zip(rest.tolist(), free, strict=True):
            known[row] = one
        return [one or "" for one in known]

    def _allowed_values(self, scores: Scores) -> NDArray[np.bool_] | None:
        """Which of the columns of FEATS that have scores each word may have; None: all of them."""
        if self.languages is None or scores.languages is None or not len(scores.languages):
            return None
        mask, spoken = self.languages.masks["feats"], scores.languages
        if scores.values is not None:
            mask = mask[:, scores.values]
        # Of one language there are scores of what it may have, and mostly of nothing else.
        if (spoken == spoken[0]).all() and mask[spoken[0]].all():
            return None
        allowed: NDArray[np.bool_] = mask[spoken]
        return allowed

    def allowed(self, scores: Scores, name: str) -> NDArray[np.bool_] | None:
        """Which labels the language of each word may have; None: all of them."""
        if self.languages is None or scores.languages is None:
            return None
        allowed: NDArray[np.bool_] = self.languages.masks[name][scores.languages]
        return allowed

    def relations(self, doc: Document, batches: Iterable[NDArray[np.float32]]) -> NDArray[np.int64]:
        """The best label of each arc, by scores that come in batches; emoji are no punctuation."""
        marks = np.array([name.split(":")[0] == "punct" for name in self.labels["deprel"]])
        emoji, found = pictures_of(doc), [np.zeros(0, np.int64)]
        for points in batches:
            own, emoji = emoji[: len(points), None], emoji[len(points) :]
            found.append(np.where(own & marks, -np.inf, points).argmax(1))
        return np.concatenate(found)

    def _lemmas(self, doc: Document, scores: Scores) -> NDArray[np.int32]:
        """Lemmas by rule, worked out once for each pair of form and rule."""
        names = self.labels["lemma"]
        rules = self._rules(doc, scores)
        pairs = doc.form.astype(np.int64) * len(names) + rules
        kinds, where = np.unique(pairs, return_inverse=True)
        made = doc.strings.ids(
            self._lemma(doc.strings[pair // len(names)], names[pair % len(names)])
            for pair in kinds.tolist()
        )
        return made[where].astype(np.int32)

    def _rules(self, doc: Document, found: Scores) -> NDArray[np.int64]:
        """The rule of each word: the best of those that its lexicon and its language allow."""
        if self.lexicon is None:
            chosen = [self._points(found, span).argmax(1) for span in _spans(doc.n_words)]
            best = np.concatenate([np.zeros(0, np.int64), *chosen])
            return best if found.rules is None else found.rules[best]
        n = len(doc.strings)
        keys = doc.form.astype(np.int64) * n + doc.upos
        codes: tuple[str, ...] = ("",)
        if self.languages is not None and found.languages is not None:
            codes = ("", *self.languages.codes)
            keys = keys * len(codes) + found.languages
        chosen = []
        for span in self._lemma_spans(found, doc.n_words):
            kinds, where = np.unique(keys[span], return_inverse=True)
            spoken = [codes[i] for i in (kinds % len(codes)).tolist()]
            kinds //= len(codes)
            forms = [doc.strings[i] for i in (kinds // n).tolist()]
            tags = [doc.strings[i] for i in (kinds % n).tolist()]
            points = self._points(found, span)
            chosen.append(self.lexicon.choose(forms, tags, where, points, spoken, found.rules))
        return np.concatenate([np.zeros(0, np.int64), *chosen])

    def _lemma_spans(self, found: Scores, n: int) -> list[slice]:
        """All words, or some words after the other where their scores have to be copied."""
        spoken = found.languages
        mixed = self.languages is not None and spoken is not None and (spoken != spoken[:1]).any()
        return _spans(n) if mixed else [slice(0, n)][: min(n, 1)]

    def _points(self, found: Scores, span: slice) -> NDArray[np.float32]:
        """The scores of lemma rules for some words; of those that may not be, very low ones."""
        points = found.tags["lemma"][span]
        if self.languages is None or found.languages is None:
            return points
        if (found.languages == found.languages[0]).all():
            return points  # the rules are those of the one language
        allowed = self.languages.masks["lemma"][found.languages[span]]
        return np.where(allowed if found.rules is None else allowed[:, found.rules], points, NEVER)


def _spans(n: int) -> list[slice]:
    """Some words after the other: a row of all lemma rules is long."""
    return [slice(at, min(at + _AT_ONCE, n)) for at in range(0, n, _AT_ONCE)]


def _has_digits(doc: Document) -> NDArray[np.bool_]:
    """Which words are written with digits."""
    kinds, where = np.unique(doc.form, return_inverse=True)
    has = np.array([any(c.isdigit() for c in form) for form in doc.strings.take(kinds)], bool)
    return has[where]


def _spelled(
    has: NDArray[np.bool_], points: NDArray[np.float32], digits: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The scores of FEATS without those that the spelling of a word, which `has` digits, rules out.

    `digits` is 1 where FEATS say that a number is written in digits, -1 where in letters.
    """
    wrong = np.where(has[:, None], digits == -1, digits == 1)
    return np.where(wrong & ~wrong.all(1, keepdims=True), NEVER, points)


def _corrected(doc: Document, values: NDArray[np.int32], told: Irregular) -> NDArray[np.int32]:
    """A column of a document, with what is told of forms with their tags."""
    n = len(doc.strings)
    kinds, where = np.unique(doc.form.astype(np.int64) * n + doc.xpos, return_inverse=True)
    pairs = zip((kinds // n).tolist(), (kinds % n).tolist(), strict=True)
    known = [told.get((doc.strings[f].lower(), doc.strings[x]), "") for f, x in pairs]
    if not any(known):
        return values
    numbers = doc.strings.ids(known)[where]
    has = np.array([bool(value) for value in known])[where]
    return np.where(has, numbers, values).astype(np.int32)


def softmax(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores of each row as chances."""
    powers = np.exp(points - points.max(1, keepdims=True))
    found: NDArray[np.float32] = (powers / powers.sum(1, keepdims=True)).astype(np.float32)
    return found
