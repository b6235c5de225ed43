"""Raw text to CoNLL-U with all columns: Caesura beside spaCy and UDPipe 1, in one run.

    python -m benchmarks.speed.peers
    python -m benchmarks.speed.peers --model en --model my.caesura --rounds 5 --json

Words per CPU second on one core: every system is a process of its own that loads its model once;
the systems take turns, and the fastest round of each counts. Start-up is from the start of the
process to the end of the first sentence; memory is the peak of the process above that of a bare
Python, then and at the end.

spaCy (a small convolutional pipeline: tagger, morphologiser, lemmatiser, parser) and UDPipe are
trained on a hundred sentences unless models are given: their speed hardly depends on the training
data. UDPipe has the settings of its published English models (training/models-ud-2.0 of its
repository: a tokeniser with 64 dimensions, a tagger and a lemmatiser of their own);
`--udpipe-defaults` takes the smaller defaults. Accuracies of other systems are those of the outputs
of fully trained models, NAME_TREEBANK_dev.conllu.gz in the folder CAESURA_PEERS.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from argparse import SUPPRESS, Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import (
    PEERS,
    ROOT,
    Worker,
    conll,
    dev_texts,
    environment,
    file_of,
    find_file,
    markdown,
    options,
    peak_memory,
)

TREEBANKS = ("EWT", "GUM")
METRICS = ("Sentences", "Words", "UPOS", "LAS")
SENTENCES = 100
#: The bundled models.
MODELS = ("en-fast", "en")
HELLO = "They didn't come. Did you?\n"


def arguments(given: Sequence[str] | None = None) -> Namespace:
    parser = options(__doc__, "--model", "--json")
    parser.add_argument("--spacy", help="a folder with a spaCy pipeline; else a small one is made")
    parser.add_argument("--udpipe", help="a UDPipe model; else a small one is made")
    parser.add_argument("--udpipe-defaults", action="store_true", help="UDPipe's default settings")
    parser.add_argument("--text", type=Path, help="the text to time on; else that of EWT dev")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="systems, separated by commas")
    parser.add_argument("--no-accuracy", action="store_true")
    parser.add_argument("--no-speed", action="store_true")
    parser.add_argument("--worker", help=SUPPRESS)
    return parser.parse_args(given)


# --------------------------------------------------------------------- systems


def caesura_system(model: str) -> Any:
    import io

    from caesura.formats import conllu
    from caesura.formats.options import WriteOptions
    from caesura.pipeline import load

    nlp = load(model)

    def run(text: str) -> bytes:
        out = io.BytesIO()
        blocks = (text[at : at + 65536] for at in range(0, len(text), 65536))
        conllu.write_conllu(nlp.stream(blocks), out, WriteOptions())
        return out.getvalue()

    return run


def spacy_system(model: str) -> Any:
    import spacy

    nlp = spacy.load(model)

    def run(text: str) -> bytes:
        return b"".join(_spacy_rows(doc) for doc in nlp.pipe(text.split("\n\n"), batch_size=64))

    return run


def _spacy_rows(doc: Any) -> bytes:
    lines = []
    for sentence in doc.sents:
        first = sentence.start
        number = 0
        for token in sentence:
            if token.is_space:
                continue
            number += 1
            head = 0 if token.head.i == token.i else token.head.i - first + 1
            misc = "_" if token.whitespace_ else "SpaceAfter=No"
            lines.append(
                f"{number}\t{token.text}\t{token.lemma_}\t{token.pos_}\t{token.tag_}\t"
                f"{token.morph or '_'}\t{head}\t{token.dep_}\t_\t{misc}"
            )
        lines.append("")
    return "\n".join(lines).encode() + b"\n"


def udpipe_system(model: str) -> Any:
    from ufal.udpipe import Model, Pipeline, ProcessingError

    loaded = Model.load(model)
    pipeline = Pipeline(loaded, "tokenize", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")

    def run(text: str) -> bytes:
        assert loaded  # the pipeline does not keep it alive
        return bytes(pipeline.process(text, ProcessingError()).encode())

    return run


def worker(name: str, model: str) -> None:
    """Load a system, parse a greeting, then time the text of each path on stdin."""
    if name.startswith("caesura"):
        run = caesura_system(model)
    else:
        run = {"spaCy": spacy_system, "UDPipe": udpipe_system}[name](model)
    run(HELLO)
    print(json.dumps({"cpu": time.process_time(), "peak": peak_memory()}), flush=True)
    for line in sys.stdin:
        text = Path(line.strip()).read_text(encoding="utf-8")
        clock = time.process_time()
        out = run(text)
        seconds = time.process_time() - clock
        rows = sum(1 for row in out.split(b"\n") if row[:1].isdigit() and b"-" not in row[:8])
        told = {"seconds": seconds, "words": rows, "peak": peak_memory()}
        print(json.dumps(told), flush=True)


# -------------------------------------------------------------------- training


def make_spacy(folder: Path) -> str:
    """A small convolutional pipeline that learned from a hundred sentences."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 96,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": [5000, 1000, 2500, 2500],
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": 96,
            "depth": 4,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    nlp.add_pipe("tok2vec", config={"model": tok2vec})
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}
    for stage in ("tagger", "morphologizer", "trainable_lemmatizer"):
        nlp.add_pipe(stage, config={"model": tagger})
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "hidden_width": 128,
        "maxout_pieces": 3,
        "tok2vec": listener,
    }
    nlp.add_pipe("parser", config={"model": parser})
    examples = []
    for sentence in _sentences("EWT"):
        words = list(sentence.words)
        base = words[0].index
        heads = [
            word.index - base if word.head is None else word.head.index - base for word in words
        ]
        doc = Doc(
            nlp.vocab,
            words=[word.form for word in words],
            tags=[word.xpos for word in words],
            pos=[word.upos for word in words],
            morphs=["|".join(f"{k}={v}" for k, v in word.feats.items()) for word in words],
            lemmas=[word.lemma for word in words],
            deps=["ROOT" if word.head is None else word.deprel for word in words],
            heads=heads,
            sent_starts=[number == 0 for number in range(len(words))],
        )
        examples.append(Example(nlp.make_doc(doc.text), doc))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(8):
        nlp.update(examples, sgd=optimizer, drop=0.1)
    path = folder / "spacy"
    nlp.to_disk(path)
    return str(path)


