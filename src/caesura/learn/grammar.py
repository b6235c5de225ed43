"""`caesura induce`: learn a dependency grammar from text without trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from zipfile import is_zipfile

import msgspec
import numpy as np

from caesura.cluster import load_classes
from caesura.document import Document
from caesura.errors import UsageError
from caesura.induce import Grammar, InduceOptions, Inducer, supervised
from caesura.induce.corpus import corpus, word_classes
from caesura.induce.options import COLUMNS
from caesura.induce.selection import CHAIN
from caesura.induce.universal_rules import load_rules
from caesura.induce.word_classes import classifier_of
from caesura.learn.run import Counting, Data, Result, Run, card
from caesura.pipeline import load
from caesura.stage import Stage
from caesura.stages.rules_tokenizer import RuleTokenizer

#: Seeds of commands start at 1.
INDUCE = InduceOptions(seed=1)
#: The convention of heads and the other option, for the end of a run.
_CONTENT: Final = (
    "Heads: content words, as in Universal Dependencies (for function words as heads: --heads any)"
)
_RULES: Final = "Heads: as in the universal rules (function words as heads: --rules function)"
_ANY: Final = "Heads: any words (for content words, as in Universal Dependencies: --heads content)"


def induce_grammar(
    run: Run, *, class_text: Sequence[str] = (), transfer: str | None = None
) -> Result:
    """Induce a grammar; word classes are learned from `class_text`, too.

    With `transfer`, learning starts from the trees of a parser of another language.
    """
    run.kept.check()
    if "-" in run.data.train:
        run.kept.note = " the same text on the standard input and"
    flags = dict(run.flags)
    known = None
    if "classes" in flags and Path(flags["classes"]).is_file():
        known = classifier_of(load_classes(flags["classes"]).rows())
        flags["classes"] = "file"
    options = run.options(INDUCE, "induce", flags)
    options.stages()  # refuse an unknown recipe or unknown rules before anything is read
    if options.rules != "auto":
        load_rules(options.rules)
    if options.classes in COLUMNS:
        _refuse(f"--classes {options.classes}", groups=flags.get("groups"), class_text=class_text)
    elif options.iterations:
        _refuse(f"context={options.iterations}", groups=flags.get("groups"))
    elif not options.frequent_words:
        _refuse("frequent=0", groups=flags.get("groups"))
    other = Data(
        class_text, skip_bad=run.data.skip_bad, strict=run.data.strict, encoding=run.data.encoding
    )
    more = list(_tokenised(other.read(class_text, run.report)))
    inducer = Inducer(
        _tokenised(run.data.read(run.data.train, run.report)),
        options,
        classifier=known,
        class_text=more,
        transfer=None if transfer is None else _parser_of(transfer, run),
        checkpoint=run.checkpoint(),
        resume=run.kept.resume,
    )
    run.kept.begin()
    summary: dict[str, Any] = {}
    with (
        run.report.counting("Inducing", unit="steps") as progress,
        closing(iter(inducer)) as events,  # an interrupt ends its threads, too
    ):
        for event in events:
            summary |= _tell(event, progress)
    grammar = inducer.grammar
    assert grammar is not None
    plain: dict[str, Any] = msgspec.to_builtins(options)
    chosen = {name: value for name, value in plain.items() if value is not None}
    meta = {"summary": summary, "restarts": inducer.restarts, "options": chosen}
    run.save({"grammar": grammar.to_part()}, meta, _card(grammar, options, summary))
    inducer.finish()
    tagged = ("--keep-tokens", "--keep-tags", "tagged.conllu")
    file = tagged if options.classes in ("upos", "xpos") else ("text.txt",)
    return Result(
        run.output,
        {"file": run.output, **summary, "restarts": inducer.restarts},
        _fit(summary, options),
        what="Grammar",
        next=("parse", "-m", run.output, *file),
    )


def _parser_of(source: str, run: Run) -> Stage:
    """A parser over universal tags: that of a model, or the grammar of a treebank's trees."""
    if Path(source).is_file() and not is_zipfile(source):
        treebank = list(run.data.read([source], run.report))
        if not any(np.any(doc.upos) and np.any(doc.head >= 0) for doc in treebank):
            raise UsageError(
                f"--transfer {source}: neither a model nor a treebank with tags and trees",
                remedy="Give a model, or a CoNLL-U file of another language.",
            )
        words = corpus(treebank, word_classes("upos"), marks="upos")
        return supervised(treebank, words, "dmv", source="upos", marks="upos")
    stages = [stage for stage in load(source).stages if "head" in stage.adds]
    if not stages:
        raise UsageError(
            f"--transfer {source}: the model makes no trees", remedy="Give one with a parser."
        )
    grammar = stages[-1]
    if isinstance(grammar, Grammar) and grammar.source != "upos":
        raise UsageError(
            f"--transfer {source}: the grammar is not over universal tags",
            remedy="Give one that was induced with --classes upos.",
        )
    return grammar


