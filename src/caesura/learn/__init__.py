"""Learners: a file for each stage of `stages/`, with the same name, and what they share.

Shared parts are the training loop, folds, updates, fingerprints and options. `run` describes what
every `caesura train …` and `caesura induce` command reads, keeps and returns.
"""
