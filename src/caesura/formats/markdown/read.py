"""From blocks to a page, which the reader of HTML makes a document of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from caesura.document import Document
from caesura.formats.html import Page
from caesura.formats.io import blocks
from caesura.formats.markdown.blocks import Block, Parser
from caesura.formats.markdown.inline import render
from caesura.formats.options import ReadOptions

__all__ = ["read"]


def read(stream: BinaryIO, options: ReadOptions) -> Iterator[Document]:
    """The page as one document (or several, if its HTML says so)."""
    text = "".join(text for text, _ in blocks(stream, options))
    parser = Parser()
    lines = _without_front_matter(text.split("\n"))
    tree = parser.parse(lines)
    page = Page(options)
    for block in tree:
        _write(block, page, parser)
    page.close()
    yield from page.done or [Document(source=options.file)]


def _without_front_matter(lines: list[str]) -> list[str]:
    """Lines without the settings in YAML or TOML that many files start with."""
    mark = lines[0].rstrip()
    if mark in ("---", "+++") and len(lines) > 2 and re.match(r"[\w\"']+\s*[:=]|#", lines[1]):
        for at in range(1, len(lines)):
            if lines[at].rstrip() == mark or (mark == "---" and lines[at].rstrip() == "..."):
                return lines[at + 1 :]
    return lines


def _write(block: Block, page: Page, parser: Parser) -> None:
    if block.kind == "html":
        page.feed(block.text + "\n")
        page.flush()
        return
    if block.kind == "code":
        page.handle_starttag("pre", [])
        page.handle_starttag("code", [])
        page.handle_data(block.text)
        page.handle_endtag("code")
        page.handle_endtag("pre")
        return
    page.handle_starttag("p", [])
    if block.text:
        render(block.text, page, parser.links, parser.notes)
    for inner in block.inside:
        _write(inner, page, parser)
    page.handle_endtag("p")
