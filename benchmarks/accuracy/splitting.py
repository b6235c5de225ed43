"""Sentence splitters beside each other: ours, and others where they are installed.

    python -m benchmarks.accuracy.splitting          # all installed systems, all sets
    python -m benchmarks.accuracy.splitting --system en --system pysbd --sets cases GUM
    python -m benchmarks.accuracy.splitting --model my.caesura --held

Each system splits each text. A boundary is the end of a sentence within a text, counted in
characters that are not blank. The table has F1 of boundaries; of cases, the share of texts whose
sentences are all correct; of raw texts, boundaries against those of one of our models
(`--against`). Every system runs in a process of its own and reports words per CPU second and peak
memory. The result is written to results/splitting.json for docs/howto/split-sentences.md.

The odd cases of tests/cases/sentences/ are used; with `--held` the even ones instead, of which only
the number of correct ones is shown. `scripts` are the cases of tests/cases/scripts/ (20 languages).
`joined` are short dev sentences of languages with marks of their own, in pairs and tens: there is
no blank between them, save after a period. Its rows show the share of boundaries that are found,
and that of false ones among those found (`--model multi`).
"""

from __future__ import annotations

import gzip
import json
import re
import resource
import subprocess
import sys
import time
from argparse import SUPPRESS
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import RESULTS, ROOT, TEXT, find_file, find_folder, keep_json, options, show

from caesura.document import Document
from caesura.formats import read

CASES = ROOT / "tests" / "cases"
#: Treebanks whose short dev sentences are joined: at most so many characters each.
JOINED = (
    *("Japanese-GSD", "Chinese-GSDSimp", "Cantonese-HK", "Arabic-PADT"),
    *("Greek-GDT", "Hindi-PUD", "Persian-PerDT", "Amharic-ATT"),
)
SHORT = 60
#: Characters of each raw text: so many samples of this size.
SAMPLES, SAMPLE = 3, 4000
SPEECH = ("EWT-speech", "GUM-speech")
PEERS = ("pysbd", "punkt", "syntok", "sentencex", "blingfire", "wtpsplit", "sentencizer")
Split = Callable[[str], list[str]]


class Text(NamedTuple):
    """A text and the ends of its sentences, counted in characters that are not blank."""

    text: str
    ends: list[int]


def size(text: str) -> int:
    return len("".join(text.split()))


def ends_of(sentences: list[str]) -> list[int]:
    return [end for end in accumulate(map(size, sentences)) if end]


# ------------------------------------------------------------------- what is split


def treebank(path: Path, genre: Callable[[Document], str]) -> Iterator[tuple[str, Text]]:
    for doc in read(path):
        sentences = [sentence.text for sentence in doc.sentences]
        yield genre(doc), Text(doc.text, ends_of(sentences))


def _ewt(doc: Document) -> str:
    return f"EWT {(doc.id or '').split('-')[0]}"


def _gum(doc: Document) -> str:
    parts = (doc.id or "").split("_")
    return f"GUM {parts[1] if len(parts) > 1 else 'other'}"


def switchboard(path: Path) -> Iterator[tuple[str, Text]]:
    """Dialogues as transcripts, a turn a line; slashes end sentences, and so do turns."""
    for dialogue in path.read_text(encoding="utf-8").split("\n\n"):
        lines, sentences = [], []
        for line in dialogue.splitlines():
            match = re.match(r"([A-Z])\.\d+: *(.*)", line)
            if match is None:
                continue
            said = re.sub(r"<[^>]*>|\{[A-Z] |[][{}+#()]", " ", match[2])
            units = [" ".join(unit.split()) for unit in re.split(r"-?/", said)]
            units = [unit for unit in units if size(unit)]
            if units:
                units[0] = f"{match[1]}: {units[0]}"
                lines.append(" ".join(units))
                sentences += units
        if lines:
            yield "Switchboard turns", Text("\n".join(lines), ends_of(sentences))


