"""Penn Treebank brackets: phrase structure with function tags and empty elements.

A pre-terminal is a node whose leaf is a word (its label is the word's XPOS) or an empty element
(`-NONE-`). A file is one document; the words of a tree are joined by spaces, trees by line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

import numpy as np

from caesura.document import Document, EmptyNode, Strings
from caesura.errors import InputError
from caesura.formats.build import encoded, from_tokens
from caesura.formats.io import blocks
from caesura.formats.options import ReadOptions, WriteOptions

_NONE: Final = "-NONE-"
_PART: Final = re.compile(r"[()]|[^\s()]+")
_ESCAPED: Final = {
    "(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"
}  # fmt: skip
_PLAIN: Final = {escaped: plain for plain, escaped in _ESCAPED.items()}


@dataclass
class _Tree:
    """One tree: nodes in preorder; a leaf is the number of a word or -2 - that of an empty."""

    labels: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    #: Empty elements: how many words stand before, form.
    empties: list[tuple[int, str]] = field(default_factory=list)


def read_brackets(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The trees of a file as one document, or as pieces of it."""
    trees: list[_Tree] = []
    size, continues = 0, False
    for tree in _trees(stream, options):
        if options.pieces and size >= options.pieces:
            yield _document(trees, options, continues, "\n")
            trees, size, continues = [], 0, True
        trees.append(tree)
        size += len(tree.words)
    if trees:
        yield _document(trees, options, continues, "")


def _trees(stream: BinaryIO, options: ReadOptions) -> Iterator[_Tree]:
    tree, begin = _Tree(), 1
    stack: list[int] = []
    fresh, bad = False, None  # whether the last part was an opening bracket
    line = 1
    for text, first in blocks(stream, options):
        line, at, begun = first, 0, 0
        for match in _PART.finditer(text):
            part, here = match[0], match.start()
            passed = text.count("\n", at, here)
            if passed:  # no look farther back than the last part: the line may be very long
                line, begun = line + passed, text.rfind("\n", at, here) + 1
            at = here
            column = at - begun + 1
            if part == "(":
                if not stack:
                    tree, begin, bad = _Tree(), line, None
                elif tree.leaves[stack[-1]] != -1:
                    bad = bad or options.error("a bracket opens after a word", line, column)
                tree.labels.append("")
                tree.parents.append(stack[-1] if stack else -1)
                tree.leaves.append(-1)
                stack.append(len(tree.labels) - 1)
                fresh = True
            elif part == ")":
                if not stack:
                    options.skip(options.error("a bracket closes that never opened", line, column))
                    continue
                node = stack.pop()
                if node == len(tree.labels) - 1 and tree.leaves[node] == -1:
                    what = f"the node {tree.labels[node]!r} has neither word nor child"
                    bad = bad or options.error(what, line, column)
                fresh = False
                if not stack:
                    if bad is None and not tree.words:
                        bad = options.error("the tree has no words", begin)
                    if bad is not None:
                        options.skip(bad)
                    else:
                        yield tree
            elif not stack:
                options.skip(
                    options.error(f"{part!r} stands outside of all brackets", line, column)
                )
            elif fresh:
                tree.labels[stack[-1]] = part
                fresh = False
            else:
                bad = bad or _leaf(tree, stack[-1], part, line, column, options)
    if stack:
        options.skip(
            options.error(f"{len(stack)} brackets of the tree that starts here never close", begin)
        )


def _leaf(tree: _Tree, node: int, part: str, line: int, column: int, options: ReadOptions):  # type: ignore[no-untyped-def]
    """Give a pre-terminal its word; an error if it cannot have one."""
    if node != len(tree.labels) - 1 or tree.leaves[node] != -1:
        return options.error(f"the word {part!r} has no tag of its own", line, column)
    tag = tree.labels[node]
    if tag == _NONE:
        tree.empties.append((len(tree.words), part))
        tree.leaves[node] = -2 - (len(tree.empties) - 1)
    else:
        tree.leaves[node] = len(tree.words)
        tree.words.append(_unescape(part))
        tree.tags.append(tag)
    return None


def _unescape(word: str) -> str:
    if word in _PLAIN:
        return _PLAIN[word]
    if "-" in word:
        word = re.sub(r"-[LR][RSC]B-", lambda match: _PLAIN[match[0]], word)
    return word.replace("\\/", "/").replace("\\*", "*")


def _label(label: str, leaf: int) -> str:
    """The label of a node as one part, which for leaves distinguishes words and empty elements."""
    if leaf <= -2:
        return _NONE
    label = re.sub(r"[()\s]", "_", label)
    return label if leaf == -1 else ("_" if label in ("", _NONE) else label)


def _escape(word: str) -> str:
    word = re.sub(r"[()\[\]{}]", lambda match: _ESCAPED[match[0]], word)
    return re.sub(r"\s+", "_", word).replace("/", "\\/").replace("*", "\\*")


def _document(trees: list[_Tree], options: ReadOptions, continues: bool, final: str) -> Document:
    space = " " if options.space else ""
    doc = from_tokens([tree.words for tree in trees], strings=Strings(), space=space, final=final)
    doc.source, doc.continues = options.file, continues
    doc.set_column("xpos", [tag for tree in trees for tag in tree.tags])
    labels: list[str] = []
    parents: list[int] = []
    leaves: list[int] = []
    words = 0
    for tree in trees:
        nodes, empties = len(labels), len(doc.empty_nodes)
        labels += tree.labels
        parents += [parent + nodes if parent >= 0 else -1 for parent in tree.parents]
        leaves += [
            leaf + words if leaf >= 0 else (leaf - empties if leaf <= -2 else -1)
            for leaf in tree.leaves
        ]
        before: dict[int, int] = {}
        for count, form in tree.empties:
            before[count] = before.get(count, 0) + 1
            anchor = words + count - 1 if count else -1 - words
            doc.empty_nodes.append(EmptyNode(anchor, before[count], form, xpos=_NONE))
        words += len(tree.words)
    doc.node_label = doc.strings.ids(labels)
    doc.node_parent = np.array(parents, dtype=np.int32)
    doc.node_leaf = np.array(leaves, dtype=np.int32)
    return doc


def write_brackets(documents: Iterable[Document], stream: BinaryIO, options: WriteOptions) -> None:
    """Write the phrase structure of documents, one tree a line."""
    for doc in documents:
        if doc.n_words and not len(doc.node_label):
            raise InputError(
                "the document has no phrase structure to write as brackets",
                file=doc.source,
                remedy="Write its dependencies as conllu.",
            )
        for tree in _written(doc):
            stream.write(encoded(tree) + b"\n")


def _written(doc: Document) -> Iterator[str]:
    labels = doc.strings.take(doc.node_label)
    forms = doc.column("form")
    out: list[str] = []
    open_nodes: list[int] = []
    rows = zip(labels, doc.node_parent.tolist(), doc.node_leaf.tolist(), strict=True)
    for node, (label, parent, leaf) in enumerate(rows):
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
            out.append(")")
        if parent < 0 and out:
            yield "".join(out)
            out = []
        out.append(f"{' ' if out else ''}({_label(label, leaf)}")
        if leaf >= 0:
            out.append(f" {_escape(forms[leaf]) or '_'}")
        elif leaf <= -2:
            form = re.sub(r"[()\s]", "_", doc.empty_nodes[-2 - leaf].form)
            out.append(f" {form or '_'}")
        open_nodes.append(node)
    if out:
        yield "".join(out) + ")" * len(open_nodes)
