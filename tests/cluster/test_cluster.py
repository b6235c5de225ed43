"""Word classes: both methods against their twins, the file, and the command."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from caesura import _core
from caesura.cli import run
from caesura.cluster import WordClasses, cluster, load_classes, save_classes
from caesura.cluster.clustering import brown, count_bigrams, exchange
from caesura.errors import FormatError, InputError, UsageError
from tests.reference import cluster as twin


def text(seed: int, sentences: int = 40) -> list[list[str]]:
    """Sentences of a toy grammar whose parts of speech show in the neighbours."""
    rng = random.Random(seed)
    nouns, verbs = ["dog", "cat", "cook", "king", "bird"], ["sees", "likes", "hears", "hits"]
    made = []
    for _ in range(sentences):
        made.append(["the", rng.choice(nouns), rng.choice(verbs), "a", rng.choice(nouns)])
        if rng.random() < 0.3:
            made[-1] += ["very", rng.choice(["often", "rarely"])]
    return made


def same_partition(left: list[int], right: list[int]) -> bool:
    pairs = set(zip(left, right, strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


@pytest.mark.parametrize("seed", range(4))
def test_exchange_equals_its_twin(seed: int) -> None:
    _, bigrams, _ = count_bigrams(text(seed), min_count=1)
    found = exchange(bigrams, 4, passes=5).tolist()
    assert found == twin.exchange(bigrams, 4, passes=5)


@pytest.mark.parametrize("seed", range(4))
def test_exchange_never_gets_worse(seed: int) -> None:
    _, bigrams, _ = count_bigrams(text(seed), min_count=1)
    values: list[float] = []
    classes = exchange(bigrams, 5, 10, lambda number, moved, value: values.append(value))
    assert values == sorted(values)
    assert values[-1] == pytest.approx(twin.objective(bigrams, classes.tolist()))


@pytest.mark.parametrize("seed", range(4))
def test_brown_equals_its_twin(seed: int) -> None:
    _, bigrams, _ = count_bigrams(text(seed), min_count=1)
    found, names = brown(bigrams, 4)
    assert same_partition(found.tolist(), twin.brown(bigrams, 4))
    assert len(names) == len(set(names)) == 4


def test_paths_form_a_tree() -> None:
    _, names = brown(count_bigrams(text(9), min_count=1)[1], 6)
    for name in names:
        assert not any(other != name and other.startswith(name) for other in names)
    assert sum(2.0 ** -len(name) for name in names) == 1.0


@pytest.mark.parametrize("method", ["exchange", "brown"])
def test_words_of_a_kind_share_a_class(method: str) -> None:
    classes = cluster(text(1, 400), 6, method=method, min_count=1)  # type: ignore[arg-type]
    assert len({classes[word] for word in ("dog", "cat", "cook", "king", "bird")}) == 1
    assert len({classes[word] for word in ("sees", "likes", "hears", "hits")}) == 1
    assert classes["dog"] != classes["sees"]


def test_rare_words_share_a_class() -> None:
    classes = cluster([*text(1), ["xylophone"], ["zither"]], 4, min_count=3)
    assert classes.names[classes["xylophone"]] == "rare"
    assert classes["xylophone"] == classes["zither"]
    assert classes.counts["zither"] == 1


def test_more_classes_than_words() -> None:
    for method in ("exchange", "brown"):
        classes = cluster([["a", "b"]], 50, method=method, min_count=1)  # type: ignore[arg-type]
        assert len(classes) == 2


def test_one_class() -> None:
    for method in ("exchange", "brown"):
        classes = cluster(text(2), 1, method=method, min_count=1)  # type: ignore[arg-type]
        assert len(set(classes.values())) == 1


def test_same_text_same_classes() -> None:
    assert dict(cluster(text(5), 4, min_count=1)) == dict(cluster(text(5), 4, min_count=1))


def test_no_words() -> None:
    with pytest.raises(InputError, match="no word"):
        cluster([])
    with pytest.raises(UsageError, match="1 or more"):
        cluster([["a"]], 0)


def test_counts_of_neighbours() -> None:
    words, bigrams, seen = count_bigrams([["a", "b", "a", "b"], ["b"]], min_count=1)
    assert seen == {"a": 2, "b": 3}
    assert words == ["<s>", "<rare>", "b", "a"]
    pairs = twin.word_pairs(bigrams)
    assert pairs == {(0, 3): 1, (3, 2): 2, (2, 3): 1, (2, 0): 2, (0, 2): 1}
    assert np.array_equal(bigrams.counts, [3, 0, 3, 2])


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("counts", lambda a: a[:-1], "must have neighbours"),
        ("counts", lambda a: a - 100, "counts has the value"),
        ("next_at", lambda a: a[::-1].copy(), "must rise"),
        ("next_word", lambda a: a + 100, "neighbours has the value"),
        ("last_word", lambda a: a - 1, "neighbours has the value"),
        ("last_count", lambda a: a[:-1], "must have a count"),
        ("last_count", lambda a: -a, "counts of neighbours has"),
    ],
)
def test_damaged_counts_are_refused(
    name: str, change: Callable[[NDArray[np.int64]], NDArray[np.int64]], reason: str
) -> None:
    _, bigrams, _ = count_bigrams(text(1), min_count=1)
    with pytest.raises(ValueError, match=reason):
        _core.Bigrams(*bigrams._replace(**{name: change(getattr(bigrams, name))}))


# ------------------------------------------------------------------- files


def test_classes_survive_their_file(tmp_path: Path) -> None:
    classes = cluster(text(3), 4, min_count=2)
    save_classes(classes, tmp_path / "c.classes")
    again = load_classes(tmp_path / "c.classes")
    assert {row[0]: row[1:] for row in again.rows()} == {row[0]: row[1:] for row in classes.rows()}


def test_looking_words_up() -> None:
    classes = WordClasses([("dog", "7", 3), ("Rome", "2", 1)])
    assert classes.of("dog") == classes.of("Dog") == 1
    assert classes.of("Rome") == 2
    assert classes.of("rome") == 0
    assert classes.names == ["", "7", "2"]


@pytest.mark.parametrize("line", ["alone", "\t3", "word\t", "a\tb\tc", "a\tb\t1\t2"])
def test_bad_lines(line: str, tmp_path: Path) -> None:
    path = tmp_path / "c.classes"
    path.write_text(f"good\t1\t1\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"c\.classes:2"):
        load_classes(path)


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_classes(tmp_path / "none")
    (tmp_path / "empty").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no word classes"):
        load_classes(tmp_path / "empty")
    (tmp_path / "latin").write_bytes(b"caf\xe9\t1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        load_classes(tmp_path / "latin")


# ----------------------------------------------------------------- command


@pytest.mark.parametrize("method", ["exchange", "brown"])
def test_the_command(method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.txt", tmp_path / "a.classes"
    lines = [" ".join(sentence) + "." for sentence in text(1)]
    source.write_text("\n".join(lines), encoding="utf-8")
    call = ["cluster", str(source), "-o", str(target), "-k", "4", "--min-count", "2", "--json"]
    assert run([*call, "--method", method, "--quiet"]) == 0
    report = json.loads(capsys.readouterr().out)
    classes = load_classes(target)
    assert report["types"] == len(classes)
    assert classes["dog"] == classes["cat"]


def test_the_command_on_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "a.txt"
    source.write_text("", encoding="utf-8")
    assert run(["cluster", str(source), "-o", str(tmp_path / "c")]) == 1
    assert "no word" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
