"""Long texts and many files: memory, the time to the first sentence, what a second thread gives.

    python benchmarks/scale.py
    python benchmarks/scale.py --model my.caesura --sizes 1,10,100 --json

A text of each size in megabytes, which is one document with ever new words in it, goes through
`caesura parse` to CoNLL-U; memory is the peak of the whole process. Then a folder of small files is
parsed by one thread and by two.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("CAESURA_DATA", ROOT.parent / "shared" / "data"))
EWT = DATA / "UD_English-EWT" / "en_ewt-ud-train.conllu.gz"
MEGABYTE = 1_000_000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--mode", default="fast", choices=["fast", "accurate"])
    parser.add_argument("--sizes", default="1,10,100", help="megabytes of the texts")
    parser.add_argument("--threads", default="1,2", help="numbers of threads for many files")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--text", type=Path, help="a text to repeat; else that of EWT train")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def material(given: Path | None) -> str:
    if given is not None:
        return given.read_text(encoding="utf-8")
    from caesura import formats

    return "\n\n".join(doc.text for doc in formats.read(EWT)) + "\n\n"


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


def many_files(args: argparse.Namespace, folder: Path, threads: int) -> dict[str, float]:
    """Parse a folder; the words each second of the wall clock, without the start."""
    with tempfile.TemporaryDirectory() as out:
        call = [*_command(args), str(folder), "-o", f"{out}/", "--threads", str(threads)]
        said = subprocess.run(call, env=_one_thread(), capture_output=True, text=True, check=True)
    line = said.stderr.strip().splitlines()[-1]
    rate = next(part for part in line.split(", ") if part.endswith("words/s"))
    return {"threads": threads, "words/s": float(rate.split()[0].replace(",", ""))}


def _command(args: argparse.Namespace) -> list[str]:
    return [sys.executable, "-m", "caesura", "parse", "--model", args.model, "--mode", args.mode]


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
        many = folder / "many"
        many.mkdir()
        length = max(1, len(text) // args.files)
        for number in range(args.files):
            part = text[number * length : (number + 1) * length]
            (many / f"{number:05}.txt").write_text(part, encoding="utf-8")
        for threads in (int(part) for part in args.threads.split(",") if part):
            found["files"].append(many_files(args, many, threads))
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
    print(f"\n{'threads':>7} {'words/s':>9}   ({args.files} files)")
    for row in found["files"]:
        print(f"{row['threads']:7} {row['words/s']:9,.0f}")


if __name__ == "__main__":
    main()