def cases(held: bool, kind: str = "sentences") -> Iterator[tuple[str, Text]]:
    for path in sorted((CASES / kind).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines()[int(held) :: 2]:
            case = json.loads(line)
            yield f"case {path.stem}", Text(case["text"], ends_of(case["sentences"]))


def joined(name: str) -> Iterator[tuple[str, Text]]:
    """Pairs and tens of short sentences that end in a mark, joined."""
    folder = find_folder(name) if find_folder(name).exists() else find_folder(f"open/UD_{name}")
    path = find_file(folder, "dev")
    docs = read(path) if path else []
    ends = "。！？!?؟۔।;፧።."
    short = [
        one.text
        for doc in docs
        for one in doc.sentences
        if size(one.text) <= SHORT and one.text[-1] in ends and one.text[:1].isalpha()
    ]
    for kind, many in (("pairs", 2), ("tens", 10)):
        for at in range(0, len(short) - many + 1, many):
            own = short[at : at + many]
            text = "".join(f"{one} " if one[-1] == "." else one for one in own)
            yield f"joined {name} {kind}", Text(text, ends_of(own))


def raw_texts() -> Iterator[tuple[str, Text]]:
    """Samples of texts without gold sentences."""
    for path in sorted(TEXT.glob("*.txt.gz")):
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
        for number in range(SAMPLES):
            at = len(text) * (2 * number + 1) // (2 * SAMPLES)
            begin = text.find("\n", at) + 1
            end = text.find("\n", begin + SAMPLE)
            yield f"text {path.name.removesuffix('.txt.gz')}", Text(text[begin:end], [])


def sets(wanted: list[str], held: bool) -> dict[str, list[Text]]:
    """All texts by the name of their set; those that are not there are left out."""
    found: dict[str, list[Text]] = {}

    def add(rows: Iterator[tuple[str, Text]]) -> None:
        for name, text in rows:
            found.setdefault(name, []).append(text)

    def is_wanted(name: str) -> bool:
        return not wanted or name in wanted

    for name, genre in (("EWT", _ewt), ("GUM", _gum)):
        path = find_file(name, "dev")
        if is_wanted(name) and path:
            add(treebank(path, genre))
    path = find_file("WSJ-sample", "train")
    if is_wanted("WSJ-sample") and path:
        add(treebank(path, lambda doc: "WSJ-sample"))
    for name in SPEECH:
        path = find_file(name, "dev")
        if is_wanted(name) and path:
            add(treebank(path, lambda doc, name=name: name))  # type: ignore[misc]
    path = find_folder("Switchboard-sample") / "disfluency.train.txt"
    if is_wanted("Switchboard") and path.exists():
        add(switchboard(path))
    if is_wanted("cases"):
        add(cases(held))
    if is_wanted("scripts"):
        add(cases(held, "scripts"))
    for name in JOINED if "joined" in wanted else ():
        add(joined(name))
    if is_wanted("texts") and not held:
        add(raw_texts())
    return found


# ------------------------------------------------------------------- who splits it


def system(name: str) -> Split:
    """A splitter by its name; ImportError where it is not installed, or LookupError."""
    if name == "pysbd":
        import pysbd

        return pysbd.Segmenter(language="en", clean=False).segment  # type: ignore[no-any-return]
    if name == "punkt":
        from nltk.tokenize import sent_tokenize

        sent_tokenize("It needs data. Does it have them?")
        return sent_tokenize  # type: ignore[no-any-return]
    if name == "syntok":
        from syntok import segmenter

        def syntok(text: str) -> list[str]:
            return [
                "".join(token.value for token in sentence)
                for paragraph in segmenter.analyze(text)
                for sentence in paragraph
            ]

        return syntok
    if name == "sentencex":
        import sentencex

        return lambda text: list(sentencex.segment("en", text))
    if name == "blingfire":
        import blingfire

        return lambda text: blingfire.text_to_sentences(text).split("\n")  # type: ignore[no-any-return]
    if name == "wtpsplit":
        from wtpsplit_lite import SaT

        sat = SaT("sat-3l-sm")
        return lambda text: list(sat.split(text))
    if name == "sentencizer":
        import spacy

        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        nlp.max_length = 1 << 30
        return lambda text: [sentence.text for sentence in nlp(text).sents]
    from caesura.pipeline import load

    model = name.removesuffix("/quick")
    quick = model != name
    pipeline = load(model)
    if quick:
        pipeline = pipeline.quick()
    return lambda text: [sentence.text for sentence in pipeline(text).sentences]


def run(name: str, wanted: list[str], held: bool) -> dict[str, Any]:
    """What one system makes of all texts: the ends of its sentences, its speed, its memory."""
    texts = sets(wanted, held)
    split = system(name)
    split("It is warm now. Is it?\nyes")
    found: dict[str, list[list[int]]] = {}
    words, lost, seconds = 0, 0, 0.0
    for group, rows in texts.items():
        found[group] = []
        for text, _ in rows:
            began = time.process_time()
            sentences = split(text)
            spent = time.process_time() - began
            if not group.startswith("case"):
                seconds += spent
                words += len(text.split())
            ends = ends_of(sentences)
            if not ends or ends[-1] != size(text):  # it changed the text: whole texts are compared
                ends, moved = _aligned(text, sentences)
                lost += moved
            found[group].append(ends)
    return {
        "system": name,
        "ends": found,
        "words": words,
        "words_per_second": round(words / max(seconds, 1e-9)),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "lost": lost,
    }


def _aligned(text: str, sentences: list[str]) -> tuple[list[int], int]:
    """Ends of sentences of which some characters were changed, found by their last characters."""
    solid = "".join(text.split())
    at, lost, ends = 0, 0, []
    for sentence in sentences:
        said = "".join(sentence.split())
        place = solid.find(said, at)
        if said and place >= 0:
            at = place + len(said)
            ends.append(at)
        else:
            lost += bool(said)
    return sorted({*ends, len(solid)}), lost


# --------------------------------------------------------------------- the scores


def f1(gold: set[Any], found: set[Any]) -> tuple[int, int, int]:
    return len(gold & found), len(gold), len(found)


def percent(counts: list[tuple[int, int, int]]) -> float:
    hit, gold, found = (sum(column) for column in zip(*counts, strict=True))
    return round(200 * hit / (gold + found), 2) if gold + found else 100.0


def share(pairs: list[tuple[set[int], set[int]]]) -> float:
    """How many of the second ones are among the first, in percent."""
    many = sum(len(b) for _, b in pairs)
    return 100 * sum(len(a & b) for a, b in pairs) / many if many else 100.0


def spans(ends: list[int]) -> set[tuple[int, int]]:
    return set(zip([0, *ends[:-1]], ends, strict=True))


def score(texts: dict[str, list[Text]], ends: dict[str, list[list[int]]]) -> dict[str, Any]:
    """F1 of boundaries and sentences of each set; cases also by the share that is right."""
    rows: dict[str, Any] = {}
    groups = {"EWT": "EWT ", "GUM": "GUM ", "cases": "case ", "texts": "text "}
    names = [*texts, *(name for name, start in groups.items() if _with(texts, start))]
    for name in names:
        members = _with(texts, groups[name]) if name in groups else [name]
        pairs = [
            (gold.ends, own)
            for member in members
            for gold, own in zip(texts[member], ends[member], strict=True)
        ]
        rows[name] = {
            "texts": len(pairs),
            "boundaries": percent([f1(set(a[:-1]), set(b[:-1])) for a, b in pairs]),
            "sentences": percent([f1(spans(a), spans(b)) for a, b in pairs]),
            "found": share([(set(b[:-1]), set(a[:-1])) for a, b in pairs]),
            "false": 100 - share([(set(a[:-1]), set(b[:-1])) for a, b in pairs]),
            "right": sum(a == b for a, b in pairs),
        }
    return rows


def _with(texts: dict[str, Any], start: str) -> list[str]:
    return [name for name in texts if name.startswith(start)]


def installed(names: list[str], wanted: list[str], held: bool) -> Iterator[dict[str, Any]]:
    """The runs of the systems that are there, each in a process of its own."""
    for name in names:
        call = [sys.executable, "-m", "benchmarks.accuracy.splitting", "--alone", name]
        call += ["--held"] if held else []
        call += ["--sets", *wanted] if wanted else []
        done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT)
        if done.returncode:
            why = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
            print(f"{name}: left out ({why[0][:100]})", file=sys.stderr)
            continue
        yield json.loads(done.stdout)


