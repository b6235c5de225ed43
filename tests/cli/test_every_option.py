"""An option is obeyed or refused, never lost: all commands, all options, by the table beside."""

from __future__ import annotations

import concurrent.futures
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np
import pytest

from caesura import cli, formats, transform
from caesura.cli import cli as root
from caesura.models.file import load, save
from tests.cli.every_option import REFUSED, SHOWN, TOGETHER, Show
from tests.pipeline.tiny import EXAMPLES, treebank


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """All commands by the words that call them; a group is one, too."""
    yield " ".join(path), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from commands(found, (*path, name))


def options() -> list[tuple[str, str]]:
    return [
        (name, str(parameter.name))
        for name, command in commands(root)
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name != "version"
    ]


def test_every_option_has_a_row_and_every_row_an_option() -> None:
    rows = {(command, option) for command, rows in SHOWN.items() for option in rows}
    assert set(options()) - rows == set(), "options that nobody has shown to be obeyed"
    assert rows - set(options()) == set(), "rows of options that are no more"


def test_every_row_gives_its_option() -> None:
    found = dict(commands(root))
    for command, rows in SHOWN.items():
        spelled = {str(p.name): {*p.opts, *p.secondary_opts} for p in found[command].params}
        for option, show in rows.items():
            assert set(shlex.split(show.extra)) & spelled[option], (command, option)


# ------------------------------------------------------------------------------- what is read

SOLID = """\
1\tsun\tsun\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tset\tset\tVERB\tVBD\t_\t0\troot\t_\t_
3\t!\t!\tPUNCT\t.\t_\t2\tpunct\t_\tSpaceAfter=No

1\tmoon\tmoon\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\trose\trise\tVERB\tVBD\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
#: Tokens, sentences, tags, lemmas and heads that no model would give.
GIVEN = """\
# newdoc id = given
1\tThe\tzzz\tX\tXX\t_\t4\todd\t_\t_
2\thar\tzzz\tX\tXX\t_\t1\todd\t_\tSpaceAfter=No
3\tbour\tzzz\tX\tXX\t_\t2\todd\t_\t_
4\twakes\tzzz\tX\tXX\t_\t0\troot\t_\t_

1\tbefore\tzzz\tX\tXX\t_\t3\todd\t_\t_
2\tthe\tzzz\tX\tXX\t_\t1\todd\t_\t_
3\ttown\tzzz\tX\tXX\t_\t0\troot\t_\tSpaceAfter=No
4\t.\tzzz\tX\tXX\t_\t3\todd\t_\t_

"""
CROSSING = """\
1\ta\ta\tX\tX\t_\t3\tdep\t_\t_
2\tb\tb\tX\tX\t_\t4\tdep\t_\t_
3\tc\tc\tX\tX\t_\t4\tdep\t_\t_
4\td\td\tX\tX\t_\t0\troot\t_\t_

"""
TWO_ROOTS = "1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n2\tnow\tnow\tADV\tRB\t_\t0\troot\t_\t_\n\n"
#: A comment that does not fit its words, which every reader tells of.
WARNED = f"# text = stay here\n{TWO_ROOTS}"
#: Two who say a word each.
SPOKEN = """\
1\tand\t_\t_\t_\t_\t_\t_\t_\tNewTurn=Yes|Speaker=Anna
2\tor\t_\t_\t_\t_\t_\t_\t_\tNewTurn=Yes|Speaker=Ben

"""
#: Two speakers and their times in JSON with custom field names.
NAMED = """\
[{"said": "We went home", "who": "Anna", "from": 0.0, "to": 1.0},
 {"said": "so did we", "who": "Ben", "from": 1.5, "to": 2.5}]