def _fit(summary: Mapping[str, Any], options: InduceOptions) -> str:
    """The fit of the grammar beside that of the chains, and its convention of heads."""
    chains = summary["baselines"]
    whose = f" of the grammar over {summary['voted'][-1]} classes" if "voted" in summary else ""
    text = (
        f"Fit{whose}: {summary['bits']:.4f} bits a word on its own text (every word on the next: "
        f"{chains['next']:.4f}; on the one before: {chains['previous']:.4f})"
    )
    if summary["arc"] is not None:
        text += f"; mean arc {summary['arc']:.2f} words"
    content = options.head_convention == "content"
    led = options.led and options.heads is None
    text += f"\n{_RULES if led else _CONTENT if content else _ANY}"
    if summary["arc"] is not None and summary["arc"] < CHAIN:
        text += (
            "\nwarning: most arcs form a chain (each word attaches to its neighbour): the grammar "
            f"found little structure. Try --heads {'any' if content else 'content'}, or give tags "
            "(--classes upos)."
        )
    return text


def _refuse(why: str, **given: Any) -> None:
    """Options are obeyed or refused, never lost."""
    for name, value in given.items():
        if value:
            raise UsageError(
                f"--{name.replace('_', '-')} does not go with {why}", remedy="Leave it out."
            )


def _tokenised(documents: Iterable[Document]) -> Iterator[Document]:
    """Documents with tokens and sentences; those without are split by rule."""
    rules = RuleTokenizer()
    for doc in documents:
        yield doc if doc.n_tokens or not doc.text else rules.tokenize(doc)


def _tell(event: Any, progress: Counting) -> dict[str, Any]:
    """Say what happened in an induction; returns what of it belongs into the summary."""
    stats = event.stats
    if event.kind == "start":
        progress.say(_data_line(stats))
        return {"data": dict(stats)}
    if event.kind == "classes":
        progress.say(f"{stats['number']} classes: {stats['bits']:.4f} bits a held-out word")
    elif event.kind == "warning":
        progress.say(f"warning: {stats['what']}")
    elif event.kind == "resumed":
        progress.say(_resumed_line(stats))
    elif event.step is not None:
        step = event.step
        progress.advance(1, f"{step.stage} {step.iteration}: {step.bits:.4f} bits a word")
    elif event.kind == "round":
        changed = 100 * stats["changed"]
        progress.advance(1, f"arc model {event.restart}: {changed:.1f}% of heads changed")
    elif event.kind == "member":
        progress.say(f"{_several(int(stats['number']), 'class', 'classes')}: {_kept_line(stats)}")
    elif event.kind == "restart":
        lifted = stats["lifted"]
        progress.say(
            f"restart {event.restart + 1}: seed {stats['seed']}, {stats['bits']:.4f} bits a word"
            + (f", {_several(lifted, 'sentence')} beyond the constraint" if lifted else "")
        )
    elif event.kind == "done":
        progress.say(_kept_line(stats))
        if stats["chain"]:
            progress.say(
                "warning: its trees are chains, hardly better than a guess: give more text, or tags"
            )
        return dict(stats)
    return {}


def _kept_line(stats: Mapping[str, Any]) -> str:
    """Which restart was kept, and by what."""
    if "voted" in stats:
        return (
            f"grammars over {', '.join(stats['voted'])} classes vote; on average "
            f"{100 * stats['agreement']:.1f}% of a grammar's heads win"
        )
    kept = f"kept seed {stats['seed']}"
    if "joined" in stats:
        kept = f"joined seeds {', '.join(map(str, stats['joined']))}"
    text = f"{kept}: {stats['bits']:.4f} bits a word"
    if stats["restarts"] > 1:
        text += (
            f", agreement with the others {100 * stats['agreement']:.1f}% (spread of bits "
            f"{stats['spread']:.4f})"
        )
    if "rival" in stats:
        other = "without restarts" if "joined" in stats else "of joined restarts"
        text += f", roots of {stats['roots']:.2f} bits ({other}: {stats['rival']:.2f})"
    return text


def _data_line(stats: Mapping[str, Any]) -> str:
    return (
        f"{_several(stats['sentences'], 'sentence')}, {_several(stats['words'], 'word')}, "
        f"{_several(stats['classes'], 'class', 'classes')}; "
        f"{stats['with_marks_inside']:,} with punctuation inside, {stats['complete']:,} complete, "
        f"{stats['too_long']:,} too long"
    )


def _several(number: int, one: str, more: str = "") -> str:
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def _resumed_line(stats: Mapping[str, Any]) -> str:
    if "members" in stats:
        return f"goes on after the grammars over {', '.join(stats['members'])} classes"
    done = [f"restart {stats['restarts']}"] if stats["restarts"] else []
    if "stage" in stats:
        done.append(f"stage {stats['stage']}, iteration {stats['iteration']}")
    return f"goes on after {', '.join(done) or 'the word classes'}"


def _card(grammar: Grammar, options: InduceOptions, summary: Mapping[str, Any]) -> str:
    data = summary.get("data", {})
    return card(
        "A grammar induced from text",
        f"Model {grammar.model}, recipe {options.chosen_recipe}, rules {grammar.history['rules']}, "
        f"classes {options.classes}, "
        f"{data.get('sentences', 0):,} sentences, {data.get('words', 0):,} words.\n"
        "No tree was looked at"
        + ("" if options.classes in ("upos", "xpos") else ", and no tag")
        + f". Seed {summary.get('seed')}, {summary.get('bits', 0.0):.4f} bits a word.",
    )
