"""The network: an encoder of sub-words, words pooled from them, and a head for each decision.

Boundaries, tags and lemmas are linear in the word's vector; arcs and labels are biaffine (Dozat &
Manning, 2017), and arcs compete over the whole window, so that the network need not know where
sentences end before it scores them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from caesura.neural.encoder import Transformer
from caesura.neural.examples import feature_sizes

__all__ = ["Net", "NetOptions"]


@dataclass(frozen=True)
class NetOptions:
    """Sizes of the network's heads."""

    arc_size: int = 256
    label_size: int = 96
    tag_size: int = 256
    dropout: float = 0.25
    layers: int = 4
    #: Words are read off a learned mixture of all layers instead of the last.
    mixture: bool = True
    #: Languages that the network knows by a vector each; 0: it is for one language.
    languages: int = 0
    #: Treebanks whose habits differ from those of the main one of their language: each has vectors
    #: of its own, which are added to the language's; the main one has none, and so has an export.
    treebanks: int = 0
    #: How many values each attribute of FEATS has, where they are chosen one by one.
    attributes: tuple[int, ...] = ()


class Mlp(nn.Module):
    """A linear layer, a non-linearity and dropout."""

    def __init__(self, size_in: int, size_out: int, dropout: float) -> None:
        super().__init__()
        self.linear = nn.Linear(size_in, size_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(nn.functional.gelu(self.linear(x)))


class Net(nn.Module):
    """Sub-words of a window in, scores of every decision about its words out."""

    def __init__(self, encoder: Transformer, sizes: dict[str, int], options: NetOptions) -> None:
        super().__init__()
        self.options = options
        self.sizes = sizes
        self.encoder = encoder
        hidden = encoder.shape.hidden
        self.features = nn.ModuleList(
            nn.Embedding(size, hidden, padding_idx=0) for size in feature_sizes(options.languages)
        )
        # The language has a say at the bottom, with the features, and again before the heads.
        self.manner: nn.Embedding | None = None
        if options.languages:
            self.manner = nn.Embedding(options.languages + 1, hidden, padding_idx=0)
            nn.init.zeros_(self.manner.weight)
        self.habits: nn.ModuleList | None = None
        if options.treebanks:
            self.habits = nn.ModuleList(
                nn.Embedding(options.treebanks + 1, hidden, padding_idx=0) for _ in range(2)
            )
            for table in self.habits:
                nn.init.zeros_(cast(Tensor, table.weight))
        if options.attributes and sum(options.attributes) != sizes["feats"]:
            raise ValueError("the values of attributes do not add up to those of FEATS")
        for table in self.features:
            weight = cast(Tensor, table.weight)
            nn.init.normal_(weight, std=0.02)
            with torch.no_grad():
                weight[0].zero_()
        self.mixture: nn.Parameter | None = None
        if options.mixture:
            # The last layer has the most to say at first; the last number scales the sum.
            start = torch.zeros(encoder.shape.layers + 1)
            start[-2], start[-1] = 2.0, 1.0
            self.mixture = nn.Parameter(start)
        self.dropout = nn.Dropout(options.dropout)
        self.start = nn.Sequential(
            Mlp(hidden, options.tag_size, options.dropout), nn.Linear(options.tag_size, 1)
        )
        self.tags = Mlp(hidden, options.tag_size, options.dropout)
        self.upos = nn.Linear(options.tag_size, sizes["upos"])
        self.xpos = nn.Linear(options.tag_size, sizes["xpos"])
        self.feats = nn.Linear(options.tag_size, sizes["feats"])
        if options.attributes:
            # Most words lack most attributes: begin there, not with a guess at each.
            absent = torch.cumsum(torch.tensor((0, *options.attributes[:-1])), 0)
            with torch.no_grad():
                self.feats.bias[absent] = 4.0
        self.lemma = nn.Linear(options.tag_size, sizes["lemma"])
        self.root = nn.Parameter(torch.zeros(hidden))
        nn.init.normal_(self.root, std=0.5)
        self.arc_dep = Mlp(hidden, options.arc_size, options.dropout)
        self.arc_head = Mlp(hidden, options.arc_size, options.dropout)
        self.arc = nn.Parameter(torch.zeros(options.arc_size, options.arc_size))
        self.arc_bias = nn.Parameter(torch.zeros(options.arc_size))
        nn.init.normal_(self.arc, std=options.arc_size**-0.5)
        self.label_dep = Mlp(hidden, options.label_size, options.dropout)
        self.label_head = Mlp(hidden, options.label_size, options.dropout)
        # One more column for the bias of the head's side.
        self.label = nn.Parameter(
            torch.zeros(options.label_size + 1, sizes["deprel"], options.label_size + 1)
        )
        nn.init.normal_(self.label, std=options.label_size**-1.0)

    def words(
        self, ids: Tensor, mask: Tensor, word: Tensor, first: Tensor, last: Tensor, features: Tensor
    ) -> Tensor:
        """Vectors of the words: the mean of their sub-words.

        `word` tells which word each sub-word belongs to (0 for special ones, else 1 + the word's
        place), `first` and `last` the sub-words of each word, both ends included. The features
        end with the language, and with the treebank where treebanks have vectors.
        """
        added = [table(features[:, :, n]) for n, table in enumerate(self.features)]
        if self.habits is not None:
            added.append(self.habits[0](features[:, :, len(self.features)]))
        extra = torch.stack(added).sum(0)
        extra = torch.cat([torch.zeros_like(extra[:, :1]), extra], dim=1)
        spread = torch.gather(extra, 1, word[:, :, None].expand(-1, -1, extra.shape[2]))
        layers = self.encoder(ids, mask, spread)
        if self.mixture is None:
            states = layers[-1].float()
        else:
            weights = torch.softmax(self.mixture[:-1], 0) * self.mixture[-1]
            states = torch.zeros_like(layers[0], dtype=torch.float32)
            for weight, layer in zip(weights, layers, strict=True):
                states = states + weight * layer.float()
        total = torch.cumsum(states, dim=1)
        width = total.shape[2]
        upto = torch.gather(total, 1, last[:, :, None].expand(-1, -1, width))
        before = torch.gather(total, 1, (first - 1)[:, :, None].expand(-1, -1, width))
        mean = (upto - before) / (last - first + 1)[:, :, None].float()
        found = cast(Tensor, mean)
        if self.manner is not None:
            found = found + self.manner(features[:, :, len(self.features) - 1])
        if self.habits is not None:
            found = found + self.habits[1](features[:, :, len(self.features)])
        return found

    def heads(self, words: Tensor) -> dict[str, Tensor]:
        """Scores of every decision; arcs are [dependent, head] with the root as head 0."""
        words = self.dropout(words)
        tags = self.tags(words)
        batch = words.shape[0]
        rooted = torch.cat([self.root.expand(batch, 1, -1), words], dim=1)
        dep, head = self.arc_dep(words), self.arc_head(rooted)
        arcs = (dep @ self.arc) @ head.transpose(1, 2) + (head * self.arc_bias).sum(-1)[:, None, :]
        return {
            "start": self.start(words)[:, :, 0],
            "upos": self.upos(tags),
            "xpos": self.xpos(tags),
            "feats": self.feats(tags),
            "lemma": self.lemma(tags),
            "arc": arcs,
            "label_dep": self.label_dep(words),
            "label_head": self.label_head(rooted),
        }

    def labels(self, dep: Tensor, head: Tensor) -> Tensor:
        """Label scores of pairs: vectors of dependents and of their heads, both [..., size]."""
        one = torch.ones_like(dep[..., :1])
        dep, head = torch.cat([dep, one], -1), torch.cat([head, one], -1)
        size, labels, _ = self.label.shape
        mixed = (dep @ self.label.reshape(size, -1)).unflatten(-1, (labels, size))
        return (mixed @ head[..., None])[..., 0]

    def forward(
        self, ids: Tensor, mask: Tensor, word: Tensor, first: Tensor, last: Tensor, features: Tensor
    ) -> dict[str, Tensor]:
        return self.heads(self.words(ids, mask, word, first, last, features))

    def settings(self) -> dict[str, Any]:
        return {**asdict(self.options), "sizes": dict(self.sizes)}
