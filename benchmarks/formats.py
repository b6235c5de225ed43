"""How fast CoNLL-U is read, and how much memory the documents take, beside other packages.

Every reader runs in a process of its own and keeps everything that it read. `conllu` and `udapi`
(GPL: install it by hand, for this table alone) are left out if they are not installed.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from data import file_of


def read_caesura(path: str) -> Any:
    from caesura import formats

    return list(formats.read(path))


def read_conllu(path: str) -> Any:
    import conllu

    with open(path, encoding="utf-8") as stream:
        return list(conllu.parse_incr(stream))


def read_udapi(path: str) -> Any:
    import udapi

    return udapi.Document(path)


READERS: dict[str, Callable[[str], Any]] = {
    "caesura": read_caesura,
    "conllu": read_conllu,
    "udapi": read_udapi,
}


def resident() -> float:
    """Megabytes of memory that this process holds."""
    try:
        with open("/proc/self/statm") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        import resource

        unit = 1e6 if sys.platform == "darwin" else 1e3
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def measure(name: str, path: str, repeat: int) -> dict[str, float]:
    """Best processor time of several readings, and megabytes added by the first, all kept."""
    read = READERS[name]
    with tempfile.TemporaryDirectory() as folder:  # load the package before the clock starts
        small = Path(folder) / "small.conllu"
        small.write_text("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
        read(str(small))
    gc.collect()
    before = resident()
    times = []
    memory = 0.0
    for number in range(repeat):
        start = time.process_time()
        kept = read(path)
        times.append(time.process_time() - start)
        if number == 0:
            gc.collect()
            memory = resident() - before
        del kept
        gc.collect()
    return {"seconds": min(times), "megabytes": memory}


def compare(path: Path, repeat: int) -> dict[str, dict[str, float]]:
    """The measures of every reader that is installed."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "treebank.conllu"
        data = path.read_bytes()
        plain.write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
        for name in READERS:
            if importlib.util.find_spec(name) is None:
                continue
            command = [sys.executable, __file__, str(plain), "--reader", name]
            command += ["--repeat", str(repeat)]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[name] = json.loads(output)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", nargs="?", type=Path, help="default: EWT train")
    parser.add_argument("--repeat", type=int, default=3, help="readings, of which the best counts")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--reader", choices=READERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.treebank = options.treebank or file_of("UD_English-EWT", "train")
    if options.reader:
        print(json.dumps(measure(options.reader, str(options.treebank), options.repeat)))
        return
    found = compare(options.treebank, options.repeat)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    own = found["caesura"]
    print(f"{options.treebank.name}, processor time, best of {options.repeat}")
    print(f"{'reader':10}{'seconds':>10}{'times':>8}{'MB added':>11}{'times':>8}")
    for name, row in found.items():
        slower = row["seconds"] / own["seconds"]
        larger = row["megabytes"] / own["megabytes"]
        print(
            f"{name:10}{row['seconds']:>10.2f}{slower:>8.1f}{row['megabytes']:>11.0f}{larger:>8.1f}"
        )


if __name__ == "__main__":
    main()
