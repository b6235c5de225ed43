"""Working memory of one thread, and the calls of the kernels that use it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ModelError
from caesura.parse.branching_options import BranchOptions
from caesura.parse.scorers.classifier import Classifier, new_scratch
from caesura.parse.search.branching import (
    COUNTERS,
    STUCK,
    Search,
    branch,
    most_steps,
    new_forks,
    new_memo,
    new_paths,
)
from caesura.parse.search.branching_trees import HEADLESS, Trees, decode_all, new_trees, write_tree
from caesura.parse.stored import DAMAGED
from caesura.parse.transitions.hybrid import ArcLimits, new_state, no_arc_limits

__all__ = ["Brancher", "search_of"]


def search_of(options: BranchOptions) -> Search:
    """The options as the kernels want them."""
    return Search(
        options.beam,
        float(options.margin),
        options.k,
        options.score == "mean",
        options.skip_labels,
        options.keep_attached,
        options.headless == "single-root",
        options.memory,
        options.waves,
    )


class Brancher:
    """Decodes batches of sentences; `counts` adds up what the search did."""

    def __init__(
        self, classifier: Classifier, options: BranchOptions, root_label: int, longest: int
    ) -> None:
        self.classifier = classifier
        self.search = search_of(options)
        self.headless = HEADLESS[options.headless]
        self.root_label = root_label
        self.state = new_state(longest)
        width = classifier.table.shape[1]
        self.scratch = new_scratch(len(classifier.templates.seeds), width, max(2, options.k))
        self.memo = new_memo()
        self.forks = new_forks(options.beam)
        self.paths = new_paths(options.beam, 1 << 14)
        self.second = np.zeros((longest + 1, 2), np.int64)
        self.chance = np.zeros(longest + 1, np.float64)
        self.counts = np.zeros(len(COUNTERS), np.int64)

    def grow(self) -> None:
        """More room for sequences."""
        self.paths = new_paths(len(self.paths.fork), 4 * len(self.paths.actions))

    def decode(
        self,
        table: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        limits: ArcLimits | None = None,
        *,
        confidence: bool = False,
    ) -> Trees:
        """The trees of sentences, heads counted from each one's first word."""
        trees = new_trees(int(bounds[-1]))
        at = 0
        while True:
            at = decode_all(
                self.classifier,
                table,
                bounds,
                at,
                limits or no_arc_limits(),
                self.search,
                self.headless,
                self.root_label,
                confidence,
                self.state,
                self.scratch,
                self.memo,
                self.forks,
                self.paths,
                self.second,
                self.chance,
                self.counts,
                trees,
            )
            if at == len(bounds) - 1:
                return trees
            if at < 0:
                raise _nowhere(int(bounds[-at] - bounds[-at - 1]))
            self.grow()

    def all_trees(
        self, table: NDArray[np.uint64], words: int, limits: ArcLimits | None = None
    ) -> list[tuple[float, Trees]]:
        """Scores and trees of all sequences of one sentence, in the order they were made."""
        limits = limits or no_arc_limits()
        while True:
            number = branch(
                self.classifier,
                table,
                words,
                limits,
                self.search,
                self.state,
                self.scratch,
                self.memo,
                self.forks,
                self.paths,
                self.counts,
            )
            if number >= 0:
                break
            if number == STUCK:
                raise _nowhere(words)
            self.grow()
        found = []
        for r in range(number):
            out = new_trees(words)
            write_tree(
                self.classifier,
                table,
                words,
                limits,
                self.search,
                self.headless,
                self.root_label,
                self.state,
                self.scratch,
                self.paths,
                r,
                self.second,
                self.chance,
                out,
            )
            found.append((float(self.paths.score[r]), out))
        return found

    def counters(self) -> dict[str, int]:
        return dict(zip(COUNTERS, self.counts.tolist(), strict=True))


def _nowhere(words: int) -> ModelError:
    """What is wrong with a parser whose transitions go round between the words."""
    steps = most_steps(words, False)
    what = f"the parser makes {steps:,} transitions for {words:,} words and goes nowhere"
    return ModelError(what, remedy=DAMAGED)
