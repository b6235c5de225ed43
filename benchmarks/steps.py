"""How long a step of a network's training takes on a graphics card, recorded and not.

    python benchmarks/steps.py
    python benchmarks/steps.py --epochs 5

Networks of the sizes of `en-large` and `en`, with random weights, learn our example, letter by
letter, in batches of 8,192 letters. A step is told to the card call by call, or recorded once for
each shape of a batch and played again (`neural.cuda_graphs`), as all training on a card does.
Epochs behind the first count, in which libraries choose their ways and steps are recorded; `busy`
is the time in which the card has work at all, by its own account.
"""

from __future__ import annotations

import argparse
import time

import torch
from data import ROOT

from caesura.formats import read
from caesura.neural.encoder import Transformer
from caesura.neural.net import Net, NetOptions
from caesura.neural.prepare import labels_of, prepare
from caesura.neural.shape import EncoderShape
from caesura.neural.train import NeuralTrainer, Source, TrainOptions
from caesura.neural.wordpiece import WordPiece

#: Hidden, layers, heads and inner of the encoder, whether it has a bias by distance, arcs.
NETWORKS = {"en-large": (768, 8, 12, 3072, 32, 512), "en": (384, 6, 12, 1536, 0, 384)}
#: How often an epoch reads the example.
TIMES = 600.0


def trainer(name: str, recorded: bool, epochs: int) -> NeuralTrainer:
    hidden, layers, heads, inner, buckets, arcs = NETWORKS[name]
    docs = list(read(ROOT / "examples" / "harbour.conllu"))
    letters = sorted({letter for doc in docs for form in doc.column("form") for letter in form})
    pieces = (*letters, *(f"##{letter}" for letter in letters))
    subwords = WordPiece(("[PAD]", "[UNK]", "[CLS]", "[SEP]", *pieces), lowercase=False)
    labels = labels_of(docs)
    shape = EncoderShape(
        30_522, hidden, layers, heads, inner, 514, first_position=2, buckets=buckets
    )
    net = Net(Transformer(shape), labels.sizes, NetOptions(arc_size=arcs, layers=layers))
    data = prepare(docs, labels, subwords)
    options = TrainOptions(epochs=epochs)
    made = NeuralTrainer(net, [Source(data, TIMES)], {}, subwords.special, options, "cuda")
    if not recorded:
        made.recorder = None
    return made


def measure(name: str, recorded: bool, epochs: int) -> tuple[float, float]:
    """Milliseconds of a step, and those of them in which the card is busy."""
    learner = trainer(name, recorded, epochs)
    learner.epoch(1)
    torch.cuda.synchronize()
    before, clock = learner.step, time.perf_counter()
    for number in range(2, epochs):
        learner.epoch(number)
    torch.cuda.synchronize()
    taken = (time.perf_counter() - clock) / (learner.step - before)
    before = learner.step
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        learner.epoch(epochs)
        torch.cuda.synchronize()
    busy = sum(row.self_device_time_total for row in seen.key_averages())
    return 1e3 * taken, busy / 1e3 / (learner.step - before)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=3, help="3 at least [3]")
    asked = parser.parse_args()
    if asked.epochs < 3:
        parser.error("the first epoch and the last are not timed: ask for three at least")
    if not torch.cuda.is_available():
        raise SystemExit("there is no graphics card that PyTorch can use")
    print(torch.cuda.get_device_name())
    for name in NETWORKS:
        for recorded in (False, True):
            taken, busy = measure(name, recorded, asked.epochs)
            how = "recorded" if recorded else "call by call"
            print(f"{name:10}{how:14}{taken:6.1f} ms a step, the card busy for {busy:.1f} ms")


if __name__ == "__main__":
    main()
