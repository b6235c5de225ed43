"""Word classes from unannotated text: exchange clustering and Brown clustering.

classes = cluster(sentences, classes=200)
save_classes(classes, "en.classes")
load_classes("en.classes").of("Tuesday")

The kernels import numba and are therefore loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from caesura.cluster.classes import WordClasses, load_classes, save_classes

if TYPE_CHECKING:
    from caesura.cluster.clustering import cluster, warmup

__all__ = ["WordClasses", "cluster", "load_classes", "save_classes", "warmup"]


def __getattr__(name: str) -> Any:
    if name not in ("cluster", "warmup"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import caesura.cluster.clustering as home

    return getattr(home, name)
