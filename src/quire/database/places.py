"""Paths as the records write them."""

from __future__ import annotations

import os


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text that a database takes: names of files are bytes and may be no UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
