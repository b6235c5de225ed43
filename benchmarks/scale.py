"""Long texts and many files: memory, the time to the first sentence, what a second thread gives.

    python benchmarks/scale.py
    python benchmarks/scale.py --model my.caesura --sizes 1,10,100 --json

A text of each size in megabytes, which is one document with ever new words in it, goes through
`caesura parse` to CoNLL-U; memory is the peak of the whole process. Then a folder of small files is
parsed by one thread, by two, and by Ray with two workers where it is installed. All must write the
same; then a part of the results is removed, and `--resume` must make just that part again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from data import file_of

MEGABYTE = 1_000_000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en-fast")
    parser.add_argument("--sizes", default="1,10,100", help="megabytes of the texts")
    parser.add_argument("--threads", default="1,2", help="numbers of threads for many files")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--megabytes", type=float, help="of all files; else the whole text")
    parser.add_argument("--no-ray", action="store_true")
    parser.add_argument("--text", type=Path, help="a text to repeat; else that of EWT train")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def material(given: Path | None) -> str:
    if given is not None:
        return given.read_text(encoding="utf-8")
    from caesura import formats

    docs = formats.read(file_of("UD_English-EWT", "train"))
    return "\n\n".join(doc.text for doc in docs) + "\n\n"


def varied(text: str, copy: int) -> str:
    """A copy of a text with some words of its own: in real texts new words never end."""
    if not copy:
        return text
    ending = "".join(chr(ord("a") + int(digit)) for digit in str(copy))
    places = iter(range(10**9))
    return re.sub(
        r"[a-z]{4,}", lambda word: word[0] + (ending if next(places) % 40 == 0 else ""), text
    )


def one_text(args: argparse.Namespace, path: Path) -> dict[str, float]:
    """Parse a text; the seconds to its first sentence, all seconds, and the peak in megabytes."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*_command(args), str(path), "-q"], stdout=subprocess.PIPE, env=_one_thread()
    )
    assert process.stdout is not None
    first = 0.0
    words = 0
    peak = 0.0
    last = b""
    while block := process.stdout.read1(1 << 16):
        first = first or time.perf_counter() - began
        lines = (last + block).split(b"\n")
        last = lines.pop()
        words += sum(1 for line in lines if line[:1].isdigit() and b"-" not in line[:8])
        peak = max(peak, _peak(process.pid))
    if process.wait():
        raise SystemExit("caesura parse failed")
    seconds = time.perf_counter() - began
    return {"first s": first, "s": seconds, "words": words, "peak MB": peak}


def many_files(
    args: argparse.Namespace, folder: Path, out: Path, *more: str
) -> dict[str, float | str]:
    """Parse a folder; words each second of the wall clock without the start, and all seconds."""
    began = time.perf_counter()
    call = [*_command(args), str(folder), "-o", f"{out}/", *more]
    env = {**_one_thread(), "RAY_DEDUP_LOGS": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    said = subprocess.run(call, env=env, capture_output=True, text=True)
    if said.returncode:
        raise SystemExit(f"{' '.join(call)} failed:\n{said.stderr}")
    line = next(row for row in reversed(said.stderr.splitlines()) if "words/s" in row)
    rate = next(part for part in line.split(", ") if "words/s" in part)
    return {
        "words/s": float(rate.split()[0].replace(",", "")),
        "s": time.perf_counter() - began,
        "said": line,
    }


def corpus(args: argparse.Namespace, text: str, folder: Path) -> list[dict[str, Any]]:
    """A folder of small files by threads, by Ray, and resumed."""
    many = folder / "many"
    many.mkdir()
    if args.megabytes:
        text = text[: int(args.megabytes * MEGABYTE)]
    length = max(1, len(text) // args.files)
    for number in range(args.files):
        part = text[number * length : (number + 1) * length]
        (many / f"{number:05}.txt").write_text(part, encoding="utf-8")
    ways = {f"{n} threads": ("--threads", n) for n in args.threads.split(",") if n}
    if not args.no_ray and importlib.util.find_spec("ray") is not None:
        ways["Ray, 2 workers"] = ("--engine", "ray", "--threads", "2")
    found = []
    first: dict[str, bytes] = {}
    for name, options in ways.items():
        out = folder / name
        found.append({"how": name, **many_files(args, many, out, *options)})
        written = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
        first = first or written
        if written != first:
            raise SystemExit(f"{name} wrote something else than {next(iter(ways))}")
    out = folder / next(iter(ways))
    gone = sorted(out.iterdir())[::3]
    for path in gone:
        path.unlink()
    found.append(
        {"how": "resumed after a third is gone", **many_files(args, many, out, "--resume")}
    )
    if {path.name: path.read_bytes() for path in sorted(out.iterdir())} != first:
        raise SystemExit("--resume did not bring back what was there")
    return found


def _command(args: argparse.Namespace) -> list[str]:
    return [sys.executable, "-m", "caesura", "parse", "--model", args.model]


def _one_thread() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _peak(pid: int) -> float:
    """The peak of a process so far (Linux)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    line = next((row for row in status.splitlines() if row.startswith("VmHWM")), "")
    return int(line.split()[1]) / 1024 if line else 0.0


def main() -> None:
    args = arguments()
    text = material(args.text)
    found: dict[str, list[dict[str, Any]]] = {"texts": [], "files": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (float(part) for part in args.sizes.split(",") if part):
            path = folder / "text.txt"
            wanted = int(size * MEGABYTE)
            with path.open("w", encoding="utf-8") as out:
                done = copy = 0
                while done < wanted:
                    done += out.write(varied(text, copy)[: wanted - done])
                    copy += 1
            found["texts"].append({"MB": size, **one_text(args, path)})
        found["files"] = corpus(args, text, folder)
    if args.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'MB':>6} {'words':>12} {'first s':>8} {'all s':>8} {'words/s':>9} {'peak MB':>8}")
    for row in found["texts"]:
        rate = row["words"] / row["s"]
        print(
            f"{row['MB']:6g} {row['words']:12,} {row['first s']:8.1f} {row['s']:8.1f} "
            f"{rate:9,.0f} {row['peak MB']:8.0f}"
        )
    print(f"\n{args.files} files{'':22} {'words/s':>9} {'all s':>8}")
    for row in found["files"]:
        print(f"{row['how']:32} {row['words/s']:9,.0f} {row['s']:8.1f}   {row['said']}")


if __name__ == "__main__":
    main()
