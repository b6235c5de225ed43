"""The parts of benchmarks/joint.py."""
