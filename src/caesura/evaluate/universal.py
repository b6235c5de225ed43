"""What Universal Dependencies shares between languages: relations, features, content words.

The lists are those of the CoNLL 2018 shared task (Zeman et al. 2018, section 4).
"""

from __future__ import annotations

__all__ = [
    "CONTENT",
    "FUNCTIONAL",
    "UNIVERSAL_FEATURES",
    "universal_features",
    "universal_relation",
]


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


CONTENT = _names(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep"
)
FUNCTIONAL = _names("aux cop mark det clf case cc")
UNIVERSAL_FEATURES = _names(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree "
    "VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite"
)


def universal_features(feats: str) -> str:
    """Only the features that all languages share, sorted."""
    kept = (item for item in feats.split("|") if item.split("=", 1)[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))


def universal_relation(deprel: str) -> str:
    """The relation without its subtype."""
    return deprel.split(":", 1)[0]
