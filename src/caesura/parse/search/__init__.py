"""Searches, and which transition systems and scorers they meet.

A transition system says which steps are legal, makes them, and knows the right ones (legal, apply,
oracle); a scorer gives scores to the labelled steps of a state; a search chooses among sequences.

- The joint system with a linear scorer or one of arcs: greedy (a beam of one), a beam, and a beam
  with a margin, which is branching for documents. All of it is in the core (`core/parse`: joint,
  linear8, linear32, arcs, beam, decode).
- the hybrid system (`core/parse/hybrid.h`) with its classifier (`hybrid_scorer.h`): greedy (a beam
  of one) and branching (`branching.h`); an ordinary beam is in
  `research.hybrid_beam`, where its comparison with branching is made.

Why not the others. The joint system searches whole documents, endless ones too: items share their
past in a graph-structured stack, and what all of them descend from is committed on the way. Where a
sentence is run again for every unsure step, a document would have to be; so its branching is a beam
that is as wide as the text is ambiguous. The hybrid system has one flat state with a deque, which
such a stack does not share: it is run again from the start of the sentence, and a beam has to copy
it. Branching compares chances, which the classifier normalises step by step; a beam over documents
compares sums, for which the linear scorer is trained. Weights that were learned for the one are
not right for the other, so a model file names its system. The arc scorer knows arcs and starts
alone, and has no score for a pass or a reduce.
"""
