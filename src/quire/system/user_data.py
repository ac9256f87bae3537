"""The folders for data and caches of this user."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """`quire` in `XDG_DATA_HOME`, or in `~/.local/share`."""
    return _folder("XDG_DATA_HOME", ".local/share")


def cache_folder() -> Path:
    """`quire` in `XDG_CACHE_HOME`, or in `~/.cache`: what is lost there is made again. RuntimeError without a home."""
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, usual: str) -> Path:
    named = os.environ.get(variable)
    return (Path(named) if named else Path.home() / usual) / "quire"
