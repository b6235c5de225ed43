"""Searches: greedy and beam over whole documents, selectional branching over sentences."""
