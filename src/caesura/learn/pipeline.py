"""`caesura train pipeline`: everything from raw text to trees, from one treebank, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from caesura.document import Document
from caesura.evaluate.conll import conll18
from caesura.guidelines import table_of
from caesura.guidelines.table import PART, part_of
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
from caesura.learn.silver import Lessons, label
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
    run.kept.check()
    options = _options(run, init, encoder)
    if isinstance(options, NeuralOptions):
        check_encoder(encoder or "", options.layers)
    if lessons is not None and not isinstance(options, FinetuneOptions):
        options.check_silver()
    documents, held = run.read()
    language = language_of(documents).get("language")
    more: dict[str, Any] = {} if licence is None else {"licence": licence}
    kept: dict[str, Any] = {
        "folder": Path(f"{run.output}.parts"),  # of stages that are done
        "resume": run.kept.resume,
        "report": run.report,
    }
    silver = None
    if lessons is not None and not isinstance(options, FinetuneOptions):
        run.kept.labels = lessons.folder
        names = ", ".join(Path(path).name for path in run.data.dev)
        gold = [*held, *documents]
        silver = label(lessons, gold, {names: held}, options.silver, run.report, language)
    if isinstance(options, FinetuneOptions):
        assert init is not None
        language = code_of_files(run.data.train) or language
        more |= {"init": init, **({"language": language} if language else {})}
        run.kept.begin()
        parts, trainer = train_from(documents, held, init, options, language=language, **kept)
    elif isinstance(options, NeuralOptions):
        run.kept.begin()
        parts, trainer = train_neural(
            documents, held, encoder or "", options, silver=silver, **kept
        )
    else:
        start = load_model(init) if init else None
        run.kept.begin()
        docs = silver.docs if silver is not None else ()
        trainer = PipelineTrainer(documents, held, options, init=start, silver=docs, **kept)
        parts = trainer.run()
    left_out = list(trainer.left_out)
    if silver is not None:
        about = ("teachers", "text", "documents", "words")
        more["silver"] = {name: silver.about[name] for name in about}
    scores = _save(run, documents, held, parts, left_out, more)
    trainer.finish()
    for note in left_out:
        run.report.say(f"Left out: {note}")
    # A model without a tokeniser parses tokens, so the next command needs a file with some.
    given = ("text.txt",) if "tokenizer" in parts else ("--keep-tokens", "tokens.conllu")
    told = {"model": run.output, "scores": scores, "left_out": left_out}
    shown = {"F1": scores} if scores else {}
    return Result(run.output, told, shown, next=("parse", "-m", run.output, *given))


def _options(
    run: Run, init: str | None, encoder: str | None
) -> PipelineOptions | NeuralOptions | FinetuneOptions:
    if init is not None and encoder is None and is_network(init):
        flags = {name: run.flags[name] for name in ("seed", "frozen") if name in run.flags}
        return run.options(FinetuneOptions(), "finetune", flags)
    if encoder is not None:
        flags = {"speech": True} if run.flags.get("speech") else {}
        shared = ("seed", *(name for name in run.flags if name.startswith("silver.")))
        flags |= {name: run.flags[name] for name in shared if name in run.flags}
        return run.options(NeuralOptions(), "neural", flags)
    options = run.options(PipelineOptions(), "pipeline")
    if options.parser.update == "greedy":
        # With a default of 1 a wider beam is one that the caller chose.
        greedy = replace(
            options,
            search=replace(options.search, beam=1),
            parser=replace(options.parser, search=replace(options.parser.search, beam=1)),
        )
        options = run.options(greedy, "pipeline")
        refuse_beam(max(options.search.beam, options.parser.search.beam))
    return options


def _save(
    run: Run,
    documents: Sequence[Document],
    held: Sequence[Document],
    parts: Mapping[str, Part],
    left_out: Sequence[str],
    more: Mapping[str, Any],
) -> dict[str, float]:
    """Write the model, score it as it will be used, and write it again with its scores."""
    guidelines = table_of(documents)
    parts = {**parts, **({} if guidelines is None else {PART: part_of(guidelines)})}
    meta: dict[str, Any] = {
        "name": Path(run.output).name.removesuffix(".caesura"),
        "trained_on": run.sources(),
        "data_sha256": [file_digest(path) for path in run.data.train if path != "-"],
        "words": sum(doc.n_words for doc in documents),
        "documents": len(documents),
        "stages": sorted(parts.keys() - {PART}),
        "left_out": list(left_out),
        **language_of(documents),
        **more,
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
    """Calibration maps for the boundary confidences, on dev text and on its transcripts."""
    return fit_starts(load(path), [*dev, *transcripts(dev)])
