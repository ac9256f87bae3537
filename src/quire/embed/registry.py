"""Embedders by what a user writes: a name, the path of a folder, or the address of a server."""

from __future__ import annotations

from pathlib import Path

from quire.embed.local_model import MINILM, default_embedder, folder_embedder
from quire.embedder import Embedder
from quire.errors import ConfigurationError, UsageError
from quire.models import MODELS, models_folder

NONE = "none"
AUTO = "auto"
DEFAULT = MINILM


def chosen_embedder(named: str = AUTO) -> Embedder | None:
    """As `find_embedder`; for `auto` the default model if it is here, else none."""
    if named != AUTO:
        return find_embedder(named)
    try:
        return default_embedder()
    except ConfigurationError:
        return None


def find_embedder(named: str = DEFAULT) -> Embedder | None:
    """The embedder of that name or folder; None for `none`, which means an index of words alone.

    Raises ConfigurationError for a model that is not here, with how to get it; UsageError for what is none.
    """
    if named == NONE:
        return None
    if named == MINILM:
        return default_embedder()
    for folder in (Path(named).expanduser(), models_folder() / named):
        if folder.is_dir():
            return folder_embedder(folder)
    known = ", ".join([*(name for name in MODELS if name == MINILM), NONE])
    raise UsageError(f"there is no embedder {named!r}; choose from {known}, or give the folder of a model")
