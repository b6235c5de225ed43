"""Frozen outputs: a change of the implementation must not change them.

    python -m benchmarks.golden freeze                    # write golden.json anew
    python -m benchmarks.golden freeze --keep old/        # and keep the outputs themselves
    python -m benchmarks.golden check                     # compare; status 1 if anything differs
    python -m benchmarks.golden check --against old/ --only 'train/*' --only keep/en
    python -m benchmarks.golden list

An entry is the output of a command, a training or the server for texts and a treebank that this
package makes by rule: both bundled models on written and spoken text, short and longer than
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

import fnmatch
import gzip
import hashlib
import json
import os
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.common import options, processor

FILE = Path(__file__).with_name("golden.json")
#: What the width of help and the colours of trees depend on.
SETTINGS = {"COLUMNS": "100", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8"}
SHOWN = 200


def arguments() -> Namespace:
    parser = options(__doc__)
    parser.add_argument("do", choices=["freeze", "check", "list"])
    parser.add_argument("--only", action="append", default=[], metavar="NAME", nargs="+")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="store the outputs here")
    parser.add_argument("--against", type=Path, metavar="DIR", help="outputs stored by freeze")
    parser.add_argument("--times", action="store_true", help="print the CPU time of each entry")
    return parser.parse_args()


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
            sys.exit(f"There is no entry {pattern!r}. See: python -m benchmarks.golden list")
        found.update(some)
    return [name for name in names if name in found or not only]


def computed(names: Sequence[str], times: bool) -> Iterator[tuple[str, bytes]]:
    """The outputs, one after the other, in a folder that goes away."""
    from benchmarks.golden.entries import entries
    from benchmarks.golden.work import Work

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


def freeze(names: Sequence[str], given: Namespace) -> int:
    digests: dict[str, str] = {}
    for name, output in computed(names, given.times):
        digests[name] = hashlib.sha256(output).hexdigest()
        if given.keep:
            keep(given.keep, name, output)
    if given.only and FILE.exists():
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


def check(names: Sequence[str], given: Namespace) -> int:
    if not FILE.exists():
        sys.exit(f"{FILE.name} is not there. Write it: python -m benchmarks.golden freeze")
    frozen: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    tell_context(frozen["about"])
    digests = frozen["entries"]
    wrong = 0
    for name, output in computed(names, given.times):
        if given.keep:
            keep(given.keep, name, output)
        if name not in digests:
            print(f"new: {name}")
        elif digests[name] != hashlib.sha256(output).hexdigest():
            print(f"differs: {name}")
            if given.against and stored(given.against, name).exists():
                with gzip.open(stored(given.against, name)) as stream:
                    print(first_difference(stream.read(), output))
        else:
            continue
        wrong += 1
    missing = [] if given.only else sorted(set(digests) - set(names))
    for name in missing:
        print(f"gone: {name}")
    print(f"{len(names)} entries, {wrong + len(missing)} of them not as frozen.")
    return int(bool(wrong or missing))


def main() -> int:
    given = arguments()
    given.only = [name for group in given.only for name in group]
    os.environ.update(SETTINGS)
    os.environ.pop("FORCE_COLOR", None)
    from benchmarks.golden.entries import entries

    names = chosen(list(entries()), given.only)
    if given.do == "list":
        print("\n".join(names))
        return 0
    return freeze(names, given) if given.do == "freeze" else check(names, given)


if __name__ == "__main__":
    sys.exit(main())
