"""A second source of scores for the same search: a small pretrained encoder with heads.

Training needs PyTorch (`caesura[neural-train]`); running needs onnxruntime and tokenizers
(`caesura[neural]`) and no PyTorch.
"""
