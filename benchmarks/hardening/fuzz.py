"""Fuzz every entry point, and count the inputs.

    python -m benchmarks.hardening.fuzz --hours 8
    python -m benchmarks.hardening.fuzz --inputs 50000 conllu html model
    python -m benchmarks.hardening.fuzz --hours 8 --write
    python -m benchmarks.hardening.fuzz --inputs 10000 --model en --bytes 200 pipeline

Each entry point (door; see `tests/fuzz/targets.py`) gets the same share of the time, in a process
of its own, with random changes of the project's own seeds. An input that ends in anything but a
result or a CaesuraError, takes more than ten seconds, ends the process, or takes memory above 2 GB
is kept as a file and reported; the exit status is then 1. With --write the counts are added to
results/fuzz.json; take another --seed then, otherwise the same inputs are tried again.
`sanitize.py` runs it under sanitizers.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from argparse import Namespace
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.common import RESULTS, ROOT, keep_json, options, read_json

#: Seconds that one input may take, and megabytes that the process may.
_ROOM: Final = 1 << 17
HANG: Final = 10.0
MEMORY: Final = 2048


@dataclass
class Count:
    """The counts of one entry point."""

    inputs: int = 0
    seconds: float = 0.0
    megabytes: int = 0
    broken: int = 0


def child(
    door_name: str, model: str, seed: int, most: int, limit: float, inputs: int, folder: Path
) -> None:
    """Try inputs until the time or their number is over; writes what it does to `folder`."""
    import resource

    from caesura.models.store import find
    from tests.fuzz.mutate import mutated
    from tests.fuzz.targets import door, seeds

    target = door(door_name, find(model))
    start = seeds(door_name)
    for data in start:
        target(data)
    state = folder / "state"
    with (folder / "input").open("r+b") as shared:
        current = mmap.mmap(shared.fileno(), _ROOM)
    rng = random.Random(f"{door_name} {seed}")
    count = broken = 0
    begin = time.process_time()
    while count < inputs and time.process_time() - begin < limit:
        data = mutated(rng, start)
        if len(data) > most:  # a piece from anywhere, so that not all are the same beginnings
            at = rng.randrange(len(data) - most + 1)
            data = data[at : at + most]
        # Written to memory that is a file: what is in it survives the process.
        current[: 8 + len(data)] = len(data).to_bytes(8, "little") + data
        if not count % 64:
            state.write_text(f"{count} {time.process_time() - begin}")
        try:
            target(data)
        except Exception:
            broken += 1
            (folder / f"broken-{broken}").write_bytes(data)
            (folder / f"broken-{broken}.txt").write_text(traceback.format_exc())
            if broken >= 20:
                break
        count += 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    done = {"inputs": count, "seconds": time.process_time() - begin, "megabytes": peak}
    (folder / "done").write_text(json.dumps(done))


def watch(call: list[str], folder: Path) -> str:
    """Run a child; what it died of, or nothing."""
    # A build with sanitizers (sanitize.py) comes first.
    folders = [os.environ.get("PYTHONPATH", ""), str(ROOT / "src"), str(ROOT)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    current, last, since = folder / "input", b"", time.monotonic()
    current.write_bytes(bytes(_ROOM))
    process = subprocess.Popen(call, env=environment, cwd=ROOT)
    used = 0.0
    while process.poll() is None:
        time.sleep(0.5)
        data = shown_input(current)
        cpu = _cpu(process.pid)
        if data != last:
            last, since, used = data, time.monotonic(), cpu
        # Time on the clock says little on a busy machine: an input hangs if it also uses the CPU.
        elif data and time.monotonic() - since > HANG and cpu - used > HANG:
            process.kill()
            process.wait()
            return f"an input takes more than {HANG:g} s"
    return "" if process.returncode == 0 else f"the process ended with {process.returncode}"


def shown_input(path: Path) -> bytes:
    """The input that a child is at."""
    data = path.read_bytes()
    return data[8 : 8 + int.from_bytes(data[:8], "little")]


def _cpu(pid: int) -> float:
    """The CPU time of a process, where the system tells."""
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.monotonic()


def one(name: str, asked: Namespace, limit: float, inputs: int) -> Count:
    """Fuzz one door, again after a crash until its time is over."""
    found = Count()
    round_ = 0
    while found.inputs < inputs and found.seconds < limit and found.broken < 20:
        round_ += 1
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            left = (limit - found.seconds, inputs - found.inputs)
            arguments = [name, asked.model, asked.seed + 1000 * round_, asked.bytes, *left, folder]
            call = [
                sys.executable,
                "-m",
                "benchmarks.hardening.fuzz",
                "--child",
                *map(str, arguments),
            ]
            died = watch(call, folder)
            if died:
                count, seconds = 0, 0.0
                if (folder / "state").exists():
                    told = (folder / "state").read_text().split()
                    count, seconds = int(told[0]), float(told[1])
                found.inputs += count
                found.seconds += seconds
                (folder / "last").write_bytes(shown_input(folder / "input"))
                _keep(folder / "last", name, died, found)
                continue
            done = json.loads((folder / "done").read_text())
            found.inputs += done["inputs"]
            found.seconds += done["seconds"]
            found.megabytes = max(found.megabytes, done["megabytes"])
            for path in sorted(folder.glob("broken-*[0-9]")):
                said = path.with_suffix(".txt").read_text().strip().splitlines()[-1]
                _keep(path, name, said, found)
    if found.megabytes > MEMORY:
        found.broken += 1
        print(f"{name}: {found.megabytes:,} MB")
    return found


def _keep(path: Path, name: str, said: str, found: Count) -> None:
    found.broken += 1
    kept = Path(f"broken-{name}-{found.broken}")
    kept.write_bytes(path.read_bytes() if path.exists() else b"")
    print(f"{name}: {said} ({kept})", flush=True)


def main() -> None:
    if os.path.isdir("/dev/shm"):  # temporary files in memory
        tempfile.tempdir = "/dev/shm"
    if sys.argv[1:2] == ["--child"]:
        name, model, seed, most, limit, inputs, folder = sys.argv[2:9]
        child(name, model, int(seed), int(most), float(limit), int(inputs), Path(folder))
        return
    from tests.fuzz.targets import DOORS, PLAIN
    from tests.pipeline import tiny

    parser = options(__doc__, "--write")
    parser.add_argument("doors", nargs="*", metavar="DOOR", help=f"of {', '.join(DOORS)}")
    parser.add_argument("--hours", type=float, help="of CPU time for all doors")
    parser.add_argument("--inputs", type=int, help="for each door")
    parser.add_argument("--model", help="name or file; else a tiny one is trained first")
    parser.add_argument("--bytes", type=int, default=_ROOM - 8, help="of an input at most")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    doors = given.doors or list(DOORS)
    if set(doors) - set(DOORS):
        parser.error(f"doors are: {', '.join(DOORS)}")
    if given.hours is None and given.inputs is None:
        parser.error("give --hours or --inputs")
    limit = given.hours * 3600 / len(doors) if given.hours is not None else float("inf")
    path = RESULTS / "fuzz.json"
    known = read_json(path).get("doors", {}) if given.write else {}
    broken = 0
    named = f" ({given.model})" if given.model in ("en", "en-fast") else ""
    with tempfile.TemporaryDirectory() as folder:
        if given.model is None:
            given.model = str(tiny.train(tiny.treebank(), Path(folder, "tiny.caesura")))
        for name in doors:
            found = one(name, given, limit, given.inputs or 1 << 60)
            broken += found.broken
            rate = found.inputs / max(found.seconds, 1e-9)
            print(
                f"{name}: {found.inputs:,} inputs, {found.seconds:.0f} s, {rate:,.0f} a second, "
                f"{found.megabytes:,} MB, {found.broken} broken",
                flush=True,
            )
            row = name + ("" if name in PLAIN else named)
            before = Count(**known.get(row, {}))
            both = Count(
                before.inputs + found.inputs,
                round(before.seconds + found.seconds, 1),
                max(before.megabytes, found.megabytes),
                before.broken + found.broken,
            )
            known[row] = asdict(both)
            if given.write:
                keep_json(path, {"command": "python -m benchmarks.hardening.fuzz", "doors": known})
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
