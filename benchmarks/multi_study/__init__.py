"""The parts of `build_multi.py`: the encoder, the examples, the network, and the model file."""
