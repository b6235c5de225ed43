"""What `benchmarks/induction.py` measures, a module a subject."""
