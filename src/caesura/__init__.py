"""Caesura: raw documents in; sentences, tokens, tags and dependency trees out, decided together."""

__version__ = "0.1.0"
