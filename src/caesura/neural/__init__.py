"""A second source of scores for the same search: a small pretrained encoder with heads.

Training needs PyTorch (`caesura-nlp[neural-train]`); the core runs networks without it.
"""
