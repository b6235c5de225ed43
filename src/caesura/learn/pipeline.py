"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.language import Tally
from caesura.learn.fingerprint import file_digest
from caesura.learn.joint_parser import refuse_beam
from caesura.learn.network.training import (
    FinetuneOptions,
    NeuralOptions,
    check_encoder,
    code_of_files,
    is_network,
    train_from,
    train_neural,
)
from caesura.learn.run import Result, Run, card, score_table, transcripts
from caesura.learn.silver import Lessons, Silver, label
from caesura.learn.stages import PipelineOptions, PipelineTrainer
from caesura.models.file import Part
from caesura.models.licence import licence_line
from caesura.models.store import load_model
from caesura.pipeline import load
from caesura.pipeline.confidence import META, fit_starts


def train_pipeline(
    run: Run,
    *,
    init: str | None = None,
    encoder: str | None = None,
    lessons: Lessons | None = None,
    licence: str | None = None,
) -> Result:
    """Train everything that the treebank allows; what it does not have is left out and named.

    With an `encoder` a network takes the place of tagger and parser. With `lessons` it also learns
    from raw text that a teacher labels. With `init` it goes on from a model: a network that was
    trained on other treebanks makes one of this treebank. The model names its `licence`.
    """
    more = {} if licence is None else {"licence": licence}
    run.kept.check()
    if init is not None and encoder is None and is_network(init):
        return _finetuned(run, init, more)
    options = _options(run, encoder)
    if isinstance(options, NeuralOptions):
        check_encoder(encoder or "", options.layers)
    if lessons is not None:
        options.check_silver()
    documents, held = run.read()
    silver = None
    if lessons is not None:
        run.kept.labels = lessons.folder
        names = ", ".join(Path(path).name for path in run.data.dev)
        said = language_of(documents).get("language")
        silver = label(
            lessons, [*held, *documents], {names: held}, options.silver, run.report, said
        )
    if isinstance(options, NeuralOptions):
        parts, left_out, finish = _network(run, documents, held, encoder or "", options, silver)
    else:
        parts, left_out, finish = _linear(run, documents, held, init, options, silver)
    return _finished(run, documents, held, parts, left_out, silver, finish, more)


def _finished(
    run: Run,
    documents: Sequence[Document],
    held: Sequence[Document],
    parts: Mapping[str, Part],
    left_out: Sequence[str],
    silver: Silver | None,
    finish: Callable[[], None],
    more: Mapping[str, Any],
) -> Result:
    """Write and score the model, and say what was made."""
    scores = _save(run, documents, held, parts, left_out, silver, more)
    finish()
    for note in left_out:
        run.report.say(f"Left out: {note}")
    # A model without a tokeniser parses tokens, so the next command needs a file with some.
    given = ("text.txt",) if "tokenizer" in parts else ("--keep-tokens", "tokens.conllu")
    about = {"model": run.output, "scores": scores, "left_out": list(left_out)}
    shown = {"F1": scores} if scores else {}
    return Result(run.output, about, shown, next=("parse", "-m", run.output, *given))


def _finetuned(run: Run, init: str, more: Mapping[str, Any]) -> Result:
    """A network that goes on from another one."""
    flags = {name: run.flags[name] for name in ("seed", "frozen") if name in run.flags}
    options = run.options(FinetuneOptions(), "finetune", flags)
    documents, held = run.read()
    told = code_of_files(run.data.train) or language_of(documents).get("language")
    run.kept.begin()
    parts, trainer = train_from(
        documents,
        held,
        init,
        options,
        language=told,
        folder=_folder(run),
        resume=run.kept.resume,
        report=run.report,
    )
    more = {**more, "init": init, **({"language": told} if told else {})}
    return _finished(
        run, documents, held, parts, list(trainer.left_out), None, trainer.finish, more
    )


#: The parts of a model, what is left out of it, and what to call when it is written.
Trained = tuple[dict[str, Part], list[str], Callable[[], None]]


def _options(run: Run, encoder: str | None) -> PipelineOptions | NeuralOptions:
    if encoder is not None:
        flags = {"speech": True} if run.flags.get("speech") else {}
        shared = ("seed", *(name for name in run.flags if name.startswith("silver.")))
        flags |= {name: run.flags[name] for name in shared if name in run.flags}
        return run.options(NeuralOptions(), "neural", flags)
    options = run.options(PipelineOptions(), "pipeline")
    if options.parser.update == "greedy":
        # From a default of 1 it can be seen whether somebody has asked for more.
        greedy = replace(
            options,
            search=replace(options.search, beam=1),
            parser=replace(options.parser, search=replace(options.parser.search, beam=1)),
        )
        options = run.options(greedy, "pipeline")
        refuse_beam(max(options.search.beam, options.parser.search.beam))
    return options


