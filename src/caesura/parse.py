"""Parsers for Python: sentence boundaries and trees of documents, or trees of sentences.

`Parser` parses documents and `ParserTrainer` learns; `BranchingParser` parses sentences by
selectional branching.
"""

from caesura.learn.parser_trainer import ParserTrainer
from caesura.learn.recipes import Reparsed
from caesura.stages.branching_options import BranchOptions, BranchTraining
from caesura.stages.branching_parser import BranchingParser
from caesura.stages.joint_parser import Parser
from caesura.stages.parse_analysis import Parse
from caesura.stages.parser_options import SearchOptions, TrainOptions

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
