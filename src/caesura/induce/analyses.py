"""Relations of punctuation, boundaries and mark-up to gold trees: the tables of the papers.

Everything here reads gold trees; nothing here is used in learning. The tables are those of
Spitkovsky et al. (2011, section 3: fragments and constraints; also for links and emphasis of web
pages, 2010) and (2012, sections 2 and 3: boundary words, stop decisions, punctuation and
attachment, completeness).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from caesura.document import ROOT, UNKNOWN, Document
from caesura.errors import MissingExtra
from caesura.induce.corpus import Corpus, corpus, gold_heads, word_classes
from caesura.induce.parameters import Ints
from caesura.induce.punctuation_constraints import fragments_of, holds, spans
from caesura.transform.trees import percolate


def boundaries(
    documents: Sequence[Document], column: str = "upos", *, marks: str | None = None, top: int = 20
) -> dict[str, Any]:
    """All tables for a treebank, as plain data.

    Documents with phrases and no heads get those of Collins' table; mark-up and phrases are
    compared with punctuation where there are some.
    """
    documents = [
        percolate(doc) if len(doc.node_label) and np.all(doc.head == UNKNOWN) else doc
        for doc in documents
    ]
    words = corpus(documents, word_classes(column), marks=marks or column)
    heads, missing = gold_heads(documents, words)
    owner = words.sentences.owner
    roots = np.bincount(owner[heads == ROOT], minlength=len(words))
    good = (missing == 0) & (roots == 1)
    heads = heads[words.sentences.words_of(good)]
    words = words.select(good)
    lengths = words.sentences.lengths
    between = runs(words)
    inline = elements(documents, words)
    return {
        "sentences": len(words),
        "left_out": int((~good).sum()),
        "with_marks_inside": int(words.sentences.inner.sum()),
        "fragments": judge(words, heads, between, top),
        "markup": {
            kind: judge(words, heads, found, top) for kind, found in inline.items() if any(found)
        },
        "constituents": constituents(documents, words, between, top),
        "boundary_words": _boundary_words(words, heads, top),
        "stop_predictors": stop_predictors(words, heads),
        "attachment": _attachment(words, heads),
        "completeness": _completeness(words, heads),
        "lengths": np.bincount(np.minimum(lengths, 60)).tolist(),
    }


# --------------------------------------------------------------- boundary words


def hellinger(p: np.ndarray, q: np.ndarray) -> float:
    """The Hellinger distance of two distributions: 0 if equal, 1 if they share nothing."""
    return float(np.sqrt(np.maximum(0.0, 1.0 - np.sqrt(p * q).sum())))


def _boundary_words(words: Corpus, heads: Ints, top: int) -> dict[str, Any]:
    s = words.sentences
    size = len(words.names)
    complete = s.comps > 0
    root = s.classes[heads == ROOT]
    places: dict[str, np.ndarray] = {"all words": _shares(s.classes, size)}
    for kind, chosen in (("complete", complete), ("incomplete", ~complete)):
        places[f"first, {kind}"] = _shares(s.classes[s.starts[:-1][chosen]], size)
        places[f"last, {kind}"] = _shares(s.classes[s.starts[1:][chosen] - 1], size)
        places[f"root, {kind}"] = _shares(root[chosen], size)
    names = list(places)
    order = np.argsort(-places["all words"])[:top]
    return {
        "places": names,
        "tags": [
            (words.names[c], *(round(100 * float(places[n][c]), 1) for n in names))
            for c in order.tolist()
        ],
        "hellinger": {
            f"{a} / {b}": round(hellinger(places[a], places[b]), 3)
            for i, a in enumerate(names)
            for b in names[i + 1 :]
        },
    }


def _shares(classes: Ints, size: int) -> np.ndarray:
    counts = np.bincount(classes, minlength=size).astype(float)
    return counts / max(1.0, counts.sum())


# --------------------------------------------------------------- stop predictors


def stop_predictors(words: Corpus, heads: Ints) -> list[dict[str, Any]]:
    """How well contexts predict non-adjacent stops: adjusted R² and AICc of logistic models.

    A logistic model of a categorical predictor fits the relative frequency of each value, so its
    likelihood needs no search. R² is McFadden's, adjusted for the number of parameters.
    """
    rows = _non_adjacent(words, heads)
    if not rows:
        return []
    stops = np.array([r[4] for r in rows], dtype=float)
    null = _log_likelihood(stops, np.zeros(len(stops), dtype=np.int64))[0]
    found = []
    for name, columns in (
        ("direction", (0,)),
        ("descendants so far, direction", (3, 0)),
        ("head, direction", (1, 0)),
        ("fringe, direction", (2, 0)),
        ("head, fringe, direction", (1, 2, 0)),
    ):
        keys = np.array([[r[c] for c in columns] for r in rows])
        _, cell = np.unique(keys, axis=0, return_inverse=True)
        score, cells = _log_likelihood(stops, cell.ravel())
        n = len(stops)
        correction = 2 * cells * (cells + 1) / max(1, n - cells - 1)
        found.append(
            {
                "predictor": name,
                "r2": round(1.0 - (score - cells) / null, 4) if null else float("nan"),
                "aicc": round(2 * cells - 2 * score + correction, 1),
                "parameters": cells,
                "decisions": n,
            }
        )
    return found


def _log_likelihood(outcome: np.ndarray, cell: np.ndarray) -> tuple[float, int]:
    size = int(cell.max()) + 1
    n = np.bincount(cell, minlength=size)
    k = np.bincount(cell, weights=outcome, minlength=size)
    p = np.clip(k / n, 1e-12, 1 - 1e-12)
    return float((k * np.log(p) + (n - k) * np.log(1 - p)).sum()), size


def _non_adjacent(words: Corpus, heads: Ints) -> list[tuple[int, int, int, int, int]]:
    """(direction, head's class, fringe class, descendants so far, stopped) of each decision."""
    s = words.sentences
    rows: list[tuple[int, int, int, int, int]] = []
    for a, b in pairwise(s.starts.tolist()):
        tree = heads[a:b].tolist()
        n = b - a
        below = [1] * n
        left, right = list(range(n)), list(range(n))
        for i in range(n):
            h, steps = tree[i], 0
            while h >= 0 and steps <= n:
                below[h] += 1
                left[h], right[h] = min(left[h], i), max(right[h], i)
                h, steps = tree[h], steps + 1
        children: dict[tuple[int, int], list[int]] = {}
        for d, h in enumerate(tree):
            if h >= 0:
                children.setdefault((h, int(d > h)), []).append(d)
        for (h, side), found in children.items():
            found.sort(key=lambda d, h=h: abs(d - h))  # type: ignore[misc]
            size = 0
            for rank, d in enumerate(found):
                size += below[d]
                edge = right[d] if side else left[d]
                last = int(rank == len(found) - 1)
                rows.append((side, int(s.classes[a + h]), int(s.classes[a + edge]), size, last))
    return rows


# --------------------------------------------------- punctuation and attachment


def _attachment(words: Corpus, heads: Ints) -> dict[str, Any]:
    """Of neighbours, with and without a mark between: how often one is the head of the other."""
    s = words.sentences
    begin = np.repeat(s.starts[:-1], s.lengths)
    at = np.arange(s.n_words)
    absolute = np.where(heads >= 0, heads + begin, -1)
    same = s.owner[1:] == s.owner[:-1]
    arc = ((absolute[1:] == at[:-1]) | (absolute[:-1] == at[1:]))[same]
    marked = (s.marks[1:] != s.marks[:-1])[same]
    table = [[int((arc & marked).sum()), int((~arc & marked).sum())]]
    table.append([int((arc & ~marked).sum()), int((~arc & ~marked).sum())])
    arcs = heads >= 0
    crossing = s.marks[arcs] != s.marks[absolute[arcs]]
    return {
        "neighbours": {"mark between": table[0], "no mark between": table[1]},
        "attached_over_mark": percent(table[0][0], sum(table[0])),
        "attached_without_mark": percent(table[1][0], sum(table[1])),
        "phi": round(_phi(table), 3),
        "arcs_over_marks": percent(int(crossing.sum()), int(arcs.sum())),
    }


def _phi(table: list[list[int]]) -> float:
    (a, b), (c, d) = table
    below = np.sqrt(float(a + b) * (c + d) * (a + c) * (b + d))
    return float((a * d - b * c) / below) if below else float("nan")


def _completeness(words: Corpus, heads: Ints) -> dict[str, Any]:
    """Final marks against clauses: a sentence is a clause if a verb or an auxiliary is its root."""
    s = words.sentences
    verbal = np.array([_is_verb(name) for name in words.names])
    clause = verbal[s.classes[heads == ROOT]]
    complete = s.comps > 0
    table = [
        [int((complete & clause).sum()), int((complete & ~clause).sum())],
        [int((~complete & clause).sum()), int((~complete & ~clause).sum())],
    ]
    return {"with_final_mark": table[0], "without": table[1], "phi": round(_phi(table), 3)}


def _is_verb(tag: str) -> bool:
    return tag in ("AUX", "MD") or tag.upper().startswith("V") or tag in ("ADI", "ADL", "ADT")


# ------------------------------------------------------------------ appearance


def show(found: dict[str, Any]) -> str:
    """The tables for people."""
    f, a, c = found["fragments"], found["attachment"], found["completeness"]
    lines = [
        f"{found['sentences']:,} sentences ({found['with_marks_inside']:,} with marks inside; "
        f"{found['left_out']:,} left out: no single root)",
        "",
        f"Fragments: {f['count']:,}, of several words {f['of_several_words']:,}, "
        f"with one head {f['with_one_head']:,}",
        "Satisfied in the trees, per cent: "
        + ", ".join(f"{name} {share:.1f}" for name, share in f["satisfied"].items()),
        "By the printed formulas, per cent: "
        + ", ".join(f"{name} {share:.1f}" for name, share in f["satisfied_literally"].items()),
        "Most frequent: " + _list(f["tag_sequences"]),
        "With their heads: " + _list(f["headed"]),
        *_phrases_and_elements(found),
        "",
        "Stops after the first dependent, by predictor (adjusted R², AICc)",
    ]
    lines += [
        f"  {r['predictor']:<32}{r['r2']:8.4f}{r['aicc']:14,.1f}" for r in found["stop_predictors"]
    ]
    lines += [
        "",
        f"Neighbours attached: over a mark {a['attached_over_mark']}%, without one "
        f"{a['attached_without_mark']}% (phi {a['phi']}); arcs over marks {a['arcs_over_marks']}%",
        f"Clauses and others: with a final mark {c['with_final_mark']}, without {c['without']} "
        f"(phi {c['phi']})",
        "",
        "Tags, per cent: of all words; of first words, last words and roots of sentences that end",
        "in a mark (complete) and of those that do not (incomplete)",
        f"  {'':<10}{'':8}{'complete':>24}{'incomplete':>24}",
        f"  {'':<10}" + "".join(f"{place:>8}" for place in ("all", *("first", "last", "root") * 2)),
    ]
    for tag, *shares in found["boundary_words"]["tags"]:
        lines.append(f"  {tag:<10}" + "".join(f"{share:8.1f}" for share in shares))
    lines.append("Hellinger distances")
    lines += [f"  {pair:<40}{d:7.3f}" for pair, d in found["boundary_words"]["hellinger"].items()]
    return "\n".join(lines)


def _list(rows: Sequence[tuple[str, int, float]], number: int = 10) -> str:
    return "; ".join(f"{name} {n:,} ({share}%)" for name, n, share in rows[:number])


def _phrases_and_elements(found: dict[str, Any]) -> list[str]:
    """The tables of documents with phrases or mark-up."""
    lines = []
    phrases = found["constituents"]
    if phrases:
        lines += [
            f"That are constituents: {phrases['coincide']}% (of several words: "
            f"{phrases['of_several_words_coincide']}%): {_list(phrases['labels'])}",
            "Lowest constituents that hold one: " + _list(phrases["dominating"]),
        ]
    if found["markup"]:
        kinds = {"punctuation": found["fragments"], **found["markup"]}
        lines += ["", "Punctuation and mark-up: spans of several words, per cent satisfied"]
        lines.append(f"  {'':<12}{'spans':>8}" + "".join(f"{name:>8}" for name in NAMES))
        for kind, table in kinds.items():
            shares = "".join(f"{table['satisfied'][name]:8.1f}" for name in NAMES)
            lines.append(f"  {kind:<12}{table['of_several_words']:8,}{shares}")
        lines.append("Most frequent mark-up: " + _list(found["markup"]["mark-up"]["tag_sequences"]))
    return lines


def plot(found: dict[str, Any], path: str) -> None:
    """Sentence lengths, constraints, predictors of stops and boundary tags as a picture."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", "plot", "drawing plots") from None
    figure, ((one, two), (three, four)) = plt.subplots(2, 2, figsize=(11, 7))
    one.bar(range(len(found["lengths"])), found["lengths"])
    one.set(xlabel="words (60 and more together)", ylabel="sentences", title="Sentence lengths")
    kinds = {"punctuation": found["fragments"], **found["markup"]}
    for number, (kind, table) in enumerate(kinds.items()):
        at = np.arange(len(NAMES)) + (number - (len(kinds) - 1) / 2) * 0.8 / len(kinds)
        two.bar(at, [table["satisfied"][n] for n in NAMES], 0.8 / len(kinds), label=kind)
    two.set_xticks(range(len(NAMES)), NAMES)
    two.set(ylabel="per cent of fragments", ylim=(0, 100), title="Constraints satisfied")
    if len(kinds) > 1:
        two.legend()
    predictors = found["stop_predictors"]
    three.barh([r["predictor"] for r in predictors], [r["r2"] for r in predictors])
    three.invert_yaxis()
    three.set(xlabel="adjusted R²", title="What predicts a stop")
    places, rows = found["boundary_words"]["places"], found["boundary_words"]["tags"]
    image = four.imshow([row[1:] for row in rows], aspect="auto", cmap="Greys")
    four.set_xticks(range(len(places)), places, rotation=30, ha="right", fontsize=7)
    four.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=7)
    four.set(title="Tags at boundaries, per cent")
    figure.colorbar(image, ax=four)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


NAMES = ("strict", "loose", "sprawl", "tear", "thread")
#: Kinds of inline elements, and the tags of each.
KINDS = {"links": ("a",), "bold": ("b", "strong"), "italics": ("i", "em", "cite")}

Spans = list[list[tuple[int, int]]]


def percent(part: float, whole: float) -> float:
    """A share in per cent."""
    return round(100.0 * part / whole, 2) if whole else float("nan")


def most(counter: Counter[str], top: int) -> list[tuple[str, int, float]]:
    """The most frequent, with their shares in per cent."""
    total = sum(counter.values())
    return [(name, n, percent(n, total)) for name, n in counter.most_common(top)]


def runs(words: Corpus) -> Spans:
    """The runs of words between marks, by sentence; none where there is only one."""
    s = words.sentences
    found = [fragments_of(s.fragments[a:b]) for a, b in pairwise(s.starts.tolist())]
    return [fragments if len(fragments) > 1 else [] for fragments in found]


def elements(documents: Sequence[Document], words: Corpus) -> dict[str, Spans]:
    """The words of inline elements, by kind (`mark-up` has all) and sentence, each span once.

    An element counts if it lies in one sentence and is not the whole of it.
    """
    s = words.sentences
    found: dict[str, Spans] = {k: [[] for _ in range(len(words))] for k in ("mark-up", *KINDS)}
    owner = s.owner
    for number, doc in enumerate(documents):
        mine = np.flatnonzero(words.document == number)
        if not len(doc.markup_start) or not len(mine):
            continue
        token = doc.word_token[words.index[mine]]
        starts, ends = doc.token_start[token], doc.token_end[token]
        labels = doc.strings.take(doc.markup_label)
        for a, b, label in zip(
            doc.markup_start.tolist(), doc.markup_end.tolist(), labels, strict=True
        ):
            inside = mine[(starts >= a) & (ends <= b)]
            if not len(inside) or owner[inside[0]] != owner[inside[-1]]:
                continue
            sentence = int(owner[inside[0]])
            if len(inside) == s.lengths[sentence]:
                continue
            first = int(s.starts[sentence])
            span = int(inside[0]) - first, int(inside[-1]) - first
            for kind, known in found.items():
                fits = kind == "mark-up" or label in KINDS[kind]
                if fits and span not in known[sentence]:
                    known[sentence].append(span)
    return found


def judge(words: Corpus, heads: Ints, found: Spans, top: int = 20) -> dict[str, Any]:
    """How spans lie in trees: constraints satisfied, single heads, the most frequent ones.

    In `headed`, the words of spans with one head are tags, and the head has a star.
    """
    s = words.sentences
    satisfied, printed = dict.fromkeys(NAMES, 0), dict.fromkeys(NAMES, 0)
    tags: Counter[str] = Counter()
    headed: Counter[str] = Counter()
    total = multi = 0
    for sentence, fragments in enumerate(found):
        if not fragments:
            continue
        a, b = int(s.starts[sentence]), int(s.starts[sentence + 1])
        tree = heads[a:b]
        reach = spans(tree)
        for x, y in fragments:
            total += 1
            names = [words.names[c] for c in s.classes[a + x : a + y + 1]]
            tags[" ".join(names)] += 1
            outside = [i for i in range(x, y + 1) if not x <= tree[i] <= y]
            if len(outside) == 1:
                names[outside[0] - x] += "*"
                headed[" ".join(names)] += 1
            if x < y:
                multi += 1
                for name in NAMES:
                    satisfied[name] += holds(tree, x, y, name, reach=reach)
                    printed[name] += holds(tree, x, y, name, literal=True, reach=reach)
    return {
        "count": total,
        "of_several_words": multi,
        "with_one_head": sum(headed.values()),
        "satisfied": {name: percent(satisfied[name], multi) for name in NAMES},
        "satisfied_literally": {name: percent(printed[name], multi) for name in NAMES},
        "tag_sequences": most(tags, top),
        "headed": most(headed, top),
    }


def constituents(
    documents: Sequence[Document], words: Corpus, found: Spans, top: int = 20
) -> dict[str, Any] | None:
    """How often spans are phrases, marks left out; None where no document has phrases.

    `labels` are those of the phrases that spans coincide with (the highest of several over the same
    words), `dominating` those of the lowest phrases that hold a span.
    """
    phrases = _phrases(documents, words)
    if not any(phrases):
        return None
    labels: Counter[str] = Counter()
    above: Counter[str] = Counter()
    total = multi = same = same_multi = 0
    for fragments, known in zip(found, phrases, strict=True):
        for x, y in fragments:
            total += 1
            multi += x < y
            # in order of size, so that the first that holds the span is the lowest
            holding = [(a, b, label) for a, b, label in known if a <= x and y <= b]
            if holding:
                above[holding[0][2]] += 1
            exact = [label for a, b, label in holding if (a, b) == (x, y)]
            if exact:
                same += 1
                same_multi += x < y
                labels[exact[-1]] += 1
    return {
        "coincide": percent(same, total),
        "of_several_words_coincide": percent(same_multi, multi),
        "labels": most(labels, top),
        "dominating": most(above, top),
    }


def _phrases(documents: Sequence[Document], words: Corpus) -> list[list[tuple[int, int, str]]]:
    """By sentence: first and last word and label of each phrase, small ones first."""
    s = words.sentences
    found: list[list[tuple[int, int, str]]] = [[] for _ in range(len(words))]
    owner = s.owner
    for number, doc in enumerate(documents):
        mine = np.flatnonzero(words.document == number)
        if not len(doc.node_label) or not len(mine):
            continue
        place = np.full(doc.n_words, -1, dtype=np.int64)
        place[words.index[mine]] = mine
        labels = doc.strings.take(doc.node_label)
        low = np.full(len(labels), s.n_words, dtype=np.int64)
        high = np.full(len(labels), -1, dtype=np.int64)
        for node in range(len(labels) - 1, -1, -1):
            leaf, parent = int(doc.node_leaf[node]), int(doc.node_parent[node])
            if leaf >= 0 and place[leaf] >= 0:
                low[node] = high[node] = place[leaf]
            elif leaf == -1 and high[node] >= 0 and labels[node]:
                sentence = int(owner[low[node]])
                first = int(s.starts[sentence])
                bare = labels[node].split("-")[0].split("=")[0] or labels[node]
                found[sentence].append((int(low[node]) - first, int(high[node]) - first, bare))
            if parent >= 0 and high[node] >= 0:
                low[parent] = min(low[parent], low[node])
                high[parent] = max(high[parent], high[node])
    # preorder backwards put inner phrases first; a stable sort keeps that among equals
    return [sorted(known, key=lambda p: p[1] - p[0]) for known in found]