#: The settings of the published English models of UDPipe that affect speed.
PUBLISHED = (
    "dimension=64;epochs=1",
    "models=2;templates_1=tagger;guesser_suffix_rules_1=12;guesser_enrich_dictionary_1=6;"
    "guesser_prefixes_max_1=0;use_lemma_1=1;use_xpostag_1=1;use_feats_1=1;provide_lemma_1=0;"
    "provide_xpostag_1=1;provide_feats_1=1;prune_features_1=0;templates_2=lemmatizer;"
    "guesser_suffix_rules_2=6;guesser_enrich_dictionary_2=6;guesser_prefixes_max_2=4;"
    "use_lemma_2=1;use_xpostag_2=0;use_feats_2=0;provide_lemma_2=1;provide_xpostag_2=0;"
    "provide_feats_2=0;prune_features_2=0",
)
DEFAULTS = ("epochs=3", "models=1")


def make_udpipe(folder: Path, settings: tuple[str, str] = PUBLISHED) -> str:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences, Trainer

    from caesura import formats

    docs = list(_documents("EWT"))
    text = folder / "some.conllu"
    formats.write(docs, text)
    reader = InputFormat.newConlluInputFormat()
    reader.setText(text.read_text(encoding="utf-8"))
    sentences, sentence, error = Sentences(), Sentence(), ProcessingError()
    while reader.nextSentence(sentence, error) and len(sentences) < SENTENCES:
        sentences.push_back(sentence)
        sentence = Sentence()
    with _quiet():
        model = Trainer.train(
            "morphodita_parsito",
            sentences,
            Sentences(),
            *settings,
            "iterations=2;embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;"
            "embedding_form=50;embedding_lemma=0;embedding_deprel=20;hidden_layer=200",
            error,
        )
    if error.occurred():
        raise SystemExit(f"UDPipe could not be trained: {error.message}")
    path = folder / "some.udpipe"
    path.write_bytes(model)
    return str(path)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the output of UDPipe's training."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _documents(treebank: str) -> Iterator[Any]:
    from caesura import formats

    found = 0
    for doc in formats.read(file_of(treebank, "train")):
        yield doc
        found += doc.n_sentences
        if found >= SENTENCES:
            return


def _sentences(treebank: str) -> Iterator[Any]:
    for doc in _documents(treebank):
        yield from doc.sentences


# ------------------------------------------------------------------- measuring


