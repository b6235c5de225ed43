"""Where the treebanks are: the folder CAESURA_DATA, else ../shared/data beside the checkout.

A treebank is a folder with a file for each split, told by the end of its name: `x-train.conllu.gz`,
`x.train.conll.gz`. It is named by its folder, with or without `UD_` and `UD_English-`, or by a
path. Outputs of other systems, NAME_TREEBANK_dev.conllu.gz, are in CAESURA_PEERS, else in
../shared/peers; raw texts are in CAESURA_TEXT, else in `text` beside the treebanks.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DATA", "PEERS", "PLACES", "ROOT", "TEXT", "file_of", "find_file", "find_folder"]

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("CAESURA_DATA") or ROOT.parent / "shared" / "data")
TEXT = Path(os.environ.get("CAESURA_TEXT") or DATA.parent / "text")
PEERS = Path(os.environ.get("CAESURA_PEERS") or DATA.parent / "peers")
#: Folders that a path of a plan may begin with.
PLACES = {"$CAESURA_DATA": DATA, "$CAESURA_TEXT": TEXT}


def find_folder(treebank: str | Path, data: Path = DATA) -> Path:
    """The folder of a treebank, or the path that is its name; it need not exist."""
    path = Path(treebank)
    if path.exists():
        return path
    known = [data / f"{prefix}{treebank}" for prefix in ("", "UD_", "UD_English-")]
    return next((folder for folder in known if folder.exists()), known[0])


def find_file(treebank: str | Path, split: str, data: Path = DATA) -> Path | None:
    """The file of a split, or None if the treebank has none."""
    found = sorted(find_folder(treebank, data).glob(f"*[-.]{split}.conll*"))
    return found[0] if found else None


def file_of(treebank: str | Path, split: str, data: Path = DATA) -> Path:
    """The file of a split, which must be there."""
    found = find_file(treebank, split, data)
    if found is None:
        folder = find_folder(treebank, data)
        raise SystemExit(f"{folder} has no {split} file: name it, or set CAESURA_DATA")
    return found
