"""What the benchmarks share: data, arguments, timing, scores, results and tables.

Treebanks are in the folder CAESURA_DATA, else in ../shared/data beside the checkout. A treebank is
a folder with a file for each split, `x-train.conllu.gz` or `x.train.conll.gz`. Its name is the name
of the folder, with or without `UD_` and `UD_English-`, or a path. Outputs of other systems,
NAME_TREEBANK_dev.conllu.gz, are in CAESURA_PEERS, else in ../shared/peers; raw texts are in
CAESURA_TEXT, else in `text` beside the treebanks.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import subprocess
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from caesura.document import Document

__all__ = [
    "DATA", "PEERS", "PLACES", "RESULTS", "ROOT", "SCORES", "TEXT", "Worker", "cell", "conll",
    "cpu", "dev_docs", "dev_texts", "dumped", "environment", "errors_told", "f1", "fastest",
    "file_of", "find_file", "find_folder", "first_words", "keep_json", "machine", "markdown",
    "options", "peak_memory", "processor", "read_json", "resumed", "show", "start_server",
    "text_of",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DATA = Path(os.environ.get("CAESURA_DATA") or ROOT.parent / "shared" / "data")
TEXT = Path(os.environ.get("CAESURA_TEXT") or DATA.parent / "text")
PEERS = Path(os.environ.get("CAESURA_PEERS") or DATA.parent / "peers")
#: Folders that a path of a plan may begin with.
PLACES = {"$CAESURA_DATA": DATA, "$CAESURA_TEXT": TEXT}
#: CoNLL 2018 scores that most tables show.
SCORES = ("Words", "Sentences", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
Row = Mapping[str, Any]


# ----------------------------------------------------------------------------------------- data


def find_folder(treebank: str | Path, data: Path = DATA) -> Path:
    """The folder of a treebank, or the path that is its name; it need not exist."""
    path = Path(treebank)
    if path.exists():
        return path
    known = [data / f"{prefix}{treebank}" for prefix in ("", "UD_", "UD_English-")]
    return next((folder for folder in known if folder.exists()), known[0])


def find_file(treebank: str | Path, split: str, data: Path = DATA) -> Path | None:
    """The file of a split, or None if the treebank has none."""
    found = sorted(find_folder(treebank, data).glob(f"*[-.]{split}.conll*"))
    return found[0] if found else None


def file_of(treebank: str | Path, split: str, data: Path = DATA) -> Path:
    """The file of a split, which must exist; a treebank may be a file itself."""
    folder = find_folder(treebank, data)
    found = folder if folder.is_file() else find_file(treebank, split, data)
    if found is None:
        raise SystemExit(f"{folder} has no {split} file: name it, or set CAESURA_DATA")
    return found


def dev_docs(treebank: str | Path, limit: int | None = None) -> list[Document]:
    """The dev documents of a treebank that have words, or the first of them."""
    from caesura.formats import read

    return [doc for doc in read(file_of(treebank, "dev")) if doc.n_words][:limit]


def first_words(path: Path, words: int) -> list[Document]:
    """The first documents of a file with so many words (0: all), the last one cut at a sentence."""
    from caesura.document import YES
    from caesura.document.slicing import cut
    from caesura.formats import read

    found: list[Document] = []
    left = words
    for doc in read(path):
        if words and doc.n_tokens > left:
            starts = [n for n in (doc.sent_start == YES).nonzero()[0].tolist() if n > 0]
            inside = [n for n in starts if n <= max(left, 20)]
            if inside:
                found.append(cut(doc, 0, inside[-1]))
            elif not found:
                found.append(doc)
            break
        found.append(doc)
        left -= doc.n_tokens
    return found


@cache
def dev_texts() -> list[str]:
    """The texts of EWT dev."""
    return [doc.text.strip() + "\n\n" for doc in dev_docs("UD_English-EWT")]


def text_of(words: int) -> str:
    """Whole documents of EWT dev with about so many words, repeated as needed."""
    parts, n = [], 0
    for text in itertools.cycle(dev_texts()):
        if n >= words:
            break
        parts.append(text)
        n += len(text.split())
    return "".join(parts)


# ------------------------------------------------------------------------------------ arguments

_OPTIONS: dict[str, dict[str, Any]] = {
    "--model": {"action": "append", "help": "a model; may be repeated"},
    "--treebank": {"action": "append", "help": "a treebank or a file; may be repeated"},
    "--limit": {"type": int, "help": "only the first documents"},
    "--repeat": {"type": int, "default": 3, "help": "rounds, of which the fastest counts"},
    "--json": {"action": "store_true", "help": "print JSON"},
    "--write": {"action": "store_true", "help": "keep the figures in benchmarks/results/"},
    "--output": {"type": Path, "help": "keep the figures in this file"},
}


def options(doc: str | None, *common: str) -> ArgumentParser:
    """A parser whose help is the docstring of the module, with some common options."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name in common:
        parser.add_argument(name, **_OPTIONS[name])
    return parser


