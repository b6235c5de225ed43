"""A folder in which commands are run, and the texts and files that they are run on."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from benchmarks.golden import texts, treebank

EXAMPLES = ROOT / "examples"
#: What the bundled models of 0.1 made of inputs; entries about other code read these files, so that
#: they do not change with the models.
INPUTS = Path(__file__).with_name("inputs")
PACKAGES = ROOT / "packages"
#: Sizes in characters: longer than every buffer for the linear model, less for the network.
LONG = 320_000
LONG_NEURAL = 80_000
SHORT = 12_000


class Work:
    """Runs commands in a folder of its own; inputs are made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.failed: list[str] = []
        self._makers: dict[str, Callable[[], str]] = {
            "written.txt": lambda: _example("harbour.txt") + "\n" + texts.written(SHORT),
            "spoken.txt": lambda: texts.spoken(SHORT),
            "turns.txt": lambda: texts.spoken(SHORT, 7, lines=True),
            "shuffled.txt": lambda: texts.shuffled_words(SHORT),
            "long-written.txt": lambda: texts.written(LONG, 11),
            "long-spoken.txt": lambda: texts.spoken(LONG, 12),
            "long-turns.txt": lambda: texts.spoken(LONG, 13, lines=True),
            "neural-written.txt": lambda: texts.written(LONG_NEURAL, 14),
            "neural-spoken.txt": lambda: texts.spoken(LONG_NEURAL, 15),
            "tiny.txt": lambda: _example("harbour.txt"),
            "empty.txt": lambda: "",
            "blank.txt": lambda: " \n\n\t\n",
            "talk.transcript": lambda: _example("interview.transcript"),
            "island.html": lambda: _example("island.html"),
            "gold.conllu": lambda: treebank.conllu(24, 21),
            "dev.conllu": lambda: treebank.conllu(8, 22),
            "system.conllu": lambda: treebank.damaged(self.text("dev.conllu"), 1),
            "other.conllu": lambda: treebank.damaged(self.text("dev.conllu"), 2),
            "gold.mrg": lambda: treebank.brackets(40, 23),
            "system.mrg": lambda: treebank.brackets(40, 23).replace("NP-SBJ", "PP"),
            "broken.conllu": lambda: treebank.conllu(1, 24).replace("\t2\tdet", "\t99\tdet"),
            "raw.txt": lambda: self.cli("convert", "-q", "dev.conllu", "--to", "text").decode(),
            "words.classes": self._classes,
            "unicode.txt": texts.every_character,
            "languages.txt": lambda: texts.LANGUAGES,
        }
        for name in ("kept-en.conllu", "kept-en-fast.conllu", "parsed-dev.conllu"):
            self._makers[name] = lambda name=name: _frozen(name)  # type: ignore[misc]
        for part in range(6):
            name = f"folder/{part}.txt"
            self._makers[name] = lambda part=part: texts.written(4000, 30 + part)  # type: ignore[misc]

    def _classes(self) -> str:
        self.cli("cluster", "-q", "gold.conllu", "-k", "8", "--min-count", "1", "-o", "c.tsv")
        return (self.folder / "c.tsv").read_text(encoding="utf-8")

    def text(self, name: str) -> str:
        return self.path(name).read_text(encoding="utf-8")

    def path(self, name: str) -> Path:
        """An input, made if it is not there."""
        path = self.folder / name
        if not path.exists() and name in self._makers:
            made = self._makers[name]()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(made.encode("utf-8"))
        return path

    def cli(self, *arguments: str, stdin: str | None = None) -> bytes:
        """What a command writes to stdout; if it fails, its status and what it says of it."""
        from caesura.cli import run

        for argument in arguments:
            self.path(argument)
        if "folder/" in arguments:
            for part in range(6):
                self.path(f"folder/{part}.txt")
        files = [self.folder / f".{name}" for name in ("in", "out", "err")]
        files[0].write_bytes((stdin or "").encode("utf-8"))
        kept = sys.stdin, sys.stdout, sys.stderr
        here = os.getcwd()
        streams = [
            io.TextIOWrapper(open(path, mode), encoding="utf-8")  # noqa: SIM115
            for path, mode in zip(files, ("rb", "wb", "wb"), strict=True)
        ]
        try:
            os.chdir(self.folder)
            sys.stdin, sys.stdout, sys.stderr = streams
            status = run(list(arguments))
        finally:
            sys.stdin, sys.stdout, sys.stderr = kept
            os.chdir(here)
            for stream in streams:
                stream.close()
        if status:
            self.failed.append(" ".join(arguments))
            told = files[2].read_bytes().replace(str(self.folder).encode(), b".")
            return b"status %d\n" % status + told + files[1].read_bytes()
        return files[1].read_bytes()

    def model(self, name: str, *arguments: str) -> bytes:
        """A model that a command trains, described line by line."""
        path = self.folder / name
        found = b"" if path.exists() else self.cli(*arguments, "-o", name, "-q")
        return described(path) if path.exists() else found

    def outputs(self, folder: str) -> bytes:
        """All files under a folder, one after the other."""
        base = self.folder / folder
        found = []
        for path in sorted(base.rglob("*")):
            if path.is_file():
                name = path.relative_to(base).as_posix()
                found.append(b"== %s\n" % name.encode() + path.read_bytes())
        return b"".join(found)


def described(path: Path) -> bytes:
    """A model file as lines: what it says, and a digest of every array.

    The bytes of the zip are not compared, since another zlib packs the same content otherwise.
    """
    import hashlib

    from safetensors.numpy import load

    lines: list[str] = []
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            lines.append(f"== {entry}")
            data = archive.read(entry)
            if entry.endswith(".safetensors"):
                arrays = load(data)
                for name in sorted(arrays):
                    array = arrays[name]
                    digest = hashlib.sha256(array.tobytes()).hexdigest()
                    lines.append(f"{name} {array.dtype} {array.shape} {digest}")
                lines.append(hashlib.sha256(data).hexdigest())
            elif entry.endswith(".json"):
                lines += json.dumps(json.loads(data), indent=1, ensure_ascii=False).split("\n")
            else:
                lines.append(data.decode("utf-8"))
    return "\n".join(lines).encode("utf-8")


def without(data: Any, *names: str) -> Any:
    """JSON without the fields that differ from run to run."""
    if isinstance(data, dict):
        return {key: without(value, *names) for key, value in data.items() if key not in names}
    return [without(value, *names) for value in data] if isinstance(data, list) else data


def packaged(model: str) -> str:
    """The file of a model that is a package of its own."""
    return str(PACKAGES / model / "src" / f"caesura_{model.replace('-', '_')}" / f"{model}.caesura")


def _frozen(name: str) -> str:
    return gzip.decompress((INPUTS / f"{name}.gz").read_bytes()).decode("utf-8")


def _example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")
