"""Zip archives that are the same bytes for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time in a zip archive: equal files give equal bytes."""


def zip_archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip archive of files by name, without their times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
