"""The numbers of which programs are made: instructions, relations, and where words come from."""

from __future__ import annotations

__all__ = ["AFTER", "ALL", "ANCESTORS", "BEFORE", "BIND", "CHILD", "CHILDREN", "DESCENDANT"]
__all__ += ["EMIT", "END_NOT", "HEAD", "NOT", "ORDER", "RELATED", "SAME", "SIBLING", "SIBLINGS"]
__all__ += ["SIBLING_BEFORE", "SIBLING_NEXT", "TEST", "WIDTH"]

# Instructions.
BIND, RELATED, SAME, TEST, NOT, END_NOT, EMIT = 0, 1, 2, 3, 4, 5, 6
# Relations between two words.
CHILD, DESCENDANT, ORDER, SIBLING, SIBLING_BEFORE, SIBLING_NEXT = 0, 1, 2, 3, 4, 5
# The words that BIND tries: all, or those that a relation to a bound word leaves.
ALL, HEAD, CHILDREN, ANCESTORS, AFTER, BEFORE, SIBLINGS = 0, 1, 2, 3, 4, 5, 6
#: Numbers of an instruction. BIND: node, source, base, low, high, test, kept (-1 within NOT).
#: RELATED: relation, first, second, low, high, test. SAME: node, column, other node, its column,
#: wanted. TEST: node, test. NOT and END_NOT: where the other is.
WIDTH = 8
