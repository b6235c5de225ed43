"""The supply chain: a bill of materials, wheels of the same bytes twice, dependencies at both ends.

    python -m benchmarks.hardening.supply bom -o caesura.cdx.json
    python -m benchmarks.hardening.supply wheel
    python -m benchmarks.hardening.supply ranges [--python python3.11] [--write]

`bom` lists the distribution and whatever it needs, as installed here, in CycloneDX 1.5. `wheel`
builds the wheel twice in fresh copies of the tree and compares the bytes. `ranges` makes two
environments, one with the lowest versions that pyproject.toml allows and one with the highest that
the index has, of what the package needs and of the extras that users run (`EXTRAS`), and in each of
them parses with both bundled models, writes and reads a compressed file, asks a server, and runs
tests of documents and formats.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from benchmarks.common import RESULTS, ROOT, keep_json, options, read_json

NAME: Final = "caesura-nlp"
#: Tests that need nothing but the package, pytest and hypothesis.
SMOKE: Final = (
    "tests/formats/test_conllu.py",
    "tests/formats/test_io.py",
)
#: Extras whose ranges are tried: what runs at users', not what trains, draws or tests.
EXTRAS: Final = ("progress", "zstd", "serve", "neural")
#: What an environment must do, besides tests.
_TRIAL: Final = """
import http.client, json, re, subprocess, sys, threading
from pathlib import Path
text = Path("a.txt")
text.write_text("The boats did not come back. Nobody knew why.\\n", encoding="utf-8")
def caesura(*call):
    subprocess.run([sys.executable, "-m", "caesura", *call], check=True)
for model in ("en", "en-fast"):
    caesura("parse", "a.txt", "-m", model, "-o", f"{model}.conllu.zst", "--quiet")
    caesura("convert", f"{model}.conllu.zst", "-o", f"{model}.jsonl", "--quiet")
    assert len(Path(f"{model}.jsonl").read_text().splitlines()) == 1
server = subprocess.Popen(
    [sys.executable, "-m", "caesura", "serve", "--port", "0", "--model", "en"],
    stderr=subprocess.PIPE, text=True,
)
try:
    for line in server.stderr:
        if found := re.search(r"http://127\\.0\\.0\\.1:(\\d+)/", line):
            break
    threading.Thread(target=server.stderr.read, daemon=True).start()
    line = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=300)
    body = json.dumps({"text": text.read_text()}).encode()
    line.request("POST", "/api/v1/parse", body, {"Content-Type": "application/json"})
    answer = line.getresponse()
    assert answer.status == 200, answer.status
    assert json.loads(answer.read())
finally:
    server.terminate()
    server.wait(60)
"""
_REQUIREMENT: Final = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*([^;]*)(?:;(.*))?$")
_FLOOR: Final = re.compile(r">=\s*([0-9][0-9A-Za-z.]*)")


# ------------------------------------------------------------ bill of materials


def needed(name: str) -> dict[str, metadata.Distribution]:
    """A distribution and all that it needs without extras, by normalised name."""
    found: dict[str, metadata.Distribution] = {}
    wait = [name]
    while wait:
        one = re.sub(r"[-_.]+", "-", wait.pop()).lower()
        if one in found:
            continue
        try:
            found[one] = metadata.distribution(one)
        except metadata.PackageNotFoundError:
            continue
        for requirement in found[one].requires or ():
            match = _REQUIREMENT.match(requirement)
            if match and "extra" not in (match[3] or ""):
                wait.append(match[1])
    return found


def component(dist: metadata.Distribution) -> dict[str, Any]:
    said = dist.metadata
    name, version = said["Name"], dist.version
    licence = said.get("License-Expression") or said.get("License") or ""
    classifiers = [c.split(" :: ")[-1] for c in said.get_all("Classifier") or () if "License" in c]
    entry: dict[str, Any] = {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version}",
    }
    told = licence.splitlines()[0][:80] if licence else ", ".join(classifiers)
    if told:
        entry["licenses"] = [{"license": {"name": told}}]
    record = dist.read_text("RECORD")
    if record:  # what is installed, file by file
        digest = hashlib.sha256("\n".join(sorted(record.splitlines())).encode()).hexdigest()
        entry["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return entry


def requirements(extras: Sequence[str] = ()) -> list[str]:
    """What pyproject.toml asks for, with what it asks for some extras."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        project = tomllib.load(stream)["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(one for extra in extras for one in optional[extra])]


