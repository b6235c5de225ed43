"""What all linear learners share: feature templates, folds, orders of epochs, the training loop."""

from caesura.learn.shuffle import epoch_order

__all__ = ["epoch_order"]