def table(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = [name for name in rows[0]["scores"] if not name.startswith(("case ", "text "))]
    found = []
    for row in rows:
        scores = row["scores"]
        cells = {name: scores[name]["boundaries"] for name in names}
        if "cases" in cells:
            cells["cases"] = 100 * scores["cases"]["right"] / scores["cases"]["texts"]
        speed = {"words/s": row["words_per_second"], "MB": row["megabytes"]}
        found.append({"": row["system"], **cells, **speed})
    return found


def main() -> None:
    parser = options(__doc__, "--model")
    parser.add_argument("--system", action="append", help="only these: a model or a peer")
    known = ["EWT", "GUM", "WSJ-sample", *SPEECH, "Switchboard", "cases", "scripts", "joined",
             "texts"]  # fmt: skip
    parser.add_argument("--sets", nargs="*", default=[], choices=known)
    parser.add_argument("--held", action="store_true", help="the cases that are held back")
    parser.add_argument("--against", default="en", help="whose sentences raw texts have")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "splitting.json")
    parser.add_argument("--alone", help=SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(json.dumps(run(given.alone, given.sets, given.held)))
        return
    wanted = given.sets or ["cases"] if given.held else given.sets
    names = given.system or [
        *(f"{model}{way}" for model in given.model or ["en", "en-fast"] for way in ("", "/quick")),
        *(() if given.no_peers else PEERS),
    ]
    runs = list(installed(names, wanted, given.held))
    if not runs:
        raise SystemExit("no system could be run")
    texts = sets(wanted, given.held)
    judge = next((run for run in runs if run["system"] == given.against), runs[0])
    for name in _with(texts, "text "):
        pairs = zip(texts[name], judge["ends"][name], strict=True)
        texts[name] = [Text(text, ends) for (text, _), ends in pairs]
    rows = [
        {
            "system": run["system"],
            "scores": score(texts, run["ends"]),
            **{key: run[key] for key in ("words", "words_per_second", "megabytes", "lost")},
        }
        for run in runs
    ]
    if given.held:
        for row in rows:
            for name, found in row["scores"].items():
                print(f"{row['system']}\t{name}\t{found['right']} of {found['texts']}")
        return
    if "joined" in wanted:
        for row in rows:
            for name in _with(row["scores"], "joined "):
                found, false = (row["scores"][name][key] for key in ("found", "false"))
                print(f"{row['system']}\t{name}\t{found:.1f} found\t{false:.1f} false")
        return
    keep_json(given.output, {"against": judge["system"], "sets": wanted, "systems": rows})
    show(table(rows))


if __name__ == "__main__":
    main()