"""
TOML = {
    "pipeline": "[pipeline]\nfolds = 3\n",
    "tokenizer": "[tokenizer]\nbits = 12\n",
    "tagger": "[tagger]\ncutoff = 1\n[parser]\nchunk = 1\n",
    "parser": "chunk = 1\n",
    "induce": "limit = 6\n",
    "silent": "speech = false\n",
    "mixed": "epochs = 2\n[parser]\nchunk = 1\n",
}


def altered(every: int) -> list[Any]:
    """The treebank with some wrong tags, labels and heads."""
    docs = treebank()
    for doc in docs:
        upos, deprel = doc.column("upos"), doc.column("deprel")
        doc.set_column("upos", ["X" if k % every == 1 else tag for k, tag in enumerate(upos)])
        doc.set_column(
            "deprel",
            [
                f"{label}:odd" if k % every == 2 else "dep" if k % every == 3 else label
                for k, label in enumerate(deprel)
            ],
        )
        first = int(np.flatnonzero(doc.head == -1)[0])
        leaves = [k for k in range(doc.n_words) if k not in doc.head and k < doc.n_words]
        starts = np.flatnonzero(doc.word_sent_start == 1)
        own = [k for k in leaves if k < (starts[1] if len(starts) > 1 else doc.n_words)]
        for k in own[:: max(1, every - 4)]:
            if k != first:
                doc.head[k] = first
    return docs


@pytest.fixture(scope="module")
def files(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the words in braces stand for."""
    folder = tmp_path_factory.mktemp("options")
    text = (EXAMPLES / "harbour.txt").read_text(encoding="utf-8")
    small = (EXAMPLES / "harbour.conllu").read_text(encoding="utf-8")
    made: dict[str, str | bytes] = {
        "small": small,
        "docs": small,
        "labels": small,
        "solid": SOLID,
        "given": GIVEN,
        "crossing": CROSSING,
        "odd": small + TWO_ROOTS,
        "warned": small + WARNED,
        "bad": small + TWO_ROOTS.replace("\t0\troot", "\t9\troot"),
        "text": text,
        "docs.txt": text,
        "raw": text.replace("harbour", "h."),
        "lines": "one line\nanother line\nno end of lines\n",
        "chat": "anna: and\nben: or\nanna: but\nben: so\n",
        "spoken": SPOKEN,
        "flow": text.lower().replace(".", "").replace(",", "") * 3,
        "latin": "Ein sch\u00f6ner Morgen f\u00fcr B\u00e4cker.\n".encode("latin-1"),
        "latin.conllu": (small + TWO_ROOTS.replace("now", "l\u00e0")).encode("latin-1"),
        "gold.mrg": "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))\n",
        "system.mrg": "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps) (. .)))\n",
        "rules.prm": "DELETE_LABEL NP\n",
        "named": NAMED,
        "subjects": "It he she went .\n",
        "token.txt": "a-token-of-a-file\n",
        "big": b"\0" * (2 << 20),
    }
    made |= {f"{name}.toml": content for name, content in TOML.items()}
    endings = {
        "text": ".txt",
        "lines": ".txt",
        "subjects": ".txt",
        "named": ".json",
        "chat": ".txt",
        "flow": ".txt",
        "raw": ".txt",
        "latin": ".txt",
        "big": ".caesura",
    }
    found: dict[str, str] = {"html": str(EXAMPLES / "island.html"), "tiny": str(tiny_model)}
    found["talk"] = str(EXAMPLES / "interview.transcript")
    for name, content in made.items():
        path = folder / (name if "." in name else name + endings.get(name, ".conllu"))
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found[name] = str(path)
    found["flat"] = str(folder / "flat.conllu")
    formats.write([transform.drop(doc, ("head", "deprel")) for doc in treebank()], found["flat"])
    for name, every in (("system", 7), ("worse", 5)):
        found[name] = str(folder / f"{name}.conllu")
        formats.write(altered(every), found[name])
    return found | _models(folder, found)


def _models(folder: Path, found: dict[str, str]) -> dict[str, str]:
    small, made = found["small"], {}
    train = {
        "grammar": "induce {} --classes 6 --recipe fixed --model dmv",
        "labeller": "train tagger {} --epochs 1 --boundaries",
        "gold": "train parser {} --epochs 1 --beam 2 --set bits=12 --recipe gold",
        "reparsed": "train parser {} --epochs 1 --beam 2 --set bits=12 --recipe joint-reparsed",
        "branching": "train parser {0} --dev {0} --system branching --set bits=12 --set rounds=[1]",
        "classes": "cluster {} -k 5 --min-count 1",
    }
    for name, call in train.items():
        made[name] = str(folder / f"{name}.caesura")
        assert cli.run([*shlex.split(call.format(small)), "-q", "-o", made[name]]) == 0, name
    made["tokenizer"] = str(folder / "tokenizer.caesura")
    save(made["tokenizer"], {"tokenizer": load(found["tiny"]).parts["tokenizer"]})
    return made


# ------------------------------------------------------------------------------ what is observed


@dataclass
class Seen:
    """What a call did: what it printed, wrote, and asked for inside."""

    status: int = 0
    out: bytes = b""
    err: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    inside: list[str] = field(default_factory=list)


