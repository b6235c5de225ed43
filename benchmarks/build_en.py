"""Build the bundled English model `en` from UD_English-EWT's training split alone.

    python benchmarks/build_en.py                 # writes src/caesura/models/en.caesura

The same data and the same version give the same bytes. The dev split chooses epochs and tunes the
boundary bonus, and its scores go onto the model's card.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import Any

from data import ROOT, file_of

from caesura.cli.training import Console
from caesura.formats import read
from caesura.models.file import Part, save
from caesura.parse.options import SearchOptions
from caesura.parse.options import TrainOptions as ParserOptions
from caesura.pipeline.confidence import META
from caesura.pipeline.core import MODES
from caesura.train import PipelineOptions, PipelineTrainer
from caesura.train.evaluation import dev_confidences, dev_scores
from caesura.train.pipeline import model_card

LICENCE = """
## Data and licence

Trained on the training split of UD_English-EWT (Universal Dependencies, CC BY-SA 4.0): web logs,
newsgroups, e-mails, reviews and answers. The model is a work derived from it and is licensed under
CC BY-SA 4.0. No other data were used. Part of the training text was also seen in lower case and
without punctuation, so that the model serves transcripts too.

## What it is not

It knows web English of the 2000s and 2010s; other domains cost accuracy. It has no entities.
"""


def options(threads: int = 1) -> PipelineOptions:
    """What the model is trained with; threads change how long it takes and nothing else."""
    search = SearchOptions(beam=32, margin=0.35)
    return PipelineOptions(
        parser=ParserOptions(
            search=search, step="pa", dlaso_pa="in-turn", epochs=14, bits=19, threads=threads
        ),
        folds=5,
        speech=0.35,
        drop=0.6,
    )


def build(
    output: Path, folder: Path, *, quiet: bool, limit: int | None = None, threads: int = 1
) -> dict[str, dict[str, float]]:
    paths = [file_of("UD_English-EWT", split) for split in ("train", "dev")]
    train, dev = (list(read(path))[:limit] for path in paths)
    trainer = PipelineTrainer(
        train,
        dev,
        options(threads),
        folder=folder,
        resume=True,
        report=Console(quiet=quiet, headings=True),
    )
    parts = trainer.run()
    meta: dict[str, Any] = {
        "name": "en",
        "language": "en",
        "licence": "CC-BY-SA-4.0",
        "trained_on": ["UD_English-EWT train"],
        "data_sha256": [hashlib.sha256(paths[0].read_bytes()).hexdigest()],
        "words": sum(doc.n_words for doc in train),
        "documents": len(train),
        "stages": sorted(parts),
        "left_out": trainer.left_out,
    }
    return write(output, parts, meta, dev)


def write(
    output: Path, parts: dict[str, Part], meta: dict[str, Any], dev: Any
) -> dict[str, dict[str, float]]:
    """Write the file, score it, and write it again with its scores on the card."""
    save(output, parts, meta=meta, kind="pipeline")
    scores = {mode: dev_scores(str(output), dev, mode) for mode in MODES}
    meta["scores"] = scores
    meta[META] = dev_confidences(str(output), dev)
    card = model_card(meta["name"], meta, scores) + LICENCE
    save(output, parts, meta=meta, card=card, kind="pipeline")
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "src" / "caesura" / "models" / "en.caesura"
    )
    parser.add_argument("--folder", type=Path, default=Path("en.parts"), help="finished stages")
    parser.add_argument("--limit", type=int, help="so many documents of each split, for a trial")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--quiet", action="store_true")
    arguments = parser.parse_args()
    scores = build(
        arguments.output,
        arguments.folder,
        quiet=arguments.quiet,
        limit=arguments.limit,
        threads=arguments.threads,
    )
    for mode, values in scores.items():
        print(mode, " ".join(f"{name} {value:.2f}" for name, value in values.items()))
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
