"""A second source of scores for the same search: a small pretrained encoder with heads.

Training needs PyTorch (`caesura-nlp[neural-train]`); running needs onnxruntime, which comes with
the package, and no PyTorch.
"""
