"""Build the bundled English model `en-neural` from UD_English-EWT's training split alone.

    python benchmarks/build_en_neural.py --encoder FOLDER

FOLDER holds all-MiniLM-L6-v2 in the Hugging Face layout (Apache-2.0). The three stages may run on
different machines: `--stage prepare` writes arrays, `--stage train` needs nothing but numpy,
PyTorch, transformers and safetensors, and a GPU for speed, and `--stage finish` exports the
network, tunes nothing, scores it on dev and writes src/caesura/models/en-neural.caesura.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

from data import ROOT, file_of

EPOCHS = 50
LAYERS = 4
SEED = 0
LICENCE = """
## Data, encoder and licence

Trained on the training split of UD_English-EWT (Universal Dependencies, CC BY-SA 4.0), each
document also in lower case and without punctuation. The encoder is the first four layers of
all-MiniLM-L6-v2 (Apache-2.0), fine-tuned. The model is licensed under CC BY-SA 4.0. Weights are
8-bit integers with one scale a channel.

## What it is not

It knows web English of the 2000s and 2010s; other domains cost accuracy. It has no entities.
"""


def prepare(encoder: Path, folder: Path) -> None:
    """Arrays of the training and dev documents."""
    from caesura.formats import read
    from caesura.neural.examples import Examples
    from caesura.neural.prepare import labels_of
    from caesura.neural.prepare import prepare as arrays
    from caesura.neural.subwords import Subwords
    from caesura.transform import speech

    folder.mkdir(parents=True, exist_ok=True)
    train, dev = (list(read(file_of("UD_English-EWT", split))) for split in ("train", "dev"))
    copies = [copy for copy in map(speech, train) if copy.n_words]
    spoken = [copy for copy in map(speech, dev) if copy.n_words]
    labels, subwords = labels_of([*train, *copies]), Subwords.from_folder(encoder)
    both = [
        arrays(train, labels, subwords, seen=True),
        arrays(copies, labels, subwords, seen=False),
    ]
    Examples.join(both).save(folder / "train.npz")
    arrays(dev, labels, subwords, seen=True).save(folder / "dev.npz")
    arrays(spoken, labels, subwords, seen=False).save(folder / "speech.npz")
    about = {"labels": labels.as_lists(), "special": list(subwords.special)}
    (folder / "labels.json").write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")


def train(encoder: Path, folder: Path) -> None:
    """The weights after the last epoch; the dev scores are only looked at."""
    import torch
    from safetensors.numpy import save_file

    from caesura.learn.loop import Loop
    from caesura.neural.examples import Examples
    from caesura.neural.net import Net, NetOptions, load_encoder
    from caesura.neural.train import NeuralTrainer, TrainOptions

    about = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    sizes = {name: len(values) for name, values in about["labels"].items()}
    torch.manual_seed(SEED)
    net = Net(load_encoder(encoder, LAYERS), sizes, NetOptions(layers=LAYERS))
    held = {name: Examples.load(folder / f"{name}.npz") for name in ("dev", "speech")}
    options = TrainOptions(epochs=EPOCHS, batch_pieces=4096, encoder_step=1e-4, seed=SEED)
    learner = NeuralTrainer(
        net,
        Examples.load(folder / "train.npz"),
        held,
        tuple(about["special"]),
        options,
        "cuda" if torch.cuda.is_available() else "cpu",
    )
    loop = Loop(learner, EPOCHS)
    clock = time.perf_counter()
    for event in loop:
        if event.kind == "epoch":
            told = " ".join(f"{k} {v:.2f}" for k, v in event.scores.items())
            print(f"{event.epoch} {time.perf_counter() - clock:.0f} s {told}", flush=True)
    arrays = loop.best["weights"].arrays
    small = {k: a.astype("float16") if a.dtype == "float32" else a for k, a in arrays.items()}
    save_file(small, folder / "weights.safetensors")


def finish(encoder: Path, folder: Path, output: Path) -> dict[str, Any]:
    """The model file, with its dev scores on the card."""
    from safetensors.numpy import load_file

    from caesura.cli.training import Console
    from caesura.formats import read
    from caesura.models.file import Part, save
    from caesura.neural.examples import Labels
    from caesura.neural.net import Net, NetOptions, load_encoder
    from caesura.neural.parser import SearchSettings
    from caesura.neural.prepare import finish as export
    from caesura.neural.scale import measure_scale
    from caesura.neural.subwords import Subwords
    from caesura.train.data import transcripts
    from caesura.train.evaluation import dev_scores
    from caesura.train.pipeline import model_card
    from caesura.train.stages import PipelineTrainer

    about = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    labels = Labels(**{name: tuple(values) for name, values in about["labels"].items()})
    net = Net(load_encoder(encoder, LAYERS), labels.sizes, NetOptions(layers=LAYERS))
    arrays = load_file(folder / "weights.safetensors")
    weights = {k: a.astype("float32") if a.dtype == "float16" else a for k, a in arrays.items()}
    # Boundaries are biased on transcripts alone, by what was best on dev.
    search = SearchSettings(unedited=1.2)
    subwords = Subwords.from_folder(encoder)
    stage = export(net, Part("weights", {}, {}, weights), labels, subwords, search, 510)
    paths = [file_of("UD_English-EWT", split) for split in ("train", "dev")]
    train, dev = (list(read(path)) for path in paths)
    stage.scale = measure_scale(stage, [*dev, *transcripts(dev)])
    trainer = PipelineTrainer(
        train, dev, folder=folder / "parts", resume=True, report=Console(headings=True)
    )
    parts = {"tokenizer": trainer.stage("tokenizer"), "neural": stage.to_part()}
    meta: dict[str, Any] = {
        "name": "en-neural",
        "language": "en",
        "licence": "CC-BY-SA-4.0",
        "encoder": "all-MiniLM-L6-v2, first 4 layers (Apache-2.0)",
        "trained_on": ["UD_English-EWT train"],
        "data_sha256": [hashlib.sha256(paths[0].read_bytes()).hexdigest()],
        "words": sum(doc.n_words for doc in train),
        "documents": len(train),
        "stages": sorted(parts),
        "left_out": [],
    }
    save(output, parts, meta=meta, kind="pipeline")
    scores = {"accurate": dev_scores(str(output), dev, "accurate")}
    meta["scores"] = scores
    card = model_card("en-neural", meta, scores) + LICENCE
    save(output, parts, meta=meta, card=card, kind="pipeline")
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=Path, required=True, help="all-MiniLM-L6-v2")
    parser.add_argument("--stage", choices=["prepare", "train", "finish", "all"], default="all")
    parser.add_argument("--folder", type=Path, default=Path("en-neural.parts"))
    parser.add_argument(
        "-o", "--output", type=Path, default=ROOT / "src/caesura/models/en-neural.caesura"
    )
    arguments = parser.parse_args()
    if arguments.stage in ("prepare", "all"):
        prepare(arguments.encoder, arguments.folder)
    if arguments.stage in ("train", "all"):
        train(arguments.encoder, arguments.folder)
    if arguments.stage in ("finish", "all"):
        for mode, scores in finish(arguments.encoder, arguments.folder, arguments.output).items():
            print(mode, " ".join(f"{name} {value:.2f}" for name, value in scores.items()))
        print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