def bom() -> dict[str, Any]:
    """The bill of materials; the same here whenever it is made."""
    found: dict[str, metadata.Distribution] = {}
    for requirement in requirements():
        match = _REQUIREMENT.match(requirement)
        assert match is not None
        found |= needed(match[1])
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/caesura/__init__.py").read_text())
    subject = {"type": "library", "name": NAME, "version": version[1] if version else "0"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": subject},
        "components": [component(found[name]) for name in sorted(found)],
    }


# ------------------------------------------------------------------- wheels


def copied(to: Path) -> Path:
    """What git knows of the tree, without what was built in it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        source = ROOT / name
        if name and source.is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, to / name)
    return to


def build(folder: Path) -> Path:
    """The wheel of a copy of the tree."""
    tree = copied(folder / "tree")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "315532800"}
    call = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(tree)]
    subprocess.run(call, check=True, env=environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def wheels() -> tuple[str, str]:
    """The SHA-256 of the wheel, built twice."""
    digests = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            digests.append(hashlib.sha256(build(Path(folder)).read_bytes()).hexdigest())
    return digests[0], digests[1]


# ------------------------------------------------------------------- ranges


def floors(extras: Sequence[str] = ()) -> list[str]:
    """The lowest version of each dependency."""
    found = []
    for requirement in requirements(extras):
        match, lowest = _REQUIREMENT.match(requirement), _FLOOR.search(requirement)
        assert match is not None
        if lowest:
            found.append(f"{match[1]}=={lowest[1]}")
    return found


def tried(python: str, pins: list[str], folder: Path) -> dict[str, str]:
    """Make an environment and try what it should do; the versions that it has."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    own = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(own), "-m", "pip", "install", "-q"]
    package = f"{ROOT}[{','.join(EXTRAS)}]"
    subprocess.run([*pip, *pins, package, "pytest", "hypothesis"], check=True)
    wanted = requirements(EXTRAS)
    names = [match[1] for one in wanted if (match := _REQUIREMENT.match(one))]
    code = (
        "import json, platform; from importlib.metadata import version; "
        f"found = {{name: version(name) for name in {names}}}; "
        "print(json.dumps({'Python': platform.python_version(), **found}))"
    )
    versions = subprocess.run([str(own), "-c", code], capture_output=True, text=True, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(own), "-c", _TRIAL], check=True, env=environment, cwd=folder)
    tests = [str(own), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *SMOKE]
    subprocess.run(tests, check=True, env=environment, cwd=ROOT)
    found: dict[str, str] = json.loads(versions.stdout)
    return found


def ranges(python: str, only: str | None) -> dict[str, dict[str, str]]:
    """Both ends of the ranges, or one: the versions with which everything was well."""
    found = {}
    for name, pins in (("floor", floors(EXTRAS)), ("ceiling", ["--upgrade"])):
        if only in (None, name):
            with tempfile.TemporaryDirectory() as folder:
                found[name] = tried(python, pins, Path(folder))
            print(f"{name}: {found[name]}", flush=True)
    return found


def main() -> None:
    parser = options(__doc__, "--write")
    parser.add_argument("what", choices=["bom", "wheel", "ranges"])
    parser.add_argument("-o", type=Path, help="file of the bill; else it is printed")
    parser.add_argument("--python", default=sys.executable, help="for the environments of `ranges`")
    parser.add_argument("--only", choices=["floor", "ceiling"], help="one end of the ranges")
    given = parser.parse_args()
    if given.what == "bom":
        text = json.dumps(bom(), indent=1, sort_keys=True) + "\n"
        if given.o:
            given.o.write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    elif given.what == "wheel":
        one, two = wheels()
        print(f"{one}\n{two}\n{'the same bytes' if one == two else 'DIFFERENT'}")
        sys.exit(one != two)
    else:
        found = ranges(given.python, given.only)
        if given.write:
            path = RESULTS / "ranges.json"
            keep_json(path, {**read_json(path), **found})


if __name__ == "__main__":
    main()
