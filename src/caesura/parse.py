"""Parsers for Python: sentence boundaries and trees of documents, or trees of sentences.

`Parser` parses documents and `ParserTrainer` learns; `BranchingParser` parses sentences by
selectional branching.
"""

from caesura.learn.branching_parser import BranchTraining
from caesura.learn.joint_parser import ParserTrainer, Reparsed, TrainOptions
from caesura.stages.branching_parser import BranchingParser, BranchOptions
from caesura.stages.joint_parser import Parser, SearchOptions
from caesura.stages.tree_parser import Parse

__all__ = [
    "BranchOptions",
    "BranchTraining",
    "BranchingParser",
    "Parse",
    "Parser",
    "ParserTrainer",
    "Reparsed",
    "SearchOptions",
    "TrainOptions",
]
