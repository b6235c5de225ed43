"""Train a tagger from documents: one function for scripts, jackknifing and the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from caesura.document import Document
from caesura.learn.loop import Event, Loop
from caesura.models.file import Part
from caesura.tag.options import TaggerOptions
from caesura.tag.tagger import Tagger

__all__ = ["tagger_loop", "train_tagger"]


def tagger_loop(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TaggerOptions | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    init: Part | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    fingerprint: str = "",
) -> Loop:
    """A training loop over a tagger; iterate over it, then take `best`."""
    from caesura.tag.trainer import TaggerTrainer

    options = options or TaggerOptions()
    return Loop(
        TaggerTrainer(train, dev, options, word_classes=word_classes, init=init),
        options.epochs,
        metric="mean",
        patience=options.patience,
        checkpoint=checkpoint,
        resume=resume,
        fingerprint=fingerprint,
    )


def train_tagger(
    train: Sequence[Document],
    dev: Sequence[Document] = (),
    options: TaggerOptions | None = None,
    *,
    word_classes: Mapping[str, int] | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Tagger:
    """Train a tagger to the end.

    Further copies of the documents, such as lower-cased ones without punctuation, make it robust;
    they are simply more documents.
    """
    if not dev and on_event is None:
        from caesura.tag.trainer import TaggerTrainer

        options = options or TaggerOptions()
        trainer = TaggerTrainer(train, (), options, word_classes=word_classes)
        for number in range(1, options.epochs + 1):
            trainer.epoch(number)
        return Tagger(trainer.parts()["tagger"])
    loop = tagger_loop(train, dev, options, word_classes=word_classes)
    for event in loop:
        if on_event is not None:
            on_event(event)
    return Tagger(loop.best["tagger"])
