"""Tags, FEATS and lemmas, by the scores of a network and lexica."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.constraints import Constraints
from caesura.document import Document
from caesura.document.characters import pictures_of
from caesura.guidelines.decoding import Guided, Second
from caesura.language.closed import Closed, closed_words
from caesura.stages.lemmas import Irregular, apply_rule, read_irregular
from caesura.stages.network_encoder import Scores
from caesura.stages.network_labels import Languages
from caesura.stages.network_lemmas import NEVER, LemmaLexicon
from caesura.stages.network_tags import Opinion, TagLexicon

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: Words whose lemmas are chosen together: a row of scores of all lemma rules is long.
_AT_ONCE: Final = 1024


class Evidence(NamedTuple):
    """The evidence of a lexicon of tags for the words of a document."""

    opinions: list[Opinion]
    #: The opinion of each word, and the languages of the opinions.
    where: Ints
    spoken: list[str]
    #: Scores of tags with the evidence.
    upos: Floats


class Tagging:
    """Chooses tags, FEATS and lemmas of words. It does not change in use."""

    def __init__(
        self,
        labels: dict[str, list[str]],
        lexicon: LemmaLexicon | None = None,
        languages: Languages | None = None,
        features: Mask | None = None,
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

    def set_language(self, language: str) -> None:
        """Load the words of closed classes of the model's language."""
        if self.languages is None:
            self._closed = closed_words(language, self.labels["xpos"], self.labels["feats"])
            lemmas = {key: word.lemma for key, word in self._closed.items()}
            self._irregular = {**self._irregular, **lemmas}

    def write(
        self, doc: Document, scores: Scores, confidence: bool, guided: Guided | None = None
    ) -> Second | None:
        """Fill tags, features and lemmas; return the second best tags if there are guidelines."""
        fixed = Constraints.of(doc)
        evidence = self._evidence(doc, scores)
        upos = scores.tags["upos"] if evidence is None else evidence.upos
        upos = upos if guided is None else self._limited(doc, scores, upos, guided)
        tags, feats = upos.argmax(1), None
        rules = guided.tags("") if guided is not None and self.languages is None else None
        if rules is not None:
            given = self._with_given(doc, upos)
            tags, feats = rules.agree(given, scores.tags["feats"], self._best_feats(doc, scores))
        for column in ("upos", "xpos", "feats"):
            if column == "feats" and self.languages is not None:
                found = doc.strings.ids(self._feats(doc, scores, evidence, guided)).astype(np.int32)
            else:
                if column == "feats":
                    best = self._best_feats(doc, scores) if feats is None else feats
                else:
                    best = tags if column == "upos" else scores.tags[column].argmax(1)
                if column == "upos" and "SYM" in self.labels[column]:
                    best[pictures_of(doc)] = self.labels[column].index("SYM")
                found = doc.strings.ids(self.labels[column])[best].astype(np.int32)
            if column == "feats" and self._closed:
                known = {
                    k: word.feats for k, word in self._closed.items() if word.feats is not None
                }
                found = _corrected(doc, found, known)
            setattr(doc, column, fixed.with_fixed(column, found))
        if not ("lemma" in fixed.columns and np.all(doc.lemma > 0)):
            lemmas = self._lemmas(doc, scores)
            if self._irregular:
                lemmas = _corrected(doc, lemmas, self._irregular)
            doc.lemma = fixed.with_fixed("lemma", lemmas)
        if confidence:
            doc.tag_conf = softmax(upos).max(1)
        if rules is None or feats is None:
            return None
        # The best other tag of each word that fits its features.
        rows = np.arange(len(tags))
        may = np.where(rules.permitted[:, feats].T, upos, NEVER)
        may[rows, tags] = NEVER
        second = may.argmax(1)
        strings = doc.strings.ids(self.labels["upos"])
        return Second(strings[second], upos[rows, tags] - may[rows, second])

    def _limited(self, doc: Document, scores: Scores, upos: Floats, guided: Guided) -> Floats:
        """The scores of tags without those that the guidelines exclude."""
        for code, words in self._by_language(doc, scores):
            if (rules := guided.tags(code)) is not None:
                upos = upos.copy()
                upos[words] = rules.limit(doc.strings, doc.form[words], upos[words])
        return upos

    def _with_given(self, doc: Document, upos: Floats) -> Floats:
        """The scores of tags with which FEATS must agree: tags that a document fixes stay."""
        given = Constraints.of(doc).columns.get("upos")
        if given is None:
            return upos
        same = given[:, None] == doc.strings.ids(self.labels["upos"])
        return np.where(same.any(1, keepdims=True) & ~same, NEVER, upos).astype(np.float32)

    def _by_language(self, doc: Document, scores: Scores) -> Iterator[tuple[str, Ints]]:
        """The words of each language; "" is the language of a network of one."""
        if self.languages is None or scores.languages is None:
            yield "", np.arange(doc.n_words)
            return
        codes = ("", *self.languages.codes)
        for number in np.unique(scores.languages).tolist():
            if number > 0:
                yield codes[number], np.flatnonzero(scores.languages == number)

    def _best_feats(self, doc: Document, scores: Scores) -> Ints:
        """FEATS as a whole: the best of those that fit the XPOS and the spelling of a word."""
        spelled = _has_digits(doc) if self._digits.any() else None
        found = [np.zeros(0, np.int64)]
        for span in _spans(doc.n_words):
            points = scores.tags["feats"][span]
            if self.features is not None:
                allowed = self.features[scores.tags["xpos"][span].argmax(1)]
                points = np.where(allowed, points, NEVER)
            if spelled is not None:
                points = _spelled(spelled[span], points, self._digits)
            found.append(points.argmax(1))
        return np.concatenate(found)

    def _evidence(self, doc: Document, scores: Scores) -> Evidence | None:
        """The evidence of the lexicon of tags; None if there is no lexicon or language."""
        if self.tags is None or self.languages is None or scores.languages is None:
            return None
        codes = ("", *self.languages.codes)
        keys = doc.form.astype(np.int64) * len(codes) + scores.languages
        kinds, where = np.unique(keys, return_inverse=True)
        spoken = [codes[i] for i in (kinds % len(codes)).tolist()]
        forms = doc.strings.take(kinds // len(codes))
        opinions = self.tags.opinions(list(zip(forms, spoken, strict=True)))
        points = self.tags.tag_points(scores.tags["upos"], opinions, where)
        return Evidence(opinions, where, spoken, points)

    def _feats(
        self, doc: Document, scores: Scores, evidence: Evidence | None, guided: Guided | None
    ) -> list[str]:
        """FEATS of a network of many languages: those of the lexicon, or by attribute."""
        assert self.languages is not None, "only called for many languages"
        points, values = scores.tags["feats"], scores.values
        allowed = self._allowed_values(scores)
        if evidence is None or self.tags is None:
            feats = self.languages.attributes.choose(points, allowed, values)
            return self._permitted(doc, scores, feats, guided)
        may = points if allowed is None else np.where(allowed, points, NEVER)
        known = self.tags.choose_feats(
            may, doc.column("upos"), evidence.spoken, evidence.opinions, evidence.where, values
        )
        rest = np.array([n for n, one in enumerate(known) if one is None], np.int64)
        free = self.languages.attributes.choose(
            points[rest], allowed[rest] if allowed is not None else None, values
        )
        for row, one in zip(rest.tolist(), free, strict=True):
            known[row] = one
        return self._permitted(doc, scores, [one or "" for one in known], guided)

    def _permitted(
        self, doc: Document, scores: Scores, feats: list[str], guided: Guided | None
    ) -> list[str]:
        """FEATS, chosen again where the guidelines do not allow them with the tag."""
        if guided is None or self.languages is None:
            return feats
        upos, points, allowed = doc.column("upos"), scores.tags["feats"], None
        number = {tag: n for n, tag in enumerate(self.labels["upos"])}
        for code, words in self._by_language(doc, scores):
            rules, some = guided.tags(code), words.tolist()
            if rules is None:
                continue
            wrong = rules.wrong_feats([upos[w] for w in some], [feats[w] for w in some])
            if not wrong:
                continue
            at = words[wrong]
            may = rules.permitted[[number.get(upos[w], 0) for w in at.tolist()]]
            may = may if scores.values is None else may[:, scores.values]
            allowed = self._allowed_values(scores) if allowed is None else allowed
            may = may if allowed is None else may & allowed[at]
            found = self.languages.attributes.choose(points[at], may, scores.values)
            for word, one in zip(at.tolist(), found, strict=True):
                feats[word] = one
        return feats

    def _allowed_values(self, scores: Scores) -> Mask | None:
        """The scored columns of FEATS that each word may have; None: all of them."""
        if self.languages is None or scores.languages is None or not len(scores.languages):
            return None
        mask, spoken = self.languages.masks["feats"], scores.languages
        if scores.values is not None:
            mask = mask[:, scores.values]
        # For one language, usually only the allowed columns are scored.
        if (spoken == spoken[0]).all() and mask[spoken[0]].all():
            return None
        allowed: Mask = mask[spoken]
        return allowed

    def allowed(self, scores: Scores, name: str) -> Mask | None:
        """The labels that the language of each word may have; None: all of them."""
        if self.languages is None or scores.languages is None:
            return None
        allowed: Mask = self.languages.masks[name][scores.languages]
        return allowed

    def relations(self, doc: Document, batches: Iterable[Floats]) -> Floats:
        """The scores of the labels of each arc, given in batches; emoji are not `punct`."""
        marks = np.array([name.split(":")[0] == "punct" for name in self.labels["deprel"]])
        emoji, found = pictures_of(doc), [np.zeros((0, len(marks)), np.float32)]
        for points in batches:
            own, emoji = emoji[: len(points), None], emoji[len(points) :]
            found.append(np.where(own & marks, np.float32(-np.inf), points))
        return np.concatenate(found)

    def _lemmas(self, doc: Document, scores: Scores) -> NDArray[np.int32]:
        """Lemmas by rule, computed once for each pair of form and rule."""
        names = self.labels["lemma"]
        pairs = doc.form.astype(np.int64) * len(names) + self._rules(doc, scores)
        kinds, where = np.unique(pairs, return_inverse=True)
        made = doc.strings.ids(
            self._lemma(doc.strings[pair // len(names)], names[pair % len(names)])
            for pair in kinds.tolist()
        )
        return made[where].astype(np.int32)

    def _rules(self, doc: Document, scores: Scores) -> Ints:
        """The rule of each word: the best of those that its lexicon and its language allow."""
        chosen = [np.zeros(0, np.int64)]
        if self.lexicon is None:
            chosen += [self._points(scores, span).argmax(1) for span in _spans(doc.n_words)]
            best = np.concatenate(chosen)
            return best if scores.rules is None else scores.rules[best]
        n = len(doc.strings)
        keys = doc.form.astype(np.int64) * n + doc.upos
        codes: tuple[str, ...] = ("",)
        spans = [slice(0, doc.n_words)][: doc.n_words]
        if self.languages is not None and scores.languages is not None:
            codes = ("", *self.languages.codes)
            keys = keys * len(codes) + scores.languages
            if (scores.languages != scores.languages[:1]).any():
                spans = _spans(doc.n_words)  # here the scores are copied
        for span in spans:
            kinds, where = np.unique(keys[span], return_inverse=True)
            spoken = [codes[i] for i in (kinds % len(codes)).tolist()]
            kinds //= len(codes)
            forms = [doc.strings[i] for i in (kinds // n).tolist()]
            tags = [doc.strings[i] for i in (kinds % n).tolist()]
            points = self._points(scores, span)
            chosen.append(self.lexicon.choose(forms, tags, where, points, spoken, scores.rules))
        return np.concatenate(chosen)

    def _points(self, scores: Scores, span: slice) -> Floats:
        """The scores of lemma rules for some words, very low where a rule is not allowed."""
        points = scores.tags["lemma"][span]
        if self.languages is None or scores.languages is None:
            return points
        if (scores.languages == scores.languages[0]).all():
            return points  # the scored rules are those of the one language
        allowed = self.languages.masks["lemma"][scores.languages[span]]
        own = allowed if scores.rules is None else allowed[:, scores.rules]
        return np.where(own, points, NEVER)


def _spans(n: int) -> list[slice]:
    return [slice(at, min(at + _AT_ONCE, n)) for at in range(0, n, _AT_ONCE)]


def _has_digits(doc: Document) -> Mask:
    """Which words contain digits."""
    kinds, where = np.unique(doc.form, return_inverse=True)
    has = np.array([any(c.isdigit() for c in form) for form in doc.strings.take(kinds)], bool)
    return has[where]


def _spelled(has: Mask, points: Floats, digits: Ints) -> Floats:
    """The scores of FEATS, very low where they contradict the spelling of a word.

    `has` is whether a word contains digits; `digits` is 1 for FEATS of numbers in digits, -1 for
    those of numbers in letters.
    """
    wrong = np.where(has[:, None], digits == -1, digits == 1)
    return np.where(wrong & ~wrong.all(1, keepdims=True), NEVER, points)


def _corrected(doc: Document, values: NDArray[np.int32], known: Irregular) -> NDArray[np.int32]:
    """A column of a document, with the known values of forms with their tags."""
    n = len(doc.strings)
    kinds, where = np.unique(doc.form.astype(np.int64) * n + doc.xpos, return_inverse=True)
    pairs = zip((kinds // n).tolist(), (kinds % n).tolist(), strict=True)
    found = [known.get((doc.strings[f].lower(), doc.strings[x]), "") for f, x in pairs]
    if not any(found):
        return values
    numbers = doc.strings.ids(found)[where]
    has = np.array([bool(value) for value in found])[where]
    return np.where(has, numbers, values).astype(np.int32)


def softmax(points: Floats) -> Floats:
    """Scores of each row as probabilities."""
    powers = np.exp(points - points.max(1, keepdims=True))
    found: Floats = (powers / powers.sum(1, keepdims=True)).astype(np.float32)
    return found
