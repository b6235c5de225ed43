"""`caesura train tagger`: learn to tag from a treebank, or re-tag the treebank by jackknifing."""

from __future__ import annotations

from collections.abc import Sequence

from caesura import formats
from caesura.cluster.classes import load_classes
from caesura.document import Document
from caesura.learn.card import card, score_table
from caesura.learn.data import transcripts
from caesura.learn.fingerprint import digest, file_digest, fingerprint
from caesura.learn.jackknifing import jackknife
from caesura.learn.report import follow
from caesura.learn.run import Result, Run
from caesura.learn.tagger import tagger_loop
from caesura.learn.tagger_labels import boundary_chain
from caesura.models.store import find, load_model
from caesura.stages.tagger import Regime
from caesura.stages.tagger_options import TaggerOptions, boundary_options

__all__ = ["jackknife_treebank", "train_tagger"]

#: What a tagger learns from.
LEARNED = ("form", "lemma", "upos", "xpos", "feats")


def _options(run: Run, train: Sequence[Document], boundaries: bool) -> TaggerOptions:
    defaults = boundary_options(boundary_chain(train)) if boundaries else TaggerOptions()
    return run.options(defaults, "tagger")


def train_tagger(
    run: Run,
    *,
    init: str | None = None,
    classes: str | None = None,
    speech: bool = False,
    boundaries: bool = False,
) -> Result:
    """Train a tagger, or with `boundaries` a labeller of tags and sentence starts in one."""
    run.kept.check()
    train = list(run.data.read(run.data.train, run.report))
    options = _options(run, train, boundaries)
    dev = list(run.data.read(run.data.dev, run.report))
    run.kept.begin()
    if speech:
        train += transcripts(train)
    known = (file_digest(find(init)) if init else "", file_digest(classes))
    loop = tagger_loop(
        train,
        dev,
        options,
        word_classes=dict(load_classes(classes)) if classes else None,
        init=load_model(init).part("tagger") if init else None,
        checkpoint=run.checkpoint(),
        resume=run.kept.resume,
        fingerprint=fingerprint(digest((*train, *dev)), options, known, free=("epochs",)),
    )
    follow(loop, "Tagger", run.report)
    scores = loop.best_scores
    meta = {
        "trained_on": run.sources(),
        "data_sha256": digest(train, LEARNED, ("sent_start",), text=False),
        "scores": scores,
        "words": sum(doc.n_words for doc in train),
    }
    told = f"Trained on {meta['words']} words."
    run.save(loop.best, meta, card("Tagger", told, score_table(("column", "dev accuracy"), scores)))
    loop.finish()
    about = {
        "model": run.output,
        "epochs": len(loop.history),
        "best_epoch": loop.best_epoch,
        "scores": scores,
    }
    return Result(run.output, about, scores, next=("tag", "-m", run.output, "tokens.conllu"))


def jackknife_treebank(
    run: Run, folds: int, *, regime: Regime = "auto", boundaries: bool = False
) -> Result:
    """Write the training data with tags by taggers that have not seen them."""
    train = list(run.data.read(run.data.train, run.report))
    options = _options(run, train, boundaries)
    with run.report.counting("Jackknifing", unit="folds", total=folds) as progress:
        tagged = jackknife(
            train, options, folds, regime=regime, on_fold=lambda fold, of: progress.advance()
        )
    formats.write(tagged, run.output)
    about = {"output": run.output, "folds": folds, "documents": len(tagged)}
    following = ("train", "parser", run.output, "-o", "parser.caesura")
    return Result(run.output, about, what="Treebank", next=following)
