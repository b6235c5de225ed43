"""The stages of a pipeline, one file each, and what they share.

A stage reads the arrays of its part of a model file, makes one object of the core of them and fills
columns of documents. Nothing here learns: the learner of a stage has the same name in `learn/`.

The parsers combine a transition system, a scorer and a search. The joint system searches whole
documents of any length: items share their past in a graph-structured stack, and what all of them
descend from is committed. It has a linear scorer or one of arcs, and a beam, with or without a
margin. The hybrid system has one flat state with a deque, which such a stack cannot share, so that
branching runs it again from the start of the sentence. Branching compares chances, which the
classifier normalises step by step; a beam over documents compares sums. Weights learned for one
system are wrong for the other, so a model file names its system. The arc scorer has no score for a
pass or a reduce, so it works with the joint system only. A beam for the hybrid system is in
`research.hybrid_beam`.
"""
