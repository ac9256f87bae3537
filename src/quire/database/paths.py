"""Paths as the database stores them."""

from __future__ import annotations

import os

DATABASE = "facts.sqlite3"
"""The file of a store in a folder that has its facts."""


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as valid text: file names are bytes and may not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
