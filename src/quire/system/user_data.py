"""The folder for data of this user."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """`quire` in `XDG_DATA_HOME`, or in `~/.local/share`."""
    named = os.environ.get("XDG_DATA_HOME")
    return (Path(named) if named else Path.home() / ".local" / "share") / "quire"
