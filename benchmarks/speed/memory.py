"""Long texts and many files: memory, time to the first sentence, identical output, resuming.

    python -m benchmarks.speed.memory
    python -m benchmarks.speed.memory --model my.caesura --sizes 1,10,100 --json

A text of each size in megabytes, one document with ever new words, is parsed to CoNLL-U by
`caesura parse`; memory is the peak of the whole process. Then a folder of small files is parsed by
one thread, by two, and by Ray with two workers if it is installed. All must write the same bytes;
then a third of the results is removed, and `--resume` must restore exactly these. See `workers.py`
for throughput.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import environment, file_of, options, peak_memory, show

from caesura.formats import read

MEGABYTE = 1_000_000


def varied(text: str, copy: int) -> str:
    """A copy of a text with new words: in real texts their number keeps growing."""
    if not copy:
        return text
    ending = "".join(chr(ord("a") + int(digit)) for digit in str(copy))
    places = iter(range(10**9))
    return re.sub(
        r"[a-z]{4,}", lambda word: word[0] + (ending if next(places) % 40 == 0 else ""), text
    )


def one_text(model: str, path: Path) -> dict[str, float]:
    """Parse a text; the seconds to its first sentence, all seconds, and the peak in megabytes."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [*_command(model), str(path), "-q"], stdout=subprocess.PIPE, env=environment()
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
        peak = max(peak, peak_memory(process.pid))
    if process.wait():
        raise SystemExit("caesura parse failed")
    seconds = time.perf_counter() - began
    return {"first s": first, "s": seconds, "words": words, "peak MB": peak}


def parsed(model: str, folder: Path, out: Path, *more: str) -> dict[str, bytes]:
    """Parse a folder; the files that were written."""
    call = [*_command(model), str(folder), "-o", f"{out}/", *more]
    env = environment(RAY_DEDUP_LOGS="0", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
    done = subprocess.run(call, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(call)} failed:\n{done.stderr}")
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def check_files(model: str, text: str, files: int, folder: Path) -> None:
    """Compare the output of threads and of Ray, and resume."""
    many = folder / "many"
    many.mkdir()
    length = max(1, len(text) // files)
    for number in range(files):
        part = text[number * length : (number + 1) * length]
        (many / f"{number:05}.txt").write_text(part, encoding="utf-8")
    ways = {f"{n} threads": ("--threads", str(n)) for n in (1, 2)}
    if importlib.util.find_spec("ray") is not None:
        ways["Ray, 2 workers"] = ("--engine", "ray", "--threads", "2")
    first: dict[str, bytes] = {}
    for name, more in ways.items():
        written = parsed(model, many, folder / name, *more)
        first = first or written
        if written != first:
            raise SystemExit(f"{name} wrote other bytes than {next(iter(ways))}")
    out = folder / next(iter(ways))
    for path in sorted(out.iterdir())[::3]:
        path.unlink()
    if parsed(model, many, out, "--resume") != first:
        raise SystemExit("--resume did not restore the removed files")
    print(f"{files} files: {', '.join(ways)} and --resume wrote the same bytes")


def _command(model: str) -> list[str]:
    return [sys.executable, "-m", "caesura", "parse", "--model", model]


def main() -> None:
    parser = options(__doc__, "--model", "--json")
    parser.add_argument("--sizes", default="1,10,100", help="megabytes of the texts")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--text", type=Path, help="a text to repeat; else that of EWT train")
    given = parser.parse_args()
    (model,) = given.model or ["en-fast"]
    if given.text is not None:
        text = given.text.read_text(encoding="utf-8")
    else:
        docs = read(file_of("UD_English-EWT", "train"))
        text = "\n\n".join(doc.text for doc in docs) + "\n\n"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (float(part) for part in given.sizes.split(",") if part):
            path, wanted = folder / "text.txt", int(size * MEGABYTE)
            with path.open("w", encoding="utf-8") as out:
                done = copy = 0
                while done < wanted:
                    done += out.write(varied(text, copy)[: wanted - done])
                    copy += 1
            rows.append({"MB": size, **one_text(model, path)})
        show(rows, given.json)
        check_files(model, text, given.files, folder)


if __name__ == "__main__":
    main()
