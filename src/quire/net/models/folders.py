"""Folders with models: one for each, named after it, in the folder for models of this user.

`model.json` in it names the files with their digests, so that they are not hashed again. A folder without one, such as
a hub's clone, works too.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from quire.core.errors import ConfigurationError
from quire.core.hashing import hash_file
from quire.system.user_data import data_folder

ABOUT = "model.json"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A complete model on disk."""

    path: Path
    digests: dict[str, str]
    """SHA-256 by the name of the file; empty when nothing in the folder says them."""

    def digest(self, name: str) -> str:
        return self.digests.get(name) or hash_file(self.path / name).digest


def models_folder() -> Path:
    """The folder for models: `QUIRE_MODELS`, or `quire/models` among the data of this user."""
    if named := os.environ.get("QUIRE_MODELS"):
        return Path(named)
    return data_folder() / "models"


def find_model(name: str, *files: str, folder: Path | None = None) -> ModelFolder:
    """The model of that name with these files. Raises ConfigurationError with how to get it."""
    path = (folder or models_folder()) / name
    missing = [file for file in files if not (path / file).is_file()]
    if not missing:
        return ModelFolder(path, _digests(path))
    absent = f"{path} has no {missing[0]}" if path.is_dir() else f"{path} does not exist"
    raise ConfigurationError(f"the model {name!r} is missing: {absent}; `quire models fetch {name}` fetches it")


def _digests(path: Path) -> dict[str, str]:
    try:
        listed = json.loads((path / ABOUT).read_bytes())["files"]
        return {str(name): str(digest) for name, digest in listed.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
