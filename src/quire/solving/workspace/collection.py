"""What a runner wrote: the files of `output/` that are expected there, and why others are not taken."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from quire.core.errors import UsageError

ALLOWED = ("answer.json", "answer.xlsx", "evidence.jsonl", "notes.md")
"""The files that a runner may hand over. Everything else in `output/` is left there, and named."""
MAX_BYTES = 64 * 2**20
"""Of all files together."""
MAX_ENTRIES = 1000
"""Of `output/`: in a folder with more, the rest is not named."""


@dataclass(frozen=True, slots=True)
class CollectedOutput:
    """The files that were taken, by name, and the reasons of those that were not."""

    files: Mapping[str, bytes]
    refused: Mapping[str, str]


def collect_output(
    folder: Path, *, allowed: Sequence[str] = ALLOWED, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES
) -> CollectedOutput:
    """The allowed files of a folder. Nothing that is linked to a place outside of it is ever read.

    Raises UsageError if the folder is missing, or is a link itself.
    """
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        raise UsageError(f"{folder} is not a folder: the runner removed or replaced it") from None
    try:
        return _collected(opened, allowed, max_bytes, max_entries)
    finally:
        os.close(opened)


def _collected(folder: int, allowed: Sequence[str], room: int, max_entries: int) -> CollectedOutput:
    files: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    for name in allowed:
        taken = _taken(folder, name, room)
        if isinstance(taken, bytes):
            files[name] = taken
            room -= len(taken)
        elif taken is not None:
            refused[name] = taken
    with os.scandir(folder) as entries:
        for entry in islice(entries, max_entries):
            if entry.name not in allowed:
                refused[entry.name] = "it is not an expected file"
    return CollectedOutput(files, dict(sorted(refused.items())))


def _taken(folder: int, name: str, room: int) -> bytes | str | None:
    """The content of a file, or the reason why it is not taken; None if it does not exist.

    It is opened first and judged by what was opened, so that it cannot be exchanged in between.
    """
    try:
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"it is a link or cannot be opened ({error.strerror})"
    try:
        found = os.fstat(opened)
        if not stat.S_ISREG(found.st_mode):
            return "it is not a regular file"
        if found.st_nlink != 1:
            return "it is a hard link to a file elsewhere"
        with os.fdopen(opened, "rb", closefd=False) as file:
            content = file.read(room + 1)
    finally:
        os.close(opened)
    return f"it is larger than the {room:,} bytes that are left" if len(content) > room else content
