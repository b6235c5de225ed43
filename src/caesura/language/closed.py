"""Words of closed classes whose lemma and features their tag settles, by language.

There are few of them, and a treebank shows some too rarely to be learned from: `theirs` twice. They
are as UD_English-EWT has them, so a model heeds a word only if it knows that tag and those
features, as one does that was trained on such a treebank.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from caesura.language.guess import plain_code

__all__ = ["Closed", "Told", "closed_words"]


class Told(NamedTuple):
    """What is known of a word with its tag; without `feats` they are left as they are."""

    lemma: str
    feats: str | None


#: By form in lower case and XPOS.
Closed = Mapping[tuple[str, str], Told]

#: XPOS, form, lemma, FEATS; - where the tag does not settle them.
_LINES: Final = {
    "en": """
        PRP mine   my    Number=Sing|Person=1|Poss=Yes|PronType=Prs
        PRP yours  your  Person=2|Poss=Yes|PronType=Prs
        PRP his    his   Gender=Masc|Number=Sing|Person=3|Poss=Yes|PronType=Prs
        PRP hers   her   Gender=Fem|Number=Sing|Person=3|Poss=Yes|PronType=Prs
        PRP ours   our   Number=Plur|Person=1|Poss=Yes|PronType=Prs
        PRP theirs their Number=Plur|Person=3|Poss=Yes|PronType=Prs
        MD  'd     would VerbForm=Fin
        MD  'll    will  VerbForm=Fin
        MD  wo     will  VerbForm=Fin
        MD  ca     can   VerbForm=Fin
        MD  sha    shall VerbForm=Fin
        RB  n't    not   Polarity=Neg
        VB  've    have  VerbForm=Inf
        VBP 've    have  -
        VBP 'm     be    -
        VBP 're    be    -
        VBD 'd     have  -
    """,
}


def closed_words(language: str, xpos: Collection[str], feats: Collection[str]) -> Closed:
    """Those of a language that a model may have, by the tags and the features that it knows."""
    found: dict[tuple[str, str], Told] = {}
    for line in _LINES.get(plain_code(language), "").strip().splitlines():
        tag, form, lemma, features = line.split()
        settled = None if features == "-" else features
        if tag in xpos and (settled is None or settled in feats):
            found[form, tag] = found[form.replace("'", "’"), tag] = Told(lemma, settled)
    return found
