"""The card of a model: a title, what is to be said, and its scores, in Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["card", "score_table"]


def card(title: str, *paragraphs: str) -> str:
    """A card; empty paragraphs are left out.

    >>> print(card("Tagger", "Trained on 7 words."), end="")
    # Tagger
    <BLANKLINE>
    Trained on 7 words.
    """
    return "\n\n".join([f"# {title}", *filter(None, paragraphs)]) + "\n"


def score_table(head: Sequence[str], rows: Mapping[str, float | Sequence[float]]) -> str:
    """Scores by name, of one or of several models; nothing where there are none.

    >>> print(score_table(("", "F1"), {"LAS": 81.5}))
    | | F1 |
    |---|---|
    | LAS | 81.50 |
    """
    if not rows:
        return ""
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in head)]
    lines.append("|" + "---|" * len(head))
    for name, values in rows.items():
        numbers = [values] if isinstance(values, int | float) else values
        lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in numbers) + " |")
    return "\n".join(lines)
