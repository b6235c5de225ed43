"""Build models from nothing: a teacher, what it says of raw text, and students, stage by stage.

    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ tokeniser
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ teacher
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ labels
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ students
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ export
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ linear
    python benchmarks/build_models.py --plan benchmarks/models.toml --work build/ all

The plan names all inputs, each with its SHA-256, and the options of every network; an input with
another checksum is refused. Its table `made` says what is made beside them: `plain` documents of
plain sentences (plain_english.py), the share of the raw documents that is `relaid`, and the seed.
Stages may run on different machines that share the folder `--work` or are given copies of it: what
a stage needs of another is a file in it. A stage that was done is passed over, and one that was
interrupted goes on where it stopped, with the same result.

`tokeniser` writes tokenizer.caesura; `teacher` trains one network a seed (PyTorch, a GPU) and
writes teacher-SEED.weights; `labels` lets them label the raw text together (`--device cuda`) into
silver/; `students` trains the networks of the plan on gold and silver and writes NAME.weights;
`export` makes NAME.caesura of each, in the bits that the plan says, with its dev scores as a float
and as exported on the card; `linear` trains the linear student. `--only NAME` does one of several.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from caesura import formats
from caesura.document import Document
from caesura.errors import CaesuraError, InputError, UsageError
from caesura.learn.fingerprint import file_digest
from caesura.models.file import Part, save
from caesura.models.store import digest, load_model
from caesura.neural.settings import SearchSettings
from caesura.pipeline.confidence import META
from caesura.train import Lessons, NeuralOptions, PipelineOptions, PipelineTrainer, Report
from caesura.train.config import configure
from caesura.train.data import transcripts
from caesura.train.evaluation import dev_confidences, dev_scores
from caesura.train.pipeline import language_of, model_card
from caesura.train.silver import Silver, label, load_silver
from caesura.train.teachers import Teachers
from caesura.train.weights import Weights

STAGES = ("tokeniser", "teacher", "labels", "students", "export", "linear")


@dataclass(frozen=True)
class Input:
    """A file that is read, and its checksum."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Network:
    """A network of the plan: what it is trained over and how, and how it is exported."""

    name: str
    encoder: str
    #: The checksum of the encoder's weights; none for `scratch`.
    sha256: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    #: Products that are exact, and bits of the embeddings: see `neural.export`.
    exact: tuple[str, ...] = ()
    embedding_bits: int = 8
    licence: str = ""
    about: str = ""


@dataclass(frozen=True)
class Plan:
    """Everything that decides what is built."""

    folder: Path
    train: Input
    dev: Input
    text: tuple[Input, ...]
    not_in: tuple[Input, ...]
    teacher: Network
    seeds: tuple[int, ...]
    students: tuple[Network, ...]
    linear: dict[str, Any]
    #: Share of the raw documents that get other lines, documents of plain sentences that are added.
    relaid: float = 0.0
    plain: int = 0
    seed: int = 0

    def path(self, name: str) -> Path:
        """A file that the plan names, from where the plan is."""
        return self.folder / name

    def read(self, given: Input) -> list[Document]:
        return [doc for doc in formats.read(self.checked(given)) if doc.n_words]

    def checked(self, given: Input) -> str:
        """The path of an input that is what the plan says."""
        path = self.path(given.path)
        if not path.is_file():
            raise InputError("there is no such file", file=str(path), remedy="See the plan.")
        found = file_digest(path)
        if found != given.sha256:
            raise InputError(
                f"its SHA-256 is {found}, not {given.sha256}",
                file=str(path),
                remedy="Take the file that the plan names, or change the plan.",
            )
        return str(path)

    def encoder(self, network: Network) -> str:
        """The folder of a network's encoder, whose weights are what the plan says."""
        if network.encoder == "scratch":
            return network.encoder
        folder = Path(network.encoder)
        self.checked(Input(str(folder / "model.safetensors"), network.sha256))
        return str(self.path(network.encoder))


