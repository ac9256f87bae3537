"""Paths as the database stores them."""

from __future__ import annotations

import os


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as valid text: file names are bytes and may not be UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
