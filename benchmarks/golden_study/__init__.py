"""What `golden.py` freezes: texts and a treebank of our own, and the outputs made of them."""
