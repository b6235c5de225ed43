"""Models of small trainings, and what is made with them."""

from __future__ import annotations

from benchmarks.golden.calls import Named, into, trained, used
from benchmarks.golden.work import Work

_TOKENIZER = ("--epochs", "2", "--set", "bits=14")
_TAGGER = ("--epochs", "2")
_PARSER = ("--epochs", "2", "--set", "bits=12", "--beam", "4")
_PIPELINE = (
    "--set", "tokenizer.bits=14", "--set", "tokenizer.epochs=2", "--set", "tagger.epochs=2",
    "--set", "parser.bits=12", "--set", "parser.epochs=2", "--set", "folds=2",
)  # fmt: skip


def learning() -> Named:
    yield from _training()
    yield from _inducing()


def _training() -> Named:
    gold = ("gold.conllu", "--dev", "dev.conllu")
    parse = ("parse", "-q", "raw.txt")
    models: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "tokenizer": (("train", "tokenizer", *gold, *_TOKENIZER), ("tokenize", "-q", "raw.txt")),
        "tokenizer-joined": (
            ("train", "tokenizer", *gold, *_TOKENIZER, "--no-spaces"),
            ("tokenize", "-q", "raw.txt"),
        ),
        "tagger": (("train", "tagger", *gold, *_TAGGER), ("tag", "-q", "dev.conllu")),
        "tagger-boundaries": (
            ("train", "tagger", *gold, *_TAGGER, "--boundaries"),
            ("tag", "-q", "--regime", "document", "dev.conllu"),
        ),
        "tagger-speech": (
            ("train", "tagger", *gold, *_TAGGER, "--speech"),
            ("tag", "-q", "--confidence", "dev.conllu"),
        ),
        "branching": (
            ("train", "parser", *gold, "--system", "branching", "--set", "rounds=[1,1]",
             "--set", "bits=12"),
            ("parse", "-q", "--keep-tokens", "--keep-sentences", "--keep-tags", "dev.conllu"),
        ),
        "pipeline": (("train", "pipeline", *gold, *_PIPELINE), parse),
        "pipeline-speech": (
            ("train", "pipeline", *gold, *_PIPELINE, "--speech"),
            (*parse, "--confidence"),
        ),
    }  # fmt: skip
    for recipe in ("joint", "gold", "nosyntax", "joint-reparsed", "pipeline:nosyntax"):
        split = ("--keep-sentences",) if recipe == "gold" else ()
        models[f"parser-{recipe.replace(':', '-')}"] = (
            ("train", "parser", *gold, *_PARSER, "--recipe", recipe),
            ("parse", "-q", "--keep-tokens", "--keep-tags", *split, "dev.conllu"),
        )
    models["pipeline-default"] = (
        ("train", "pipeline", *gold, "--set", "tokenizer.epochs=2", "--set", "tagger.epochs=2",
         "--set", "parser.epochs=1", "--set", "folds=2"),
        parse,
    )  # fmt: skip
    models["parser-tuned"] = (
        ("train", "parser", *gold, *_PARSER, "--tune", "dev.conllu", "--dropout", "0.3",
         "--shards", "2"),
        ("parse", "-q", "--keep-tokens", "--keep-tags", "--confidence", "dev.conllu"),
    )  # fmt: skip
    models["parser-classes"] = (
        ("train", "parser", *gold, *_PARSER, "--classes", "words.classes"),
        ("parse", "-q", "--keep-tokens", "--keep-tags", "dev.conllu"),
    )
    models["tagger-classes"] = (
        ("train", "tagger", *gold, *_TAGGER, "--classes", "words.classes"),
        ("tag", "-q", "dev.conllu"),
    )
    for name, (arguments, command) in models.items():
        yield f"train/{name}", trained(f"{name}.caesura", *arguments)
        yield f"train/{name}/used", used(f"{name}.caesura", arguments, *command)
    yield (
        "train/jackknife",
        into("jack.conllu", "train", "tagger", "gold.conllu", "-q", "--jackknife", "3", *_TAGGER),
    )


def _inducing() -> Named:
    for method in ("exchange", "brown"):
        name = f"{method}.classes"
        yield f"cluster/{method}", into(
            name, "cluster", "-q", "written.txt", "shuffled.txt", "-k", "12", "--min-count", "2",
            "--method", method,
        )  # fmt: skip
    chosen = {
        "short-first": (),
        "curriculum": ("--classes", "xpos"),
        "standard": ("--model", "dmv"),
        "standard-dbm1": ("--model", "dbm1", "--recipe", "standard"),
        "fixed": ("--model", "evg"),
        "basic": ("--model", "dbm2", "--heads", "content"),
        "lexicalised": ("--classes", "upos"),
        "scaffold": ("--model", "dmv", "--constraints", "thread"),
        "constrained": ("--model", "dmv", "--recipe", "basic", "--constraints", "sprawl"),
        "loose": ("--model", "dbm3", "--recipe", "basic", "--constraints", "loose"),
        "standard-classes": ("--recipe", "standard", "--classes", "8", "--restarts", "2"),
        "content": ("--model", "dmv", "--recipe", "standard", "--heads", "content"),
    }
    for name, options in chosen.items():
        more = options if "--classes" in options else (*options, "--classes", "upos")
        more = more if "--recipe" in more else (*more, "--recipe", name)
        more = more if "--heads" in more else (*more, "--heads", "any")
        arguments = ("induce", "gold.conllu", *more)
        yield f"induce/{name}", trained(f"{name}.grammar", *arguments)
    arguments = ("induce", "gold.conllu", "--recipe", "standard", "--model", "dmv", "--classes",
                 "upos", "--heads", "any")  # fmt: skip
    command = ("parse", "-q", "--keep-tokens", "--keep-sentences", "--keep-tags", "dev.conllu")
    yield "induce/used", used("standard.grammar", arguments, *command)

    def shown(work: Work) -> bytes:
        work.model("standard.grammar", *arguments)
        return work.cli("inspect", "standard.grammar")

    yield "induce/shown", shown
