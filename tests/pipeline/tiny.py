"""A whole pipeline that learns from a page of our own in seconds: bad, but a pipeline."""

from __future__ import annotations

from pathlib import Path

from caesura.document import Document

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = (EXAMPLES / "harbour.txt").read_text(encoding="utf-8")


def treebank() -> list[Document]:
    from caesura import formats

    return list(formats.read(EXAMPLES / "harbour.conllu"))


def train(docs: list[Document], path: Path, *, epochs: int = 3, small: bool = True) -> Path:
    """Train every stage on the documents and save one model file."""
    from caesura.learn.joint_parser import ParserTrainer, TrainOptions
    from caesura.learn.tagger import train_tagger
    from caesura.learn.tagger_data import TaggerOptions
    from caesura.models import save
    from caesura.stages.joint_features import DEFAULT_TEMPLATES, without
    from caesura.stages.joint_parser import SearchOptions
    from caesura.tokenize import TokenizerOptions
    from caesura.tokenize import train as train_tokenizer

    bits = 14 if small else 20
    tokenizer = train_tokenizer(
        docs,
        TokenizerOptions(bits=bits + (0 if small else 4), epochs=epochs, rare_cut=1, rare_start=1),
    )
    tagger = train_tagger(docs, options=TaggerOptions(epochs=epochs, cutoff=1 if small else 2))
    for doc in docs:
        doc.start_evidence = tokenizer.evidence(doc)
    # One page has too few lines to learn from.
    options = TrainOptions(
        search=SearchOptions(beam=4 if small else 8),
        bits=bits,
        epochs=epochs,
        templates=without(DEFAULT_TEMPLATES, ["layout"]),
    )
    trainer = ParserTrainer(docs, (), options)
    for number in range(1, epochs + 1):
        trainer.epoch(number)
    parts = {"tokenizer": tokenizer.to_part(), "tagger": tagger.part, **trainer.parts()}
    save(path, parts, meta={"name": path.stem}, card="# A tiny model\n\nFor tests.\n")
    return path
