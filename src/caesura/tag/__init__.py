"""Tagging: a linear-chain CRF over words for UPOS and XPOS, FEATS and lemmas given the tag.

The same chain is the boundary labeller. `Tagger` predicts, `train_tagger` learns.
"""
