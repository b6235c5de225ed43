"""`caesura train tokenizer`: learn tokens, words and sentence starts from a treebank."""

from __future__ import annotations

from pathlib import Path

from caesura.learn.card import card, score_table
from caesura.learn.data import refuse_empty
from caesura.learn.evaluation import token_scores
from caesura.learn.fingerprint import digest, file_digest, fingerprint
from caesura.learn.loop import Loop
from caesura.learn.report import follow
from caesura.learn.run import Result, Run
from caesura.learn.tokenizer import TokenizerTrainer, with_scale
from caesura.models.store import find
from caesura.stages.tokenizer import Tokenizer
from caesura.stages.tokenizer_options import TokenizerOptions

__all__ = ["train_tokenizer"]


def train_tokenizer(run: Run, *, init: str | None = None) -> Result:
    """Train a tokeniser; with dev data the model of the best epoch is kept."""
    run.kept.check()
    options = run.options(TokenizerOptions(), "tokenizer")
    train, dev = run.read()
    refuse_empty(run.data.train, train)
    refuse_empty(run.data.dev, dev)
    start = Tokenizer.load(init) if init else None
    trainer = TokenizerTrainer(train, options, dev=dev, scorer=token_scores, init=start)
    run.kept.begin()
    older = file_digest(find(init)) if init else ""
    loop = Loop(
        trainer,
        options.epochs,
        metric="Mean",
        patience=options.patience,
        checkpoint=run.checkpoint(),
        resume=run.kept.resume,
        fingerprint=fingerprint(digest((*train, *dev)), options, older, free=("epochs",)),
    )
    follow(loop, "Training the tokeniser", run.report)
    scores = loop.best_scores
    scores.pop("Mean", None)
    files = (*run.data.train, *run.data.dev)
    meta = {
        "training_data": {Path(file).name: file_digest(file) for file in files if file != "-"},
        "scores": scores,
        "spaces": run.data.space,
    }
    parts = dict(loop.best) | {"tokenizer": with_scale(loop.best["tokenizer"], dev)}
    told = f"Trained on {', '.join(run.sources())}."
    run.save(parts, meta, card("A tokeniser", told, score_table(("dev", "F1"), scores)))
    loop.finish()
    about = {"model": run.output, "epoch": loop.best_epoch, "scores": scores}
    return Result(run.output, about, scores, next=("tokenize", "-m", run.output, "text.txt"))
