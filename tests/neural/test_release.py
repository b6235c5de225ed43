"""A loaded network releases its arrays and reads them again on demand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caesura.errors import ModelError
from caesura.models.file import load, save
from caesura.models.store import find
from caesura.pipeline import Pipeline
from caesura.stages.network import NeuralParser


def test_the_arrays_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.caesura"
    path.write_bytes(Path(find("en")).read_bytes())
    whole = Pipeline(load(path))
    nlp = Pipeline(load(path), release=True)
    kept, let_go = whole.stage(NeuralParser), nlp.stage(NeuralParser)
    assert kept is not None
    assert let_go is not None
    assert not let_go._network.arrays
    arrays = let_go.network.arrays
    assert all(np.array_equal(arrays[name], one) for name, one in kept.network.arrays.items())
    text = "They left early. Nobody asked why."
    starts = [nlp.quick()(text).sent_start.tolist(), whole.quick()(text).sent_start.tolist()]
    assert starts[0] == starts[1]
    file = load(path)
    array = file.parts["neural"].arrays["label"]
    file.parts["neural"].arrays["label"] = array * np.float16(0.5)
    kinds = ("format", "kind", "parts", "sha256")
    save(path, file.parts, meta={k: v for k, v in file.meta.items() if k not in kinds})
    with pytest.raises(ModelError, match="changed since"):
        _ = let_go.network