def _linear(
    run: Run,
    documents: Sequence[Document],
    held: Sequence[Document],
    init: str | None,
    options: PipelineOptions,
    silver: Silver | None,
) -> Trained:
    start = load_model(init) if init else None
    run.kept.begin()
    trainer = PipelineTrainer(
        documents,
        held,
        options,
        init=start,
        silver=silver.docs if silver is not None else (),
        folder=_folder(run),
        resume=run.kept.resume,
        report=run.report,
    )
    return trainer.run(), list(trainer.left_out), trainer.finish


def _network(
    run: Run,
    documents: Sequence[Document],
    held: Sequence[Document],
    encoder: str,
    options: NeuralOptions,
    silver: Silver | None,
) -> Trained:
    run.kept.begin()
    parts, trainer = train_neural(
        documents,
        held,
        encoder,
        options,
        silver=silver,
        folder=_folder(run),
        resume=run.kept.resume,
        report=run.report,
    )
    return parts, list(trainer.left_out), trainer.finish


def _folder(run: Run) -> Path:
    """Where stages that are done are kept."""
    return Path(f"{run.output}.parts")


def _save(
    run: Run,
    documents: Sequence[Document],
    held: Sequence[Document],
    parts: Mapping[str, Part],
    left_out: Sequence[str],
    silver: Silver | None,
    more: Mapping[str, Any],
) -> dict[str, float]:
    """Write the model, score it as it will be used, and write it again with its scores."""
    meta: dict[str, Any] = {
        "name": Path(run.output).name.removesuffix(".caesura"),
        "trained_on": run.sources(),
        "data_sha256": [file_digest(path) for path in run.data.train if path != "-"],
        "words": sum(doc.n_words for doc in documents),
        "documents": len(documents),
        "stages": sorted(parts),
        "left_out": list(left_out),
        **language_of(documents),
        **more,
    }
    if silver is not None:
        meta["silver"] = {
            name: silver.about[name] for name in ("teachers", "text", "documents", "words")
        }
    run.save(parts, meta, model_card(meta["name"], meta, {}), kind="pipeline")
    scores: dict[str, float] = {}
    if held:
        scores = meta["scores"] = dev_scores(run.output, held)
        meta[META] = dev_confidences(run.output, held)
        run.save(parts, meta, model_card(meta["name"], meta, {"F1": scores}), kind="pipeline")
    return scores


def language_of(documents: Sequence[Document]) -> dict[str, str]:
    """The language of the training data, which the model will expect of texts."""
    tally = Tally()
    for doc in documents[:200]:
        tally.add(doc.text)
    found = tally.language()
    return {} if found is None else {"language": found}


def model_card(
    name: str, meta: Mapping[str, Any], scores: Mapping[str, Mapping[str, float]]
) -> str:
    """The card of a pipeline: data, parts and dev scores, in columns that have titles."""
    data = f"Trained on {', '.join(meta['trained_on'])}"
    data += f" ({meta['words']} words, {meta['documents']} documents)."
    if "init" in meta:
        data += f"\nGone on from {meta['init']}."
    if "silver" in meta:
        silver = meta["silver"]
        files = ", ".join(one["file"] for one in silver["text"])
        teachers = ", ".join(one["name"] for one in silver["teachers"])
        data += f"\nAlso on raw text labelled by {teachers}: {files} ({silver['words']} words)."
    parts = [f"Parts: {', '.join(meta['stages'])}."]
    parts += [f"Left out: {note}." for note in meta["left_out"]]
    heads = list(scores)
    rows = {name: [scores[h][name] for h in heads] for name in scores[heads[0]]} if heads else {}
    told = "Dev scores from raw text, F1 by the CoNLL 2018 definition:" if heads else ""
    licence = licence_line(meta["licence"]) if "licence" in meta else ""
    return card(name, data, "\n".join(parts), told, score_table(("", *heads), rows), licence)


def dev_scores(path: str, dev: Sequence[Document]) -> dict[str, float]:
    """CoNLL 2018 F1 of a model from raw text, or from given tokens if it has no tokeniser."""
    nlp = load(path)
    if nlp.has_tokenizer:
        system = list(nlp.pipe(doc.text for doc in dev))
    else:
        system = list(nlp.pipe(dev, keep=("tokens",)))
    return {name: round(score.f1, 2) for name, score in conll18(dev, system).items()}


def dev_confidences(path: str, dev: Sequence[Document]) -> dict[str, Any]:
    """What the confidences of a model's boundaries are worth, in dev text and in transcripts."""
    return fit_starts(load(path), [*dev, *transcripts(dev)])
