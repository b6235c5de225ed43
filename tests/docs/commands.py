"""The command lines that pages, help texts and errors show, and the files that they speak of."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from caesura import cli, formats
from tests.formats.test_tiers import EAF

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PAGES = sorted(
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
    if "_build" not in page.parts and "api" not in page.parts
)
_BLOCK = re.compile(r"^```(?:console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`((?:caesura\s|--)[^`]+)`(?!`)")
_TREES = "( (S (NP (DT The) (NN harbour)) (VP (VBZ wakes)) (. .)) )\n"
_PARAMETERS = "DELETE_LABEL TOP\nEQ_LABEL ADVP PRT\n"


@dataclass(frozen=True)
class Line:
    """A call of `caesura`, with what is piped into it if that is known."""

    words: tuple[str, ...]
    stdin: str | None = None

    def __str__(self) -> str:
        return shlex.join(self.words)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its path: `train parser`."""

    def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
        if path:
            yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from walk(inner, f"{path} {name}".strip())

    yield from walk(cli.cli, "")


COMMANDS = dict(commands())


def command_of(words: tuple[str, ...]) -> tuple[click.Command, list[str]]:
    """The command that is called, and its arguments."""
    if words and words[0].startswith("-"):
        return cli.cli, list(words)
    for size in (2, 1):
        found = COMMANDS.get(" ".join(words[:size]))
        if found is not None and len(words) >= size:
            if isinstance(found, click.Group) and words[size:] and not found.invoke_without_command:
                break
            return found, list(words[size:])
    raise click.UsageError(f"there is no command {' '.join(words)!r}")


def calls(text: str) -> Iterator[Line]:
    """The calls of `caesura` in lines of shell."""
    text = re.sub(r"\\\n\s*", " ", text)
    for line in text.splitlines():
        piped: str | None = None
        for part in re.split(r"\||&&", line.strip().removeprefix("$ ")):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:
                break  # prose, with an apostrophe
            if words[:1] == ["caesura"] or words[:1] == [".venv/bin/caesura"]:
                arguments = words[1:]
                if ">" in arguments:
                    arguments = arguments[: arguments.index(">")]
                yield Line(tuple(arguments), piped)
            # What other programs print is not known; nothing is piped from them.
            piped = words[1] if words[:1] == ["echo"] and len(words) > 1 else None


def shown(page: Path) -> list[Line]:
    """The whole calls in the blocks of a page."""
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    return [line for block in blocks if "Usage: caesura" not in block for line in calls(block)]


def of_help() -> list[tuple[str, Line]]:
    """The whole calls in the help texts, each with the command that shows it."""
    found = []
    for path, command in COMMANDS.items():
        examples = re.findall(r"^\s*(caesura .*)$", command.help or "", re.MULTILINE)
        found += [(path, line) for example in examples for line in calls(example)]
    return found


def spans(text: str) -> list[str]:
    """Calls and options in running text, in which arguments may be missing."""
    prose = _BLOCK.sub("", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    return [" ".join(span.split()) for span in _SPAN.findall(prose)]


class Folder:
    """A folder in which every file that a call names is there."""

    def __init__(self, path: Path, model: Path) -> None:
        self.path = path
        self.model = model

    def supply(self, words: tuple[str, ...]) -> None:
        """Make the files and folders that a call names, unless they are there."""
        for word in words:
            name = word.rpartition("=")[2].replace("*", "x")
            if "://" in name or name.startswith("-") or (self.path / name).exists():
                continue
            if name.endswith("/"):
                (self.path / name).mkdir(parents=True)
                shutil.copy(EXAMPLES / "harbour.txt", self.path / name)
            elif Path(name).suffix and re.fullmatch(r"[\w./-]+", name):
                self._make(self.path / name)

    def _make(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        packers = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
        pack = packers.get(path.suffix)
        if pack is not None:
            self._make(path.with_suffix(""))
            path.write_bytes(pack(path.with_suffix("").read_bytes()))
        elif path.suffix in (".caesura", ".grammar"):
            shutil.copy(self.model, path)
        elif path.suffix in (".conll", ".jsonl"):
            formats.write(formats.read(EXAMPLES / "harbour.conllu"), path)
        elif path.suffix == ".conllu":
            shutil.copy(EXAMPLES / "harbour.conllu", path)
        elif path.suffix == ".html":
            shutil.copy(EXAMPLES / "island.html", path)
        elif path.suffix in (".txt", ".log"):
            shutil.copy(EXAMPLES / "harbour.txt", path)
        else:
            texts = {".mrg": _TREES, ".prm": _PARAMETERS, ".classes": "a\t1\t3\n", ".toml": ""}
            text = EAF if path.suffix == ".eaf" else texts.get(path.suffix)
            if text is not None:
                path.write_text(text, encoding="utf-8")
