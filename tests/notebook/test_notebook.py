"""The tutorial notebook runs from top to bottom, and comes without old output."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOK = EXAMPLES / "tutorial.ipynb"


def test_the_notebook_has_no_output() -> None:
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_notebook_runs(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a tiny model under the name of the English one, so that it runs anywhere."""
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    home = tmp_path / "home" / "models"
    home.mkdir(parents=True)
    shutil.copy(tiny_model, home / "en.caesura")
    shutil.copy(EXAMPLES / "harbour.conllu", tmp_path)
    monkeypatch.setenv("CAESURA_HOME", str(home.parent))
    # What the kernel writes for itself stays in the test.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        output.get("data", {})
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
    assert sum("<svg" in data.get("text/html", "") for data in shown) >= 2
    assert any("image/svg+xml" in data for data in shown)
    assert (tmp_path / "harbour-parsed.conllu").exists()
