"""The clients of `benchmarks/load.py`, and what is seen of the server meanwhile."""