class Caller:
    """Calls commands, each in a folder of its own, and says what came of it."""

    def __init__(
        self, files: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.files, self.folder, self.patch = files, folder, monkeypatch
        self.number = 0
        self.inside: list[str] = []
        self._watch()

    def __call__(self, call: str, capture: Any, before: str = "", left: str = "") -> Seen:
        self.number += 1
        here = self.folder / str(self.number)
        here.mkdir()
        self.patch.chdir(here)
        self.patch.setattr("caesura.models.store.model_folder", lambda: here / "home")
        if left:
            (here / left).parent.mkdir(exist_ok=True)
            (here / left).write_bytes(b"interrupted")
        if before:
            assert cli.run(self._words(before)) == 0
        capture.readouterr()
        self.inside.clear()
        status = cli.run(self._words(call))
        out, err = capture.readouterr()
        told = re.sub(r"[\d.,]+", "#", err.decode().replace(str(here), ""))
        return Seen(
            status,
            out.replace(str(here).encode(), b""),
            told,
            {
                str(path.relative_to(here)): path.read_bytes()
                for path in sorted(here.rglob("*"))
                if path.is_file()
            },
            sorted(self.inside),
        )

    def _words(self, call: str) -> list[str]:
        return shlex.split(re.sub(r"\{([\w.]+)\}", lambda word: self.files[word[1]], call))

    def _watch(self) -> None:
        """Note what options ask for that shows in no output."""
        from caesura.learn.loop import Loop
        from caesura.pipeline.run import Local

        inside, patch = self.inside, self.patch
        pool = concurrent.futures.ThreadPoolExecutor.__init__
        start, loop = Local.__init__, Loop.__init__

        def new_pool(own: Any, max_workers: Any = None, *args: Any, **more: Any) -> None:
            inside.append(f"{max_workers} threads")
            pool(own, max_workers, *args, **more)

        def new_local(own: Any, nlp: Any, threads: int = 1) -> None:
            parsers = [getattr(stage, "parser", stage) for stage in nlp.stages]
            inside.append(f"search {[getattr(p, 'search', None) for p in parsers]} {threads}")
            start(own, nlp, threads)

        def new_loop(own: Any, *args: Any, **more: Any) -> None:
            inside.append(f"loop {more.get('patience')} {more.get('resume')}")
            loop(own, *args, **more)

        patch.setattr(concurrent.futures.ThreadPoolExecutor, "__init__", new_pool)
        patch.setattr(Local, "__init__", new_local)
        patch.setattr(Loop, "__init__", new_loop)
        patch.setattr("caesura.pipeline.ray.Ray", self._cluster)
        patch.setattr("caesura.serve.server.serve", self._serve)
        # A clock would make two calls differ; the first run ever always tells something.
        patch.setattr("caesura.cli.progress.PATIENCE", float("inf"))
        patch.setattr("click.launch", lambda address: inside.append(f"opened {address}"))
        patch.setattr("caesura.learn.pipeline.PipelineTrainer", self._trainer)
        patch.setattr("caesura.learn.pipeline.train_neural", self._network)
        patch.setattr("caesura.learn.pipeline.train_from", self._network)
        patch.setattr("caesura.learn.pipeline.check_encoder", lambda *given: None)

    def _cluster(self, model: Path, **options: Any) -> Any:
        from caesura.models.store import load_model
        from caesura.pipeline.loading import choose
        from caesura.pipeline.run import Local

        self.inside.append(f"cluster {options}")
        return Local(choose(load_model(model), **options))

    def _serve(self, models: Any, options: Any, *, log: Any, ready: Any) -> None:
        secret = options.token  # which it does not show by itself
        what = f"{options} {secret} {log is None}"
        self.inside.append(f"serve {sorted(models.paths)} {models.languages} {what}")
        ready("http://here/")

    def _trainer(self, train: Any, dev: Any, options: Any, **more: Any) -> Any:
        from caesura.learn.stages import check_init

        texts = [doc.text for doc in (*train, *dev)]
        init = more.pop("init", None)
        if init is not None:
            check_init(init)
        more.pop("report"), more.pop("folder")
        self.inside.append(f"train {texts} {len(dev)} {options} {init and init.path} {more}")
        parts = load(self.files["tiny"]).parts
        return SimpleNamespace(run=lambda: parts, left_out=["a part"], finish=lambda: None)

    def _network(self, train: Any, dev: Any, encoder: str, options: Any, **more: Any) -> Any:
        trainer = self._trainer(train, dev, options, **more)
        self.inside.append(f"network {encoder}")
        return trainer.run(), trainer


@pytest.fixture(scope="module")
def caller(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    with pytest.MonkeyPatch.context() as patch:
        here = os.getcwd()
        yield Caller(files, tmp_path_factory.mktemp("calls"), patch)
        os.chdir(here)


_known: dict[tuple[str, str, str], Seen] = {}


@pytest.mark.parametrize(("command", "option"), options())
def test_options_are_obeyed(
    command: str, option: str, caller: Caller, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    _obeyed(SHOWN[command][option], caller, capfdbinary)


@pytest.mark.parametrize("show", TOGETHER, ids=[f"{show.call} {show.extra}" for show in TOGETHER])
def test_options_are_obeyed_together(
    show: Show, caller: Caller, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    _obeyed(show, caller, capfdbinary)


def _obeyed(show: Show, caller: Caller, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    key = (show.call, show.before, show.left)
    if key not in _known:
        once, again = (caller(show.call, capfdbinary, *key[1:]) for _ in range(2))
        assert once == again, "it does not do the same twice, so that nothing could be told"
        _known[key] = once
    found = caller(f"{show.call} {show.extra}", capfdbinary, *key[1:])
    assert found.status == show.status, found.err
    assert found != _known[key], f"{show.extra} changes nothing in: caesura {show.call}"


@pytest.mark.parametrize(("call", "told"), REFUSED, ids=[call for call, _ in REFUSED])
def test_what_cannot_be_obeyed_is_refused(
    call: str, told: str, caller: Caller, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    found = caller(call, capfdbinary)
    assert found.status == 2, found.err
    assert re.sub(r"[\d.,]+", "#", told) in found.err
    assert found.err.count("\n") <= 4, "one sentence"
    assert not found.out
