"""Learning: from gold trees to weights, for each transition system that is trained."""
