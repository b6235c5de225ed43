"""Grammar induction: dependency grammars from text without trees (Spitkovsky et al. 2011, 2012)."""

from caesura.induce.grammar import Grammar, supervised
from caesura.induce.induction import Event, InduceOptions, Inducer, induce

__all__ = ["Event", "Grammar", "InduceOptions", "Inducer", "induce", "supervised"]
