"""Model files: one zip of arrays, options, labels, provenance and a card; never a pickle."""

from caesura.models.file import FORMAT_VERSION, ModelFile, Part, load, save

__all__ = ["FORMAT_VERSION", "ModelFile", "Part", "load", "save"]
