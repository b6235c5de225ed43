"""Outputs frozen, so that a change of the inside can be seen to change nothing outside.

    python benchmarks/golden.py freeze                    # write golden.json anew
    python benchmarks/golden.py freeze --keep old/        # and keep the outputs themselves
    python benchmarks/golden.py check                     # compare; status 1 if anything differs
    python benchmarks/golden.py check --against old/ --only 'train/*' --only keep/en
    python benchmarks/golden.py list

An entry is what a command, a training or the server makes of texts and a treebank that
`golden_study/` makes by rule: both bundled models on written and spoken text, short and longer than
every buffer, with every option that changes the result; models of small trainings; conversions,
scores, pictures, help. `golden.json` has a SHA-256 for each, and what it was made with: outputs
may differ between versions of Python and of these packages, so elsewhere freeze the older commit
first. `--only` takes names, beginnings of names up to a slash, or
patterns. A mismatch is named, and with `--against` the first line that differs is shown; `--keep`
then keeps the new outputs too.

What differs by nature is left out: seconds in the server's answers, and the way a model file is
packed. A command that fails is an entry too (its status and what it says); `freeze` names those.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("golden.json")
#: What the width of help and the colours of trees depend on.
SETTINGS = {"COLUMNS": "100", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8"}
SHOWN = 200


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("do", choices=["freeze", "check", "list"])
    parser.add_argument("--only", action="append", default=[], metavar="NAME", nargs="+")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="store the outputs here")
    parser.add_argument("--against", type=Path, metavar="DIR", help="outputs stored by freeze")
    parser.add_argument("--times", action="store_true", help="say what took how long")
    return parser.parse_args()


def processor() -> str:
    """The name of the processor, as far as the system tells."""
    import platform

    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n")
    except OSError:
        return platform.processor()
    return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown")


def about() -> dict[str, str]:
    """What the outputs may depend on besides this repository."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in ("numpy", "click", "starlette", "spacy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    found["processor"] = processor()
    return found


def chosen(names: Sequence[str], only: Sequence[str]) -> list[str]:
    """The names that are meant; one that means none is a mistake."""
    found = set()
    for pattern in only:
        some = [
            name
            for name in names
            if name == pattern
            or name.startswith(pattern.rstrip("/") + "/")
            or fnmatch.fnmatchcase(name, pattern)
        ]
        if not some:
            sys.exit(f"There is no entry {pattern!r}. See: python benchmarks/golden.py list")
        found.update(some)
    return [name for name in names if name in found or not only]


def computed(names: Sequence[str], times: bool) -> Iterator[tuple[str, bytes]]:
    """The outputs, one after the other, in a folder that goes away."""
    from golden_study.entries import entries
    from golden_study.work import Work

    known = entries()
    spent: list[tuple[float, str]] = []
    with tempfile.TemporaryDirectory(prefix="golden") as folder:
        work = Work(Path(folder).resolve())
        for name in names:
            began = time.process_time()
            try:
                output = known[name](work)
            except Exception as error:
                raise RuntimeError(f"the entry {name} cannot be computed") from error
            spent.append((time.process_time() - began, name))
            yield name, output
        for line in dict.fromkeys(work.failed):
            print(f"fails: caesura {line}")
    if times:
        for seconds, name in sorted(spent, reverse=True):
            print(f"{seconds:7.2f} s  {name}")
        print(f"{sum(seconds for seconds, _ in spent):7.2f} s  of processor time in all")


def stored(folder: Path, name: str) -> Path:
    return folder / (name.replace("/", "__").replace(" ", "_") + ".gz")


def keep(folder: Path, name: str, output: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        open(stored(folder, name), "wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as stream,
    ):
        stream.write(output)


def first_difference(old: bytes, new: bytes) -> str:
    """The first line that differs, on both sides."""
    before, after = (data.split(b"\n") for data in (old, new))
    lines = list(zip_longest(before, after, fillvalue=b"(the end)"))
    number = next((i for i, (a, b) in enumerate(lines) if a != b), 0)
    a, b = lines[number]
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    cut = max(0, at - SHOWN // 2)
    old_line, new_line = (repr(x[cut : cut + SHOWN].decode("utf-8", "replace")) for x in (a, b))
    return f"  line {number + 1}, byte {at + 1}\n  old: {old_line}\n  new: {new_line}"


def write(digests: dict[str, str], context: dict[str, str]) -> None:
    """Sorted, a line for each entry, so that a difference is easy to read."""
    parts = []
    for title, rows in (("about", context), ("entries", digests)):
        lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(rows.items())]
        parts.append(f' "{title}": {{\n' + ",\n".join(lines) + "\n }")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def freeze(names: Sequence[str], options: argparse.Namespace) -> int:
    digests: dict[str, str] = {}
    for name, output in computed(names, options.times):
        digests[name] = hashlib.sha256(output).hexdigest()
        if options.keep:
            keep(options.keep, name, output)
    if options.only and FILE.exists():
        frozen: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
        if frozen["about"] != about():
            tell_context(frozen["about"])
            sys.exit("The rest was frozen with other versions; freeze everything.")
        digests = {**frozen["entries"], **digests}
    write(digests, about())
    print(f"{len(names)} entries are frozen in {FILE.name}.")
    return 0


def tell_context(before: dict[str, str]) -> None:
    now = about()
    for key in sorted({*before, *now}):
        old, new = before.get(key, "none"), now.get(key, "none")
        if old != new:
            print(f"{key}: frozen with {old}, here {new}")


def check(names: Sequence[str], options: argparse.Namespace) -> int:
    if not FILE.exists():
        sys.exit(f"{FILE.name} is not there. Write it: python benchmarks/golden.py freeze")
    frozen: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    tell_context(frozen["about"])
    digests = frozen["entries"]
    wrong = 0
    for name, output in computed(names, options.times):
        if options.keep:
            keep(options.keep, name, output)
        if name not in digests:
            print(f"new: {name}")
        elif digests[name] != hashlib.sha256(output).hexdigest():
            print(f"differs: {name}")
            if options.against and stored(options.against, name).exists():
                with gzip.open(stored(options.against, name)) as stream:
                    print(first_difference(stream.read(), output))
        else:
            continue
        wrong += 1
    missing = [] if options.only else sorted(set(digests) - set(names))
    for name in missing:
        print(f"gone: {name}")
    print(f"{len(names)} entries, {wrong + len(missing)} of them not as frozen.")
    return int(bool(wrong or missing))


def main() -> int:
    options = arguments()
    options.only = [name for group in options.only for name in group]
    os.environ.update(SETTINGS)
    os.environ.pop("FORCE_COLOR", None)
    from golden_study.entries import entries

    names = chosen(list(entries()), options.only)
    if options.do == "list":
        print("\n".join(names))
        return 0
    return freeze(names, options) if options.do == "freeze" else check(names, options)


if __name__ == "__main__":
    sys.exit(main())