def read_plan(path: Path) -> Plan:
    """The plan of a TOML file."""
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
        return Plan(
            path.resolve().parent,
            Input(**said["train"]),
            Input(**said["dev"]),
            tuple(Input(**one) for one in said.get("text", [])),
            tuple(Input(**one) for one in said.get("not_in", [])),
            _network("teacher", {k: v for k, v in said["teacher"].items() if k != "seeds"}),
            tuple(said["teacher"].get("seeds", (1,))),
            tuple(_network(name, one) for name, one in said.get("students", {}).items()),
            said.get("linear", {}),
            **said.get("made", {}),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise InputError(f"is no plan ({error})", file=str(path), remedy="See --help.") from None


def _network(name: str, said: dict[str, Any]) -> Network:
    return Network(name=name, **{**said, "exact": tuple(said.get("exact", ()))})


class Told(Report):
    """Tells on stderr of epochs and of what is passed over."""

    def __init__(self) -> None:
        self.clock = time.perf_counter()

    def __call__(self, stage: str, event: Any) -> None:
        if isinstance(event, str):
            self.say(f"{stage}: {event}")
        elif event.kind == "epoch":
            scores = " ".join(f"{name} {value:.2f}" for name, value in event.scores.items())
            self.say(f"{stage}: epoch {event.epoch} of {event.epochs} {scores}")

    def say(self, line: str) -> None:
        print(f"{time.perf_counter() - self.clock:7.0f} s  {line}", file=sys.stderr, flush=True)


class Build:
    """The stages of a plan, in a folder."""

    def __init__(
        self, plan: Plan, work: Path, *, device: str = "auto", report: Report | None = None
    ) -> None:
        self.plan, self.work, self.device = plan, work, device
        self.report = report or Told()
        work.mkdir(parents=True, exist_ok=True)

    # ------------------------------------------------------------------- stages

    def tokeniser(self, only: str | None = None) -> None:
        """The tokeniser that teachers and students share."""
        path = self.work / "tokenizer.caesura"
        if self._is_done(path):
            return
        train, dev = self._gold()
        options = configure(PipelineOptions(), flags=_flat(self._linear()))
        trainer = self._trainer(train, dev, options, "tokenizer")
        save(path, {"tokenizer": trainer.stage("tokenizer")})
        trainer.finish()

    def teacher(self, only: str | None = None) -> None:
        """A network for each seed, on gold alone."""
        for seed in self.plan.seeds:
            self._train(replace(self.plan.teacher, name=f"teacher-{seed}"), seed, None, only)

    def labels(self, only: str | None = None) -> None:
        """What the teachers say together of the raw text."""
        plan = self.plan
        teachers = [self._assembled(f"teacher-{seed}", plan.teacher) for seed in plan.seeds]
        lessons = Lessons(
            self.work / "silver",
            self._texts(),
            [str(path) for path in teachers],
            [plan.checked(one) for one in plan.not_in],
        )
        train, dev = self._gold()
        options = self._options(plan.teacher, 1).silver
        said = language_of(train).get("language")
        label(
            lessons, [*dev, *train], {"dev": dev}, options, self.report, said,
            teachers=self._on_device(lessons.teachers),
        )  # fmt: skip

    def students(self, only: str | None = None) -> None:
        """The networks of the plan, on gold and silver."""
        silver = self._silver()
        for network in self.plan.students:
            self._train(network, 1, silver, only)

    def export(self, only: str | None = None) -> None:
        """Model files of the students, with what the export costs on their cards."""
        for network in self.plan.students:
            path = self.work / f"{network.name}.caesura"
            if only in (None, network.name) and not self._is_done(path):
                plain = self._assembled(network.name, network)
                self._write(path, self._parts(network.name, network), network, plain)

    def linear(self, only: str | None = None) -> None:
        """The linear student."""
        name = str(self.plan.linear.get("name", "linear"))
        path = self.work / f"{name}.caesura"
        if self._is_done(path):
            return
        train, dev = self._gold()
        silver = self._silver()
        options = configure(PipelineOptions(), flags=_flat(self._linear()))
        trainer = self._trainer(train, dev, options, name, silver.docs)
        parts = trainer.run()
        about = Network(name, "", licence=str(self.plan.linear.get("licence", "")))
        self._write(path, parts, about, None)
        trainer.finish()

    # ---------------------------------------------------------------- their work

    def _gold(self) -> tuple[list[Document], list[Document]]:
        return self.plan.read(self.plan.train), self.plan.read(self.plan.dev)

    def _texts(self) -> list[str]:
        """The raw texts of the plan, laid out as it says, and plain sentences."""
        from build_texts import plain_text, relaid_text

        plan = self.plan
        texts = [plan.checked(one) for one in plan.text]
        if plan.relaid:
            path = self.work / "relaid.txt"
            texts = [str(relaid_text(texts, path, plan.relaid, plan.seed))]
        if plan.plain:
            texts.append(str(plain_text(self.work / "plain.txt", plan.plain, plan.seed)))
        return texts

    def _silver(self) -> Silver:
        """What the teachers said, but of plain sentences whose roots they did not find."""
        from build_texts import learned_roots

        silver = load_silver(self.work / "silver")
        return learned_roots(silver, self.plan.plain, self.plan.seed) if self.plan.plain else silver

    def _linear(self) -> dict[str, Any]:
        return {k: v for k, v in self.plan.linear.items() if k not in ("name", "licence")}

    def _options(self, network: Network, seed: int) -> NeuralOptions:
        flags = _flat(network.options) | {"seed": seed, "device": self.device}
        flags |= {f"pipeline.{name}": value for name, value in _flat(self._linear()).items()}
        search = configure(SearchSettings(), flags=network.search)
        return replace(configure(NeuralOptions(), flags=flags), search=search)

    def _is_done(self, path: Path) -> bool:
        if path.exists():
            self.report.say(f"{path.name} was made before and is kept")
        return path.exists()

    def _trainer(
        self,
        train: Sequence[Document],
        dev: Sequence[Document],
        options: PipelineOptions,
        name: str,
        silver: Sequence[Document] = (),
    ) -> PipelineTrainer:
        folder = self.work / f"{name}.parts"
        return PipelineTrainer(
            train, dev, options, silver=silver, folder=folder, resume=True, report=self.report
        )

    def _train(self, network: Network, seed: int, silver: Silver | None, only: str | None) -> None:
        from caesura.train import train_neural

        path = self.work / f"{network.name}.weights"
        if only not in (None, network.name) or self._is_done(path):
            return
        train, dev = self._gold()
        _, trainer = train_neural(
            train,
            dev,
            self.plan.encoder(network),
            self._options(network, seed),
            silver=silver,
            folder=self.work / f"{network.name}.parts",
            resume=True,
            report=self.report,
            weights=path,
        )
        trainer.finish()

    def _parts(self, name: str, network: Network, *, plain: bool = False) -> dict[str, Part]:
        """The tokeniser, and the network exported."""
        from caesura.neural.export import ExportOptions
        from caesura.neural.scale import measure_scale

        _, dev = self._gold()
        options = ExportOptions(
            plain=plain,
            exact=frozenset(network.exact),
            embedding_bits=network.embedding_bits,
        )
        weights = Weights.load(self.work / f"{name}.weights")
        stage = weights.stage(configure(SearchSettings(), flags=network.search), options)
        if not plain:
            stage.scale = measure_scale(stage, [*dev, *transcripts(dev)])
        tokenizer = load_model(self.work / "tokenizer.caesura").part("tokenizer")
        return {"tokenizer": tokenizer, "neural": stage.to_part()}

    def _assembled(self, name: str, network: Network) -> Path:
        """The model of a network as it was trained, in floats."""
        path = self.work / f"{name}.float.caesura"
        if not path.exists():
            train, _ = self._gold()
            meta = {"name": name, **language_of(train)}
            save(path, self._parts(name, network, plain=True), meta=meta, kind="pipeline")
        return path

    def _on_device(self, models: Sequence[str]) -> Teachers:
        """The teachers, run by PyTorch where the plan's machine has a GPU for it."""
        teachers = Teachers(models)
        device = self.device
        if device == "auto":
            device = "cuda" if has_card() else "cpu"
        teachers.networks[:] = [one.with_options(device=device) for one in teachers.networks]
        return teachers

    def _write(
        self, path: Path, parts: dict[str, Part], network: Network, plain: Path | None
    ) -> None:
        """A model with its card: data, seeds, dev scores, and those of its float self."""
        train, dev = self._gold()
        about = load_silver(self.work / "silver").about
        meta: dict[str, Any] = {
            "name": network.name,
            "trained_on": [Path(self.plan.train.path).name],
            "data_sha256": [self.plan.train.sha256],
            "words": sum(doc.n_words for doc in train),
            "documents": len(train),
            "stages": sorted(parts),
            "left_out": [],
            "silver": {name: about[name] for name in ("teachers", "text", "documents", "words")},
            **language_of(train),
        }
        if network.licence:
            meta["licence"] = network.licence
        save(path, parts, meta=meta, kind="pipeline")
        scores = meta["scores"] = dev_scores(str(path), dev)
        meta[META] = dev_confidences(str(path), dev)
        shown = {"F1": scores}
        if plain is not None:
            shown["as floats"] = dev_scores(str(plain), dev)
            cost = shown["as floats"]["LAS"] - scores["LAS"]
            self.report.say(f"{network.name}: the export costs {cost:.2f} LAS on dev")
        card = model_card(network.name, meta, shown)
        card += f"\n{network.about}\n" if network.about else ""
        save(path, parts, meta=meta, card=card, kind="pipeline")
        self.report.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, SHA-256 {digest(path)}")


def has_card() -> bool:
    """Whether PyTorch is there and sees a card."""
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def _flat(options: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Options of options by their dotted names."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        inner = _flat(value, f"{before}{name}.") if isinstance(value, dict) else {}
        found |= inner or {f"{before}{name}": value}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stages", nargs="+", choices=[*STAGES, "all"])
    parser.add_argument("--plan", type=Path, required=True, metavar="FILE.toml")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", metavar="NAME", help="one of several networks")
    parser.add_argument("--device", default="auto", help="cpu, cuda, or auto: cuda if it is there")
    given = parser.parse_args()
    wanted = STAGES if "all" in given.stages else tuple(s for s in STAGES if s in given.stages)
    try:
        if not given.plan.is_file():
            raise UsageError("there is no such plan", file=str(given.plan))
        build = Build(read_plan(given.plan), given.work, device=given.device)
        for stage in wanted:
            getattr(build, stage)(given.only)
    except CaesuraError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
