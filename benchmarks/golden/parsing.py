"""Texts in: `parse`, `split`, `tokenize` and `tag` with the bundled models."""

from __future__ import annotations

import json

from benchmarks.golden.calls import EXTENSIONS, INPUTS, MODELS, Entry, Named, cli, into
from benchmarks.golden.work import Work, packaged

KEEPS = ("tokens", "sentences", "tags", "lemmas", "heads")


def parsing() -> Named:
    yield from _parsing()
    yield from _long()
    yield from _keeping()
    yield from _stages()
    yield from _packages()
    yield from _unicode()


def _parsing() -> Named:
    options = {
        "plain": (),
        "narrow": ("--margin", "0.1"),
        "confidence": ("--confidence",),
        "k-best": ("--k-best", "3"),
        "newline": ("--newline-is-boundary",),
        "range": ("--token-range",),
    }
    for model in MODELS:
        parse = ("parse", "-q", "-m", model)
        for name, chosen in options.items():
            for text in INPUTS:
                if name == "k-best" and text != "turns.txt":
                    continue
                source = "tiny.txt" if name == "k-best" else text
                yield f"parse/{model}/{name}/{source[:-4]}", cli(*parse, *chosen, source)
        yield f"parse/{model}/stdin", cli(*parse, stdin="written.txt")
        yield (
            f"parse/{model}/narrow-confidence",
            cli(*parse, "--margin", "0.1", "--confidence", "spoken.txt"),
        )
        for threads in ("1", "2"):
            name = f"threads-{model}-{threads}/"
            yield (
                f"parse/{model}/folder-{threads}",
                into(name, *parse, "--threads", threads, "folder/"),
            )
            yield (
                f"parse/{model}/files-{threads}",
                cli(
                    *parse,
                    "--threads",
                    threads,
                    "written.txt",
                    "empty.txt",
                    "tiny.txt",
                    "blank.txt",
                ),
            )
        for source in ("talk.transcript", "island.html", "empty.txt", "blank.txt"):
            yield f"parse/{model}/{source.replace('.', '-')}", cli(*parse, source)
        for to in ("conllu", "jsonl", "spans", "tokens", "conllx", "brat"):
            name = f"to-{model}-{to}.{EXTENSIONS.get(to, to)}"
            yield f"parse/{model}/to/{to}", into(name, *parse, "--to", to, "written.txt")
        yield (
            f"parse/{model}/jsonl-confidence",
            cli(*parse, "--confidence", "--to", "jsonl", "turns.txt"),
        )
        for name, value in (("beam", "2"), ("bias", "0.5"), ("bias", "-0.5")):
            for text in ("written.txt", "spoken.txt"):
                yield (
                    f"parse/{model}/{name}={value}/{text[:-4]}",
                    cli(*parse, f"--{name}", value, text),
                )
        for text in INPUTS:
            split = ("split", "-q", "-m", model, "--offsets", text)
            yield f"split/{model}/offsets/{text[:-4]}", cli(*split)
            yield f"split/{model}/quick/{text[:-4]}", cli(*split, "--quick")
        yield f"split/{model}/plain", cli("split", "-q", "-m", model, "turns.txt")
        yield f"split/{model}/json", cli("split", "-q", "-m", model, "--json", "written.txt")
        yield (
            f"split/{model}/newline",
            cli("split", "-q", "-m", model, "--newline-is-boundary", "--bias", "0.3", "turns.txt"),
        )


def _long() -> Named:
    """Longer than every buffer."""
    parse = ("parse", "-q", "-m", "en-fast")
    for text in ("long-written.txt", "long-spoken.txt"):
        yield f"long/en-fast/plain/{text[5:-4]}", cli(*parse, text)
        yield f"long/en-fast/stdin/{text[5:-4]}", cli(*parse, stdin=text)
        yield (
            f"long/en-fast/confidence/{text[5:-4]}",
            cli(*parse, "--confidence", "--to", "jsonl", text),
        )
    yield "long/en-fast/newline/turns", cli(*parse, "--newline-is-boundary", "long-turns.txt")
    yield (
        "long/en-fast/threads-2",
        cli(*parse, "--threads", "2", "long-written.txt", "long-turns.txt"),
    )
    yield "long/en-fast/split", cli("split", "-q", "-m", "en-fast", "--offsets", "long-turns.txt")
    for text in ("neural-written.txt", "neural-spoken.txt"):
        neural = ("parse", "-q", "-m", "en")
        yield f"long/en/plain/{text[7:-4]}", cli(*neural, text)
        yield (
            f"long/en/stdin/{text[7:-4]}",
            cli(*neural, "--confidence", stdin=text),
        )


