"""Names of documents from outside: uploads, URLs, buckets. They are shown, and never become paths."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200
LONGEST_FILE = 120
"""Bytes of the stem of a file in an archive: file systems allow 255 for a name with its suffix."""
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)", re.IGNORECASE)
_RESERVED = re.compile(r'[<>:"|?*/\\]')


def safe_name(name: str) -> str:
    """The last part of a name, without folders, control and formatting characters; empty if nothing is left."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c for c in last if unicodedata.category(c)[0] != "C").strip(" .")
    return kept[-LONGEST:].strip(" .")


def file_stem(name: str) -> str:
    """The stem of a name for a file that any system can unpack: no device of Windows, no reserved character."""
    safe = safe_name(name)
    stem = _RESERVED.sub("_", safe.rpartition(".")[0] or safe).strip(" .")
    if _DEVICES.match(stem):
        stem = f"_{stem}"
    return stem.encode("utf-8")[:LONGEST_FILE].decode("utf-8", "ignore").strip(" .") or "document"
