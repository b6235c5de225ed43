"""Training of networks over pretrained encoders; only here, PyTorch is imported.

It comes with the extra `neural-train`. The stage is `caesura.stages.network`.
"""