def kept(model: str, *options: str) -> Entry:
    """What a model makes of the other's analysis: what is kept is not what it would find."""

    def entry(work: Work) -> bytes:
        other = MODELS[1 - MODELS.index(model)]
        return work.cli("parse", "-q", "-m", model, *options, f"kept-{other}.conllu")

    return entry


def _keeping() -> Named:
    for model in MODELS:
        for what in KEEPS:
            yield f"keep/{model}/{what}", kept(model, f"--keep-{what}")
        both = ("--keep-tokens", "--keep-sentences")
        rest = ("--keep-tags", "--keep-lemmas", "--keep-heads")
        yield f"keep/{model}/tokens+sentences", kept(model, *both)
        yield f"keep/{model}/all", kept(model, *both, *rest)
        yield (
            f"keep/{model}/tags-k-best",
            kept(model, "--keep-tags", "--keep-sentences", "--k-best", "2"),
        )
        yield f"keep/{model}/newline", kept(model, "--keep-tokens", "--newline-is-boundary")
        yield f"keep/{model}/nothing", kept(model)


def _stages() -> Named:
    for text in (*INPUTS, "talk.transcript"):
        name = text.split(".")[0]
        yield f"tokenize/rules/{name}", cli("tokenize", "-q", "--rules", "--token-range", text)
        yield f"tokenize/en/{name}", cli("tokenize", "-q", "-m", "en", text)
    yield "tokenize/newline", cli("tokenize", "-q", "--rules", "--newline-is-boundary", "turns.txt")
    yield "tag/en-fast", cli("tag", "-q", "-m", "en-fast", "dev.conllu")
    yield (
        "tag/en-fast/confidence",
        cli("tag", "-q", "-m", "en-fast", "--confidence", "--regime", "document", "dev.conllu"),
    )


def _packages() -> Named:
    """Models that are packages of their own."""
    for model, texts in {
        "en-large": ("written.txt", "spoken.txt"),
        "multi": ("languages.txt", "tiny.txt"),
    }.items():
        file = packaged(model)
        for text in texts:
            name = f"parse/{model}/plain/{text[:-4]}"
            if text == "languages.txt":
                # A line is a document of its own, in the language that is recognised.
                yield name, by_line(file, text)
            else:
                yield name, cli("parse", "-q", "-m", file, text)
        yield (
            f"parse/{model}/confidence/tiny",
            cli("parse", "-q", "-m", file, "--confidence", "tiny.txt"),
        )
        yield f"split/{model}/tiny", cli("split", "-q", "-m", file, "--offsets", "tiny.txt")


def by_line(model: str, name: str) -> Entry:
    """What a model makes of each line of an input."""

    def entry(work: Work) -> bytes:
        import caesura
        from caesura.formats import write

        nlp = caesura.load(model)
        lines = [line for line in work.text(name).split("\n") if line]
        path = work.folder / f"by-line-{name}.conllu"
        write(list(nlp.pipe(lines)), path)
        return path.read_bytes()

    return entry


def _unicode() -> Named:
    for text in ("unicode.txt", "languages.txt"):
        source = text.split(".")[0]
        yield f"unicode/rules/{source}", cli("tokenize", "-q", "--rules", "--token-range", text)
        yield f"unicode/en-fast/{source}", cli("parse", "-q", "-m", "en-fast", text)

    def surrogates(work: Work) -> bytes:
        """Text that no file holds: lone surrogates."""
        import caesura

        doc = caesura.load("en-fast")("The \ud800 boat\udfff left. \udc80 I\u0307stanbul \ud83d")
        rows = [(w.form, w.lemma, w.upos, w.deprel, w.head) for s in doc.sentences for w in s.words]
        return json.dumps(rows, default=str).encode("ascii")

    yield "unicode/en-fast/surrogates", surrogates