# --------------------------------------------------------------------------------------- timing


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of a call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def fastest(
    works: Mapping[str, Callable[[], Any]], rounds: int, *, warm_up: bool = True
) -> dict[str, float]:
    """The fewest CPU seconds of each call; the calls take turns, so that noise affects all."""
    best = dict.fromkeys(works, float("inf"))
    for turn in range(-warm_up, rounds):
        for name, work in works.items():
            seconds = cpu(work)
            if turn >= 0:
                best[name] = min(best[name], seconds)
    return best


def peak_memory(pid: int | str = "self") -> float:
    """The peak memory of a process in megabytes (Linux); 0 if the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    peak = status.partition("VmHWM:")[2].split()
    return int(peak[0]) / 1024 if peak else 0.0


def processor() -> str:
    """The name of the processor, if the system provides it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")


def machine() -> dict[str, Any]:
    """The machine and its load, for results."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"machine": f"{platform.machine()}, {os.cpu_count()} cores", "load": load}


def environment(**more: str) -> dict[str, str]:
    """The environment of a subprocess that uses one thread and may write bytecode."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    found = {**os.environ, **one, **more}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


class Worker:
    """A process that answers each line of its input with a line of JSON, after one at its start."""

    def __init__(self, call: Sequence[str], env: Mapping[str, str]) -> None:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(call, env=env, cwd=ROOT, **pipes)
        self.first = self._answer()

    def _answer(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a process ended; its message is above")
        found: dict[str, float] = json.loads(line)
        return found

    def ask(self, *words: object) -> dict[str, float]:
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def errors_told() -> Iterator[None]:
    """Print an error of Caesura in one sentence, and exit with its status."""
    from caesura.errors import CaesuraError

    try:
        yield
    except CaesuraError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_status)


def start_server(*arguments: str) -> tuple[subprocess.Popen[str], int | None]:
    """`caesura serve` on a free port, and the port as soon as it is known."""
    call = [sys.executable, "-m", "caesura", "serve", "--port", "0", *arguments]
    server = subprocess.Popen(call, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert server.stderr is not None
    for line in server.stderr:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
            return server, int(found[1])
    return server, None


# --------------------------------------------------------------------------------------- scores


def conll(
    gold: Sequence[Document], system: Iterable[Document], names: Sequence[str] = SCORES
) -> dict[str, float]:
    """F1 by the CoNLL 2018 definition, with two decimals."""
    from caesura.evaluate import conll18

    scores = conll18(list(gold), list(system))
    return {name: round(float(scores[name].f1), 2) for name in names if name in scores}


def f1(right: int, found: int, gold: int) -> float:
    """F1 in per cent."""
    return 200 * right / (found + gold) if found + gold else 100.0


# --------------------------------------------------------------------------- results and tables

_FLAT = re.compile(r"[\[{][^\[\]{}]*[\]}]")


def read_json(path: Path) -> Any:
    """A file of results; an empty dictionary if it does not exist."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def keep_json(path: Path, found: Any) -> None:
    """Write results."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def dumped(results: Any) -> str:
    """Compact JSON with one line for each row of a table and five decimals."""
    text = json.dumps(_rounded(results), ensure_ascii=False, indent=1)
    return _FLAT.sub(lambda match: " ".join(match[0].split()), text) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(own) for own in value]
    return round(value, 5) if isinstance(value, float) else value


def cell(value: Any, name: str = "") -> str:
    """A cell of a table: floats with two decimals, p-values with four, commas."""
    if isinstance(value, float) and name.endswith(" p"):
        return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"
    if isinstance(value, float):
        digits = 0 if abs(value) >= 1000 else 2 if abs(value) >= 0.1 or not value else 4
        return f"{value:,.{digits}f}"
    return f"{value:,}" if isinstance(value, int) and value is not True else str(value)


def markdown(rows: Sequence[Row]) -> str:
    """A table in Markdown; the columns are those of all rows."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [[cell(row.get(name, ""), name) for name in names] for row in rows]
    rule = ["---", *["---:"] * (len(names) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, rule, *lines))


def show(tables: Mapping[str, Sequence[Row]] | Sequence[Row], as_json: bool = False) -> None:
    """Print rows, or several tables with titles, in Markdown or as JSON."""
    if as_json:
        print(json.dumps(tables, ensure_ascii=False))
        return
    for title, rows in tables.items() if isinstance(tables, Mapping) else [("", tables)]:
        if rows:
            print(f"\n## {title}\n" if title else "")
            print(markdown(rows), flush=True)


def resumed(path: Path, todo: Iterable[tuple[str, Callable[[], Any]]]) -> Iterator[tuple[str, Any]]:
    """Compute rows by name; rows that the file already has are not computed again."""
    rows = read_json(path)
    for name, work in todo:
        if name not in rows:
            rows[name] = work()
            keep_json(path, rows)
            yield name, rows[name]
