"""Which words are emoji: symbols in every treebank, and their own lemmas.

What a treebank of older text has never shown is no question for features of words.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from caesura.document import Document


#: All emoji are beyond this character, but signs of copyright and the like.
_FIRST: Final = "\u203c"


@cache
def _pattern() -> Any:
    import regex

    # A character of the Basic Multilingual Plane that is shown as text by itself is none: ✓ and ►
    # are marks of lists.
    return regex.compile(
        r"""
        (?:
          (?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\U0001F000-\U0001FAFF])
          [\uFE0F\u200D\u20E3\p{Emoji_Modifier}\p{Extended_Pictographic}\U000E0020-\U000E007F]*+
        )++
        """,
        regex.VERBOSE | regex.V1,
    )


def is_picture(word: str) -> bool:
    """Whether a word is one or more emoji and nothing else.

    >>> is_picture("👍🏽"), is_picture(":)"), is_picture("✓")
    (True, False, False)
    """
    return not word.isascii() and word[:1] > _FIRST and bool(_pattern().fullmatch(word))


def pictures_of(doc: Document) -> NDArray[np.bool_]:
    """Which words of a document are emoji."""
    kinds, where = np.unique(doc.form, return_inverse=True)
    found: NDArray[np.bool_] = np.array(
        [is_picture(form) for form in doc.strings.take(kinds)], np.bool_
    )[where]
    return found
