"""Cards of the languages of a model, from its scores: its own card, and the page of the docs.

    python -m modelling.multi.scores multi.caesura -o scores.json
    python -m modelling.multi.cards scores.json --model multi.caesura \
        --page docs/reference/languages.md

The scores are those of `scores.py`; words, licences and the published figures of UDPipe 2 are
those of the table in the folder of the treebanks. With --model the card, the scores and the data of
each language go into the meta data of the file, from where `caesura models` lists them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import DATA, RESULTS, SCORES, options, read_json
from modelling.multi.treebanks import LEFT_OUT

from caesura.language.words import NAMES
from caesura.models.file import load, save
from caesura.stages.network import NeuralParser

#: Languages with so many training words are what the means are taken over.
ENOUGH = 15_000
#: Words of each treebank that were learned from at most.
MOST = 110_000
#: Treebanks that are not in the folder of the others.
BESIDE = {
    "UD_English-EWT": ("en", "CC BY-SA 4.0", 204_577),
    "UD_Portuguese-Bosque": ("pt", "CC BY-SA 4.0", 171_776),
}
#: How the network was trained in the end.
OPTIONS = '{"power": 0.7, "encoder_step": 1.2e-4, "head_step": 8e-4}'
HEAD = Path(__file__).with_name("card.md").read_text(encoding="utf-8")


class Data(NamedTuple):
    """What the model learned from in a language."""

    words: dict[str, int]
    licences: tuple[str, ...]
    #: UDPipe 2 on the official test of the main treebank: Words / Sentences / UPOS / LAS (version).
    peers: dict[str, str]


def table() -> dict[str, Data]:
    """The data of each language, by its code."""
    found: dict[str, Data] = {}
    rows = [(*BESIDE[name], name, "") for name in BESIDE]
    for line in (DATA / "open" / "README.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 14 and cells[3].startswith("UD_") and cells[3] not in LEFT_OUT:
            words = int(cells[7].replace(",", ""))
            rows.append((cells[2], cells[6], words, cells[3], cells[14]))
    for code, licence, words, name, peer in sorted(rows, key=lambda row: (row[0], -row[2])):
        one = found.get(code, Data({}, (), {}))
        licences = tuple(sorted({*one.licences, licence}))
        peers = one.peers | ({name: peer} if peer else {})
        found[code] = Data(one.words | {name: min(words, MOST)}, licences, peers)
    return found


def expectation(row: dict[str, Any], words: int) -> str:
    """One sentence on what to expect, by the scores alone."""
    las = row["LAS"]
    if las >= 85:
        said = "Good enough for most work on edited text."
    elif las >= 77:
        said = "Fair: tags and short dependencies can be relied on, long ones less."
    elif las >= 65:
        said = "Use tags and lemmas; check trees before you count on them."
    else:
        said = "A first help for annotators, no more."
    return said if words >= ENOUGH else f"{said} It learned from {words:,} words only."


def missing(row: dict[str, Any]) -> str:
    lacks = []
    if not row["raw"]:
        lacks.append(
            "its treebanks do not say where blanks are: tokens by rule, scores from given ones"
        )
    if row["Words"] < 97:
        lacks.append(f"words are found with F1 {row['Words']:.1f}")
    if row["Sentences"] < 80:
        lacks.append(f"sentences are hard to find (F1 {row['Sentences']:.1f})")
    if row.get("speech starts") is not None and row["speech starts"] < 40:
        lacks.append("sentences of text without punctuation are mostly missed")
    return "; ".join(lacks) or "nothing that the scores show"


def card(
    rows: dict[str, dict[str, Any]], known: dict[str, Data], pieces: int, settled: int = 0
) -> str:
    large = [r for r in rows.values() if sum(known[r["language"]].words.values()) >= ENOUGH]
    raw = [row for row in large if row["raw"]]
    spoken = [row["speech starts"] for row in rows.values() if row.get("speech starts") is not None]
    means = [sum(row[name] for row in raw) / len(raw) for name in SCORES]
    speeds = sorted(row["speed"] for row in rows.values())
    text = HEAD.format(
        count=len({row["language"] for row in rows.values()}),
        words=sum(sum(one.words.values()) for one in known.values()),
        banks=sum(len(one.words) for one in known.values()),
        dev=800,
        n=len(raw),
        enough=ENOUGH,
        names=" | ".join(SCORES),
        bars="---|" * (len(SCORES) - 1) + "---",
        means=" | ".join(f"{mean:.1f}" for mean in means),
        speech=sum(spoken) / len(spoken),
        spoken=len(spoken),
        speed=speeds[len(speeds) // 2],
        pieces=pieces,
        settled=settled,
        options=OPTIONS,
    )
    for name, row in sorted(rows.items(), key=lambda item: (_name(item[1]), item[0])):
        one = known[row["language"]]
        words = sum(one.words.values())
        data = ", ".join(f"{bank} ({n:,})" for bank, n in one.words.items())
        scores = ", ".join(f"{key} {row[key]:.1f}" for key in SCORES)
        heard = row.get("speech starts")
        text += f"\n### {_name(row)} ({row['language']}), {name}\n\n"
        text += f"Data: {words:,} words: {data}. Licence: {', '.join(one.licences)}.\n\n"
        text += f"Dev ({row['dev']:,} words): {scores}; with given words LAS "
        text += f"{row['gold words']['LAS']:.1f}"
        text += "" if heard is None else f"; starts as of speech {heard:.1f}"
        text += f".\n\nExpect: {expectation(row, words)} Missing: {missing(row)}.\n"
    return text


def _name(row: dict[str, Any]) -> str:
    return NAMES.get(row["language"], row["language"])


PAGE = Path(__file__).with_name("page.md").read_text(encoding="utf-8")
COLUMNS = ("language", "code", "treebank", "our training words", "licence", *SCORES)
LINEAR, PEER = "linear: LAS", "UDPipe 2: Words / Sentences / UPOS / LAS"


def page(rows: dict[str, dict[str, Any]], known: dict[str, Data]) -> str:
    lines, linear = [], read_json(RESULTS / "multi_linear.json")
    for name, row in sorted(rows.items(), key=lambda item: (_name(item[1]), item[0])):
        one = known[row["language"]]
        cells = [
            _name(row), row["language"], name + ("" if row["raw"] else " ·"),
            f"{sum(one.words.values()):,}", ", ".join(one.licences),
            *(f"{row[key]:.1f}" for key in SCORES),
            f"{linear[name]['LAS']:.1f}" if name in linear else "", one.peers.get(name, ""),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    head = f"| {' | '.join((*COLUMNS, LINEAR, PEER))} |\n|{'---|' * (len(COLUMNS) + 2)}\n"
    return PAGE + head + "\n".join(lines) + "\n"


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("scores", type=Path)
    parser.add_argument("--model", type=Path, help="write card and scores into this file")
    parser.add_argument("--card", type=Path, help="write the card here")
    parser.add_argument("--page", type=Path, help="write the table of the docs here")
    given = parser.parse_args()
    rows = read_json(given.scores)
    known = table()
    pieces = settled = 0
    if given.model:
        file = load(given.model)
        network = NeuralParser.from_part(file.part("neural"))
        bonus = network.languages.bonus if network.languages is not None else None
        pieces = network.encoder.subwords.size()
        settled = 0 if bonus is None else int(bonus.any(axis=1).sum())
        text = card(rows, known, pieces, settled)
        raw = [row for row in rows.values() if row["raw"]]
        large = [r for r in raw if sum(known[r["language"]].words.values()) >= ENOUGH]
        languages = {
            row["language"]: {
                "name": _name(row),
                "words": sum(known[row["language"]].words.values()),
                "licences": list(known[row["language"]].licences),
                "scores": {key: row[key] for key in SCORES},
            }
            for row in rows.values()
        }
        meta = {k: v for k, v in file.meta.items() if k not in ("parts", "sha256")}
        meta["by_language"] = languages
        meta["scores"] = {k: round(sum(r[k] for r in large) / len(large), 2) for k in SCORES}
        meta["speed"] = sorted(row["speed"] for row in rows.values())[len(rows) // 2]
        save(given.model, file.parts, meta=meta, card=text, kind=file.kind)
        print(given.model, given.model.stat().st_size)
    if given.card:
        given.card.write_text(card(rows, known, pieces, settled), encoding="utf-8")
    if given.page:
        given.page.write_text(page(rows, known), encoding="utf-8")


if __name__ == "__main__":
    main()
