"""The documentation site: Sphinx with MyST Markdown, built with warnings as errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from docs._build_tools import api, docstrings

import caesura

project = "Caesura"
author = "The Caesura authors"
copyright = "2026, The Caesura authors"
release = caesura.__version__
version = re.match(r"\d+\.\d+", release).group()  # type: ignore[union-attr]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Pages link to files of the repository, which are not part of the site.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "imported-members": True}
autodoc_inherit_docstrings = False

html_theme = "furo"
html_title = f"Caesura {release}"
html_static_path: list[str] = []
html_copy_source = False
html_show_sourcelink = False


def setup(app: Any) -> None:
    api.write_api(Path(__file__).parent / "reference")
    app.connect("autodoc-process-docstring", docstrings.process)
