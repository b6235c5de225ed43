"""The attributes of a word and the default feature templates over them.

Plain data, so that options can be shown without compiling anything.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "AFFIX",
    "ATTRIBUTES",
    "BOUNDARY_TEMPLATES",
    "CHAIN_TEMPLATES",
    "GIVEN_TEMPLATES",
    "LEMMA_TEMPLATES",
]

#: The longest prefix and suffix.
AFFIX: Final = 10
#: Names of the attributes of a word type, in the order of their columns.
ATTRIBUTES: Final = (
    "form",
    "lower",
    "shape",
    "signature",
    "class",
    *(f"prefix{n}" for n in range(1, AFFIX + 1)),
    *(f"suffix{n}" for n in range(1, AFFIX + 1)),
    "edges",
    # What the layout says about the gap before the word; it is no matter of its type alone.
    "break",
)
#: For the chain.
CHAIN_TEMPLATES: Final = (
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    "class[0]",
    "edges[0]",
    *(f"prefix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"suffix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"lower[{d}]" for d in (-2, -1, 1, 2)),
    *(f"shape[{d}]" for d in (-1, 1)),
    *(f"suffix{n}[{d}]" for n in (2, 3) for d in (-1, 1)),
    *(f"class[{d}]" for d in (-2, -1, 1, 2)),
    "lower[-1]+lower[0]",
    "lower[0]+lower[1]",
    "lower[-1]+lower[1]",
    "lower[-2]+lower[-1]",
    "lower[1]+lower[2]",
    "suffix3[-1]+lower[0]",
    "lower[0]+suffix3[1]",
    "lower[-1]+suffix3[0]",
    "suffix3[0]+lower[1]",
    "shape[-1]+shape[0]",
    "shape[0]+shape[1]",
    "shape[-1]+shape[0]+shape[1]",
)

#: For the boundary labeller, which looks further and at more words together.
BOUNDARY_TEMPLATES: Final = (
    *CHAIN_TEMPLATES,
    "lower[-3]",
    "lower[3]",
    "lower[-1]+lower[0]+lower[1]",
    "lower[0]+lower[1]+lower[2]",
    "suffix3[-1]+suffix3[0]",
    "suffix3[0]+suffix3[1]",
    "break[0]",
    "break[0]+lower[-1]",
    "break[0]+lower[0]",
    "break[0]+shape[-1]+shape[0]",
)

#: For a column given the tag of the word, which every feature sees.
GIVEN_TEMPLATES: Final = (
    "tag[0]",
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    "class[0]",
    *(f"suffix{n}[0]" for n in range(1, 7)),
    *(f"prefix{n}[0]" for n in range(1, 4)),
    *(f"lower[{d}]" for d in (-3, -2, -1, 1, 2)),
    *(f"tag[{d}]" for d in (-3, -2, -1, 1, 2)),
    "tag[-2]+tag[-1]",
    "tag[1]+tag[2]",
    "tag[-1]+tag[1]",
    "lower[-1]+lower[0]",
    "lower[0]+lower[1]",
    "lower[0]+tag[-1]",
    "lower[0]+tag[1]",
    "lower[-2]+tag[-1]",
    "lower[-3]+tag[-2]+tag[-1]",
)

#: For a lemma, which depends on the word and its tag only.
LEMMA_TEMPLATES: Final = (
    "tag[0]",
    "form[0]",
    "lower[0]",
    "shape[0]",
    "signature[0]",
    *(f"suffix{n}[0]" for n in range(1, AFFIX + 1)),
    *(f"prefix{n}[0]" for n in range(1, 5)),
    "suffix2[0]+prefix2[0]",
)