def started(name: str, model: str) -> Worker:
    """A process that has loaded a system."""
    call = [sys.executable, "-m", "benchmarks.speed.peers", "--worker", name, "--model", model]
    return Worker(call, environment())


def speed(args: Namespace, folder: Path) -> dict[str, dict[str, float]]:
    """Words per CPU second, seconds to start, megabytes, for every system that is installed."""
    models = {f"caesura {model}": model for model in args.model or MODELS}
    wanted = args.only.split(",") if args.only else [*models, "spaCy", "UDPipe"]
    settings = DEFAULTS if args.udpipe_defaults else PUBLISHED
    makers: dict[str, tuple[Callable[[Path], str], str | None]] = {
        "spaCy": (make_spacy, args.spacy),
        "UDPipe": (partial(make_udpipe, settings=settings), args.udpipe),
    }
    for name, (make, given) in makers.items():
        if name in wanted:
            try:
                models[name] = given or make(folder)
            except ImportError as error:
                print(f"{name} is left out: {error}", file=sys.stderr)
    text = args.text or folder / "dev.txt"
    if args.text is None:
        text.write_text("".join(dev_texts()), encoding="utf-8")
    code = "from benchmarks.common import peak_memory; print(peak_memory())"
    bare = float(subprocess.check_output([sys.executable, "-c", code], cwd=ROOT))
    found: dict[str, dict[str, float]] = {}
    workers: dict[str, Worker] = {}
    for name, model in models.items():
        if name not in wanted:
            continue
        started(name, model).end()  # bytecode is compiled and files are in the disk cache
        began = time.perf_counter()
        one = workers[name] = started(name, model)
        wall = time.perf_counter() - began
        found[name] = {"start cpu s": one.first["cpu"], "start s": wall, "words/s": 0.0}
        found[name]["start MB"] = one.first["peak"] - bare
    for _ in range(args.rounds):
        for name, one in workers.items():
            told, entry = one.ask(text), found[name]
            entry["words/s"] = max(entry["words/s"], told["words"] / told["seconds"])
            entry |= {"words": told["words"], "memory MB": told["peak"] - bare}
    for one in workers.values():
        one.end()
    return found


def accuracy(args: Namespace) -> dict[str, dict[str, dict[str, float]]]:
    """CoNLL 2018 F1 from raw text, by treebank and system."""
    from caesura import formats
    from caesura.pipeline import load

    found: dict[str, dict[str, dict[str, float]]] = {}
    for treebank in TREEBANKS:
        path = find_file(treebank, "dev")
        if path is None:
            continue
        gold = list(formats.read(path))
        texts = [doc.text for doc in gold]
        outputs: dict[str, Any] = {}
        for model in args.model or MODELS:
            outputs[f"caesura {model}"] = list(load(model).pipe(texts))
        for file in sorted(PEERS.glob(f"*_{treebank}_dev.conllu.gz")):
            outputs[file.name.split("_")[0]] = list(formats.read(file))
        found[treebank] = {name: conll(gold, docs, METRICS) for name, docs in outputs.items()}
    return found


def tables(rates: dict[str, Any], scores: dict[str, Any]) -> str:
    """The tables in Markdown."""
    parts = []
    if rates:
        peers = {name: rates[name]["words/s"] for name in ("spaCy", "UDPipe") if name in rates}
        rows = [
            {
                "one core": name,
                "words per CPU second": f"{entry['words/s']:,.0f}",
                **{f"against {n}": f"{entry['words/s'] / rate:.1f}×" for n, rate in peers.items()},
                "start-up": f"{entry['start cpu s']:.1f} s",
                "memory at start": f"{entry['start MB']:,.0f} MB",
                "memory at most": f"{entry['memory MB']:,.0f} MB",
            }
            for name, entry in rates.items()
        ]
        parts.append(markdown(rows))
    for treebank, systems in scores.items():
        title = f"{treebank} dev, raw text"
        parts.append(markdown([{title: name, **entry} for name, entry in systems.items()]))
    return "\n\n".join(parts)


def main() -> None:
    args = arguments()
    if args.worker:
        worker(args.worker, args.model[0])
        return
    with tempfile.TemporaryDirectory() as name:
        rates = {} if args.no_speed else speed(args, Path(name))
        scores = {} if args.no_accuracy else accuracy(args)
    report = {"speed": rates, "accuracy": scores}
    print(json.dumps(report, indent=2) if args.json else tables(rates, scores))


if __name__ == "__main__":
    main()
