"""Word classes from unannotated text: exchange clustering and Brown clustering.

classes = cluster(sentences, classes=200)
save_classes(classes, "en.classes")
load_classes("en.classes").of("Tuesday")
"""

from __future__ import annotations

from caesura.cluster.classes import WordClasses, load_classes, save_classes
from caesura.cluster.clustering import cluster

__all__ = ["WordClasses", "cluster", "load_classes", "save_classes"]
