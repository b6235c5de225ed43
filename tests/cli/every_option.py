"""How every option of every command is shown to be obeyed: a call without it and a call with it.

The table is read by `test_every_option.py`, which fails for an option that has no row. A row is
two calls whose results differ: what is printed and written, and, where an option shows in
neither, what it asks for inside (threads, the search, the training loop, the server). Words in
braces are files that the test makes.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["REFUSED", "SHOWN", "TOGETHER", "Show"]


@dataclass(frozen=True)
class Show:
    """A call, and what is added to it; `status` is that of the second.

    Before each, `before` is called, and `left` is a file that an interrupted run has left.
    """

    call: str
    extra: str
    status: int = 0
    before: str = ""
    left: str = ""


def reading(call: str, *, strict: str = "{odd}") -> dict[str, Show]:
    """--skip-bad and --strict, for a call in which the input is spelled {input}."""
    return {
        "skip_bad": Show(call.replace("{input}", "{bad}"), "--skip-bad"),
        "strict": Show(call.replace("{input}", strict), "--strict", status=1),
    }


PARSE = "parse {text} -m {tiny}"
GIVEN = "parse {given} -m {tiny}"
TOKENIZER = "train tokenizer {small} -o m.caesura --epochs 1 --set bits=14"
TAGGER = "train tagger {small} -o m.caesura --epochs 1"
PARSER = "train parser {small} -o m.caesura --epochs 1 --beam 2 --set bits=12"
PIPELINE = "train pipeline {small} -o m.caesura"
INDUCE = "induce {small} -o g.caesura --classes 4 --recipe fixed --model dmv -q"
LONGER = INDUCE.replace("fixed", "basic")
#: All words of the first stage get classes of their own in the second one.
LEXICAL = INDUCE.replace("fixed", "lexicalised") + " --set lexical=2"
CLUSTER = "cluster {small} -o c.txt -k 4 --min-count 1"
EVALUATE = "evaluate {small} {system}"
COMPARE = "compare {docs} a={system} b={worse} --json --samples 100"
CONVERT = "convert {small} --to conllu"

SHOWN: dict[str, dict[str, Show]] = {
    "parse": {
        "model": Show(PARSE, "-m {grammar}"),
        "mode": Show(PARSE, "--mode fast"),
        "beam": Show(PARSE, "--beam 2"),
        "margin": Show(PARSE, "--margin 0.5"),
        "bias": Show(PARSE, "--bias 0.5"),
        "keep_list": Show(GIVEN, "--keep tokens"),
        "keep_tokens": Show(GIVEN, "--keep-tokens"),
        "keep_sentences": Show(GIVEN, "--keep-sentences"),
        "keep_tags": Show(GIVEN + " --keep tokens", "--keep-tags"),
        "keep_lemmas": Show(GIVEN + " --keep tokens", "--keep-lemmas"),
        "keep_heads": Show(GIVEN + " --keep tokens", "--keep-heads"),
        "newline_is_boundary": Show("parse {lines} -m {tiny}", "--newline-is-boundary"),
        "confidence": Show(PARSE, "--confidence"),
        "k_best": Show(PARSE, "--k-best 2"),
        "token_range": Show(PARSE, "--token-range"),
        "threads": Show(PARSE, "--threads 2"),
        "engine": Show(PARSE, "--engine ray"),
        "encoding": Show("parse {latin} -m {tiny}", "--encoding latin-1"),
        "errors": Show("parse {latin} -m {tiny}", "--errors replace"),
        "resume": Show(PARSE + " -o out/", "--resume", before=PARSE + " -o out/"),
        "from_format": Show(PARSE, "--from tokens"),
        "quiet": Show(PARSE + " -o a.conllu", "-q"),
        "to_format": Show(PARSE, "--to jsonl"),
        "output": Show(PARSE, "-o a.conllu"),
        **reading("parse {input} -m {tiny}"),
    },
    "split": {
        "model": Show("split {lines} -m {tiny}", "-m {grammar}"),
        "mode": Show("split {text} -m {tiny}", "--mode fast"),
        "bias": Show("split {text} -m {tiny}", "--bias 0.5"),
        "newline_is_boundary": Show("split {lines} -m {tiny}", "--newline-is-boundary"),
        "offsets": Show("split {text} -m {tiny}", "--offsets"),
        "as_json": Show("split {text} -m {tiny}", "--json"),
        "encoding": Show("split {latin} -m {tiny}", "--encoding latin-1"),
        "errors": Show("split {latin} -m {tiny}", "--errors replace"),
        "output": Show("split {text} -m {tiny}", "-o a.txt"),
        "threads": Show("split {text} -m {tiny}", "--threads 2"),
        "resume": Show(
            "split {text} -m {tiny} -o out/", "--resume", before="split {text} -m {tiny} -o out/"
        ),
        "from_format": Show("split {talk} -m {tiny}", "--from text"),
        "quiet": Show("split {text} -m {tiny}", "-q"),
    },
    "tokenize": {
        "model": Show("tokenize {lines} --rules", "--model {tiny}", status=2),
        "rules": Show("tokenize {lines}", "--rules"),
        "keep": Show("tokenize {given} -m {tiny}", "--keep tokens"),
        "newline_is_boundary": Show("tokenize {lines} --rules", "--newline-is-boundary"),
        "token_range": Show("tokenize {text} --rules", "--token-range"),
        "encoding": Show("tokenize {latin} --rules", "--encoding latin-1"),
        "from_format": Show("tokenize {text} --rules", "--from tokens"),
        "quiet": Show("tokenize {odd} --rules", "-q"),
        "threads": Show("tokenize {text} --rules", "--threads 2"),
        "errors": Show("tokenize {latin} --rules", "--errors replace"),
        "resume": Show(
            "tokenize {text} --rules -o out/", "--resume", before="tokenize {text} --rules -o out/"
        ),
        "to_format": Show("tokenize {text} --rules", "--to jsonl"),
        "output": Show("tokenize {text} --rules", "-o out/"),
        **reading("tokenize {input} --rules"),
    },
    "tag": {
        "model": Show("tag {flat} -m {tiny}", "-m {labeller}"),
        "regime": Show("tag {docs} -m {tiny} --confidence", "--regime document"),
        "keep": Show("tag {given} -m {tiny}", "--keep"),
        "confidence": Show("tag {small} -m {tiny}", "--confidence"),
        "threshold": Show("tag {flat} -m {labeller}", "--threshold 0.0"),
        "from_format": Show("tag {small} -m {tiny} --to conllu", "--from conllx", status=1),
        "quiet": Show("tag {odd} -m {tiny}", "-q"),
        "threads": Show("tag {small} -m {tiny}", "--threads 2"),
        "encoding": Show("tag {latin} -m {tiny} --from tokens", "--encoding latin-1"),
        "errors": Show("tag {latin} -m {tiny} --from tokens", "--errors replace"),
        "resume": Show(
            "tag {small} -m {tiny} -o out/", "--resume", before="tag {small} -m {tiny} -o out/"
        ),
        "to_format": Show("tag {small} -m {tiny}", "--to jsonl"),
        "output": Show("tag {small} -m {tiny}", "-o out/"),
        **reading("tag {input} -m {tiny}"),
    },
    "render": {
        "to_format": Show("render {small}", "--to svg"),
        "output": Show("render {small}", "-o a.html"),
        "other": Show("render {small}", "--compare {system}"),
        "width": Show("render {small} --to svg", "--width 300"),
        "numbers": Show("render {small}", "--sentence 2"),
        "color": Show("render {small}", "--color"),
        "from_format": Show("render {small}", "--from conllx", status=1),
        "quiet": Show("render {odd}", "-q"),
        **reading("render {input}"),
    },
    "serve": {
        "names": Show("serve -m {tiny}", "-m {gold}"),
        "mode": Show("serve -m {tiny}", "--mode fast"),
        "host": Show("serve -m {tiny}", "--host 127.0.0.2"),
        "port": Show("serve -m {tiny}", "--port 0"),
        "threads": Show("serve -m {tiny}", "--threads 2"),
        "waiting": Show("serve -m {tiny}", "--waiting 3"),
        "seconds": Show("serve -m {tiny}", "--seconds 5"),
        "max_chars": Show("serve -m {tiny}", "--max-chars 100"),
        "open_browser": Show("serve -m {tiny}", "--open"),
        "quiet": Show("serve -m {tiny}", "-q"),
    },
    "train pipeline": {
        "dev": Show(PIPELINE, "--dev {docs}"),
        "output": Show(PIPELINE, "-o other.caesura"),
        "init": Show(PIPELINE, "--init {tiny}"),
        "speech": Show(PIPELINE, "--speech"),
        "no_spaces": Show("train pipeline {solid} -o m.caesura", "--no-spaces"),
        "tags": Show(PIPELINE, "--tags 2"),
        "relaid": Show(PIPELINE, "--relaid 1"),
        "encoder": Show(PIPELINE, "--encoder scratch"),
        "resume": Show(PIPELINE, "--resume"),
        "anew": Show(PIPELINE, "--anew", left="m.caesura.parts/a"),
        "seed": Show(PIPELINE, "--seed 2"),
        "config": Show(PIPELINE, "--config {pipeline.toml}"),
        "settings": Show(PIPELINE, "--set folds=3"),
        "from_format": Show(PIPELINE, "--from conllx", status=1),
        "quiet": Show(PIPELINE.replace("{small}", "{odd}"), "-q"),
        "as_json": Show(PIPELINE, "--json"),
        **reading("train pipeline {input} -o m.caesura"),
    },
    "train tokenizer": {
        "dev": Show(TOKENIZER, "--dev {small}"),
        "output": Show(TOKENIZER, "-o other.caesura"),
        "init": Show(TOKENIZER, "--init {tiny}"),
        "resume": Show(TOKENIZER, "--resume"),
        "anew": Show(TOKENIZER, "--anew", left="m.caesura.checkpoint"),
        "no_spaces": Show(TOKENIZER.replace("{small}", "{solid}"), "--no-spaces"),
        "epochs": Show(TOKENIZER, "--epochs 2"),
        "relaid": Show(TOKENIZER, "--relaid 0"),
        "seed": Show(TOKENIZER, "--seed 2"),
        "config": Show(
            "train tokenizer {small} -o m.caesura --epochs 1", "--config {tokenizer.toml}"
        ),
        "settings": Show(TOKENIZER, "--set bits=12"),
        "from_format": Show(TOKENIZER, "--from conllx", status=1),
        "as_json": Show(TOKENIZER, "--json"),
        "quiet": Show(TOKENIZER, "-q"),
        **reading("train tokenizer {input} -o m.caesura --epochs 1 --set bits=12"),
    },
    "train tagger": {
        "dev": Show(TAGGER, "--dev {small}"),
        "output": Show(TAGGER, "-o other.caesura"),
        "init": Show(TAGGER, "--init {tiny}"),
        "classes": Show(TAGGER, "--classes {classes}"),
        "speech": Show(TAGGER, "--speech"),
        "boundaries": Show(TAGGER, "--boundaries"),
        "folds": Show("train tagger {docs} -o a.conllu --epochs 1", "--jackknife 2"),
        "regime": Show(
            "train tagger {docs} -o a.conllu --epochs 1 --jackknife 2", "--regime document"
        ),
        "epochs": Show(TAGGER, "--epochs 2"),
        "resume": Show(TAGGER, "--resume"),
        "anew": Show(TAGGER, "--anew", left="m.caesura.checkpoint"),
        "seed": Show(TAGGER, "--seed 2"),
        "config": Show(TAGGER, "--config {tagger.toml}"),
        "settings": Show(TAGGER, "--set cutoff=1"),
        "from_format": Show(TAGGER, "--from conllx", status=1),
        "quiet": Show(TAGGER, "-q"),
        "as_json": Show(TAGGER, "--json"),
        **reading("train tagger {input} -o m.caesura --epochs 1"),
    },
    "train parser": {
        "dev": Show(PARSER, "--dev {small}"),
        "output": Show(PARSER, "-o other.caesura"),
        "recipe": Show(PARSER, "--recipe gold"),
        "system": Show(
            "train parser {small} --dev {small} -o m.caesura --set bits=12", "--system branching"
        ),
        "tune": Show(PARSER, "--tune {small}"),
        "beam": Show(PARSER, "--beam 4"),
        "margin": Show(PARSER, "--margin 0.5"),
        "epochs": Show(PARSER, "--epochs 2"),
        "patience": Show(PARSER + " --dev {small}", "--patience 1"),
        "dropout": Show(PARSER, "--dropout 0.5"),
        "relaid": Show(PARSER.replace("--epochs 1", "--epochs 3"), "--relaid 1"),
        "classes": Show(PARSER, "--classes {classes}"),
        "tags": Show(PARSER.replace("{small}", "{docs}"), "--tags 2"),
        "shards": Show(PARSER, "--shards 2"),
        "resume": Show(PARSER, "--resume"),
        "anew": Show(PARSER, "--anew", left="m.caesura.parser.checkpoint"),
        "threads": Show(PARSER + " --shards 2", "--threads 2"),
        "seed": Show(PARSER, "--seed 2"),
        "config": Show(PARSER, "--config {parser.toml}"),
        "settings": Show(PARSER, "--set chunk=1"),
        "from_format": Show(PARSER, "--from conllx", status=1),
        "quiet": Show(PARSER, "-q"),
        "as_json": Show(PARSER, "--json"),
        **reading("train parser {input} -o m.caesura --epochs 1 --set bits=12"),
    },
    "induce": {
        "output": Show(INDUCE, "-o other.caesura"),
        "recipe": Show(INDUCE, "--recipe standard"),
        "model": Show(INDUCE, "--model evg"),
        "classes": Show(INDUCE, "--classes upos"),
        "class_text": Show(INDUCE, "--class-text {lines}"),
        "groups": Show(INDUCE, "--groups 3"),
        "marks": Show(INDUCE, "--marks upos"),
        "markup": Show(LONGER.replace("{small}", "{html}"), "--markup"),
        "constraints": Show(LONGER, "--constraints none"),
        "heads": Show(INDUCE, "--heads content"),
        "init": Show(INDUCE, "--init uniform"),
        "max_length": Show(INDUCE, "--max-length 6"),
        "resume": Show(INDUCE, "--resume", left="g.caesura.checkpoint", status=1),
        "anew": Show(INDUCE, "--anew", left="g.caesura.checkpoint"),
        "restarts": Show(INDUCE + " --json", "--restarts 2"),
        "config": Show(INDUCE, "--config {induce.toml}"),
        "settings": Show(INDUCE, "--set limit=6"),
        "seed": Show(INDUCE, "--seed 7"),
        "threads": Show(INDUCE, "--threads 2"),
        "from_format": Show(INDUCE, "--from conllx", status=1),
        "quiet": Show(INDUCE.removesuffix(" -q"), "-q"),
        "as_json": Show(INDUCE, "--json"),
        "encoding": Show(INDUCE.replace("{small}", "{latin}"), "--encoding latin-1"),
        **reading(INDUCE.replace("{small}", "{input}")),
    },
    "cluster": {
        "output": Show(CLUSTER, "-o d.txt"),
        "classes": Show(CLUSTER, "-k 3"),
        "method": Show(CLUSTER, "--method brown"),
        "min_count": Show(CLUSTER, "--min-count 2"),
        "passes": Show(CLUSTER, "--passes 1"),
        "lower": Show(CLUSTER, "--lower"),
        "encoding": Show(CLUSTER.replace("{small}", "{latin}"), "--encoding latin-1"),
        "from_format": Show(CLUSTER.replace("{small}", "{lines}"), "--from tokens"),
        "quiet": Show(CLUSTER.replace("{small}", "{odd}"), "-q"),
        "as_json": Show(CLUSTER, "--json"),
        **reading(CLUSTER.replace("{small}", "{input}")),
    },
    "models": {"as_json": Show("models", "--json")},
    "models add": {
        "name": Show("models add {tiny}", "--name other"),
        "sha256": Show("models add {tiny}", "--sha256 00", status=1),
        "limit": Show("models add {big}", "--limit 1", status=1),
        "replace": Show("models add {tiny}", "--replace", before="models add {tiny}"),
        "quiet": Show("models add {tiny}", "-q"),
    },
    "models remove": {
        "quiet": Show("models remove tiny", "-q", before="models add {tiny}"),
    },
    "models show": {"as_json": Show("models show {tiny}", "--json")},
    "models verify": {
        "sha256": Show("models verify {tiny}", "--sha256 00", status=1),
        "as_json": Show("models verify {tiny}", "--json"),
    },
    "evaluate": {
        "raw": Show(EVALUATE, "--text {raw}"),
        "levels": Show(EVALUATE, "--level tokens"),
        "gold_format": Show(EVALUATE, "--gold-format conllx", status=1),
        "system_format": Show(EVALUATE, "--system-format conllx", status=1),
        "param": Show("evaluate {gold.mrg} {system.mrg}", "--param {rules.prm}"),
        "unlabelled": Show(EVALUATE, "--unlabelled"),
        "fuzzy": Show("evaluate {gold.mrg} {system.mrg}", "--fuzzy"),
        "tags": Show(EVALUATE, "--tags xpos"),
        "subtypes": Show(EVALUATE, "--subtypes"),
        "by": Show(EVALUATE, "--by label"),
        "confusions": Show(EVALUATE, "--confusions"),
        "induced": Show("evaluate {small} {system}", "--induced"),
        "from_sentences": Show(EVALUATE, "--from-sentences {worse}"),
        "from_tokens": Show(EVALUATE, "--from-tokens {worse}"),
        "from_tags": Show(EVALUATE, "--from-tags {worse}"),
        "tuples": Show(EVALUATE, "--tuples gold"),
        "mismatches": Show(EVALUATE, "--mismatches"),
        "page": Show(EVALUATE, "--html a.html"),
        "as_json": Show(EVALUATE, "--json"),
        "quiet": Show("evaluate {bad} {bad} --skip-bad", "-q"),
        "skip_bad": Show("evaluate {small} {bad}", "--skip-bad"),
        "strict": Show("evaluate {small} {warned}", "--strict", status=1),
    },
    "compare": {
        "raw": Show(COMPARE, "--text {docs.txt}"),
        "gold_format": Show(COMPARE, "--gold-format conllx", status=1),
        "system_format": Show(COMPARE, "--system-format conllx", status=1),
        "metrics": Show(COMPARE, "--metric LAS"),
        "unit": Show(COMPARE, "--unit sentence"),
        "samples": Show(COMPARE, "--samples 200"),
        "cross": Show("compare {docs} x+y+z={system}", "--cross LAS"),
        "page": Show(COMPARE, "--html a.html"),
        "seed": Show(COMPARE, "--seed 2"),
        "as_json": Show(COMPARE.replace(" --json", ""), "--json"),
        "quiet": Show("compare {bad} {bad} --skip-bad --samples 100", "-q"),
        "skip_bad": Show("compare {docs} {bad} --samples 100", "--skip-bad"),
        "strict": Show("compare {docs} {warned} --samples 100", "--strict", status=1),
    },
    "align": {
        "raw": Show("align {small} --text {raw}", "--text {docs.txt}"),
        "from_format": Show("align {small} --text {raw}", "--from conllx", status=1),
        "output": Show("align {small} --text {raw}", "-o out/"),
        "as_json": Show("align {small} --text {raw}", "--json"),
        "quiet": Show("align {small} --text {raw}", "-q"),
        "skip_bad": Show("align {bad} --text {raw}", "--skip-bad"),
        "strict": Show("align {warned} --text {raw}", "--strict", status=1),
    },
    "inspect": {
        "from_format": Show("inspect {text}", "--from tokens"),
        "quiet": Show("inspect {odd}", "-q"),
        "as_json": Show("inspect {small}", "--json"),
        "everything": Show("inspect {labels}", "--all"),
        "boundaries": Show("inspect {small}", "--boundaries upos"),
        "plot": Show("inspect {small} --boundaries upos", "--plot a.svg"),
        "encoding": Show("inspect {latin}", "--encoding latin-1"),
        **reading("inspect {input}"),
    },
    "convert": {
        "from_format": Show("convert {text} --to jsonl", "--from tokens"),
        "quiet": Show("convert {odd}", "-q"),
        "to_format": Show("convert {small}", "--to jsonl"),
        "output": Show(CONVERT, "-o out/"),
        "lower": Show(CONVERT, "--lower"),
        "drop_punct": Show(CONVERT, "--drop-punct"),
        "punct_xpos": Show(CONVERT + " --drop-punct", "--punct-xpos DT"),
        "drop": Show(CONVERT, "--drop lemma"),
        "keep": Show(CONVERT, "--keep upos"),
        "projectivise": Show("convert {crossing}", "--projectivise"),
        "heads": Show("convert {gold.mrg} --to conllu", "--heads collins"),
        "files": Show("convert {docs} -o out/", "--split 2"),
        "encoding": Show("convert {latin} --to jsonl", "--encoding latin-1"),
        "mode": Show("convert {lines} --to jsonl", "--mode line"),
        "to_mode": Show("convert {small} --to tokens", "--to-mode token"),
        **reading("convert {input}"),
    },
    "info": {"as_json": Show("info", "--json")},
    "warmup": {
        "as_json": Show("warmup", "--json"),
        "quiet": Show("warmup", "-q"),
    },
}

#: Options that once were lost in the company of others.
TOGETHER: list[Show] = [
    Show("train pipeline {warned} -o m.caesura --no-spaces", "--strict", status=1),
    Show("train pipeline {odd} -o m.caesura --no-spaces", "-q"),
    Show(PIPELINE + " --encoder scratch --config {silent.toml}", "--speech"),
    Show(PIPELINE + " --encoder scratch", "--seed 2"),
    Show(PIPELINE + " --encoder scratch", "--resume"),
    Show("convert {docs} --to tokens --split 2 -o out/", "--to-mode token"),
    Show(LEXICAL, "--heads content"),
    *(
        Show(INDUCE.replace("fixed", recipe).replace("dmv", "dbm3"), "--max-length 5")
        for recipe in ("short-first", "curriculum", "standard", "basic", "lexicalised", "scaffold")
    ),
    Show(INDUCE + " --class-text {warned}", "--strict", status=1),
    Show(INDUCE + " --class-text {bad}", "--skip-bad"),
    Show("parse {text} -m {grammar}", "--engine ray"),
    Show("parse {text} {given} -m {tiny}", "--keep-tags"),
    Show("parse {given} -m {reparsed} --keep-tokens --keep-tags", "--beam 1"),
    Show("parse {given} -m {reparsed} --keep-tokens --keep-tags", "--mode fast"),
    Show("parse {given} -m {reparsed} --keep-tokens --keep-tags", "--k-best 2"),
    Show("parse {given} -m {branching} --keep-sentences --keep-tags", "--beam 1"),
    Show("parse {given} -m {gold} --keep-sentences --keep-tags", "--k-best 2"),
    Show("split {lines} -m {tokenizer}", "--newline-is-boundary"),
    Show("split {text} -m {tokenizer}", "-q"),
    Show("split {text} -m {tokenizer}", "--bias 2"),
    Show(TOKENIZER + " --no-spaces", "--init {tiny}"),
]

#: Calls that cannot be obeyed, and a word of the sentence that says so; the exit status is 2.
REFUSED: list[tuple[str, str]] = [
    (PARSE + " --engine ray --threads 2", "--threads does not go with --engine ray"),
    (PARSE + " --to text --confidence", "--confidence does not go with the format text"),
    (PARSE + " --k-best 2 --confidence", "--confidence does not go with --k-best"),
    (PARSE + " --to jsonl --token-range", "no TokenRange"),
    (PARSE + " --keep-tags", "no tags to keep in plain text"),
    (PARSE + " --resume", "--resume needs a file for each input"),
    (PARSE + " --to nothing", "there is no format 'nothing'"),
    (GIVEN + " --keep-sentences --newline-is-boundary", "sentences are kept, or every line"),
    ("parse {text} -m {grammar} --beam 2", "--beam does not go with a grammar"),
    ("parse {text} -m {grammar} --mode fast", "--mode does not go with a grammar"),
    ("parse {text} -m {grammar} --bias 1", "--bias does not go with a grammar"),
    ("parse {text} -m {grammar} --margin 1", "--margin does not go with a grammar"),
    ("parse {text} -m {grammar} --k-best 2", "--k-best does not go with a grammar"),
    ("parse {text} -m {grammar} --confidence", "--confidence does not go with a grammar"),
    ("parse {given} -m {branching} --keep-sentences --bias 1", "has no bias"),
    ("parse {given} -m {gold} --keep-sentences --bias 1", "has no bias"),
    ("split {text} -m {tokenizer} --mode fast", "--mode does not go with a tokeniser"),
    ("split {text} -m {grammar} --bias 1", "--bias does not go with a grammar"),
    ("tokenize {text}", "either a model or the rules"),
    ("tokenize {text} --rules -m {tiny}", "either a model or the rules"),
    ("tokenize {text} --rules --keep tokens", "no tokens to keep in plain text"),
    ("tokenize {given} -m {tiny} --keep tokens --newline-is-boundary", "--keep does not go with"),
    ("tokenize {text} --rules --to jsonl --token-range", "no TokenRange"),
    ("tag {small} -m {labeller} --threshold 0.5 --regime sentences", "--regime does not go with"),
    ("tag {small} -m {tiny} --confidence --to tokens", "--confidence does not go with"),
    ("render {small} --width 300", "--width does not go with text"),
    ("render {small} --to svg --color", "--color does not go with --to svg"),
    ("render {small} --compare {system} --sentence 1", "--sentence does not go with --compare"),
    (PIPELINE + " --encoder scratch --init {tiny}", "--init does not go with --encoder"),
    (PIPELINE + " --encoder scratch --tags 2", "--tags does not go with --encoder"),
    (PIPELINE + " --encoder scratch --relaid 1", "--relaid does not go with --encoder"),
    (PIPELINE + " --init {branching}", "cannot go on from the branching parser"),
    (PIPELINE + " --init {reparsed}", "cannot go on from the boundaries"),
    (PIPELINE + " --set nothing=1", "unknown option nothing"),
    (PIPELINE + " --config {mixed.toml}", "unknown option epochs"),
    (TAGGER + " --regime document", "--regime does not go with"),
    (TAGGER + " --jackknife 2 --classes {classes}", "--classes does not go with --jackknife"),
    (TAGGER + " --jackknife 2 --speech", "--speech does not go with --jackknife"),
    (TAGGER + " --jackknife 2 --dev {small}", "--dev does not go with --jackknife"),
    (TAGGER + " --jackknife 2 --init {tiny}", "--init does not go with --jackknife"),
    (TAGGER + " --jackknife 2 --resume", "--resume does not go with --jackknife"),
    (TAGGER + " --jackknife 2 --anew", "--anew does not go with --jackknife"),
    (TAGGER + " --resume --anew", "--resume and --anew exclude each other"),
    (PARSER + " --recipe gold --tune {small}", "--tune does not go with --recipe gold"),
    (PARSER + " --recipe gold --relaid 1", "--relaid does not go with --recipe gold"),
    (PARSER + " --patience 2", "--patience does not go with training without --dev"),
    (PARSER + " --system branching", "--epochs does not go with --system branching"),
    ("induce {small} -o g --classes upos --groups 3", "--groups does not go with --classes upos"),
    (
        "induce {small} -o g --classes upos --class-text {text}",
        "--class-text does not go with --classes upos",
    ),
    ("induce {small} -o g --set frequent=0 --groups 3", "--groups does not go with frequent=0"),
    ("induce {small} -o g --recipe curriculum --model dmv", "the recipe curriculum goes from"),
    ("induce {small} -o g --recipe standard --constraints loose", "learns without any"),
    ("induce {small} -o g --model gb --constraints loose", "learns without any"),
    ("induce {small} -o g --classes form --heads content", "with --classes form each has one"),
    ("cluster {small} -o c.txt --method brown --passes 3", "--passes does not go with --method"),
    ("models --json show {tiny}", "--json does not go with a command after it"),
    ("models verify --sha256 00", "--sha256 goes with one model"),
    (EVALUATE + " --tuples gold --by label", "--by does not go with --tuples"),
    (EVALUATE + " --tuples gold --json", "--json does not go with --tuples"),
    (EVALUATE + " --tuples gold --mismatches", "--mismatches does not go with --tuples"),
    (EVALUATE + " --mismatches --confusions", "--confusions does not go with --mismatches"),
    (EVALUATE + " --mismatches --induced", "--induced does not go with --mismatches"),
    ("compare {docs} x+y+z={system} --cross LAS --unit sentence", "--unit does not go with"),
    ("compare {docs} x+y+z={system} --cross LAS --metric LAS", "--metric does not go with"),
    ("compare {docs} x+y+z={system} --cross LAS --html a.html", "--html does not go with"),
    ("inspect {small} --plot a.svg", "--plot does not go with counts"),
    ("inspect {small} --boundaries upos --all", "--all does not go with --boundaries"),
    ("inspect {grammar} --all", "--all does not go with a grammar"),
    (CONVERT + " --punct-xpos DT", "--punct-xpos says what --drop-punct drops"),
    (CONVERT + " --mode line", "has no mode 'line'"),
    (CONVERT + " --to-mode token", "has no mode 'token'"),
    (CONVERT + " --split 2", "--split writes several files"),
]
