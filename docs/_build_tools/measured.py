"""Tables of speed, memory, training, sentence splitting, hardening and the bundled models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from docs._build_tools.markdown import chosen, markdown, number

from caesura.models.file import load

ROOT: Final = Path(__file__).parents[2]
Results = Mapping[str, Any]
Tables = dict[str, Callable[[Any], str]]


# --------------------------------------------------------------------------------------- models

MODEL_FILES: Final = {
    "en-fast": ROOT / "src" / "caesura" / "models" / "en-fast.caesura",
    "en": ROOT / "src" / "caesura" / "models" / "en.caesura",
    "en-large": ROOT / "packages" / "en-large" / "src" / "caesura_en_large" / "en-large.caesura",
}
SCORES: Final = ("Sentences", "Words", "UPOS", "Lemmas", "LAS")
#: Scores of the outputs of a fully trained pipeline; the speeds of others are relative to it.
SPACY: Final = (
    "spaCy 3.8 (small CNN, stopped early)", "87.2", "97.2", "91.9", "", "79.0", "1", ""
)  # fmt: skip


def model_row(name: str, path: Path) -> list[str]:
    """The scores, speed and size of a model by its card; a dash where the card has none."""
    meta = load(path, arrays=False).meta
    scores: Any = meta.get("scores", {})
    scores = scores.get("accurate", scores)  # files of old versions have scores by mode
    cells = [f"{scores[one]:.1f}" if one in scores else "–" for one in SCORES]
    times = meta.get("speed_measured", {}).get("times spaCy")
    cells.append("–" if times is None else f"{times:.1f}×")
    return [f"`{name}`", *cells, f"{path.stat().st_size / 1e6:.0f} MB"]


def models(results: Results) -> str:
    rows = [model_row(name, path) for name, path in MODEL_FILES.items() if path.exists()]
    head = ["", *SCORES, "words per CPU second, against spaCy", "size"]
    return markdown(head, [*rows, SPACY])


# ------------------------------------------------------------------------------ speed and memory

STAGES: Final = ("tokens", "tags", "lemmas, features", "trees", "trees and tags", "network")
BILLION: Final = 1_000_000_000


def _where(found: Results) -> str:
    return f"Measured on {found['machine']}, load {found['load']}."


def _by_model(models: Mapping[str, Mapping[str, Any]]) -> str:
    """A column for each model, a row for each figure."""
    names = next(iter(models.values()), {})
    rows = [[name, *(f"{of[name]:,}" for of in models.values())] for name in names]
    return markdown(["", *(f"`{name}`" for name in models)], rows)


def stages(results: Results) -> str:
    """CPU microseconds per word by stage and size of the text."""
    found = results["speed"]
    parts = [_where(found)]
    for model, of in found["models"].items():
        seen = {name for row in of["sizes"] for name in row}
        names = [*(name for name in STAGES if name in seen), "between stages", "writing", "all"]
        rows = [
            [f"{row['words']:,}", *(f"{row.get(name, 0.0):.2f}" for name in names)]
            for row in of["sizes"]
        ]
        parts.append(markdown([f"`{model}`: words", *names], rows))
    return "\n\n".join(parts)


def memory(results: Results) -> str:
    """The rows and bytes that one transition of the linear parser reads."""
    found = results["speed"]
    roof = {"GB a second of a copy in the same run": found["copy GB/s"]}
    models = found["models"].items()
    return _by_model({model: of["memory"] | roof for model, of in models if "memory" in of})


def products(results: Results) -> str:
    """Operations of the products of 8-bit matrices in the networks."""
    found = results["speed"]["models"].items()
    return _by_model({model: of["products"] for model, of in found if "products" in of})


def start(results: Results) -> str:
    """Start-up time and memory."""
    found = results["start"]
    return f"{_where(found)}\n\n{_by_model(found['models'])}"


def billion(results: Results) -> str:
    """Core hours of a billion words, from the longest text that was measured."""
    found = results["speed"]
    rows = []
    for model, of in found["models"].items():
        row = of["sizes"][-1]
        hours = BILLION * row["all"] / 1e6 / 3600
        cells = [
            f"{row['words']:,}",
            f"{row['all']:.1f}",
            f"{hours:,.1f}",
            f"{hours / 16 / 24:,.2f}",
        ]
        rows.append([f"`{model}`", *cells])
    head = ["model", "words", "CPU microseconds a word"]
    head += ["core hours of a billion words (extrapolation)", "days on 16 cores (extrapolation)"]
    return f"{_where(found)}\n\n{markdown(head, rows)}"


def workers(results: Results) -> str:
    """Words per second with threads, processes and Ray, relative to processes."""
    found = results["workers"]
    rows = []
    for model, own in found["models"].items():
        alone = next(row for row in own if "processes" in row["how"])["words/CPU s"]
        rows += [
            [
                f"`{model}`: {row['how']}",
                f"{row['words/s']:,}",
                f"{row['words/CPU s']:,}",
                f"{row['words/CPU s'] / alone:.2f}",
            ]
            for row in own
        ]
    head = ["", "words a second", "words a CPU second", "of that of processes"]
    return f"{_where(found)}\n\n{markdown(head, rows)}"


# ----------------------------------------------------------------------- splitting and training

#: The test sets of the splitters, and the heads of their columns.
SETS: Final = {
    "EWT": "EWT", "GUM": "GUM", "WSJ-sample": "WSJ", "EWT-speech": "EWT as speech",
    "GUM-speech": "GUM as speech", "Switchboard turns": "Switchboard", "texts": "raw texts",
    "cases": "cases",
}  # fmt: skip
#: The scores of learners, and the heads of their columns.
LEARNED: Final = {
    "EWT Sent": "EWT Sentences", "EWT LAS": "EWT LAS", "EWT-speech starts": "EWT-speech starts",
    "EWT-speech LAS": "EWT-speech LAS", "GUM Sent": "GUM Sentences", "GUM LAS": "GUM LAS",
    "GUM-speech starts": "GUM-speech starts",
}  # fmt: skip
LEARNERS: Final = {"laso": "LaSO", "dlaso": "DLaSO, in turn"}


def splitters(found: Results) -> str:
    """Boundary F1 of every system on every set, correct cases, speed and memory."""
    systems = found["systems"]
    names = [name for name in SETS if name in systems[0]["scores"]]
    rows = []
    for row in systems:
        model, _, quick = row["system"].partition("/")
        cells = [f"`{model}`" if model.startswith("en") else model]
        cells[0] += ", `--quick`" if quick else ""
        for name in names:
            scores = row["scores"][name]
            right = 100 * scores["right"] / scores["texts"]
            cells.append(f"{right if name == 'cases' else scores['boundaries']:.1f}")
        rows.append([*cells, f"{row['words_per_second']:,}", f"{row['megabytes']:,}"])
    return markdown(["", *(SETS[name] for name in names), "words/s", "MB"], rows)


def named(learner: str) -> str:
    """The name of a learner for readers: `dlaso, 22 bits` is DLaSO with 2^22 rows."""
    first, *rest = learner.split(", ")
    rest = [f"2^{one.split()[0]} rows" if one.endswith(" bits") else one for one in rest]
    return ", ".join([LEARNERS.get(first, first), *rest])


def _scored(row: Results) -> list[str]:
    return [f"{row['scores'][name]:.1f}" for name in LEARNED]


def learners(found: Results) -> str:
    rows = [[named(n), *_scored(row), f"{row['megabytes']:.1f}"] for n, row in found.items()]
    first = next(iter(found.values()))
    return (
        f"{markdown(['learner', *LEARNED.values(), 'MB'], rows)}\n\nTrained on {first['words']:,} "
        "words of EWT's training split, seed 1 unless stated; tags and evidence in 5 folds; 2^20 "
        "rows unless stated."
    )


def silver(found: Results) -> str:
    """By words of raw text that a teacher labelled."""
    rows = [[f"{int(words):,}", *_scored(row)] for words, row in found.items()]
    table = markdown(["silver words", *LEARNED.values()], rows)
    words = next(iter(found.values()))["words"]
    return f"{table}\n\nGold: {words:,} words of EWT's training split, one seed."


def validity(found: Results) -> str:
    """Violations of the guidelines by model and treebank, without the rules and with them."""
    rows: dict[tuple[str, str], list[str]] = {}
    for row in found["rows"]:
        key = f"`{row['model']}`", row["treebank"].removeprefix("UD_")
        if row["rules"] in ("gold", "off", "on"):
            rows.setdefault(key, []).append(number(row["errors"]))
        if row["rules"] in ("off", "on"):
            rows[key].append(number(row["LAS"]))
    head = ["model", "treebank", "gold", "off", "LAS off", "on", "LAS on"]
    return markdown(head, [[*key, *cells] for key, cells in rows.items()])


def search(found: Results) -> str:
    """Cost and accuracy of beams and margins."""
    rows = [row | {"what": f"`{row['what']}`"} for row in found["search"]]
    columns = {"what": "beam", "states/word": "states a word", "rows/state": "rows a state"}
    columns |= {"bytes/state": "bytes a state", "µs/word": "µs a word"}
    return chosen(
        rows, columns | _same("EWT LAS", "GUM LAS", "EWT-speech starts", "GUM-speech starts")
    )


def templates(found: Results) -> str:
    """Cost and accuracy without each group of templates."""
    rows = [
        row | {"what": row["what"].replace("all templates", "nothing")}
        for row in found["templates"]
    ]
    columns = {"what": "without", "templates": "templates", "µs/word": "µs a word"}
    columns |= _same(
        "EWT LAS", "GUM LAS", "EWT-speech LAS", "EWT-speech starts", "GUM-speech starts"
    )
    return chosen(rows, columns)


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


# --------------------------------------------------------------------------------------- serving


def served(name: str) -> Callable[[Results], str]:
    """The table of a load test."""
    return lambda results: load_test(results[name])


def load_test(found: Results) -> str:
    """Answers, memory, and the response times of `/health`."""
    parsed, memory = found["parse"], found["memory_mb"]
    answers = ", ".join(f"{number:,} × {status}" for status, number in found["answers"].items())
    rows = {
        "clients, seconds": f"{sum(found['clients'].values())}, {found['seconds']:g}",
        "answers": answers,
        "answers that are not documented": str(sum(found["undocumented"].values())),
        "good answers to `parse`": f"{parsed['answers_per_second']:g} a second, "
        f"p50 {parsed['p50_ms']:g} ms, p99 {parsed['p99_ms']:g} ms",
        "memory of the server": f"{_quarters(memory, 'server')}",
        "memory of a worker": f"{_quarters(memory, 'worker')}",
        "from SIGTERM to the end": f"{found['sigterm_seconds']:g} seconds",
    }
    if "server_start" in memory:
        ends = f"{memory['server_start']} MB at the start, {memory['server_end']} MB at the end; "
        rows["memory of the server"] = ends + rows["memory of the server"]
    if "server_twelfths" in memory:
        means = ", ".join(map(str, memory["server_twelfths"]))
        rows["memory of the server, mean of each twelfth of the time"] = f"{means} MB"
    if "pauses" in found:
        rows["seconds between two requests"] = "{:g}, of an attacker {:g}".format(*found["pauses"])
    health = [
        [
            row["during"].replace("_", " "),
            str(row["asked"]),
            f"{row['under_100_ms']:g} %",
            *(f"{row[name]:g} ms" for name in ("p50_ms", "p99_ms", "most_ms")),
        ]
        for row in found["health"]
    ]
    head = ["`/health` during", "requests", "under 100 ms", "p50", "p99", "maximum"]
    return f"{markdown(['all together', ''], rows.items())}\n\n{markdown(head, health)}"


def _quarters(memory: Results, of: str) -> str:
    most = f"at most {memory[f'{of}_most']} MB"
    if f"{of}_last_quarter" not in memory:
        return most
    first, last = memory[f"{of}_first_quarter"], memory[f"{of}_last_quarter"]
    return f"{first} MB in the first quarter, {last} MB in the last, {most}"


# ------------------------------------------------------------------------------------- hardening


def linear(results: Results) -> str:
    found = results["linear"]
    rows = [
        [name, f"{row['cases']:,}", f"{row['quick']:,}", f"{row['worst']:.2f}", f"{row['broken']}"]
        for name, row in found["readers"].items()
    ]
    head = [
        "reader",
        "kinds of input",
        "too fast to compare",
        "maximum, for twice the input",
        "broken",
    ]
    said = f"From {found['size']:,} characters on, {found['mixed']} random cases per reader."
    return f"{markdown(head, rows)}\n\n{said}"


def fuzz(results: Results) -> str:
    found = results["fuzz"]["doors"]
    rows = [
        [
            name,
            f"{row['inputs']:,}",
            f"{row['seconds']:,.0f}",
            f"{row['megabytes']:,}",
            str(row["broken"]),
        ]
        for name, row in found.items()
    ]
    rows.append(["all", f"{sum(row['inputs'] for row in found.values()):,}", "", "", ""])
    return markdown(["entry point", "inputs", "CPU seconds", "MB at most", "broken"], rows)


def atheris(results: Results) -> str:
    found = results["atheris"]["doors"]
    rows = [
        [name, *(f"{row[key]:,}" for key in ("inputs", "first", "last"))]
        for name, row in found.items()
    ]
    rows.append(["all", f"{sum(row['inputs'] for row in found.values()):,}", "", ""])
    return markdown(["entry point", "inputs", "branches with the seeds", "at the end"], rows)


def faults(results: Results) -> str:
    found = results["faults"]
    table = markdown(["command", "kills"], [[n, str(count)] for n, count in found["kills"].items()])
    return (
        f"{table}\n\n{sum(found['kills'].values())} kills, {found['full disks']} full disks, "
        f"{found['short reads']} slow pipe; wrong: {len(found['wrong'])}."
    )


def cluster(results: Results) -> str:
    found = results["cluster"]
    table = markdown(["lost", "the run"], found["cluster"].items())
    return f"{table}\n\nResumed without a cluster each time; wrong: {len(found['wrong'])}."


def ranges(results: Results) -> str:
    found = results["ranges"]
    rows = [[name, lowest, found["ceiling"][name]] for name, lowest in found["floor"].items()]
    return markdown(["package", "lowest", "highest"], rows)


MODELS: Final[Tables] = {"models": models}
SPEED: Final[Tables] = {"stages": stages, "memory": memory, "products": products, "start": start}
SCALE_OUT: Final[Tables] = {"billion": billion, "workers": workers}
SERVING: Final[Tables] = {name: served(name) for name in ("load", "load200", "load500")}
TEMPLATES: Final[Tables] = {"search": search, "templates": templates}
HARDENING: Final[Tables] = {
    "linear": linear, "fuzz": fuzz, "atheris": atheris, "faults": faults, "cluster": cluster,
    "ranges": ranges,
}  # fmt: skip
