"""Scorers: what the search asks for scores of transitions, by hashed features or by arcs."""
