"""The network in PyTorch: an encoder of sub-words, words pooled from them, and a head per decision.

`core/network` computes the same in 8 bits. Boundaries, tags and lemmas are linear in the vector of
a word; arcs and labels are biaffine (Dozat & Manning, 2017). Arcs compete over the whole window, so
the network need not know sentence boundaries to score them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from caesura.errors import InputError
from caesura.learn.network.examples import feature_sizes
from caesura.learn.network.pretrained import FAR, EncoderShape, load_weights, relative_buckets


class Layer(nn.Module):
    """Attention and feed-forward, each with its sum and normalisation."""

    def __init__(self, shape: EncoderShape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.rate = dropout
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm1 = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.ff1 = nn.Linear(shape.hidden, shape.inner)
        self.ff2 = nn.Linear(shape.inner, shape.hidden)
        self.norm2 = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        batch, length, hidden = x.shape
        q, k, v = (
            part.reshape(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        mixed = nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=bias.to(q.dtype), dropout_p=self.rate if self.training else 0.0
        )
        mixed = mixed.transpose(1, 2).reshape(batch, length, hidden)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.ff2(nn.functional.gelu(self.ff1(x)))))  # type: ignore[no-any-return]


class Transformer(nn.Module):
    """A pretrained encoder of any family; it returns the states of all layers."""

    def __init__(self, shape: EncoderShape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.pieces = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.eps)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.distance = nn.Embedding(shape.buckets, shape.heads) if shape.buckets else None
        #: The buckets of distances from far before to far behind.
        self.register_buffer("buckets", _distances(shape), persistent=False)
        self.buckets: Tensor

    def forward(self, ids: Tensor, mask: Tensor, extra: Tensor) -> list[Tensor]:
        """The states after each layer; `extra` is added to the embeddings of the pieces."""
        length = ids.shape[1]
        places = torch.arange(length, device=ids.device) + self.shape.first_position
        places = places.clamp(max=self.shape.positions - 1)  # padding may lie beyond
        x = self.dropout(self.norm(self.pieces(ids) + self.position(places)[None] + extra))
        bias = (1.0 - mask[:, None, None, :].to(torch.float32)) * -1e4
        if self.distance is not None:
            # Fast kernels need a contiguous bias.
            bias = (bias + self._by_distance(length, self.distance)[None]).contiguous()
        if torch.is_autocast_enabled(ids.device.type):
            bias = bias.to(torch.get_autocast_dtype(ids.device.type))  # once for all layers
        states = []
        for layer in self.layers:
            x = layer(x, bias)
            states.append(x)
        return states

    def _by_distance(self, length: int, table: nn.Embedding) -> Tensor:
        """The bias of attention for each pair of positions: [head, query, key]."""
        distances = torch.arange(1 - length, length, device=self.buckets.device)
        # It is not trained, so attention need not keep its gradients.
        with torch.no_grad():
            by_distance = table(self.buckets[distances.clamp(-FAR, FAR) + FAR]).T
        # A window for every query, which begins lower for later queries.
        return by_distance.unfold(1, length, 1).flip(1)


def _distances(shape: EncoderShape) -> Tensor:
    """The bucket of each distance from -FAR to FAR."""
    if not shape.buckets:
        return torch.zeros(0, dtype=torch.int64)
    pairs = relative_buckets(FAR + 1, shape.buckets)
    return torch.from_numpy(np.concatenate([pairs[:0:-1, 0], pairs[0]]))


def load_encoder(folder: Path, layers: int) -> Transformer:
    """The first layers of an encoder in the Hugging Face layout, with its weights."""
    dropout, shape, weights = load_weights(folder, layers)
    model = Transformer(shape, dropout)
    try:
        model.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    except RuntimeError as error:
        raise InputError(
            f"the encoder cannot be used: {str(error).splitlines()[0]}",
            file=str(folder),
            remedy="Copy or save it anew (save_pretrained).",
        ) from error
    return model


@dataclass(frozen=True)
class NetOptions:
    """Sizes of the network's heads."""

    arc_size: int = 256
    label_size: int = 96
    tag_size: int = 256
    dropout: float = 0.25
    layers: int = 4
    #: Whether words are read from a learned mixture of all layers instead of the last.
    mixture: bool = True
    #: The number of languages, each with a vector; 0 for a network of one language.
    languages: int = 0
    #: The number of treebanks with vectors, which are added to those of their language. The main
    #: treebank of a language has none; these vectors are not exported.
    treebanks: int = 0
    #: The number of values of each attribute of FEATS, if these are chosen separately.
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
        # The vectors of languages are added to the input, with the features, and before the heads.
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
            # At first the last layer counts most; the last parameter scales the sum.
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
            # Most words lack most attributes: start with their absence.
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

        `word` is the word of each sub-word (0 for special ones, else 1 + its place), `first` and
        `last` are the sub-words of each word, both ends included. The features end with the
        language, and with the treebank if treebanks have vectors.
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
